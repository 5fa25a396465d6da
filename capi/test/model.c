// Models: information, files, predictions for batches and single rows.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <time.h>

static aoso_model *model;

static void facts(void) {
    aoso_model_info i = {.struct_size = sizeof i};
    OK(aoso_model_get_info(model, &i));
    EXPECT(i.classes == CLASSES && i.features == COLS && i.trees == 30 && i.trees_per_iteration == 1 && i.temperature == 1);
    FAILS(AOSO_INVALID_ARGUMENT, "info is null", aoso_model_get_info(model, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_get_info(NULL, &i));
    char name[4];
    OK(aoso_model_class_name(model, 2, name, sizeof name, NULL));
    EXPECT(strcmp(name, "2") == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "k is 3", aoso_model_class_name(model, 3, name, sizeof name, NULL));
    OK(aoso_model_feature_name(model, 5, name, sizeof name, NULL));
    EXPECT(strcmp(name, "f5") == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "j is -1", aoso_model_feature_name(model, -1, name, sizeof name, NULL));

    static char text[1 << 20];
    size_t needed;
    OK(aoso_model_describe(model, text, sizeof text, &needed));
    EXPECT(strlen(text) + 1 == needed && strstr(text, "{\"method\":\"aoso\",\"trees\":30,") == text);
    char *params = strstr(text, "\"params\":\"") + strlen("\"params\":\"");
    *strchr(params, '"') = 0;
    aoso_params p = parse(params); // JSON does not escape any character in it
    EXPECT(p.n_estimators == 30 && p.max_leaves == 7 && p.nthread == 0);

    OK(aoso_model_dump(model, 0, text, sizeof text, &needed));
    EXPECT(strlen(text) + 1 == needed && strstr(text, "tree 29\n"));
    OK(aoso_model_dump(model, 1, text, sizeof text, NULL));
    EXPECT(strstr(text, "tree 0\n") == text && !strstr(text, "tree 1\n"));
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 31; allowed: 0 to 30", aoso_model_dump(model, 31, text, sizeof text, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "trees is -1", aoso_model_dump(model, -1, text, sizeof text, NULL));
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 10", aoso_model_dump(model, 0, text, 10, NULL));
    FAILS(AOSO_BUFFER_TOO_SMALL, "allowed: at least 33", aoso_model_fingerprint(model, text, 32, NULL));

    int32_t first_trees[CLASSES];
    OK(aoso_model_first_trees(model, first_trees, CLASSES));
    for (int k = 0; k < CLASSES; k++) EXPECT(first_trees[k] == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "one for each class", aoso_model_first_trees(model, first_trees, CLASSES + 1));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_first_trees(model, NULL, CLASSES));

    double importance[COLS], sum = 0;
    OK(aoso_model_importance(model, AOSO_IMPORTANCE_GAIN, importance, COLS));
    for (int j = 0; j < COLS; j++) EXPECT(importance[j] >= 0);
    EXPECT(importance[0] > importance[5]);
    OK(aoso_model_importance(model, AOSO_IMPORTANCE_SPLIT, importance, COLS));
    for (int j = 0; j < COLS; j++) sum += importance[j];
    EXPECT(sum == 30 * 6);
    FAILS(AOSO_INVALID_ARGUMENT, "kind is 3; allowed: 0 to 2", aoso_model_importance(model, 3, importance, COLS));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 5; allowed: 6, one for each feature", aoso_model_importance(model, 0, importance, COLS - 1));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_importance(model, 0, NULL, COLS));

    OK(aoso_build_info(text, sizeof text, &needed));
    EXPECT(strstr(text, "\"abi\":1") && strstr(text, "\"level\":\"") && strstr(text, "\"generic\"]"));
    OK(aoso_build_info(NULL, 0, &needed));
    EXPECT(needed == strlen(text) + 1);
    EXPECT(aoso_abi_version() == AOSO_ABI_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", AOSO_VERSION_MAJOR, AOSO_VERSION_MINOR, AOSO_VERSION_PATCH);
    EXPECT(strcmp(text, aoso_version_string()) == 0);
}

static void files(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/model.aoso", folder);
    aoso_model *m;
    OK(aoso_model_save(model, path));
    OK(aoso_model_load(path, &m));
    EXPECT(same(fingerprint_of(model), fingerprint_of(m)));
    OK(aoso_model_free(m));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_model_free(m));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_model_save(m, path));
    FAILS(AOSO_IO, "cannot write", aoso_model_save(model, "/no/such/folder/file"));
    FAILS(AOSO_IO, "not a regular file", aoso_model_save(model, "/dev/null"));
    FAILS(AOSO_INVALID_ARGUMENT, "path is null", aoso_model_save(model, NULL));
    FAILS(AOSO_IO, "no such file", aoso_model_load("/no/such/file", &m));
    FAILS(AOSO_BAD_FORMAT, "/bin/sh", aoso_model_load("/bin/sh", &m));
    FAILS(AOSO_INVALID_ARGUMENT, "UTF-8", aoso_model_load("\xff", &m));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_load(path, NULL));
    remove(path);

    size_t size;
    OK(aoso_model_encode(model, NULL, 0, &size));
    unsigned char *bytes = malloc(size);
    OK(aoso_model_encode(model, bytes, size, NULL));
    FAILS(AOSO_BUFFER_TOO_SMALL, "allowed: at least", aoso_model_encode(model, bytes, size - 1, NULL));
    OK(aoso_model_decode(bytes, size, &m));
    memset(bytes + size / 2, 0, size / 2); // the model does not use these bytes any more
    EXPECT(same(fingerprint_of(model), fingerprint_of(m)));
    OK(aoso_model_free(m));
    FAILS(AOSO_BAD_FORMAT, "", aoso_model_decode(bytes, size, &m));
    FAILS(AOSO_BAD_FORMAT, "", aoso_model_decode(bytes, size / 3, &m));
    FAILS(AOSO_BAD_FORMAT, "", aoso_model_decode(bytes, 0, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "bytes is null", aoso_model_decode(NULL, 10, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "size is 18446744073709551615", aoso_model_decode(bytes, SIZE_MAX, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_decode(bytes, size, NULL));
    free(bytes);
}

static double raw[ROWS * CLASSES], proba[ROWS * CLASSES];
static int32_t predicted[ROWS];

static void batches(void) {
    aoso_matrix x = data();
    aoso_predict_options o = {.struct_size = sizeof o};
    OK(aoso_model_predict(model, &x, NULL, predicted, ROWS));
    OK(aoso_model_predict_proba(model, &x, NULL, proba, ROWS * CLASSES));
    OK(aoso_model_predict_raw(model, &x, &o, raw, ROWS * CLASSES));
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        const double *p = proba + i * CLASSES, *f = raw + i * CLASSES;
        EXPECT(fabs(p[0] + p[1] + p[2] - 1) < 1e-12);
        for (int k = 0; k < CLASSES; k++) {
            EXPECT(f[k] <= f[predicted[i]]);
            EXPECT(fabs(p[k] - exp(f[k]) / (exp(f[0]) + exp(f[1]) + exp(f[2]))) < 1e-12);
        }
        wrong += predicted[i] != classes[i];
    }
    EXPECT(wrong < ROWS / 3);

    static int32_t top[ROWS * CLASSES];
    static double of[ROWS * CLASSES];
    OK(aoso_model_predict_top(model, &x, NULL, CLASSES, top, of, ROWS * CLASSES));
    for (int i = 0; i < ROWS * CLASSES; i++) {
        const int row = i / CLASSES, place = i % CLASSES;
        EXPECT(of[i] == proba[row * CLASSES + top[i]]);
        EXPECT(place == 0 ? top[i] == predicted[row] : of[i] <= of[i - 1] && top[i] != top[i - 1]);
    }
    OK(aoso_model_predict_top(model, &x, NULL, 1, top, NULL, ROWS));
    EXPECT(memcmp(top, predicted, sizeof predicted) == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "top is 0; allowed: 1 to 3", aoso_model_predict_top(model, &x, NULL, 0, top, of, 0));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 300; allowed: 600, rows × top", aoso_model_predict_top(model, &x, NULL, 2, top, of, ROWS));

    static int32_t leaves[ROWS * 30];
    OK(aoso_model_predict_leaf(model, &x, NULL, leaves, ROWS * 30));
    for (int i = 0; i < ROWS * 30; i++) EXPECT(leaves[i] >= 0 && leaves[i] < 7);
    o.trees = 3;
    o.nthread = 2;
    OK(aoso_model_predict_leaf(model, &x, &o, leaves, ROWS * 3));
    double first[ROWS * CLASSES];
    OK(aoso_model_predict_raw(model, &x, &o, first, ROWS * CLASSES));
    EXPECT(memcmp(first, raw, sizeof raw) != 0);

    FAILS(AOSO_INVALID_ARGUMENT, "length is 900; allowed: 300, the number of rows", aoso_model_predict(model, &x, NULL, predicted, ROWS * 3));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 300; allowed: 900, rows × classes", aoso_model_predict_proba(model, &x, NULL, proba, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "length is -1; allowed: 900", aoso_model_predict_raw(model, &x, NULL, raw, -1));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 900; allowed: 9000, rows × trees", aoso_model_predict_leaf(model, &x, NULL, leaves, ROWS * 3));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_predict(model, &x, NULL, NULL, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_predict(model, NULL, NULL, predicted, ROWS));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_predict(NULL, &x, NULL, predicted, ROWS));
    o.trees = 31;
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 31; allowed: 0 to 30", aoso_model_predict(model, &x, &o, predicted, ROWS));
    o.trees = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "trees is -1", aoso_model_predict_leaf(model, &x, &o, leaves, ROWS));
    o.trees = 0, o.nthread = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "nthread is -1", aoso_model_predict(model, &x, &o, predicted, ROWS));
    o.struct_size = 5;
    FAILS(AOSO_INVALID_ARGUMENT, "options.struct_size is 5", aoso_model_predict(model, &x, &o, predicted, ROWS));
    x.cols--;
    FAILS(AOSO_INVALID_ARGUMENT, "5 columns", aoso_model_predict(model, &x, NULL, predicted, ROWS));
    x = aoso_row_major(NULL, AOSO_FLOAT64, 0, COLS);
    OK(aoso_model_predict(model, &x, NULL, NULL, 0));
    OK(aoso_model_predict_leaf(model, &x, NULL, NULL, 0));
    // Missing and infinite values can be predicted.
    double odd[COLS] = {NAN, INFINITY, -INFINITY, 1e308, -0.0, 5e-324};
    x = aoso_row_major(odd, AOSO_FLOAT64, 1, COLS);
    OK(aoso_model_predict_proba(model, &x, NULL, first, CLASSES));
    EXPECT(fabs(first[0] + first[1] + first[2] - 1) < 1e-12);
}

