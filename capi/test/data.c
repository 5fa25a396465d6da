// Datasets: every layout and element type, labels, weights, options, chunks,
// files.
#include "check.h"

static fingerprint want;

static fingerprint of(aoso_matrix x) {
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    return fingerprint_on(d);
}

#define FOR_TYPES(F)                                                                                       \
    F(float, AOSO_FLOAT32) F(double, AOSO_FLOAT64) F(int8_t, AOSO_INT8) F(int16_t, AOSO_INT16)             \
    F(int32_t, AOSO_INT32) F(int64_t, AOSO_INT64) F(uint8_t, AOSO_UINT8) F(uint16_t, AOSO_UINT16)          \
    F(uint32_t, AOSO_UINT32) F(uint64_t, AOSO_UINT64)

#define DENSE(T, DTYPE)                                                                          \
    {                                                                                            \
        static T rows[ROWS * COLS], cols[ROWS * COLS], wide[ROWS * COLS * 6], back[ROWS * COLS]; \
        const void *each[COLS];                                                                  \
        for (int i = 0; i < ROWS; i++)                                                           \
            for (int j = 0; j < COLS; j++) {                                                     \
                T v = (T)values[i * COLS + j];                                                   \
                rows[i * COLS + j] = cols[j * ROWS + i] = v;                                     \
                wide[(i * COLS * 2 + j) * 3] = v;                                                \
                back[(ROWS - 1 - i) * COLS + (COLS - 1 - j)] = v;                                \
                each[j] = cols + j * ROWS;                                                       \
            }                                                                                    \
        EXPECT(same(want, of(aoso_row_major(rows, DTYPE, ROWS, COLS))));                         \
        EXPECT(same(want, of(aoso_col_major(cols, DTYPE, ROWS, COLS))));                         \
        EXPECT(same(want, of(aoso_dense(wide, DTYPE, ROWS, COLS, COLS * 6, 3))));                \
        EXPECT(same(want, of(aoso_dense(back + ROWS * COLS - 1, DTYPE, ROWS, COLS, -COLS, -1)))); \
        EXPECT(same(want, of(aoso_columns(each, DTYPE, ROWS, COLS))));                           \
    }

static void dense(void) { FOR_TYPES(DENSE) }

#define SPARSE(T, DTYPE, I, ITYPE)                                                                         \
    {                                                                                                      \
        static T v[ROWS * COLS];                                                                           \
        static I indices[ROWS * COLS], indptr[ROWS + 1];                                                   \
        I n = 0;                                                                                           \
        for (int i = 0; i < ROWS; i++) {                                                                   \
            for (int j = COLS - 1; j >= 0; j--) /* in any order */                                         \
                if (values[i * COLS + j] != 0) v[n] = (T)values[i * COLS + j], indices[n++] = (I)j;        \
            indptr[i + 1] = n;                                                                             \
        }                                                                                                  \
        EXPECT(same(want, of(aoso_csr(indptr, indices, ITYPE, v, DTYPE, n, ROWS, COLS))));                 \
        n = 0;                                                                                             \
        for (int j = 0; j < COLS; j++) {                                                                   \
            for (int i = 0; i < ROWS; i++)                                                                 \
                if (values[i * COLS + j] != 0) v[n] = (T)values[i * COLS + j], indices[n++] = (I)i;        \
            indptr[j + 1] = n;                                                                             \
        }                                                                                                  \
        EXPECT(same(want, of(aoso_csc(indptr, indices, ITYPE, v, DTYPE, n, ROWS, COLS))));                 \
    }
#define SPARSE32(T, DTYPE) SPARSE(T, DTYPE, int32_t, AOSO_INT32)
#define SPARSE64(T, DTYPE) SPARSE(T, DTYPE, int64_t, AOSO_INT64)

static void sparse(void) {
    FOR_TYPES(SPARSE32)
    FOR_TYPES(SPARSE64)

    int32_t indptr[3] = {0, 1, 2}, indices[2] = {0, 1};
    double v[2] = {1, 2};
    int32_t two[2] = {0, 1};
    aoso_labels y = aoso_int32_labels(two, 2);
    aoso_dataset *d;
    aoso_matrix x = aoso_csr(indptr, indices, AOSO_INT32, v, AOSO_FLOAT64, 2, 2, 2);
    indices[1] = 2;
    FAILS(AOSO_INVALID_ARGUMENT, "indices is 2; allowed: at least 0 and below 2", aoso_dataset_create(&x, &y, NULL, &d));
    indices[1] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "indices is -1", aoso_dataset_create(&x, &y, NULL, &d));
    indices[1] = 1;
    indptr[2] = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "indptr is 3", aoso_dataset_create(&x, &y, NULL, &d));
    indptr[2] = 2, indptr[1] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "indptr is -1", aoso_dataset_create(&x, &y, NULL, &d));
    indptr[1] = 1;
    x.index_dtype = AOSO_INT16;
    FAILS(AOSO_INVALID_ARGUMENT, "x.index_dtype is 4", aoso_dataset_create(&x, &y, NULL, &d));
    x.index_dtype = AOSO_INT32;
    x.nnz = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "x.nnz is -1", aoso_dataset_create(&x, &y, NULL, &d));
    x.nnz = INT64_MAX;
    FAILS(AOSO_INVALID_ARGUMENT, "x.nnz is 9223372036854775807", aoso_dataset_create(&x, &y, NULL, &d));
    x.nnz = 2;
    x.indptr = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "x.indptr is null", aoso_dataset_create(&x, &y, NULL, &d));
    x.indptr = indptr, x.indices = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "x.indices is null", aoso_dataset_create(&x, &y, NULL, &d));
    x.indices = indices, x.data = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "x.data is null", aoso_dataset_create(&x, &y, NULL, &d));
    x.data = v;
    x.cols = INT32_MAX; // the matrix has fewer columns
    FAILS(AOSO_OUT_OF_MEMORY, "the machine has", aoso_dataset_create(&x, &y, NULL, &d));
}

