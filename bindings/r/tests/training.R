library(aoso)

error_of <- function(code) tryCatch({ code; "no error" }, error = conditionMessage)
says <- function(code, text) {
  message <- error_of(code)
  if (!grepl(text, message, fixed = TRUE)) stop("the error is \"", message, "\", not \"", text, "\"")
}
quick <- function(...) aoso(..., n_estimators = 20, calibration = "none", nthread = 2)

# Both interfaces train the same model, from a data frame, a matrix and a sparse matrix.
x <- as.matrix(iris[, 1:4])
model <- quick(Species ~ ., data = iris)
stopifnot(
  model$trees == 20, identical(levels(model$classes), levels(iris$Species)), identical(model$features, names(iris)[1:4]),
  quick(x, iris$Species)$fingerprint == model$fingerprint,
  quick(iris[, 1:4], as.character(iris$Species))$fingerprint == model$fingerprint,
  quick(Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width, iris)$fingerprint == model$fingerprint
)
if (requireNamespace("Matrix", quietly = TRUE)) {
  stopifnot(quick(Matrix::Matrix(x, sparse = TRUE), iris$Species)$fingerprint == model$fingerprint)
}

stopifnot(quick(Species ~ ., iris, start = "linear")$parameters$start == "linear")

# Soft labels: shares of 1 are labels.
shares <- outer(as.character(iris$Species), levels(iris$Species), "==") + 0
colnames(shares) <- levels(iris$Species)
stopifnot(quick(x, shares)$fingerprint == model$fingerprint, identical(quick(x, shares)$classes, levels(iris$Species)))
half <- 0.8 * shares + 0.2 / 3
soft <- quick(x, half, valid = list(x = x, y = as.data.frame(half)), early_stopping_rounds = 3)
p <- predict(soft, x, type = "prob")
stopifnot(abs(aoso_evaluate(soft, x, half)[["log_loss"]] + mean(rowSums(half * log(p)))) < 1e-6)
if (requireNamespace("Matrix", quietly = TRUE)) {
  stopifnot(quick(x, Matrix::Matrix(half, sparse = TRUE))$fingerprint == quick(x, half)$fingerprint)
}
says(quick(x, half * 2), "the share of class")
says(quick(x, unname(half)), "y has no column names")
says(quick(x, half[-1, ]), "y has 149 rows; allowed: 150")
says(quick(x, half, class_weights = "balanced"), "allowed with soft labels: NULL")

# The default: rows are held out, and parameters are chosen.
default <- aoso(Species ~ ., iris, nthread = 2)
stopifnot(default$result$held_out_rows == 150, default$result$held_out[["error_rate"]] < 0.1, default$parameters$n_estimators == default$trees)

# Wrong labels are among the held-out rows, also after saveRDS.
wrong <- iris
wrong$Species[c(7, 101)] <- c("virginica", "setosa")
doubtful <- aoso(Species ~ ., wrong, nthread = 2)
file <- tempfile()
saveRDS(doubtful, file)
rows <- aoso_suspicious_rows(readRDS(file), 2)
stopifnot(
  setequal(rows$row, c(7, 101)), identical(rows$label, wrong$Species[rows$row]), rows$other[rows$row == 7] == "setosa", rows$suspected[1L],
  all(aoso_suspicious_rows(doubtful)$suspected), sort(aoso_suspicious_rows(doubtful, 1000)$row) == 1:150,
  diff(aoso_suspicious_rows(doubtful, 150)$prob) >= 0, rows$prob + rows$other_prob < 1 + 1e-9
)
again <- lapply(1:2, function(seed) aoso(Species ~ ., wrong, seed = seed, nthread = 2))
rows <- aoso_suspicious_rows(doubtful, 150, again)
losses <- sapply(c(list(doubtful), again), function(m) with(aoso_suspicious_rows(m, 150), -log(prob)[order(row)]))
votes <- sapply(c(list(doubtful), again), function(m) with(aoso_suspicious_rows(m, 150), suspected[order(row)]))
stopifnot(
  all.equal(-log(rows$prob), sort(rowMeans(losses), decreasing = TRUE)), identical(rows$suspected, (rowMeans(votes) > 0.5)[rows$row]),
  setequal(rows$row[1:2], c(7, 101)), identical(rows$label, wrong$Species[rows$row])
)
says(aoso_suspicious_rows(doubtful, others = list(aoso(Species ~ ., iris, nthread = 2))), "others has another label for row 7; allowed: models of the same")
says(aoso_suspicious_rows(doubtful, others = 3), "model is numeric; allowed: a model of aoso")
says(aoso_suspicious_rows(model), "model is without held-out rows")
says(aoso_suspicious_rows(7), "model is numeric; allowed: a model of aoso")
says(aoso_suspicious_rows(doubtful, 0), "n is 0; allowed: a whole number from 1")

