# Data for the library: lists that matrix_of and labels_of of src/input.c read.

as_input <- function(x) {
  if (is.data.frame(x)) return(as_table(x))
  if (methods::is(x, "Matrix")) return(as_sparse(x))
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop("x is ", class(x)[1L], "; allowed: a data frame, a matrix of numbers or a sparse matrix of package Matrix", call. = FALSE)
  }
  names <- colnames(x)
  if (!is.double(x)) storage.mode(x) <- "double" # the library does not know NA of integers
  list("dense", dim(x), x, names = names, dim = dim(x))
}

as_sparse <- function(x) {
  names <- colnames(x)
  if (!inherits(x, "dgCMatrix")) x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  list("sparse", dim(x), x@x, x@p, x@i, names = names, dim = dim(x))
}

as_table <- function(x) {
  columns <- lapply(names(x), function(name) as_column(x[[name]], name))
  dim <- c(nrow(x), ncol(x))
  list("table", dim, columns, names = names(x), dim = dim)
}

# A column of a data frame as a factor, which the library reads as categories, or as doubles. Points in time and durations are seconds.
as_column <- function(column, name) {
  if (is.factor(column)) return(column)
  if (is.character(column)) return(factor(column))
  if (inherits(column, "Date")) return(as.double(column) * 86400)
  if (inherits(column, "POSIXt")) return(as.double(as.POSIXct(column)))
  if (inherits(column, "difftime")) return(as.double(column, units = "secs"))
  if (!is.null(dim(column)) || !(is.numeric(column) || is.logical(column))) {
    stop("column ", name, " is ", class(column)[1L], "; allowed: numbers, logicals, factors, texts, dates, times", call. = FALSE)
  }
  as.double(column)
}

# Labels as positions from 0 in a list of names.
# Soft labels have a column of shares for each class.
is_soft <- function(y) length(dim(y)) == 2L && ncol(y) > 1L

as_shares <- function(y, rows, name) {
  if (nrow(y) != rows) stop(name, " has ", nrow(y), " rows; allowed: ", rows, ", one for each row of x", call. = FALSE)
  if (is.null(colnames(y))) stop(name, " has no column names; allowed: the names of the classes", call. = FALSE)
  list(NULL, colnames(y), as_input(y))
}

as_labels <- function(y, rows, name) {
  if (is_soft(y)) return(as_shares(y, rows, name))
  if (length(y) != rows || !is.atomic(y)) {
    stop(name, " has ", length(y), " labels; allowed: ", rows, ", one for each row of x", call. = FALSE)
  }
  if (anyNA(y)) stop(name, "[", which(is.na(y))[1L], "] is NA; allowed: a label in every row", call. = FALSE)
  classes <- factor(y)
  names <- if (is.logical(y)) c("False", "True")[as.logical(levels(classes)) + 1L] else levels(classes)
  list(as.integer(classes) - 1L, names)
}

# Warns if labels are numbers as regression has: more than a few fractions, or numbers of which most rows have one of their own.
warn_of_quantities <- function(y) {
  few_fractions <- 10L
  few_rows <- 20L
  if (!is.numeric(y) || is_soft(y)) return(invisible())
  values <- unique(y)
  fractions <- values[values != trunc(values)]
  n <- length(values)
  if (length(fractions) && n > few_fractions || 2L * n > length(y) && length(y) > few_rows) {
    warning("y has ", n, " different numbers, such as ", format(c(fractions, values)[1L]), ", and each is a class; aoso has no regression", call. = FALSE)
  }
}

# What a model file notes of the type of labels. Python knows these notes, except for factor.
label_type <- function(y) {
  if (is.factor(y)) return("factor")
  if (is_soft(y)) return("str")
  switch(typeof(y), logical = "bool", integer = "int32", double = "float64", "str")
}

# Class names as labels of the type noted.
as_classes <- function(names, type) {
  if (type == "factor") return(factor(names, levels = names))
  if (type == "bool") return(names == "True")
  if (grepl("^float", type)) return(as.double(names))
  if (!grepl("int", type) && (type != "" || !all(grepl("^(0|-?[1-9][0-9]{0,8})$", names)))) return(names)
  numbers <- as.double(names)
  if (all(abs(numbers) <= .Machine$integer.max)) as.integer(numbers) else numbers
}

# The columns of x that the model has, in its order. Without names, positions count; generated names count only in x that has them all.
select <- function(x, features, name, named = !is.null(features)) {
  given <- colnames(x)
  if (is.null(given) || !named && !setequal(given, features)) {
    if (!is.null(features) && !identical(ncol(x), length(features))) {
      stop(name, " has ", NCOL(x), " columns; allowed: ", length(features), ", the features of the model", call. = FALSE)
    }
    return(x)
  }
  missing <- setdiff(features, given)
  if (length(missing)) stop(name, " lacks the column ", missing[1L], "; allowed: all features of the model", call. = FALSE)
  if (identical(given, features)) x else x[, features, drop = FALSE]
}

# A whole number from least to 2^53, up to which doubles have every one.
whole <- function(value, name, least) {
  if (!is.numeric(value) || length(value) != 1L || !is.finite(value) || value != trunc(value) || value < least || value > 2^53) {
    stop(name, " is ", paste(format(value), collapse = " "), "; allowed: a whole number from ", least, " to 2^53", call. = FALSE)
  }
  as.double(value)
}
