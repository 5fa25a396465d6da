library(aoso)

says <- function(code, text) {
  message <- tryCatch({ code; "no error" }, error = conditionMessage)
  if (!grepl(text, message, fixed = TRUE)) stop("the error is \"", message, "\", not \"", text, "\"")
}
quick <- function(...) aoso(..., n_estimators = 20, calibration = "none", nthread = 2)

# The class depends on a factor alone. NA and unused levels are missing, and no class of their own.
n <- 300
city <- factor(rep(c("Oslo", "Rome", "Paris", NA, "Bern", "Roma"), length.out = n), levels = c("unused", "Rome", "Roma", "Oslo", "Paris", "Bern"))
frame <- data.frame(city, age = seq_len(n) %% 7, class = ifelse(city %in% c("Oslo", "Bern"), "north", "south"))
model <- quick(class ~ city + age, frame)
stopifnot(
  identical(predict(model, frame), frame$class),
  identical(predict(model, data.frame(city = c("Bern", "Rome", NA, "Atlantis"), age = 1)), c("north", "south", "south", "south")),
  identical(quick(frame[1:2], frame$class)$fingerprint, model$fingerprint)
)
texts <- transform(frame, city = as.character(city))
stopifnot(quick(class ~ city + age, texts)$fingerprint == model$fingerprint, identical(predict(model, texts), frame$class))
levels(frame$city) <- c("unused", "Z\u00fcrich", "Roma", "Oslo", "Paris", "Bern")
stopifnot(identical(predict(quick(class ~ city, frame), frame), frame$class))

# Integers and logicals with NA, dates, times and durations are numbers.
day <- as.Date("2026-11-23") + seq_len(n)
frame <- data.frame(
  whole = c(NA, seq_len(n - 1)), flag = rep(c(TRUE, FALSE, NA), n / 3), day, time = as.POSIXct(day), span = as.difftime(seq_len(n), units = "mins")
)
frame$listed <- as.POSIXlt(day)
stopifnot(all(predict(quick(frame, frame$flag %in% TRUE), frame) == frame$flag %in% TRUE))
numbers <- data.frame(
  whole = as.double(frame$whole), flag = as.double(frame$flag), day = as.double(day) * 86400, time = as.double(as.POSIXct(day)),
  span = seq_len(n) * 60, listed = as.double(as.POSIXct(day))
)
label <- rep(1:3, length.out = n)
stopifnot(quick(frame, label)$fingerprint == quick(numbers, label)$fingerprint)
integers <- matrix(c(NA, 1:299, 300:1), ncol = 2)
doubles <- integers
storage.mode(doubles) <- "double"
stopifnot(quick(integers, label)$fingerprint == quick(doubles, label)$fingerprint)
says(quick(data.frame(i = I(as.list(seq_len(n)))), label), "column i is")
says(quick(data.frame(i = complex(n)), label), "column i is complex")

# Labels come back as they were.
x <- as.matrix(iris[, 1:4])
back <- function(y) {
  model <- quick(x, y)
  file <- tempfile()
  aoso_save(model, file)
  stopifnot(identical(predict(aoso_load(file), x, type = "raw")[, as.character(model$classes)], predict(model, x, type = "raw")[, as.character(model$classes)]))
  list(model = predict(model, x), loaded = predict(aoso_load(file), x))
}
code <- as.integer(iris$Species)
for (y in list(c(-3L, 10L, 9L)[code], c(0.5, -1, 1e10)[code], code == 2, c("b", "a", "B")[code], c("10", "9", "1")[code])) {
  found <- back(y)
  stopifnot(identical(typeof(found$model), typeof(y)), mean(found$model == y) > 0.95, identical(found$loaded, found$model))
}
backwards <- factor(iris$Species, levels = rev(c("unused", levels(iris$Species))), ordered = TRUE)
found <- back(backwards)
stopifnot(
  identical(levels(found$model), levels(backwards)), is.ordered(found$model), mean(found$model == backwards) > 0.95,
  is.factor(found$loaded), identical(as.character(found$loaded), as.character(found$model)),
  identical(colnames(predict(quick(x, backwards), x, type = "raw")), c("virginica", "versicolor", "setosa"))
)

