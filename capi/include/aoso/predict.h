/* Prediction, evaluation, calibration and explanation. aoso.h includes this file. */
#ifndef AOSO_PREDICT_H
#define AOSO_PREDICT_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------- prediction -- */

/* How to predict. */
typedef struct aoso_predict_options {
    uint32_t struct_size;
    int32_t nthread;     /* 0: the cores that the process may use */
    int64_t trees;       /* use the first trees only; 0: all */
} aoso_predict_options;

/* The number of the most likely class of each row; length must be the number of
 * rows. options may be NULL, here and below. */
AOSO_API aoso_status aoso_model_predict(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                    int32_t *out, int64_t length);

/* Class probabilities, rows × classes; length must be their product. */
AOSO_API aoso_status aoso_model_predict_proba(const aoso_model *model, const aoso_matrix *x,
                                          const aoso_predict_options *options, double *out, int64_t length);

/* Raw scores, rows × classes: probabilities are the softmax of the raw scores divided
 * by the temperature of the model. */
AOSO_API aoso_status aoso_model_predict_raw(const aoso_model *model, const aoso_matrix *x,
                                        const aoso_predict_options *options, double *out, int64_t length);

/* The numbers of the `top` most likely classes of each row, the most likely first, and
 * their probabilities, both rows × top; length must be that product. Of classes
 * that tie, the lower comes first. proba may be NULL. With sparse leaves and no
 * linear scores this takes time by the classes that a row's leaves move, not by all
 * classes, and probabilities can differ from those of aoso_model_predict_proba by
 * rounding. */
AOSO_API aoso_status aoso_model_predict_top(const aoso_model *model, const aoso_matrix *x,
                                        const aoso_predict_options *options, int64_t top, int32_t *classes,
                                        double *proba, int64_t length);

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

/* Two classes that a model takes for one another. */
typedef struct aoso_confusion {
    int32_t classes[2];  /* the lower first */
    int64_t mistaken[2]; /* rows of the first that are predicted to be of the second, and the reverse */
    int64_t rows[2];     /* rows of each class in all */
} aoso_confusion;

/* Returns the pairs of classes that the model confuses most often, those with most
 * rows first: at most length. *count becomes their number. Rows of labels that the
 * model does not know do not count. */
AOSO_API aoso_status aoso_model_confusions(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                           const aoso_predict_options *options, aoso_confusion *out, int64_t length,
                                           int64_t *count);

/* Compares predictions with labels. weights: one per row, or NULL: all 1. Labels
 * that the model does not know count as errors and not for the log loss; if it knows none, the call fails. */
AOSO_API aoso_status aoso_model_evaluate(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                         const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                         aoso_evaluation *out);

/* The same for rows whose raw scores are known. length is rows × classes. The
 * scores must be finite. */
AOSO_API aoso_status aoso_model_evaluate_raw(const aoso_model *model, const double *raw, int64_t length, const aoso_labels *y,
                                             const double *weights, int64_t num_weights, aoso_evaluation *out);

/* One metric of such rows, by name. NaN: it is not defined, such as the AUC of a single
 * class. Rows of labels that the model does not know do not count for logloss, brier
 * and the AUC; elsewhere they are of one more class, which is never predicted. */
AOSO_API aoso_status aoso_model_measure_raw(const aoso_model *model, const double *raw, int64_t length, const aoso_labels *y,
                                            const double *weights, int64_t num_weights, const char *metric, double *out);

/* The metrics as JSON: [{"name": "logloss", "higher_is_better": false}, ...]. error@3 is a
 * top_k_error of 3 classes, and so on. */
AOSO_API aoso_status aoso_metrics(char *buffer, size_t size, size_t *needed);

/* The outcome of a calibration. */
typedef struct aoso_calibration {
    uint32_t struct_size;
    int32_t reserved;
    double temperature;   /* raw scores are divided by it before they become probabilities */
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

/* top: how many of the most likely classes of each row to explain, the most likely
 * first; 0: all classes, in the order of their numbers. */
AOSO_API aoso_status aoso_model_shap_sparse(const aoso_model *model, const aoso_matrix *x,
                                            const aoso_predict_options *options, int64_t top, aoso_contributions **out);

/* The size of SHAP values. */
typedef struct aoso_contributions_info {
    uint32_t struct_size;
    int32_t reserved;
    int64_t lines, per_row; /* all lines, and those of a row */
    int64_t values; /* stored */
} aoso_contributions_info;

/* Set info->struct_size first. */
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

/* options may be NULL. */
AOSO_API aoso_status aoso_predictor_create(const aoso_model *model, const aoso_predict_options *options,
                                       aoso_predictor **out);

/* row: one value per feature, NaN if missing; of a categorical feature, the
 * position of the category: see aoso_model_find_category. The call ends as soon
 * as no other class can catch up. */
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
