package spec

import "math"

// Groups of parameters.
const (
	Algorithm = "Algorithm"
	Trees     = "Trees"
	Sampling  = "Sampling"
	Stopping  = "Stopping"
	Computing = "Computing"
)

// Limits of parameters.
const (
	MaxThreads     = 4096
	MaxLeaves      = 1 << 16
	MaxCrosses     = 64
	LeastSubsample = 0.001 // of those that training chooses
	LeastColsample = 0.001 // the same
)

var (
	fraction    = Range{Least: 0, Most: 1, LeastOpen: true}
	notNegative = Range{Least: 0, Most: math.MaxFloat32}
)

func atLeast(least float64) Range       { return Range{Least: least, Most: math.Inf(1)} }
func between(least, most float64) Range { return Range{Least: least, Most: most} }

// Parameters lists the parameters of training in the order of documents and of
// aoso.Params.
var Parameters = []Parameter{
	{
		Name: "method", Field: "Method", Group: Algorithm, Type: String, Default: "aoso", C: C{Slot: 1, Enum: "METHOD"},
		Help: "Boosting algorithm.",
		Choices: []Choice{
			{"aoso", "one tree per iteration; each node chooses its own class pairs"},
			{"abc", "ABC-LogitBoost, with K - 1 trees per iteration for K classes: one for each class except a base class"},
			{"logitboost", "K trees per iteration for K classes: one for each class"},
		},
		Exclusions: []Exclusion{{WithObjective, []string{"aoso"}}, {WithManyClasses, []string{"aoso"}}},
	},
	{
		Name: "leaf", Field: "Leaf", Group: Algorithm, Type: String, Default: "", C: C{Slot: 2, Enum: "LEAF"},
		Auto: "full, or sparse from 5000 classes; pair for methods abc and logitboost",
		Help: "Classes whose scores a leaf changes.",
		Choices: []Choice{
			{"full", "all classes"},
			{"pair", "only the classes of its class pairs, as in the paper"},
			{"sparse", "the leaf_classes classes with the largest gains, relative to a common value of all others; for many classes"},
		},
		Detail: "With preset paper, monotone constraints or a custom objective, the default is full for any number of classes.",
		Limits: "Methods abc and logitboost take pair only. Monotone constraints and a custom objective do not allow sparse.",
		Exclusions: []Exclusion{
			{OtherMethod, []string{"pair"}}, {WithObjective, []string{"full", "pair"}}, {WithMonotone, []string{"full", "pair"}},
			{WithManyClasses, []string{"sparse"}},
		},
	},
	{
		Name: "pairs", Field: "Pairs", Group: Algorithm, Type: Int, Default: "0", C: C{Slot: 3, Type: "int32_t"},
		Chosen: between(1, 4), Auto: "more with more classes; 1 for methods abc and logitboost",
		Help:    "Number of class pairs that a node splits on.",
		Detail:  "The paper uses 1. 8 pairs need 10 classes, 4 need 6 and 2 need 4; with fewer classes, the next smaller number is used.",
		Choices: []Choice{{Value: "1"}, {Value: "2"}, {Value: "4"}, {Value: "8"}},
		Limits:  "Methods abc and logitboost take 1 only.",

		Exclusions: []Exclusion{{OtherMethod, []string{"1"}}},
	},
	{
		Name: "leaf_classes", Field: "LeafClasses", Group: Algorithm, Type: Int, Default: "0", C: C{Slot: 35},
		Chosen: between(8, 63), Auto: "less above 32 million rows × trees",
		Range: between(1, 63), Usual: between(8, 63),
		Help: "Number of classes that have their own value in a sparse leaf.",
	},
	{
		Name: "start", Field: "Start", Group: Algorithm, Type: String, Default: "", C: C{Slot: 37, Enum: "START", Type: "int64_t"},
		Auto: "mixed for an ensemble; else zero or, above 100 classes, prior or linear, whichever has the lower loss on held-out rows",
		Help: "Initial scores: the raw scores of a row before the first tree.",
		Choices: []Choice{
			{"zero", "0 for every class"},
			{"linear", "linear discriminant scores (LDA) of the numeric features"},
			{"mixed", "members of an ensemble with zero, with linear or with both, as held-out rows choose; zero for a single model"},
			{"prior", "the log of the class frequencies"},
		},
		Limits:     "linear, mixed and prior need method aoso, and allow neither a custom objective nor monotone constraints.",
		Exclusions: []Exclusion{{OtherMethod, []string{"zero"}}, {WithObjective, []string{"zero"}}, {WithMonotone, []string{"zero"}}},
	},
	{
		Name: "pair_selection", Field: "PairSelection", Group: Algorithm, Type: String, Default: "second_order",
		C:    C{Slot: 4, Enum: "SELECT"},
		Help: "How a node chooses its class pairs.",
		Choices: []Choice{
			{"second_order", "by gain, estimated from gradients and Hessians, as in the paper; with start=prior, and after linear scores with 500 classes or more, as first_order"},
			{"first_order", "by gradients alone"},
			{"root", "as second_order, but once for the whole tree, at its root"},
		},
	},
	{
		Name: "base_class", Field: "BaseClass", Group: Algorithm, Type: String, Default: "worst", C: C{Slot: 5, Enum: "BASE"},
		Help: "How method abc chooses its base class.",
		Choices: []Choice{
			{"worst", "the class with the highest training loss"},
			{"exhaustive", "the class with which the iteration lowers the training loss most; every class is tried"},
		},
	},
	{
		Name: "base_gap", Field: "BaseGap", Group: Algorithm, Type: Int, Default: "1", C: C{Slot: 6, Type: "int32_t"},
		Range: between(1, math.MaxInt32), Usual: between(1, 10),
		Help: "Number of iterations for which method abc keeps its base class.",
	},

	{
		Name: "preset", Field: "Preset", Group: Trees, Type: String, Default: "auto", C: C{Slot: 26, Enum: "PRESET"},
		Help: "Strategy for parameters that you leave unset.",
		Choices: []Choice{
			{"auto", "values for the size of the data, among which held-out rows choose"},
			{"fast", "as auto, with fewer trees and, in most cases, a larger learning_rate"},
			{"paper", "n_estimators=1000, max_leaves=20 and learning_rate=0.1, the M, J and v of the paper, and no calibration"},
			{"best", "as auto, with an ensemble of 20 for fewer than 100,000 rows and at most 100 classes"},
		},
		Detail: "Methods abc and logitboost and data of fewer than 10 rows have the n_estimators, max_leaves and learning_rate of paper. " +
			"Preset paper leaves leaf, pairs and trim at their defaults; the algorithm of the paper has pair, 1 and 0.",
	},
	{
		Name: "n_estimators", Field: "NEstimators", Aliases: "trees", Group: Trees, Type: Int, Default: "0", C: C{Slot: 8},
		Chosen: between(1, 1000), Auto: "chosen on held-out rows, for each member of an ensemble",
		Range: atLeast(1), Usual: between(10, 10000),
		Help:   "Maximum number of trees to grow (the paper's M).",
		Detail: "When training continues a model, these trees are added to it.",
		Limits: "One iteration must be possible: with K classes, it has K - 1 trees for method abc and K for logitboost.",
		Others: Others{
			LightGBM: "~num_iterations ~n_estimators ~num_boost_round ~num_round ~num_rounds ~num_iteration ~num_tree ~n_iter ~nrounds",
			XGBoost:  "~num_boost_round ~n_estimators ~num_round",
			CatBoost: "~iterations ~num_boost_round ~n_estimators ~num_trees", ScikitLearn: "~max_iter ~n_estimators",
			Note: "They count iterations. LightGBM, XGBoost and scikit-learn grow a tree for every class in each.",
		},
	},
	{
		Name: "max_leaves", Field: "MaxLeaves", Aliases: "leaves", Group: Trees, Type: Int, Default: "0", C: C{Slot: 9},
		Chosen: between(8, MaxLeaves), Auto: "more with more rows and classes",
		Range: between(2, MaxLeaves), Usual: between(2, 256),
		Help: "Maximum number of leaves per tree (the paper's J).",
		Others: Others{
			LightGBM: "num_leaves num_leaf max_leaf", XGBoost: "max_leaves", CatBoost: "max_leaves num_leaves", ScikitLearn: "max_leaf_nodes",
			Values: "0=",
			Note:   "XGBoost writes 0 for no limit; here 0 is the default.",
		},
	},
	{
		Name: "learning_rate", Field: "LearningRate", Aliases: "shrinkage", Group: Trees, Type: Float64, Default: "0", C: C{Slot: 13},
		Chosen: between(0.05, 0.4), Auto: "less with noisy labels",
		Range: fraction, Usual: between(0.01, 1),
		Help:   "Learning rate (the paper's shrinkage v): the factor of every leaf value.",
		Others: Others{LightGBM: "learning_rate shrinkage_rate", XGBoost: "eta learning_rate", CatBoost: "learning_rate eta", ScikitLearn: "learning_rate"},
	},
	{
		Name: "max_depth", Field: "MaxDepth", Group: Trees, Type: Int, Default: "0", C: C{Slot: 10},
		Range: atLeast(0), Usual: between(1, 12),
		Help: "Maximum number of splits from the root to a leaf; 0 means no limit.",
		Others: Others{
			LightGBM: "max_depth", XGBoost: "max_depth", CatBoost: "depth max_depth", ScikitLearn: "max_depth",
			Values: "-1=0",
			Note:   "LightGBM writes -1 for no limit, scikit-learn None. XGBoost and CatBoost have 6 by default.",
		},
	},
	{
		Name: "grow_policy", Field: "GrowPolicy", Group: Trees, Type: String, Default: "", C: C{Slot: 41, Enum: "GROW", Type: "int64_t"},
		Auto: "mixed for an ensemble, with at most 100 features; else lossguide",
		Help: "Order in which a tree grows.",
		Choices: []Choice{
			{"lossguide", "best-first: the leaf whose split has the largest gain is split next"},
			{"symmetric", "level by level: the same test splits all nodes of a level, so that max_leaves is rounded down to a power of two"},
			{"mixed", "members of an ensemble with lossguide, with symmetric or with both, as held-out rows choose; lossguide for a single model"},
		},
		Detail: "In a symmetric tree, a node of which the test would leave fewer than min_samples_leaf rows on one side is not split at that level.",
		Limits: "symmetric and mixed need method aoso and leaf full, and allow none of a custom objective, min_child_weight, monotone constraints and interaction constraints.",
		Exclusions: []Exclusion{
			{OtherMethod, []string{"lossguide"}}, {WithObjective, []string{"lossguide"}}, {WithMonotone, []string{"lossguide"}},
			{WithInteractions, []string{"lossguide"}}, {WithMinChildWeight, []string{"lossguide"}}, {WithOtherLeaf, []string{"lossguide"}},
		},
		Others: Others{XGBoost: "grow_policy", CatBoost: "grow_policy", Values: "symmetrictree=symmetric lossguide=lossguide", Nearest: "depthwise=lossguide"},
	},
	{
		Name: "min_samples_leaf", Field: "MinSamplesLeaf", Aliases: "min_samples", Group: Trees, Type: Int, Default: "0", C: C{Slot: 11},
		Chosen: between(1, 10), Auto: "more for few rows with noisy labels",
		Range: atLeast(1), Usual: between(1, 30),
		Help: "Minimum number of training rows in a leaf.",
		Others: Others{
			LightGBM: "min_data_in_leaf min_child_samples min_data_per_leaf min_data", CatBoost: "min_data_in_leaf min_child_samples", ScikitLearn: "min_samples_leaf",
			Values: "~0=1",
			Note:   "LightGBM and scikit-learn have 20 by default.",
		},
	},
	{
		Name: "min_child_weight", Field: "MinChildWeight", Aliases: "min_hessian", Group: Trees, Type: Float64, Default: "0", C: C{Slot: 14},
		Range: notNegative, Usual: between(1e-6, 10),
		Help: "Minimum sum of Hessians in a leaf, over the class pairs of the node.",
		Others: Others{
			LightGBM: "min_sum_hessian_in_leaf min_child_weight min_sum_hessian_per_leaf min_sum_hessian", XGBoost: "min_child_weight",
			Note: "LightGBM has 0.001 by default, XGBoost 1.",
		},
	},
	{
		Name: "gamma", Field: "Gamma", Aliases: "min_gain", Group: Trees, Type: Float64, Default: "0", C: C{Slot: 15},
		Range: notNegative, Usual: between(1e-6, 10),
		Help:   "Gain that a split must exceed.",
		Others: Others{LightGBM: "min_gain_to_split min_split_gain", XGBoost: "gamma min_split_loss", ScikitLearn: "~min_impurity_decrease"},
	},
	{
		Name: "monotone_constraints", Field: "MonotoneConstraints", Group: Trees, Type: String, Nested: true, Default: "", C: C{Slot: 33},
		Auto: "no constraints",
		Help: "How raw scores may change as a feature rises: 1, they never fall; -1, they never rise; 0, unconstrained.",
		Detail: `A list with a sign for each feature, such as [1,0,-1], or a dict such as {"age":1,"weight":-1}. ` +
			`With two classes, a sign is for the score of the second. With more, a feature has a list with a sign for each class, or a dict such as {"age":{"high":1,"low":-1}}. ` +
			"Missing values follow the learned default direction and are not constrained. See the chapter on constraints.",
		Limits: "Categorical features cannot be constrained. A continued model must have been trained with the same constraints.",
		Others: Others{
			LightGBM: "monotone_constraints mc monotone_constraint monotonic_cst", XGBoost: "monotone_constraints", CatBoost: "monotone_constraints",
			ScikitLearn: "monotonic_cst", Note: "With more than two classes, aoso takes a sign for each class.",
		},
	},
	{
		Name: "interaction_constraints", Field: "InteractionConstraints", Group: Trees, Type: String, Nested: true, Default: "", C: C{Slot: 34},
		Auto: "all features may interact",
		Help: "Groups of features: the features on a path from the root to a leaf must all be in one group.",
		Detail: `A list of lists of features by number or name, such as [[0,1],["age","weight"]]; or a word: pairwise allows any two features on a path, no_interactions only one. ` +
			"Features in none of the groups form one more group.",
		Limits: "A continued model must have been trained with the same constraints.",
		Others: Others{
			LightGBM: "interaction_constraints", XGBoost: "interaction_constraints", ScikitLearn: "interaction_cst",
			Note: "LightGBM never uses features that are in no group, XGBoost uses each of them alone.",
		},
	},
	{
		Name: "ensemble", Field: "Ensemble", Group: Trees, Type: Int, Default: "0", C: C{Slot: 38},
		Chosen: between(1, 20), Auto: "6 for fewer than 20,000 rows and at most 100 classes, 20 with preset best for fewer than 100,000 rows, else 1",
		Help:    "Number of models whose raw scores are averaged; 1 means a single model.",
		Choices: []Choice{{Value: "1"}, {Value: "6"}, {Value: "10"}, {Value: "20"}},
		Detail: "Each member grows its trees without two of as many parts of the rows. Then its leaf values are computed from all rows. " +
			"n_estimators counts the trees of all members. By default, there is a single model if n_estimators, calibration or time_limit is set.",
		Limits: "More than 1 need method aoso, full leaves, and rows that training holds out, and exclude time_limit, monotone constraints, validation sets and custom objectives.",
	},
	{
		Name: "crosses", Field: "Crosses", Group: Trees, Type: Int, Default: "8", C: C{Slot: 39},
		Range: between(0, MaxCrosses), Usual: between(1, 16),
		Help: "Maximum number of crosses that an ensemble may add: differences and ratios of two numeric features, and pairs of two categorical ones.",
		Detail: "Features that the trees split on most are crossed, and crosses are added if the log loss on held-out rows is clearly lower with them. " +
			"The model computes them from the features. 0 means none.",
		Limits: "Only an ensemble on fewer than 20,000 rows, without interaction constraints, has crosses.",
	},
	{
		Name: "category_smoothing", Field: "CategorySmoothing", Group: Trees, Type: Float64, Default: "10", C: C{Slot: 29},
		Range: notNegative, Usual: between(1e-3, 100),
		Help:   "Number added to the sum of Hessians of each category when categories are ordered; larger values move rare ones to the middle of the order.",
		Others: Others{LightGBM: "cat_smooth"},
	},
	{
		Name: "category_l2", Field: "CategoryL2", Group: Trees, Type: Float64, Default: "10", C: C{Slot: 30},
		Range: notNegative, Usual: between(1e-3, 100),
		Help:   "Number added to the sums of Hessians on both sides of a split on categories, in part below 7 categories; larger values make such splits rarer.",
		Others: Others{LightGBM: "cat_l2"},
	},
	{
		Name: "category_limit", Field: "CategoryLimit", Group: Trees, Type: Int, Default: "4", C: C{Slot: 36},
		Range: atLeast(1), Usual: between(1, 32),
		Help:   "Maximum number of categories on the smaller side of a split; larger sets overfit more easily.",
		Others: Others{LightGBM: "max_cat_threshold", XGBoost: "max_cat_threshold"},
	},
	{
		Name: "reg_lambda", Field: "RegLambda", Aliases: "l2", Group: Trees, Type: Float64, Default: "-1", C: C{Slot: 16},
		Chosen: between(0, 10), Auto: "more with noisy labels or from 100,000 rows",
		Range: notNegative, Usual: between(1e-3, 100),
		Help: "Regularization: a number added to the sums of Hessians in gains and leaf values.",
		Others: Others{
			LightGBM: "lambda_l2 reg_lambda", XGBoost: "lambda reg_lambda", CatBoost: "l2_leaf_reg reg_lambda", ScikitLearn: "l2_regularization",
			Note: "XGBoost has 1 by default, CatBoost 3.",
		},
	},
	{
		Name: "max_delta_step", Field: "MaxDeltaStep", Aliases: "max_step", Group: Trees, Type: Float64, Default: "0", C: C{Slot: 17},
		Chosen: between(3, 5), Auto: "less from 100,000 rows",
		Range: Range{Least: 0, Most: 20, LeastOpen: true}, Usual: between(0.1, 20),
		Help: "Maximum absolute leaf value, before it is multiplied by learning_rate.",
		Others: Others{
			LightGBM: "max_delta_step max_tree_output max_leaf_output", XGBoost: "max_delta_step",
			Values: "0=",
			Note:   "LightGBM and XGBoost write 0 for no limit; here 0 is the default.",
		},
	},

	{
		Name: "label_smoothing", Field: "LabelSmoothing", Group: Trees, Type: Float64, Default: "0", C: C{Slot: 40},
		Range: Range{Least: 0, Most: 1, MostOpen: true}, Usual: between(0.01, 0.3),
		Help: "Share of each label that training deals out evenly to all classes, which keeps probabilities from 1.",
		Detail: "A row of class y has the residuals of the label distribution with (1 - e) + e/K for y and e/K for each other of the K classes. " +
			"Evaluations compare with the labels as they are, so calibration takes back what smoothing does to the sharpness of the probabilities.",
		Limits:     "With a custom objective, it is 0.",
		Exclusions: []Exclusion{{WithObjective, []string{"0"}}},
	},
	{
		Name: "subsample", Field: "Subsample", Group: Sampling, Type: Float64, Default: "0", C: C{Slot: 18},
		Chosen: between(LeastSubsample, 1), Auto: "less from 100,000 rows, and for few rows with noisy labels",
		Range: fraction, Usual: between(0.1, 1),
		Help:   "Fraction of the rows drawn for each tree to search for splits.",
		Detail: "Which rows are drawn depends on the row ids, not on the order of the rows. Below 1, the search uses at most 64 bins per feature. Leaf values are computed from all rows.",
		Others: Others{
			LightGBM: "bagging_fraction subsample sub_row bagging", XGBoost: "subsample", CatBoost: "subsample", ScikitLearn: "subsample",
			Note: "LightGBM needs bagging_freq with it; with bagging_freq=0 it is left out here, too.",
		},
	},
	{
		Name: "colsample_bytree", Field: "ColsampleByTree", Group: Sampling, Type: Float64, Default: "1", C: C{Slot: 19},
		Range: fraction, Usual: between(0.1, 1),
		Help:   "Fraction of the features drawn for each tree.",
		Others: Others{LightGBM: "feature_fraction colsample_bytree sub_feature", XGBoost: "colsample_bytree"},
	},
	{
		Name: "colsample_bynode", Field: "ColsampleByNode", Group: Sampling, Type: Float64, Default: "0", C: C{Slot: 20},
		Chosen: between(LeastColsample, 1), Auto: "less for more features",
		Range: fraction, Usual: between(0.1, 1),
		Help: "Fraction of the tree's features drawn for each node.",
		Others: Others{
			LightGBM: "feature_fraction_bynode sub_feature_bynode", XGBoost: "colsample_bynode", CatBoost: "~rsm ~colsample_bylevel", ScikitLearn: "max_features",
			Note: "CatBoost draws features for each level of a tree.",
		},
	},
	{
		Name: "trim", Field: "Trim", Group: Sampling, Type: Float64, Default: "0.1", C: C{Slot: 21},
		Range: Range{Least: 0, Most: 1, MostOpen: true}, Usual: between(1e-4, 0.9),
		Help: "The search for splits leaves out rows whose residuals are below this fraction of the mean; 0 keeps all rows.",
		Detail: "A tree leaves out rows whose 1 - p, of their own class, is below this fraction of the mean over all rows. " +
			"A node also leaves out rows whose gradients and Hessians are both below this fraction of its means. The paper uses 0.",
	},

	{
		Name: "calibration", Field: "Calibration", Group: Stopping, Type: String, Default: "auto", C: C{Slot: 27, Enum: "CALIBRATION"},
		Help: "Rows on which training fits the temperature, which calibrates the probabilities.",
		Choices: []Choice{
			{"auto", "none with preset paper; else the validation set if there is one, the rows that members of an ensemble hold out, folds for fewer than 2000 rows, or holdout"},
			{"none", "no rows: the temperature is 1"},
			{"holdout", "a fifth of the rows, at most 50,000, which a first training run holds out"},
			{"folds", "all rows; each of five first training runs holds out a different fifth"},
		},
		Detail:     "Fewer than 10 rows and a single class are not calibrated. A continued model keeps its temperature unless there is a validation set, or calibration is holdout or folds: these hold out rows that the model should not have seen.",
		Limits:     "With a custom objective, there is no calibration, and holdout and folds are not allowed.",
		Exclusions: []Exclusion{{WithObjective, []string{"auto", "none"}}},
	},
	{
		Name: "stop_loss", Field: "StopLoss", Group: Stopping, Type: Float64, Default: "1e-16", C: C{Slot: 22},
		Range: notNegative, Usual: between(1e-16, 1),
		Help:   "Training stops when the sum of -log p over the training rows is at most this.",
		Detail: "This is a sum, as in the paper; the reported training loss is a mean.",
	},
	{
		Name: "time_limit", Field: "TimeLimit", Group: Stopping, Type: Float64, Default: "0", C: C{Slot: 28},
		Range: notNegative, Usual: between(1, 3600),
		Help:   "Seconds after which training ends; 0 means no limit.",
		Detail: "The phase that chooses parameters takes at most two fifths of it. Each phase has at least one iteration. The model depends on the speed of the machine.",
	},
	{
		Name: "early_stopping_rounds", Field: "EarlyStoppingRounds", Aliases: "early_stopping", Group: Stopping, Type: Int, Default: "0", C: C{Slot: 12},
		Range: atLeast(0), Usual: between(1, 100),
		Help:   "Training stops after this many iterations without a better metric on the validation set; 0 turns this off.",
		Detail: "The model then ends with the best iteration.",
		Limits: "Values above 0 need a validation set.",
		Others: Others{
			LightGBM: "early_stopping_round early_stopping_rounds", XGBoost: "early_stopping_rounds", CatBoost: "early_stopping_rounds od_wait",
			ScikitLearn: "early_stopping n_iter_no_change",
			Values:      "-1=0 false=0 auto=0",
			Note:        "scikit-learn's early_stopping is True or False, and means n_iter_no_change, or 10, iterations.",
		},
	},
	{
		Name: "metric", Field: "Metric", Group: Stopping, Type: String, Default: "logloss", C: C{Slot: 7, Enum: "METRIC"},
		Help: "Metric that early stopping monitors.",
		Choices: []Choice{
			{"logloss", "the mean of -log p over the rows"},
			{"error", "the fraction of rows whose predicted class is wrong"},
			{"top_k_error", "the fraction of rows whose class is not among the top_k most likely classes"},
			{"auc_ovr", "the mean area under the ROC curve of a class against the rest"},
			{"auc_ovr_weighted", "as auc_ovr, with each class weighted by the weight of its rows"},
			{"auc_ovo", "the mean area under the ROC curve over all pairs of classes"},
			{"auc_ovo_weighted", "as auc_ovo, with each pair weighted by the weight of its rows"},
			{"balanced_error", "1 minus the mean recall of the classes"},
			{"f1_macro", "the mean F1 score of the classes"},
			{"kappa", "Cohen's kappa"},
			{"brier", "the mean squared error of the probabilities, summed over the classes"},
			{"ece", "the expected calibration error of the most likely class"},
			{"custom", "a metric that the calling program computes"},
		},
		Detail: "Higher is better for the AUC, F1 score and kappa.",
		Others: Others{
			LightGBM: "metric metrics metric_types", XGBoost: "eval_metric", CatBoost: "eval_metric", ScikitLearn: "scoring",
			Values: "multi_logloss=logloss binary_logloss=logloss multiclass=logloss softmax=logloss binary=logloss mlogloss=logloss " +
				"log_loss=logloss neg_log_loss=logloss cross_entropy=logloss crossentropy=logloss loss=logloss " +
				"multi_error=error binary_error=error merror=error accuracy=error zerooneloss=error hammingloss=error " +
				"f1_micro=error precision_micro=error recall_micro=error top_k_accuracy=top_k_error " +
				"auc=auc_ovr roc_auc=auc_ovr roc_auc_ovr=auc_ovr roc_auc_ovr_weighted=auc_ovr_weighted auc_mu=auc_ovo roc_auc_ovo=auc_ovo " +
				"roc_auc_ovo_weighted=auc_ovo_weighted balanced_accuracy=balanced_error balancedaccuracy=balanced_error balancederrorrate=balanced_error " +
				"recall_macro=balanced_error f1=f1_macro kappa=kappa neg_brier_score=brier brierscore=brier " +
				"logloss=logloss error=error none= null= na=",
			Nearest: "totalf1=f1_macro f1_weighted=f1_macro precision=f1_macro precision_macro=f1_macro precision_weighted=f1_macro " +
				"recall=balanced_error recall_weighted=error mcc=kappa matthews_corrcoef=kappa wkappa=kappa " +
				"aucpr=auc_ovr prauc=auc_ovr average_precision=auc_ovr ndcg=auc_ovr map=auc_ovr multiclassonevsall=logloss " +
				"kullback_leibler=logloss kldiv=logloss cross_entropy_lambda=logloss xentlambda=logloss rmse=brier l2=brier mse=brier",
			Note: "Their values are multi_logloss and multi_error in LightGBM, mlogloss and merror in XGBoost.",
		},
	},
	{
		Name: "top_k", Field: "TopK", Group: Stopping, Type: Int, Default: "5", C: C{Slot: 31},
		Range: atLeast(1), Usual: between(1, 10),
		Help:   "The k of metric top_k_error.",
		Others: Others{LightGBM: "multi_error_top_k"},
	},
	{
		Name: "min_delta", Field: "MinDelta", Group: Stopping, Type: Float64, Default: "0", C: C{Slot: 32},
		Range: notNegative, Usual: between(1e-5, 0.01),
		Help:   "Early stopping counts a metric as better only if it improves by more than this.",
		Others: Others{LightGBM: "early_stopping_min_delta", XGBoost: "min_delta", ScikitLearn: "~tol"},
	},

	{
		Name: "nthread", Field: "NThread", Aliases: "threads num_threads", Group: Computing, Type: Int, Default: "0", C: C{Slot: 24}, Estimator: "n_jobs",
		Range: between(0, MaxThreads), Usual: between(1, 4),
		Help:   "Number of threads; 0 means all cores available to the process.",
		Detail: "The model does not depend on it. At most 64 are used, or four for each core if that is more.",
		Others: Others{LightGBM: "num_threads n_jobs num_thread nthreads", XGBoost: "nthread n_jobs", CatBoost: "thread_count", ScikitLearn: "n_jobs", Values: "-1=0"},
	},
	{
		Name: "seed", Field: "Seed", Group: Computing, Type: Uint64, Default: "0", C: C{Slot: 23}, Estimator: "random_state",
		Usual: between(1, 1000),
		Help:  "Seed of all random draws.",
		Others: Others{
			LightGBM: "seed random_state random_seed", XGBoost: "seed random_state", CatBoost: "random_seed random_state", ScikitLearn: "random_state",
		},
	},
	{
		Name: "level", Field: "Level", Group: Computing, Type: String, Default: "", C: C{Slot: 25}, Estimator: "-",
		Auto:   "the environment variable AOSO_LEVEL if it is set, else the fastest",
		Help:   "Instruction-set level of the kernels.",
		Detail: "The model does not depend on it.",
		Limits: "The CPU must support the level.",
	},
}