// The calls of a staged prediction's callback.
typedef struct stages {
    pthread_t thread;
    int calls, stop_at;
    int64_t trees;
    double raw[ROWS * CLASSES];
} stages;

static int32_t stage(int64_t trees, const double *scores, int64_t length, void *user) {
    stages *s = user;
    EXPECT(pthread_equal(s->thread, pthread_self()) && length == ROWS * CLASSES);
    aoso_matrix x = data(); // a callback may use the library
    aoso_predict_options o = {.struct_size = sizeof o, .trees = trees};
    double want[ROWS * CLASSES];
    OK(aoso_model_predict_raw(model, &x, &o, want, length));
    for (int i = 0; i < length; i++) EXPECT(fabs(scores[i] - want[i]) < 1e-12);
    memcpy(s->raw, scores, sizeof s->raw);
    s->trees = trees;
    return ++s->calls == s->stop_at;
}

static void staged(void) {
    static stages s;
    aoso_matrix x = data();
    aoso_predict_options o = {.struct_size = sizeof o};
    s.thread = pthread_self();
    for (o.nthread = 0; o.nthread < 3; o.nthread++) {
        for (int every = 1; every <= 64; every *= 4) { // 64 is more than the number of trees
            s.calls = 0;
            OK(aoso_model_predict_staged(model, &x, &o, every, stage, &s));
            EXPECT(s.calls == (30 + every - 1) / every && s.trees == 30);
            EXPECT(memcmp(s.raw, raw, sizeof raw) == 0);
        }
        s.calls = 0, s.stop_at = 2;
        OK(aoso_model_predict_staged(model, &x, &o, 5, stage, &s));
        EXPECT(s.calls == 2 && s.trees == 10);
        s.stop_at = 0;
    }
    o.trees = 7, s.calls = 0;
    OK(aoso_model_predict_staged(model, &x, &o, INT64_MAX, stage, &s));
    EXPECT(s.calls == 1 && s.trees == 7);
    s.calls = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "every is 0; allowed: at least 1", aoso_model_predict_staged(model, &x, NULL, 0, stage, &s));
    FAILS(AOSO_INVALID_ARGUMENT, "every is -1", aoso_model_predict_staged(model, &x, NULL, -1, stage, &s));
    FAILS(AOSO_INVALID_ARGUMENT, "callback is null", aoso_model_predict_staged(model, &x, NULL, 1, NULL, &s));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_predict_staged(model, NULL, NULL, 1, stage, &s));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_predict_staged(NULL, &x, NULL, 1, stage, &s));
    EXPECT(s.calls == 0);
}