static void bad_matrices(void) {
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *const untouched = (aoso_dataset *)values, *d = untouched;
    aoso_matrix x = data();
#define BAD(field, value, text)                                                         \
    x = data(), x.field = value;                                                        \
    FAILS(AOSO_INVALID_ARGUMENT, text, aoso_dataset_create(&x, &y, NULL, &d));
    BAD(struct_size, 0, "x.struct_size is 0; allowed: sizeof the struct")
    BAD(struct_size, 100, "x.struct_size is 100")
    BAD(struct_size, 1u << 31, "x.struct_size is 2147483648")
    BAD(layout, 7, "x.layout is 7")
    BAD(layout, AOSO_TABLE, "x.table is null")
    BAD(layout, -1, "x.layout is -1")
    BAD(dtype, 0, "x.dtype is 0")
    BAD(dtype, AOSO_STRING, "x.dtype is 11")
    BAD(rows, -1, "x.rows is -1")
    BAD(rows, INT64_MAX, "x.rows is 9223372036854775807")
    BAD(rows, 0, "y.count is 300; allowed: 0, one for each row")
    BAD(cols, 0, "at least one row and one column")
    BAD(cols, (int64_t)1 << 31, "x.cols is 2147483648")
    BAD(rows, ROWS - 1, "y.count is 300; allowed: 299, one for each row")
    BAD(data, NULL, "x.data is null; allowed: 300 × 6 values")
    BAD(row_stride, INT64_MAX, "x.row_stride is 9223372036854775807")
    BAD(col_stride, INT64_MIN, "x.col_stride is -9223372036854775808")
    BAD(layout, AOSO_COLUMNS, "x.columns is null")
    BAD(layout, AOSO_ARROW, "x.arrow_schema is null")
    BAD(layout, AOSO_ARROW_STREAM, "x.arrow_stream is null")
#undef BAD
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_dataset_create(NULL, &y, NULL, &d));
    x = data();
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_dataset_create(&x, NULL, NULL, &d));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_dataset_create(&x, &y, NULL, NULL));

    const void *columns[COLS] = {values, NULL, values, values, values, values};
    x = aoso_columns(columns, AOSO_FLOAT64, ROWS, COLS);
    FAILS(AOSO_INVALID_ARGUMENT, "x.columns[1] is null", aoso_dataset_create(&x, &y, NULL, &d));

    values[3 * COLS + 2] = INFINITY;
    x = data();
    OK(aoso_dataset_create(&x, &y, NULL, &d)); // infinite values are allowed
    OK(aoso_dataset_free(d));
    make_data();
}

// Some languages use small numbers as the pointers of empty arrays.
static void dangling(void) {
    aoso_dataset *d = make_dataset();
    aoso_model *m = train_on(d, "preset=paper n_estimators=3");
    aoso_matrix x = aoso_row_major((const void *)8, AOSO_FLOAT64, 0, COLS);
    OK(aoso_model_predict(m, &x, NULL, (int32_t *)4, 0));
    const void *columns[COLS] = {(const void *)8, (const void *)8};
    x = aoso_columns(columns, AOSO_FLOAT64, 0, COLS);
    OK(aoso_model_predict(m, &x, NULL, (int32_t *)4, 0));
    size_t needed;
    OK(aoso_model_fingerprint(m, (char *)1, 0, &needed));
    EXPECT(needed == 33);
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
}

static fingerprint of_labels(aoso_labels y) {
    aoso_matrix x = data();
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    return fingerprint_on(d);
}

#define LABELS(T, DTYPE)                                               \
    {                                                                  \
        static T y[ROWS];                                              \
        for (int i = 0; i < ROWS; i++) y[i] = (T)classes[i];           \
        EXPECT(same(want, of_labels(aoso_labels_of(y, DTYPE, ROWS)))); \
    }

