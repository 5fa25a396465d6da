# Training.

aoso <- function(x, ...) UseMethod("aoso")

aoso.formula <- function(formula, data, weights, valid = NULL, ...) {
  call <- match.call()
  frame_call <- match.call(expand.dots = FALSE)
  frame_call <- frame_call[c(1L, match(c("formula", "data", "weights"), names(frame_call), 0L))]
  frame_call[[1L]] <- quote(stats::model.frame)
  frame_call$na.action <- quote(stats::na.pass)
  frame <- eval(frame_call, parent.frame())
  terms <- stats::terms(frame)
  if (attr(terms, "response") == 0L) stop("formula has no response; allowed: class ~ predictors", call. = FALSE)
  if (!is.null(valid) && is.data.frame(valid)) {
    valid_frame <- stats::model.frame(terms, valid, na.action = stats::na.pass)
    valid <- list(x = predictors(terms, valid_frame), y = stats::model.response(valid_frame))
  }
  model <- fit(predictors(terms, frame), stats::model.response(frame), stats::model.weights(frame), valid, ...)
  model$terms <- stats::delete.response(terms)
  model$call <- call
  model
}

aoso.default <- function(x, y, weights = NULL, valid = NULL, ...) {
  model <- fit(x, y, weights, valid, ...)
  model$call <- match.call()
  model
}

# The variables of a model frame on the right of the formula.
predictors <- function(terms, frame) {
  labels <- attr(terms, "term.labels")
  variables <- gsub("^`|`$", "", labels)
  unknown <- labels[!variables %in% names(frame)]
  if (length(unknown)) {
    stop("formula has the term ", unknown[1L], "; allowed: variables and functions of them, as trees find interactions themselves",
      call. = FALSE)
  }
  frame[variables]
}

fit <- function(x, y, weights, valid, class_weights = NULL, groups = NULL, times = NULL, callback = NULL, verbose = FALSE,
                max_bin = 255L, ...) {
  input <- as_input(x)
  rows <- input$dim[1L]
  labels <- as_labels(y, rows, "y")
  warn_of_quantities(y)
  weights <- as_weights(weights, rows, "weights")
  state <- new.env(parent = emptyenv())
  out <- .Call(
    r_train, input, labels, weigh_classes(weights, labels, class_weights), input$names, as_valid(valid, input$names),
    parameters_text(...), as.integer(max_bin), watcher(callback, verbose, state), label_type(y),
    as_groups(groups, rows), as_times(times, rows)
  )
  if (!is.null(state$error)) stop(state$error)
  new_model(out[[1L]], y, as_result(out[[2L]]), out[[3L]])
}

as_valid <- function(valid, names) {
  if (is.null(valid)) return(NULL)
  if (!is.list(valid) || is.null(valid$x) || is.null(valid$y)) {
    stop("valid is ", class(valid)[1L], "; allowed: list(x = , y = , weights = ), or a data frame with a formula", call. = FALSE)
  }
  input <- as_input(select(valid$x, names, "valid$x"))
  list(input, as_labels(valid$y, input$dim[1L], "valid$y"), as_weights(valid$weights, input$dim[1L], "valid$weights"))
}

as_weights <- function(weights, rows, name) {
  if (is.null(weights)) return(NULL)
  if (!is.numeric(weights) || length(weights) != rows) {
    stop(name, " has length ", length(weights), "; allowed: ", rows, " numbers, one for each row", call. = FALSE)
  }
  as.double(weights)
}

# The group of each row, as a number.
as_groups <- function(groups, rows) {
  if (is.null(groups)) return(NULL)
  if (!is.atomic(groups) || length(groups) != rows || anyNA(groups)) {
    stop("groups has length ", length(groups), if (anyNA(groups)) " and NA", "; allowed: ", rows, " values without NA, one for each row", call. = FALSE)
  }
  as.double(match(groups, unique(groups)))
}

# The time of each row, as a number.
as_times <- function(times, rows) {
  if (is.null(times)) return(NULL)
  if (!(is.numeric(times) || inherits(times, c("Date", "POSIXt"))) || length(times) != rows) {
    stop("times is ", class(times)[1L], " of length ", length(times), "; allowed: ", rows, " numbers, dates or times, one for each row", call. = FALSE)
  }
  as.double(if (inherits(times, "POSIXt")) as.POSIXct(times) else times)
}

# The weights of the rows, multiplied by those of their classes.
weigh_classes <- function(weights, labels, class_weights) {
  if (is.null(class_weights)) return(weights)
  if (is.null(labels[[1L]])) stop("class_weights is given; allowed with soft labels: NULL", call. = FALSE)
  of_row <- labels[[1L]] + 1L
  names <- labels[[2L]]
  if (is.null(weights)) weights <- rep(1, length(of_row))
  if (identical(class_weights, "balanced")) {
    total <- vapply(seq_along(names), function(k) sum(weights[of_row == k]), 0)
    of_class <- sum(weights) / (length(names) * total)
  } else {
    unknown <- setdiff(names(class_weights), names)
    if (!is.numeric(class_weights) || is.null(names(class_weights)) || length(unknown)) {
      stop("class_weights has ", if (length(unknown)) unknown[1L] else class(class_weights)[1L],
        "; allowed: \"balanced\", or numbers that have the names of classes", call. = FALSE)
    }
    of_class <- stats::setNames(rep(1, length(names)), names)
    of_class[names(class_weights)] <- class_weights
  }
  weights * unname(of_class)[of_row]
}

# What r_train calls after each iteration: a function of numbers. R may not jump out of the library, so errors wait in state.
watcher <- function(callback, verbose, state) {
  if (is.null(callback) && !verbose) return(NULL)
  if (!is.null(callback)) callback <- match.fun(callback)
  function(numbers) {
    tryCatch({
      now <- list(
        phase = phases[numbers[1L] + 1L], iteration = numbers[2L], trees = numbers[3L], seconds = numbers[4L], train_loss = numbers[5L],
        valid_loss = numbers[6L], valid_error = numbers[7L]
      )
      if (verbose && (now$iteration %% verbose == 0 || numbers[8L] != 0)) message(progress_line(now))
      !is.null(callback) && isTRUE(as.logical(callback(now)))
    }, error = function(e) {
      state$error <- e
      TRUE
    })
  }
}

phases <- c("train", "holdout")

progress_line <- function(now) {
  valid <- if (is.na(now$valid_loss)) "" else sprintf(", validation log loss %.4f, error %.4f", now$valid_loss, now$valid_error)
  sprintf("%s %d: training log loss %.4f%s", now$phase, as.integer(now$iteration), now$train_loss, valid)
}

stop_reasons <- c("running", "stop_loss", "trees", "early_stopping", "interrupt", "no_split", "time_limit")

as_result <- function(out) {
  n <- out[[1L]]
  evaluation <- function(v) if (!is.null(v)) stats::setNames(v, c("errors", "error_rate", "log_loss"))
  list(
    phase = phases[n[1L] + 1L], stopped_by = stop_reasons[n[2L] + 1L], iterations = n[3L], best_iteration = n[4L], train_loss = n[5L],
    seconds = n[6L], valid = evaluation(out[[2L]]), held_out_rows = n[7L], held_out = evaluation(out[[3L]])
  )
}
