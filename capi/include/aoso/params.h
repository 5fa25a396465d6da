/* The parameters of training, and the memory that it needs. aoso.h includes this file. */
#ifndef AOSO_PARAMS_H
#define AOSO_PARAMS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* begin parameters: make params writes them */

enum { /* method. Boosting algorithm. */
    AOSO_METHOD_AOSO = 0, /* one tree per iteration; each node chooses its own class pairs */
    AOSO_METHOD_ABC = 1, /* ABC-LogitBoost, with K - 1 trees per iteration for K classes: one for each class except a base class */
    AOSO_METHOD_LOGITBOOST = 2, /* K trees per iteration for K classes: one for each class */
};

enum { /* leaf. Classes whose scores a leaf changes. */
    AOSO_LEAF_DEFAULT = 0, /* full, or sparse from 5000 classes; pair for methods abc and logitboost */
    AOSO_LEAF_FULL = 1, /* all classes */
    AOSO_LEAF_PAIR = 2, /* only the classes of its class pairs, as in the paper */
    AOSO_LEAF_SPARSE = 3, /* the leaf_classes classes with the largest gains, relative to a common value of all others; for many classes */
};

enum { /* pair_selection. How a node chooses its class pairs. */
    AOSO_SELECT_SECOND_ORDER = 0, /* by gain, estimated from gradients and Hessians, as in the paper; with start=prior, and after linear scores with 500 classes or more, as first_order */
    AOSO_SELECT_FIRST_ORDER = 1, /* by gradients alone */
    AOSO_SELECT_ROOT = 2, /* as second_order, but once for the whole tree, at its root */
};

enum { /* base_class. How method abc chooses its base class. */
    AOSO_BASE_WORST = 0, /* the class with the highest training loss */
    AOSO_BASE_EXHAUSTIVE = 1, /* the class with which the iteration lowers the training loss most; every class is tried */
};

enum { /* metric. Metric that early stopping monitors. */
    AOSO_METRIC_LOGLOSS = 0, /* the mean of -log p over the rows */
    AOSO_METRIC_ERROR = 1, /* the fraction of rows whose predicted class is wrong */
    AOSO_METRIC_TOP_K_ERROR = 2, /* the fraction of rows whose class is not among the top_k most likely classes */
    AOSO_METRIC_AUC_OVR = 3, /* the mean area under the ROC curve of a class against the rest */
    AOSO_METRIC_AUC_OVR_WEIGHTED = 4, /* as auc_ovr, with each class weighted by the weight of its rows */
    AOSO_METRIC_AUC_OVO = 5, /* the mean area under the ROC curve over all pairs of classes */
    AOSO_METRIC_AUC_OVO_WEIGHTED = 6, /* as auc_ovo, with each pair weighted by the weight of its rows */
    AOSO_METRIC_BALANCED_ERROR = 7, /* 1 minus the mean recall of the classes */
    AOSO_METRIC_F1_MACRO = 8, /* the mean F1 score of the classes */
    AOSO_METRIC_KAPPA = 9, /* Cohen's kappa */
    AOSO_METRIC_BRIER = 10, /* the mean squared error of the probabilities, summed over the classes */
    AOSO_METRIC_ECE = 11, /* the expected calibration error of the most likely class */
    AOSO_METRIC_CUSTOM = 12, /* a metric that the calling program computes */
};

enum { /* preset. Strategy for parameters that you leave unset. */
    AOSO_PRESET_AUTO = 0, /* values for the size of the data, among which held-out rows choose */
    AOSO_PRESET_FAST = 1, /* as auto, with fewer trees and, in most cases, a larger learning_rate */
    AOSO_PRESET_PAPER = 2, /* n_estimators=1000, max_leaves=20 and learning_rate=0.1, the M, J and v of the paper, and no calibration */
    AOSO_PRESET_BEST = 3, /* as auto, with an ensemble of 20 for fewer than 100,000 rows and at most 100 classes */
};