static int row_agrees(aoso_predictor *p, int i) {
    double f[CLASSES], q[CLASSES];
    int32_t k;
    OK(aoso_predictor_class(p, values + i * COLS, COLS, &k));
    OK(aoso_predictor_raw(p, values + i * COLS, COLS, f, CLASSES));
    OK(aoso_predictor_proba(p, values + i * COLS, COLS, q, CLASSES));
    return k == predicted[i] && memcmp(f, raw + i * CLASSES, sizeof f) == 0 && memcmp(q, proba + i * CLASSES, sizeof q) == 0;
}

static void single_rows(void) {
    aoso_predictor *p;
    aoso_model *m;
    size_t size;
    OK(aoso_model_encode(model, NULL, 0, &size));
    char *bytes = malloc(size);
    OK(aoso_model_encode(model, bytes, size, NULL));
    OK(aoso_model_decode(bytes, size, &m));
    free(bytes);
    OK(aoso_predictor_create(m, NULL, &p));
    OK(aoso_model_free(m)); // the predictor still uses it
    double walked = -1, two[] = {-9, -9, -9};
    OK(aoso_predictor_walked(p, &walked));
    EXPECT(walked == 0);
    for (int i = 0; i < ROWS; i++) EXPECT(row_agrees(p, i));
    OK(aoso_predictor_walked(p, &walked));
    EXPECT(walked > 0 && walked <= 1);
    int32_t k = -5, some[] = {2, 0, 2};
    for (int i = 0; i < ROWS; i++) {
        OK(aoso_predictor_raw_of(p, values + i * COLS, COLS, some, 2, two));
        EXPECT(two[0] == raw[i * CLASSES + 2] && two[1] == raw[i * CLASSES] && two[2] == -9);
    }
    OK(aoso_predictor_raw_of(p, values, COLS, some, 3, two)); // one class occurs twice
    EXPECT(two[0] == two[2]);
    OK(aoso_predictor_raw_of(p, values, COLS, NULL, 0, two));
    FAILS(AOSO_INVALID_ARGUMENT, "count is 4; allowed: 0 to 3", aoso_predictor_raw_of(p, values, COLS, some, 4, two));
    FAILS(AOSO_INVALID_ARGUMENT, "count is -1", aoso_predictor_raw_of(p, values, COLS, some, -1, two));
    FAILS(AOSO_INVALID_ARGUMENT, "classes is null", aoso_predictor_raw_of(p, values, COLS, NULL, 2, two));
    FAILS(AOSO_INVALID_ARGUMENT, "features is 5", aoso_predictor_raw_of(p, values, COLS - 1, some, 2, two));
    FAILS(AOSO_INVALID_ARGUMENT, "row is null", aoso_predictor_raw_of(p, NULL, COLS, some, 2, two));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_predictor_raw_of(p, values, COLS, some, 2, NULL));
    some[1] = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 3; allowed: 0 to 2", aoso_predictor_raw_of(p, values, COLS, some, 2, two));
    some[1] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "classes is -1", aoso_predictor_raw_of(p, values, COLS, some, 2, two));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_predictor_walked(p, NULL));
    FAILS(AOSO_INVALID_HANDLE, "predictor is null", aoso_predictor_walked(NULL, &walked));
    double q[CLASSES];
    FAILS(AOSO_INVALID_ARGUMENT, "features is 5; allowed: 6, the number of features of the model", aoso_predictor_class(p, values, COLS - 1, &k));
    FAILS(AOSO_INVALID_ARGUMENT, "features is -6", aoso_predictor_class(p, values, -COLS, &k));
    FAILS(AOSO_INVALID_ARGUMENT, "row is null", aoso_predictor_class(p, NULL, COLS, &k));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_predictor_class(p, values, COLS, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 2; allowed: 3, the number of classes of the model", aoso_predictor_raw(p, values, COLS, q, CLASSES - 1));
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 4", aoso_predictor_proba(p, values, COLS, q, CLASSES + 1));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_predictor_proba(p, values, COLS, NULL, CLASSES));
    EXPECT(k == -5);
    FAILS(AOSO_INVALID_HANDLE, "predictor is a model; allowed: a predictor", aoso_predictor_class((aoso_predictor *)model, values, COLS, &k));
    FAILS(AOSO_INVALID_HANDLE, "predictor is null", aoso_predictor_raw(NULL, values, COLS, q, CLASSES));
    OK(aoso_predictor_free(p));
    OK(aoso_predictor_free(NULL));
    FAILS(AOSO_INVALID_HANDLE, "predictor is 0x", aoso_predictor_free(p));
    FAILS(AOSO_INVALID_HANDLE, "predictor is 0x", aoso_predictor_proba(p, values, COLS, q, CLASSES));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_predictor_create(NULL, NULL, &p));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_predictor_create(model, NULL, NULL));
    aoso_predict_options o = {.struct_size = sizeof o, .trees = 31};
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 31", aoso_predictor_create(model, &o, &p));
    o.trees = 3;
    OK(aoso_predictor_create(model, &o, &p));
    EXPECT(!row_agrees(p, 0));
    OK(aoso_predictor_free(p));
}

