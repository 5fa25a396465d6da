// Parameters, training in one call and iteration by iteration, interrupts.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

static aoso_dataset *train;

static void params(void) {
    aoso_params p = parse("");
    EXPECT(p.struct_size == sizeof p && p.method == AOSO_METHOD_AOSO && p.leaf == AOSO_LEAF_DEFAULT && p.pairs == 0 &&
           p.pair_selection == AOSO_SELECT_SECOND_ORDER && p.base_class == AOSO_BASE_WORST && p.base_gap == 1 &&
           p.metric == AOSO_METRIC_LOGLOSS && p.n_estimators == 0 && p.max_leaves == 0 && p.max_depth == 0 && p.min_samples_leaf == 0 &&
           p.early_stopping_rounds == 0 && p.learning_rate == 0 && p.min_child_weight == 0 && p.gamma == 0 && p.reg_lambda == -1 &&
           p.max_delta_step == 0 && p.subsample == 0 && p.colsample_bytree == 1 && p.colsample_bynode == 0 && p.trim == 0.1 &&
           p.stop_loss == 1e-16 && p.seed == 0 && p.nthread == 0 && p.level == NULL && p.preset == AOSO_PRESET_AUTO &&
           p.calibration == AOSO_CALIBRATION_AUTO);
    p.n_estimators = 77;
    OK(aoso_params_parse(&p, "method=abc, leaf=pair\npair_selection=root base_class=exhaustive,base_gap=5"
                             " metric=error max_leaves=9 learning_rate=0.25 max_depth=3 min_samples_leaf=4 min_child_weight=0.5 gamma=1e-3"
                             " reg_lambda=2 max_delta_step=4 subsample=0.5 colsample_bytree=.75 colsample_bynode=0.875 trim=0"
                             " stop_loss=1e-9 early_stopping_rounds=8 nthread=2 seed=18446744073709551615 level=generic"
                             " preset=paper calibration=folds"));
    EXPECT(p.method == AOSO_METHOD_ABC && p.leaf == AOSO_LEAF_PAIR && p.pair_selection == AOSO_SELECT_ROOT &&
           p.base_class == AOSO_BASE_EXHAUSTIVE && p.base_gap == 5 && p.metric == AOSO_METRIC_ERROR && p.max_leaves == 9 &&
           p.learning_rate == 0.25 && p.max_depth == 3 && p.min_samples_leaf == 4 && p.min_child_weight == 0.5 && p.gamma == 1e-3 &&
           p.reg_lambda == 2 && p.max_delta_step == 4 && p.subsample == 0.5 && p.colsample_bytree == 0.75 &&
           p.colsample_bynode == 0.875 && p.trim == 0 && p.stop_loss == 1e-9 && p.early_stopping_rounds == 8 &&
           p.nthread == 2 && p.seed == UINT64_MAX && strcmp(p.level, "generic") == 0 && p.preset == AOSO_PRESET_PAPER &&
           p.calibration == AOSO_CALIBRATION_FOLDS);
    EXPECT(p.n_estimators == 77); // parameters that are not named stay the same
    OK(aoso_params_parse(&p, "learning_rate=auto reg_lambda=auto"));
    EXPECT(p.learning_rate == 0 && p.reg_lambda == -1);
    OK(aoso_params_parse(&p, "threads=2 num_threads=3")); // aliases
    EXPECT(p.nthread == 3);
    OK(aoso_params_check(&p));
    OK(aoso_params_check(NULL));
    EXPECT(p.monotone_constraints == NULL && p.interaction_constraints == NULL);
    OK(aoso_params_parse(&p, "monotone_constraints=(1, 0, {\"a b\":-1}) n_estimators=5, interaction_constraints=((0,1),[2])"));
    EXPECT(strcmp(p.monotone_constraints, "[1,0,{\"a b\":-1}]") == 0 && strcmp(p.interaction_constraints, "[[0,1],[2]]") == 0);
    OK(aoso_params_parse(&p, "monotone_constraints=[2]"));
    FAILS(AOSO_INVALID_ARGUMENT, "monotone_constraints is a sign of 2; allowed: -1, 0 or 1", aoso_params_check(&p));
    OK(aoso_params_parse(&p, "monotone_constraints=auto interaction_constraints=auto n_estimators=77"));
    EXPECT(p.monotone_constraints == NULL && p.interaction_constraints == NULL);
    aoso_params before = p;
    FAILS(AOSO_INVALID_ARGUMENT, "leafs", aoso_params_parse(&p, "n_estimators=5 leafs=7"));
    FAILS(AOSO_INVALID_ARGUMENT, "n_estimators is \"many\"", aoso_params_parse(&p, "max_leaves=5 n_estimators=many"));
    FAILS(AOSO_INVALID_ARGUMENT, "method is \"magic\"; allowed: aoso, abc or logitboost", aoso_params_parse(&p, "max_leaves=5 method=magic"));
    FAILS(AOSO_INVALID_ARGUMENT, "pairs is 5000000000", aoso_params_parse(&p, "pairs=5000000000"));
    FAILS(AOSO_INVALID_ARGUMENT, "level is \"mmx\"", aoso_params_parse(&p, "level=mmx"));
    FAILS(AOSO_INVALID_ARGUMENT, "\"n_estimators\"", aoso_params_parse(&p, "n_estimators"));
    FAILS(AOSO_INVALID_ARGUMENT, "UTF-8", aoso_params_parse(&p, "\xfe"));
    FAILS(AOSO_INVALID_ARGUMENT, "text is null", aoso_params_parse(&p, NULL));
    EXPECT(memcmp(&before, &p, sizeof p) == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "params is null", aoso_params_parse(NULL, ""));
    FAILS(AOSO_INVALID_ARGUMENT, "params is null", aoso_params_init(NULL, sizeof p));
    FAILS(AOSO_INVALID_ARGUMENT, "params.struct_size is 0", aoso_params_init(&p, 0));
    FAILS(AOSO_INVALID_ARGUMENT, "params.struct_size is 9", aoso_params_init(&p, 9));

    aoso_model *m, *const untouched = (aoso_model *)&p;
    m = untouched;
#define BAD(field, value, text)                                                       \
    p = parse("");                                                                    \
    p.field = value;                                                                  \
    FAILS(AOSO_INVALID_ARGUMENT, text, aoso_params_check(&p));                        \
    FAILS(AOSO_INVALID_ARGUMENT, text, aoso_train(train, &p, NULL, &m, NULL));
    BAD(struct_size, 7, "params.struct_size is 7")
    BAD(method, 3, "method is 3; allowed: 0 to 2")
    BAD(method, -1, "method is -1")
    BAD(leaf, 4, "leaf is 4")
    BAD(pairs, 3, "pairs is 3; allowed: 1, 2, 4 or 8")
    BAD(pair_selection, 9, "pair_selection is 9")
    BAD(base_class, 2, "base_class is 2")
    BAD(base_gap, 0, "base_gap is 0")
    BAD(metric, 99, "metric is 99")
    BAD(n_estimators, -1, "n_estimators is -1; allowed: at least 1")
    BAD(max_leaves, 1, "max_leaves is 1")
    BAD(max_leaves, INT64_MAX, "max_leaves is 9223372036854775807")
    BAD(max_depth, -1, "max_depth is -1")
    BAD(min_samples_leaf, -1, "min_samples_leaf is -1")
    BAD(early_stopping_rounds, -1, "early_stopping_rounds is -1")
    BAD(learning_rate, -0.1, "learning_rate is -0.1")
    BAD(learning_rate, NAN, "learning_rate is NaN")
    BAD(min_child_weight, -1, "min_child_weight is -1")
    BAD(gamma, INFINITY, "gamma is +Inf")
    BAD(reg_lambda, -2, "reg_lambda is -2")
    BAD(max_delta_step, 21, "max_delta_step is 21")
    BAD(subsample, -1, "subsample is -1")
    BAD(colsample_bytree, 1.5, "colsample_bytree is 1.5")
    BAD(colsample_bynode, -0.5, "colsample_bynode is -0.5")
    BAD(trim, 1, "trim is 1")
    BAD(stop_loss, -1, "stop_loss is -1")
    BAD(nthread, -1, "nthread is -1")
    BAD(nthread, INT64_MAX, "nthread is 9223372036854775807; allowed: 0 to 4096")
    BAD(level, "mmx", "level is \"mmx\"")
    BAD(preset, 99, "preset is 99; allowed: 0 to 3")
    BAD(calibration, -1, "calibration is -1; allowed: 0 to 3")
#undef BAD
    EXPECT(m == untouched);
}

