/* The parameters of training, and the memory that it needs. aoso.h includes this file. */
#ifndef AOSO_PARAMS_H
#define AOSO_PARAMS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* begin parameters: make params writes them */

enum { /* method. Boosting algorithm. */
    AOSO_METHOD_AOSO = 0, /* one tree per iteration, each of whose nodes chooses its own class pairs */
    AOSO_METHOD_ABC = 1, /* ABC-LogitBoost, a tree per iteration for every class except a base class */
    AOSO_METHOD_LOGITBOOST = 2, /* a tree per iteration for every class */
};

enum { /* leaf. Classes whose scores a leaf changes. */
    AOSO_LEAF_DEFAULT = 0, /* full, from 5000 classes on sparse; pair for abc and logitboost */
    AOSO_LEAF_FULL = 1, /* every class */
    AOSO_LEAF_PAIR = 2, /* only the class pairs chosen by the node, as in the paper */
    AOSO_LEAF_SPARSE = 3, /* its best `leaf_classes`, relative to all others; for many classes */
};

enum { /* pair_selection. How a node chooses its class pairs. */
    AOSO_SELECT_SECOND_ORDER = 0, /* by gradients and Hessians, as in the paper */
    AOSO_SELECT_FIRST_ORDER = 1, /* by gradients alone */
    AOSO_SELECT_ROOT = 2, /* by gradients and Hessians at the root, for the whole tree */
};

enum { /* base_class. How method abc chooses its base class. */
    AOSO_BASE_WORST = 0, /* the class with the greatest training loss */
    AOSO_BASE_EXHAUSTIVE = 1, /* the best of all classes, each of which is tried */
};

enum { /* metric. Metric of early stopping. */
    AOSO_METRIC_LOGLOSS = 0, /* the mean of -log p over the rows */
    AOSO_METRIC_ERROR = 1, /* the fraction of rows whose predicted class is wrong */
    AOSO_METRIC_TOP_K_ERROR = 2, /* the fraction of rows whose class is not among the top_k classes of greatest probability */
    AOSO_METRIC_AUC_OVR = 3, /* the mean area under the ROC curve of a class against the rest */
    AOSO_METRIC_AUC_OVR_WEIGHTED = 4, /* the same, classes counting by their weight */
    AOSO_METRIC_AUC_OVO = 5, /* the mean area under the ROC curve of pairs of classes */
    AOSO_METRIC_AUC_OVO_WEIGHTED = 6, /* the same, pairs counting by their weight */
    AOSO_METRIC_BALANCED_ERROR = 7, /* 1 less the mean recall of the classes */
    AOSO_METRIC_F1_MACRO = 8, /* the mean F1 score of the classes */
    AOSO_METRIC_KAPPA = 9, /* Cohen's kappa */
    AOSO_METRIC_BRIER = 10, /* the mean squared error of the probabilities, summed over the classes */
    AOSO_METRIC_ECE = 11, /* the expected calibration error of the likeliest class */
    AOSO_METRIC_CUSTOM = 12, /* a metric that the program computes in each iteration */
};

enum { /* preset. How parameters are chosen that have no value. */
    AOSO_PRESET_AUTO = 0, /* by the size of the data, and by held-out rows where these are in doubt */
    AOSO_PRESET_FAST = 1, /* as auto, in about half of the time */
    AOSO_PRESET_PAPER = 2, /* as in the paper, whatever the data: 1000 trees of 20 leaves, shrinkage 0.1, no calibration */
};

enum { /* calibration. Where the temperature comes from that makes probabilities out of raw scores. */
    AOSO_CALIBRATION_AUTO = 0, /* from the validation set if there is one, else holdout, or folds for fewer than 2000 rows */
    AOSO_CALIBRATION_NONE = 1, /* there is no temperature */
    AOSO_CALIBRATION_HOLDOUT = 2, /* from a training without a fifth of the rows, at most 50,000 of them, which comes first */
    AOSO_CALIBRATION_FOLDS = 3, /* from five trainings, each without another fifth of the rows, which come first */
};

