// Changes bytes of model files at random, loads them and predicts. It is compiled
// with the sources of libaoso_predict, with sanitizers and without checksums, so
// that changed files get far. Arguments: seconds, files.
#define _POSIX_C_SOURCE 200809L
#include <aoso_predict.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 7;

static size_t below(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What a changed number is likely to be wrong with.
static void change(uint8_t *bytes, size_t size) {
    static const uint64_t special[] = {0, 1, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7ff0000000000000, 0x7fffffffffffffff, UINT64_MAX};
    const size_t head = size < 4096 || below(2) ? size : 4096, at = below(head);
    switch (below(4)) {
    case 0: bytes[at] = (uint8_t)below(256); break;
    case 1: bytes[at] ^= (uint8_t)(1 << below(8)); break;
    case 2: bytes[at] = (uint8_t) "0123456789\"\\{}[],:-eu"[below(21)]; break;
    default: {
        const uint64_t value = special[below(sizeof special / sizeof *special)];
        const size_t width = (size_t)1 << below(4), start = at / width * width;
        memcpy(bytes + start, &value, size - start < width ? size - start : width);
    }
    }
}

static void predict(const aosop_model *m) {
    const int64_t classes = aosop_num_classes(m), features = aosop_num_features(m), trees = aosop_num_trees(m);
    enum { ROWS = 70 };
    if (classes > 100000 || features > 100000 || trees > 100000) return;
    double *x = malloc((size_t)(ROWS * features) * sizeof *x), *out = malloc((size_t)(ROWS * classes) * sizeof *out);
    int32_t *leaves = malloc((size_t)(ROWS * trees + 1) * sizeof *leaves);
    for (int64_t i = 0; i < ROWS * features; i++) {
        const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1, 2.5, 1e300, (double)below(300)};
        x[i] = values[below(9)];
    }
    for (int64_t rows = 3; rows <= ROWS; rows += ROWS - 3) {
        const aosop_rows r = aosop_row_major(x, AOSOP_FLOAT64, rows, features);
        if (aosop_predict_proba(m, &r, 0, out, rows * classes) || aosop_predict_leaf(m, &r, 0, leaves, rows * trees)) abort();
    }
    for (int64_t j = 0; j < features; j++) {
        const char *name = aosop_category_name(m, j, aosop_num_categories(m, j) - 1);
        if (name && strlen(name) > 1000000) abort();
    }
    free(x), free(out), free(leaves);
}

int main(int argc, char **argv) {
    const double end = now() + atof(argv[1]);
    long inputs = 0, loaded = 0;
    while (now() < end)
        for (int i = 2; i < argc; i++) {
            FILE *f = fopen(argv[i], "rb");
            if (!f) return 1;
            fseek(f, 0, SEEK_END);
            size_t size = (size_t)ftell(f);
            uint8_t *bytes = malloc(size);
            rewind(f);
            if (fread(bytes, 1, size, f) != size) return 1;
            fclose(f);
            for (int n = 0; n < 50; n++, inputs++) {
                const size_t length = below(20) ? size : below(size + 1);
                uint8_t *exact = malloc(length + 1); // so that a read past the end is found
                memcpy(exact, bytes, length);
                for (size_t k = below(5); k-- > 0 && length;) change(exact, length);
                uint8_t *tight = realloc(exact, length ? length : 1);
                aosop_model *m;
                if (aosop_decode(tight, length, &m) == AOSOP_OK) {
                    predict(m);
                    aosop_free(m);
                    loaded++;
                }
                free(tight);
            }
            free(bytes);
        }
    printf("predictfuzz: %ld inputs, %ld loaded\n", inputs, loaded);
    return loaded * 20 < inputs; // too few get as far as prediction
}
