/* aoso_predict.h: predicts with models that aoso has trained.
 *
 * libaoso_predict is a small library in C11. It needs the C library and nothing
 * else: it starts no threads, installs no signal handlers, and works in children
 * created by fork(). It reads the model files of aoso and predicts the same bits
 * as aoso does. It cannot train.
 *
 * A first program:
 *
 *     aosop_model *model;
 *     if (aosop_load("letters.aoso", &model) != AOSOP_OK) {
 *         fprintf(stderr, "%s\n", aosop_last_error());
 *         return 1;
 *     }
 *     aosop_rows x = aosop_row_major(values, AOSOP_FLOAT32, rows, cols);
 *     if (aosop_predict_proba(model, &x, 0, proba, rows * aosop_num_classes(model)) != AOSOP_OK)
 *         fprintf(stderr, "%s\n", aosop_last_error());
 *     aosop_free(model);
 *
 * Build with  cc program.c $(pkg-config --cflags --libs aoso_predict).
 *
 * Conventions
 *
 *   Status      Functions that can fail return AOSOP_OK (0) or an error code.
 *               aosop_last_error() then says why. Out-parameters are set on
 *               success only.
 *   Versions    A declaration without a note is in every version, since 0.1. On
 *               Windows, define AOSOP_STATIC to link the static library.
 *   Threads     A model never changes. Any number of threads may use it at the
 *               same time. To use several cores, share the rows among threads.
 *               A stack of 32 kB suffices. A thread that is cancelled during a
 *               call ends after it.
 *   Signals     A signal may interrupt any call. A handler may not use the
 *               library.
 *   Modes       On x86-64 and arm64, the floating-point mode of the calling thread
 *               (rounding, treatment of subnormal numbers, traps) changes no
 *               result. It is the same after a call as before.
 *   Memory      A model has its own memory: the file or the bytes that it came
 *               from are not needed any more. Calls that predict at most
 *               AOSOP_FEW_ROWS rows allocate nothing, if the model has at most
 *               AOSOP_FEW_CLASSES classes. Other calls take working memory and
 *               give it back before they return.
 *   Safety      A model file may come from anywhere. If it is truncated, damaged
 *               or forged, loading it is an error, and never a crash. Its size
 *               bounds the memory that it takes: SECURITY.md has the numbers. */
#ifndef AOSO_PREDICT_LIBRARY_H
#define AOSO_PREDICT_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(AOSOP_STATIC)
#define AOSOP_API
#elif defined(_WIN32) && defined(AOSOP_BUILD)
#define AOSOP_API __declspec(dllexport)
#elif defined(_WIN32)
#define AOSOP_API __declspec(dllimport)
#elif defined(__GNUC__)
#define AOSOP_API __attribute__((visibility("default")))
#else
#define AOSOP_API
#endif

/* --------------------------------------------------------------- status -- */

typedef int32_t aosop_status; /* AOSOP_OK or an error, below */

enum {
    AOSOP_OK = 0,               /* the call did what it should */
    AOSOP_INVALID_ARGUMENT = 1, /* a value that is not allowed */
    AOSOP_IO = 4,               /* the file cannot be read */
    AOSOP_BAD_FORMAT = 5,       /* not a model file, or truncated, corrupt or too new */
    AOSOP_OUT_OF_MEMORY = 6     /* the system has no memory left */
};

/* The text of the calling thread's last error; "" before the first one. It is
 * valid until the thread's next call that fails. */
AOSOP_API const char *aosop_last_error(void);

/* "major.minor.patch", static. */
AOSOP_API const char *aosop_version(void);

/* --------------------------------------------------------------- models -- */

typedef struct aosop_model aosop_model; /* a model, which never changes */

/* Reads a model from a file. Free it with aosop_free. */
AOSOP_API aosop_status aosop_load(const char *path, aosop_model **out);

/* Reads a model from the bytes of a model file, which it does not keep. */
AOSOP_API aosop_status aosop_decode(const void *data, size_t size, aosop_model **out);

/* Frees a model. NULL is allowed. No call may be using the model. */
AOSOP_API void aosop_free(aosop_model *model);

/* The numbers of classes, features and trees. */
AOSOP_API int64_t aosop_num_classes(const aosop_model *model);
AOSOP_API int64_t aosop_num_features(const aosop_model *model);
AOSOP_API int64_t aosop_num_trees(const aosop_model *model);

/* The temperature, by which raw scores are divided before the softmax; 1 unless
 * the model is calibrated. */
AOSOP_API double aosop_temperature(const aosop_model *model);

/* The bytes of memory that the model takes. */
AOSOP_API size_t aosop_memory(const aosop_model *model);