# Levels that training did not see keep their column of probabilities, which is 0, and are in no set.
model <- aoso(x, backwards, nthread = 2)
prob <- predict(model, x, type = "prob")
seen <- c("virginica", "versicolor", "setosa")
stopifnot(
  identical(colnames(prob), levels(backwards)), all(prob[, "unused"] == 0), all.equal(rowSums(prob), rep(1, 150), check.attributes = FALSE),
  identical(colnames(prob)[max.col(prob)], as.character(predict(model, x))),
  identical(predict(model, x, type = "response"), predict(model, x, type = "class")),
  identical(colnames(predict(model, x, type = "set")), levels(backwards)), !any(predict(model, x, type = "set")[, "unused"]),
  identical(predict(aoso_load(aoso_save(model, tempfile())), x, type = "prob")[, seen], prob[, seen])
)

# A response of regression warns, and one of class numbers does not.
warned <- function(y) tryCatch({ quick(x, y); "no warning" }, warning = conditionMessage)
stopifnot(
  grepl("y has 35 different numbers, such as 5.1, and each is a class; aoso has no regression", warned(iris$Sepal.Length), fixed = TRUE),
  grepl("y has 150 different numbers", warned(1:150)), warned(code) == "no warning", warned(code / 2) == "no warning"
)

# Columns are found by name. Unnamed ones are counted.
model <- quick(x, iris$Species)
stopifnot(identical(predict(model, iris[5:1]), predict(model, x)), identical(predict(model, x[, 4:1]), predict(model, x)))
says(predict(model, x[, -2]), "newdata lacks the column Sepal.Width")
unnamed <- quick(unname(x), iris$Species)
stopifnot(identical(predict(unnamed, x), predict(model, x)))
says(predict(unnamed, unname(x[, -1])), "newdata has 3 columns; allowed: 4")
stopifnot(length(predict(model, x[0, ])) == 0, identical(dim(predict(model, x[1, , drop = FALSE], type = "prob")), c(1L, 3L)))

# Columns are found by name, also where names equal those that the library generates; without names, positions count.
numbers <- as.matrix(iris[1:4])
for (names in list(c("f0", "f1", "f2", "f3"), c("a", "b", "c", "d"))) {
  colnames(numbers) <- names
  named <- quick(numbers, iris$Species)
  shuffled <- cbind(other = 0, numbers[, c(3, 1, 4, 2)])
  stopifnot(named$named, identical(predict(named, shuffled), predict(named, numbers)), identical(predict(named, as.data.frame(shuffled)), predict(named, numbers)))
}
says(predict(named, numbers[, 1:3]), "newdata lacks the column d")
unnamed <- quick(unname(numbers), iris$Species)
stopifnot(!unnamed$named, identical(predict(unnamed, numbers), predict(unnamed, unname(numbers))))
colnames(numbers) <- c("f0", "f1", "f2", "f3")
stopifnot(identical(predict(unnamed, numbers[, 4:1]), predict(unnamed, numbers)))

# Columns that are codes: one of a profession, and not an age.
set.seed(1)
people <- data.frame(town = factor(sample(letters, 300, TRUE)), age = sample(20:69, 300, TRUE), profession = sample(0:9, 300, TRUE))
income <- xor(people$profession %% 2 == 1, people$age > 60)
tried <- aoso_suggest_codes(people, income, nthread = 2)
stopifnot(
  names(tried) == c("feature", "values", "gain", "error", "suggested"), tried$feature[1L] == "profession", tried$suggested[1L],
  tried$values[1L] == 10, tried$gain[1L] > tried$error[1L], !"town" %in% tried$feature,
  aoso_suggest_codes(as.matrix(people[3:2]), income, weights = rep(1, 300), nthread = 2)$feature[1L] == "profession",
  aoso_suggest_codes(unname(as.matrix(people[3:2])), income, nthread = 2)$feature[1L] == "f0",
  nrow(aoso_suggest_codes(iris[1:4], iris$Species)) == 0
)
says(aoso_suggest_codes(people, income[-1]), "y has 299 labels; allowed: 300")
says(aoso_suggest_codes(people, income, seed = -1), "seed is -1; allowed: a whole number from 0")
