/* Datasets, which are what a model is trained on. aoso.h includes this file. */
#ifndef AOSO_DATASET_H
#define AOSO_DATASET_H

#include "collective.h"
#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to make a dataset. */
typedef struct aoso_dataset_options {
    uint32_t struct_size;
    int32_t max_bin;           /* value bins of a feature, 2 to 255; 0: 255 */
    int64_t sample_rows;       /* rows that bins are fitted to; 0: 200,000; negative: all */
    uint64_t seed;             /* of that sample */
    int32_t nthread;           /* 0: the cores that the process may use */
    int32_t dense_only;        /* 1: store no sparse feature row by row; slower, same model */
    const double *weights;     /* by row, not negative; NULL: all 1 */
    int64_t num_weights;       /* the number of rows */
    const char *const *feature_names; /* NULL: Arrow's names, else f0, f1, ... */
    int64_t num_feature_names; /* the number of features */
    const aoso_model *init; /* a model that training continues; its features become the dataset's, and its classes with
                             * those of the labels that it does not know */
    const int64_t *categorical; /* columns of numbers that stand for categories: 3 is the category "3" */
    int64_t num_categorical;    /* how many there are */
    const uint64_t *row_ids; /* by row, all different; NULL: the positions of the rows, from 0 */
    int64_t num_row_ids;     /* the number of rows */
    const char *path; /* a file to keep the dataset in rather than memory, as aoso_dataset_load does; NULL: none */

    /* The machines that each have some of the rows; NULL: these are all rows. A rank may
     * have none. The struct is copied. Its functions and context are used by all calls with
     * the dataset, with validation sets made for it and with their trainers, one call at a
     * time. All ranks pass the same options, except for threads and path. Row ids differ
     * between ranks too. If no rank has any, rows are numbered rank after rank. Not
     * possible with init. */
    const aoso_collective *collective;

    int32_t text_labels; /* 1: labels are texts, even if all look like numbers: class 10 then comes before 9 */
    int32_t reserved;    /* 0 */
} aoso_dataset_options;

/* Quantizes features and labels for training. options may be NULL. */
AOSO_API aoso_status aoso_dataset_create(const aoso_matrix *x, const aoso_labels *y, const aoso_dataset_options *options,
                                     aoso_dataset **out);

/* Quantizes a validation set with the bins and classes of a training set.
 * Labels that the training set does not have count as errors; if it has none of them, the call fails. Only the weights
 * of the options are used; options may be NULL. */
AOSO_API aoso_status aoso_dataset_create_aligned(const aoso_dataset *train, const aoso_matrix *x, const aoso_labels *y,
                                             const aoso_dataset_options *options, aoso_dataset **out);

/* A column of numbers that may be a code without an order, such as of a profession. */
typedef struct aoso_code_suggestion {
    int64_t feature;   /* the column */
    int64_t values;    /* number of different values */
    double gain;       /* by how much the log loss of rows held out falls, as a mean over the rows, if it is categorical */
    double error;      /* standard error of the gain */
    int32_t suggested; /* 1: list it in options.categorical */
    int32_t reserved;
} aoso_code_suggestion;

/* Called now and then; anything but 0 ends the call. */
typedef int32_t (*aoso_pause_callback)(void *user);

/* Finds columns of 3 to 100 different whole numbers that predict better as categories. The options are those of
 * aoso_dataset_create, of which categorical lists the columns that are known to be categories; init and collective must be
 * null. It trains many small models: on at most 10,000 rows, for at most 20 columns. *count becomes the number of columns
 * tried, those suggested first, of which at most length are written; the gain of one that is suggested is in addition to
 * those before it. callback may be NULL; if it ends the call, *count is -1. */
AOSO_API aoso_status aoso_suggest_codes(const aoso_matrix *x, const aoso_labels *y, const aoso_dataset_options *options,
                                    aoso_code_suggestion *out, int64_t length, int64_t *count,
                                    aoso_pause_callback callback, void *user);

/* The size of a dataset. */
typedef struct aoso_dataset_info {
    uint32_t struct_size;
    int32_t named; /* 1: the features were given names; 0: these are generated, f0, f1, ... */
    int64_t rows, features, classes; /* their numbers */
    int64_t unknown; /* rows of a validation set whose label the training set does not have */
    int64_t bytes;   /* memory in use */
} aoso_dataset_info;

/* Set info->struct_size first. */
AOSO_API aoso_status aoso_dataset_get_info(const aoso_dataset *dataset, aoso_dataset_info *info);

