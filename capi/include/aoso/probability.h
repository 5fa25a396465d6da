/* Prediction sets, decisions under costs, and the reliability of probabilities. aoso.h includes this file. */
#ifndef AOSO_PROBABILITY_H
#define AOSO_PROBABILITY_H

#include "predict.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* how a prediction set measures how badly a class fits a row */
    AOSO_SET_LAC = 0, /* 1 - its probability: the smallest sets on average */
    AOSO_SET_APS = 1, /* the probability of all likelier classes and a part of its own: larger sets for rows that are hard */
    AOSO_SET_RAPS = 2 /* the same with a penalty for each class beyond the most likely ones */
};

/* How to choose the classes of prediction sets. */
typedef struct aoso_set_options {
    uint32_t struct_size;
    int32_t method;            /* AOSO_SET_LAC, _APS or _RAPS */
    double alpha;              /* the probability that a set misses the class of its row: above 0 and below 1 */
    int32_t class_conditional; /* 1: sets miss the rows of each class with probability alpha */
    int32_t non_empty;         /* 1: sets that would be empty have the most likely class */
} aoso_set_options;

/* A set of classes for each row that misses the row's class with probability
 * alpha: rows × classes, 1 for the classes in the set. length must be the product.
 * The model must have the scores of rows that it was not trained on: from training
 * with held-out rows or with a validation set, from aoso_model_conformalize or from
 * aoso_model_calibrate. options->trees must be 0. */
AOSO_API aoso_status aoso_model_predict_set(const aoso_model *model, const aoso_matrix *x, const aoso_set_options *sets,
                                            const aoso_predict_options *options, uint8_t *out, int64_t length);

/* Returns the model with the scores of the given rows for prediction sets. If the
 * model has not seen these rows, sets miss the class of a further row that is drawn
 * like them with a probability of at most alpha. */
AOSO_API aoso_status aoso_model_conformalize(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                             const double *weights, int64_t num_weights,
                                             const aoso_predict_options *options, aoso_model **out);

/* For each row, the number of the decision whose expected cost is least, and that
 * cost. costs has a row for each class and a column for each decision; num_costs is
 * their product. length must be the number of rows. expected may be NULL. A column of
 * equal costs is not to decide: to ask an expert, say. */
AOSO_API aoso_status aoso_model_decide(const aoso_model *model, const aoso_matrix *x, const double *costs, int64_t num_costs,
                                       const aoso_predict_options *options, int32_t *decisions, double *expected,
                                       int64_t length);

/* Rows whose most likely class has about the same probability. */
typedef struct aoso_reliability_bin {
    int64_t rows;      /* how many there are */
    double share;      /* of the weight of all rows */
    double confidence; /* weighted mean probability of the most likely class */
    double accuracy;   /* share of the weight that the rows of this class have */
} aoso_reliability_bin;

#define AOSO_RELIABILITY_BINS 15 /* at most */

/* How well probabilities fit labels. */
typedef struct aoso_reliability {
    uint32_t struct_size;
    int32_t num_bins; /* how many of bins are set */
    double brier; /* weighted mean of the squared errors, summed over the classes, on rows with known labels: 0 to 2 */
    double ece;   /* expected calibration error: mean of |confidence - accuracy|, weighted by share */
    aoso_reliability_bin bins[AOSO_RELIABILITY_BINS]; /* of equal weight, in the order of confidence */
} aoso_reliability;

/* Compares probabilities with labels. Set the struct_size of out first. */
AOSO_API aoso_status aoso_model_reliability(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                            const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                            aoso_reliability *out);

#ifdef __cplusplus
}
#endif

#endif
