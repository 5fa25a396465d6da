/* What the files of the glue between R and libaoso share. */
#ifndef AOSO_R_GLUE_H
#define AOSO_R_GLUE_H

#include <aoso.h>

#define R_NO_REMAP
#define STRICT_R_HEADERS
#include <R.h>
#include <Rinternals.h>

/* An R error with the library's message unless the status is AOSO_OK. Then the
 * library's warnings become those of R. Both may jump out of the caller. */
void check(aoso_status status);

/* Receives the library's messages: see aoso_set_log. */
void keep_warning(int32_t level, const char *message, void *user);

/* Calls that take long stand between these two. Ctrl-C then sets interrupted. R sees
 * it when the call is over, because R may not jump out of the library. */
void begin_call(void);
void end_call(void);
int is_interrupted(void);
void set_interrupted(void);

/* Views of what R/data.R made. They live as long as the argument and the .Call. */
aoso_matrix matrix_of(SEXP x);
aoso_labels labels_of(SEXP y);
const char **strings_of(SEXP texts); /* in UTF-8; NULL for none */
const double *numbers_of(SEXP numbers); /* NULL for R's NULL */

/* External pointers that free what they hold. */
SEXP new_holder(R_CFinalizer_t free);
SEXP new_model(void);
aoso_model *model_of(SEXP model);

SEXP r_train(SEXP x, SEXP y, SEXP weights, SEXP features, SEXP valid, SEXP params, SEXP max_bin, SEXP callback, SEXP type,
             SEXP groups, SEXP times);
SEXP r_suggest_codes(SEXP x, SEXP y, SEXP weights, SEXP seed, SEXP threads);
SEXP r_model_info(SEXP model);
SEXP r_importance(SEXP model, SEXP kind);
SEXP r_encode(SEXP model);
SEXP r_decode(SEXP bytes);
SEXP r_save(SEXP model, SEXP path);
SEXP r_load(SEXP path);
SEXP r_export(SEXP model, SEXP format, SEXP tree, SEXP path, SEXP force);
SEXP r_predict(SEXP model, SEXP x, SEXP kind, SEXP trees, SEXP threads);
SEXP r_predict_set(SEXP model, SEXP x, SEXP alpha, SEXP threads);
SEXP r_evaluate(SEXP model, SEXP x, SEXP y, SEXP weights, SEXP trees, SEXP threads);
SEXP r_build_info(void);

#endif
