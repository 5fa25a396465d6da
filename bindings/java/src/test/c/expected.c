/* Writes random rows of a model and what libaoso_predict predicts for them: NAME.rows, NAME.raw, NAME.proba and NAME.class,
 * little-endian, without gaps. Arguments: the model file, NAME. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "aoso_predict.h"

enum { ROWS = 200, FEW_ROWS = 10, MANY_CLASSES = 1000 }; /* FEW_ROWS: with more classes than MANY_CLASSES */

static uint64_t state = 7;

static uint32_t next_random(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* A value of feature j: a category, one that the model does not know, or a number; some are missing or infinite. */
static double value_of(const aosop_model *model, int64_t j) {
    const int64_t categories = aosop_num_categories(model, j);
    switch (next_random() % 32) {
    case 0: return NAN;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return -1;
    }
    return categories >= 0 ? (double)(next_random() % (uint32_t)(categories + 1)) : next_random() % 4096 / 32.0;
}

static void write_numbers(const char *name, const char *kind, const void *data, size_t size, size_t count) {
    char path[1000];
    snprintf(path, sizeof path, "%s.%s", name, kind);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, size, count, f) != count || fclose(f)) {
        perror(path);
        exit(1);
    }
}

static void check(aosop_status status) {
    if (!status) return;
    fprintf(stderr, "%s\n", aosop_last_error());
    exit(1);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    aosop_model *model;
    check(aosop_load(argv[1], &model));
    const int64_t features = aosop_num_features(model), classes = aosop_num_classes(model);
    const int64_t n = classes > MANY_CLASSES ? FEW_ROWS : ROWS;
    double *x = malloc((size_t)(n * features) * sizeof *x), *scores = malloc((size_t)(n * classes) * sizeof *scores);
    int32_t found[ROWS];
    if (!x || !scores) return 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < features; j++) x[i * features + j] = value_of(model, j);
    const aosop_rows rows = aosop_row_major(x, AOSOP_FLOAT64, n, features);
    write_numbers(argv[2], "rows", x, sizeof *x, (size_t)(n * features));
    check(aosop_predict_raw(model, &rows, 0, scores, n * classes));
    write_numbers(argv[2], "raw", scores, sizeof *scores, (size_t)(n * classes));
    check(aosop_predict_proba(model, &rows, 0, scores, n * classes));
    write_numbers(argv[2], "proba", scores, sizeof *scores, (size_t)(n * classes));
    check(aosop_predict(model, &rows, 0, found, n));
    write_numbers(argv[2], "class", found, sizeof *found, (size_t)n);
    free(x);
    free(scores);
    aosop_free(model);
    return 0;
}
