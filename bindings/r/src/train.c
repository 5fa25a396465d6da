/* Training. */
#include "glue.h"

static void free_dataset(SEXP dataset) {
    aoso_dataset_free(R_ExternalPtrAddr(dataset));
    R_ClearExternalPtr(dataset);
}

/* A dataset of x, y and weights; reference is that of the training set if these are validation rows, else NULL. */
static SEXP dataset_of(SEXP x, SEXP y, SEXP weights, SEXP features, SEXP max_bin, const aoso_dataset *reference) {
    SEXP holder = PROTECT(new_holder(free_dataset));
    const aoso_matrix matrix = matrix_of(x);
    const aoso_labels labels = labels_of(y);
    aoso_dataset_options options = {.struct_size = sizeof options};
    options.weights = numbers_of(weights);
    options.num_weights = Rf_xlength(weights);
    if (!reference) {
        options.max_bin = Rf_asInteger(max_bin);
        options.feature_names = strings_of(features);
        options.num_feature_names = Rf_xlength(features);
    }
    aoso_dataset *dataset = NULL;
    begin_call();
    const aoso_status status = reference ? aoso_dataset_create_aligned(reference, &matrix, &labels, &options, &dataset)
                                         : aoso_dataset_create(&matrix, &labels, &options, &dataset);
    R_SetExternalPtrAddr(holder, dataset);
    end_call();
    check(status);
    UNPROTECT(1);
    return holder;
}

static void free_trainer(SEXP trainer) {
    aoso_trainer_free(R_ExternalPtrAddr(trainer));
    R_ClearExternalPtr(trainer);
}

/* Columns of a data frame. */
static SEXP new_columns(const SEXPTYPE *types, int count, int64_t rows) {
    SEXP columns = PROTECT(Rf_allocVector(VECSXP, count));
    for (int j = 0; j < count; j++) SET_VECTOR_ELT(columns, j, Rf_allocVector(types[j], rows));
    UNPROTECT(1);
    return columns;
}

/* The held-out rows as columns of a data frame: numbers, counted from 1, of the row, its class and the other class, with the
 * probabilities, and whether the label is suspected. NULL if no rows were held out. */
static SEXP held_out_of(aoso_trainer *trainer, const aoso_result *result) {
    if (result->held_out_rows == 0) return R_NilValue;
    int64_t n = result->held_out_rows;
    aoso_suspicious_row *rows = (aoso_suspicious_row *)R_alloc(n, sizeof *rows);
    check(aoso_trainer_suspicious_rows(trainer, rows, n, &n));
    const SEXPTYPE types[] = {INTSXP, INTSXP, REALSXP, INTSXP, REALSXP, LGLSXP};
    SEXP out = PROTECT(new_columns(types, 6, n));
    for (int64_t i = 0; i < n; i++) {
        INTEGER(VECTOR_ELT(out, 0))[i] = (int)rows[i].row + 1;
        INTEGER(VECTOR_ELT(out, 1))[i] = rows[i].label + 1;
        REAL(VECTOR_ELT(out, 2))[i] = rows[i].probability;
        INTEGER(VECTOR_ELT(out, 3))[i] = rows[i].other + 1;
        REAL(VECTOR_ELT(out, 4))[i] = rows[i].other_probability;
        LOGICAL(VECTOR_ELT(out, 5))[i] = rows[i].suspected;
    }
    UNPROTECT(1);
    return out;
}

typedef struct {
    const aoso_progress *progress;
    SEXP callback; /* a function of numbers, or NULL */
    int stop;
} watcher;

/* Runs inside R_ToplevelExec, because R may jump out of it. */
static void ask_r(void *user) {
    watcher *w = user;
    R_CheckUserInterrupt();
    if (Rf_isNull(w->callback)) return;
    const aoso_progress *p = w->progress;
    SEXP numbers = PROTECT(Rf_allocVector(REALSXP, 8));
    double *v = REAL(numbers);
    v[0] = p->phase, v[1] = (double)p->iteration, v[2] = (double)p->trees, v[3] = p->seconds;
    v[4] = p->evaluated ? p->train_loss : NA_REAL;
    v[5] = p->evaluated && p->has_valid ? p->valid.log_loss : NA_REAL;
    v[6] = p->evaluated && p->has_valid ? p->valid.error_rate : NA_REAL;
    v[7] = p->stopped_by;
    SEXP call = PROTECT(Rf_lang2(w->callback, numbers));
    w->stop = Rf_asLogical(Rf_eval(call, R_GlobalEnv)) == TRUE;
    UNPROTECT(2);
}

static int32_t on_progress(const aoso_progress *progress, void *user) {
    watcher *w = user;
    w->progress = progress;
    if (!is_interrupted() && !R_ToplevelExec(ask_r, w)) set_interrupted();
    return is_interrupted() || w->stop;
}

static SEXP evaluation(int known, const aoso_evaluation *e) {
    if (!known) return R_NilValue;
    SEXP out = PROTECT(Rf_allocVector(REALSXP, 3));
    REAL(out)[0] = (double)e->errors, REAL(out)[1] = e->error_rate, REAL(out)[2] = e->log_loss;
    UNPROTECT(1);
    return out;
}

