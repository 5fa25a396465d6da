/* Models: files, exports, importance, and models made from models. aoso.h includes this file. */
#ifndef AOSO_MODEL_H
#define AOSO_MODEL_H

#include "input.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How well a model predicts labelled rows. */
typedef struct aoso_evaluation {
    int64_t errors;    /* rows whose predicted class is not their label */
    double error_rate; /* share of the weight that these rows have */
    double log_loss;   /* weighted mean of -log p over rows with known labels */
} aoso_evaluation;

/* The size of a model, and what its probabilities depend on. */
typedef struct aoso_model_info {
    uint32_t struct_size;
    int32_t named; /* 1: the features were given names; 0: these are generated, f0, f1, ..., and data are matched by position */
    int64_t classes, features, trees; /* their numbers */
    int64_t trees_per_iteration; /* 1 for aoso, K - 1 for abc, K for logitboost */
    double temperature; /* raw scores are divided by it before they become probabilities; 1 unless calibrated */
    int64_t conformal_rows; /* rows whose scores the model keeps for aoso_model_predict_set; 0: none */
} aoso_model_info;

/* Set info->struct_size first. */
AOSO_API aoso_status aoso_model_get_info(const aoso_model *model, aoso_model_info *info);

/* The name of class k, or of feature j, both counted from 0. */
AOSO_API aoso_status aoso_model_class_name(const aoso_model *model, int64_t k, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_model_feature_name(const aoso_model *model, int64_t j, char *buffer, size_t size, size_t *needed);

/* The categories of feature j in order, each with a final 0. *count is their
 * number, or -1 if the feature is numeric. */
AOSO_API aoso_status aoso_model_categories(const aoso_model *model, int64_t j, char *buffer, size_t size, size_t *needed,
                                       int64_t *count);

/* *out becomes the position of a category of feature j, which stands for it in
 * the rows of an aoso_predictor. A category that the model does not know has the
 * position after the last one; for a numeric feature, it is -1. */
AOSO_API aoso_status aoso_model_find_category(const aoso_model *model, int64_t j, const char *name, int64_t *out);

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

/* A note of the type that the labels had in the program that trained the model,
 * such as "int8"; "" if there is none. It is part of the file and of derived
 * models, and changes neither predictions nor the fingerprint.
 * aoso_model_with_label_type makes the same model with another note, of at most
 * 64 bytes. */
AOSO_API aoso_status aoso_model_label_type(const aoso_model *model, char *buffer, size_t size, size_t *needed);
AOSO_API aoso_status aoso_model_with_label_type(const aoso_model *model, const char *label_type, aoso_model **out);

/* The first trees as text, one line per node. trees 0: all. For a model with
 * linear scores, the first line names their features. */
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

/* What to export, and where to. */
typedef struct aoso_export_options {
    uint32_t struct_size;
    int32_t force;    /* 1: write a file of more than 100 MB where trees stand for linear scores; 0: an error */
    int64_t tree;     /* of a format of one tree */
    const char *path; /* the file to write; NULL: write receives the bytes */
} aoso_export_options;

/* The same with options, which may be NULL. With a path, write and user are not
 * used. */
AOSO_API aoso_status aoso_model_export_with(const aoso_model *model, const char *format, const aoso_export_options *options,
                                            aoso_write_callback write, void *user);

enum { /* kinds of importance */
    AOSO_IMPORTANCE_GAIN = 0,  /* the gain of the splits on the feature */
    AOSO_IMPORTANCE_SPLIT = 1, /* their number */
    AOSO_IMPORTANCE_COVER = 2  /* the rows that they divided */
};

/* By class, the number of the first tree that gives the class scores; -1: none does. length must be the number of classes. A class
 * that came when training was continued begins in a tree of one leaf. */
AOSO_API aoso_status aoso_model_first_trees(const aoso_model *model, int32_t *out, int64_t length);

/* How much each feature contributes; length must be the number of features.
 * Linear scores take no part in it. */
AOSO_API aoso_status aoso_model_importance(const aoso_model *model, int32_t kind, double *out, int64_t length);

/* How much a feature contributes to telling two classes apart. */
typedef struct aoso_pair_importance {
    int64_t feature;    /* counted from 0 */
    int32_t classes[2]; /* the lower first; the second is -1 if a class was split from all others */
    double gain;        /* of its splits on the pair */
    int64_t splits;     /* their number */
} aoso_pair_importance;

/* Returns all entries, the largest gain first. Linear scores take no part. NULL and 0 ask for their number
 * in *needed alone. */
AOSO_API aoso_status aoso_model_pair_importance(const aoso_model *model, aoso_pair_importance *out, int64_t length,
                                                int64_t *needed);

/* The model of the first trees, 1 to all. */
AOSO_API aoso_status aoso_model_truncate(const aoso_model *model, int64_t trees, aoso_model **out);

/* Combines the trees of several models with the same classes and features. The
 * raw scores of the new model are the sums of theirs. */
AOSO_API aoso_status aoso_model_merge(const aoso_model *const *models, int64_t count, aoso_model **out);

/* How to compute leaf values from other data. */
typedef struct aoso_refit_options {
    uint32_t struct_size;
    int32_t nthread;       /* 0: the cores that the process may use */
    const double *weights; /* by row, not negative; NULL: all 1 */
    int64_t num_weights;   /* the number of rows */
    double keep; /* share of its old values that a leaf keeps, 0 to 1 */
} aoso_refit_options;

/* Returns a model with the same splits and leaf values from other data. A leaf
 * that no row reaches keeps its values. options may be NULL. */
AOSO_API aoso_status aoso_model_refit(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                      const aoso_refit_options *options, aoso_model **out);

/* Frees the handle. Trainers and predictors keep the models that they use. */
AOSO_API aoso_status aoso_model_free(aoso_model *model);

#ifdef __cplusplus
}
#endif

#endif
