package spec

// Foreign describes parameters of other libraries that do not exist here.
type Foreign struct {
	Names  string // words, separated by spaces
	Values string // values that ask for what happens here anyway, in lower case; "*": any
	Advice string // what to do instead of other values
}

// Elsewhere describes an argument of Dataset that other libraries have among the
// parameters of training.
type Elsewhere struct {
	Argument string
	Aliases  string // as of a Parameter
	Names    string // words, separated by spaces
	Values   string // their values and ours: 256=255
}

// Elsewheres lists the parameters that belong to Dataset here.
var Elsewheres = []Elsewhere{
	{"max_bin", "max_bins", "max_bin max_bins border_count", "256=255 254=255"},
	{"sample_rows", "", "sample_rows bin_construct_sample_cnt subsample_for_bin", ""},
	{
		"categorical_features", "",
		"categorical_features categorical_feature cat_feature categorical_column cat_column cat_features", "auto=from_dtype",
	},
	{"class_weight", "", "class_weight class_weights auto_class_weights is_unbalance unbalance unbalanced_sets", "balanced=balanced true=balanced false= none="},
}

const nothingLikeIt = "leave it out: there is nothing like it"

// Foreigns lists the parameters that do not exist here.
var Foreigns = []Foreign{
	{
		"objective objective_type app application loss loss_function",
		"multiclass softmax multi:softprob multi:softmax binary binary:logistic binary:logitraw logloss log_loss crossentropy deviance " +
			"auto binary_crossentropy categorical_crossentropy",
		"write multiclass or leave it out: only classification with the multinomial log loss is possible",
	},
	{"num_class num_classes classes_count", "*", ""},
	{
		"boosting boosting_type boost booster", "gbdt gbrt gbtree plain",
		"leave it out: only gradient boosting of trees is possible; trim leaves out rows with small gradients, as goss does",
	},
	{"data_sample_strategy sampling_method", "bagging uniform", "leave it out; subsample draws rows, trim leaves out those with small gradients"},
	{"tree_method tree_learner tree tree_type tree_learner_type", "auto hist approx serial", "leave it out: trees grow on histograms, on the CPU"},
	{"device device_type task_type predictor", "cpu auto cpu_predictor", "leave it out or write cpu: training runs on the CPU"},
	{"task", "train training", "leave it out"},
	{"num_machines num_machine", "1", "make the data with Dataset(collective=...)"},

	// Parameters of how to compute, not of what, and options of features that are off.
	{"verbose verbosity silent logging_level", "*", ""},
	{"deterministic force_row_wise force_col_wise histogram_pool_size hist_pool_size max_cached_hist_node single_precision_histogram", "*", ""},
	{"is_enable_sparse is_sparse enable_sparse sparse enable_bundle is_enable_bundle bundle feature_pre_filter", "*", ""},
	{"two_round two_round_loading use_two_round_loading pre_partition is_pre_partition sketch_eps used_ram_limit", "*", ""},
	{"use_quantized_grad num_grad_quant_bins quant_train_renew_leaf stochastic_rounding", "*", ""},
	{"gpu_id gpu_platform_id gpu_device_id devices num_gpu gpu_use_dp gpu_ram_part", "*", ""},
	{"data_random_seed data_seed feature_fraction_seed bagging_seed bagging_fraction_seed extra_seed objective_seed drop_seed", "*", ""},
	{"seed_per_iteration validate_parameters enable_categorical use_label_encoder disable_default_eval_metric importance_type", "*", ""},
	{"allow_writing_files train_dir save_snapshot snapshot_file snapshot_interval snapshot_freq", "*", ""},
	{"metric_period metric_freq output_freq is_provide_training_metric training_metric is_training_metric train_metric", "*", ""},
	{"use_best_model best_model_min_trees first_metric_only eval_at boost_from_average bagging_freq subsample_freq", "*", ""},
	{"min_data_in_bin min_data_per_group max_cat_to_onehot max_cat_group one_hot_max_size max_ctr_complexity", "*", ""},
	{"nan_mode use_missing score_function leaf_estimation_backtracking fold_permutation_block fold_len_multiplier multi_strategy", "*", ""},
	{"sampling_frequency feature_border_type approx_on_full_history allow_const_label diffusion_temperature name custom_metric", "*", ""},
	{"refit_decay_rate linear_lambda sigmoid bagging_by_query saved_feature_importance_type time_out local_listen_port", "*", ""},
	{"top_rate other_rate drop_rate max_drop skip_drop xgboost_dart_mode uniform_drop rate_drop one_drop sample_type normalize_type", "*", ""},

	// Features that only other libraries have.
	{"lambda_l1 reg_alpha alpha l1_regularization", "0", "leave it out: there is no L1 regularization; reg_lambda regularizes"},
	{"monotone_constraints_method monotone_constraining_method mc_method", "basic", "leave it out: constraints hold as with LightGBM's method basic"},
	{"monotone_penalty monotone_splits_penalty ms_penalty mc_penalty", "0", nothingLikeIt},
	{"scale_pos_weight", "1", "leave it out; weigh the classes with class_weight, such as {0: 1, 1: 9}"},
	{"pos_bagging_fraction neg_bagging_fraction", "1", "leave it out; weigh the classes with class_weight, such as {0: 1, 1: 9}"},
	{"bootstrap_type", "bernoulli no", "leave it out or write Bernoulli; subsample draws rows"},
	{"bagging_temperature", "0", "leave it out; subsample draws rows"},
	{"random_strength", "0", "leave it out; subsample and colsample_bynode draw rows and features"},
	{"extra_trees extra_tree", "false 0", "leave it out; colsample_bynode draws features"},
	{"leaf_estimation_method", "newton", "leave it out: a leaf value is a Newton step"},
	{"leaf_estimation_iterations", "1", "leave it out: a leaf value is one Newton step"},
	{"od_type", "iter", "write early_stopping_rounds, a number of iterations"},
	{"od_pval", "0", "write early_stopping_rounds, a number of iterations"},
	{"num_parallel_tree", "1", "leave it out: an iteration grows one tree; for forests, merge models of several seeds"},
	{"base_score", "0.5 auto", "leave it out: scores begin at 0"},
	{"init", "", "leave it out: scores begin at 0; Dataset(init_model=...) continues a model"},
	{"missing", "nan", "leave it out: missing values are NaN; replace others by NaN"},
	{"zero_as_missing", "false 0", "leave it out: missing values are NaN; replace zeros by NaN"},
	{"criterion", "friedman_mse squared_error", "leave it out: the gain of a split is by gradients and Hessians"},
	{"min_samples_split", "2", "leave it out; set min_samples_leaf, the rows of a leaf"},
	{"validation_fraction", "*", ""},
	{"min_weight_fraction_leaf ccp_alpha path_smooth od_wait_fraction", "0", nothingLikeIt},
	{"linear_tree langevin model_shrink_rate posterior_sampling", "false 0", nothingLikeIt},
	{"updater process_type refresh_leaf", "default grow_quantile_histmaker 1 true", nothingLikeIt},
	{"cegb_tradeoff penalties_coefficient", "1", nothingLikeIt},
	{"model_size_reg cegb_penalty_split", "0", nothingLikeIt},
	{
		"forcedsplits_filename forcedbins_filename forced_splits max_bin_by_feature feature_contri cegb_penalty_feature_lazy " +
			"cegb_penalty_feature_coupled feature_weights per_float_feature_quantization first_feature_use_penalties per_object_feature_penalties",
		"", nothingLikeIt,
	},
	{"has_time", "false 0", "leave it out: the order of the rows does not count"},
	{"text_features embedding_features", "", "leave it out: there are no features of texts or embeddings; texts are categories"},
	{"feature_types", "", "leave it out; categorical_features of Dataset lists the features whose numbers are categories"},
	{"warm_start", "false 0", "write init_model, a model to continue"},
	{"ignore_column ignored_features", "", "leave the columns out of x"},
	{"weight_column", "", "write Dataset(x, y, weight=...)"},
}
