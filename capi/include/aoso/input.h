/* Input data: matrices and labels. aoso.h includes this file. */
#ifndef AOSO_INPUT_H
#define AOSO_INPUT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* element types */
    AOSO_FLOAT32 = 1,
    AOSO_FLOAT64 = 2,
    AOSO_INT8 = 3,
    AOSO_INT16 = 4,
    AOSO_INT32 = 5,
    AOSO_INT64 = 6,
    AOSO_UINT8 = 7,
    AOSO_UINT16 = 8,
    AOSO_UINT32 = 9,
    AOSO_UINT64 = 10,
    AOSO_STRING = 11 /* const char *; labels only */
};

enum { /* layouts of a matrix */
    AOSO_DENSE = 0,
    AOSO_COLUMNS = 1,
    AOSO_CSR = 2,
    AOSO_CSC = 3,
    AOSO_ARROW = 4,
    AOSO_ARROW_STREAM = 5
};

/* The Arrow C data interface: define or include it before use. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* Describes a table of numbers, one row per example and one column per feature.
 * The numbers are not copied. Create one with the functions below. */
typedef struct aoso_matrix {
    uint32_t struct_size;
    int32_t layout;
    int32_t dtype;       /* of the values; ignored for Arrow */
    int32_t index_dtype; /* CSR, CSC: AOSO_INT32 or AOSO_INT64 */
    int64_t rows, cols;  /* ignored for Arrow */

    /* AOSO_DENSE: data points to element (0, 0). Element (i, j) lies
     * i*row_stride + j*col_stride elements from it. Strides may be negative.
     * AOSO_CSR, AOSO_CSC: data has the stored values; all others are 0. */
    const void *data;
    int64_t row_stride, col_stride;

    const void *const *columns; /* AOSO_COLUMNS: the first element of each */

    /* AOSO_CSR: rows + 1 offsets, and the column of each stored value.
     * AOSO_CSC: cols + 1 offsets, and the row of each stored value.
     * Each position may occur only once. */
    const void *indptr;
    const void *indices;
    int64_t nnz; /* stored values */

    /* AOSO_ARROW: a struct array (record batch) of numeric or boolean columns.
     * No row may be null. The caller releases it.
     * AOSO_ARROW_STREAM: a stream of such batches. The call reads it to its
     * end and releases it, even on errors. */
    const struct ArrowArray *arrow_array;
    const struct ArrowSchema *arrow_schema;
    struct ArrowArrayStream *arrow_stream;
} aoso_matrix;

static inline aoso_matrix aoso_dense(const void *data, int32_t dtype, int64_t rows, int64_t cols, int64_t row_stride,
                                     int64_t col_stride) {
    aoso_matrix m = {sizeof(aoso_matrix), AOSO_DENSE, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL};
    m.dtype = dtype;
    m.rows = rows;
    m.cols = cols;
    m.data = data;
    m.row_stride = row_stride;
    m.col_stride = col_stride;
    return m;
}

/* rows × cols, row after row. */
static inline aoso_matrix aoso_row_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    return aoso_dense(data, dtype, rows, cols, cols, 1);
}

/* rows × cols, column after column. */
static inline aoso_matrix aoso_col_major(const void *data, int32_t dtype, int64_t rows, int64_t cols) {
    return aoso_dense(data, dtype, rows, cols, 1, rows);
}

/* One pointer per column; all columns have the same type. */
static inline aoso_matrix aoso_columns(const void *const *columns, int32_t dtype, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_dense(NULL, dtype, rows, cols, 0, 0);
    m.layout = AOSO_COLUMNS;
    m.columns = columns;
    return m;
}

/* Compressed sparse rows; indptr has rows + 1 entries, the last one nnz. */
static inline aoso_matrix aoso_csr(const void *indptr, const void *indices, int32_t index_dtype, const void *data,
                                   int32_t dtype, int64_t nnz, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_dense(data, dtype, rows, cols, 0, 0);
    m.layout = AOSO_CSR;
    m.indptr = indptr;
    m.indices = indices;
    m.index_dtype = index_dtype;
    m.nnz = nnz;
    return m;
}

/* Compressed sparse columns; indptr has cols + 1 entries, the last one nnz. */
static inline aoso_matrix aoso_csc(const void *indptr, const void *indices, int32_t index_dtype, const void *data,
                                   int32_t dtype, int64_t nnz, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_csr(indptr, indices, index_dtype, data, dtype, nnz, rows, cols);
    m.layout = AOSO_CSC;
    return m;
}

/* A record batch. */
static inline aoso_matrix aoso_arrow(const struct ArrowArray *array, const struct ArrowSchema *schema) {
    aoso_matrix m = aoso_dense(NULL, 0, 0, 0, 0, 0);
    m.layout = AOSO_ARROW;
    m.arrow_array = array;
    m.arrow_schema = schema;
    return m;
}

/* Record batches. */
static inline aoso_matrix aoso_arrow_stream(struct ArrowArrayStream *stream) {
    aoso_matrix m = aoso_dense(NULL, 0, 0, 0, 0, 0);
    m.layout = AOSO_ARROW_STREAM;
    m.arrow_stream = stream;
    return m;
}

/* The labels of the rows. They can be any set of values. Integers and their
 * decimal strings are the same label. A model numbers its classes by value if
 * all labels are integers, else by their bytes. */
typedef struct aoso_labels {
    uint32_t struct_size;
    int32_t dtype; /* any; NaN is not a label */
    int64_t count;
    const void *data;

    /* If not NULL, data has an integer type and the label of row i is
     * class_names[data[i]]. */
    const char *const *class_names;
    int64_t num_class_names;
} aoso_labels;

static inline aoso_labels aoso_labels_of(const void *data, int32_t dtype, int64_t count) {
    aoso_labels y = {sizeof(aoso_labels), 0, 0, NULL, NULL, 0};
    y.dtype = dtype;
    y.count = count;
    y.data = data;
    return y;
}

static inline aoso_labels aoso_int32_labels(const int32_t *data, int64_t count) {
    return aoso_labels_of(data, AOSO_INT32, count);
}

static inline aoso_labels aoso_string_labels(const char *const *data, int64_t count) {
    return aoso_labels_of(data, AOSO_STRING, count);
}

#ifdef __cplusplus
}
#endif

#endif
