/* Calls a function for one row after the other, without Python between the calls. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <time.h>

typedef int32_t aoso_row(void *model, const double *row, int64_t features, double *out, int64_t classes);
typedef int lightgbm_row(void *config, const void *row, int64_t *length, double *out);
typedef void treelite_row(const double *row, int raw, double *out);
typedef void lleaves_rows(const double *rows, double *out, int first, int last);

enum { AOSO, LIGHTGBM, TREELITE, LLEAVES };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The CPU microseconds of a row. */
double time_rows(int kind, void (*function)(void), void *object, const double *rows, int64_t n, int64_t features, double *out, int64_t classes) {
    const double start = now();
    for (int64_t i = 0; i < n; i++) {
        const double *row = rows + i * features;
        double *own = out + i * classes;
        int64_t length;
        switch (kind) {
        case AOSO: ((aoso_row *)function)(object, row, features, own, classes); break;
        case LIGHTGBM: ((lightgbm_row *)function)(object, row, &length, own); break;
        case TREELITE: ((treelite_row *)function)(row, 0, own); break;
        case LLEAVES: ((lleaves_rows *)function)(row, own, 0, 1); break;
        }
    }
    return (now() - start) / (double)n;
}