static void suggest(void) {
    char text[200];
    size_t needed;
    OK(aoso_suggest_params(1000000, 30, 10, NULL, 0, &needed));
    OK(aoso_suggest_params(1000000, 30, 10, text, needed, NULL));
    EXPECT(strlen(text) + 1 == needed && needed > 1);
    aoso_params p = parse(text);
    OK(aoso_params_check(&p));
    EXPECT(p.n_estimators > 0 && p.max_leaves > 20 && p.learning_rate > 0 && p.reg_lambda >= 0 && p.subsample < 1);
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 1", aoso_suggest_params(1000000, 30, 10, text, 1, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "rows is 0; allowed: 1 to", aoso_suggest_params(0, 30, 10, text, sizeof text, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "features is -1", aoso_suggest_params(1, -1, 10, text, sizeof text, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 16777217", aoso_suggest_params(1, 1, 16777217, text, sizeof text, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "buffer is null", aoso_suggest_params(1, 1, 1, NULL, 0, NULL));
}

static void estimate(void) {
    aoso_memory e = {.struct_size = sizeof e};
    OK(aoso_estimate_memory(16000, 16, 26, 4000, 0, NULL, &e));
    EXPECT(e.total > 1 << 20 && e.total < 1 << 28);
    EXPECT(e.total == e.matrix + e.sparse + e.residuals + e.rows + e.histograms + e.quantizing + e.trees + e.runtime);
    FAILS(AOSO_INVALID_ARGUMENT, "rows is 0", aoso_estimate_memory(0, 16, 26, 0, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "rows is 9223372036854775807", aoso_estimate_memory(INT64_MAX, 16, 26, 0, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "features is -1", aoso_estimate_memory(1, -1, 26, 0, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "features is 2147483647", aoso_estimate_memory(UINT32_MAX, INT32_MAX, 26, 0, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "classes is 16777217", aoso_estimate_memory(1, 1, 16777217, 0, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "valid_rows is -1", aoso_estimate_memory(1, 1, 2, -1, 0, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "max_bin is 256", aoso_estimate_memory(1, 1, 2, 0, 256, NULL, &e));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_estimate_memory(1, 1, 2, 0, 0, NULL, NULL));
    aoso_params p = parse("max_leaves=65536 nthread=4096");
    OK(aoso_estimate_memory(UINT32_MAX, 60000, 65534, UINT32_MAX, 255, &p, &e));
    EXPECT(e.total > (int64_t)1 << 45);
    p.n_estimators = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "n_estimators is -1", aoso_estimate_memory(1, 1, 2, 0, 0, &p, &e));

    // Labels that are measurements give as many classes as rows.
    enum { MANY = 60000 };
    static float x[MANY];
    static int32_t y[MANY];
    for (int i = 0; i < MANY; i++) x[i] = (float)(i % 100), y[i] = i;
    aoso_matrix m = aoso_row_major(x, AOSO_FLOAT32, MANY, 1);
    aoso_labels labels = aoso_int32_labels(y, MANY);
    aoso_dataset *d;
    aoso_model *none;
    OK(aoso_dataset_create(&m, &labels, NULL, &d));
    p = parse("method=abc base_class=exhaustive n_estimators=100000");
    FAILS(AOSO_OUT_OF_MEMORY, "GB; the machine has", aoso_train(d, &p, NULL, &none, NULL));
    OK(aoso_dataset_free(d));
}

// The calls of a progress callback.
typedef struct seen {
    pthread_t thread;
    int calls, stop_after, elsewhere;
    int64_t iterations, trees;
    double loss;
    const aoso_model *model; // used in the callback
} seen;

static int32_t callback(const aoso_progress *p, void *user) {
    seen *s = user;
    s->calls++;
    s->elsewhere += !pthread_equal(s->thread, pthread_self());
    EXPECT(p->struct_size == sizeof *p && p->iteration == s->iterations + 1);
    if (p->evaluated) EXPECT(s->loss == 0 || p->train_loss < s->loss);
    s->iterations = p->iteration;
    s->trees = p->trees;
    if (p->evaluated) s->loss = p->train_loss;
    EXPECT((p->stopped_by == AOSO_STOPPED_BY_TREES) == (p->iteration == 12));
    if (s->model) {
        int32_t predicted[ROWS];
        aoso_matrix x = data();
        OK(aoso_model_predict(s->model, &x, NULL, predicted, ROWS));
    }
    return s->stop_after == s->calls;
}

static void in_one_call(void) {
    aoso_model *m, *five;
    aoso_result r = {.struct_size = sizeof r};
    for (int threads = 1; threads <= 3; threads++) {
        aoso_params p = parse("preset=paper n_estimators=12 max_leaves=5");
        p.nthread = threads;
        seen s = {.thread = pthread_self()};
        aoso_train_options o = {.struct_size = sizeof o, .callback = callback, .user = &s};
        OK(aoso_train(train, &p, &o, &m, &r));
        EXPECT(s.calls == 12 && s.elsewhere == 0 && s.trees == 12);
        EXPECT(r.stopped_by == AOSO_STOPPED_BY_TREES && r.iterations == 12 && r.best_iteration == 12 && !r.has_valid &&
               r.train_loss == s.loss && r.threads == threads && r.seconds > 0);
        s = (seen){.thread = pthread_self(), .stop_after = 5, .model = m};
        o.eval_every = 2;
        OK(aoso_train(train, &p, &o, &five, &r));
        EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.iterations == 5 && s.calls == 5);
        aoso_dataset *d;
        aoso_matrix x = data();
        aoso_labels y = aoso_int32_labels(classes, ROWS);
        aoso_dataset_options od = {.struct_size = sizeof od, .init = five};
        int32_t more[ROWS]; // with a class that the model does not know
        memcpy(more, classes, sizeof more);
        more[3] = 77;
        y = aoso_int32_labels(more, ROWS);
        OK(aoso_dataset_create(&x, &y, &od, &d));
        aoso_model *wider;
        p.n_estimators = 1;
        OK(aoso_train(d, &p, NULL, &wider, NULL));
        aoso_model_info wide = {.struct_size = sizeof wide}, narrow = {.struct_size = sizeof narrow};
        OK(aoso_model_get_info(wider, &wide));
        OK(aoso_model_get_info(five, &narrow));
        EXPECT(wide.classes == narrow.classes + 1 && wide.trees == narrow.trees + 2);
        OK(aoso_model_free(wider));
        OK(aoso_dataset_free(d));
        y = aoso_int32_labels(classes, ROWS);
        OK(aoso_dataset_create(&x, &y, &od, &d));
        OK(aoso_model_free(five)); // the dataset still uses it
        p.n_estimators = 7;
        OK(aoso_train(d, &p, NULL, &five, NULL));
        aoso_model_info info = {.struct_size = sizeof info};
        OK(aoso_model_get_info(five, &info));
        EXPECT(info.trees == 12);
        OK(aoso_dataset_free(d));
        OK(aoso_model_free(m));
        OK(aoso_model_free(five));
    }
    aoso_params p = parse("");
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_train(train, &p, NULL, NULL, NULL));
    FAILS(AOSO_INVALID_HANDLE, "train is null; allowed: a dataset", aoso_train(NULL, &p, NULL, &m, NULL));
    r.struct_size = 1;
    FAILS(AOSO_INVALID_ARGUMENT, "result.struct_size is 1", aoso_train(train, &p, NULL, &m, &r));
    aoso_train_options o = {.struct_size = sizeof o, .eval_every = -1};
    FAILS(AOSO_INVALID_ARGUMENT, "eval_every is -1", aoso_train(train, &p, &o, &m, NULL));
    o = (aoso_train_options){.struct_size = sizeof o, .valid = (const aoso_dataset *)3};
    FAILS(AOSO_INVALID_HANDLE, "options.valid is 0x3", aoso_train(train, &p, &o, &m, NULL));
    p.early_stopping_rounds = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "early_stopping_rounds is 3; allowed: 0 without a validation set", aoso_train(train, &p, NULL, &m, NULL));

    // A small number is valid as the user pointer.
    o = (aoso_train_options){.struct_size = sizeof o, .user = (void *)1};
    p = parse("n_estimators=1");
    OK(aoso_train(train, &p, &o, &m, NULL));
    OK(aoso_model_free(m));
}

// The iterations of each phase, as a callback sees them.
typedef struct phases {
    int64_t holdout, train;
    int64_t wrong; // rows held out, at the last evaluation
} phases;

static int32_t count_phases(const aoso_progress *p, void *user) {
    phases *s = user;
    if (p->phase == AOSO_PHASE_HOLDOUT) {
        EXPECT(p->iteration == ++s->holdout && s->train == 0 && p->has_valid == p->evaluated && p->stopped_by == AOSO_RUNNING);
        if (p->has_valid)
            s->wrong = p->valid.errors;
    } else {
        EXPECT(p->phase == AOSO_PHASE_TRAIN && p->iteration == ++s->train);
    }
    return 0;
}

// Trains on 300 rows and returns the temperature. Sets the outcome, and the number
// of trees.
static double train_phases(const char *text, const aoso_dataset *valid, phases *s, aoso_result *r, int64_t *trees) {
    aoso_params p = parse(text);
    aoso_train_options o = {.struct_size = sizeof o, .valid = valid, .callback = count_phases, .user = s};
    aoso_model_info info = {.struct_size = sizeof info};
    aoso_model *m;
    *s = (phases){0};
    *r = (aoso_result){.struct_size = sizeof *r};
    OK(aoso_train(train, &p, &o, &m, r));
    OK(aoso_model_get_info(m, &info));
    EXPECT(r->iterations == s->train && r->phase == AOSO_PHASE_TRAIN && (r->held_out_rows > 0) == (s->holdout > 0) && r->has_valid == (valid != NULL));
    if (valid) {
        aoso_matrix x = data();
        aoso_labels y = aoso_int32_labels(classes, ROWS);
        aoso_evaluation e;
        OK(aoso_model_evaluate(m, &x, &y, NULL, 0, NULL, &e));
        EXPECT(e.errors == r->valid.errors && fabs(e.log_loss - r->valid.log_loss) < 1e-9);
    }
    *trees = info.trees;
    OK(aoso_model_free(m));
    return info.temperature;
}

// By default the first phase chooses the number of trees and the temperature.
static void two_phases(void) {
    phases s;
    aoso_result r;
    int64_t trees;
    double t = train_phases("", NULL, &s, &r, &trees);
    EXPECT(s.holdout > 0 && trees == s.train && trees <= 6 * 580 && t != 1 && r.stopped_by == AOSO_STOPPED_BY_TREES);
    EXPECT(r.held_out_rows == ROWS && r.held_out.errors > 0 && r.held_out.error_rate == (double)r.held_out.errors / ROWS &&
           r.held_out.log_loss > 0 && r.held_out.log_loss < log(CLASSES));

    t = train_phases("n_estimators=9 calibration=holdout", NULL, &s, &r, &trees);
    EXPECT(s.holdout >= 9 && s.train == 9 && trees == 9 && t != 1 && r.held_out_rows == ROWS / 5);
    t = train_phases("preset=paper n_estimators=9 calibration=folds", NULL, &s, &r, &trees);
    EXPECT(s.holdout == 9 && s.train == 9 && t != 1 && r.held_out_rows == ROWS && r.held_out.errors == s.wrong);

    // One phase only.
    t = train_phases("n_estimators=9 calibration=none", NULL, &s, &r, &trees);
    EXPECT(s.holdout == 0 && trees == 9 && t == 1 && r.held_out_rows == 0 && r.held_out.log_loss == 0);
    t = train_phases("preset=paper n_estimators=9", NULL, &s, &r, &trees);
    EXPECT(s.holdout == 0 && trees == 9 && t == 1);
    aoso_dataset *valid;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &valid));
    t = train_phases("n_estimators=9", valid, &s, &r, &trees);
    EXPECT(s.holdout == 0 && trees == 9 && t != 1);
    OK(aoso_dataset_free(valid));
}

