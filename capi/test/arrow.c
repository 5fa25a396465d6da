// The Arrow C data interface: types, nulls, offsets, batches and errors. Everything
// must be released exactly once.
#include "check.h"

#include "../arrow.h"

static int schemas, arrays, streams; // number that are not released

static void release_schema(struct ArrowSchema *s) {
    for (int64_t j = 0; j < s->n_children; j++) free(s->children[j]);
    free(s->children);
    s->release = NULL;
    schemas--;
}

static void release_array(struct ArrowArray *a) {
    for (int64_t j = 0; j < a->n_children; j++) {
        free(a->children[j]->buffers);
        free(a->children[j]);
    }
    free(a->children);
    free(a->buffers);
    a->release = NULL;
    arrays--;
}

static const char *const formats[COLS] = {"c", "S", "i", "L", "f", "g"};
static const char *const column_names[COLS] = {"first", "second", "third", "fourth", "fifth", "sixth"};

static void make_schema(struct ArrowSchema *s) {
    *s = (struct ArrowSchema){.format = "+s", .n_children = COLS, .release = release_schema};
    s->children = malloc(COLS * sizeof *s->children);
    for (int j = 0; j < COLS; j++) {
        s->children[j] = malloc(sizeof **s->children);
        *s->children[j] = (struct ArrowSchema){.format = formats[j], .name = column_names[j]};
    }
    schemas++;
}

// The columns of the data with padding in front, in the types given by formats.
enum { PAD = 5 };
static int8_t c0[PAD + ROWS];
static uint16_t c1[PAD + ROWS];
static int32_t c2[PAD + ROWS];
static uint64_t c3[PAD + ROWS];
static float c4[PAD + ROWS];
static double c5[PAD + ROWS];
static const void *const columns[COLS] = {c0, c1, c2, c3, c4, c5};

static void fill_columns(void) {
    for (int i = 0; i < ROWS; i++) {
        const double *row = values + i * COLS;
        c0[PAD + i] = (int8_t)row[0];
        c1[PAD + i] = (uint16_t)row[1];
        c2[PAD + i] = (int32_t)row[2];
        c3[PAD + i] = (uint64_t)row[3];
        c4[PAD + i] = (float)row[4];
        c5[PAD + i] = row[5];
    }
}

// The rows first to first+n−1. Both offsets together skip the padding.
static void make_array(struct ArrowArray *a, int first, int n) {
    *a = (struct ArrowArray){.length = n, .offset = first + PAD - 2, .n_buffers = 1, .n_children = COLS, .release = release_array};
    a->buffers = calloc(1, sizeof *a->buffers);
    a->children = malloc(COLS * sizeof *a->children);
    for (int j = 0; j < COLS; j++) {
        a->children[j] = malloc(sizeof **a->children);
        *a->children[j] = (struct ArrowArray){.length = ROWS + PAD - 2, .offset = 2, .n_buffers = 2};
        a->children[j]->buffers = calloc(2, sizeof *a->buffers);
        a->children[j]->buffers[1] = columns[j];
    }
    arrays++;
}

// A stream of batches of increasing size. Some are empty.
typedef struct batches {
    int row, size;
    int fail_schema, fail_at;
} batches;

static int get_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    if (((batches *)s->private_data)->fail_schema) return 5;
    make_schema(out);
    return 0;
}

static int get_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
    batches *b = s->private_data;
    if (b->fail_at && b->row >= b->fail_at) return 22;
    if (b->row == ROWS) {
        out->release = NULL;
        return 0;
    }
    int n = b->size < ROWS - b->row ? b->size : ROWS - b->row;
    make_array(out, b->row, n);
    b->row += n;
    b->size = b->size ? b->size * 3 : 1;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *s) {
    (void)s;
    return "the disk is on fire";
}

static void release_stream(struct ArrowArrayStream *s) {
    s->release = NULL;
    streams--;
}

static struct ArrowArrayStream make_stream(batches *b) {
    streams++;
    return (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, b};
}

static aoso_labels y;

