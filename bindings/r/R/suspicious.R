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

# A whole number from least to 2^53, up to which doubles have every one.
whole <- function(value, name, least) {
  if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value != trunc(value) || value < least || value > 2^53) {
    stop(name, " is ", paste(format(value), collapse = " "), "; allowed: a whole number from ", least, " to 2^53", call. = FALSE)
  }
  as.double(value)
}
