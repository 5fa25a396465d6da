// The search for parameters: step by step, in one run, interrupted, and from its
// table.
#include "check.h"

static aoso_dataset *train;

static int32_t count(const aoso_tune_progress *p, void *user) {
    int64_t *steps = user;
    EXPECT(p->struct_size == sizeof *p && (p->phase == AOSO_PHASE_SEARCH || p->phase == AOSO_PHASE_TRAIN));
    EXPECT((p->trial > 0) == (p->phase == AOSO_PHASE_SEARCH) && p->trials >= 1 && p->iteration >= 0);
    return --*steps == 0;
}

static char *text_of(aoso_status (*get)(aoso_tuner *, char *, size_t, size_t *), aoso_tuner *t) {
    size_t needed;
    OK(get(t, NULL, 0, &needed));
    char *text = malloc(needed);
    OK(get(t, text, needed, &needed));
    EXPECT(strlen(text) + 1 == needed);
    return text;
}

static int lines_of(const char *text) {
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static void whole(const char *folder) {
    char table[4096];
    snprintf(table, sizeof table, "%s/trials.csv", folder);
    aoso_params p = parse("nthread=2 calibration=holdout n_estimators=20");
    int64_t steps = -1;
    aoso_tune_options o = {.struct_size = sizeof o, .trials = 3, .table = table, .callback = count, .user = &steps};
    aoso_result r = {.struct_size = sizeof r};
    aoso_tuner *t;
    aoso_model *m, *again, *half;
    OK(aoso_tuner_create(train, &p, &o, &t));
    OK(aoso_tuner_interrupt(t));
    OK(aoso_tuner_run(t, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && r.iterations == 0);
    for (int i = 0; i < 30; i++) OK(aoso_tuner_step(t, NULL));
    OK(aoso_tuner_model(t, &half, &r));
    EXPECT(r.phase == AOSO_PHASE_SEARCH && r.held_out_rows == ROWS / 5 && r.stopped_by == AOSO_RUNNING);
    OK(aoso_tuner_run(t, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_TREES && r.phase == AOSO_PHASE_TRAIN && r.iterations == 20);
    OK(aoso_tuner_model(t, &m, NULL));
    char *found = text_of(aoso_tuner_params, t), *trials = text_of(aoso_tuner_trials, t);
    EXPECT(strstr(found, "n_estimators=20") && strstr(trials, "trial,rung,") == trials && lines_of(trials) >= 6);
    p = parse(found);
    OK(aoso_params_check(&p));
    FAILS(AOSO_BUFFER_TOO_SMALL, "size is 1", aoso_tuner_params(t, found, 1, NULL));
    OK(aoso_tuner_free(t));

    // The table is that of the search.
    p = parse("nthread=1 calibration=holdout n_estimators=20");
    OK(aoso_tuner_create(train, &p, &o, &t));
    OK(aoso_tuner_run(t, NULL));
    OK(aoso_tuner_model(t, &again, NULL));
    EXPECT(same(fingerprint_of(m), fingerprint_of(again)));
    OK(aoso_tuner_free(t));
    p.seed = 5;
    FAILS(AOSO_INVALID_ARGUMENT, "table is", aoso_tuner_create(train, &p, &o, &t));
    o.table = folder;
    FAILS(AOSO_IO, "directory", aoso_tuner_create(train, &p, &o, &t));
    free(found);
    free(trials);
    OK(aoso_model_free(m));
    OK(aoso_model_free(again));
    OK(aoso_model_free(half));
}

static void stopped(void) {
    aoso_params p = parse("calibration=holdout nthread=1");
    int64_t steps = 40;
    aoso_tune_options o = {.struct_size = sizeof o, .trials = 4, .callback = count, .user = &steps};
    aoso_result r = {.struct_size = sizeof r};
    aoso_tune_progress now = {.struct_size = sizeof now};
    aoso_dataset *valid;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    OK(aoso_dataset_create_aligned(train, &x, &y, NULL, &valid));
    o.valid = valid;
    aoso_tuner *t;
    OK(aoso_tuner_create(train, &p, &o, &t));
    OK(aoso_dataset_free(valid)); // the tuner still uses it
    OK(aoso_tuner_run(t, &r));
    EXPECT(r.stopped_by == AOSO_STOPPED_BY_INTERRUPT && steps == 0);
    OK(aoso_tuner_step(t, &now));
    EXPECT(now.phase == AOSO_PHASE_SEARCH && now.trials >= 1 && now.stopped_by == AOSO_RUNNING);
    OK(aoso_tuner_free(t));
    FAILS(AOSO_INVALID_HANDLE, "tuner is 0x", aoso_tuner_step(t, &now));
}

static void errors(void) {
    aoso_params p = parse("preset=paper");
    aoso_tune_options o = {.struct_size = sizeof o};
    aoso_tuner *t;
    FAILS(AOSO_INVALID_ARGUMENT, "preset is \"paper\"; allowed: auto or fast", aoso_tuner_create(train, &p, &o, &t));
    p = parse("");
    o.trials = -1;
    FAILS(AOSO_INVALID_ARGUMENT, "trials is -1", aoso_tuner_create(train, &p, &o, &t));
    FAILS(AOSO_INVALID_HANDLE, "train is null", aoso_tuner_create(NULL, &p, NULL, &t));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_tuner_create(train, &p, NULL, NULL));
    o.trials = 0;
    o.struct_size = 4;
    FAILS(AOSO_INVALID_ARGUMENT, "options.struct_size is 4", aoso_tuner_create(train, &p, &o, &t));
    FAILS(AOSO_INVALID_HANDLE, "tuner is a dataset", aoso_tuner_run((aoso_tuner *)train, NULL));
}

int main(int argc, char **argv) {
    make_data();
    train = make_dataset();
    whole(argc > 1 ? argv[1] : ".");
    stopped();
    errors();
    OK(aoso_dataset_free(train));
    return finish("tune");
}
