/* aoso.h: multi-class gradient boosting with AOSO-LogitBoost.
 *
 * A first program:
 *
 *     aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, rows, cols);
 *     aoso_labels y = aoso_int32_labels(classes, rows);
 *     aoso_dataset *train;
 *     aoso_model *model;
 *     if (aoso_dataset_create(&x, &y, NULL, &train) != AOSO_OK ||
 *         aoso_train(train, NULL, NULL, &model, NULL) != AOSO_OK)
 *         fprintf(stderr, "%s\n", aoso_last_error());
 *     aoso_model_predict(model, &x, NULL, predicted, rows);
 *
 * Build with  cc program.c $(pkg-config --cflags --libs aoso).
 *
 * Conventions
 *
 *   Status      Every function returns AOSO_OK (0) or an error code. After an
 *               error, aoso_last_error() says why: the argument, its value and
 *               what is allowed. Out-parameters are set on success only.
 *   Ownership   Free what a create, load or train function returns with the
 *               free function of its type. Freeing NULL does nothing. A
 *               function keeps no argument after the call unless it says so:
 *               you can free or reuse them at once. Objects can be freed in
 *               any order.
 *   Handles     Handles are not addresses. A handle that is null, freed or of
 *               the wrong type is an error (AOSO_INVALID_HANDLE), not a crash.
 *   Outputs     The caller provides the memory and its length in elements.
 *               Functions that return text or bytes take a `buffer` of `size`
 *               bytes and store the length needed in *needed, if that is not
 *               NULL; for text it includes the final 0. Pass NULL and 0 to ask
 *               for the length alone. If the buffer is too small, it stays
 *               unchanged, *needed is set, and the call returns
 *               AOSO_BUFFER_TOO_SMALL.
 *   Threads     Datasets, models and contributions never change. Any number of
 *               threads may use them at the same time. A thread may even free
 *               one meanwhile: calls in progress finish normally. A builder, a
 *               trainer and a predictor belong to one thread at a time. Another
 *               thread that uses or frees one meanwhile gets AOSO_BUSY. The
 *               library calls callbacks on the calling thread, during the call.
 *               They may use the library. They must return: no longjmp, no
 *               exception.
 *   Signals     During a call, the host's signal handlers run on a signal stack
 *               of 256 kB, on any thread. A thread that had a signal stack
 *               before its first call keeps its own. To this end, calls that
 *               create an object, train, read or write a file, or take more
 *               than 64 rows add SA_ONSTACK to handlers without it. A handler
 *               that is installed during a call, or just before a call for a
 *               single row, must set SA_ONSTACK itself. The library's threads
 *               block all signals except SIGPROF, SIGCHLD, SIGURG, SIGRTMIN and
 *               those of faults. Go installs handlers for SIGSEGV, SIGBUS,
 *               SIGFPE, SIGPIPE and SIGURG, which call the handlers that were
 *               there before: leave them in place. No handler may use the
 *               library.
 *   Memory      A call that needs more memory than the machine, the container,
 *               RLIMIT_AS or RLIMIT_DATA allows returns AOSO_OUT_OF_MEMORY
 *               before it allocates anything. When the library is loaded,
 *               RLIMIT_AS must leave 1800 MB (most of it reserved and never
 *               used) and RLIMIT_DATA 100 MB; otherwise all calls return
 *               AOSO_OUT_OF_MEMORY. If memory does run out, Go ends the
 *               process.
 *   Bugs        If a call reveals a bug in the library, it returns
 *               AOSO_INTERNAL. The builder, trainer or predictor of that call
 *               can then only be freed; everything else still works. Only after
 *               a bug in the registry of handles, which all calls share, do all
 *               calls return AOSO_INTERNAL.
 *   Processes   A child created by fork() cannot use the library (AOSO_FORKED):
 *               use exec, spawn or a fork server. The library cannot be
 *               unloaded, and a process can hold only one Go library.
 *   Structs     Structs begin with struct_size, the size of the struct when the
 *               program was compiled, so that later versions can add fields.
 *               Set it to sizeof and the rest to zero, which is the default of
 *               every option:
 *                   aoso_train_options o = {.struct_size = sizeof o};
 *               aoso_params has other defaults: use aoso_params_init.
 *   Missing     Missing values are NaN, or null in Arrow data. Infinite values
 *               lie beyond every threshold, in training and in prediction.
 */
#ifndef AOSO_H
#define AOSO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AOSO_API __attribute__((visibility("default")))
#else
#define AOSO_API
#endif

/* ------------------------------------------------------------- versions -- */

#define AOSO_VERSION_MAJOR 0
#define AOSO_VERSION_MINOR 1
#define AOSO_VERSION_PATCH 0

/* Increased when programs compiled with an older header would no longer work. */
#define AOSO_ABI_VERSION 1

/* The library's AOSO_ABI_VERSION. Works in every process. */
AOSO_API int32_t aoso_abi_version(void);

