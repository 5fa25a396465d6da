// Tables with categorical columns, from the library's own structs and from Arrow.
#include "check.h"

#include "../arrow.h"

enum { NUM_NAMES = 5 };
static const char *const names[NUM_NAMES] = {"north", "südost", "west", "never", "a name of more than twelve bytes"};
static const char *const reversed[NUM_NAMES] = {"a name of more than twelve bytes", "never", "west", "südost", "north"};

static int32_t codes[ROWS], reversed_codes[ROWS];
static double numbers[ROWS];
static aoso_labels y;

// The class depends on the category, except where that is missing.
static void make_codes(void) {
    uint64_t state = 5;
    for (int i = 0; i < ROWS; i++) {
        int code = (int)(next_random(&state) % 4);
        codes[i] = code == 3 ? 4 : code;
        if (next_random(&state) % 20 == 0) codes[i] = -1;
        classes[i] = codes[i] < 0 ? i % 3 : code % 3;
        reversed_codes[i] = codes[i] < 0 ? -7 : NUM_NAMES - 1 - codes[i];
        numbers[i] = values[i * COLS];
    }
}

static aoso_matrix table_of(aoso_column columns[2]) {
    columns[0] = aoso_categories(codes, names, NUM_NAMES);
    columns[1] = aoso_numbers(numbers, AOSO_FLOAT64);
    return aoso_table(columns, ROWS, 2);
}

static aoso_dataset *dataset_of(const aoso_matrix *x) {
    aoso_dataset *d;
    OK(aoso_dataset_create(x, &y, NULL, &d));
    return d;
}

// A table of numbers gives the same model as the same numbers in a matrix.
static void numeric(void) {
    static int8_t small[ROWS];
    static float wide[3 * ROWS];
    aoso_column columns[COLS];
    for (int j = 0; j < COLS; j++) {
        columns[j] = aoso_numbers(values + j, AOSO_FLOAT64);
        columns[j].stride = COLS;
    }
    for (int i = 0; i < ROWS; i++) {
        small[i] = (int8_t)values[i * COLS + 1];
        wide[3 * (ROWS - 1 - i)] = (float)values[i * COLS + 2];
    }
    columns[1] = aoso_numbers(small, AOSO_INT8);
    columns[2] = aoso_numbers(wide + 3 * (ROWS - 1), AOSO_FLOAT32);
    columns[2].stride = -3;
    aoso_matrix x = aoso_table(columns, ROWS, COLS);
    aoso_matrix plain = data();
    EXPECT(same(fingerprint_on(dataset_of(&plain)), fingerprint_on(dataset_of(&x))));
}

static void check_names(aoso_status (*get)(const void *, int64_t, char *, size_t, size_t *, int64_t *), const void *of) {
    char all[200];
    size_t needed;
    int64_t count;
    OK(get(of, 0, NULL, 0, &needed, &count));
    EXPECT(count == 4);
    OK(get(of, 0, all, sizeof all, &needed, &count));
    static const char want[] = "a name of more than twelve bytes\0north\0südost\0west";
    EXPECT(count == 4 && needed == sizeof want && memcmp(all, want, sizeof want) == 0);
    OK(get(of, 1, all, sizeof all, &needed, &count));
    EXPECT(count == -1 && needed == 0);
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 5", get(of, 0, all, 5, &needed, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "j is 2; allowed: 0 to 1", get(of, 2, all, sizeof all, &needed, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "count is null", get(of, 0, all, sizeof all, &needed, NULL));
}

static aoso_status model_categories(const void *m, int64_t j, char *b, size_t n, size_t *needed, int64_t *count) {
    return aoso_model_categories(m, j, b, n, needed, count);
}

static aoso_status dataset_categories(const void *d, int64_t j, char *b, size_t n, size_t *needed, int64_t *count) {
    return aoso_dataset_categories(d, j, b, n, needed, count);
}

