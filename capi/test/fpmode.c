// A host with another floating-point mode gets the same model, and its mode stays.
// Prints the fingerprint; run it with each mode and compare the output.
//
//     fpmode MODE [libaoso.so]
//
//     plain     the default mode
//     before    subnormal numbers count as 0, set before the library is loaded
//     after     the same, set after the library is loaded
//     round     rounding upwards
//
// Many of the features are subnormal numbers.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dlfcn.h>
#include <fenv.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
static unsigned get_mode(void) { return _mm_getcsr() & ~0x3fu; }
static void flush_subnormals(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
#elif defined(__aarch64__)
static unsigned get_mode(void) {
    uint64_t m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m));
    return (unsigned)m;
}
static void flush_subnormals(void) {
    uint64_t m = get_mode() | 1u << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(m));
}
#else
static unsigned get_mode(void) { return (unsigned)fegetround(); }
static void flush_subnormals(void) {}
#endif

#ifdef STATIC
#define CALL(name) name
static void load(const char *path) { (void)path; }
#else
static void *library;
#define CALL(name)                            \
    ((union {                                 \
        void *object;                         \
        __typeof__(&name) function;           \
    }){dlsym(library, #name)}.function)
static void load(const char *path) {
    library = dlopen(path, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
}
#endif

static unsigned mode;

static int32_t keeps_mode(const aoso_progress *p, void *user) {
    (void)p;
    (void)user;
    EXPECT(get_mode() == mode);
    return 0;
}

static int32_t staged(int64_t trees, const double *raw, int64_t length, void *user) {
    (void)trees;
    (void)raw;
    (void)length;
    return keeps_mode(NULL, user);
}

static int32_t write(const void *bytes, size_t size, void *user) {
    (void)bytes;
    (void)size;
    return keeps_mode(NULL, user);
}

static aoso_status check(aoso_status status) {
    EXPECT(get_mode() == mode);
    if (status != AOSO_OK) {
        fprintf(stderr, "%d: %s\n", (int)status, CALL(aoso_last_error)());
        exit(1);
    }
    return status;
}

int main(int argc, char **argv) {
    const char *wanted = argv[1];
    if (strcmp(wanted, "before") == 0) flush_subnormals();
    mode = get_mode();
    load(argc > 2 ? argv[2] : NULL);
    EXPECT(get_mode() == mode);
    if (strcmp(wanted, "after") == 0) flush_subnormals();
    if (strcmp(wanted, "round") == 0) fesetround(FE_UPWARD);
    mode = get_mode();

    enum { N = 70000, D = 8, K = 5 };
    static uint64_t bits[N * D];
    static double x[N * D], scores[N * K];
    static int32_t y[N];
    uint64_t state = 7;
    for (int i = 0; i < N; i++) {
        y[i] = (int32_t)(next_random(&state) % K);
        for (int j = 0; j < D; j++) bits[i * D + j] = next_random(&state) % 4000 + (uint64_t)(j < 4 ? y[i] * 1000 : 0);
    }
    memcpy(x, bits, sizeof x);
    aoso_matrix m = aoso_row_major(x, AOSO_FLOAT64, N, D);
    aoso_labels labels = aoso_int32_labels(y, N);
    aoso_dataset *d;
    aoso_model *model;
    aoso_params p;
    check(CALL(aoso_params_init)(&p, sizeof p));
    check(CALL(aoso_params_parse)(&p, "n_estimators=10"));
    for (int threads = 1; threads <= 3; threads += 2) { // on this thread only, and with others
        aoso_dataset_options o = {.struct_size = sizeof o, .nthread = threads};
        check(CALL(aoso_dataset_create)(&m, &labels, &o, &d));
        aoso_train_options t = {.struct_size = sizeof t, .callback = keeps_mode};
        p.nthread = threads;
        check(CALL(aoso_train)(d, &p, &t, &model, NULL));
        aoso_predict_options q = {.struct_size = sizeof q, .nthread = threads};
        check(CALL(aoso_model_predict_raw)(model, &m, &q, scores, N * K));
        check(CALL(aoso_model_predict_staged)(model, &m, &q, 5, staged, NULL));
        check(CALL(aoso_model_export)(model, "json", 0, write, NULL));
        uint64_t hash = 0;
        memcpy(bits, scores, sizeof scores);
        for (int i = 0; i < N * K; i++) hash = hash * 31 + bits[i];
        char text[33];
        check(CALL(aoso_model_fingerprint)(model, text, sizeof text, NULL));
        printf("%s %016llx\n", text, (unsigned long long)hash);
    }
    return failures != 0;
}