// A training is given up in either phase. Another goes on from its checkpoint.
static void checkpoints(const char *folder) {
    char path[500];
    snprintf(path, sizeof path, "%s/checkpoint", folder);
    aoso_params p = parse("n_estimators=9");
    aoso_train_options o = {.struct_size = sizeof o, .checkpoint = path, .checkpoint_seconds = 1e-9};
    aoso_model *whole, *m;
    OK(aoso_train(train, &p, NULL, &whole, NULL));
    remove(path);
    for (int steps = 3; steps < 20; steps += 10) {
        aoso_trainer *b;
        OK(aoso_trainer_create(train, &p, &o, &b));
        for (int i = 0; i < steps; i++) OK(aoso_trainer_step(b, NULL));
        OK(aoso_trainer_free(b));
    }
    OK(aoso_train(train, &p, &o, &m, NULL));
    EXPECT(same(fingerprint_of(m), fingerprint_of(whole)));
    OK(aoso_model_free(m));
    OK(aoso_model_free(whole));

    p = parse("n_estimators=8");
    FAILS(AOSO_INVALID_ARGUMENT, "other parameters", aoso_train(train, &p, &o, &m, NULL));
    o.checkpoint_seconds = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "options.checkpoint_seconds is -1", aoso_train(train, &p, &o, &m, NULL));
    remove(path);
}

