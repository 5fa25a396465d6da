/* Trains a model, predicts with it, saves it and loads it again. */
#include <aoso.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_data.h"

enum { TRAIN = 2000, TEST = 1000 };

static double train_values[TRAIN * FEATURES], test_values[TEST * FEATURES];
static int32_t train_classes[TRAIN], test_classes[TEST], predicted[TEST];

static void check(aoso_status status) {
    if (status != AOSO_OK) {
        fprintf(stderr, "%s\n", aoso_last_error());
        exit(1);
    }
}

static int32_t report(const aoso_progress *progress, void *user) {
    (void)user;
    const char *phase = progress->phase == AOSO_PHASE_HOLDOUT ? "without the held-out rows" : "all rows";
    if (progress->evaluated) printf("%s, iteration %d: mean loss %.3f\n", phase, (int)progress->iteration, progress->train_loss);
    return 0; /* continue training */
}

int main(void) {
    const char *path = "train_predict.model";
    int i, right = 0;

    example_data(1, TRAIN, train_values, train_classes);
    example_data(3, TEST, test_values, test_classes);
    printf("aoso %s\n", aoso_version_string());

    /* Quantize the data. */
    aoso_matrix x = aoso_row_major(train_values, AOSO_FLOAT64, TRAIN, FEATURES);
    aoso_labels y = aoso_int32_labels(train_classes, TRAIN);
    aoso_dataset *train;
    check(aoso_dataset_create(&x, &y, NULL, &train));

    /* Training first holds rows out, to choose its parameters. */
    aoso_train_options options = {.struct_size = sizeof options, .eval_every = 200, .callback = report};
    aoso_result result = {.struct_size = sizeof result};
    aoso_model *model;
    check(aoso_train(train, NULL, &options, &model, &result));
    printf("%d trees; %d of %d rows held out were wrong\n", (int)result.iterations, (int)result.held_out.errors,
           (int)result.held_out_rows);
    check(aoso_dataset_free(train)); /* the model does not need it */

    x = aoso_row_major(test_values, AOSO_FLOAT64, TEST, FEATURES);
    check(aoso_model_predict(model, &x, NULL, predicted, TEST));
    for (i = 0; i < TEST; i++) right += predicted[i] == test_classes[i];
    printf("accuracy %.3f\n", (double)right / TEST);

    double proba[CLASSES];
    x.rows = 1; /* the first row */
    check(aoso_model_predict_proba(model, &x, NULL, proba, CLASSES));
    printf("probabilities of the first row:");
    for (i = 0; i < CLASSES; i++) printf(" %.3f", proba[i]);
    printf("\n");

    double gain[FEATURES];
    check(aoso_model_importance(model, AOSO_IMPORTANCE_GAIN, gain, FEATURES));
    int best = 0;
    for (i = 1; i < FEATURES; i++)
        if (gain[i] > gain[best]) best = i;
    char name[100];
    check(aoso_model_feature_name(model, best, name, sizeof name, NULL));
    printf("most important feature: %s\n", name);

    /* The fingerprint shows that the loaded model is the one that was saved. */
    char fingerprint[33], loaded_fingerprint[33];
    aoso_model *loaded;
    check(aoso_model_save(model, path));
    check(aoso_model_load(path, &loaded));
    check(aoso_model_fingerprint(model, fingerprint, sizeof fingerprint, NULL));
    check(aoso_model_fingerprint(loaded, loaded_fingerprint, sizeof loaded_fingerprint, NULL));
    printf("fingerprint %s\n", fingerprint);
    printf("saved and loaded: %s\n", strcmp(fingerprint, loaded_fingerprint) == 0 ? "the same" : "another model");

    check(aoso_model_free(loaded));
    check(aoso_model_free(model));
    return 0;
}
