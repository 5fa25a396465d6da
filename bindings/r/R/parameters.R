# Parameters as the text that the library reads: "n_estimators=100 learning_rate=0.1".

parameters_text <- function(...) {
  values <- list(...)
  if (length(values) == 0L) return("")
  names <- names(values)
  if (is.null(names) || any(names == "")) stop("an argument has no name; allowed: parameters such as n_estimators = 100", call. = FALSE)
  paste(names, mapply(parameter_text, names, values), sep = "=", collapse = "\n")
}

nested <- c("monotone_constraints", "interaction_constraints")

parameter_text <- function(name, value) {
  if (name %in% nested && !is.character(value)) return(json(value))
  if (length(value) != 1L || is.na(value)) stop(name, " has ", length(value), " values; allowed: one", call. = FALSE)
  if (is.character(value) && !name %in% nested && grepl("[[:space:],]", value)) {
    stop(name, " is \"", value, "\"; allowed: one word", call. = FALSE)
  }
  if (is.numeric(value)) sprintf("%.17g", value) else as.character(value)
}

# Lists and vectors as JSON: with names an object, else an array. A single number is a number only inside an object.
json <- function(value, inside = FALSE) {
  if (inside && length(value) == 1L && !is.list(value)) return(json_scalar(value))
  parts <- vapply(as.list(value), function(element) if (is.list(element)) json(element) else json(element, TRUE), "")
  if (is.null(names(value))) return(paste0("[", paste(parts, collapse = ","), "]"))
  paste0("{", paste(vapply(names(value), json_scalar, ""), parts, sep = ":", collapse = ","), "}")
}

json_scalar <- function(value) if (is.character(value)) encodeString(enc2utf8(value), quote = "\"") else sprintf("%.17g", value)