// A trainer is interrupted in the first phase, and resumed.
static void interrupted_holdout(void) {
    aoso_params p = parse("n_estimators=9");
    aoso_progress now = {.struct_size = sizeof now};
    aoso_result r = {.struct_size = sizeof r};
    aoso_model_info info = {.struct_size = sizeof info};
    aoso_model *whole, *m;
    aoso_trainer *b;
    OK(aoso_train(train, &p, NULL, &whole, NULL));
    OK(aoso_trainer_create(train, &p, NULL, &b));
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.phase == AOSO_PHASE_HOLDOUT && now.iteration == 0 && now.max_trees == 9 && !now.evaluated && now.stopped_by == AOSO_STOPPED_BY_INTERRUPT);
    for (int i = 1; i <= 5; i++) {
        OK(aoso_trainer_step(b, &now));
        EXPECT(now.phase == AOSO_PHASE_HOLDOUT && now.iteration == i && now.trees == i && now.has_valid && now.valid.errors < ROWS);
    }
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.phase == AOSO_PHASE_HOLDOUT && r.iterations == 5 && r.held_out_rows == ROWS);
    OK(aoso_trainer_model(b, &m, NULL));
    OK(aoso_model_get_info(m, &info));
    EXPECT(info.trees == 5 && info.temperature != 1);
    OK(aoso_model_free(m));

    OK(aoso_trainer_local_model(b, &m));
    OK(aoso_model_get_info(m, &info));
    EXPECT(info.trees == 5 && info.temperature != 1);
    OK(aoso_model_free(m));

    // The step after the last of the first phase is the first of the second.
    do OK(aoso_trainer_step(b, &now));
    while (now.phase == AOSO_PHASE_HOLDOUT);
    EXPECT(now.iteration == 1 && now.trees == 1 && now.max_trees == 9 && !now.has_valid);
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_TREES && r.phase == AOSO_PHASE_TRAIN && r.iterations == 9 && r.held_out_rows == ROWS);
    OK(aoso_trainer_model(b, &m, NULL));
    EXPECT(same(fingerprint_of(m), fingerprint_of(whole)));
    OK(aoso_model_free(m));
    OK(aoso_model_free(whole));
    OK(aoso_trainer_free(b));
}

