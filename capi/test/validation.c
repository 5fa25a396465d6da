// Several validation sets, metrics, a metric and a loss of the program's own, and a learning rate that changes.
#include "check.h"

static aoso_dataset *train, *noisy, *clean;
static int32_t wrong[ROWS];

static void make_sets(void) {
    make_data();
    train = make_dataset();
    for (int i = 0; i < ROWS; i++) wrong[i] = i % 4 ? classes[i] : (i / 4) % CLASSES;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(wrong, ROWS);
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &noisy));
    y = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &clean));
}

static void rows(void) {
    int32_t labels[ROWS];
    double weights[ROWS];
    OK(aoso_dataset_labels(noisy, labels, ROWS));
    OK(aoso_dataset_weights(noisy, weights, ROWS));
    for (int i = 0; i < ROWS; i++) EXPECT(labels[i] == wrong[i] && weights[i] == 1);
    FAILS(AOSO_INVALID_ARGUMENT, "length is 3; allowed: 300", aoso_dataset_labels(noisy, labels, 3));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_dataset_weights(noisy, NULL, ROWS));
}

static aoso_params paper(const char *text) {
    aoso_params p = {0};
    OK(aoso_params_init(&p, sizeof p));
    OK(aoso_params_parse(&p, "preset=paper n_estimators=60 max_leaves=5 learning_rate=0.3"));
    OK(aoso_params_parse(&p, text));
    return p;
}

static int evaluations;

static int32_t compare(const aoso_progress *p, void *user) {
    EXPECT(user == &evaluations && p->num_others == 2);
    const aoso_evaluation *other = &p->others[1]; // the set that decides, once more
    EXPECT(other->log_loss == p->valid.log_loss && other->errors == p->valid.errors && p->others[0].errors < other->errors);
    evaluations++;
    return 0;
}

static void in_one_call(void) {
    const aoso_dataset *others[2] = {train, noisy};
    aoso_train_options o = {.struct_size = sizeof o, .valid = noisy, .callback = compare, .user = &evaluations};
    o.others = others;
    o.num_others = 2;
    aoso_params p = paper("early_stopping_rounds=4");
    aoso_model *m;
    aoso_result r = {.struct_size = sizeof r};
    OK(aoso_train(train, &p, &o, &m, &r));
    EXPECT(evaluations == r.iterations && r.stopped_by == AOSO_STOPPED_BY_EARLY_STOPPING);
    OK(aoso_model_free(m));
    o.others = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "options.others is null", aoso_train(train, &p, &o, &m, &r));
    o.others = others;
    others[1] = NULL;
    FAILS(AOSO_INVALID_HANDLE, "options.others[1] is null", aoso_train(train, &p, &o, &m, &r));
    o.num_others = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_others is -1", aoso_train(train, &p, &o, &m, &r));
    p = paper("early_stopping_rounds=4 metric=custom");
    o.num_others = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "metric is \"custom\"", aoso_train(train, &p, &o, &m, &r));
}