// Codes of any type and dictionaries in any form and order are the same table.
static void forms(fingerprint want) {
    aoso_column columns[2];
    aoso_matrix x = table_of(columns);
    columns[0] = aoso_categories(reversed_codes, reversed, NUM_NAMES);
    EXPECT(same(want, fingerprint_on(dataset_of(&x))));

    char text[100] = "";
    int64_t offsets[NUM_NAMES + 1] = {0};
    for (int k = 0; k < NUM_NAMES; k++) {
        strcat(text, names[k]);
        offsets[k + 1] = (int64_t)strlen(text);
    }
    columns[0] = aoso_categories_in(codes, text, offsets, NUM_NAMES);
    EXPECT(same(want, fingerprint_on(dataset_of(&x))));

    static int16_t narrow[2 * ROWS];
    for (int i = 0; i < ROWS; i++) narrow[2 * i] = (int16_t)codes[i];
    columns[0].data = narrow;
    columns[0].dtype = AOSO_INT16;
    columns[0].stride = 2;
    EXPECT(same(want, fingerprint_on(dataset_of(&x))));

    // A name may occur twice. The empty name is missing.
    static uint8_t bytes[ROWS];
    const char *twice[] = {"north", "südost", "west", "", "a name of more than twelve bytes", "north"};
    for (int i = 0; i < ROWS; i++) bytes[i] = (uint8_t)(codes[i] < 0 ? 3 : codes[i] == 0 && i % 2 ? 5 : codes[i]);
    columns[0] = aoso_categories(NULL, twice, 6);
    columns[0].data = bytes;
    columns[0].dtype = AOSO_UINT8;
    EXPECT(same(want, fingerprint_on(dataset_of(&x))));
}

// Every function that takes features takes a table.
static void everywhere(const aoso_model *m, const aoso_dataset *train) {
    aoso_column a[2], b[2];
    aoso_matrix x = table_of(a), other = table_of(b);
    b[0] = aoso_categories(reversed_codes, reversed, NUM_NAMES);
    static double p[2][ROWS * CLASSES], s[2][ROWS * CLASSES * 3];
    static int32_t k[2][ROWS];
    aoso_evaluation e[2];
    aoso_model *made[2];
    aoso_calibration c[2] = {{.struct_size = sizeof *c}, {.struct_size = sizeof *c}};
    const aoso_matrix *both[2] = {&x, &other};
    for (int i = 0; i < 2; i++) {
        OK(aoso_model_predict(m, both[i], NULL, k[i], ROWS));
        OK(aoso_model_predict_proba(m, both[i], NULL, p[i], ROWS * CLASSES));
        OK(aoso_model_shap(m, both[i], NULL, s[i], ROWS * CLASSES * 3));
        OK(aoso_model_evaluate(m, both[i], &y, NULL, 0, NULL, &e[i]));
        OK(aoso_model_calibrate(m, both[i], &y, NULL, 0, NULL, &made[i], &c[i]));
        OK(aoso_model_free(made[i]));
        OK(aoso_model_refit(m, both[i], &y, NULL, &made[i]));
    }
    EXPECT(memcmp(k[0], k[1], sizeof *k) == 0 && memcmp(p[0], p[1], sizeof *p) == 0 && memcmp(s[0], s[1], sizeof *s) == 0);
    EXPECT(e[0].errors == e[1].errors && e[0].log_loss == e[1].log_loss && e[0].errors < ROWS / 10);
    EXPECT(c[0].temperature == c[1].temperature);
    EXPECT(same(fingerprint_of(made[0]), fingerprint_of(made[1])));
    OK(aoso_model_free(made[0]));
    OK(aoso_model_free(made[1]));

    aoso_dataset *valid;
    OK(aoso_dataset_create_aligned(train, &other, &y, NULL, &valid));
    check_names(dataset_categories, valid);
    OK(aoso_dataset_free(valid));

    // Chunks with other dictionaries.
    aoso_builder *builder;
    aoso_dataset *d;
    OK(aoso_builder_create(2, NULL, &builder));
    x.rows = other.rows = ROWS / 2;
    aoso_labels half = aoso_int32_labels(classes, ROWS / 2);
    OK(aoso_builder_append(builder, &x, &half, NULL, 0));
    b[0].data = reversed_codes + ROWS / 2;
    b[1].data = numbers + ROWS / 2;
    half.data = classes + ROWS / 2;
    OK(aoso_builder_append(builder, &other, &half, NULL, 0));
    OK(aoso_builder_finish(builder, &d));
    OK(aoso_builder_free(builder));
    EXPECT(same(fingerprint_of(m), fingerprint_on(d)));
}

