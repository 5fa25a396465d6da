/* aoso_ffi.h: aoso.h for languages that call C without compiling it.
 *
 * Such a program does not lay out the structs of aoso.h. It gets their
 * addresses from these functions, and passes them on:
 *
 *     x = aoso_new_row_major(values, AOSO_FLOAT64, rows, cols)
 *     aoso_dataset_create(x, y, NULL, &train)
 *     aoso_free(x)
 *
 * Each function takes the arguments of the helper in aoso.h that has its name
 * without new_. What it returns refers to the data, as there, and is freed with
 * aoso_free. It returns NULL if memory is exhausted. Wherever aoso.h has
 * options or a result, NULL can be passed. libaoso exports the functions; C and
 * C++ programs do not need them.
 */
#ifndef AOSO_FFI_H
#define AOSO_FFI_H

#include "aoso.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices. */
AOSO_API aoso_matrix *aoso_new_dense(const void *data, int32_t dtype, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride);
AOSO_API aoso_matrix *aoso_new_row_major(const void *data, int32_t dtype, int64_t rows, int64_t cols);
AOSO_API aoso_matrix *aoso_new_col_major(const void *data, int32_t dtype, int64_t rows, int64_t cols);
AOSO_API aoso_matrix *aoso_new_columns(const void *const *columns, int32_t dtype, int64_t rows, int64_t cols);
AOSO_API aoso_matrix *aoso_new_csr(const void *indptr, const void *indices, int32_t index_dtype, const void *data, int32_t dtype,
                                   int64_t nnz, int64_t rows, int64_t cols);
AOSO_API aoso_matrix *aoso_new_csc(const void *indptr, const void *indices, int32_t index_dtype, const void *data, int32_t dtype,
                                   int64_t nnz, int64_t rows, int64_t cols);
AOSO_API aoso_matrix *aoso_new_arrow(const struct ArrowArray *array, const struct ArrowSchema *schema);
AOSO_API aoso_matrix *aoso_new_arrow_stream(struct ArrowArrayStream *stream);

/* Columns, and a matrix of them. Unlike aoso_table, it takes an array of
 * addresses, and copies the columns: they can be freed at once. */
AOSO_API aoso_column *aoso_new_numbers(const void *data, int32_t dtype);
AOSO_API aoso_column *aoso_new_categories(const int32_t *codes, const char *const *names, int64_t num_categories);
AOSO_API aoso_column *aoso_new_categories_in(const int32_t *codes, const char *text, const int64_t *text_offsets, int64_t num_categories);
AOSO_API aoso_matrix *aoso_new_table(const aoso_column *const *columns, int64_t rows, int64_t cols);

/* Labels. */
AOSO_API aoso_labels *aoso_new_labels_of(const void *data, int32_t dtype, int64_t count);
AOSO_API aoso_labels *aoso_new_int32_labels(const int32_t *data, int64_t count);
AOSO_API aoso_labels *aoso_new_string_labels(const char *const *data, int64_t count);

/* The default parameters, for aoso_params_parse. NULL also if aoso_params_init
 * fails: aoso_last_error says why. */
AOSO_API aoso_params *aoso_new_params(void);

/* Frees what a function above returned. Freeing NULL does nothing. */
AOSO_API void aoso_free(void *allocated);

#ifdef __cplusplus
}
#endif

#endif