static void labels(void) {
    FOR_TYPES(LABELS)
    static double floats[ROWS];
    static const char *strings[ROWS];
    static const char *const names[] = {"0", "1", "2", "never"};
    for (int i = 0; i < ROWS; i++) {
        floats[i] = classes[i];
        strings[i] = names[classes[i]];
    }
    EXPECT(same(want, of_labels(aoso_string_labels(strings, ROWS))));
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    y.class_names = names;
    y.num_class_names = 4;
    EXPECT(same(want, of_labels(y)));

    aoso_matrix x = data();
    aoso_dataset *d;
#define BAD(change, text) \
    change;               \
    FAILS(AOSO_INVALID_ARGUMENT, text, aoso_dataset_create(&x, &y, NULL, &d));
    BAD(y.num_class_names = 2, "codes[")
    BAD(y.num_class_names = -1, "y.num_class_names is -1")
    BAD((y.num_class_names = 4, y.dtype = AOSO_FLOAT32), "y.dtype is 1")
    BAD((y.dtype = AOSO_INT32, y.class_names = NULL), "y.num_class_names is 4; allowed: 0")
    BAD((y.num_class_names = 0, y.data = NULL), "y.data is null")
    BAD(y = aoso_labels_of(classes, AOSO_STRING + 1, ROWS), "y.dtype is 12")

    // Soft labels: hard ones are the same labels.
    static double shares[ROWS * 3];
    for (int i = 0; i < ROWS; i++) shares[3 * i + classes[i]] = 1;
    aoso_matrix q = aoso_row_major(shares, AOSO_FLOAT64, ROWS, 3);
    y = aoso_soft_labels(&q, names);
    EXPECT(same(want, of_labels(y)));
    aoso_evaluation soft, hard;
    aoso_labels numbers = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *m = train_on(d, "preset=paper n_estimators=3");
    OK(aoso_model_evaluate(m, &x, &y, NULL, 0, NULL, &soft));
    OK(aoso_model_evaluate(m, &x, &numbers, NULL, 0, NULL, &hard));
    EXPECT(soft.errors == hard.errors && soft.log_loss == hard.log_loss);
    aoso_dataset *valid;
    shares[0] = shares[1] = 0.5, shares[2] = 0;
    OK(aoso_dataset_create_aligned(d, &x, &y, NULL, &valid));
    OK(aoso_model_evaluate(m, &x, &y, NULL, 0, NULL, &soft));
    EXPECT(soft.log_loss != hard.log_loss);
    OK(aoso_dataset_free(valid));
    aoso_model *derived;
    aoso_calibration calibration = {.struct_size = sizeof calibration};
    OK(aoso_model_calibrate(m, &x, &y, NULL, 0, NULL, &derived, &calibration));
    EXPECT(calibration.before == soft.log_loss && calibration.after < calibration.before);
    OK(aoso_model_free(derived));
    OK(aoso_model_refit(m, &x, &y, NULL, &derived));
    OK(aoso_model_free(derived));
    FAILS(AOSO_INVALID_ARGUMENT, "which a prediction set has or misses", aoso_model_conformalize(m, &x, &y, NULL, 0, NULL, &derived));
    aoso_reliability reliability = {.struct_size = sizeof reliability};
    FAILS(AOSO_INVALID_ARGUMENT, "with which this function compares", aoso_model_reliability(m, &x, &y, NULL, 0, NULL, &reliability));
    OK(aoso_model_free(m));

    // In two chunks, appended and sampled: the same dataset.
    aoso_dataset *in_one, *in_chunks;
    for (int twice = 0; twice < 2; twice++) {
        aoso_builder *b;
        OK(aoso_dataset_create(&x, &y, NULL, &in_one));
        OK(aoso_builder_create(COLS, NULL, &b));
        for (int pass = 0; pass <= twice; pass++) {
            for (int first = 0; first < ROWS; first += ROWS / 2) {
                aoso_matrix some = aoso_row_major(values + first * COLS, AOSO_FLOAT64, ROWS / 2, COLS);
                aoso_matrix of = aoso_row_major(shares + first * 3, AOSO_FLOAT64, ROWS / 2, 3);
                aoso_labels part = aoso_soft_labels(&of, names);
                if (pass < twice) {
                    OK(aoso_builder_sample(b, &some, &part, NULL, 0, NULL, 0));
                } else {
                    OK(aoso_builder_append(b, &some, &part, NULL, 0));
                }
            }
        }
        FAILS(AOSO_INVALID_ARGUMENT, "soft labels with every chunk", aoso_builder_append(b, &x, &numbers, NULL, 0));
        OK(aoso_builder_finish(b, &in_chunks));
        OK(aoso_builder_free(b));
        EXPECT(same(fingerprint_on(in_one), fingerprint_on(in_chunks)));
    }
    OK(aoso_dataset_free(d));
    BAD(shares[0] = -1, "the share of class \"0\" in row 0 is -1; allowed: 0 to 1")
    BAD(shares[0] = 0.25, "the sum of the shares in row 0 is 0.75")
    shares[0] = 0.5;
    BAD(y.data = classes, "y.data is \"given\"")
    BAD((y.data = NULL, y.count = ROWS - 1), "y.count is 299")
    BAD((y.count = ROWS, q.rows = ROWS - 1), "y.count is 300")
    BAD((q.rows = ROWS, y.num_class_names = 2), "shares is \"3 columns\"; allowed: 2 columns")
    BAD((y.num_class_names = 3, y.class_names = NULL), "y.num_class_names")
    BAD(y = aoso_int32_labels(classes, -1), "y.count is -1")
    BAD(y = aoso_int32_labels(classes, INT64_MAX), "y.count is 9223372036854775807")
    BAD(y.struct_size = 1, "y.struct_size is 1")
    y = aoso_string_labels(strings, ROWS);
    BAD(strings[7] = NULL, "y.data[7] is null")
    BAD(strings[7] = "", "label in every row")
    BAD(strings[7] = "\xff", "UTF-8")
    y = aoso_labels_of(floats, AOSO_FLOAT64, ROWS);
    BAD(floats[9] = NAN, "labels[9] is NaN")
#undef BAD

    // Labels may be any integers. Classes are in increasing order.
    int32_t three[3] = {7, -20, 0};
    double one_column[3] = {1, 2, 3};
    x = aoso_row_major(one_column, AOSO_FLOAT64, 3, 1);
    y = aoso_int32_labels(three, 3);
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    char name[8];
    size_t needed;
    OK(aoso_dataset_class_name(d, 0, name, sizeof name, &needed));
    EXPECT(strcmp(name, "-20") == 0 && needed == 4);
    OK(aoso_dataset_class_name(d, 2, name, sizeof name, NULL));
    EXPECT(strcmp(name, "7") == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "k is 3; allowed: 0 to 2", aoso_dataset_class_name(d, 3, name, sizeof name, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "k is -1", aoso_dataset_class_name(d, -1, name, sizeof name, NULL));
    strcpy(name, "xyz");
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 3; allowed: at least 4", aoso_dataset_class_name(d, 0, name, 3, &needed));
    EXPECT(strcmp(name, "xyz") == 0 && needed == 4);
    FAILS(AOSO_INVALID_ARGUMENT, "buffer is null", aoso_dataset_class_name(d, 0, NULL, 3, &needed));
    FAILS(AOSO_INVALID_ARGUMENT, "buffer is null", aoso_dataset_class_name(d, 0, NULL, 0, NULL));
    needed = 0;
    OK(aoso_dataset_class_name(d, 0, NULL, 0, &needed));
    EXPECT(needed == 4);
    OK(aoso_dataset_free(d));
}

static void options(void) {
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d;
    static double weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = 1;
    const char *names[COLS] = {"a", "b", "c", "d", "e", "höhe"};
    aoso_dataset_options o = {.struct_size = sizeof o};
    OK(aoso_dataset_create(&x, &y, &o, &d));
    EXPECT(same(want, fingerprint_on(d)));
    o.weights = weights;
    o.num_weights = ROWS;
    o.dense_only = 1;
    o.nthread = 2;
    o.sample_rows = -1;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    EXPECT(same(want, fingerprint_on(d)));
    o.feature_names = names;
    o.num_feature_names = COLS;
    o.max_bin = 5;
    o.seed = 3;
    o.sample_rows = 100;
    weights[0] = 30;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    char name[8];
    OK(aoso_dataset_feature_name(d, 5, name, sizeof name, NULL));
    EXPECT(strcmp(name, "höhe") == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "j is 6; allowed: 0 to 5", aoso_dataset_feature_name(d, 6, name, sizeof name, NULL));
    EXPECT(!same(want, fingerprint_on(d)));

#define BAD(field, value, text)                                                 \
    {                                                                           \
        aoso_dataset_options before = o;                                        \
        o.field = value;                                                        \
        FAILS(AOSO_INVALID_ARGUMENT, text, aoso_dataset_create(&x, &y, &o, &d)); \
        o = before;                                                             \
    }
    BAD(struct_size, 3, "options.struct_size is 3")
    BAD(max_bin, 1, "max_bin is 1; allowed: 2 to 255")
    BAD(max_bin, 256, "max_bin is 256")
    BAD(nthread, -1, "nthread is -1")
    BAD(nthread, INT32_MAX, "nthread is 2147483647")
    BAD(num_weights, ROWS - 1, "options.num_weights is 299; allowed: 300, one for each row")
    BAD(num_weights, INT64_MAX, "options.num_weights is 9223372036854775807")
    BAD(weights, NULL, "options.num_weights is 300; allowed: 0, because weights is null")
    BAD(num_feature_names, 5, "options.num_feature_names is 5; allowed: 6, one for each feature")
    BAD(num_feature_names, -1, "options.num_feature_names is -1")
    weights[4] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "weights[4] is -1", aoso_dataset_create(&x, &y, &o, &d));
    weights[4] = NAN;
    FAILS(AOSO_INVALID_ARGUMENT, "weights[4] is NaN", aoso_dataset_create(&x, &y, &o, &d));
    for (int i = 0; i < ROWS; i++) weights[i] = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "at least one above 0", aoso_dataset_create(&x, &y, &o, &d));
    o.weights = NULL, o.num_weights = 0;
    names[2] = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "options.feature_names[2] is null", aoso_dataset_create(&x, &y, &o, &d));
    names[2] = "\xc3\x28";
    FAILS(AOSO_INVALID_ARGUMENT, "UTF-8", aoso_dataset_create(&x, &y, &o, &d));
    o.feature_names = NULL, o.num_feature_names = 0;
    o.init = (const aoso_model *)&x;
    FAILS(AOSO_INVALID_HANDLE, "options.init is 0x", aoso_dataset_create(&x, &y, &o, &d));
    o.init = (const aoso_model *)1;
    FAILS(AOSO_INVALID_HANDLE, "options.init is 0x1", aoso_dataset_create(&x, &y, &o, &d));
