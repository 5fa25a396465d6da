// The functions of aoso_ffi.h return what the helpers of aoso.h return.
#include <aoso_ffi.h>

#include "check.h"

#define SAME(T, made, want)                                             \
    do {                                                                \
        T *got_ = made;                                                 \
        const T want_ = want;                                           \
        EXPECT(got_ != NULL && memcmp(got_, &want_, sizeof want_) == 0); \
        aoso_free(got_);                                                \
    } while (0)

static void structs(void) {
    static const double numbers[4] = {1, 2, 3, 4};
    static const int32_t codes[2] = {1, 0}, indices[2] = {0, 1}, indptr[3] = {0, 1, 2};
    static const int64_t offsets[3] = {0, 1, 2};
    static const char *const names[2] = {"a", "b"};
    static const void *const columns[2] = {numbers, numbers + 2};
    struct ArrowArray *array = (struct ArrowArray *)(uintptr_t)numbers;
    struct ArrowSchema *schema = (struct ArrowSchema *)(uintptr_t)codes;
    struct ArrowArrayStream *stream = (struct ArrowArrayStream *)(uintptr_t)indices;

    SAME(aoso_matrix, aoso_new_dense(numbers, AOSO_FLOAT64, 2, 2, -2, 1), aoso_dense(numbers, AOSO_FLOAT64, 2, 2, -2, 1));
    SAME(aoso_matrix, aoso_new_row_major(numbers, AOSO_FLOAT64, 1, 4), aoso_row_major(numbers, AOSO_FLOAT64, 1, 4));
    SAME(aoso_matrix, aoso_new_col_major(numbers, AOSO_FLOAT64, 1, 4), aoso_col_major(numbers, AOSO_FLOAT64, 1, 4));
    SAME(aoso_matrix, aoso_new_columns(columns, AOSO_FLOAT64, 2, 2), aoso_columns(columns, AOSO_FLOAT64, 2, 2));
    SAME(aoso_matrix, aoso_new_csr(indptr, indices, AOSO_INT32, numbers, AOSO_FLOAT64, 2, 2, 3),
         aoso_csr(indptr, indices, AOSO_INT32, numbers, AOSO_FLOAT64, 2, 2, 3));
    SAME(aoso_matrix, aoso_new_csc(indptr, indices, AOSO_INT32, numbers, AOSO_FLOAT64, 2, 3, 2),
         aoso_csc(indptr, indices, AOSO_INT32, numbers, AOSO_FLOAT64, 2, 3, 2));
    SAME(aoso_matrix, aoso_new_arrow(array, schema), aoso_arrow(array, schema));
    SAME(aoso_matrix, aoso_new_arrow_stream(stream), aoso_arrow_stream(stream));
    SAME(aoso_column, aoso_new_numbers(numbers, AOSO_FLOAT64), aoso_numbers(numbers, AOSO_FLOAT64));
    SAME(aoso_column, aoso_new_categories(codes, names, 2), aoso_categories(codes, names, 2));
    SAME(aoso_column, aoso_new_categories_in(codes, "ab", offsets, 2), aoso_categories_in(codes, "ab", offsets, 2));
    SAME(aoso_labels, aoso_new_labels_of(numbers, AOSO_FLOAT64, 4), aoso_labels_of(numbers, AOSO_FLOAT64, 4));
    SAME(aoso_labels, aoso_new_int32_labels(codes, 2), aoso_int32_labels(codes, 2));
    SAME(aoso_labels, aoso_new_string_labels(names, 2), aoso_string_labels(names, 2));
}

static void table(void) {
    static const double numbers[4] = {1, 2, 3, 4};
    static const int32_t codes[4] = {1, 0, 0, 1};
    static const char *const names[2] = {"a", "b"};
    aoso_column *columns[2] = {aoso_new_numbers(numbers, AOSO_FLOAT64), aoso_new_categories(codes, names, 2)};
    aoso_matrix *x = aoso_new_table((const aoso_column *const *)columns, 4, 2);
    aoso_labels *y = aoso_new_int32_labels(codes, 4);
    aoso_free(columns[0]); /* the table has copies */
    aoso_free(columns[1]);
    aoso_params *params = aoso_new_params();
    OK(aoso_params_parse(params, "n_estimators=3"));
    aoso_dataset *data;
    aoso_model *model;
    OK(aoso_dataset_create(x, y, NULL, &data));
    OK(aoso_train(data, params, NULL, &model, NULL));
    int32_t predicted[4];
    OK(aoso_model_predict(model, x, NULL, predicted, 4));
    OK(aoso_model_free(model));
    OK(aoso_dataset_free(data));
    aoso_free(x);

    x = aoso_new_table(NULL, 4, 2);
    FAILS(AOSO_INVALID_ARGUMENT, "table", aoso_dataset_create(x, y, NULL, &data));
    aoso_free(x);
    aoso_free(y);
    aoso_free(params);
    aoso_free(NULL);
}

int main(void) {
    structs();
    table();
    return finish("ffi");
}