// Each row is held out once, and the least likely labels come first.
static void suspicious_rows(void) {
    aoso_params p = parse("n_estimators=9");
    aoso_trainer *b;
    aoso_suspicious_row rows[ROWS + 1];
    int64_t count = 9;
    int seen[ROWS] = {0}, suspected = 0;
    OK(aoso_trainer_create(train, &p, NULL, &b));
    FAILS(AOSO_INVALID_ARGUMENT, "without held-out rows", aoso_trainer_suspicious_rows(b, rows, 2, &count));
    OK(aoso_trainer_run(b, NULL));
    OK(aoso_trainer_suspicious_rows(b, rows, 2, &count));
    EXPECT(count == 2);
    OK(aoso_trainer_suspicious_rows(b, rows, ROWS + 1, &count));
    EXPECT(count == ROWS);
    for (int i = 0; i < ROWS; i++) {
        const aoso_suspicious_row *r = &rows[i];
        EXPECT(r->label == classes[r->row] && r->other != r->label && r->probability + r->other_probability < 1 + 1e-9);
        EXPECT(i == 0 || r->probability >= rows[i - 1].probability);
        EXPECT(!r->suspected || r->other_probability > r->probability);
        seen[r->row]++;
        suspected += r->suspected;
    }
    EXPECT(suspected > 0 && suspected < ROWS / 3);
    for (int i = 0; i < ROWS; i++) EXPECT(seen[i] == 1);
    FAILS(AOSO_INVALID_ARGUMENT, "length is 0", aoso_trainer_suspicious_rows(b, rows, 0, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_trainer_suspicious_rows(b, NULL, 1, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "is null", aoso_trainer_suspicious_rows(b, rows, 1, NULL));

    /* Several trainers: the geometric mean of their probabilities. */
    aoso_suspicious_row again[ROWS], together[ROWS];
    aoso_trainer *other;
    double means[ROWS];
    p.seed = 1;
    OK(aoso_trainer_create(train, &p, NULL, &other));
    FAILS(AOSO_INVALID_ARGUMENT, "others[0] is \"of other data, or without held-out rows", aoso_trainer_suspicious_rows_with(b, &other, 1, rows, 2, &count));
    OK(aoso_trainer_run(other, NULL));
    OK(aoso_trainer_suspicious_rows(other, again, ROWS, &count));
    OK(aoso_trainer_suspicious_rows_with(b, &other, 1, together, ROWS, &count));
    EXPECT(count == ROWS);
    for (int i = 0; i < ROWS; i++) means[rows[i].row] = sqrt(rows[i].probability);
    for (int i = 0; i < ROWS; i++) means[again[i].row] *= sqrt(again[i].probability);
    for (int i = 0; i < ROWS; i++) {
        EXPECT(fabs(together[i].probability / means[together[i].row] - 1) < 1e-9);
        EXPECT(i == 0 || together[i].probability >= together[i - 1].probability);
    }
    OK(aoso_trainer_suspicious_rows_with(b, NULL, 0, together, ROWS, &count));
    EXPECT(count == ROWS && memcmp(together, rows, sizeof together) == 0);
    FAILS(AOSO_INVALID_ARGUMENT, "num_others is -1", aoso_trainer_suspicious_rows_with(b, &other, -1, rows, 1, &count));
    FAILS(AOSO_INVALID_ARGUMENT, "others is null", aoso_trainer_suspicious_rows_with(b, NULL, 2, rows, 1, &count));
    OK(aoso_trainer_free(other));
    FAILS(AOSO_INVALID_HANDLE, "others[0] is", aoso_trainer_suspicious_rows_with(b, &other, 1, rows, 1, &count));
    OK(aoso_trainer_free(b));
}

// Programs that were compiled before training had phases have smaller structs.
static void older_program(void) {
    aoso_params p = parse("n_estimators=9"), old = p;
    aoso_result r = {.struct_size = offsetof(aoso_result, held_out_rows), .held_out_rows = 77};
    aoso_model *m, *other;
    old.struct_size = offsetof(aoso_params, preset);
    old.preset = 99;
    OK(aoso_train(train, &p, NULL, &m, NULL));
    OK(aoso_train(train, &old, NULL, &other, &r));
    EXPECT(same(fingerprint_of(m), fingerprint_of(other)) && r.iterations == 9 && r.held_out_rows == 77);
    OK(aoso_model_free(m));
    OK(aoso_model_free(other));
}

static void early_stopping(void) {
    aoso_dataset *valid, *other = make_dataset();
    int32_t wrong[ROWS];
    for (int i = 0; i < ROWS; i++) wrong[i] = (i / 2) % CLASSES;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(wrong, ROWS);
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &valid));
    aoso_params p = parse("preset=paper n_estimators=100 early_stopping_rounds=3");
    aoso_train_options o = {.struct_size = sizeof o, .valid = valid};
    aoso_result r = {.struct_size = sizeof r};
    aoso_model *m;
    OK(aoso_train(train, &p, &o, &m, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_EARLY_STOPPING && r.iterations == r.best_iteration + 3 && r.has_valid &&
           r.valid.log_loss > 0.5 && r.valid.errors > 0 && r.valid.error_rate == (double)r.valid.errors / ROWS);
    aoso_model_info info = {.struct_size = sizeof info};
    OK(aoso_model_get_info(m, &info));
    EXPECT(info.trees == r.best_iteration);
    OK(aoso_model_free(m));
    y = aoso_int32_labels(wrong, ROWS);
    x.cols--;
    OK(aoso_dataset_create(&x, &y, NULL, &other));
    o.valid = other;
    FAILS(AOSO_INVALID_ARGUMENT, "valid", aoso_train(train, &p, &o, &m, &r));
    OK(aoso_dataset_free(other));
    OK(aoso_dataset_free(valid));
    FAILS(AOSO_INVALID_HANDLE, "options.valid is 0x", ((void)(o.valid = valid), aoso_train(train, &p, &o, &m, &r)));
}

static void by_steps(void) {
    aoso_params p = parse("preset=paper n_estimators=12 max_leaves=5 early_stopping_rounds=50");
    aoso_dataset *d = make_dataset(), *valid;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create_aligned(d, &x, &y, NULL, &valid));
    aoso_model *whole, *m, *later;
    aoso_train_options o = {.struct_size = sizeof o, .valid = valid};
    aoso_result r = {.struct_size = sizeof r};
    OK(aoso_train(d, &p, &o, &whole, NULL));

    aoso_trainer *b;
    OK(aoso_trainer_create(d, &p, &o, &b));
    OK(aoso_dataset_free(d)); // the trainer still uses the datasets
    OK(aoso_dataset_free(valid));
    aoso_progress now = {.struct_size = sizeof now};
    for (int i = 1; i <= 5; i++) {
        OK(aoso_trainer_step(b, &now));
        EXPECT(now.iteration == i && now.trees == i && now.stopped_by == AOSO_RUNNING && now.evaluated && now.has_valid &&
               now.best == i && now.valid.errors < ROWS);
    }
    OK(aoso_trainer_model(b, &m, &r));
    fingerprint five = fingerprint_of(m);
    EXPECT(r.iterations == 5 && r.stopped_by == AOSO_RUNNING);
    OK(aoso_trainer_step(b, NULL));

    // An interrupt stops one step or one run.
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_INTERRUPT && now.iteration == 6);
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.stopped_by == AOSO_RUNNING && now.iteration == 7);
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.iterations == 7);
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_TREES && r.iterations == 12);
    OK(aoso_trainer_run(b, NULL));
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_TREES && now.iteration == 12);
    OK(aoso_trainer_model(b, &later, NULL));
    EXPECT(same(fingerprint_of(later), fingerprint_of(whole)));
    EXPECT(same(fingerprint_of(m), five));
    now.struct_size = 4;
    FAILS(AOSO_INVALID_ARGUMENT, "progress.struct_size is 4", aoso_trainer_step(b, &now));
    r.struct_size = 4;
    FAILS(AOSO_INVALID_ARGUMENT, "result.struct_size is 4", aoso_trainer_run(b, &r));
    FAILS(AOSO_INVALID_ARGUMENT, "result.struct_size is 4", aoso_trainer_model(b, &later, &r));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_trainer_model(b, NULL, NULL));
    OK(aoso_trainer_free(b));
    OK(aoso_trainer_free(NULL));
    FAILS(AOSO_INVALID_HANDLE, "trainer is 0x", aoso_trainer_free(b));
    FAILS(AOSO_INVALID_HANDLE, "trainer is 0x", aoso_trainer_step(b, NULL));
    FAILS(AOSO_INVALID_HANDLE, "trainer is 0x", aoso_trainer_run(b, NULL));
    FAILS(AOSO_INVALID_HANDLE, "trainer is 0x", aoso_trainer_interrupt(b));
    FAILS(AOSO_INVALID_HANDLE, "trainer is a model", aoso_trainer_model((aoso_trainer *)m, &later, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_trainer_create(train, &p, NULL, NULL));
    FAILS(AOSO_INVALID_HANDLE, "train is null", aoso_trainer_create(NULL, &p, NULL, &b));
    p.n_estimators = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "n_estimators is -1", aoso_trainer_create(train, &p, NULL, &b));
    OK(aoso_model_free(whole));
    OK(aoso_model_free(m));
    OK(aoso_model_free(later));
}

