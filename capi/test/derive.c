// Models made from other models: truncated, merged, refitted, calibrated; and
// evaluation.
#include "check.h"

static aoso_dataset *dataset;
static aoso_model *model;
static double raw[ROWS * CLASSES], theirs[ROWS * CLASSES];

static void raw_of(const aoso_model *m, int64_t trees, double *out) {
    aoso_matrix x = data();
    aoso_predict_options o = {.struct_size = sizeof o, .trees = trees};
    OK(aoso_model_predict_raw(m, &x, &o, out, ROWS * CLASSES));
}

static aoso_model_info info_of(const aoso_model *m) {
    aoso_model_info i = {.struct_size = sizeof i};
    OK(aoso_model_get_info(m, &i));
    return i;
}

static void label_type(void) {
    char type[8];
    aoso_model *noted, *shorter, *none = NULL;
    OK(aoso_model_label_type(model, type, sizeof type, NULL));
    EXPECT(strcmp(type, "") == 0);
    OK(aoso_model_with_label_type(model, "int8", &noted));
    OK(aoso_model_truncate(noted, 3, &shorter));
    OK(aoso_model_label_type(shorter, type, sizeof type, NULL));
    EXPECT(strcmp(type, "int8") == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "label_type is null", aoso_model_with_label_type(model, NULL, &none));
    OK(aoso_model_free(noted));
    OK(aoso_model_free(shorter));
}

static void truncate(void) {
    aoso_model *m, *none = (aoso_model *)&dataset;
    for (int trees = 1; trees <= 30; trees += 29) {
        OK(aoso_model_truncate(model, trees, &m));
        EXPECT(info_of(m).trees == trees);
        raw_of(model, trees, raw);
        raw_of(m, 0, theirs);
        EXPECT(memcmp(raw, theirs, sizeof raw) == 0);
        EXPECT(same(fingerprint_of(model), fingerprint_of(m)) == (trees == 30));
        OK(aoso_model_free(m));
    }
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 0; allowed: 1 to 30", aoso_model_truncate(model, 0, &none));
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 31", aoso_model_truncate(model, 31, &none));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_truncate(model, 1, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_truncate(NULL, 1, &none));
    EXPECT(none == (aoso_model *)&dataset);
}

