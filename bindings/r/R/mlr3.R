# The learner lrn("classif.aoso") of mlr3, which is registered when both packages are loaded.

register_mlr3 <- function() {
  class <- mlr3_learner()
  mlr3::mlr_learners$add("classif.aoso", function() class$new())
}

mlr3_learner <- function() {
  R6::R6Class("LearnerClassifAoso",
    inherit = mlr3::LearnerClassif,
    public = list(
      initialize = function() {
        types <- c("logical", "integer", "numeric", "character", "factor", "ordered", "POSIXct", "Date")
        super$initialize(
          id = "classif.aoso", param_set = mlr3_parameters(), packages = "aoso", predict_types = c("response", "prob"),
          feature_types = intersect(types, mlr3::mlr_reflections$task_feature_types),
          properties = c("twoclass", "multiclass", "missings", "weights", "importance"), label = "AOSO-LogitBoost"
        )
      },
      importance = function() {
        if (is.null(self$model)) stop("the learner has no model; allowed: importance() after training", call. = FALSE)
        gain <- aoso_importance(self$model)
        stats::setNames(gain$gain, gain$feature)
      }
    ),
    private = list(
      .train = function(task) {
        # Newer versions of mlr3 have .get_weights.
        weights <- if (is.function(private$.get_weights)) private$.get_weights(task) else task$weights$weight
        model <- do.call(aoso, c(list(features_of(task), task$truth(), weights = weights), self$param_set$get_values(tags = "train")))
        model$call <- NULL # it has the rows
        model
      },
      .predict = function(task) {
        type <- self$predict_type
        values <- self$param_set$get_values(tags = "predict")
        stats::setNames(list(do.call(stats::predict, c(list(self$model, features_of(task), type = type), values))), type)
      }
    )
  )
}

features_of <- function(task) as.data.frame(task$data(cols = task$feature_names), optional = TRUE)

# Parameters of training. Those without a value are chosen for the data.
mlr3_parameters <- function() {
  whole <- function(lower, upper = Inf) paradox::p_int(lower, upper, tags = "train")
  number <- function(lower, upper = Inf) paradox::p_dbl(lower, upper, tags = "train")
  one_of <- function(...) paradox::p_fct(c(...), tags = "train")
  parameters <- paradox::ps(
    preset = one_of("auto", "fast", "best", "paper"), n_estimators = whole(1), max_leaves = whole(2, 65536), learning_rate = number(0, 1),
    max_depth = whole(0), min_samples_leaf = whole(1), gamma = number(0), reg_lambda = number(0), subsample = number(0, 1),
    colsample_bytree = number(0, 1), colsample_bynode = number(0, 1), ensemble = whole(0), time_limit = number(0),
    calibration = one_of("auto", "holdout", "folds", "none"), class_weights = paradox::p_uty(tags = "train"), seed = whole(0),
    nthread = paradox::p_int(0, tags = c("train", "predict"))
  )
  parameters$values <- list(nthread = 1L) # mlr3 runs several learners at once
  parameters
}