// Many threads use one model, each with its own predictor and with batches.
#ifndef PREDICTIONS
#define PREDICTIONS 200
#endif
enum { THREADS = 64 };
static int disagree, started;

static void *predict_rows(void *user) {
    int first = *(int *)user;
    aoso_predictor *p;
    OK(aoso_predictor_create(model, NULL, &p));
    COUNT(started);
    while (READ(started) < THREADS) nanosleep(&(struct timespec){0, 100000}, NULL);
    for (int n = 0; n < PREDICTIONS; n++) {
        int i = (first * 17 + n) % ROWS;
        double f[CLASSES];
        OK(aoso_predictor_raw(p, values + i * COLS, COLS, f, CLASSES));
        if (memcmp(f, raw + i * CLASSES, sizeof f) != 0) COUNT(disagree);
        if (n % 100 == 0 && !row_agrees(p, i)) COUNT(disagree);
    }
    OK(aoso_predictor_free(p));
    return NULL;
}

static void *predict_batches(void *user) {
    (void)user;
    aoso_matrix x = data();
    double p[ROWS * CLASSES];
    for (int n = 0; n < 20; n++) {
        OK(aoso_model_predict_proba(model, &x, NULL, p, ROWS * CLASSES));
        if (memcmp(p, proba, sizeof p) != 0) COUNT(disagree);
    }
    return NULL;
}