// A callback ends a run. The next run continues.
static void stopped_runs(void) {
    aoso_params p = parse("preset=paper n_estimators=12 max_leaves=5");
    seen s = {.thread = pthread_self(), .stop_after = 4};
    aoso_train_options o = {.struct_size = sizeof o, .callback = callback, .user = &s};
    aoso_result r = {.struct_size = sizeof r};
    aoso_trainer *b;
    OK(aoso_trainer_create(train, &p, &o, &b));
    OK(aoso_trainer_step(b, NULL));
    EXPECT(s.calls == 1);
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.iterations == 4 && s.calls == 4);
    s.stop_after = 5;
    aoso_progress now = {.struct_size = sizeof now};
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_INTERRUPT && now.iteration == 5);
    OK(aoso_trainer_run(b, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_TREES && r.iterations == 12 && s.calls == 12);
    OK(aoso_trainer_step(b, &now));
    EXPECT(now.stopped_by == AOSO_STOPPED_BY_TREES && now.iteration == 12 && s.calls == 12);
    OK(aoso_trainer_free(b));
}

// While a run is in a callback, the trainer is busy for other threads.
typedef struct busy {
    aoso_trainer *trainer;
    int in_callback, tried;
} busy;

static int32_t hold(const aoso_progress *p, void *user) {
    busy *s = user;
    (void)p;
    FAILS(AOSO_BUSY, "trainer is in use", aoso_trainer_step(s->trainer, NULL));
    FAILS(AOSO_BUSY, "trainer is in use", aoso_trainer_free(s->trainer));
    COUNT(s->in_callback);
    while (!READ(s->tried)) nanosleep(&(struct timespec){0, 100000}, NULL);
    return 0;
}