/* The name of class k or feature j, in UTF-8; NULL if there is none. It belongs
 * to the model. */
AOSOP_API const char *aosop_class_name(const aosop_model *model, int64_t k);
AOSOP_API const char *aosop_feature_name(const aosop_model *model, int64_t j);

/* The number of categories of feature j, or -1 if the feature is numeric. */
AOSOP_API int64_t aosop_num_categories(const aosop_model *model, int64_t j);

/* The name of category i of feature j; NULL if there is none. */
AOSOP_API const char *aosop_category_name(const aosop_model *model, int64_t j, int64_t i);

/* The position of a category of feature j. A category that the model does not
 * know has the position aosop_num_categories(model, j); for a numeric feature,
 * the result is -1. */
AOSOP_API int64_t aosop_find_category(const aosop_model *model, int64_t j, const char *name);

/* ----------------------------------------------------------------- rows -- */

/* The types of values: float and double. */
enum { AOSOP_FLOAT32 = 1, AOSOP_FLOAT64 = 2 };

/* A dense matrix. Row i has the value of feature j at data[i * row_stride +
 * j * col_stride], strides counted in elements. NaN is missing. The value of a
 * categorical feature is the position of its category: see
 * aosop_find_category. */
typedef struct aosop_rows {
    const void *data; /* element (0, 0) */
    int32_t type; /* AOSOP_FLOAT32 or AOSOP_FLOAT64 */
    int32_t reserved;
    int64_t rows, cols; /* examples and features */
    int64_t row_stride, col_stride; /* elements from one row, or column, to the next */
} aosop_rows;

/* Rows one after the other, without gaps. */
static inline aosop_rows aosop_row_major(const void *data, int32_t type, int64_t rows, int64_t cols) {
    aosop_rows x = {data, type, 0, rows, cols, cols, 1};
    return x;
}

/* Columns one after the other, without gaps. */
static inline aosop_rows aosop_column_major(const void *data, int32_t type, int64_t rows, int64_t cols) {
    aosop_rows x = {data, type, 0, rows, cols, 1, rows};
    return x;
}

/* ----------------------------------------------------------- prediction -- */

/* Predictions of at most this many rows and classes allocate nothing: see Memory. */
#define AOSOP_FEW_ROWS 12
#define AOSOP_FEW_CLASSES 500

/* In the next four, x has a column for each feature, trees says how many of the first
 * trees to use (0: all), and length is the number of elements of out. */

/* The number of the most likely class of each row, the lowest if several tie;
 * length is rows. */
AOSOP_API aosop_status aosop_predict(const aosop_model *model, const aosop_rows *x, int64_t trees, int32_t *out, int64_t length);

/* Class probabilities; length is rows × classes. */
AOSOP_API aosop_status aosop_predict_proba(const aosop_model *model, const aosop_rows *x, int64_t trees, double *out, int64_t length);

/* Raw scores; length is rows × classes. */
AOSOP_API aosop_status aosop_predict_raw(const aosop_model *model, const aosop_rows *x, int64_t trees, double *out, int64_t length);

/* The leaf that each row reaches in each tree, numbered within the tree from
 * left to right; length is rows × trees in use. */
AOSOP_API aosop_status aosop_predict_leaf(const aosop_model *model, const aosop_rows *x, int64_t trees, int32_t *out, int64_t length);

/* Replaces raw scores, rows × classes, by the probabilities that
 * aosop_predict_proba returns. */
AOSOP_API aosop_status aosop_raw_to_proba(const aosop_model *model, double *raw, int64_t length);

/* ------------------------------------------------------------- one row -- */

/* One row of doubles with all trees, without structs: for languages that pass only
 * numbers and addresses. features is the number of features, length the number of
 * elements of out: the classes. The results are those of the functions above. */
AOSOP_API aosop_status aosop_row_class(const aosop_model *model, const double *row, int64_t features, int32_t *out);
AOSOP_API aosop_status aosop_row_proba(const aosop_model *model, const double *row, int64_t features, double *out, int64_t length);
AOSOP_API aosop_status aosop_row_raw(const aosop_model *model, const double *row, int64_t features, double *out, int64_t length);

/* ---------------------------------------------------------------- files -- */

/* Unpacks an array of a model file, for programs that read the file themselves:
 * docs/model-format.md describes it. packed is its bytes in the file, as many as
 * its "packed" in the header says; type and count are those of the header, such as
 * "f32". out gets count elements, little-endian, which have length bytes. */
AOSOP_API aosop_status aosop_unpack(const void *packed, size_t size, const char *type, int64_t count, void *out, size_t length);

#ifdef __cplusplus
}
#endif

#endif