# A validation set takes their place; early stopping.
odd <- seq(1, 150, 2)
watched <- aoso(Species ~ ., iris[odd, ], valid = iris[-odd, ], early_stopping_rounds = 5, n_estimators = 500, nthread = 2)
stopifnot(watched$result$stopped_by == "early_stopping", watched$trees < 500, watched$result$valid[["error_rate"]] < 0.1)
listed <- aoso(x[odd, ], iris$Species[odd], valid = list(x = x[-odd, 4:1], y = iris$Species[-odd]), early_stopping_rounds = 5, n_estimators = 500, nthread = 2)
stopifnot(listed$fingerprint == watched$fingerprint)
warned <- tryCatch(quick(Species ~ ., iris[1:100, ], valid = iris), warning = conditionMessage)
stopifnot(grepl("50 rows of the validation set", warned))

# Weights: a row of weight 2 counts as two rows. Class weights multiply them.
twice <- rep(1:2, 75)
doubled <- quick(x, iris$Species, weights = twice)
stopifnot(
  doubled$fingerprint != model$fingerprint,
  aoso(Species ~ . - count, cbind(iris, count = twice), count, n_estimators = 20, calibration = "none", nthread = 2)$fingerprint ==
    doubled$fingerprint,
  quick(x, iris$Species, class_weights = c(setosa = 2, versicolor = 2, virginica = 2))$fingerprint ==
    quick(x, iris$Species, weights = rep(2, 150))$fingerprint,
  quick(x, iris$Species, class_weights = "balanced")$fingerprint == model$fingerprint
)

# Groups are held out as a whole, and the latest rows.
flower <- rep(1:30, 5)
grouped <- aoso(Species ~ ., iris, groups = paste("flower", flower), nthread = 2)
stopifnot(grouped$result$held_out_rows > 0, grouped$fingerprint == aoso(x, iris$Species, groups = flower, nthread = 2)$fingerprint)
day <- as.Date("2024-01-01") + rep(1:50, 3)
timed <- aoso(Species ~ ., iris, times = day, nthread = 2)
stopifnot(timed$result$held_out_rows == 30, timed$fingerprint == aoso(x, iris$Species, times = as.numeric(day), nthread = 2)$fingerprint)
says(aoso(x, iris$Species, groups = 1:3), "groups has length 3; allowed: 150 values without NA, one for each row")
says(aoso(x, iris$Species, groups = c(NA, 2:150)), "groups has length 150 and NA; allowed: 150 values")
says(aoso(x, iris$Species, times = rep("a", 150)), "times is character of length 150; allowed: 150 numbers, dates or times")
says(aoso(x, iris$Species, groups = flower, times = day), "times is 150; allowed: none with groups")
says(aoso(x, iris$Species, groups = rep(1, 150)), "at least 2 groups")

# Constraints as lists and vectors.
risen <- quick(x, iris$Species, monotone_constraints = list(Petal.Width = c(setosa = -1, virginica = 1)))
raw <- predict(risen, cbind(x[rep(71, 20), 1:3], Petal.Width = 1:20 / 8), type = "raw")
stopifnot(all(diff(raw[, "virginica"]) >= 0), all(diff(raw[, "setosa"]) <= 0), risen$fingerprint != model$fingerprint)
alone <- quick(x, iris$Species, interaction_constraints = list(c("Petal.Width", "Petal.Length"), list("Sepal.Width")))
stopifnot(alone$parameters$interaction_constraints == '[["Petal.Width","Petal.Length"],["Sepal.Width"]]')

# A callback sees each iteration, and can end training.
seen <- NULL
stopped <- aoso(Species ~ ., iris, n_estimators = 50, calibration = "none", nthread = 2, callback = function(now) {
  seen <<- c(seen, now$train_loss)
  now$iteration == 7
})
stopifnot(length(seen) == 7, stopped$trees == 7, stopped$result$stopped_by == "interrupt", all(diff(seen) < 0))
says(quick(Species ~ ., iris, callback = function(now) stop("no more")), "no more")
lines <- capture.output(invisible(quick(Species ~ ., iris, verbose = 10)), type = "message")
stopifnot(length(lines) == 2, grepl("^train 20: training log loss 0", lines[2]))

# Ctrl-C ends training, also twice.
interrupted <- tryCatch({
  quick(Species ~ ., iris, callback = function(now) for (i in 1:2) tools::pskill(Sys.getpid(), tools::SIGINT))
  "finished"
}, interrupt = function(e) "interrupted")
stopifnot(interrupted == "interrupted", quick(Species ~ ., iris)$fingerprint == model$fingerprint)

# Errors name the argument, the value and what is allowed.
says(quick(Species ~ ., iris, no_such = 1), "\"no_such\"; allowed: method, leaf")
says(quick(Species ~ ., iris, max_leaves = 1), "max_leaves")
says(quick(Species ~ ., iris, max_leaves = 1:2), "max_leaves has 2 values")
says(quick(x, iris$Species, 7), "weights has length 1; allowed: 150 numbers")
says(quick(x, iris$Species[-1]), "y has 149 labels; allowed: 150")
says(quick(x, c(NA, 1:149)), "y[1] is NA")
says(quick(x, iris$Species, valid = 3), "valid is numeric")
says(quick(x, iris$Species, class_weights = c(rose = 1)), "class_weights has rose")
says(quick(Species ~ Sepal.Width:Petal.Width, iris), "the term Sepal.Width:Petal.Width")
says(quick(~Sepal.Width, iris), "formula has no response")
says(quick(letters, iris$Species), "x is character")
