// The functions of aoso_ffi.h.
#include <aoso_ffi.h>
#include <stdlib.h>

#define COPY(T, value)                       \
    do {                                     \
        T *copy_ = malloc(sizeof *copy_);    \
        if (copy_) *copy_ = (value);         \
        return copy_;                        \
    } while (0)

aoso_matrix *aoso_new_dense(const void *data, int32_t dtype, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
    COPY(aoso_matrix, aoso_dense(data, dtype, rows, cols, row_stride, col_stride));
}

aoso_matrix *aoso_new_row_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    COPY(aoso_matrix, aoso_row_major(data, dtype, rows, cols));
}

aoso_matrix *aoso_new_col_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    COPY(aoso_matrix, aoso_col_major(data, dtype, rows, cols));
}

aoso_matrix *aoso_new_columns(const void *const *columns, int32_t dtype, int64_t rows, int64_t cols) {
    COPY(aoso_matrix, aoso_columns(columns, dtype, rows, cols));
}

aoso_matrix *aoso_new_csr(const void *indptr, const void *indices, int32_t index_dtype, const void *data, int32_t dtype, int64_t nnz,
                          int64_t rows, int64_t cols) {
    COPY(aoso_matrix, aoso_csr(indptr, indices, index_dtype, data, dtype, nnz, rows, cols));
}

aoso_matrix *aoso_new_csc(const void *indptr, const void *indices, int32_t index_dtype, const void *data, int32_t dtype, int64_t nnz,
                          int64_t rows, int64_t cols) {
    COPY(aoso_matrix, aoso_csc(indptr, indices, index_dtype, data, dtype, nnz, rows, cols));
}

aoso_matrix *aoso_new_arrow(const struct ArrowArray *array, const struct ArrowSchema *schema) { COPY(aoso_matrix, aoso_arrow(array, schema)); }

aoso_matrix *aoso_new_arrow_stream(struct ArrowArrayStream *stream) { COPY(aoso_matrix, aoso_arrow_stream(stream)); }

aoso_column *aoso_new_numbers(const void *data, int32_t dtype) { COPY(aoso_column, aoso_numbers(data, dtype)); }

aoso_column *aoso_new_categories(const int32_t *codes, const char *const *names, int64_t num_categories) {
    COPY(aoso_column, aoso_categories(codes, names, num_categories));
}

aoso_column *aoso_new_categories_in(const int32_t *codes, const char *text, const int64_t *text_offsets, int64_t num_categories) {
    COPY(aoso_column, aoso_categories_in(codes, text, text_offsets, num_categories));
}

// The columns follow the matrix in memory. If cols is not positive, aoso_dataset_create refuses the table.
aoso_matrix *aoso_new_table(const aoso_column *const *columns, int64_t rows, int64_t cols) {
    struct { aoso_matrix matrix; aoso_column columns[]; } *table;
    const int64_t n = cols > 0 && columns ? cols : 0;
    if ((uint64_t)n > (SIZE_MAX - sizeof *table) / sizeof(aoso_column)) return NULL;
    table = malloc(sizeof *table + (size_t)n * sizeof(aoso_column));
    if (!table) return NULL;
    for (int64_t i = 0; i < n; i++) table->columns[i] = *columns[i];
    table->matrix = aoso_table(columns ? table->columns : NULL, rows, cols);
    return &table->matrix;
}

aoso_labels *aoso_new_labels_of(const void *data, int32_t dtype, int64_t count) { COPY(aoso_labels, aoso_labels_of(data, dtype, count)); }

aoso_labels *aoso_new_int32_labels(const int32_t *data, int64_t count) { COPY(aoso_labels, aoso_int32_labels(data, count)); }

aoso_labels *aoso_new_string_labels(const char *const *data, int64_t count) { COPY(aoso_labels, aoso_string_labels(data, count)); }

aoso_params *aoso_new_params(void) {
    aoso_params *params = malloc(sizeof *params);
    if (params && aoso_params_init(params, sizeof *params) == AOSO_OK) return params;
    free(params);
    return NULL;
}

void aoso_free(void *allocated) { free(allocated); }
