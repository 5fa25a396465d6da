# Columns of numbers that are codes of categories.

aoso_suggest_codes <- function(x, y, weights = NULL, seed = 0, nthread = 0) {
  input <- as_input(x)
  rows <- input$dim[1L]
  found <- .Call(
    r_suggest_codes, input, as_labels(y, rows, "y"), as_weights(weights, rows, "weights"), whole(seed, "seed", 0), nthread
  )
  names(found) <- c("feature", "values", "gain", "error", "suggested")
  names <- if (is.null(input$names)) paste0("f", seq_len(input$dim[2L]) - 1L) else input$names
  found$feature <- names[found$feature]
  as.data.frame(found, stringsAsFactors = FALSE)
}
