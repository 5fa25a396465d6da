// Several copies of the library in one process, each loaded with dlopen under another name, train side by side.
#define _POSIX_C_SOURCE 200809L
#include <aoso.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COPIES = 4, ROUNDS = 3, ROWS = 300, COLS = 4 };

static double values[ROWS * COLS];
static int32_t classes[ROWS];
static pthread_barrier_t together;

// The functions of a copy.
typedef struct copy {
    __typeof__(aoso_dataset_create) *dataset_create;
    __typeof__(aoso_dataset_free) *dataset_free;
    __typeof__(aoso_train) *train;
    __typeof__(aoso_model_fingerprint) *fingerprint;
    __typeof__(aoso_model_free) *model_free;
    __typeof__(aoso_last_error) *last_error;
    char fingerprints[33];
} copy;

static void need(int ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "copies: %s\n", what);
    exit(1);
}

static void load(copy *c, const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    need(library != NULL, library ? "" : dlerror());
#define FIND(member, name) need((*(void **)&c->member = dlsym(library, name)) != NULL, name)
    FIND(dataset_create, "aoso_dataset_create");
    FIND(dataset_free, "aoso_dataset_free");
    FIND(train, "aoso_train");
    FIND(fingerprint, "aoso_model_fingerprint");
    FIND(model_free, "aoso_model_free");
    FIND(last_error, "aoso_last_error");
#undef FIND
}

static void *work(void *user) {
    copy *c = user;
    const aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, ROWS, COLS);
    const aoso_labels y = aoso_int32_labels(classes, ROWS);
    for (int round = 0; round < ROUNDS; round++) {
        aoso_dataset *d;
        aoso_model *m;
        pthread_barrier_wait(&together);
        need(c->dataset_create(&x, &y, NULL, &d) == AOSO_OK, c->last_error());
        need(c->train(d, NULL, NULL, &m, NULL) == AOSO_OK, c->last_error());
        need(c->fingerprint(m, c->fingerprints, sizeof c->fingerprints, NULL) == AOSO_OK, c->last_error());
        need(c->model_free(m) == AOSO_OK && c->dataset_free(d) == AOSO_OK, c->last_error());
        need(c->model_free(NULL) == AOSO_OK && c->train(NULL, NULL, NULL, &m, NULL) != AOSO_OK && strstr(c->last_error(), "dataset"), "no error");
    }
    return NULL;
}

int main(int argc, char **argv) {
    static copy copies[COPIES];
    need(argc == 1 + COPIES, "usage: copies LIBRARY…");
    for (int i = 0; i < ROWS; i++) {
        classes[i] = i % 3;
        for (int j = 0; j < COLS; j++) values[i * COLS + j] = (i % 3 * (j + 3) + i * (2 * j + 7) % 8) % 13;
    }
    for (int i = 0; i < COPIES; i++) load(&copies[i], argv[1 + i]);
    pthread_t threads[COPIES];
    pthread_barrier_init(&together, NULL, COPIES);
    for (int i = 0; i < COPIES; i++) need(pthread_create(&threads[i], NULL, work, &copies[i]) == 0, "no thread");
    for (int i = 0; i < COPIES; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i < COPIES; i++) need(strcmp(copies[0].fingerprints, copies[i].fingerprints) == 0, "the fingerprints differ");
    printf("copies: %d trained side by side\n", COPIES);
    return 0;
}
