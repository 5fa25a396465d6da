# Labels that are probably wrong.

aoso_suspicious_rows <- function(model, n = NULL) {
  if (!inherits(model, "aoso")) stop("model is ", class(model)[1L], "; allowed: a model of aoso", call. = FALSE)
  rows <- model$held_out
  if (is.null(rows)) stop("model is without held-out rows; allowed: a model of aoso that held rows out, as by default without a validation set", call. = FALSE)
  if (is.null(n)) {
    rows <- rows[rows$suspected, ]
  } else {
    rows <- utils::head(rows, whole(n, "n", 1))
  }
  rownames(rows) <- NULL
  rows
}
