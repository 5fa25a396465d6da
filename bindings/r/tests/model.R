library(aoso)

says <- function(code, text) {
  message <- tryCatch({ code; "no error" }, error = conditionMessage)
  if (!grepl(text, message, fixed = TRUE)) stop("the error is \"", message, "\", not \"", text, "\"")
}

stopifnot(aoso_version()[["version"]] == utils::packageVersion("aoso"))

model <- aoso(Species ~ log(Petal.Width) + . - Sepal.Width, iris, nthread = 2)
x <- iris[c(1:3, 51:53, 101:103), 1:4]
stopifnot(identical(model$features, c("log(Petal.Width)", "Sepal.Length", "Petal.Length", "Petal.Width")))

# Kinds of predictions agree.
probabilities <- predict(model, x, type = "prob")
raw <- predict(model, x, type = "raw")
softmax <- exp(raw / model$temperature)
stopifnot(
  identical(predict(model, x), factor(colnames(probabilities)[max.col(probabilities, "first")], levels(iris$Species))),
  all.equal(probabilities, softmax / rowSums(softmax)),
  identical(colnames(raw), levels(iris$Species)),
  identical(dim(predict(model, x, type = "leaf")), c(9L, as.integer(model$trees))),
  min(predict(model, x, type = "leaf")) == 1,
  identical(dim(predict(model, x, type = "leaf", trees = 2)), c(9L, 2L)),
  !identical(predict(model, x, type = "raw", trees = 2), raw)
)
shap <- predict(model, x, type = "shap")
stopifnot(identical(dim(shap), c(9L, 5L, 3L)), all.equal(apply(shap, c(1, 3), sum), unname(raw), check.attributes = FALSE))
sets <- predict(model, iris, type = "set", alpha = 0.05)
stopifnot(is.logical(sets), mean(sets[cbind(1:150, as.integer(iris$Species))]) >= 0.93)
says(predict(model, x, type = "set", alpha = 2), "alpha")
prob <- predict(model, iris, type = "prob")
costs <- matrix(c(0, 1, 9, 2, 0, 1, 3, 4, 0), 3)
decided <- predict(model, iris, type = "decision", costs = costs)
stopifnot(identical(decided, factor(colnames(prob)[apply(prob %*% costs, 1, which.min)], levels(iris$Species))))
named <- costs[3:1, ]
rownames(named) <- rev(colnames(prob))
stopifnot(identical(predict(model, iris, type = "decision", costs = named), decided))
stopifnot(identical(predict(model, iris, type = "decision", abstain = 2), predict(model, iris)))
unsure <- predict(model, iris, type = "decision", abstain = 0.02)
stopifnot(identical(is.na(unsure), unname(apply(prob, 1, max) < 0.98)), any(is.na(unsure)), !all(is.na(unsure)))
colnames(costs) <- c("keep", "sell", "ask")
stopifnot(all(predict(model, iris, type = "decision", costs = costs) %in% colnames(costs)))
says(predict(model, iris, type = "decision"), "costs is NULL")
says(predict(model, iris, type = "decision", costs = costs[1:2, ]), "3 rows of finite numbers")
says(predict(model, iris, type = "decision", costs = matrix(0, 3, 2)), "2 columns without names")
says(predict(model, iris, type = "decision", abstain = NaN), "abstain is NaN")
says(predict(model, iris, abstain = 1), "have no effect")
says(predict(model, as.matrix(x)), "newdata is matrix; allowed: a data frame")
says(predict(model, x, trees = -1), "trees")

# Evaluation.
measured <- aoso_evaluate(model, iris, iris$Species)
truth <- predict(model, iris, type = "prob")[cbind(1:150, as.integer(iris$Species))]
stopifnot(measured[["errors"]] == sum(predict(model, iris) != iris$Species), all.equal(measured[["log_loss"]], mean(-log(truth))))
unknown <- tryCatch(aoso_evaluate(model, iris, rep("rose", 150)), error = conditionMessage)
stopifnot(grepl("150 rows of unknown classes (such as rose)", unknown, fixed = TRUE))
mostly <- tryCatch(aoso_evaluate(model, iris, c("setosa", rep("rose", 149))), warning = conditionMessage)
stopifnot(grepl("149 of the 150 labels", mostly, fixed = TRUE))
halves <- aoso_evaluate(model, iris, iris$Species, weights = rep(0:1, each = 75))
stopifnot(all.equal(halves[["log_loss"]], mean(-log(truth[76:150]))))

# What a model shows.
shown <- capture.output(print(model))
stopifnot(grepl("3 classes, 4 features", shown[1]), any(grepl("150 rows held out in training: error rate 0.0", shown)))
stopifnot(any(grepl("setosa versicolor virginica", capture.output(print(summary(model))))))
importance <- aoso_importance(model)
stopifnot(identical(names(importance), c("feature", "gain")), setequal(importance$feature, model$features), all(diff(importance$gain) <= 0))
stopifnot(identical(names(aoso_importance(model, "cover")), c("feature", "cover")))

# Files. saveRDS keeps all, aoso_save the model itself.
file <- tempfile()
saveRDS(model, file)
again <- readRDS(file)
stopifnot(identical(predict(again, x, type = "raw"), raw), identical(again$result, model$result))
aoso_save(again, file)
loaded <- aoso_load(file)
stopifnot(loaded$fingerprint == model$fingerprint, is.null(loaded$result))
columns <- cbind(x, "log(Petal.Width)" = log(x$Petal.Width))
stopifnot(identical(predict(loaded, columns, type = "raw"), raw))
says(aoso_load(tempfile()), "no such file")
writeLines("not a model", file)
says(aoso_load(file), "aoso")
says(aoso_save(3, file), "model is numeric")
stopifnot(grepl("digraph", readLines(aoso_export(model, "dot", file, tree = 2))[1]))
says(aoso_export(model, "pdf", file), "\"pdf\"")

# A process that was forked says why it cannot go on.
if (.Platform$OS.type == "unix") {
  job <- parallel::mcparallel(tryCatch({ predict(model, x); "no error" }, error = conditionMessage))
  stopifnot(grepl("fork", parallel::mccollect(job)[[1]]))
}