#undef BAD

    // A program compiled with an older header has fewer fields, one compiled with a
    // newer header has more.
    struct {
        aoso_dataset_options o;
        int64_t next;
    } newer = {{.struct_size = sizeof newer}, 0};
    OK(aoso_dataset_create(&x, &y, &newer.o, &d));
    EXPECT(same(want, fingerprint_on(d)));
    newer.next = 1;
    FAILS(AOSO_INVALID_ARGUMENT, "in this version of the library", aoso_dataset_create(&x, &y, &newer.o, &d));
    aoso_dataset_options older = {.struct_size = 8, .init = (const aoso_model *)1, .num_weights = 77};
    OK(aoso_dataset_create(&x, &y, &older, &d));
    EXPECT(same(want, fingerprint_on(d)));
}

static void info(void) {
    aoso_dataset *d = make_dataset(), *v;
    aoso_dataset_info i = {.struct_size = sizeof i};
    OK(aoso_dataset_get_info(d, &i));
    EXPECT(i.rows == ROWS && i.features == COLS && i.classes == CLASSES && i.unknown == 0 && i.bytes >= ROWS * COLS);
    struct {
        aoso_dataset_info i;
        int64_t next[2];
    } newer = {{.struct_size = sizeof newer}, {5, 5}};
    OK(aoso_dataset_get_info(d, &newer.i));
    EXPECT(newer.i.bytes == i.bytes && newer.next[0] == 0 && newer.next[1] == 0 && newer.i.struct_size == sizeof newer);
    aoso_dataset_info older = {.struct_size = 24, .classes = 77};
    OK(aoso_dataset_get_info(d, &older));
    EXPECT(older.rows == ROWS && older.features == COLS && older.classes == 77);
    older.struct_size = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "info.struct_size is 0", aoso_dataset_get_info(d, &older));
    FAILS(AOSO_INVALID_ARGUMENT, "info is null", aoso_dataset_get_info(d, NULL));

    // Two rows of the validation set have a class that the training set does not have.
    int32_t y[4] = {0, 1, 5, 5};
    double w[4] = {1, 2, 3, 4};
    aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, 4, COLS);
    aoso_labels labels = aoso_int32_labels(y, 4);
    aoso_dataset_options o = {.struct_size = sizeof o, .weights = w, .num_weights = 4};
    OK(aoso_dataset_create_aligned(d, &x, &labels, &o, &v));
    OK(aoso_dataset_get_info(v, &i));
    EXPECT(i.rows == 4 && i.classes == CLASSES && i.unknown == 2);
    o.num_weights = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_weights is 3", aoso_dataset_create_aligned(d, &x, &labels, &o, &v));
    FAILS(AOSO_INVALID_HANDLE, "train is null; allowed: a dataset", aoso_dataset_create_aligned(NULL, &x, &labels, NULL, &v));
    x.cols = COLS - 1;
    FAILS(AOSO_INVALID_ARGUMENT, "5 columns", aoso_dataset_create_aligned(d, &x, &labels, NULL, &v));
    x.cols = COLS;
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_dataset_create_aligned(d, NULL, &labels, NULL, &v));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_dataset_create_aligned(d, &x, NULL, NULL, &v));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_dataset_create_aligned(d, &x, &labels, NULL, NULL));
    OK(aoso_dataset_free(v));
    OK(aoso_dataset_free(d));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_dataset_free(d));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_dataset_get_info(d, &i));
    OK(aoso_dataset_free(NULL));
}

