# Labels that are probably wrong.

aoso_suspicious_rows <- function(model, n = NULL, others = list()) {
  if (inherits(others, "aoso")) others <- list(others)
  found <- lapply(c(list(model), others), function(m) {
    if (!inherits(m, "aoso")) stop("model is ", class(m)[1L], "; allowed: a model of aoso", call. = FALSE)
    if (is.null(m$held_out)) stop("model is without held-out rows; allowed: a model of aoso that held rows out, as by default without a validation set", call. = FALSE)
    m$held_out
  })
  rows <- if (length(found) > 1L) averaged(found) else found[[1L]]
  if (is.null(n)) {
    rows <- rows[rows$suspected, ]
  } else {
    rows <- utils::head(rows, whole(n, "n", 1))
  }
  rownames(rows) <- NULL
  rows
}

# What several models say of the same rows.
averaged <- function(found) {
  every <- do.call(rbind, found)
  every <- every[order(every$row, -every$other_prob), ]
  rows <- every[!duplicated(every$row), ]
  of <- match(every$row, rows$row)
  if (any(wrong <- every$label != rows$label[of])) {
    stop("others has another label for row ", every$row[wrong][1L], "; allowed: models of the same rows and labels", call. = FALSE)
  }
  mean_of <- function(values) as.vector(rowsum(values, of)) / tabulate(of)
  rows$prob <- exp(mean_of(log(pmax(every$prob, .Machine$double.xmin))))
  rows$suspected <- mean_of(as.numeric(every$suspected)) > 0.5
  rows[order(rows$prob, rows$row), ]
}