static SEXP result_of(const aoso_result *result) {
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 3));
    SEXP numbers = Rf_allocVector(REALSXP, 7);
    SET_VECTOR_ELT(out, 0, numbers);
    double *v = REAL(numbers);
    v[0] = result->phase, v[1] = result->stopped_by, v[2] = (double)result->iterations, v[3] = (double)result->best_iteration;
    v[4] = result->train_loss, v[5] = result->seconds, v[6] = (double)result->held_out_rows;
    SET_VECTOR_ELT(out, 1, evaluation(result->has_valid, &result->valid));
    SET_VECTOR_ELT(out, 2, evaluation(result->held_out_rows > 0, &result->held_out));
    UNPROTECT(1);
    return out;
}

SEXP r_train(SEXP x, SEXP y, SEXP weights, SEXP features, SEXP valid, SEXP params, SEXP max_bin, SEXP callback, SEXP type,
             SEXP groups, SEXP times) {
    aoso_params p;
    check(aoso_params_init(&p, sizeof p));
    check(aoso_params_parse(&p, Rf_translateCharUTF8(STRING_ELT(params, 0))));
    SEXP train = PROTECT(dataset_of(x, y, weights, features, max_bin, NULL)), others = R_NilValue;
    aoso_train_options options = {.struct_size = sizeof options};
    if (!Rf_isNull(valid)) {
        others = dataset_of(VECTOR_ELT(valid, 0), VECTOR_ELT(valid, 1), VECTOR_ELT(valid, 2), R_NilValue, max_bin, R_ExternalPtrAddr(train));
        options.valid = R_ExternalPtrAddr(others);
    }
    PROTECT(others);
    if (!Rf_isNull(groups)) {
        uint64_t *of = (uint64_t *)R_alloc(Rf_xlength(groups), sizeof *of);
        for (R_xlen_t i = 0; i < Rf_xlength(groups); i++) of[i] = (uint64_t)REAL(groups)[i];
        options.groups = of;
        options.num_rows = Rf_xlength(groups);
    }
    if (!Rf_isNull(times)) {
        options.times = REAL(times);
        options.num_rows = Rf_xlength(times);
    }
    watcher w = {.callback = callback};
    options.callback = on_progress;
    options.user = &w;
    aoso_result result = {.struct_size = sizeof result};
    SEXP holder = PROTECT(new_holder(free_trainer)), plain = PROTECT(new_model()), model = PROTECT(new_model());
    aoso_trainer *trainer = NULL;
    aoso_model *trained = NULL, *noted = NULL;
    begin_call();
    aoso_status status = aoso_trainer_create(R_ExternalPtrAddr(train), &p, &options, &trainer);
    R_SetExternalPtrAddr(holder, trainer);
    if (status == AOSO_OK) status = aoso_trainer_run(trainer, &result);
    if (status == AOSO_OK) status = aoso_trainer_model(trainer, &trained, NULL);
    R_SetExternalPtrAddr(plain, trained);
    end_call();
    R_CheckUserInterrupt();
    check(status);
    status = aoso_model_with_label_type(trained, CHAR(STRING_ELT(type, 0)), &noted);
    R_SetExternalPtrAddr(model, noted);
    check(status);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 3));
    SET_VECTOR_ELT(out, 0, model);
    SET_VECTOR_ELT(out, 1, result_of(&result));
    SET_VECTOR_ELT(out, 2, held_out_of(trainer, &result));
    free_trainer(holder);
    UNPROTECT(6);
    return out;
}

static void check_interrupt(void *user) {
    (void)user;
    R_CheckUserInterrupt();
}

static int32_t on_pause(void *user) {
    (void)user;
    if (!is_interrupted() && !R_ToplevelExec(check_interrupt, NULL)) set_interrupted();
    return is_interrupted();
}

SEXP r_suggest_codes(SEXP x, SEXP y, SEXP weights, SEXP seed, SEXP threads) {
    const aoso_matrix matrix = matrix_of(x);
    const aoso_labels labels = labels_of(y);
    aoso_dataset_options options = {.struct_size = sizeof options};
    options.weights = numbers_of(weights);
    options.num_weights = Rf_xlength(weights);
    options.seed = (uint64_t)Rf_asReal(seed);
    options.nthread = Rf_asInteger(threads);
    enum { MOST = 20 }; /* columns that are tried */
    aoso_code_suggestion found[MOST];
    int64_t n = 0;
    begin_call();
    const aoso_status status = aoso_suggest_codes(&matrix, &labels, &options, found, MOST, &n, on_pause, NULL);
    end_call();
    R_CheckUserInterrupt();
    check(status);
    const SEXPTYPE types[] = {INTSXP, INTSXP, REALSXP, REALSXP, LGLSXP};
    SEXP out = PROTECT(new_columns(types, 5, n));
    for (int64_t i = 0; i < n; i++) {
        INTEGER(VECTOR_ELT(out, 0))[i] = (int)found[i].feature + 1;
        INTEGER(VECTOR_ELT(out, 1))[i] = (int)found[i].values;
        REAL(VECTOR_ELT(out, 2))[i] = found[i].gain;
        REAL(VECTOR_ELT(out, 3))[i] = found[i].error;
        LOGICAL(VECTOR_ELT(out, 4))[i] = found[i].suggested;
    }
    UNPROTECT(1);
    return out;
}
