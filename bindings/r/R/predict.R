# Predictions.

predict.aoso <- function(object, newdata, type = c("class", "response", "prob", "raw", "leaf", "shap", "set", "decision"), trees = 0, alpha = 0.1,
                         nthread = 0, costs = NULL, abstain = NULL, ...) {
  type <- match.arg(type)
  if (type == "decision") return(decide(object, newdata, costs, abstain, trees, nthread))
  if (!is.null(costs) || !is.null(abstain)) stop("costs and abstain have no effect on type = \"", type, "\"; allowed: type = \"decision\"", call. = FALSE)
  if (type == "response") type <- "class"
  pointer <- pointer_of(object)
  input <- as_input(new_rows(object, newdata))
  rows <- input$dim[1L]
  if (type == "set") {
    out <- matrix(.Call(r_predict_set, pointer, input, alpha, nthread) == 1L, ncol = rows)
    return(with_absent(object, in_order(object, out), FALSE))
  }
  out <- .Call(r_predict, pointer, input, type, trees, nthread)
  switch(type,
    class = object$classes[out + 1L],
    leaf = t(matrix(out, ncol = rows)) + 1L,
    shap = contributions(object, out, rows),
    prob = with_absent(object, in_order(object, matrix(out, ncol = rows)), 0),
    raw = in_order(object, matrix(out, ncol = rows))
  )
}

# The decision of the least expected cost for each row, the first where some tie.
decide <- function(model, newdata, costs, abstain, trees, nthread) {
  prob <- stats::predict(model, newdata, "prob", trees = trees, nthread = nthread)
  classes <- colnames(prob)
  if (is.null(costs) && is.null(abstain)) stop("costs is NULL; allowed: a row for each class and a column for each decision, or abstain", call. = FALSE)
  if (is.null(costs)) costs <- 1 - diag(length(classes))
  if (!is.matrix(costs) || !is.numeric(costs) || nrow(costs) != length(classes) || ncol(costs) < 1L || !all(is.finite(costs))) {
    stop("costs is not a matrix of ", length(classes), " rows of finite numbers, one for each class: ", paste(classes, collapse = ", "), call. = FALSE)
  }
  if (!is.null(rownames(costs))) {
    if (!setequal(rownames(costs), classes)) {
      stop("costs has rows for ", paste(rownames(costs), collapse = ", "), "; allowed: ", paste(classes, collapse = ", "), call. = FALSE)
    }
    costs <- costs[classes, , drop = FALSE]
  }
  decisions <- colnames(costs)
  if (is.null(decisions)) {
    if (ncol(costs) != length(classes)) stop("costs has ", ncol(costs), " columns without names; allowed: names, or a column for each class", call. = FALSE)
    decisions <- classes
  }
  if (!is.null(abstain)) {
    if (!is.numeric(abstain) || length(abstain) != 1L || !is.finite(abstain)) stop("abstain is ", format(abstain), "; allowed: a finite number", call. = FALSE)
    costs <- cbind(costs, abstain)
  }
  decided <- c(decisions, NA)[max.col(-prob %*% costs, ties.method = "first")]
  if (!setequal(decisions, classes)) return(decided)
  if (is.factor(model$classes)) return(factor(decided, levels(model$classes)))
  model$classes[match(decided, as.character(model$classes))]
}

# newdata as the features of the model.
new_rows <- function(model, newdata) {
  if (is.null(model$terms)) return(select(newdata, model$features, "newdata", model$named))
  if (!is.data.frame(newdata)) stop("newdata is ", class(newdata)[1L], "; allowed: a data frame", call. = FALSE)
  frame <- stats::model.frame(model$terms, newdata, na.action = stats::na.pass)
  predictors(model$terms, frame)
}

# A matrix with a row for each class, in the order of the model, as a matrix with a column for each class.
in_order <- function(model, out) {
  rownames(out) <- as.character(model$classes)
  t(out[class_order(model), , drop = FALSE])
}

# A matrix with a column for each class, and columns of a value for levels that no label of training had.
with_absent <- function(model, out, value) {
  levels <- if (is.factor(model$classes)) levels(model$classes) else colnames(out)
  all <- matrix(value, nrow(out), length(levels), dimnames = list(rownames(out), levels))
  all[, colnames(out)] <- out
  all
}

# Classes of a factor come in the order of its levels, others in that of the model.
class_order <- function(model) if (is.factor(model$classes)) order(model$classes) else seq_along(model$classes)

contributions <- function(model, out, rows) {
  names <- list(c(model$features, "bias"), as.character(model$classes), NULL)
  out <- array(out, c(length(names[[1L]]), length(names[[2L]]), rows), names)
  aperm(out[, class_order(model), , drop = FALSE], c(3L, 1L, 2L))
}

aoso_evaluate <- function(model, newdata, y, weights = NULL, trees = 0, nthread = 0) {
  pointer <- pointer_of(model)
  input <- as_input(new_rows(model, newdata))
  rows <- input$dim[1L]
  out <- .Call(r_evaluate, pointer, input, as_labels(y, rows, "y"), as_weights(weights, rows, "weights"), trees, nthread)
  stats::setNames(out, c("errors", "error_rate", "log_loss"))
}
