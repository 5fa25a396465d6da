# The engine of parsnip and the learner of mlr3. Both are tested where the packages are installed.
library(aoso)

has <- function(...) {
  missing <- Filter(function(package) !requireNamespace(package, quietly = TRUE), c(...))
  if (length(missing)) message("not tested, as packages are missing: ", paste(missing, collapse = ", "))
  !length(missing)
}
odd <- seq(1, 150, 2)
levels(iris$Species) <- c(levels(iris$Species), "unseen")

if (has("parsnip")) {
  spec <- parsnip::set_engine(parsnip::boost_tree("classification", trees = 20, learn_rate = 0.3), "aoso", calibration = "none", nthread = 2)
  fitted <- parsnip::fit(spec, Species ~ ., iris[odd, ])
  same <- aoso(iris[odd, 1:4], iris$Species[odd], n_estimators = 20, learning_rate = 0.3, calibration = "none", nthread = 2)
  class <- predict(fitted, iris[-odd, ])
  prob <- predict(fitted, iris[-odd, ], type = "prob")
  stopifnot(
    identical(fitted$fit$fingerprint, same$fingerprint), identical(class$.pred_class, predict(same, iris[-odd, ])),
    identical(names(prob), paste0(".pred_", levels(iris$Species))), all(prob$.pred_unseen == 0),
    all.equal(as.matrix(prob), predict(same, iris[-odd, ], type = "prob"), check.attributes = FALSE)
  )
}

if (has("mlr3", "paradox", "R6")) {
  task <- mlr3::as_task_classif(iris, target = "Species")
  learner <- mlr3::lrn("classif.aoso", predict_type = "prob", n_estimators = 20, calibration = "none")
  learner$train(task, odd)
  prediction <- learner$predict(task, setdiff(1:150, odd))
  same <- aoso(iris[odd, task$feature_names], iris$Species[odd], n_estimators = 20, calibration = "none")
  prob <- predict(same, iris[-odd, ], type = "prob")
  stopifnot(
    identical(learner$model$fingerprint, same$fingerprint), all.equal(prediction$prob[, colnames(prob)], prob, check.attributes = FALSE),
    prediction$score(mlr3::msr("classif.acc")) > 0.9, setequal(names(learner$importance()), task$feature_names)
  )
}