// Rows have ids, which say what is drawn.
static void row_ids(void) {
    static uint64_t positions[ROWS], ids[ROWS];
    for (int i = 0; i < ROWS; i++) positions[i] = (uint64_t)i, ids[i] = (uint64_t)i * 7 + 3;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    fingerprint of_sample[4];
    const uint64_t *each[] = {NULL, positions, ids, ids};
    for (int i = 0; i < 4; i++) {
        aoso_dataset_options o = {.struct_size = sizeof o, .sample_rows = 50, .row_ids = each[i], .num_row_ids = each[i] ? ROWS : 0};
        aoso_dataset *d;
        if (i < 3) {
            OK(aoso_dataset_create(&x, &y, &o, &d));
        } else { // in two chunks
            aoso_builder *b;
            const int64_t n = ROWS / 3;
            o.row_ids = NULL, o.num_row_ids = 0;
            OK(aoso_builder_create(COLS, &o, &b));
            aoso_matrix first = aoso_row_major(values, AOSO_FLOAT64, n, COLS);
            aoso_matrix rest = aoso_row_major(values + n * COLS, AOSO_FLOAT64, ROWS - n, COLS);
            aoso_labels first_y = aoso_int32_labels(classes, n), rest_y = aoso_int32_labels(classes + n, ROWS - n);
            OK(aoso_builder_append_with_ids(b, &first, &first_y, NULL, 0, ids, n));
            FAILS(AOSO_INVALID_ARGUMENT, "row ids with every chunk, or with none", aoso_builder_append(b, &rest, &rest_y, NULL, 0));
            FAILS(AOSO_INVALID_ARGUMENT, "num_row_ids", aoso_builder_append_with_ids(b, &rest, &rest_y, NULL, 0, ids, n));
            OK(aoso_builder_append_with_ids(b, &rest, &rest_y, NULL, 0, ids + n, ROWS - n));
            OK(aoso_builder_finish(b, &d));
            OK(aoso_builder_free(b));
        }
        of_sample[i] = fingerprint_on(d);
    }
    EXPECT(same(of_sample[0], of_sample[1]));
    EXPECT(!same(of_sample[0], of_sample[2]));
    EXPECT(same(of_sample[2], of_sample[3]));
    ids[9] = ids[4];
    aoso_dataset_options o = {.struct_size = sizeof o, .row_ids = ids, .num_row_ids = ROWS};
    aoso_dataset *d;
    aoso_builder *b;
    FAILS(AOSO_INVALID_ARGUMENT, "row_ids[9] is 31; allowed: an id of its own; row_ids[4] is the same", aoso_dataset_create(&x, &y, &o, &d));
    FAILS(AOSO_INVALID_ARGUMENT, "row ids are passed with the chunks", aoso_builder_create(COLS, &o, &b));
    o.num_row_ids--;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_row_ids", aoso_dataset_create(&x, &y, &o, &d));
    o.row_ids = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "row_ids is null", aoso_dataset_create(&x, &y, &o, &d));
}