static void merge(void) {
    aoso_model *other = train_on(dataset, "preset=paper n_estimators=9 max_leaves=4 seed=5 subsample=0.5"), *m;
    const aoso_model *models[] = {model, other, model};
    static double two[ROWS * CLASSES];
    OK(aoso_model_merge(models, 3, &m));
    EXPECT(info_of(m).trees == 30 + 9 + 30);
    raw_of(model, 0, raw);
    raw_of(other, 0, two);
    raw_of(m, 0, theirs);
    for (int i = 0; i < ROWS * CLASSES; i++) EXPECT(fabs(2 * raw[i] + two[i] - theirs[i]) < 1e-9);
    OK(aoso_model_free(m));
    OK(aoso_model_merge(models, 1, &m));
    EXPECT(same(fingerprint_of(model), fingerprint_of(m)));
    OK(aoso_model_free(m));

    aoso_model *abc = train_on(dataset, "preset=paper method=abc n_estimators=4");
    models[2] = abc;
    FAILS(AOSO_INVALID_ARGUMENT, "models[2] is", aoso_model_merge(models, 3, &m));
    models[1] = NULL;
    FAILS(AOSO_INVALID_HANDLE, "models[1] is null; allowed: a model", aoso_model_merge(models, 3, &m));
    models[1] = (const aoso_model *)dataset;
    FAILS(AOSO_INVALID_HANDLE, "models[1] is a dataset", aoso_model_merge(models, 2, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "count is 0", aoso_model_merge(models, 0, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "count is -1", aoso_model_merge(models, -1, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "count is 9223372036854775807", aoso_model_merge(models, INT64_MAX, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "models is null", aoso_model_merge(NULL, 1, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_merge(models, 1, NULL));
    OK(aoso_model_free(abc));
    OK(aoso_model_free(other));
}

static void refit(void) {
    aoso_matrix x = data(), half = aoso_row_major(values, AOSO_FLOAT64, ROWS / 2, COLS);
    aoso_labels y = aoso_int32_labels(classes, ROWS), half_y = aoso_int32_labels(classes, ROWS / 2);
    aoso_model *m, *again;
    aoso_refit_options o = {.struct_size = sizeof o, .keep = 1};
    raw_of(model, 0, raw);
    OK(aoso_model_refit(model, &half, &half_y, &o, &m)); // keeps all leaf values
    raw_of(m, 0, theirs);
    EXPECT(memcmp(raw, theirs, sizeof raw) == 0);
    OK(aoso_model_free(m));
    OK(aoso_model_refit(model, &x, &y, NULL, &m)); // on the training data, the same but for rounding
    raw_of(m, 0, theirs);
    for (int i = 0; i < ROWS * CLASSES; i++) EXPECT(fabs(raw[i] - theirs[i]) < 1e-3);
    OK(aoso_model_free(m));

    // Rows with weight zero are ignored, with any number of threads.
    static double weights[ROWS];
    for (int i = 0; i < ROWS / 2; i++) weights[i] = 1;
    OK(aoso_model_refit(model, &half, &half_y, NULL, &m));
    o.keep = 0, o.weights = weights, o.num_weights = ROWS, o.nthread = 3;
    OK(aoso_model_refit(model, &x, &y, &o, &again));
    EXPECT(same(fingerprint_of(m), fingerprint_of(again)) && !same(fingerprint_of(m), fingerprint_of(model)));
    OK(aoso_model_free(m));
    OK(aoso_model_free(again));

    o.keep = 1.5;
    FAILS(AOSO_INVALID_ARGUMENT, "keep is 1.5; allowed: 0 to 1", aoso_model_refit(model, &x, &y, &o, &m));
    o.keep = NAN;
    FAILS(AOSO_INVALID_ARGUMENT, "keep is NaN", aoso_model_refit(model, &x, &y, &o, &m));
    o.keep = 0, o.num_weights = 1;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_weights is 1; allowed: 300", aoso_model_refit(model, &x, &y, &o, &m));
    o.num_weights = ROWS, weights[3] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "weights[3] is -1", aoso_model_refit(model, &x, &y, &o, &m));
    o.weights = NULL, o.num_weights = 0, o.nthread = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "nthread is -1", aoso_model_refit(model, &x, &y, &o, &m));
    o.struct_size = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "options.struct_size is 3", aoso_model_refit(model, &x, &y, &o, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "y.count is 150; allowed: 300", aoso_model_refit(model, &x, &half_y, NULL, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_refit(model, &x, NULL, NULL, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_refit(model, NULL, &y, NULL, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_refit(model, &x, &y, NULL, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_refit(NULL, &x, &y, NULL, &m));
    int32_t unknown[ROWS];
    memcpy(unknown, classes, sizeof unknown);
    unknown[7] = 99;
    y = aoso_int32_labels(unknown, ROWS);
    FAILS(AOSO_INVALID_ARGUMENT, "1 rows of unknown classes", aoso_model_refit(model, &x, &y, NULL, &m));
}

// Evaluates probabilities.
static aoso_evaluation counted(const double *p, const int32_t *y, const double *weights) {
    aoso_evaluation e = {0, 0, 0};
    double all = 0, known = 0;
    for (int i = 0; i < ROWS; i++) {
        int best = 0;
        const double w = weights ? weights[i] : 1;
        for (int k = 1; k < CLASSES; k++)
            if (p[i * CLASSES + k] > p[i * CLASSES + best]) best = k;
        all += w;
        if (y[i] != best) e.errors++, e.error_rate += w;
        if (y[i] < CLASSES) known += w, e.log_loss -= w * log(p[i * CLASSES + y[i]]);
    }
    e.error_rate /= all;
    e.log_loss /= known;
    return e;
}

static int near(aoso_evaluation a, aoso_evaluation b) {
    return a.errors == b.errors && fabs(a.error_rate - b.error_rate) < 1e-12 && fabs(a.log_loss - b.log_loss) < 1e-9;
}

// The pairs are the entries off the diagonal of the confusion matrix.
static void confusions(void) {
    int32_t y[ROWS], predicted[ROWS];
    int64_t matrix[CLASSES][CLASSES] = {{0}}, rows[CLASSES] = {0}, count, total = 0, errors = 0;
    memcpy(y, classes, sizeof y);
    y[5] = 77; // a class that the model does not have
    aoso_matrix x = data();
    aoso_labels labels = aoso_int32_labels(y, ROWS);
    aoso_predict_options o = {.struct_size = sizeof o, .trees = 1};
    OK(aoso_model_predict(model, &x, &o, predicted, ROWS));
    for (int i = 0; i < ROWS; i++) {
        if (i == 5) continue;
        matrix[y[i]][predicted[i]]++, rows[y[i]]++;
        errors += y[i] != predicted[i];
    }
    aoso_confusion all[CLASSES * CLASSES], one;
    OK(aoso_model_confusions(model, &x, &labels, &o, all, CLASSES * CLASSES, &count));
    for (int i = 0; i < count; i++) {
        const int32_t a = all[i].classes[0], b = all[i].classes[1];
        EXPECT(a < b && all[i].mistaken[0] == matrix[a][b] && all[i].mistaken[1] == matrix[b][a]);
        EXPECT(all[i].rows[0] == rows[a] && all[i].rows[1] == rows[b]);
        EXPECT(i == 0 || all[i].mistaken[0] + all[i].mistaken[1] <= all[i - 1].mistaken[0] + all[i - 1].mistaken[1]);
        total += all[i].mistaken[0] + all[i].mistaken[1];
    }
    EXPECT(count > 1 && total == errors);
    OK(aoso_model_confusions(model, &x, &labels, &o, &one, 1, &count));
    EXPECT(count == 1 && memcmp(&one, all, sizeof one) == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "length is 0", aoso_model_confusions(model, &x, &labels, &o, &one, 0, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_confusions(model, &x, &labels, &o, NULL, 1, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "is null", aoso_model_confusions(model, &x, &labels, &o, &one, 1, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_confusions(model, &x, NULL, &o, &one, 1, &count));
}

static void evaluate(void) {
    static double p[ROWS * CLASSES], weights[ROWS];
    int32_t y[ROWS];
    memcpy(y, classes, sizeof y);
    aoso_matrix x = data();
    aoso_labels labels = aoso_int32_labels(y, ROWS);
    aoso_evaluation e;
    OK(aoso_model_predict_proba(model, &x, NULL, p, ROWS * CLASSES));
    OK(aoso_model_evaluate(model, &x, &labels, NULL, 0, NULL, &e));
    EXPECT(e.errors > 0 && near(e, counted(p, y, NULL)));
    y[5] = y[6] = 77; // a class that the model does not have
    for (int i = 0; i < ROWS; i++) weights[i] = i % 4;
    OK(aoso_model_evaluate(model, &x, &labels, weights, ROWS, NULL, &e));
    EXPECT(near(e, counted(p, y, weights)));
    aoso_predict_options o = {.struct_size = sizeof o, .trees = 3, .nthread = 2};
    OK(aoso_model_predict_proba(model, &x, &o, p, ROWS * CLASSES));
    OK(aoso_model_evaluate(model, &x, &labels, NULL, 0, &o, &e));
    EXPECT(near(e, counted(p, y, NULL)));

    const aoso_evaluation before = e;
    FAILS(AOSO_INVALID_ARGUMENT, "num_weights is 2; allowed: 300", aoso_model_evaluate(model, &x, &labels, weights, 2, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "num_weights is 2; allowed: 0, because weights is null", aoso_model_evaluate(model, &x, &labels, NULL, 2, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_evaluate(model, &x, NULL, NULL, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_evaluate(model, NULL, &labels, NULL, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_evaluate(model, &x, &labels, NULL, 0, NULL, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_evaluate(NULL, &x, &labels, NULL, 0, NULL, &e));
    labels.count--;
    FAILS(AOSO_INVALID_ARGUMENT, "y.count is 299", aoso_model_evaluate(model, &x, &labels, NULL, 0, NULL, &e));
    EXPECT(memcmp(&before, &e, sizeof e) == 0);
}

// raw scores give the same bits as the rows they belong to.
static void evaluate_raw(const aoso_model *m) {
    static double scores[ROWS * CLASSES], p[ROWS * CLASSES], weights[ROWS];
    const int64_t length = ROWS * CLASSES;
    int32_t y[ROWS];
    memcpy(y, classes, sizeof y);
    y[7] = 77; // a class that the model does not have
    for (int i = 0; i < ROWS; i++) weights[i] = i % 3;
    aoso_matrix x = data();
    aoso_labels labels = aoso_int32_labels(y, ROWS);
    aoso_evaluation e, wanted;
    OK(aoso_model_predict_raw(m, &x, NULL, scores, length));
    OK(aoso_model_evaluate(m, &x, &labels, weights, ROWS, NULL, &wanted));
    OK(aoso_model_evaluate_raw(m, scores, length, &labels, weights, ROWS, &e));
    EXPECT(memcmp(&e, &wanted, sizeof e) == 0);
    OK(aoso_model_evaluate(m, &x, &labels, NULL, 0, NULL, &wanted));
    OK(aoso_model_evaluate_raw(m, scores, length, &labels, NULL, 0, &e));
    EXPECT(e.errors > 0 && memcmp(&e, &wanted, sizeof e) == 0);

    FAILS(AOSO_INVALID_ARGUMENT, "length is 899; allowed: rows × classes, a multiple of 3", aoso_model_evaluate_raw(m, scores, length - 1, &labels, NULL, 0, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "y.count is 300; allowed: 299", aoso_model_evaluate_raw(m, scores, length - CLASSES, &labels, NULL, 0, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "num_weights is 2; allowed: 300", aoso_model_evaluate_raw(m, scores, length, &labels, weights, 2, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "raw is null", aoso_model_evaluate_raw(m, NULL, length, &labels, NULL, 0, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_evaluate_raw(m, scores, length, NULL, NULL, 0, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_evaluate_raw(m, scores, length, &labels, NULL, 0, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_evaluate_raw(NULL, scores, length, &labels, NULL, 0, &e));
    weights[4] = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "weights[4] is -1", aoso_model_evaluate_raw(m, scores, length, &labels, weights, ROWS, &e));
    EXPECT(memcmp(&e, &wanted, sizeof e) == 0);

    for (int64_t n = -1; n < 2; n++)
        FAILS(AOSO_INVALID_ARGUMENT, "length is ", aoso_model_raw_to_proba(m, scores, n ? n : INT64_MAX));
    FAILS(AOSO_INVALID_ARGUMENT, "raw is null", aoso_model_raw_to_proba(m, NULL, length));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_raw_to_proba(NULL, scores, length));
    OK(aoso_model_raw_to_proba(m, NULL, 0));
    const double last = scores[length - 1];
    scores[length - 1] = NAN;
    FAILS(AOSO_INVALID_ARGUMENT, "raw[899] is NaN; allowed: finite numbers", aoso_model_raw_to_proba(m, scores, length));
    FAILS(AOSO_INVALID_ARGUMENT, "raw[899] is NaN; allowed: finite numbers", aoso_model_evaluate_raw(m, scores, length, &labels, NULL, 0, &e));
    scores[length - 1] = last; // the others have not changed
    OK(aoso_model_raw_to_proba(m, scores, length));
    OK(aoso_model_predict_proba(m, &x, NULL, p, length));
    EXPECT(memcmp(scores, p, sizeof p) == 0);
}

static void calibrate(void) {
    // Some labels are wrong, so the model is overconfident.
    int32_t y[ROWS], before[ROWS], after[ROWS];
    for (int i = 0; i < ROWS; i++) y[i] = i % 3 == 0 ? (classes[i] + 1) % CLASSES : classes[i];
    static double p[ROWS * CLASSES], weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = 1;
    aoso_matrix x = data();
    aoso_labels labels = aoso_int32_labels(y, ROWS);
    aoso_calibration c = {.struct_size = sizeof c};
    aoso_evaluation e;
    aoso_model *m, *again;
    OK(aoso_model_calibrate(model, &x, &labels, NULL, 0, NULL, &m, &c));
    EXPECT(c.temperature > 1 && c.after < c.before && c.struct_size == sizeof c);
    EXPECT(info_of(m).temperature == c.temperature && info_of(model).temperature == 1);
    OK(aoso_model_evaluate(model, &x, &labels, NULL, 0, NULL, &e));
    EXPECT(fabs(e.log_loss - c.before) < 1e-12);
    OK(aoso_model_evaluate(m, &x, &labels, NULL, 0, NULL, &e));
    EXPECT(fabs(e.log_loss - c.after) < 1e-12);
    OK(aoso_model_predict_proba(m, &x, NULL, p, ROWS * CLASSES));
    EXPECT(near(e, counted(p, y, NULL)));
    evaluate_raw(m);
    raw_of(model, 0, raw);
    raw_of(m, 0, theirs);
    EXPECT(memcmp(raw, theirs, sizeof raw) == 0);
    OK(aoso_model_predict(model, &x, NULL, before, ROWS));
    OK(aoso_model_predict(m, &x, NULL, after, ROWS));
    EXPECT(memcmp(before, after, sizeof before) == 0);
    OK(aoso_model_calibrate(m, &x, &labels, weights, ROWS, NULL, &again, NULL)); // replaces the temperature
    EXPECT(fabs(info_of(again).temperature - c.temperature) < 1e-9);
    OK(aoso_model_free(again));
    OK(aoso_model_truncate(m, 30, &again));
    EXPECT(info_of(again).temperature == 1);
    OK(aoso_model_free(again));

    // A program compiled with an older header has a shorter struct.
    aoso_model_info old = {.struct_size = offsetof(aoso_model_info, temperature), .temperature = -5};
    OK(aoso_model_get_info(m, &old));
    EXPECT(old.trees == 30 && old.temperature == -5);
    OK(aoso_model_free(m));

    c.struct_size = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "calibration.struct_size is 0", aoso_model_calibrate(model, &x, &labels, NULL, 0, NULL, &m, &c));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_calibrate(model, &x, &labels, NULL, 0, NULL, NULL, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_calibrate(model, &x, NULL, NULL, 0, NULL, &m, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "num_weights is 7", aoso_model_calibrate(model, &x, &labels, weights, 7, NULL, &m, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_calibrate(NULL, &x, &labels, NULL, 0, NULL, &m, NULL));
    for (int i = 0; i < ROWS; i++) y[i] = 9;
    FAILS(AOSO_INVALID_ARGUMENT, "300 rows of unknown classes", aoso_model_calibrate(model, &x, &labels, NULL, 0, NULL, &m, NULL));
}

int main(void) {
    make_data();
    dataset = make_dataset();
    model = train_on(dataset, "preset=paper n_estimators=30 max_leaves=7 trim=0");
    label_type();
    truncate();
    merge();
    refit();
    confusions();
    evaluate();
    evaluate_raw(model);
    calibrate();
    OK(aoso_model_free(model));
    OK(aoso_dataset_free(dataset));
    return finish("derive");
}