static void *run(void *user) {
    busy *s = user;
    aoso_result r = {.struct_size = sizeof r};
    OK(aoso_trainer_run(s->trainer, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.iterations < 1000000);
    return NULL;
}

static void two_threads(void) {
    busy s = {0};
    aoso_params p = parse("preset=paper n_estimators=1000000 max_leaves=5 stop_loss=0");
    aoso_train_options o = {.struct_size = sizeof o, .callback = hold, .user = &s};
    OK(aoso_trainer_create(train, &p, &o, &s.trainer));
    pthread_t thread;
    pthread_create(&thread, NULL, run, &s);
    while (!READ(s.in_callback)) nanosleep(&(struct timespec){0, 100000}, NULL);
    aoso_model *m;
    FAILS(AOSO_BUSY, "trainer is in use by another call; allowed: one thread at a time", aoso_trainer_step(s.trainer, NULL));
    FAILS(AOSO_BUSY, "trainer is in use", aoso_trainer_run(s.trainer, NULL));
    FAILS(AOSO_BUSY, "trainer is in use", aoso_trainer_model(s.trainer, &m, NULL));
    FAILS(AOSO_BUSY, "trainer is in use", aoso_trainer_free(s.trainer));
    COUNT(s.tried);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    OK(aoso_trainer_interrupt(s.trainer));
    pthread_join(thread, NULL);
    OK(aoso_trainer_model(s.trainer, &m, NULL));
    OK(aoso_trainer_free(s.trainer));
    OK(aoso_model_free(m));
}

// The log function is called on the calling thread.
static int infos, warnings, foreign;
static pthread_t self;

static void note(int32_t level, const char *message, void *user) {
    if (user != (void *)5 || !strlen(message) || !pthread_equal(self, pthread_self())) foreign++;
    if (level == AOSO_LOG_INFO) infos++;
    if (level == AOSO_LOG_WARNING) warnings++;
}

// A checkpoint that cannot be written, for a folder has its name, is worth a warning: the
// training goes on, and says so once.
static void unwritable_checkpoint(const char *folder) {
    char path[500];
    snprintf(path, sizeof path, "%s/unwritable", folder);
    self = pthread_self();
    for (int threads = 1; threads <= 2; threads++) {
        warnings = 0;
        remove(path);
        aoso_params p = parse(threads == 1 ? "n_estimators=9 nthread=1" : "n_estimators=9 nthread=2");
        aoso_train_options o = {.struct_size = sizeof o, .checkpoint = path, .checkpoint_seconds = 1e-9};
        aoso_trainer *b;
        aoso_model *m, *whole;
        OK(aoso_train(train, &p, NULL, &whole, NULL));
        OK(aoso_set_log(note, (void *)5));
        OK(aoso_trainer_create(train, &p, &o, &b));
        EXPECT(mkdir(path, 0700) == 0);
        OK(aoso_trainer_run(b, NULL));
        EXPECT(warnings == 1 && foreign == 0);
        char reason[600];
        OK(aoso_trainer_checkpoint_error(b, reason, sizeof reason, NULL));
        EXPECT(strstr(reason, "unwritable"));
        OK(aoso_set_log(NULL, NULL));
        OK(aoso_trainer_model(b, &m, NULL));
        OK(aoso_trainer_free(b));
        EXPECT(same(fingerprint_of(m), fingerprint_of(whole)));
        OK(aoso_model_free(m));
        OK(aoso_model_free(whole));
        remove(path);
    }
    warnings = 0;
}

static void logging(void) {
    self = pthread_self();
    infos = 0;
    OK(aoso_set_log(note, (void *)5));
    aoso_dataset *d = make_dataset(), *v;
    OK(aoso_model_free(train_on(d, "n_estimators=2")));
    EXPECT(infos >= 2 && warnings == 0 && foreign == 0);
    int32_t nines[] = {9, 9, 0};
    aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, 3, COLS);
    aoso_labels y = aoso_int32_labels(nines, 3);
    OK(aoso_dataset_create_aligned(d, &x, &y, NULL, &v));
    EXPECT(warnings == 1 && foreign == 0);
    OK(aoso_set_log(NULL, NULL));
    int before = infos;
    OK(aoso_model_free(train_on(d, "n_estimators=2")));
    EXPECT(infos == before);
    OK(aoso_dataset_free(v));
    x.rows = y.count = 2;
    EXPECT(aoso_dataset_create_aligned(d, &x, &y, NULL, &v) == AOSO_INVALID_ARGUMENT);
    EXPECT(strstr(aoso_last_error(), "2 rows of unknown classes (such as 9)"));
    OK(aoso_dataset_free(d));
}

int main(int argc, char **argv) {
    EXPECT(strcmp(aoso_last_error(), "") == 0);
    make_data();
    train = make_dataset();
    params();
    suggest();
    estimate();
    in_one_call();
    two_phases();
    interrupted_holdout();
    suspicious_rows();
    checkpoints(argc > 1 ? argv[1] : ".");
    unwritable_checkpoint(argc > 1 ? argv[1] : ".");
    older_program();
    early_stopping();
    by_steps();
    stopped_runs();
    two_threads();
    logging();
    OK(aoso_dataset_free(train));
    return finish("train");
}