// Rows with positions of categories, found by name once, predict the same as tables.
static void single_rows(const aoso_model *m) {
    aoso_column columns[2];
    const aoso_matrix x = table_of(columns);
    static double p[ROWS * CLASSES];
    OK(aoso_model_predict_proba(m, &x, NULL, p, ROWS * CLASSES));
    int64_t found[NUM_NAMES], count, none;
    for (int k = 0; k < NUM_NAMES; k++) OK(aoso_model_find_category(m, 0, names[k], &found[k]));
    aoso_predictor *predictor;
    OK(aoso_predictor_create(m, NULL, &predictor));
    for (int i = 0; i < ROWS; i++) {
        const double row[2] = {codes[i] < 0 ? NAN : (double)found[codes[i]], numbers[i]};
        double out[CLASSES];
        OK(aoso_predictor_proba(predictor, row, 2, out, CLASSES));
        EXPECT(memcmp(out, p + i * CLASSES, sizeof out) == 0);
    }
    OK(aoso_predictor_free(predictor));
    char list[200];
    OK(aoso_model_categories(m, 0, list, sizeof list, NULL, &count));
    OK(aoso_model_find_category(m, 0, "unknown", &none));
    EXPECT(none == count && found[3] == count && found[1] < count);
    OK(aoso_model_find_category(m, 1, "3", &none));
    EXPECT(none == -1);
    FAILS(AOSO_INVALID_ARGUMENT, "j is 2; allowed: 0 to 1", aoso_model_find_category(m, 2, "north", &none));
    FAILS(AOSO_INVALID_ARGUMENT, "name is null", aoso_model_find_category(m, 0, NULL, &none));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_find_category(m, 0, "north", NULL));
}

static void bad(const aoso_model *m) {
    aoso_column columns[2], before;
    aoso_matrix x = table_of(columns);
    aoso_dataset *d;
    before = columns[0];
    const char *wrong[NUM_NAMES] = {"north", "south", "\xff", "b", "c"};
#define BAD(change, message)                                                         \
    {                                                                             \
        change;                                                                   \
        FAILS(AOSO_INVALID_ARGUMENT, message, aoso_dataset_create(&x, &y, NULL, &d)); \
        columns[0] = before;                                                      \
    }
    BAD(columns[0].kind = 2, "x.table[0].kind is 2; allowed: AOSO_NUMERIC (0) or AOSO_CATEGORICAL (1)")
    BAD(columns[0].dtype = AOSO_FLOAT64, "x.table[0].dtype is 2")
    BAD(columns[0].dtype = 77, "x.table[0].dtype is 77")
    BAD((columns[0].dtype = 77, columns[0].kind = 0), "x.table[0].dtype is 77")
    BAD(columns[0].data = NULL, "x.table[0].data is null; allowed: 300 values")
    BAD(columns[0].stride = INT64_MAX, "x.table[0].stride is 9223372036854775807")
    BAD(columns[0].num_categories = 4, "x.table[0]: code of row ")
    BAD(columns[0].num_categories = 4, " is 4; allowed: below 4, the number of categories")
    BAD(columns[0].num_categories = -1, "x.table[0].num_categories is -1")
    BAD(columns[0].num_categories = INT64_MAX, "x.table[0].num_categories is 9223372036854775807")
    BAD(columns[0].num_categories = 0, "allowed: below 0, the number of categories")
    BAD(columns[0].names = NULL, "x.table[0].names is null; allowed: 5 names")
    BAD(columns[0].names = wrong, "x.table[0] is \"\\xff\"; allowed: text in UTF-8")
    BAD((columns[0].names = wrong, wrong[2] = NULL), "x.table[0].names[2] is null")
    BAD(columns[0].struct_size = 0, "x.table[0].struct_size is 0")
    int64_t falling[NUM_NAMES + 1] = {0, 3, 2, 4, 5, 6}, zero[NUM_NAMES + 1] = {0, 1, 2, 3, 4, 5};
    BAD(columns[0] = aoso_categories_in(codes, "abcdefgh", falling, NUM_NAMES), "end of text 1 is 2; allowed: at least 3")
    BAD(columns[0] = aoso_categories_in(codes, NULL, zero, NUM_NAMES), "text is null")
    BAD(columns[0] = aoso_categories_in(codes, "ab\0cd", zero, NUM_NAMES), "without zero bytes")
#undef BAD
    columns[1].struct_size -= 8;
    FAILS(AOSO_INVALID_ARGUMENT, "x.table[1].struct_size is", aoso_dataset_create(&x, &y, NULL, &d));
    x.table = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "x.table is null; allowed: 2 columns", aoso_dataset_create(&x, &y, NULL, &d));

    // A column of categories in place of numbers must have names that are numbers.
    x = table_of(columns);
    static int32_t out[ROWS];
    columns[1] = columns[0];
    FAILS(AOSO_INVALID_ARGUMENT, "column 1", aoso_model_predict(m, &x, NULL, out, ROWS));
    int32_t none[ROWS];
    for (int i = 0; i < ROWS; i++) none[i] = -1;
    columns[1] = aoso_categories(none, NULL, 0); // an empty dictionary: all are missing
    OK(aoso_model_predict(m, &x, NULL, out, ROWS));
    columns[0] = columns[1];
    OK(aoso_model_predict(m, &x, NULL, out, ROWS));
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    OK(aoso_dataset_free(d));
}

