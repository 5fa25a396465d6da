/* Matrices and labels: views of R's memory. */
#include "glue.h"

const char **strings_of(SEXP texts) {
    const R_xlen_t n = Rf_xlength(texts);
    if (n == 0) return NULL;
    const char **out = (const char **)R_alloc(n, sizeof *out);
    for (R_xlen_t i = 0; i < n; i++) out[i] = Rf_translateCharUTF8(STRING_ELT(texts, i));
    return out;
}

const double *numbers_of(SEXP numbers) { return Rf_isNull(numbers) ? NULL : REAL(numbers); }

/* Codes of a factor count from 1, and NA is negative. Category 0 is "", which is
 * missing, so that no code need be changed. */
static aoso_column factor_of(SEXP factor) {
    SEXP levels = Rf_getAttrib(factor, R_LevelsSymbol);
    const R_xlen_t n = Rf_xlength(levels);
    const char **names = (const char **)R_alloc(n + 1, sizeof *names);
    names[0] = "";
    for (R_xlen_t k = 0; k < n; k++) names[k + 1] = Rf_translateCharUTF8(STRING_ELT(levels, k));
    return aoso_categories(INTEGER(factor), names, n + 1);
}

static aoso_matrix table_of(SEXP columns, int64_t rows, int64_t cols) {
    aoso_column *table = (aoso_column *)R_alloc(cols, sizeof *table);
    for (int64_t j = 0; j < cols; j++) {
        SEXP column = VECTOR_ELT(columns, j);
        table[j] = TYPEOF(column) == INTSXP ? factor_of(column) : aoso_numbers(REAL(column), AOSO_FLOAT64);
    }
    return aoso_table(table, rows, cols);
}

aoso_matrix matrix_of(SEXP x) {
    const char *kind = CHAR(STRING_ELT(VECTOR_ELT(x, 0), 0));
    const int *dim = INTEGER(VECTOR_ELT(x, 1));
    SEXP values = VECTOR_ELT(x, 2);
    switch (kind[0]) {
    case 't': return table_of(values, dim[0], dim[1]);
    case 's':
        return aoso_csc(INTEGER(VECTOR_ELT(x, 3)), INTEGER(VECTOR_ELT(x, 4)), AOSO_INT32, REAL(values), AOSO_FLOAT64, Rf_xlength(values),
                        dim[0], dim[1]);
    default: return aoso_col_major(REAL(values), AOSO_FLOAT64, dim[0], dim[1]);
    }
}

aoso_labels labels_of(SEXP y) {
    SEXP codes = VECTOR_ELT(y, 0), names = VECTOR_ELT(y, 1);
    if (Rf_isNull(codes)) {
        aoso_matrix *shares = (aoso_matrix *)R_alloc(1, sizeof *shares);
        *shares = matrix_of(VECTOR_ELT(y, 2));
        return aoso_soft_labels(shares, strings_of(names));
    }
    aoso_labels labels = aoso_int32_labels(INTEGER(codes), Rf_xlength(codes));
    labels.class_names = strings_of(names);
    labels.num_class_names = Rf_xlength(names);
    return labels;
}