// A validation set from a builder is the same as one created from all rows.
static void builder_aligned(aoso_builder *b) {
    aoso_dataset *train = make_dataset(), *at_once, *gathered;
    aoso_matrix x = data();
    int32_t some_unknown[ROWS];
    memcpy(some_unknown, classes, sizeof some_unknown);
    some_unknown[0] = some_unknown[9] = 50;
    aoso_labels y = aoso_int32_labels(some_unknown, ROWS);
    OK(aoso_builder_append(b, &x, &y, NULL, 0));
    FAILS(AOSO_INVALID_HANDLE, "train is null", aoso_builder_finish_aligned(b, NULL, &gathered));
    FAILS(AOSO_INVALID_HANDLE, "train is a builder", aoso_builder_finish_aligned(b, (aoso_dataset *)b, &gathered));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_builder_finish_aligned(b, train, NULL));
    FAILS(AOSO_INVALID_HANDLE, "builder is null", aoso_builder_finish_aligned(NULL, train, &gathered));
    OK(aoso_builder_finish_aligned(b, train, &gathered)); // the failed calls did not change the builder
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &at_once));
    aoso_params p = parse("n_estimators=5 max_leaves=4");
    aoso_result results[2] = {{.struct_size = sizeof *results}, {.struct_size = sizeof *results}};
    for (int i = 0; i < 2; i++) {
        aoso_train_options o = {.struct_size = sizeof o, .valid = i ? gathered : at_once};
        aoso_model *m;
        OK(aoso_train(train, &p, &o, &m, &results[i]));
        OK(aoso_model_free(m));
    }
    EXPECT(memcmp(&results[0].valid, &results[1].valid, sizeof results[0].valid) == 0);
    aoso_dataset_info i = {.struct_size = sizeof i};
    OK(aoso_dataset_get_info(gathered, &i));
    EXPECT(i.rows == ROWS && i.unknown == 2);
    OK(aoso_dataset_free(gathered));
    OK(aoso_builder_finish_aligned(b, train, &gathered)); // a validation set may have no rows
    OK(aoso_dataset_free(gathered));
    OK(aoso_dataset_free(at_once));
    OK(aoso_dataset_free(train));
}

