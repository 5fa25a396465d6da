# The engine "aoso" of parsnip's boost_tree(), which is registered when both packages are loaded.

register_parsnip <- function() {
  model <- "boost_tree"
  if ("aoso" %in% parsnip::show_engines(model)$engine) return(invisible())
  mode <- "classification"
  parsnip::set_model_engine(model, mode = mode, eng = "aoso")
  parsnip::set_dependency(model, eng = "aoso", pkg = "aoso", mode = mode)
  for (argument in list(
    c("trees", "n_estimators", "trees"), c("learn_rate", "learning_rate", "learn_rate"), c("tree_depth", "max_depth", "tree_depth"),
    c("min_n", "min_samples_leaf", "min_n"), c("loss_reduction", "gamma", "loss_reduction"), c("sample_size", "subsample", "sample_prop")
  )) {
    parsnip::set_model_arg(
      model, eng = "aoso", parsnip = argument[1L], original = argument[2L], func = list(pkg = "dials", fun = argument[3L]), has_submodel = FALSE
    )
  }
  parsnip::set_fit(model, mode = mode, eng = "aoso", value = list(
    interface = "data.frame", protect = c("x", "y", "weights"), func = c(pkg = "aoso", fun = "aoso"), defaults = list()
  ))
  parsnip::set_encoding(model, mode = mode, eng = "aoso", options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE, allow_sparse_x = FALSE
  ))
  for (type in c("class", "prob", "raw")) {
    parsnip::set_pred(model, mode = mode, eng = "aoso", type = type, value = list(
      pre = NULL,
      post = if (type == "prob") function(x, object) as.data.frame(x, optional = TRUE),
      func = c(fun = "predict"),
      args = list(object = quote(object$fit), newdata = quote(new_data), type = type)
    ))
  }
}