/* "major.minor.patch", static. Works in every process. */
AOSO_API const char *aoso_version_string(void);

typedef int32_t aoso_status; /* AOSO_OK or an error, below */

/* JSON: version, abi, go, level (of the kernels in use), levels (all that this
 * CPU can run), cpu, threads (cores that the process may use). */
AOSO_API aoso_status aoso_build_info(char *buffer, size_t size, size_t *needed);

/* --------------------------------------------------------------- status -- */

enum {
    AOSO_OK = 0,
    AOSO_INVALID_ARGUMENT = 1, /* a value that is not allowed */
    AOSO_INVALID_HANDLE = 2,   /* null, freed, or of another type */
    AOSO_BUFFER_TOO_SMALL = 3,
    AOSO_IO = 4,        /* a file or stream could not be read or written */
    AOSO_BAD_FORMAT = 5, /* not an aoso file, or truncated, corrupt or too new */
    AOSO_OUT_OF_MEMORY = 6, /* see Memory above */
    AOSO_BUSY = 7,      /* another thread is using this object */
    AOSO_FORKED = 8,    /* called in a child created by fork() */
    AOSO_INTERNAL = 9   /* a bug in the library: see Bugs above */
};

/* The text of the calling thread's last error; "" before the first error. The
 * text is valid until the thread's next call. Works in every process. */
AOSO_API const char *aoso_last_error(void);

/* Sets the function that receives the library's messages, for the whole
 * process. It runs during the call that has a message, on the same thread.
 * NULL, the default, means no messages. */
enum { AOSO_LOG_WARNING = 1, AOSO_LOG_INFO = 2 };
typedef void (*aoso_log_callback)(int32_t level, const char *message, void *user);
AOSO_API aoso_status aoso_set_log(aoso_log_callback callback, void *user);

/* ---------------------------------------------------------------- input -- */

enum { /* element types */
    AOSO_FLOAT32 = 1,
    AOSO_FLOAT64 = 2,
    AOSO_INT8 = 3,
    AOSO_INT16 = 4,
    AOSO_INT32 = 5,
    AOSO_INT64 = 6,
    AOSO_UINT8 = 7,
    AOSO_UINT16 = 8,
    AOSO_UINT32 = 9,
    AOSO_UINT64 = 10,
    AOSO_STRING = 11 /* const char *; labels only */
};

enum { /* layouts of a matrix */
    AOSO_DENSE = 0,
    AOSO_COLUMNS = 1,
    AOSO_CSR = 2,
    AOSO_CSC = 3,
    AOSO_ARROW = 4,
    AOSO_ARROW_STREAM = 5
};

/* The Arrow C data interface: define or include it before use. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* Describes a table of numbers, one row per example and one column per feature.
 * The numbers are not copied. Create one with the functions below. */
typedef struct aoso_matrix {
    uint32_t struct_size;
    int32_t layout;
    int32_t dtype;       /* of the values; ignored for Arrow */
    int32_t index_dtype; /* CSR, CSC: AOSO_INT32 or AOSO_INT64 */
    int64_t rows, cols;  /* ignored for Arrow */

    /* AOSO_DENSE: data points to element (0, 0). Element (i, j) lies
     * i*row_stride + j*col_stride elements from it. Strides may be negative.
     * AOSO_CSR, AOSO_CSC: data has the stored values; all others are 0. */
    const void *data;
    int64_t row_stride, col_stride;

    const void *const *columns; /* AOSO_COLUMNS: the first element of each */

    /* AOSO_CSR: rows + 1 offsets, and the column of each stored value.
     * AOSO_CSC: cols + 1 offsets, and the row of each stored value.
     * Each position may occur only once. */
    const void *indptr;
    const void *indices;
    int64_t nnz; /* stored values */

    /* AOSO_ARROW: a struct array (record batch) of numeric or boolean columns.
     * No row may be null. The caller releases it.
     * AOSO_ARROW_STREAM: a stream of such batches. The call reads it to its
     * end and releases it, even on errors. */
    const struct ArrowArray *arrow_array;
    const struct ArrowSchema *arrow_schema;
    struct ArrowArrayStream *arrow_stream;
} aoso_matrix;

static inline aoso_matrix aoso_dense(const void *data, int32_t dtype, int64_t rows, int64_t cols, int64_t row_stride,
                                     int64_t col_stride) {
    aoso_matrix m = {sizeof(aoso_matrix), AOSO_DENSE, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL};
    m.dtype = dtype;
    m.rows = rows;
    m.cols = cols;
    m.data = data;
    m.row_stride = row_stride;
    m.col_stride = col_stride;
    return m;
}

/* rows × cols, row after row. */
static inline aoso_matrix aoso_row_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    return aoso_dense(data, dtype, rows, cols, cols, 1);
}

/* rows × cols, column after column. */
static inline aoso_matrix aoso_col_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    return aoso_dense(data, dtype, rows, cols, 1, rows);
}