// The program's own count of errors stops a training where the library's does.
static void own_metric(void) {
    aoso_train_options o = {.struct_size = sizeof o, .valid = noisy};
    aoso_params p = paper("early_stopping_rounds=4 metric=error");
    aoso_model *want, *got;
    aoso_result r = {.struct_size = sizeof r}, mine = r;
    OK(aoso_train(train, &p, &o, &want, &r));
    p.metric = AOSO_METRIC_CUSTOM;
    const aoso_dataset *others[1] = {clean};
    o.others = others;
    o.num_others = 1;
    aoso_trainer *t;
    OK(aoso_trainer_create(train, &p, &o, &t));
    aoso_progress now = {.struct_size = sizeof now};
    double scores[ROWS * CLASSES], value, on_same[ROWS * CLASSES];
    while (now.stopped_by == AOSO_RUNNING) {
        OK(aoso_trainer_step(t, &now));
        OK(aoso_trainer_scores(t, 0, scores, ROWS * CLASSES));
        OK(aoso_trainer_scores(t, 1, on_same, ROWS * CLASSES));
        EXPECT(memcmp(scores, on_same, sizeof scores) == 0);
        int errors = 0;
        for (int i = 0; i < ROWS; i++) {
            int best = 0;
            for (int k = 1; k < CLASSES; k++)
                if (scores[i * CLASSES + k] > scores[i * CLASSES + best]) best = k;
            errors += best != wrong[i];
        }
        OK(aoso_trainer_measure(t, 0, "error", &value));
        EXPECT(errors == now.valid.errors && value == now.valid.error_rate);
        OK(aoso_trainer_judge(t, (double)errors, &now));
    }
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_EARLY_STOPPING);
    OK(aoso_trainer_model(t, &got, &mine));
    EXPECT(mine.best_iteration == r.best_iteration && mine.iterations == r.iterations && mine.valid.errors == r.valid.errors);
    char a[64], b[64];
    size_t n;
    OK(aoso_model_fingerprint(want, a, sizeof a, &n));
    OK(aoso_model_fingerprint(got, b, sizeof b, &n));
    EXPECT(strcmp(a, b) == 0);

    FAILS(AOSO_INVALID_ARGUMENT, "set is 2", aoso_trainer_scores(t, 2, scores, ROWS * CLASSES));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 7; allowed: 900", aoso_trainer_scores(t, 0, scores, 7));
    FAILS(AOSO_INVALID_ARGUMENT, "metric is \"auc\"; allowed: logloss, error, top_k_error", aoso_trainer_measure(t, 0, "auc", &value));
    FAILS(AOSO_INVALID_ARGUMENT, "metric is null", aoso_trainer_measure(t, 0, NULL, &value));
    OK(aoso_trainer_free(t));
    p.early_stopping_rounds = 0;
    OK(aoso_trainer_create(train, &p, &o, &t));
    FAILS(AOSO_INVALID_ARGUMENT, "custom, with early_stopping_rounds above 0", aoso_trainer_judge(t, 1, NULL));
    OK(aoso_trainer_free(t));

    aoso_labels y = aoso_int32_labels(wrong, ROWS);
    OK(aoso_model_measure_raw(got, scores, ROWS * CLASSES, &y, NULL, 0, "auc_ovo", &value));
    EXPECT(value > 0.5 && value < 1);
    OK(aoso_model_measure_raw(got, scores, ROWS * CLASSES, &y, NULL, 0, "error@3", &value));
    EXPECT(value == 0);
    char names[2000];
    OK(aoso_metrics(names, sizeof names, &n));
    EXPECT(strstr(names, "{\"name\":\"kappa\",\"higher_is_better\":true}"));
    OK(aoso_model_free(want));
    OK(aoso_model_free(got));
}

static int objective_calls;

// Half the squared distance between scores and indicators of the classes.
static int32_t squares(const double *scores, int64_t n, int64_t k, double *gradient, double *hessian, void *user) {
    EXPECT(n == ROWS && k == CLASSES);
    for (int i = 0; i < ROWS * CLASSES; i++) {
        gradient[i] = scores[i] - (classes[i / CLASSES] == i % CLASSES);
        hessian[i] = 1;
    }
    objective_calls++;
    return user && objective_calls > *(int *)user ? 7 : 0;
}

static void own_loss(void) {
    aoso_train_options o = {.struct_size = sizeof o, .valid = clean, .objective = squares};
    aoso_params p = paper("");
    aoso_result r = {.struct_size = sizeof r};
    for (int threads = 1; threads <= 3; threads++) {
        p.nthread = threads;
        objective_calls = 0;
        aoso_model *m;
        OK(aoso_train(train, &p, &o, &m, &r));
        EXPECT(objective_calls == r.iterations + 1 && r.valid.errors < ROWS / 10 && r.valid.log_loss > 0.4);
        OK(aoso_model_free(m));
        int most = 3;
        o.objective_user = &most;
        objective_calls = 0;
        FAILS(AOSO_INVALID_ARGUMENT, "a function that has returned 7", aoso_train(train, &p, &o, &m, &r));
        most = 0;
        objective_calls = 0;
        aoso_trainer *t;
        FAILS(AOSO_INVALID_ARGUMENT, "a function that has returned 7", aoso_trainer_create(train, &p, &o, &t));
        o.objective_user = NULL;
    }
    p = paper("method=logitboost");
    aoso_model *m;
    FAILS(AOSO_INVALID_ARGUMENT, "method is \"logitboost\"; allowed: aoso", aoso_train(train, &p, &o, &m, &r));
}