enum { /* start. Scores that rows have before the first tree. */
    AOSO_START_DEFAULT = 0, /* zero; with more than 100 classes, the one that suits the held-out rows best */
    AOSO_START_ZERO = 1, /* the same for all classes */
    AOSO_START_LINEAR = 2, /* those of a linear discriminant analysis of the numeric features */
};

/* The parameters of training. A default outside the values allowed, such as 0
 * trees, makes training choose a value for the data, as preset says. train.h
 * explains how training holds rows out for that. */
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

    /* Metric of early stopping. Of the AUC, F1 score and kappa, higher is better.
     * Default: AOSO_METRIC_LOGLOSS. */
    int32_t metric;

    /* Maximum number of trees to grow. When training continues a model, these trees are added to it. There must be
     * enough for one iteration: with K classes, K - 1 for method abc and K for logitboost.
     * Allowed: at least 1. Default: 0, which means the number that suits the held-out rows best, at most 1000. */
    int64_t trees;

    /* Maximum number of leaves per tree. Trees grow best-first.
     * Allowed: 2 to 65536. Default: 0, which means 16 to 256, more for more rows. */
    int64_t leaves;

    /* Maximum number of splits from the root to a leaf; 0 means no limit.
     * Allowed: at least 0. Default: 0. */
    int64_t max_depth;

    /* Minimum number of training rows in a leaf.
     * Allowed: at least 1. Default: 0, which means 1, or 10 for noisy data. */
    int64_t min_samples;

    /* Training stops after this many iterations without a better metric on the validation set; 0 turns this off.
     * The model is then that of the best iteration. Values above 0 need a validation set.
     * Allowed: at least 0. Default: 0. */
    int64_t early_stopping;

    /* Learning rate, by which every leaf value is multiplied.
     * Allowed: above 0, at most 1. Default: 0, which means 0.1 to 0.3. */
    double shrinkage;

    /* Minimum sum of Hessians in a leaf, over the class pairs of the node.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double min_hessian;

    /* Gain that a split must exceed.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double min_gain;

    /* Regularization term, added to the sums of Hessians in gains and leaf values.
     * Allowed: at least 0, at most 3.4e+38. Default: -1, which means 0, or more for noisy data. */
    double l2;

    /* Maximum absolute value of a leaf before shrinkage.
     * Allowed: above 0, at most 20. Default: 0, which means 5, or 3 from 100,000 rows. */
    double max_step;

    /* Fraction of the rows drawn for each tree to choose its splits. The rows drawn depend on the row ids, not on
     * the order of the rows. Below 1, splits are chosen among at most 64 bins per feature. Leaf values come from
     * all rows.
     * Allowed: above 0, at most 1. Default: 0, which means 1, or less from 100,000 rows. */
    double subsample;

    /* Fraction of the features drawn for each tree.
     * Allowed: above 0, at most 1. Default: 1. */
    double colsample_bytree;

    /* Fraction of the tree's features drawn for each node.
     * Allowed: above 0, at most 1. Default: 0, which means 0.3 to 1, less for more features. */
    double colsample_bynode;

    /* Fraction of the mean residual below which rows are left out; 0 keeps all rows. A tree leaves out rows whose
     * 1 - p of their own class is below this fraction of the mean. The splits of a node leave out rows whose
     * gradients and Hessians are below this fraction of the node's means. The paper uses 0.
     * Allowed: at least 0, below 1. Default: 0.1. */
    double trim;

    /* Training stops when the sum of -log p over the training rows is no greater than this. This is a sum, as in
     * the paper; the training loss that is reported is a mean.
     * Allowed: at least 0, at most 3.4e+38. Default: 1e-16. */
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

    /* How parameters are chosen that have no value.
     * Default: AOSO_PRESET_AUTO. */
    int32_t preset;

    /* Where the temperature comes from that makes probabilities out of raw scores. Fewer than 50 rows, or a single
     * class, are not calibrated; a model that is continued keeps its temperature.
     * Default: AOSO_CALIBRATION_AUTO. */
    int32_t calibration;

    /* Seconds after which training ends; 0 means no limit. Choosing parameters takes two fifths of it at most.
     * Every phase has at least one iteration. The model depends on the speed of the machine.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double time_limit;

    /* Hessian added to that of each category before categories are ordered: more of it puts rare ones in the
     * middle.
     * Allowed: at least 0, at most 3.4e+38. Default: 10. */
    double category_smoothing;

    /* Hessian added to that of both sides of a split on categories, which makes such splits rarer.
     * Allowed: at least 0, at most 3.4e+38. Default: 10. */
    double category_l2;

    /* Number of classes that metric top_k_error looks at.
     * Allowed: at least 1. Default: 5. */
    int64_t top_k;

    /* Early stopping counts a metric as better only if it has improved by more than this.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double min_delta;

    /* How raw scores may change as a feature rises: 1, they never fall; -1, they never rise; 0, they do as they
     * like. A list with a sign for each feature, such as [1,0,-1], or a dict such as {"age":1,"weight":-1}. A sign
     * is that of the second of two classes. With more classes, a feature has a list with a sign for each class, or
     * a dict such as {"age":{"high":1,"low":-1}}. Missing values are apart. See the chapter on constraints.
     * Categorical features have no order. A model that is continued must have been trained with the same
     * constraints.
     * Default: NULL, which means no feature is constrained. */
    const char *monotone_constraints;

    /* Groups of features that may be split on along the same path from the root. A list of lists of features by
     * number or name, such as [[0,1],["age","weight"]]; pairwise: any two; no_interactions: one alone. Features
     * that are in no group are a further group. A model that is continued must have been trained with the same
     * constraints.
     * Default: NULL, which means all features may interact. */
    const char *interaction_constraints;

    /* Number of classes whose scores a sparse leaf changes.
     * Allowed: 1 to 63. Default: 0, which means 32; 8 to 31 with more than 62.5 million rows × trees. */
    int64_t leaf_classes;

    /* The most categories on the smaller side of a split: large sets fit the training rows by chance.
     * Allowed: at least 1. Default: 4. */
    int64_t category_limit;

    /* Scores that rows have before the first tree. linear is for method aoso, without an objective and without
     * monotone constraints.
     * Default: AOSO_START_DEFAULT. */
    int64_t start;
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