static void builder(void) {
    aoso_builder *b;
    aoso_dataset *d;
    OK(aoso_builder_create(COLS, NULL, &b));
    static double ones[ROWS];
    for (int i = 0; i < ROWS; i++) ones[i] = 1;
    for (int weighted = 0; weighted < 2; weighted++) {
        for (int first = 0, n; first < ROWS; first += n) {
            n = first % 3 == 0 ? 1 : ROWS - first < 40 ? ROWS - first : 40;
            aoso_matrix x = aoso_row_major(values + first * COLS, AOSO_FLOAT64, n, COLS);
            aoso_labels y = aoso_int32_labels(classes + first, n);
            OK(aoso_builder_append(b, &x, &y, weighted ? ones : NULL, weighted ? n : 0));
            x.cols--;
            FAILS(AOSO_INVALID_ARGUMENT, "5 columns", aoso_builder_append(b, &x, &y, NULL, 0));
            x.cols++;
            y.count--;
            FAILS(AOSO_INVALID_ARGUMENT, "y.count", aoso_builder_append(b, &x, &y, NULL, 0));
            y.count++;
            FAILS(AOSO_INVALID_ARGUMENT, "num_weights", aoso_builder_append(b, &x, &y, ones, n + 1));
            FAILS(AOSO_INVALID_ARGUMENT, "weights with every chunk, or with none",
                  aoso_builder_append(b, &x, &y, weighted ? NULL : ones, weighted ? 0 : n));
        }
        OK(aoso_builder_finish(b, &d));
        EXPECT(same(want, fingerprint_on(d)));
    }
    builder_aligned(b);
    FAILS(AOSO_INVALID_ARGUMENT, "at least one row", aoso_builder_finish(b, &d));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_builder_finish(b, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_builder_append(b, NULL, NULL, NULL, 0));
    FAILS(AOSO_INVALID_HANDLE, "dataset is a builder; allowed: a dataset", aoso_dataset_free((aoso_dataset *)b));
    OK(aoso_builder_free(b));
    OK(aoso_builder_free(NULL));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_builder_free(b));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_builder_finish(b, &d));
    aoso_dataset_options o = {.struct_size = sizeof o, .weights = ones, .num_weights = 1};
    FAILS(AOSO_INVALID_ARGUMENT, "weights are passed with the chunks", aoso_builder_create(COLS, &o, &b));
    FAILS(AOSO_INVALID_ARGUMENT, "cols is 0", aoso_builder_create(0, NULL, &b));
    FAILS(AOSO_INVALID_ARGUMENT, "cols is -1", aoso_builder_create(-1, NULL, &b));
    FAILS(AOSO_INVALID_ARGUMENT, "cols is 9223372036854775807", aoso_builder_create(INT64_MAX, NULL, &b));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_builder_create(COLS, NULL, NULL));
}

// A dataset of rows that come twice is the same as one created from all rows.
static void builder_twice(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/twice.aosod", folder);
    for (int mapped = 0; mapped < 2; mapped++) {
        aoso_dataset_options o = {.struct_size = sizeof o, .path = mapped ? path : NULL};
        aoso_builder *b;
        aoso_dataset *d;
        OK(aoso_builder_create(COLS, &o, &b));
        aoso_matrix x = data();
        aoso_labels y = aoso_int32_labels(classes, ROWS);
        OK(aoso_builder_sample(b, &x, &y, NULL, 0, NULL, 0));
        for (int first = 0, n; first < ROWS; first += n) {
            n = ROWS - first < 70 ? ROWS - first : 70;
            aoso_matrix part = aoso_row_major(values + first * COLS, AOSO_FLOAT64, n, COLS);
            aoso_labels labels = aoso_int32_labels(classes + first, n);
            OK(aoso_builder_append(b, &part, &labels, NULL, 0));
            FAILS(AOSO_INVALID_ARGUMENT, "before the first append", aoso_builder_sample(b, &part, &labels, NULL, 0, NULL, 0));
        }
        FAILS(AOSO_INVALID_ARGUMENT, "as the first time", aoso_builder_append(b, &x, &y, NULL, 0));
        OK(aoso_builder_finish(b, &d));
        EXPECT(same(want, fingerprint_on(d)));
        OK(aoso_builder_sample(b, &x, &y, NULL, 0, NULL, 0)); /* the builder is empty again */
        FAILS(AOSO_INVALID_ARGUMENT, "rows is 0", aoso_builder_finish(b, &d));
        OK(aoso_builder_free(b));
        if (mapped) {
            aoso_dataset *loaded;
            OK(aoso_dataset_load(path, &loaded));
            EXPECT(same(want, fingerprint_on(loaded)));
        }
    }
    remove(path);
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset_options o = {.struct_size = sizeof o, .path = path};
    aoso_dataset *d, *loaded;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    EXPECT(same(want, fingerprint_on(d))); /* frees it */
    OK(aoso_dataset_load(path, &loaded));
    EXPECT(same(want, fingerprint_on(loaded)));
    remove(path);
    o.path = "/no/such/folder/file";
    FAILS(AOSO_IO, "cannot write", aoso_dataset_create(&x, &y, &o, &d));
    FAILS(AOSO_INVALID_HANDLE, "builder is null", aoso_builder_sample(NULL, &x, &y, NULL, 0, NULL, 0));
}

