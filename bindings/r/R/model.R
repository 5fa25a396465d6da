# Models: an external pointer, which belongs to the process, and the bytes of the model, which saveRDS keeps.

new_model <- function(pointer, y = NULL, result = NULL, held_out = NULL) {
  info <- .Call(r_model_info, pointer)
  state <- new.env(parent = emptyenv())
  state$pointer <- pointer
  classes <- as_classes(info[[2L]], info[[4L]][1L])
  model <- list(
    trees = info[[1L]][1L], classes = classes, features = info[[3L]], named = info[[1L]][6L] == 1, temperature = info[[1L]][4L], parameters = parameters_of(info[[4L]][3L]),
    fingerprint = info[[4L]][2L], result = result, bytes = .Call(r_encode, pointer), state = state
  )
  if (is.factor(y)) model$classes <- factor(as.character(classes), levels = levels(y), ordered = is.ordered(y))
  if (!is.null(held_out)) {
    names(held_out) <- c("row", "label", "prob", "other", "other_prob", "suspected")
    held_out[c("label", "other")] <- lapply(held_out[c("label", "other")], function(k) model$classes[k])
    model$held_out <- as.data.frame(held_out, stringsAsFactors = FALSE)
  }
  structure(model, class = "aoso")
}

# The parameters in the JSON text of aoso_model_describe. Constraints are the only values with spaces inside.
parameters_of <- function(description) {
  text <- gsub("\\\\(.)", "\\1", sub('.*"params":"((\\\\.|[^"\\\\])*)".*', "\\1", description))
  items <- regmatches(text, gregexpr("[a-z_0-9]+=([[{].*?[]}](?= [a-z_0-9]+=|$)|[^ ]*)", text, perl = TRUE))[[1L]]
  values <- sub("^[^=]*=", "", items)
  stats::setNames(lapply(values, utils::type.convert, as.is = TRUE), sub("=.*", "", items))
}

# The pointer, made anew from the bytes after readRDS or in another process.
pointer_of <- function(model) {
  if (!inherits(model, "aoso")) stop("model is ", class(model)[1L], "; allowed: a model of aoso or aoso_load", call. = FALSE)
  if (is.null(model$state$pointer) || is_null_pointer(model$state$pointer)) model$state$pointer <- .Call(r_decode, model$bytes)
  model$state$pointer
}

null_pointer <- methods::new("externalptr")
is_null_pointer <- function(pointer) identical(pointer, null_pointer)

aoso_save <- function(model, path) {
  .Call(r_save, pointer_of(model), path.expand(path))
  invisible(path)
}

aoso_load <- function(path) new_model(.Call(r_load, path.expand(path)))

aoso_export <- function(model, format, path, tree = 1L, force = FALSE) {
  .Call(r_export, pointer_of(model), format, tree - 1, path.expand(path), force)
  invisible(path)
}

aoso_importance <- function(model, type = c("gain", "split", "cover")) {
  type <- match.arg(type)
  values <- .Call(r_importance, pointer_of(model), match(type, c("gain", "split", "cover")) - 1L)
  order <- order(-values, seq_along(values))
  out <- data.frame(feature = model$features[order], value = values[order])
  names(out)[2L] <- type
  out
}

aoso_version <- function() {
  info <- .Call(r_build_info)
  field <- function(name) sub(paste0('.*"', name, '":"?([^",]*).*'), "\\1", info)
  c(version = field("version"), level = field("level"), cpu = field("cpu"))
}

print.aoso <- function(x, ...) {
  cat(sprintf("aoso model: %d classes, %d features, %d trees\n", length(x$classes), length(x$features), as.integer(x$trees)))
  if (!is.null(x$call)) cat("call: ", paste(deparse(x$call), collapse = "\n"), "\n", sep = "")
  show <- function(name, e) if (!is.null(e)) cat(sprintf("%s: error rate %.4f, log loss %.4f\n", name, e[["error_rate"]], e[["log_loss"]]))
  show("validation set", x$result$valid)
  show(sprintf("%d rows held out in training", as.integer(x$result$held_out_rows)), x$result$held_out)
  invisible(x)
}

summary.aoso <- function(object, ...) {
  structure(list(model = object, importance = aoso_importance(object)), class = "summary.aoso")
}

print.summary.aoso <- function(x, n = 10L, ...) {
  print(x$model)
  model <- x$model
  more <- if (length(model$classes) > 20L) "..."
  cat("classes:", utils::head(as.character(model$classes), 20L), more, "\n")
  cat(sprintf("temperature: %.4f\nfingerprint: %s\n", model$temperature, model$fingerprint))
  shown <- model$parameters[intersect(c("n_estimators", "max_leaves", "learning_rate", "min_samples_leaf", "reg_lambda", "subsample"), names(model$parameters))]
  cat("parameters:", paste(names(shown), shown, sep = "=", collapse = " "), "\n\n")
  shown <- x$importance[seq_len(min(n, nrow(x$importance))), ]
  print(shown, row.names = FALSE, digits = 4L)
  if (nrow(x$importance) > n) cat(nrow(x$importance) - n, "more features\n")
  invisible(x)
}
