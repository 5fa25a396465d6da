// 64 threads use and free objects of every kind at the same time. Each call must
// succeed or report that the object is in use or was freed. Exactly one of the
// calls that free an object must succeed.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64 };

typedef struct object object;

// A kind of object: functions that create, use and free it. No use waits for
// another thread. Only one thread at a time may use some kinds.
typedef struct kind {
    const char *name;
    void *(*make)(void);
    aoso_status (*use)(void *, uint64_t);
    aoso_status (*free)(void *);
} kind;

struct object {
    const kind *kind;
    void *handle;
    int freed;     // number of calls that freed it
    uint64_t seed; // seed of the next thread
};

static aoso_matrix x;
static aoso_labels y;
static aoso_dataset *some_dataset;
static aoso_model *some_model;

static void *make_a_dataset(void) { return make_dataset(); }
static aoso_status use_dataset(void *d, uint64_t how) {
    aoso_dataset_info i = {.struct_size = sizeof i};
    aoso_params p;
    aoso_model *m;
    if (how % 8) return aoso_dataset_get_info(d, &i);
    p = parse("n_estimators=1 nthread=1");
    aoso_status s = aoso_train(d, &p, NULL, &m, NULL);
    if (s == AOSO_OK) OK(aoso_model_free(m));
    return s;
}
static aoso_status free_dataset(void *d) { return aoso_dataset_free(d); }

static void *make_model(void) {
    aoso_model *m;
    OK(aoso_model_truncate(some_model, 3, &m));
    return m;
}
static aoso_status use_model(void *m, uint64_t how) {
    int32_t k[ROWS];
    aoso_predict_options o = {.struct_size = sizeof o, .nthread = 1 + (int32_t)(how % 2)};
    return aoso_model_predict(m, &x, &o, k, ROWS);
}
static aoso_status free_model(void *m) { return aoso_model_free(m); }

static void *make_trainer(void) {
    aoso_trainer *b;
    aoso_params p = parse("n_estimators=1000000 stop_loss=0");
    OK(aoso_trainer_create(some_dataset, &p, NULL, &b));
    return b;
}
static aoso_status use_trainer(void *b, uint64_t how) {
    aoso_model *m;
    aoso_result r = {.struct_size = sizeof r};
    aoso_status s;
    switch (how % 4) {
    case 0: // ends at once, or when another thread interrupts it
        s = aoso_trainer_interrupt(b);
        return s ? s : aoso_trainer_run(b, &r);
    case 1: return aoso_trainer_step(b, NULL);
    case 2:
        s = aoso_trainer_model(b, &m, NULL);
        if (s == AOSO_OK) OK(aoso_model_free(m));
        return s;
    }
    return aoso_trainer_interrupt(b);
}
static aoso_status free_trainer(void *b) {
    aoso_trainer_interrupt(b);
    return aoso_trainer_free(b);
}

static void *make_builder(void) {
    aoso_builder *b;
    OK(aoso_builder_create(COLS, NULL, &b));
    return b;
}
static aoso_status use_builder(void *b, uint64_t how) {
    aoso_dataset *d;
    if (how % 2) return aoso_builder_append(b, &x, &y, NULL, 0);
    aoso_status s = aoso_builder_finish(b, &d);
    if (s == AOSO_OK) OK(aoso_dataset_free(d));
    return s == AOSO_INVALID_ARGUMENT ? AOSO_OK : s; // no rows yet
}
static aoso_status free_builder(void *b) { return aoso_builder_free(b); }

static void *make_predictor(void) {
    aoso_predictor *p;
    OK(aoso_predictor_create(some_model, NULL, &p));
    return p;
}
static aoso_status use_predictor(void *p, uint64_t how) {
    int32_t k;
    return aoso_predictor_class(p, values + how % ROWS * COLS, COLS, &k);
}
static aoso_status free_predictor(void *p) { return aoso_predictor_free(p); }

static void *make_contributions(void) {
    aoso_contributions *c;
    OK(aoso_model_shap_sparse(some_model, &x, NULL, 1, &c));
    return c;
}
static aoso_status use_contributions(void *c, uint64_t how) {
    int32_t k[ROWS];
    (void)how;
    aoso_contributions_info i = {.struct_size = sizeof i};
    aoso_status s = aoso_contributions_get_info(c, &i);
    return s ? s : aoso_contributions_read(c, k, NULL, i.lines, NULL, NULL, i.values);
}
static aoso_status free_contributions(void *c) { return aoso_contributions_free(c); }

static const kind kinds[] = {
    {"dataset", make_a_dataset, use_dataset, free_dataset},
    {"model", make_model, use_model, free_model},
    {"trainer", make_trainer, use_trainer, free_trainer},
    {"builder", make_builder, use_builder, free_builder},
    {"predictor", make_predictor, use_predictor, free_predictor},
    {"contributions", make_contributions, use_contributions, free_contributions},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static pthread_barrier_t start, end;
static object current;
static int rounds;
static int64_t calls;

static void check_status(const char *what, aoso_status s) {
    if (s == AOSO_OK || s == AOSO_BUSY || s == AOSO_INVALID_HANDLE) return;
    fprintf(stderr, "%s %s: %d, %s\n", what, current.kind->name, (int)s, aoso_last_error());
    COUNT(failures);
}

static void *run_thread(void *user) {
    (void)user;
    for (int r = 0; r < rounds; r++) {
        pthread_barrier_wait(&start);
        uint64_t state = COUNT(current.seed);
        aoso_status s = AOSO_OK;
        for (int i = 0; s != AOSO_INVALID_HANDLE; i++) {
            if (i > 2 && next_random(&state) % 16 == 0) {
                s = current.kind->free(current.handle);
                check_status("free", s);
                if (s == AOSO_OK) COUNT(current.freed);
            } else {
                s = current.kind->use(current.handle, next_random(&state));
                check_status("use", s);
            }
            COUNT(calls);
            if (s == AOSO_BUSY) nanosleep(&(struct timespec){0, 50000}, NULL); // lets the other thread finish
        }
        pthread_barrier_wait(&end);
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = (argc > 2 ? atoi(argv[2]) : 10) * KINDS;
    alarm(90);
    make_data();
    x = data();
    y = aoso_int32_labels(classes, ROWS);
    some_dataset = make_dataset();
    some_model = train_on(some_dataset, "n_estimators=20 max_leaves=6");
    fingerprint want = fingerprint_on(make_dataset());
    pthread_barrier_init(&start, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run_thread, NULL);
    for (int r = 0; r < rounds; r++) {
        const kind *k = &kinds[r % KINDS];
        current = (object){k, k->make(), 0, (uint64_t)r * THREADS};
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&end);
        EXPECT(current.freed == 1);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    EXPECT(same(want, fingerprint_on(make_dataset())));
    OK(aoso_dataset_free(some_dataset));
    OK(aoso_model_free(some_model));
    printf("freed: %lld calls by %d threads\n", (long long)calls, THREADS);
    return finish("freed");
}