/* Says which values training on data of this size tries first for the parameters
 * that have no value by default. The text is for aoso_params_parse. */
AOSO_API aoso_status aoso_suggest_params(int64_t rows, int64_t features, int64_t classes, char *buffer, size_t size,
                                         size_t *needed);

/* An upper bound on the memory of a training, in bytes. */
typedef struct aoso_memory {
    uint32_t struct_size;
    int32_t reserved;
    int64_t matrix;        /* part of total: values by column */
    int64_t sparse;        /* part of total: values by row, or two to a column */
    int64_t residuals;     /* part of total: residuals by row and class, and scores */
    int64_t rows;          /* part of total: labels, weights, row lists, gradients */
    int64_t histograms;    /* part of total: gradients summed by value bin */
    int64_t quantizing;    /* part of total: what building the datasets takes beyond the other parts */
    int64_t total;         /* most bytes that dataset and training need besides the input */
    int64_t trees;         /* part of total: the model, if every tree has all its leaves */
    int64_t runtime;       /* part of total: Go's garbage collector */
} aoso_memory;

/* Computes an upper bound on the memory of a training, without any data. */
AOSO_API aoso_status aoso_estimate_memory(int64_t rows, int64_t features, int64_t classes, int64_t valid_rows,
                                      int32_t max_bins, const aoso_params *params, aoso_memory *out);

#ifdef __cplusplus
}
#endif

#endif