/* One pointer per column; all columns have the same type. */
static inline aoso_matrix aoso_columns(const void *const *columns, int32_t dtype, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_dense(NULL, dtype, rows, cols, 0, 0);
    m.layout = AOSO_COLUMNS;
    m.columns = columns;
    return m;
}

/* Compressed sparse rows; indptr has rows + 1 entries, the last one nnz. */
static inline aoso_matrix aoso_csr(const void *indptr, const void *indices, int32_t index_dtype, const void *data,
                                   int32_t dtype, int64_t nnz, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_dense(data, dtype, rows, cols, 0, 0);
    m.layout = AOSO_CSR;
    m.indptr = indptr;
    m.indices = indices;
    m.index_dtype = index_dtype;
    m.nnz = nnz;
    return m;
}

/* Compressed sparse columns; indptr has cols + 1 entries, the last one nnz. */
static inline aoso_matrix aoso_csc(const void *indptr, const void *indices, int32_t index_dtype, const void *data,
                                   int32_t dtype, int64_t nnz, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_csr(indptr, indices, index_dtype, data, dtype, nnz, rows, cols);
    m.layout = AOSO_CSC;
    return m;
}

/* A record batch. */
static inline aoso_matrix aoso_arrow(const struct ArrowArray *array, const struct ArrowSchema *schema) {
    aoso_matrix m = aoso_dense(NULL, 0, 0, 0, 0, 0);
    m.layout = AOSO_ARROW;
    m.arrow_array = array;
    m.arrow_schema = schema;
    return m;
}

/* Record batches. */
static inline aoso_matrix aoso_arrow_stream(struct ArrowArrayStream *stream) {
    aoso_matrix m = aoso_dense(NULL, 0, 0, 0, 0, 0);
    m.layout = AOSO_ARROW_STREAM;
    m.arrow_stream = stream;
    return m;
}

/* The labels of the rows. They can be any set of values. Integers and their
 * decimal strings are the same label. A model numbers its classes by value if
 * all labels are integers, else by their bytes. */
typedef struct aoso_labels {
    uint32_t struct_size;
    int32_t dtype; /* any; NaN is not a label */
    int64_t count;
    const void *data;

    /* If not NULL, data has an integer type and the label of row i is
     * class_names[data[i]]. */
    const char *const *class_names;
    int64_t num_class_names;
} aoso_labels;

static inline aoso_labels aoso_labels_of(const void *data, int32_t dtype, int64_t count) {
    aoso_labels y = {sizeof(aoso_labels), 0, 0, NULL, NULL, 0};
    y.dtype = dtype;
    y.count = count;
    y.data = data;
    return y;
}

static inline aoso_labels aoso_int32_labels(const int32_t *data, int64_t count) {
    return aoso_labels_of(data, AOSO_INT32, count);
}

static inline aoso_labels aoso_string_labels(const char *const *data, int64_t count) {
    return aoso_labels_of(data, AOSO_STRING, count);
}

/* ------------------------------------------------------------- datasets -- */

/* Quantized features with labels and weights. */
typedef struct aoso_dataset aoso_dataset;

typedef struct aoso_model aoso_model;

typedef struct aoso_dataset_options {
    uint32_t struct_size;
    int32_t max_bins;          /* value bins of a feature, 2 to 255; 0: 255 */
    int64_t sample_rows;       /* rows that bins are fitted to; 0: 200,000; negative: all */
    uint64_t seed;             /* of that sample */
    int32_t num_threads;       /* 0: the cores that the process may use */
    int32_t dense_only;        /* 1: store no sparse feature row by row; slower, same model */
    const double *weights;     /* by row, not negative; NULL: all 1 */
    int64_t num_weights;
    const char *const *feature_names; /* NULL: Arrow's names, else f0, f1, ... */
    int64_t num_feature_names;
    const aoso_model *init; /* a model that training continues; its classes and features become the dataset's */
} aoso_dataset_options;

/* Quantizes features and labels for training. options may be NULL. */
AOSO_API aoso_status aoso_dataset_create(const aoso_matrix *x, const aoso_labels *y, const aoso_dataset_options *options,
                                     aoso_dataset **out);

/* Quantizes a validation set with the bins and classes of a training set.
 * Labels that the training set does not have count as errors. Only the weights
 * of the options are used; options may be NULL. */
AOSO_API aoso_status aoso_dataset_create_aligned(const aoso_dataset *train, const aoso_matrix *x, const aoso_labels *y,
                                             const aoso_dataset_options *options, aoso_dataset **out);

typedef struct aoso_dataset_info {
    uint32_t struct_size;
    int32_t reserved;
    int64_t rows, features, classes;
    int64_t unknown; /* rows of a validation set whose label the training set does not have */
    int64_t bytes;   /* memory in use */
} aoso_dataset_info;