static void good(void) {
    fingerprint want = fingerprint_on(make_dataset());
    struct ArrowSchema schema;
    struct ArrowArray array;
    make_schema(&schema);
    make_array(&array, 0, ROWS);
    aoso_matrix x = aoso_arrow(&array, &schema);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    char name[8];
    OK(aoso_dataset_feature_name(d, 3, name, sizeof name, NULL));
    EXPECT(strcmp(name, "fourth") == 0);

    // Apart from the names, the model is the same as from the same numbers.
    aoso_dataset *named;
    aoso_dataset_options o = {.struct_size = sizeof o, .feature_names = column_names, .num_feature_names = COLS};
    aoso_matrix plain = data();
    OK(aoso_dataset_create(&plain, &y, &o, &named));
    want = fingerprint_on(named);
    EXPECT(same(want, fingerprint_on(d)));

    batches all = {0, 0, 0, 0};
    struct ArrowArrayStream stream = make_stream(&all);
    x = aoso_arrow_stream(&stream);
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    EXPECT(streams == 0 && stream.release == NULL && schemas == 1 && arrays == 1);
    aoso_model *m = train_on(d, "preset=paper n_estimators=8 max_leaves=6");
    EXPECT(same(want, fingerprint_of(m)));
    EXPECT(same(want, fingerprint_on(d)));

    // Prediction releases a stream. Using it again is an error.
    static int32_t expected[ROWS], got[ROWS];
    OK(aoso_model_predict(m, &plain, NULL, expected, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "x.arrow_stream is released", aoso_model_predict(m, &x, NULL, got, ROWS));
    all = (batches){0, 0, 0, 0};
    stream = make_stream(&all);
    OK(aoso_model_predict(m, &x, NULL, got, ROWS));
    EXPECT(memcmp(expected, got, sizeof got) == 0);
    memset(got, 0, sizeof got);
    x = aoso_arrow(&array, &schema);
    OK(aoso_model_predict(m, &x, NULL, got, ROWS));
    EXPECT(memcmp(expected, got, sizeof got) == 0);

    aoso_builder *b;
    OK(aoso_builder_create(COLS, NULL, &b));
    all = (batches){0, 0, 0, 0};
    stream = make_stream(&all);
    x = aoso_arrow_stream(&stream);
    OK(aoso_builder_append(b, &x, &y, NULL, 0));
    OK(aoso_builder_free(b));

    // The stream is also released if another argument is invalid.
    all = (batches){0, 0, 0, 0};
    stream = make_stream(&all);
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_predict(NULL, &x, NULL, got, ROWS));
    EXPECT(streams == 0);
    OK(aoso_model_free(m));
    schema.release(&schema);
    array.release(&array);
}

// A stream of batches with the given sizes; -1 ends the list. Empty batches have
// buffers and buffers of children or not.
typedef struct plan {
    const int *sizes;
    int row, bare;
} plan;

static int get_plain_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    (void)s;
    make_schema(out);
    return 0;
}

static int get_planned(struct ArrowArrayStream *s, struct ArrowArray *out) {
    plan *p = s->private_data;
    if (*p->sizes < 0) {
        out->release = NULL;
        return 0;
    }
    const int n = *p->sizes++;
    make_array(out, p->row, n);
    p->row += n;
    if (n == 0 && p->bare)
        for (int j = 0; j < COLS; j++) {
            free(out->children[j]->buffers);
            *out->children[j] = (struct ArrowArray){.length = out->offset};
        }
    return 0;
}

static struct ArrowArrayStream make_planned(plan *p) {
    streams++;
    return (struct ArrowArrayStream){get_plain_schema, get_planned, get_last_error, release_stream, p};
}

// Empty batches may occur anywhere and do not change the data.
static void positions(void) {
    static const int middle[] = {100, 0, 200, -1}, first[] = {0, 300, -1}, last[] = {300, 0, -1}, two[] = {0, 0, 150, 0, 0, 150, 0, 0, -1};
    static const int first_row[] = {1, 0, 298, 0, 1, 0, -1}, none[] = {-1}, empty[] = {0, 0, -1};
    static int ones[2 * ROWS + 1]; // batches of one row, each followed by an empty batch
    for (int i = 0; i < ROWS; i++) ones[2 * i] = 1;
    ones[2 * ROWS] = -1;
    static const int *const plans[] = {middle, first, last, two, first_row, ones};
    static double weights[ROWS], want_raw[ROWS * CLASSES], raw[ROWS * CLASSES];
    for (int i = 0; i < ROWS; i++) weights[i] = 1 + i % 3;
    aoso_dataset_options o = {.struct_size = sizeof o, .feature_names = column_names, .num_feature_names = COLS, .weights = weights, .num_weights = ROWS};
    aoso_matrix plain = data(), x;
    aoso_dataset *d;
    struct ArrowArrayStream stream;
    OK(aoso_dataset_create(&plain, &y, &o, &d));
    aoso_model *m = train_on(d, "preset=paper n_estimators=8 max_leaves=6");
    fingerprint want = fingerprint_of(m);
    OK(aoso_dataset_free(d));
    OK(aoso_model_predict_raw(m, &plain, NULL, want_raw, ROWS * CLASSES));
    x = aoso_arrow_stream(&stream);
    for (unsigned i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int bare = 0; bare < 2; bare++) {
            plan p = {plans[i], 0, bare};
            stream = make_planned(&p);
            OK(aoso_dataset_create(&x, &y, &o, &d));
            EXPECT(same(want, fingerprint_on(d)));
            p = (plan){plans[i], 0, bare};
            stream = make_planned(&p);
            OK(aoso_model_predict_raw(m, &x, NULL, raw, ROWS * CLASSES));
            EXPECT(memcmp(want_raw, raw, sizeof raw) == 0);
        }

    // A table without rows is an error in training and gives no predictions.
    const int *const nothing[] = {none, empty};
    aoso_labels no_labels = aoso_int32_labels(NULL, 0);
    for (int i = 0; i < 2; i++) {
        plan p = {nothing[i], 0, i};
        stream = make_planned(&p);
        FAILS(AOSO_INVALID_ARGUMENT, "allowed", aoso_dataset_create(&x, &no_labels, NULL, &d));
        p = (plan){nothing[i], 0, i};
        stream = make_planned(&p);
        OK(aoso_model_predict_raw(m, &x, NULL, NULL, 0));
    }

    // Chunks of one row, with labels and weights, and empty chunks in between.
    aoso_builder *b;
    o.weights = NULL;
    o.num_weights = 0;
    OK(aoso_builder_create(COLS, &o, &b));
    for (int i = 0; i < ROWS; i++)
        for (int n = 0; n < 2; n++) {
            const int sizes[] = {0, n, 0, -1};
            plan p = {sizes, i, n};
            aoso_labels own = aoso_int32_labels(classes + i, n);
            stream = make_planned(&p);
            OK(aoso_builder_append(b, &x, &own, weights + i, n));
        }
    OK(aoso_builder_finish(b, &d));
    OK(aoso_builder_free(b));
    EXPECT(same(want, fingerprint_on(d)));
    OK(aoso_model_free(m));
}