static void class_weights(void) {
    double weights[CLASSES], sum = 0;
    OK(aoso_dataset_balanced_weights(train, weights, CLASSES));
    for (int i = 0; i < ROWS; i++) sum += weights[classes[i]];
    EXPECT(fabs(sum - ROWS) < 1e-9);
    aoso_train_options o = {.struct_size = sizeof o, .class_weights = weights, .num_class_weights = CLASSES};
    aoso_params p = paper("n_estimators=5");
    aoso_model *by_class, *by_row;
    OK(aoso_train(train, &p, &o, &by_class, NULL));
    double of_rows[ROWS];
    for (int i = 0; i < ROWS; i++) of_rows[i] = weights[classes[i]];
    aoso_dataset_options with = {.struct_size = sizeof with, .weights = of_rows, .num_weights = ROWS};
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *weighted;
    OK(aoso_dataset_create(&x, &y, &with, &weighted));
    OK(aoso_train(weighted, &p, NULL, &by_row, NULL));
    EXPECT(same(fingerprint_of(by_class), fingerprint_of(by_row)));
    OK(aoso_model_free(by_class));
    OK(aoso_model_free(by_row));
    OK(aoso_dataset_free(weighted));
    o.num_class_weights = 2;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_class_weights is 2; allowed: 3", aoso_train(train, &p, &o, &by_class, NULL));
    o.num_class_weights = CLASSES;
    weights[1] = 0;
    FAILS(AOSO_INVALID_ARGUMENT, "class_weights[1] is 0", aoso_train(train, &p, &o, &by_class, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 1; allowed: 3", aoso_dataset_balanced_weights(train, weights, 1));
}

static void groups(void) {
    uint64_t of[ROWS];
    double times[ROWS];
    for (int i = 0; i < ROWS; i++) of[i] = i / 5, times[i] = i;
    aoso_train_options o = {.struct_size = sizeof o, .groups = of, .num_rows = ROWS};
    aoso_params p = paper("preset=auto n_estimators=5 calibration=holdout");
    aoso_result r = {.struct_size = sizeof r};
    aoso_model *m;
    OK(aoso_train(train, &p, &o, &m, &r));
    EXPECT(r.held_out_rows > 0 && r.held_out_rows % 5 == 0);
    OK(aoso_model_free(m));
    o.times = times;
    FAILS(AOSO_INVALID_ARGUMENT, "none with groups", aoso_train(train, &p, &o, &m, NULL));
    o.groups = NULL;
    OK(aoso_train(train, &p, &o, &m, &r));
    EXPECT(r.held_out_rows == ROWS / 5);
    OK(aoso_model_free(m));
    times[3] = NAN;
    FAILS(AOSO_INVALID_ARGUMENT, "times[3] is NaN; allowed: finite numbers", aoso_train(train, &p, &o, &m, NULL));
    o.num_rows = 2;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_rows is 2", aoso_train(train, &p, &o, &m, NULL));
    o.times = NULL;
    FAILS(AOSO_INVALID_ARGUMENT, "options.num_rows is 2", aoso_train(train, &p, &o, &m, NULL));
}

static void learning_rate(void) {
    aoso_params p = paper("");
    aoso_trainer *t;
    OK(aoso_trainer_create(train, &p, NULL, &t));
    OK(aoso_trainer_step(t, NULL));
    OK(aoso_trainer_set_learning_rate(t, 0.05));
    OK(aoso_trainer_step(t, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "learning_rate is -1; allowed: above 0", aoso_trainer_set_learning_rate(t, -1));
    FAILS(AOSO_INVALID_ARGUMENT, "learning_rate is 0; allowed: above 0", aoso_trainer_set_learning_rate(t, 0));
    OK(aoso_trainer_free(t));
}

int main(void) {
    make_sets();
    rows();
    in_one_call();
    own_metric();
    own_loss();
    class_weights();
    groups();
    learning_rate();
    OK(aoso_dataset_free(train));
    OK(aoso_dataset_free(noisy));
    OK(aoso_dataset_free(clean));
    return finish("validation");
}