static void files(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/dataset.aosod", folder);
    aoso_dataset *d = make_dataset(), *loaded;
    OK(aoso_dataset_save(d, path));
    OK(aoso_dataset_load(path, &loaded));
    EXPECT(same(want, fingerprint_on(loaded)));
    OK(aoso_dataset_read(path, &loaded));
    fclose(fopen(path, "wb")); /* empties it; with a mapped file that would end the program */
    EXPECT(same(want, fingerprint_on(loaded)));
    FAILS(AOSO_BAD_FORMAT, "empty", aoso_dataset_read(path, &loaded));
    FAILS(AOSO_INVALID_ARGUMENT, "path is null", aoso_dataset_read(NULL, &loaded));
    FAILS(AOSO_IO, "no such file", aoso_dataset_read("/no/such/file", &loaded));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_dataset_read(path, NULL));
    OK(aoso_dataset_save(d, path));
    FAILS(AOSO_IO, "cannot write", aoso_dataset_save(d, "/no/such/folder/file"));
    FAILS(AOSO_INVALID_ARGUMENT, "path is null", aoso_dataset_save(d, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "path is null", aoso_dataset_load(NULL, &loaded));
    FAILS(AOSO_INVALID_ARGUMENT, "UTF-8", aoso_dataset_load("\xff", &loaded));
    FAILS(AOSO_IO, "no such file", aoso_dataset_load("/no/such/file", &loaded));
    FAILS(AOSO_BAD_FORMAT, "aoso", aoso_dataset_load("/bin/sh", &loaded));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_dataset_load(path, NULL));
    aoso_model *m = train_on(d, "preset=paper n_estimators=2");
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset_options o = {.struct_size = sizeof o, .init = m};
    OK(aoso_dataset_free(d));
    OK(aoso_dataset_create(&x, &y, &o, &d));
    FAILS(AOSO_INVALID_ARGUMENT, "continues a model", aoso_dataset_save(d, path));
    OK(aoso_model_save(m, path));
    FAILS(AOSO_BAD_FORMAT, "", aoso_dataset_load(path, &loaded));
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
    remove(path);
}

static int32_t end_at_third(void *user) { return ++*(int *)user >= 3; }

// Of two columns with the same different values, the code is the one without an order.
static void codes(void) {
    enum { MANY = 600, VALUES = 50 };
    static double x[MANY * 2];
    static int32_t y[MANY], skilled[VALUES];
    unsigned state = 1;
    for (int k = 0; k < VALUES; k++) skilled[k] = (state = state * 1103515245 + 12345) >> 20 & 1;
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j < 2; j++) x[i * 2 + j] = (state = state * 1103515245 + 12345) / 65536 % VALUES;
        y[i] = skilled[(int)x[i * 2]] != (x[i * 2 + 1] > 45);
    }
    aoso_matrix m = aoso_row_major(x, AOSO_FLOAT64, MANY, 2);
    aoso_labels l = aoso_int32_labels(y, MANY);
    aoso_dataset_options o = {.struct_size = sizeof o, .nthread = 1};
    aoso_code_suggestion found[2];
    int64_t count = 0;
    OK(aoso_suggest_codes(&m, &l, &o, found, 2, &count, NULL, NULL));
    EXPECT(count == 2 && found[0].feature == 0 && found[0].suggested && found[0].gain > found[0].error && found[0].values == VALUES);
    EXPECT(found[1].feature == 1 && !found[1].suggested);
    OK(aoso_suggest_codes(&m, &l, NULL, found, 1, &count, NULL, NULL));
    EXPECT(count == 2 && found[0].feature == 0);
    for (o.nthread = 1; o.nthread <= 2; o.nthread++) {
        int calls = 0;
        OK(aoso_suggest_codes(&m, &l, &o, found, 2, &count, end_at_third, &calls));
        EXPECT(count == -1 && calls == 3);
    }
    l.count = MANY - 1;
    FAILS(AOSO_INVALID_ARGUMENT, "y.count is 599", aoso_suggest_codes(&m, &l, NULL, found, 2, &count, NULL, NULL));
    l.count = MANY;
    FAILS(AOSO_INVALID_ARGUMENT, "length is 0", aoso_suggest_codes(&m, &l, NULL, found, 0, &count, NULL, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_suggest_codes(&m, &l, NULL, NULL, 2, &count, NULL, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "is null", aoso_suggest_codes(&m, &l, NULL, found, 2, NULL, NULL, NULL));
}

int main(int argc, char **argv) {
    make_data();
    want = of(data());
    dense();
    sparse();
    bad_matrices();
    dangling();
    labels();
    options();
    info();
    builder();
    row_ids();
    builder_twice(argc > 1 ? argv[1] : ".");
    files(argc > 1 ? argv[1] : ".");
    codes();
    return finish("data");
}
