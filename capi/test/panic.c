// A panic in a call breaks only the object that the call used exclusively. All
// other objects can still be used. Only a panic in the registry of handles makes
// the library unusable. The panics are injected.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "faults.h"

static aoso_model *before; // trained before the first panic
static fingerprint want;
static int32_t predicted[ROWS];
static const char *path;

static aoso_matrix x;
static aoso_labels y;

static int32_t continue_training(const aoso_progress *p, void *user) {
    (void)p;
    (void)user;
    return 0;
}

// Checks that the first model still works and that training gives the same model
// as before.
static void check_other_objects(void) {
    int32_t again[ROWS];
    aoso_model *loaded;
    OK(aoso_model_predict(before, &x, NULL, again, ROWS));
    EXPECT(memcmp(again, predicted, sizeof again) == 0);
    OK(aoso_model_save(before, path));
    OK(aoso_model_load(path, &loaded));
    EXPECT(same(want, fingerprint_of(loaded)));
    OK(aoso_model_free(loaded));
    EXPECT(same(want, fingerprint_on(make_dataset())));
}

#define PANICS(place, n, call)                              \
    do {                                                    \
        aoso_test_panic(place, n);                          \
        FAILS(AOSO_INTERNAL, "aoso: internal error", call); \
        aoso_test_panic(place, 0);                          \
        check_other_objects();                              \
    } while (0)

static void training(int threads) {
    const char broken[] = "an internal error occurred in an earlier call with the trainer; allowed: only to free it";
    aoso_dataset *d = make_dataset();
    aoso_params p = parse("n_estimators=8 max_leaves=6");
    p.nthread = threads;
    aoso_train_options o = {.struct_size = sizeof o, .callback = continue_training};
    aoso_model *m;
    aoso_trainer *b, *other;
    PANICS(IN_TRAINING, 1, aoso_train(d, &p, NULL, &m, NULL));
    PANICS(IN_CALLBACK, 3, aoso_train(d, &p, &o, &m, NULL));

    OK(aoso_trainer_create(d, &p, &o, &b)); // panics in the first phase
    p.preset = AOSO_PRESET_PAPER;
    OK(aoso_trainer_create(d, &p, &o, &other));
    OK(aoso_trainer_step(b, NULL));
    PANICS(IN_TRAINING, 1, aoso_trainer_step(b, NULL));
    FAILS(AOSO_INTERNAL, broken, aoso_trainer_step(b, NULL));
    FAILS(AOSO_INTERNAL, broken, aoso_trainer_run(b, NULL));
    FAILS(AOSO_INTERNAL, broken, aoso_trainer_model(b, &m, NULL));
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_free(b));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_trainer_step(b, NULL));
    OK(aoso_trainer_run(other, NULL)); // on the same dataset
    OK(aoso_trainer_model(other, &m, NULL));
    EXPECT(same(want, fingerprint_of(m)));
    OK(aoso_model_free(m));
    OK(aoso_trainer_free(other));
    OK(aoso_trainer_create(d, &p, &o, &other));
    PANICS(IN_CALLBACK, 1, aoso_trainer_run(other, NULL));
    OK(aoso_trainer_free(other));
    OK(aoso_dataset_free(d));
}

static void datasets(int threads) {
    aoso_dataset *d, *train = make_dataset();
    aoso_dataset_options o = {.struct_size = sizeof o, .nthread = threads};
    PANICS(IN_COLUMN, 3, aoso_dataset_create(&x, &y, &o, &d));
    PANICS(IN_COLUMN, 2, aoso_dataset_create_aligned(train, &x, &y, NULL, &d));
    OK(aoso_dataset_free(train));

    const char broken[] = "in an earlier call with the builder; allowed: only to free it";
    aoso_builder *b;
    OK(aoso_builder_create(COLS, &o, &b));
    OK(aoso_builder_append(b, &x, &y, NULL, 0));
    PANICS(IN_COLUMN, 3, aoso_builder_append(b, &x, &y, NULL, 0));
    FAILS(AOSO_INTERNAL, broken, aoso_builder_append(b, &x, &y, NULL, 0));
    FAILS(AOSO_INTERNAL, broken, aoso_builder_finish(b, &d));
    OK(aoso_builder_free(b));
}

static void predictions(int threads) {
    static double scores[ROWS * CLASSES * (COLS + 1)];
    aoso_predict_options o = {.struct_size = sizeof o, .nthread = threads};
    aoso_model *m;
    PANICS(IN_COLUMN, 2, aoso_model_predict_proba(before, &x, &o, scores, ROWS * CLASSES));
    PANICS(IN_COLUMN, 2, aoso_model_shap(before, &x, &o, scores, ROWS * CLASSES * (COLS + 1)));
    PANICS(IN_COLUMN, 2, aoso_model_calibrate(before, &x, &y, NULL, 0, &o, &m, NULL));
    PANICS(IN_COLUMN, 2, aoso_model_decide(before, &x, scores, CLASSES, &o, predicted, NULL, ROWS));

    aoso_predictor *p, *other;
    OK(aoso_predictor_create(before, NULL, &p));
    OK(aoso_predictor_create(before, NULL, &other));
    PANICS(IN_PREDICTOR, 1, aoso_predictor_raw(p, values, COLS, scores, CLASSES));
    FAILS(AOSO_INTERNAL, "in an earlier call with the predictor", aoso_predictor_raw(p, values, COLS, scores, CLASSES));
    OK(aoso_predictor_raw(other, values, COLS, scores, CLASSES));
    OK(aoso_predictor_free(p));
    OK(aoso_predictor_free(other));
}

int main(int argc, char **argv) {
    static char file[4096];
    snprintf(file, sizeof file, "%s/panic.aoso", argc > 1 ? argv[1] : ".");
    path = file;
    make_data();
    x = data();
    y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d = make_dataset();
    before = train_on(d, "preset=paper n_estimators=8 max_leaves=6");
    want = fingerprint_of(before);
    OK(aoso_model_predict(before, &x, NULL, predicted, ROWS));
    OK(aoso_dataset_free(d));
    EXPECT(aoso_test_handles() == 1);
    for (int threads = 1; threads <= 2; threads++) {
        training(threads);
        datasets(threads);
        predictions(threads);
        EXPECT(aoso_test_handles() == 1);
    }
    aoso_test_panic(IN_REGISTRY, 1);
    FAILS(AOSO_INTERNAL, "aoso: internal error", aoso_dataset_create(&x, &y, NULL, &d));
    FAILS(AOSO_INTERNAL, "can no longer be used in this process", aoso_model_predict(before, &x, NULL, predicted, ROWS));
    FAILS(AOSO_INTERNAL, "can no longer be used in this process", aoso_model_free(before));
    return finish("panic");
}
