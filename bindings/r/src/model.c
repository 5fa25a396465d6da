/* Models: what they are, files, and predictions. */
#include "glue.h"

static void free_model(SEXP model) {
    aoso_model_free(R_ExternalPtrAddr(model));
    R_ClearExternalPtr(model);
}

SEXP new_holder(R_CFinalizer_t free) {
    SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizer(holder, free);
    UNPROTECT(1);
    return holder;
}

SEXP new_model(void) { return new_holder(free_model); }

aoso_model *model_of(SEXP model) { return R_ExternalPtrAddr(model); }

static aoso_model_info info_of(SEXP model) {
    aoso_model_info info = {.struct_size = sizeof info};
    check(aoso_model_get_info(model_of(model), &info));
    return info;
}

typedef aoso_status (*text_of)(const aoso_model *model, char *buffer, size_t size, size_t *needed);
typedef aoso_status (*name_of)(const aoso_model *model, int64_t i, char *buffer, size_t size, size_t *needed);

static SEXP text(const aoso_model *model, text_of f) {
    size_t needed = 0;
    f(model, NULL, 0, &needed);
    char *buffer = R_alloc(needed + 1, 1);
    check(f(model, buffer, needed, &needed));
    return Rf_mkCharCE(buffer, CE_UTF8);
}

static SEXP names(const aoso_model *model, name_of f, int64_t n) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
    for (int64_t i = 0; i < n; i++) {
        size_t needed = 0;
        f(model, i, NULL, 0, &needed);
        char *buffer = R_alloc(needed + 1, 1);
        check(f(model, i, buffer, needed, &needed));
        SET_STRING_ELT(out, i, Rf_mkCharCE(buffer, CE_UTF8));
    }
    UNPROTECT(1);
    return out;
}

/* Numbers, class names, feature names, and the texts label type, fingerprint and description. */
SEXP r_model_info(SEXP model) {
    const aoso_model_info info = info_of(model);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 4));
    SEXP numbers = Rf_allocVector(REALSXP, 6);
    SET_VECTOR_ELT(out, 0, numbers);
    double *v = REAL(numbers);
    v[0] = (double)info.trees, v[1] = (double)info.classes, v[2] = (double)info.features, v[3] = info.temperature;
    v[4] = (double)info.conformal_rows, v[5] = info.named;
    SET_VECTOR_ELT(out, 1, names(model_of(model), aoso_model_class_name, info.classes));
    SET_VECTOR_ELT(out, 2, names(model_of(model), aoso_model_feature_name, info.features));
    SEXP texts = Rf_allocVector(STRSXP, 3);
    SET_VECTOR_ELT(out, 3, texts);
    SET_STRING_ELT(texts, 0, text(model_of(model), aoso_model_label_type));
    SET_STRING_ELT(texts, 1, text(model_of(model), aoso_model_fingerprint));
    SET_STRING_ELT(texts, 2, text(model_of(model), aoso_model_describe));
    UNPROTECT(1);
    return out;
}

SEXP r_importance(SEXP model, SEXP kind) {
    const aoso_model_info info = info_of(model);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, info.features));
    check(aoso_model_importance(model_of(model), Rf_asInteger(kind), REAL(out), info.features));
    UNPROTECT(1);
    return out;
}

SEXP r_encode(SEXP model) {
    size_t needed = 0;
    aoso_model_encode(model_of(model), NULL, 0, &needed);
    SEXP out = PROTECT(Rf_allocVector(RAWSXP, needed));
    check(aoso_model_encode(model_of(model), RAW(out), needed, &needed));
    UNPROTECT(1);
    return out;
}

SEXP r_decode(SEXP bytes) {
    SEXP model = PROTECT(new_model());
    aoso_model *decoded = NULL;
    const aoso_status status = aoso_model_decode(RAW(bytes), Rf_xlength(bytes), &decoded);
    R_SetExternalPtrAddr(model, decoded);
    check(status);
    UNPROTECT(1);
    return model;
}

SEXP r_save(SEXP model, SEXP path) {
    check(aoso_model_save(model_of(model), Rf_translateCharUTF8(STRING_ELT(path, 0))));
    return R_NilValue;
}