// Numbers that stand for categories, by the dataset's options.
static void coded(void) {
    static double as_numbers[ROWS];
    const char *digits[NUM_NAMES] = {"0", "1", "2", "3", "4"};
    for (int i = 0; i < ROWS; i++) as_numbers[i] = codes[i] < 0 ? NAN : codes[i];
    aoso_column columns[2];
    aoso_matrix x = table_of(columns);
    columns[0] = aoso_categories(codes, digits, NUM_NAMES);
    fingerprint want = fingerprint_on(dataset_of(&x));
    columns[0] = aoso_numbers(as_numbers, AOSO_FLOAT64);
    EXPECT(!same(want, fingerprint_on(dataset_of(&x))));
    int64_t categorical[] = {0};
    aoso_dataset_options o = {.struct_size = sizeof o, .categorical = categorical, .num_categorical = 1};
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    EXPECT(same(want, fingerprint_on(d)));
    categorical[0] = 2;
    FAILS(AOSO_INVALID_ARGUMENT, "options.categorical[0] is 2; allowed: 0 to 1", aoso_dataset_create(&x, &y, &o, &d));
    o.num_categorical = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_categorical is 3", aoso_dataset_create(&x, &y, &o, &d));
    o.categorical = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_categorical is 3; allowed: 0", aoso_dataset_create(&x, &y, &o, &d));
}

// ------------------------------------------------------------------ Arrow --

static void release_schema(struct ArrowSchema *s) { s->release = NULL; }
static void release_array(struct ArrowArray *a) { a->release = NULL; }

// Batches of rows; in every second one the dictionary is reversed.
typedef struct batches {
    const char *format; // of the names
    int dictionary, row, size;
    struct ArrowSchema fields[2], names, *field_list[2];
    struct ArrowArray columns[2], dictionary_array, *column_list[2];
    const void *buffers[2][4], *dictionary_buffers[4], *none[1];
    uint8_t valid[ROWS / 8 + 1];
    int32_t offsets[ROWS + 1], positions[ROWS];
    int64_t large_offsets[ROWS + 1], sizes[1];
    struct { int32_t n; char text[12]; } views[ROWS];
    char text[40 * ROWS];
} batches;