enum { /* calibration. Rows on which training fits the temperature, which calibrates the probabilities. */
    AOSO_CALIBRATION_AUTO = 0, /* none with preset paper; else the validation set if there is one, the rows that members of an ensemble hold out, folds for fewer than 2000 rows, or holdout */
    AOSO_CALIBRATION_NONE = 1, /* no rows: the temperature is 1 */
    AOSO_CALIBRATION_HOLDOUT = 2, /* a fifth of the rows, at most 50,000, which a first training run holds out */
    AOSO_CALIBRATION_FOLDS = 3, /* all rows; each of five first training runs holds out a different fifth */
};

enum { /* start. Initial scores: the raw scores of a row before the first tree. */
    AOSO_START_DEFAULT = 0, /* mixed for an ensemble; else zero or, above 100 classes, prior or linear, whichever has the lower loss on held-out rows */
    AOSO_START_ZERO = 1, /* 0 for every class */
    AOSO_START_LINEAR = 2, /* linear discriminant scores (LDA) of the numeric features */
    AOSO_START_MIXED = 3, /* members of an ensemble with zero, with linear or with both, as held-out rows choose; zero for a single model */
    AOSO_START_PRIOR = 4, /* the log of the class frequencies */
};

enum { /* grow_policy. Order in which a tree grows. */
    AOSO_GROW_DEFAULT = 0, /* mixed for an ensemble, with at most 100 features; else lossguide */
    AOSO_GROW_LOSSGUIDE = 1, /* best-first: the leaf whose split has the largest gain is split next */
    AOSO_GROW_SYMMETRIC = 2, /* level by level: the same test splits all nodes of a level, so that max_leaves is rounded down to a power of two */
    AOSO_GROW_MIXED = 3, /* members of an ensemble with lossguide, with symmetric or with both, as held-out rows choose; lossguide for a single model */
};

/* The parameters of training. A default outside the values allowed, such as
 * n_estimators 0, makes training choose a value for the data, as preset says. train.h
 * explains how training holds rows out for that. */
