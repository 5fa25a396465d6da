// Checks and a small data set that the tests share.
#ifndef CHECK_H
#define CHECK_H

#include <aoso.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "%s:%d: is false: %s\n", __FILE__, __LINE__, #condition);  \
            failures++;                                                                \
        }                                                                              \
    } while (0)

// Makes a call that must succeed; otherwise the test ends.
#define OK(call)                                                                                         \
    do {                                                                                                 \
        aoso_status status_ = (call);                                                                    \
        if (status_ != AOSO_OK) {                                                                        \
            fprintf(stderr, "%s:%d: %s: %d, %s\n", __FILE__, __LINE__, #call, (int)status_, aoso_last_error()); \
            exit(1);                                                                                     \
        }                                                                                                \
    } while (0)

// Makes a call that must fail with the status and with a message that contains
// the text.
#define FAILS(status, text, call)                                                                        \
    do {                                                                                                 \
        aoso_status status_ = (call);                                                                    \
        if (status_ != (status) || !strstr(aoso_last_error(), text)) {                                   \
            fprintf(stderr, "%s:%d: %s: %d, \"%s\"\n  want %d, \"%s\"\n", __FILE__, __LINE__, #call,        \
                    (int)status_, status_ ? aoso_last_error() : "", (int)(status), text);                \
            failures++;                                                                                  \
        }                                                                                                \
    } while (0)

// Counters and flags for several threads, without C11 atomics.
#define COUNT(counter) __sync_add_and_fetch(&(counter), 1)
#define READ(counter) __sync_add_and_fetch(&(counter), 0)

static inline int finish(const char *test) {
    printf("%s: %s\n", test, failures ? "FAILED" : "passed");
    return failures != 0;
}

static inline uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

enum { ROWS = 300, COLS = 6, CLASSES = 3 };

// Small integers, which every element type can represent, and the classes.
static double values[ROWS * COLS];
static int32_t classes[ROWS];

static inline void make_data(void) {
    uint64_t state = 1;
    for (int i = 0; i < ROWS; i++) {
        classes[i] = (int32_t)(next_random(&state) % CLASSES);
        for (int j = 0; j < COLS; j++)
            values[i * COLS + j] = (double)(next_random(&state) % 50 + (uint64_t)(j < 3 ? classes[i] * 9 : 0));
        for (int j = 4; j < COLS; j++)
            if (next_random(&state) % 2) values[i * COLS + j] = 0; // for the sparse layouts
    }
}

static inline aoso_matrix data(void) { return aoso_row_major(values, AOSO_FLOAT64, ROWS, COLS); }

static inline aoso_dataset *make_dataset(void) {
    aoso_dataset *d;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    return d;
}

static inline aoso_params parse(const char *text) {
    aoso_params p;
    OK(aoso_params_init(&p, sizeof p));
    OK(aoso_params_parse(&p, text));
    return p;
}

static inline aoso_model *train_on(const aoso_dataset *d, const char *text) {
    aoso_params p = parse(text);
    aoso_model *m;
    OK(aoso_train(d, &p, NULL, &m, NULL));
    return m;
}

typedef struct fingerprint {
    char text[33];
} fingerprint;

static inline fingerprint fingerprint_of(const aoso_model *m) {
    fingerprint f;
    OK(aoso_model_fingerprint(m, f.text, sizeof f.text, NULL));
    return f;
}

// The fingerprint of a model trained on the dataset. Frees the dataset.
static inline fingerprint fingerprint_on(aoso_dataset *d) {
    aoso_model *m = train_on(d, "preset=paper n_estimators=8 max_leaves=6");
    fingerprint f = fingerprint_of(m);
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
    return f;
}

static inline int same(fingerprint a, fingerprint b) { return strcmp(a.text, b.text) == 0; }

#endif