// Writes n texts in the format of the batches to their memory.
static int64_t write_texts(batches *b, const char *const *from, const int32_t *which, int n, const void **buffers) {
    int32_t end = 0;
    for (int i = 0; i < n; i++) {
        const char *s = which ? (which[i] < 0 ? "" : from[which[i]]) : from[i];
        const int32_t size = (int32_t)strlen(s);
        b->offsets[i] = end;
        b->large_offsets[i] = end;
        memset(&b->views[i], 0, sizeof b->views[i]);
        b->views[i].n = size;
        if (size <= 12) {
            memcpy(b->views[i].text, s, (size_t)size);
        } else {
            memcpy(b->views[i].text, s, 4);
            memcpy(b->views[i].text + 8, &end, 4);
        }
        memcpy(b->text + end, s, (size_t)size);
        end += size;
    }
    b->offsets[n] = end;
    b->large_offsets[n] = end;
    b->sizes[0] = end;
    buffers[2] = b->text;
    buffers[1] = *b->format == 'u' ? (void *)b->offsets : *b->format == 'U' ? (void *)b->large_offsets : (void *)b->views;
    buffers[3] = b->sizes;
    return *b->format == 'v' ? 4 : 3;
}

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    batches *b = s->private_data;
    b->names = (struct ArrowSchema){.format = b->format, .release = release_schema};
    b->fields[0] = (struct ArrowSchema){.format = b->dictionary ? "i" : b->format, .name = "f0", .release = release_schema};
    if (b->dictionary) b->fields[0].dictionary = &b->names;
    b->fields[1] = (struct ArrowSchema){.format = "g", .name = "f1", .release = release_schema};
    for (int j = 0; j < 2; j++) b->field_list[j] = &b->fields[j];
    *out = (struct ArrowSchema){.format = "+s", .n_children = 2, .children = b->field_list, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
    batches *b = s->private_data;
    const int n = b->row < ROWS ? b->size : 0;
    *out = (struct ArrowArray){.length = n, .n_buffers = 1, .buffers = b->none, .n_children = 2, .children = b->column_list,
                               .release = n ? release_array : NULL};
    if (n == 0) return 0;
    memset(b->valid, 0, sizeof b->valid);
    for (int i = 0; i < n; i++)
        if (codes[b->row + i] >= 0) b->valid[i / 8] |= (uint8_t)(1 << i % 8);
    for (int j = 0; j < 2; j++) {
        b->columns[j] = (struct ArrowArray){.length = n, .n_buffers = 2, .buffers = b->buffers[j], .release = release_array};
        b->column_list[j] = &b->columns[j];
    }
    b->columns[0].null_count = -1;
    b->buffers[0][0] = b->valid;
    b->buffers[1][1] = numbers + b->row;
    if (b->dictionary) {
        memcpy(b->positions, codes + b->row, (size_t)n * sizeof *codes);
        b->buffers[0][1] = b->positions;
        b->dictionary_array = (struct ArrowArray){.length = NUM_NAMES, .buffers = b->dictionary_buffers, .release = release_array};
        b->dictionary_array.n_buffers = write_texts(b, names, NULL, NUM_NAMES, b->dictionary_buffers);
        b->columns[0].dictionary = &b->dictionary_array;
    } else {
        b->columns[0].n_buffers = write_texts(b, names, codes + b->row, n, b->buffers[0]);
    }
    b->row += n;
    return 0;
}

static void release_stream(struct ArrowArrayStream *s) { s->release = NULL; }

static void arrow(fingerprint want) {
    static const char *const formats[] = {"u", "U", "vu"};
    static batches b;
    struct ArrowArrayStream stream;
    aoso_matrix x = aoso_arrow_stream(&stream);
    for (int f = 0; f < 3; f++)
        for (int dictionary = 0; dictionary < 2; dictionary++) {
            b = (batches){.format = formats[f], .dictionary = dictionary, .size = ROWS};
            stream = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, &b};
            EXPECT(same(want, fingerprint_on(dataset_of(&x))));
        }
    aoso_dataset *d;
#define BAD(change, message)                                                          \
    {                                                                              \
        struct ArrowSchema schema;                                                 \
        struct ArrowArray array;                                                   \
        b = (batches){.format = "u", .dictionary = 1, .size = ROWS};               \
        stream = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, &b}; \
        get_schema(&stream, &schema);                                              \
        get_next(&stream, &array);                                                 \
        aoso_matrix one = aoso_arrow(&array, &schema);                             \
        change;                                                                    \
        FAILS(AOSO_INVALID_ARGUMENT, message, aoso_dataset_create(&one, &y, NULL, &d)); \
    }
    BAD(b.fields[0].format = "g", "x: column 0, \"f0\" is of Arrow type g with a dictionary; allowed: integers")
    BAD(b.names.format = "+l", "x: column 0, \"f0\" is a dictionary of Arrow type +l")
    BAD(b.columns[0].dictionary = NULL, "x: column 0, \"f0\", dictionary is null")
    BAD(b.dictionary_array.length = 2, "; allowed: 0 to 1, a position in the dictionary")
    BAD(b.dictionary_array.length = -1, "x: column 0, \"f0\", dictionary, length is -1")
    BAD(b.dictionary_array.n_buffers = 2, "x: column 0, \"f0\", dictionary, n_buffers is 2")
    BAD(b.offsets[2] = 0, "end of text 1 is 0; allowed: at least 5")
    BAD(b.text[0] = '\xff', "allowed: text in UTF-8")
#undef BAD
}

int main(void) {
    make_data();
    make_codes();
    y = aoso_int32_labels(classes, ROWS);
    numeric();
    aoso_column columns[2];
    aoso_matrix x = table_of(columns);
    aoso_dataset *d = dataset_of(&x);
    aoso_model *m = train_on(d, "preset=paper n_estimators=8 max_leaves=6");
    check_names(dataset_categories, d);
    check_names(model_categories, m);
    forms(fingerprint_of(m));
    everywhere(m, d);
    single_rows(m);
    bad(m);
    coded();
    arrow(fingerprint_of(m));
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
    return finish("table");
}