SEXP r_load(SEXP path) {
    SEXP model = PROTECT(new_model());
    aoso_model *loaded = NULL;
    const aoso_status status = aoso_model_load(Rf_translateCharUTF8(STRING_ELT(path, 0)), &loaded);
    R_SetExternalPtrAddr(model, loaded);
    check(status);
    UNPROTECT(1);
    return model;
}

SEXP r_export(SEXP model, SEXP format, SEXP tree, SEXP path, SEXP force) {
    aoso_export_options options = {.struct_size = sizeof options, .force = Rf_asLogical(force) == TRUE};
    options.tree = (int64_t)Rf_asReal(tree);
    options.path = Rf_translateCharUTF8(STRING_ELT(path, 0));
    check(aoso_model_export_with(model_of(model), CHAR(STRING_ELT(format, 0)), &options, NULL, NULL));
    return R_NilValue;
}

static aoso_predict_options options_of(SEXP trees, SEXP threads) {
    aoso_predict_options options = {.struct_size = sizeof options};
    options.trees = (int64_t)Rf_asReal(trees);
    options.nthread = Rf_asInteger(threads);
    return options;
}

/* What the library writes row by row, as a matrix of R with a column for each row. */
SEXP r_predict(SEXP model, SEXP x, SEXP kind, SEXP trees, SEXP threads) {
    const aoso_model_info info = info_of(model);
    const aoso_matrix m = matrix_of(x);
    const aoso_predict_options options = options_of(trees, threads);
    const aoso_model *handle = model_of(model);
    const char *what = CHAR(STRING_ELT(kind, 0));
    const int of_leaf = strcmp(what, "leaf") == 0, of_class = strcmp(what, "class") == 0, of_shap = strcmp(what, "shap") == 0;
    const int64_t leaves = options.trees > 0 && options.trees < info.trees ? options.trees : info.trees;
    const int64_t width = of_class ? 1 : of_leaf ? leaves : of_shap ? info.classes * (info.features + 1) : info.classes;
    SEXP out = PROTECT(Rf_allocVector(of_leaf || of_class ? INTSXP : REALSXP, width * m.rows));
    const int64_t length = Rf_xlength(out);
    aoso_status status;
    begin_call();
    if (of_class) status = aoso_model_predict(handle, &m, &options, INTEGER(out), length);
    else if (of_leaf) status = aoso_model_predict_leaf(handle, &m, &options, INTEGER(out), length);
    else if (of_shap) status = aoso_model_shap(handle, &m, &options, REAL(out), length);
    else if (strcmp(what, "raw") == 0) status = aoso_model_predict_raw(handle, &m, &options, REAL(out), length);
    else status = aoso_model_predict_proba(handle, &m, &options, REAL(out), length);
    end_call();
    check(status);
    UNPROTECT(1);
    return out;
}

SEXP r_predict_set(SEXP model, SEXP x, SEXP alpha, SEXP threads) {
    const aoso_model_info info = info_of(model);
    const aoso_matrix m = matrix_of(x);
    aoso_predict_options options = {.struct_size = sizeof options, .nthread = Rf_asInteger(threads)};
    aoso_set_options sets = {.struct_size = sizeof sets, .alpha = Rf_asReal(alpha)};
    SEXP out = PROTECT(Rf_allocVector(RAWSXP, info.classes * m.rows));
    begin_call();
    const aoso_status status = aoso_model_predict_set(model_of(model), &m, &sets, &options, RAW(out), Rf_xlength(out));
    end_call();
    check(status);
    UNPROTECT(1);
    return out;
}

SEXP r_evaluate(SEXP model, SEXP x, SEXP y, SEXP weights, SEXP trees, SEXP threads) {
    const aoso_matrix m = matrix_of(x);
    const aoso_labels labels = labels_of(y);
    const aoso_predict_options options = options_of(trees, threads);
    aoso_evaluation e;
    begin_call();
    const aoso_status status =
        aoso_model_evaluate(model_of(model), &m, &labels, numbers_of(weights), Rf_xlength(weights), &options, &e);
    end_call();
    check(status);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, 3));
    REAL(out)[0] = (double)e.errors, REAL(out)[1] = e.error_rate, REAL(out)[2] = e.log_loss;
    UNPROTECT(1);
    return out;
}