typedef struct aoso_params {
    uint32_t struct_size;

    /* Boosting algorithm.
     * Default: AOSO_METHOD_AOSO. */
    int32_t method;

    /* Classes whose scores a leaf changes. With preset paper, monotone constraints or a custom objective, the
     * default is full for any number of classes. Methods abc and logitboost take pair only. Monotone constraints
     * and a custom objective do not allow sparse.
     * Default: AOSO_LEAF_DEFAULT. */
    int32_t leaf;

    /* Number of class pairs that a node splits on. The paper uses 1. 8 pairs need 10 classes, 4 need 6 and 2 need
     * 4; with fewer classes, the next smaller number is used. Methods abc and logitboost take 1 only.
     * Allowed: 1, 2, 4 or 8. Default: 0, which means 1 to 4, more with more classes; 1 for methods abc and
     * logitboost. */
    int32_t pairs;

    /* How a node chooses its class pairs.
     * Default: AOSO_SELECT_SECOND_ORDER. */
    int32_t pair_selection;

    /* How method abc chooses its base class.
     * Default: AOSO_BASE_WORST. */
    int32_t base_class;

    /* Number of iterations for which method abc keeps its base class.
     * Allowed: 1 to 2147483647. Default: 1. */
    int32_t base_gap;

    /* Metric that early stopping monitors. Higher is better for the AUC, F1 score and kappa.
     * Default: AOSO_METRIC_LOGLOSS. */
    int32_t metric;

    /* Maximum number of trees to grow (the paper's M). When training continues a model, these trees are added to
     * it. One iteration must be possible: with K classes, it has K - 1 trees for method abc and K for logitboost.
     * Allowed: at least 1. Default: 0, which means 1 to 1000, chosen on held-out rows, for each member of an
     * ensemble. */
    int64_t n_estimators;

    /* Maximum number of leaves per tree (the paper's J).
     * Allowed: 2 to 65536. Default: 0, which means 8 to 65536, more with more rows and classes. */
    int64_t max_leaves;

    /* Maximum number of splits from the root to a leaf; 0 means no limit.
     * Allowed: at least 0. Default: 0. */
    int64_t max_depth;

    /* Minimum number of training rows in a leaf.
     * Allowed: at least 1. Default: 0, which means 1 to 10, more for few rows with noisy labels. */
    int64_t min_samples_leaf;

    /* Training stops after this many iterations without a better metric on the validation set; 0 turns this off.
     * The model then ends with the best iteration. Values above 0 need a validation set.
     * Allowed: at least 0. Default: 0. */
    int64_t early_stopping_rounds;

    /* Learning rate (the paper's shrinkage v): the factor of every leaf value.
     * Allowed: above 0, at most 1. Default: 0, which means 0.05 to 0.4, less with noisy labels. */
    double learning_rate;

    /* Minimum sum of Hessians in a leaf, over the class pairs of the node.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double min_child_weight;

    /* Gain that a split must exceed.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double gamma;

    /* Regularization: a number added to the sums of Hessians in gains and leaf values.
     * Allowed: at least 0, at most 3.4e+38. Default: -1, which means 0 to 10, more with noisy labels or from
     * 100,000 rows. */
    double reg_lambda;

    /* Maximum absolute leaf value, before it is multiplied by learning_rate.
     * Allowed: above 0, at most 20. Default: 0, which means 3 to 5, less from 100,000 rows. */
    double max_delta_step;

    /* Fraction of the rows drawn for each tree to search for splits. Which rows are drawn depends on the row ids,
     * not on the order of the rows. Below 1, the search uses at most 64 bins per feature. Leaf values are computed
     * from all rows.
     * Allowed: above 0, at most 1. Default: 0, which means 0.001 to 1, less from 100,000 rows, and for few rows
     * with noisy labels. */
    double subsample;

    /* Fraction of the features drawn for each tree.
     * Allowed: above 0, at most 1. Default: 1. */
    double colsample_bytree;

    /* Fraction of the tree's features drawn for each node.
     * Allowed: above 0, at most 1. Default: 0, which means 0.001 to 1, less for more features. */
    double colsample_bynode;

    /* The search for splits leaves out rows whose residuals are below this fraction of the mean; 0 keeps all rows.
     * A tree leaves out rows whose 1 - p, of their own class, is below this fraction of the mean over all rows. A
     * node also leaves out rows whose gradients and Hessians are both below this fraction of its means. The paper
     * uses 0.
     * Allowed: at least 0, below 1. Default: 0.1. */
    double trim;

    /* Training stops when the sum of -log p over the training rows is at most this. This is a sum, as in the
     * paper; the reported training loss is a mean.
     * Allowed: at least 0, at most 3.4e+38. Default: 1e-16. */
    double stop_loss;

    /* Seed of all random draws.
     * Allowed: an integer, at least 0. Default: 0. */
    uint64_t seed;

    /* Number of threads; 0 means all cores available to the process. The model does not depend on it. At most 64
     * are used, or four for each core if that is more.
     * Allowed: 0 to 4096. Default: 0. */
    int64_t nthread;

    /* Instruction-set level of the kernels. The model does not depend on it. The CPU must support the level.
     * Default: NULL, which means the environment variable AOSO_LEVEL if it is set, else the fastest. */
    const char *level;

    /* Strategy for parameters that you leave unset. Methods abc and logitboost and data of fewer than 10 rows have
     * the n_estimators, max_leaves and learning_rate of paper. Preset paper leaves leaf, pairs and trim at their
     * defaults; the algorithm of the paper has pair, 1 and 0.
     * Default: AOSO_PRESET_AUTO. */
    int32_t preset;

    /* Rows on which training fits the temperature, which calibrates the probabilities. Fewer than 10 rows and a
     * single class are not calibrated. A continued model keeps its temperature unless there is a validation set,
     * or calibration is holdout or folds: these hold out rows that the model should not have seen. With a custom
     * objective, there is no calibration, and holdout and folds are not allowed.
     * Default: AOSO_CALIBRATION_AUTO. */
    int32_t calibration;

    /* Seconds after which training ends; 0 means no limit. The phase that chooses parameters takes at most two
     * fifths of it. Each phase has at least one iteration. The model depends on the speed of the machine.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double time_limit;

    /* Number added to the sum of Hessians of each category when categories are ordered; larger values move rare
     * ones to the middle of the order.
     * Allowed: at least 0, at most 3.4e+38. Default: 10. */
    double category_smoothing;

    /* Number added to the sums of Hessians on both sides of a split on categories, in part below 7 categories;
     * larger values make such splits rarer.
     * Allowed: at least 0, at most 3.4e+38. Default: 10. */
    double category_l2;

    /* The k of metric top_k_error.
     * Allowed: at least 1. Default: 5. */
    int64_t top_k;

    /* Early stopping counts a metric as better only if it improves by more than this.
     * Allowed: at least 0, at most 3.4e+38. Default: 0. */
    double min_delta;

    /* How raw scores may change as a feature rises: 1, they never fall; -1, they never rise; 0, unconstrained. A
     * list with a sign for each feature, such as [1,0,-1], or a dict such as {"age":1,"weight":-1}. With two
     * classes, a sign is for the score of the second. With more, a feature has a list with a sign for each class,
     * or a dict such as {"age":{"high":1,"low":-1}}. Missing values follow the learned default direction and are
     * not constrained. See the chapter on constraints. Categorical features cannot be constrained. A continued
     * model must have been trained with the same constraints.
     * Default: NULL, which means no constraints. */
    const char *monotone_constraints;

    /* Groups of features: the features on a path from the root to a leaf must all be in one group. A list of lists
     * of features by number or name, such as [[0,1],["age","weight"]]; or a word: pairwise allows any two features
     * on a path, no_interactions only one. Features in none of the groups form one more group. A continued model
     * must have been trained with the same constraints.
     * Default: NULL, which means all features may interact. */
    const char *interaction_constraints;

    /* Number of classes that have their own value in a sparse leaf.
     * Allowed: 1 to 63. Default: 0, which means 8 to 63, less above 32 million rows × trees. */
    int64_t leaf_classes;

    /* Maximum number of categories on the smaller side of a split; larger sets overfit more easily.
     * Allowed: at least 1. Default: 4. */
    int64_t category_limit;

    /* Initial scores: the raw scores of a row before the first tree. linear, mixed and prior need method aoso, and
     * allow neither a custom objective nor monotone constraints.
     * Default: AOSO_START_DEFAULT. */
    int64_t start;

    /* Number of models whose raw scores are averaged; 1 means a single model. Each member grows its trees without
     * two of as many parts of the rows. Then its leaf values are computed from all rows. n_estimators counts the
     * trees of all members. By default, there is a single model if n_estimators, calibration or time_limit is set.
     * More than 1 need method aoso, full leaves, and rows that training holds out, and exclude time_limit,
     * monotone constraints, validation sets and custom objectives.
     * Allowed: 1, 6, 10 or 20. Default: 0, which means 1 to 20, 6 for fewer than 20,000 rows and at most 100
     * classes, 20 with preset best for fewer than 100,000 rows, else 1. */
    int64_t ensemble;

    /* Maximum number of crosses that an ensemble may add: differences and ratios of two numeric features, and
     * pairs of two categorical ones. Features that the trees split on most are crossed, and crosses are added if
     * the log loss on held-out rows is clearly lower with them. The model computes them from the features. 0 means
     * none. Only an ensemble on fewer than 20,000 rows, without interaction constraints, has crosses.
     * Allowed: 0 to 64. Default: 8. */
    int64_t crosses;

    /* Share of each label that training deals out evenly to all classes, which keeps probabilities from 1. A row
     * of class y has the residuals of the label distribution with (1 - e) + e/K for y and e/K for each other of
     * the K classes. Evaluations compare with the labels as they are, so calibration takes back what smoothing
     * does to the sharpness of the probabilities. With a custom objective, it is 0.
     * Allowed: at least 0, below 1. Default: 0. */
    double label_smoothing;

    /* Order in which a tree grows. In a symmetric tree, a node of which the test would leave fewer than
     * min_samples_leaf rows on one side is not split at that level. symmetric and mixed need method aoso and leaf
     * full, and allow none of a custom objective, min_child_weight, monotone constraints and interaction
     * constraints.
     * Default: AOSO_GROW_DEFAULT. */
    int64_t grow_policy;
} aoso_params;
/* end parameters */

/* Sets the defaults:  aoso_params p; aoso_params_init(&p, sizeof p); */
AOSO_API aoso_status aoso_params_init(aoso_params *params, uint32_t struct_size);

/* Changes the parameters named in a text such as
 * "max_leaves=20 learning_rate=0.1 method=aoso nthread=2", separated by spaces, commas
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
                                      int32_t max_bin, const aoso_params *params, aoso_memory *out);

#ifdef __cplusplus
}
#endif

#endif