// Nulls are missing values. Booleans are bits.
static void nulls(void) {
    static double with[ROWS * COLS], probabilities[2][ROWS * CLASSES];
    static uint8_t valid[(PAD + ROWS + 7) / 8], bits[(PAD + ROWS + 7) / 8];
    memcpy(with, values, sizeof with);
    uint64_t state = 3;
    for (int i = 0; i < ROWS; i++) {
        if (next_random(&state) % 3 == 0)
            with[i * COLS + 2] = NAN;
        else
            valid[(PAD + i) / 8] |= (uint8_t)(1 << (PAD + i) % 8);
        with[i * COLS + 3] = (double)(next_random(&state) % 2);
        if (with[i * COLS + 3] != 0) bits[(PAD + i) / 8] |= (uint8_t)(1 << (PAD + i) % 8);
    }
    aoso_matrix x = aoso_row_major(with, AOSO_FLOAT64, ROWS, COLS);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *m = train_on(d, "preset=paper n_estimators=20");
    OK(aoso_dataset_free(d));
    OK(aoso_model_predict_proba(m, &x, NULL, probabilities[0], ROWS * CLASSES));

    struct ArrowSchema schema;
    struct ArrowArray array;
    make_schema(&schema);
    make_array(&array, 0, ROWS);
    array.children[2]->buffers[0] = valid;
    schema.children[3]->format = "b";
    array.children[3]->buffers[1] = bits;
    x = aoso_arrow(&array, &schema);
    for (int64_t count = -1; count < 2; count++) { // null_count: unknown, none, some
        array.children[2]->null_count = count;
        OK(aoso_model_predict_proba(m, &x, NULL, probabilities[1], ROWS * CLASSES));
        EXPECT((memcmp(probabilities[0], probabilities[1], sizeof probabilities[0]) == 0) == (count != 0));
    }

    // Nulls in batches, with empty batches in between.
    for (int n = 0; n < 2; n++) {
        struct ArrowArray *batch = &array;
        batch->length = n ? 40 : 0;
        for (int j = 0; j < COLS; j++) batch->children[j]->null_count = j == 2 ? -1 : 0;
        OK(aoso_model_predict_proba(m, &x, NULL, probabilities[1], batch->length * CLASSES));
        EXPECT(memcmp(probabilities[0], probabilities[1], (size_t)batch->length * CLASSES * sizeof(double)) == 0);
        batch->length = ROWS;
    }

    // A null row is an error.
    uint8_t all[(PAD + ROWS + 7) / 8];
    memset(all, 0xff, sizeof all);
    array.buffers[0] = all;
    array.null_count = -1;
    OK(aoso_model_predict_proba(m, &x, NULL, probabilities[1], ROWS * CLASSES));
    all[(PAD - 2 + 7) / 8] &= (uint8_t)~(1 << (PAD - 2 + 7) % 8);
    FAILS(AOSO_INVALID_ARGUMENT, "x.arrow_array, row 7 is null", aoso_model_predict_proba(m, &x, NULL, probabilities[1], ROWS * CLASSES));
    array.null_count = 0;
    OK(aoso_model_predict_proba(m, &x, NULL, probabilities[1], ROWS * CLASSES));
    schema.release(&schema);
    array.release(&array);
    OK(aoso_model_free(m));
}