static void in_threads(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    int number[THREADS];
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        pthread_create(&threads[t], NULL, work, &number[t]);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    EXPECT(disagree == 0);
}

// A predictor that two threads use may be busy, but its results are right.
static aoso_predictor *shared;
static int busy, used;

static void *predict_shared(void *user) {
    (void)user;
    double f[CLASSES];
    for (int n = 0; n < PREDICTIONS || (!READ(busy) && n < 2000000); n++) {
        aoso_status status = aoso_predictor_raw(shared, values, COLS, f, CLASSES);
        if (status == AOSO_OK) {
            COUNT(used);
            if (memcmp(f, raw, sizeof f) != 0) COUNT(disagree);
        } else {
            EXPECT(status == AOSO_BUSY);
            COUNT(busy);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    make_data();
    aoso_dataset *d = make_dataset();
    model = train_on(d, "preset=paper n_estimators=30 max_leaves=7");
    OK(aoso_dataset_free(d));
    facts();
    files(argc > 1 ? argv[1] : ".");
    batches();
    staged();
    single_rows();
    in_threads(predict_rows);
    in_threads(predict_batches);
    OK(aoso_predictor_create(model, NULL, &shared));
    in_threads(predict_shared);
    EXPECT(busy > 0 && used > 0);
    OK(aoso_predictor_free(shared));
    OK(aoso_model_free(model));
    return finish("model");
}