/* Set info->struct_size first. */
AOSO_API aoso_status aoso_dataset_get_info(const aoso_dataset *dataset, aoso_dataset_info *info);

AOSO_API aoso_status aoso_dataset_class_name(const aoso_dataset *dataset, int64_t k, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_dataset_feature_name(const aoso_dataset *dataset, int64_t j, char *buffer, size_t size,
                                           size_t *needed);

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

/* Collects the rows of a dataset in chunks, without knowing their number in
 * advance. The dataset is the same as one made from all rows at once. Until
 * finish, the builder keeps the rows: 4 bytes per value, or 8 if float32 does
 * not hold the value exactly. */
typedef struct aoso_builder aoso_builder;

/* The options' weights must be NULL: pass weights with the chunks. Features are
 * named by the options, or f0, f1, ... */
AOSO_API aoso_status aoso_builder_create(int64_t cols, const aoso_dataset_options *options, aoso_builder **out);

/* Adds rows. weights: one per row, for every chunk or for none (NULL). After an
 * error the builder is unchanged. */
AOSO_API aoso_status aoso_builder_append(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y,
                                   const double *weights, int64_t num_weights);

/* Creates the dataset and empties the builder. The builder must still be
 * freed. */
AOSO_API aoso_status aoso_builder_finish(aoso_builder *builder, aoso_dataset **out);

/* The same for a validation set, as aoso_dataset_create_aligned makes it. */
AOSO_API aoso_status aoso_builder_finish_aligned(aoso_builder *builder, const aoso_dataset *train, aoso_dataset **out);
AOSO_API aoso_status aoso_builder_free(aoso_builder *builder);

/* ----------------------------------------------------------- parameters -- */

/* begin parameters: make params writes them */

enum { /* method */
    AOSO_METHOD_AOSO = 0, /* one tree per iteration, each of whose nodes chooses its own class pairs */
    AOSO_METHOD_ABC = 1, /* ABC-LogitBoost, a tree per iteration for every class except a base class */
    AOSO_METHOD_LOGITBOOST = 2, /* a tree per iteration for every class */
};

enum { /* leaf */
    AOSO_LEAF_DEFAULT = 0, /* full for method aoso, pair for the others */
    AOSO_LEAF_FULL = 1, /* every class */
    AOSO_LEAF_PAIR = 2, /* only the class pairs chosen by the node, as in the paper */
};

enum { /* pair_selection */
    AOSO_SELECT_SECOND_ORDER = 0, /* by gradients and Hessians, as in the paper */
    AOSO_SELECT_FIRST_ORDER = 1, /* by gradients alone */
    AOSO_SELECT_ROOT = 2, /* by gradients and Hessians at the root, for the whole tree */
};

enum { /* base_class */
    AOSO_BASE_WORST = 0, /* the class with the greatest training loss */
    AOSO_BASE_EXHAUSTIVE = 1, /* the best of all classes, each of which is tried */
};

enum { /* metric */
    AOSO_METRIC_LOGLOSS = 0, /* the mean of -log p over the rows */
    AOSO_METRIC_ERROR = 1, /* the fraction of rows whose predicted class is wrong */
};

/* The parameters of training. */
typedef struct aoso_params {
    uint32_t struct_size;

    /* Boosting algorithm.
     * Default: AOSO_METHOD_AOSO. */
    int32_t method;

    /* Classes whose scores a leaf changes. Methods abc and logitboost take pair only.
     * Default: AOSO_LEAF_DEFAULT. */
    int32_t leaf;

    /* Number of class pairs that a node splits on. The paper uses 1. No more are used than half the number of
     * classes, rounded up to one of these. Methods abc and logitboost take 1 only.
     * Allowed: 1, 2, 4 or 8. Default: 0, which means 4 for method aoso, 1 for the others. */
    int32_t pairs;

    /* How a node chooses its class pairs.
     * Default: AOSO_SELECT_SECOND_ORDER. */
    int32_t pair_selection;

    /* How method abc chooses its base class.
     * Default: AOSO_BASE_WORST. */
    int32_t base_class;

    /* Number of iterations for which method abc keeps a base class.
     * Allowed: 1 to 2147483647. Default: 1. */
    int32_t base_gap;

    /* Metric of early stopping.
     * Default: AOSO_METRIC_LOGLOSS. */
    int32_t metric;

    /* Maximum number of trees to grow. When training continues a model, these trees are added to it. There must be
     * enough for one iteration: with K classes, K - 1 for method abc and K for logitboost.
     * Allowed: at least 1. Default: 1000. */
    int64_t trees;

    /* Maximum number of leaves per tree. Trees grow best-first.
     * Allowed: 2 to 65536. Default: 20. */
    int64_t leaves;

    /* Maximum number of splits from the root to a leaf; 0 means no limit.
     * Allowed: at least 0. Default: 0. */
    int64_t max_depth;

    /* Minimum number of training rows in a leaf.
     * Allowed: at least 1. Default: 1. */
    int64_t min_samples;

    /* Training stops after this many iterations without a better metric on the validation set; 0 turns this off.
     * The model is then that of the best iteration. Values above 0 need a validation set.
     * Allowed: at least 0. Default: 0. */
    int64_t early_stopping;

    /* Learning rate, by which every leaf value is multiplied.
     * Allowed: above 0, at most 1. Default: 0.1. */
    double shrinkage;

    /* Minimum sum of Hessians in a leaf, over the class pairs of the node.
     * Allowed: a finite number, at least 0. Default: 0. */
    double min_hessian;

    /* Gain that a split must exceed.
     * Allowed: a finite number, at least 0. Default: 0. */
    double min_gain;

    /* Regularization term, added to the sums of Hessians in gains and leaf values.
     * Allowed: a finite number, at least 0. Default: 0. */
    double l2;

    /* Maximum absolute value of a leaf before shrinkage.
     * Allowed: above 0, at most 20. Default: 5. */
    double max_step;

    /* Fraction of the rows drawn for each tree to choose its splits. Below 1, splits are chosen among at most 64
     * bins per feature. Leaf values come from all rows.
     * Allowed: above 0, at most 1. Default: 1. */
    double subsample;

    /* Fraction of the features drawn for each tree.
     * Allowed: above 0, at most 1. Default: 1. */
    double colsample_bytree;

    /* Fraction of the tree's features drawn for each node.
     * Allowed: above 0, at most 1. Default: 1. */
    double colsample_bynode;

    /* Fraction of the mean residual below which rows are left out; 0 keeps all rows. A tree leaves out rows whose
     * 1 - p of their own class is below this fraction of the mean. The splits of a node leave out rows whose
     * gradients and Hessians are below this fraction of the node's means. The paper uses 0.
     * Allowed: at least 0, below 1. Default: 0.1. */
    double trim;

    /* Training stops when the sum of -log p over the training rows is no greater than this. This is a sum, as in
     * the paper; the training loss that is reported is a mean.
     * Allowed: a finite number, at least 0. Default: 1e-16. */
    double stop_loss;

    /* Seed of all random draws.
     * Allowed: an integer, at least 0. Default: 0. */
    uint64_t seed;

    /* Number of threads; 0 means all cores that the process may use. The model does not depend on it.
     * Allowed: 0 to 4096. Default: 0. */
    int64_t num_threads;

    /* Instruction-set level of the kernels. The model does not depend on it. The CPU must have the level.
     * Default: NULL, which means AOSO_LEVEL if it is set, else the fastest. */
    const char *level;
} aoso_params;
/* end parameters */

/* Sets the defaults:  aoso_params p; aoso_params_init(&p, sizeof p); */
AOSO_API aoso_status aoso_params_init(aoso_params *params, uint32_t struct_size);

/* Changes the parameters named in a text such as
 * "leaves=20 shrinkage=0.1 method=aoso threads=2", separated by spaces, commas
 * or new lines. On an error, params is unchanged. The string that params->level
 * then points to belongs to the library and is never freed. */
AOSO_API aoso_status aoso_params_parse(aoso_params *params, const char *text);

/* Checks the parameters without any data. */
AOSO_API aoso_status aoso_params_check(const aoso_params *params);

/* Suggests parameters that suit data of this size better than the defaults. The
 * text is for aoso_params_parse. It names only the parameters that differ from
 * the defaults; it is "" if the defaults are best. */
AOSO_API aoso_status aoso_suggest_params(int64_t rows, int64_t features, int64_t classes, char *buffer, size_t size,
                                         size_t *needed);

typedef struct aoso_memory {
    uint32_t struct_size;
    int32_t reserved;
    int64_t matrix, sparse, residuals, rows, histograms, quantizing;
    int64_t total;         /* most bytes that dataset and training need besides the input */
    int64_t trees;         /* part of total: the model, if every tree has all its leaves */
    int64_t runtime;       /* part of total: Go's garbage collector */
} aoso_memory;

/* Computes an upper bound on the memory of a training, without any data. */
AOSO_API aoso_status aoso_estimate_memory(int64_t rows, int64_t features, int64_t classes, int64_t valid_rows,
                                      int32_t max_bins, const aoso_params *params, aoso_memory *out);

/* ------------------------------------------------------------- training -- */

enum { /* stop reasons */
    AOSO_RUNNING = 0,
    AOSO_STOPPED_BY_STOP_LOSS = 1,
    AOSO_STOPPED_BY_TREES = 2,
    AOSO_STOPPED_BY_EARLY_STOPPING = 3,
    AOSO_STOPPED_BY_INTERRUPT = 4,
    AOSO_STOPPED_BY_NO_SPLIT = 5
};

typedef struct aoso_evaluation {
    int64_t errors;    /* rows whose predicted class is not their label */
    double error_rate; /* share of the weight that these rows have */
    double log_loss;   /* weighted mean of -log p over rows with known labels */
} aoso_evaluation;

/* The state of training after an iteration. */
typedef struct aoso_progress {
    uint32_t struct_size;
    int32_t evaluated;  /* 1: train_loss (and valid) are set */
    int64_t iteration;  /* from 1 */
    int64_t trees;      /* in the model */
    int64_t best;       /* with early stopping, the iteration of the best evaluation; 0: none */
    double seconds;
    double train_loss;  /* mean log loss of the training rows, weighted */
    int32_t has_valid;  /* 1: there is a validation set */
    int32_t stopped_by; /* AOSO_RUNNING, or the stop reason if this is the last iteration */
    aoso_evaluation valid;
} aoso_progress;

/* Called after each iteration. Anything but 0 stops the training; the model
 * keeps the iterations so far. */
typedef int32_t (*aoso_progress_callback)(const aoso_progress *progress, void *user);

typedef struct aoso_train_options {
    uint32_t struct_size;
    int32_t eval_every;        /* iterations between evaluations; 0: 1 */
    const aoso_dataset *valid; /* from aoso_dataset_create_aligned; NULL: none */
    aoso_progress_callback callback;
    void *user;
} aoso_train_options;

/* The outcome of a training. */
typedef struct aoso_result {
    uint32_t struct_size;
    int32_t stopped_by;
    int64_t iterations;
    int64_t best_iteration; /* the iteration that the model ends with: the best after early stopping, else the last */
    int64_t threads;
    double train_loss; /* mean log loss of the training rows after the last iteration, weighted */
    double seconds;
    int32_t has_valid;
    int32_t reserved;
    aoso_evaluation valid; /* of the model */
} aoso_result;

/* Trains a model in one call. params, options and result may be NULL. */
AOSO_API aoso_status aoso_train(const aoso_dataset *train, const aoso_params *params, const aoso_train_options *options,
                            aoso_model **out, aoso_result *result);

/* A training that advances step by step. It keeps its datasets: you may free
 * their handles. */
typedef struct aoso_trainer aoso_trainer;

AOSO_API aoso_status aoso_trainer_create(const aoso_dataset *train, const aoso_params *params,
                                     const aoso_train_options *options, aoso_trainer **out);

/* Trains one iteration, then calls the callback of the options. progress may be
 * NULL. Its stopped_by says whether training has ended; further steps then do
 * nothing. An interrupted step has no effect, and training can be resumed:
 * progress has the numbers of the previous iteration. */
AOSO_API aoso_status aoso_trainer_step(aoso_trainer *trainer, aoso_progress *progress);

/* Steps until training ends or is interrupted. result may be NULL. */
AOSO_API aoso_status aoso_trainer_run(aoso_trainer *trainer, aoso_result *result);

/* Makes a step or run in progress return within an iteration, or the next one
 * at once. Can be called from any thread. Training can be resumed. */
AOSO_API aoso_status aoso_trainer_interrupt(aoso_trainer *trainer);

/* Returns the model so far. Later steps do not change it. */
AOSO_API aoso_status aoso_trainer_model(aoso_trainer *trainer, aoso_model **out, aoso_result *result);
AOSO_API aoso_status aoso_trainer_free(aoso_trainer *trainer);

/* --------------------------------------------------------------- models -- */

typedef struct aoso_model_info {
    uint32_t struct_size;
    int32_t reserved;
    int64_t classes, features, trees;
    int64_t trees_per_iteration; /* 1 for aoso, K - 1 for abc, K for logitboost */
    double temperature; /* raw scores are divided by it before they become probabilities; 1 unless calibrated */
} aoso_model_info;

AOSO_API aoso_status aoso_model_get_info(const aoso_model *model, aoso_model_info *info);
AOSO_API aoso_status aoso_model_class_name(const aoso_model *model, int64_t k, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_model_feature_name(const aoso_model *model, int64_t j, char *buffer, size_t size, size_t *needed);

/* JSON: method, trees, trees_per_iteration, classes, features, and params, a
 * text for aoso_params_parse. */
AOSO_API aoso_status aoso_model_describe(const aoso_model *model, char *buffer, size_t size, size_t *needed);

/* An existing file is replaced completely, or left unchanged on an error. */
AOSO_API aoso_status aoso_model_save(const aoso_model *model, const char *path);
AOSO_API aoso_status aoso_model_load(const char *path, aoso_model **out);

/* The same to and from memory. */
AOSO_API aoso_status aoso_model_encode(const aoso_model *model, void *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_model_decode(const void *bytes, size_t size, aoso_model **out);

/* 32 hexadecimal digits. Equal models have equal fingerprints, on every machine
 * and with any number of threads. */
AOSO_API aoso_status aoso_model_fingerprint(const aoso_model *model, char *buffer, size_t size, size_t *needed);

/* The first trees as text, one line per node. trees 0: all. */
AOSO_API aoso_status aoso_model_dump(const aoso_model *model, int64_t trees, char *buffer, size_t size, size_t *needed);

/* A tree, counted from 0, as JSON, as in the list "trees" of the format "json". */
AOSO_API aoso_status aoso_model_tree(const aoso_model *model, int64_t tree, char *buffer, size_t size, size_t *needed);

/* JSON: a list of the export formats. Each has a name, such as "onnx",
 * "lightgbm", "json", "dot" or "text"; help, one line; one_tree, true if it shows
 * one tree only; and binary, true if it is not text. */
AOSO_API aoso_status aoso_export_formats(char *buffer, size_t size, size_t *needed);

/* Called with one part after the other. Anything but 0 ends the export, which
 * then returns AOSO_IO. */
typedef int32_t (*aoso_write_callback)(const void *bytes, size_t size, void *user);

/* Writes the model in the export format of that name. tree, counted from 0, is
 * the tree that a format of one tree shows; for other formats it must be 0. */
AOSO_API aoso_status aoso_model_export(const aoso_model *model, const char *format, int64_t tree,
                                       aoso_write_callback write, void *user);

/* The same to a file. An existing file is replaced completely, or left
 * unchanged on an error. */
AOSO_API aoso_status aoso_model_export_file(const aoso_model *model, const char *format, int64_t tree,
                                            const char *path);

enum { /* gain of the splits, number of splits, or rows that the splits divided */
    AOSO_IMPORTANCE_GAIN = 0,
    AOSO_IMPORTANCE_SPLIT = 1,
    AOSO_IMPORTANCE_COVER = 2
};

/* How much each feature contributes; length must be the number of features. */
AOSO_API aoso_status aoso_model_importance(const aoso_model *model, int32_t kind, double *out, int64_t length);

/* How much a feature contributes to telling two classes apart. */
typedef struct aoso_pair_importance {
    int64_t feature;
    int32_t classes[2]; /* the lower first; the second is -1 if a class was split from all others */
    double gain;
    int64_t splits;
} aoso_pair_importance;

/* Returns all entries, the largest gain first. NULL and 0 ask for their number
 * in *needed alone. */
AOSO_API aoso_status aoso_model_pair_importance(const aoso_model *model, aoso_pair_importance *out, int64_t length,
                                                int64_t *needed);

/* The model of the first trees, 1 to all. */
AOSO_API aoso_status aoso_model_truncate(const aoso_model *model, int64_t trees, aoso_model **out);

/* Combines the trees of several models with the same classes and features. The
 * raw scores of the new model are the sums of theirs. */
AOSO_API aoso_status aoso_model_merge(const aoso_model *const *models, int64_t count, aoso_model **out);

typedef struct aoso_refit_options {
    uint32_t struct_size;
    int32_t num_threads;   /* 0: the cores that the process may use */
    const double *weights; /* by row, not negative; NULL: all 1 */
    int64_t num_weights;
    double keep; /* share of its old values that a leaf keeps, 0 to 1 */
} aoso_refit_options;

/* Returns a model with the same splits and leaf values from other data. A leaf
 * that no row reaches keeps its values. options may be NULL. */
AOSO_API aoso_status aoso_model_refit(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                      const aoso_refit_options *options, aoso_model **out);

AOSO_API aoso_status aoso_model_free(aoso_model *model);

/* ----------------------------------------------------------- prediction -- */

typedef struct aoso_predict_options {
    uint32_t struct_size;
    int32_t num_threads; /* 0: the cores that the process may use */
    int64_t trees;       /* use the first trees only; 0: all */
} aoso_predict_options;

/* The number of the likeliest class of each row; length must be the number of
 * rows. options may be NULL, here and below. */
AOSO_API aoso_status aoso_model_predict(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                    int32_t *out, int64_t length);

/* Class probabilities, rows × classes; length must be their product. */
AOSO_API aoso_status aoso_model_predict_proba(const aoso_model *model, const aoso_matrix *x,
                                          const aoso_predict_options *options, double *out, int64_t length);

/* Raw scores, rows × classes: probabilities are their softmax. */
AOSO_API aoso_status aoso_model_predict_raw(const aoso_model *model, const aoso_matrix *x,
                                        const aoso_predict_options *options, double *out, int64_t length);

/* The leaf that each row reaches in each tree, rows × trees. Leaves are numbered
 * within their tree from left to right. */
AOSO_API aoso_status aoso_model_predict_leaf(const aoso_model *model, const aoso_matrix *x,
                                         const aoso_predict_options *options, int32_t *out, int64_t length);

/* Called with the number of trees so far and their raw scores, rows × classes.
 * The scores belong to the library and are valid until the callback returns.
 * Anything but 0 ends the prediction, without an error. */
typedef int32_t (*aoso_staged_callback)(int64_t trees, const double *raw, int64_t length, void *user);

/* Raw scores after every `every` iterations of boosting, and at the end. */
AOSO_API aoso_status aoso_model_predict_staged(const aoso_model *model, const aoso_matrix *x,
                                               const aoso_predict_options *options, int64_t every,
                                               aoso_staged_callback callback, void *user);

/* Replaces raw scores, rows × classes, such as those of a stage, by the
 * probabilities that aoso_model_predict_proba returns for the same rows. The
 * scores must be finite. */
AOSO_API aoso_status aoso_model_raw_to_proba(const aoso_model *model, double *raw, int64_t length);

/* Compares predictions with labels. weights: one per row, or NULL: all 1. Labels
 * that the model does not know count as errors and not for the log loss. */
AOSO_API aoso_status aoso_model_evaluate(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                         const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                         aoso_evaluation *out);

/* The same for rows whose raw scores are known. length is rows × classes. The
 * scores must be finite. */
AOSO_API aoso_status aoso_model_evaluate_raw(const aoso_model *model, const double *raw, int64_t length, const aoso_labels *y,
                                             const double *weights, int64_t num_weights, aoso_evaluation *out);

typedef struct aoso_calibration {
    uint32_t struct_size;
    int32_t reserved;
    double temperature;
    double before, after; /* mean log loss on the rows that it was fitted to */
} aoso_calibration;

/* Returns the model with the temperature that minimizes the log loss of the
 * given rows. Use rows that the model was not trained on. Raw scores and
 * predicted classes do not change. calibration may be NULL; otherwise set its
 * struct_size first. */
AOSO_API aoso_status aoso_model_calibrate(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                          const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                          aoso_model **out, aoso_calibration *calibration);

/* ---------------------------------------------------------- explanation -- */

/* SHAP values, rows × classes × (features + 1): what knowing each feature adds
 * to the raw score of each class (exact path-dependent TreeSHAP). The last value
 * of a class is the bias. The values of a class sum to its raw score. length
 * must be the product. */
AOSO_API aoso_status aoso_model_shap(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                     double *out, int64_t length);

/* The same values as a sparse matrix in compressed rows, without zeros. The
 * first per_row lines belong to row 0, the next to row 1, and so on. */
typedef struct aoso_contributions aoso_contributions;

/* top: how many of the likeliest classes of each row to explain, the likeliest
 * first; 0: all classes, in the order of their numbers. */
AOSO_API aoso_status aoso_model_shap_sparse(const aoso_model *model, const aoso_matrix *x,
                                            const aoso_predict_options *options, int64_t top, aoso_contributions **out);

typedef struct aoso_contributions_info {
    uint32_t struct_size;
    int32_t reserved;
    int64_t lines, per_row;
    int64_t values; /* stored */
} aoso_contributions_info;

AOSO_API aoso_status aoso_contributions_get_info(const aoso_contributions *contributions, aoso_contributions_info *info);

/* Copies the matrix: the class of each line; lines + 1 offsets; the column of
 * each value, ascending within a line, the bias last; and the values. Any of
 * them may be NULL. lines and num_values must equal those of
 * aoso_contributions_get_info. */
AOSO_API aoso_status aoso_contributions_read(const aoso_contributions *contributions, int32_t *classes, int64_t *indptr,
                                             int64_t lines, int32_t *columns, double *values, int64_t num_values);
AOSO_API aoso_status aoso_contributions_free(aoso_contributions *contributions);

/* ----------------------------------------------------------- single rows -- */

/* Predicts rows one by one, without allocating memory. Only one thread at a time
 * may use a predictor: create one per thread. It keeps its model. */
typedef struct aoso_predictor aoso_predictor;

AOSO_API aoso_status aoso_predictor_create(const aoso_model *model, const aoso_predict_options *options,
                                       aoso_predictor **out);

/* row: one value per feature, NaN if missing. The call ends as soon as no other
 * class can catch up. */
AOSO_API aoso_status aoso_predictor_class(aoso_predictor *predictor, const double *row, int64_t features, int32_t *out);
AOSO_API aoso_status aoso_predictor_proba(aoso_predictor *predictor, const double *row, int64_t features, double *out,
                                      int64_t classes);
AOSO_API aoso_status aoso_predictor_raw(aoso_predictor *predictor, const double *row, int64_t features, double *out,
                                    int64_t classes);

/* The raw scores of some classes only, in the order of classes. count may not
 * exceed the number of classes of the model. */
AOSO_API aoso_status aoso_predictor_raw_of(aoso_predictor *predictor, const double *row, int64_t features,
                                       const int32_t *classes, int64_t count, double *out);

/* The share of the trees that the calls of aoso_predictor_class needed. */
AOSO_API aoso_status aoso_predictor_walked(aoso_predictor *predictor, double *out);
AOSO_API aoso_status aoso_predictor_free(aoso_predictor *predictor);

#ifdef __cplusplus
}
#endif

#endif
