/* The main loop of a server. Requests of one row each wait in a queue. Threads take
 * them from the queue and answer them. The threads share one model, and each has
 * its own predictor. */
#define _POSIX_C_SOURCE 200809L
#include <aoso.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "example_data.h"

enum { TRAIN = 1500, REQUESTS = 20000, THREADS = 4, WAITING = 64 };

typedef struct {
    const double *row;
    int32_t *answer;
} request;

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    request requests[WAITING]; /* a ring buffer */
    int first, count, closed;
} request_queue;

static request_queue queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void put(request r) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == WAITING) pthread_cond_wait(&queue.changed, &queue.mutex);
    queue.requests[(queue.first + queue.count++) % WAITING] = r;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
}

static void close_queue(void) {
    pthread_mutex_lock(&queue.mutex);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
}

/* Returns 0 if the queue is closed and empty. */
static int take(request *r) {
    int taken;
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == 0 && !queue.closed) pthread_cond_wait(&queue.changed, &queue.mutex);
    taken = queue.count > 0;
    if (taken) {
        *r = queue.requests[queue.first];
        queue.first = (queue.first + 1) % WAITING;
        queue.count--;
        pthread_cond_broadcast(&queue.changed);
    }
    pthread_mutex_unlock(&queue.mutex);
    return taken;
}

static void check(aoso_status status) {
    if (status != AOSO_OK) {
        fprintf(stderr, "%s\n", aoso_last_error());
        exit(1);
    }
}

static void *serve(void *model) {
    aoso_predictor *predictor;
    request r;
    check(aoso_predictor_create(model, NULL, &predictor));
    while (take(&r)) check(aoso_predictor_class(predictor, r.row, FEATURES, r.answer));
    check(aoso_predictor_free(predictor));
    return NULL;
}

static double train_values[TRAIN * FEATURES], values[REQUESTS * FEATURES];
static int32_t train_classes[TRAIN], classes[REQUESTS], answers[REQUESTS], batch[REQUESTS];

static aoso_model *train_model(void) {
    aoso_matrix x = aoso_row_major(train_values, AOSO_FLOAT64, TRAIN, FEATURES);
    aoso_labels y = aoso_int32_labels(train_classes, TRAIN);
    aoso_dataset *data;
    aoso_model *model;
    example_data(1, TRAIN, train_values, train_classes);
    check(aoso_dataset_create(&x, &y, NULL, &data));
    check(aoso_train(data, NULL, NULL, &model, NULL));
    check(aoso_dataset_free(data));
    return model;
}

int main(void) {
    pthread_t threads[THREADS];
    int i, right = 0, differ = 0;
    aoso_model *model = train_model();

    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, serve, model) != 0) return 1;

    example_data(2, REQUESTS, values, classes);
    for (i = 0; i < REQUESTS; i++) {
        const request r = {&values[i * FEATURES], &answers[i]};
        put(r);
    }
    close_queue();
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);

    /* Predicting all rows in one call gives the same classes. */
    aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, REQUESTS, FEATURES);
    check(aoso_model_predict(model, &x, NULL, batch, REQUESTS));
    for (i = 0; i < REQUESTS; i++) {
        right += answers[i] == classes[i];
        differ += answers[i] != batch[i];
    }
    printf("%d requests answered by %d threads\n", REQUESTS, THREADS);
    printf("accuracy %.3f\n", (double)right / REQUESTS);
    printf("answers that differ from the batch prediction: %d\n", differ);
    check(aoso_model_free(model));
    return 0;
}