/* The name of class k, or of feature j, both counted from 0. */
AOSO_API aoso_status aoso_dataset_class_name(const aoso_dataset *dataset, int64_t k, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_dataset_feature_name(const aoso_dataset *dataset, int64_t j, char *buffer, size_t size,
                                           size_t *needed);

/* The categories of feature j in order, each with a final 0. *count is
 * their number, or -1 if the feature is numeric. */
AOSO_API aoso_status aoso_dataset_categories(const aoso_dataset *dataset, int64_t j, char *buffer, size_t size, size_t *needed,
                                         int64_t *count);

/* Copies the number of each row's class, or -1 if the training set does not have
 * it, and each row's weight. length is the number of rows. */
AOSO_API aoso_status aoso_dataset_labels(const aoso_dataset *dataset, int32_t *out, int64_t length);
AOSO_API aoso_status aoso_dataset_weights(const aoso_dataset *dataset, double *out, int64_t length);

/* A weight for each class, with which all classes weigh the same: the weight of all
 * rows divided by that of the class and by the number of classes. length is the number
 * of classes. With a collective, all ranks call it at once. */
AOSO_API aoso_status aoso_dataset_balanced_weights(const aoso_dataset *dataset, double *out, int64_t length);

/* Writes the quantized dataset to a file. An existing file is replaced
 * completely, or left unchanged on an error. A dataset that continues a model
 * cannot be saved. */
AOSO_API aoso_status aoso_dataset_save(const aoso_dataset *dataset, const char *path);

/* Maps a file of aoso_dataset_save into memory. The file must not change while
 * the dataset exists: truncating it would end the program (SIGBUS). Saving
 * another dataset under the same name is safe. */
AOSO_API aoso_status aoso_dataset_load(const char *path, aoso_dataset **out);

/* Reads a file of aoso_dataset_save into memory. The file may change
 * afterwards. */
AOSO_API aoso_status aoso_dataset_read(const char *path, aoso_dataset **out);

/* Frees the handle. The memory is freed when no trainer uses it any more. */
AOSO_API aoso_status aoso_dataset_free(aoso_dataset *dataset);

/* Builds a dataset from chunks of rows, without knowing their number in advance.
 * The dataset is the same as one made from all rows at once.
 *
 * Chunks that come once: append each. Until finish, the builder keeps the rows:
 * 4 bytes per value, or 8 if float32 does not hold the value exactly, or 1 for
 * whole numbers from 0 to 254.
 *
 * Rows that take more memory than there is come twice: pass all chunks to sample,
 * then the same rows in the same order to append. Beside the dataset, the builder
 * keeps the rows that bins are fitted to, and per row 1 byte for the label and for
 * each categorical feature, or 4 above 254 labels or categories, and 4 for a
 * weight. With options.path, the codes go to the file as they are made. */
typedef struct aoso_builder aoso_builder;

/* The options' weights and row ids must be NULL: pass them with the chunks.
 * Features are named by the options, or f0, f1, ... */
AOSO_API aoso_status aoso_builder_create(int64_t cols, const aoso_dataset_options *options, aoso_builder **out);

/* Adds rows. weights: one per row, for every chunk or for none (NULL). After an
 * error the builder is unchanged. */
AOSO_API aoso_status aoso_builder_append(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y,
                                   const double *weights, int64_t num_weights);

/* The same with the ids of the rows: one per row, for every chunk or for none
 * (NULL). That two chunks have the same id is only found by finish. */
AOSO_API aoso_status aoso_builder_append_with_ids(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y,
                                            const double *weights, int64_t num_weights, const uint64_t *row_ids,
                                            int64_t num_row_ids);

/* Takes rows that come twice, before the first append. weights and row_ids: as
 * above. After an error the builder is unchanged. The appends that follow must
 * have the same labels, and may have other numbers of rows; their weights and ids
 * are not looked at. Not possible with options.init. */
AOSO_API aoso_status aoso_builder_sample(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y,
                                   const double *weights, int64_t num_weights, const uint64_t *row_ids,
                                   int64_t num_row_ids);

/* Creates the dataset and empties the builder. The builder must still be
 * freed. */
AOSO_API aoso_status aoso_builder_finish(aoso_builder *builder, aoso_dataset **out);

/* The same for a validation set, as aoso_dataset_create_aligned makes it, of rows
 * that came once. */
AOSO_API aoso_status aoso_builder_finish_aligned(aoso_builder *builder, const aoso_dataset *train, aoso_dataset **out);
AOSO_API aoso_status aoso_builder_free(aoso_builder *builder);

#ifdef __cplusplus
}
#endif

#endif