static void bad(void) {
    struct ArrowSchema schema, child = {.format = "z"};
    struct ArrowArray array;
    aoso_dataset *d;
    make_schema(&schema);
    make_array(&array, 0, ROWS);
    aoso_matrix x = aoso_arrow(&array, &schema);
#define BAD(place, value, text)                                                    \
    {                                                                              \
        __typeof__(place) before = place;                                          \
        place = value;                                                             \
        FAILS(AOSO_INVALID_ARGUMENT, text, aoso_dataset_create(&x, &y, NULL, &d)); \
        place = before;                                                            \
    }
    BAD(x.arrow_schema, NULL, "x.arrow_schema is null")
    BAD(x.arrow_array, NULL, "x.arrow_array is null")
    BAD(schema.release, NULL, "x.arrow_schema is released")
    BAD(array.release, NULL, "x.arrow_array is released")
    BAD(schema.format, "i", "x.arrow_schema.format is \"i\"; allowed: \"+s\"")
    BAD(schema.format, NULL, "x.arrow_schema.format is null")
    BAD(schema.n_children, -1, "x.arrow_schema.n_children is -1")
    BAD(schema.children, NULL, "x.arrow_schema.children is null")
    BAD(schema.children[4], NULL, "x.arrow_schema.children[4] is null")
    BAD(schema.children[1]->format, "z", "x: column 1, \"second\" is of Arrow type z; allowed: integers")
    BAD(schema.children[1]->format, "u", "x: column 1, \"second\", n_buffers is 2; allowed: 3")
    BAD(schema.children[1]->format, "e", "is of Arrow type e")
    BAD(schema.children[1]->format, "+s", "is of Arrow type +s")
    BAD(schema.children[1]->format, NULL, "x: column 1, \"second\", format is null")
    BAD(schema.children[1]->name, "\xff", "UTF-8")
    BAD(schema.children[2]->dictionary, &child, "x: column 2, \"third\" is a dictionary of Arrow type z; allowed: texts, numbers")
    child.format = NULL;
    BAD(schema.children[2]->dictionary, &child, "x: column 2, \"third\", format of the dictionary is null")
    BAD(array.n_children, COLS - 1, "x.arrow_array.n_children is 5; allowed: 6")
    BAD(array.children, NULL, "x.arrow_array.children is null")
    BAD(array.children[5], NULL, "x.arrow_array.children[5] is null")
    BAD(array.length, -1, "x.arrow_array.length is -1")
    BAD(array.length, INT64_MAX, "x.arrow_array.length is 9223372036854775807")
    BAD(array.offset, -1, "x.arrow_array.offset is -1")
    BAD(array.offset, INT64_MAX, "x.arrow_array.offset is 9223372036854775807")
    BAD(array.offset, PAD + 1, "x: column 0, \"first\", length is 303; allowed: 306 to")
    BAD(array.children[0]->length, ROWS, "x: column 0, \"first\", length is 300")
    BAD(array.children[0]->offset, -2, "x: column 0, \"first\", offset is -2")
    BAD(array.children[0]->n_buffers, 3, "x: column 0, \"first\", n_buffers is 3; allowed: 2")
    BAD(array.children[0]->buffers, NULL, "n_buffers")
    BAD(array.children[0]->buffers[1], NULL, "x: column 0, \"first\", values is null")
    BAD(array.children[0]->null_count, 4, "x: column 0, \"first\", validity is null")

    // If a stream fails, the error contains its message, and everything is released.
    const int own = schemas;
    for (int kind = 0; kind < 4; kind++) {
        batches b = {0, 10, kind == 0, kind == 1 ? 40 : 0};
        struct ArrowArrayStream stream = make_stream(&b);
        x = aoso_arrow_stream(&stream);
        if (kind == 2) stream.get_last_error = NULL, b.fail_schema = 1;
        if (kind == 3) stream.get_next = NULL;
        if (kind < 2)
            FAILS(AOSO_IO, kind ? "get_next returned 22: the disk is on fire" : "get_schema returned 5: the disk is on fire",
                  aoso_dataset_create(&x, &y, NULL, &d));
        else
            FAILS(kind == 2 ? AOSO_IO : AOSO_INVALID_ARGUMENT, kind == 2 ? "get_schema returned 5" : "without get_schema or get_next",
                  aoso_dataset_create(&x, &y, NULL, &d));
        EXPECT(streams == 0 && schemas == own && arrays == own);
    }
    schema.release(&schema);
    array.release(&array);
}

int main(void) {
    make_data();
    fill_columns();
    y = aoso_int32_labels(classes, ROWS);
    good();
    positions();
    nulls();
    bad();
    EXPECT(schemas == 0 && arrays == 0 && streams == 0);
    return finish("arrow");
}
