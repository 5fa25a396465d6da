/* Input data: matrices and labels. aoso.h includes this file. */
#ifndef AOSO_INPUT_H
#define AOSO_INPUT_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { /* element types */
    AOSO_FLOAT32 = 1,   /* float */
    AOSO_FLOAT64 = 2,   /* double */
    AOSO_INT8 = 3,      /* int8_t */
    AOSO_INT16 = 4,     /* int16_t */
    AOSO_INT32 = 5,     /* int32_t */
    AOSO_INT64 = 6,     /* int64_t */
    AOSO_UINT8 = 7,     /* uint8_t */
    AOSO_UINT16 = 8,    /* uint16_t */
    AOSO_UINT32 = 9,    /* uint32_t */
    AOSO_UINT64 = 10,   /* uint64_t */
    AOSO_STRING = 11 /* const char *; labels only */
};

enum { /* layouts of a matrix */
    AOSO_DENSE = 0,        /* all values, with a stride between rows and one between columns */
    AOSO_COLUMNS = 1,      /* an array for each column, all of one type */
    AOSO_CSR = 2,          /* compressed sparse rows */
    AOSO_CSC = 3,          /* compressed sparse columns */
    AOSO_ARROW = 4,        /* a record batch of the Arrow C data interface */
    AOSO_ARROW_STREAM = 5, /* a stream of record batches */
    AOSO_TABLE = 6         /* columns of any kinds and types */
};

enum { /* kinds of a column */
    AOSO_NUMERIC = 0,    /* numbers, which have an order */
    AOSO_CATEGORICAL = 1 /* categories, which have names */
};

/* A column of a table. The memory is not copied. Create one with the functions
 * below. */
typedef struct aoso_column {
    uint32_t struct_size; /* the same for all columns of a table */
    int32_t kind;         /* AOSO_NUMERIC or AOSO_CATEGORICAL */
    int32_t dtype;        /* of the values; AOSO_CATEGORICAL: an integer type */
    int32_t reserved;
    const void *data; /* the value of the first row */
    int64_t stride;   /* elements from one row to the next; may be negative */

    /* AOSO_CATEGORICAL: values are positions in a list of categories. Negative
     * ones are missing, and so is the category "". Category k is names[k]. If
     * names is NULL, it is the text from text[text_offsets[k]] up to, but not
     * including, text[text_offsets[k + 1]]. Names are UTF-8 without zero bytes. */
    int64_t num_categories;
    const char *const *names;
    const char *text;
    const int64_t *text_offsets; /* num_categories + 1 */
} aoso_column;

/* The Arrow C data interface: define or include it before use. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* Describes a table, one row per example and one column per feature. All layouts
 * hold numbers; AOSO_TABLE, AOSO_ARROW and AOSO_ARROW_STREAM hold categories as
 * well. The values are not copied. Create one with the functions below. */
typedef struct aoso_matrix {
    uint32_t struct_size;
    int32_t layout;      /* AOSO_DENSE etc. */
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

    /* AOSO_ARROW: a struct array (record batch). No row may be null. The caller
     * releases it. Integers, floats (not half), decimals and null columns are
     * numbers; booleans are 0 and 1; dates, timestamps, times and durations are
     * seconds, since 1970 UTC where they are points in time. Texts and
     * dictionaries are categories. The categories of a dictionary that are not
     * text are named by their numbers.
     * AOSO_ARROW_STREAM: a stream of such batches. The call reads it to its
     * end and releases it, even on errors. */
    const struct ArrowArray *arrow_array;
    const struct ArrowSchema *arrow_schema;
    struct ArrowArrayStream *arrow_stream;

    const aoso_column *table; /* AOSO_TABLE: cols columns */
} aoso_matrix;

/* rows × cols, with any strides, in elements. */
static inline aoso_matrix aoso_dense(const void *data, int32_t dtype, int64_t rows, int64_t cols, int64_t row_stride,
                                     int64_t col_stride) {
    aoso_matrix m = {sizeof(aoso_matrix), AOSO_DENSE, 0, 0, 0, 0, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL};
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

/* Columns of any kind and type, one after the other in memory. */
static inline aoso_matrix aoso_table(const aoso_column *columns, int64_t rows, int64_t cols) {
    aoso_matrix m = aoso_dense(NULL, 0, rows, cols, 0, 0);
    m.layout = AOSO_TABLE;
    m.table = columns;
    return m;
}

/* A column of numbers. */
static inline aoso_column aoso_numbers(const void *data, int32_t dtype) {
    aoso_column c = {sizeof(aoso_column), AOSO_NUMERIC, 0, 0, NULL, 1, 0, NULL, NULL, NULL};
    c.dtype = dtype;
    c.data = data;
    return c;
}

/* A column of categories: that of row i is names[codes[i]]. */
static inline aoso_column aoso_categories(const int32_t *codes, const char *const *names, int64_t num_categories) {
    aoso_column c = aoso_numbers(codes, AOSO_INT32);
    c.kind = AOSO_CATEGORICAL;
    c.num_categories = num_categories;
    c.names = names;
    return c;
}

/* The same with all names in one text. */
static inline aoso_column aoso_categories_in(const int32_t *codes, const char *text, const int64_t *text_offsets,
                                             int64_t num_categories) {
    aoso_column c = aoso_categories(codes, NULL, num_categories);
    c.text = text;
    c.text_offsets = text_offsets;
    return c;
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
 * all labels are integers, else by their bytes.
 *
 * Soft labels are distributions over the classes. Datasets take them, and
 * evaluations; other functions take one label for each row. */
typedef struct aoso_labels {
    uint32_t struct_size;
    int32_t dtype; /* any; NaN is not a label */
    int64_t count; /* the number of rows */
    const void *data; /* the label of the first row; the others follow */

    /* If not NULL, data has an integer type and the label of row i is
     * class_names[data[i]]. */
    const char *const *class_names;
    int64_t num_class_names;

    /* If not NULL, labels are soft: rows × num_class_names, the share that each of the
     * classes has of each row. Those of a row are at least 0 and sum to 1, up to a
     * thousandth for rounding. data is NULL then, and dtype 0. */
    const aoso_matrix *shares;
} aoso_labels;

/* One label for each row, of any element type. */
static inline aoso_labels aoso_labels_of(const void *data, int32_t dtype, int64_t count) {
    aoso_labels y = {sizeof(aoso_labels), 0, 0, NULL, NULL, 0, NULL};
    y.dtype = dtype;
    y.count = count;
    y.data = data;
    return y;
}

/* One integer for each row. */
static inline aoso_labels aoso_int32_labels(const int32_t *data, int64_t count) {
    return aoso_labels_of(data, AOSO_INT32, count);
}

/* One text for each row, in UTF-8. */
static inline aoso_labels aoso_string_labels(const char *const *data, int64_t count) {
    return aoso_labels_of(data, AOSO_STRING, count);
}

/* The share of each class in each row. shares has a column for each class. */
static inline aoso_labels aoso_soft_labels(const aoso_matrix *shares, const char *const *class_names) {
    aoso_labels y = aoso_labels_of(NULL, 0, shares->rows);
    y.shares = shares;
    y.class_names = class_names;
    y.num_class_names = shares->cols;
    return y;
}

#ifdef __cplusplus
}
#endif

#endif
