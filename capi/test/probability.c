// Prediction sets, decisions under costs and the reliability of probabilities.
#include "check.h"

static aoso_model *model, *with_scores;
static aoso_matrix x;
static aoso_labels y;
static double p[ROWS * CLASSES];

static int64_t conformal_rows(const aoso_model *m) {
    aoso_model_info i = {.struct_size = sizeof i};
    OK(aoso_model_get_info(m, &i));
    return i.conformal_rows;
}

static void sets(void) {
    static uint8_t in[ROWS * CLASSES], non_empty[ROWS * CLASSES];
    const int64_t length = ROWS * CLASSES;
    EXPECT(conformal_rows(model) == 0 && conformal_rows(with_scores) == ROWS);
    aoso_set_options o = {.struct_size = sizeof o, .alpha = 0.2};
    for (o.method = AOSO_SET_LAC; o.method <= AOSO_SET_RAPS; o.method++)
        for (o.class_conditional = 0; o.class_conditional < 2; o.class_conditional++) {
            o.non_empty = 0;
            memset(in, 7, sizeof in);
            OK(aoso_model_predict_set(with_scores, &x, &o, NULL, in, length));
            o.non_empty = 1;
            OK(aoso_model_predict_set(with_scores, &x, &o, NULL, non_empty, length));
            int hits = 0;
            for (int i = 0; i < ROWS; i++) {
                int best = 0, size = 0;
                for (int k = 0; k < CLASSES; k++) {
                    EXPECT(in[i * CLASSES + k] <= 1);
                    size += in[i * CLASSES + k];
                    if (p[i * CLASSES + k] > p[i * CLASSES + best]) best = k;
                }
                hits += in[i * CLASSES + classes[i]];
                for (int k = 0; k < CLASSES; k++)
                    EXPECT(non_empty[i * CLASSES + k] == (size == 0 ? k == best : in[i * CLASSES + k]));
            }
            // The sets are for the rows that the scores are from. Only raps leaves some out.
            EXPECT(hits >= (o.method == AOSO_SET_RAPS ? 0.7 : 0.8) * ROWS && hits <= 0.9 * ROWS);
        }

    o = (aoso_set_options){.struct_size = sizeof o, .alpha = 0.2};
    FAILS(AOSO_INVALID_ARGUMENT, "without conformity scores", aoso_model_predict_set(model, &x, &o, NULL, in, length));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 7", aoso_model_predict_set(with_scores, &x, &o, NULL, in, 7));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_predict_set(with_scores, &x, &o, NULL, NULL, length));
    FAILS(AOSO_INVALID_ARGUMENT, "sets is null", aoso_model_predict_set(with_scores, &x, NULL, NULL, in, length));
    o.method = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "method is 3; allowed: 0 to 2", aoso_model_predict_set(with_scores, &x, &o, NULL, in, length));
    o.method = 0;
    o.alpha = 1;
    FAILS(AOSO_INVALID_ARGUMENT, "alpha is 1; allowed: above 0 and below 1", aoso_model_predict_set(with_scores, &x, &o, NULL, in, length));
    o.struct_size = 4;
    FAILS(AOSO_INVALID_ARGUMENT, "sets.struct_size is 4", aoso_model_predict_set(with_scores, &x, &o, NULL, in, length));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_predict_set(NULL, &x, &o, NULL, in, length));
}

static void conformalize(void) {
    double weights[ROWS];
    for (int i = 0; i < ROWS; i++) weights[i] = i < 100;
    aoso_model *m, *shorter;
    OK(aoso_model_conformalize(model, &x, &y, weights, ROWS, NULL, &m));
    EXPECT(conformal_rows(m) == 100);
    OK(aoso_model_truncate(m, 3, &shorter));
    EXPECT(conformal_rows(shorter) == 0);
    OK(aoso_model_free(shorter));
    OK(aoso_model_free(m));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_conformalize(model, &x, NULL, NULL, 0, NULL, &m));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_conformalize(model, &x, &y, NULL, 0, NULL, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "num_weights is 7", aoso_model_conformalize(model, &x, &y, weights, 7, NULL, &m));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_conformalize(NULL, &x, &y, NULL, 0, NULL, &m));
}

static void decide(void) {
    enum { DECISIONS = 4 }; // the last one is to abstain, which costs as much as the mean error
    double ask = 1;
    for (int i = 0; i < ROWS; i++) ask -= fmax(p[i * CLASSES], fmax(p[i * CLASSES + 1], p[i * CLASSES + 2])) / ROWS;
    const double costs[CLASSES * DECISIONS] = {0, 1, 1, ask, 1, 0, 1, ask, 1, 1, 0, ask};
    int32_t decisions[ROWS], same[ROWS];
    double expected[ROWS];
    OK(aoso_model_decide(model, &x, costs, CLASSES * DECISIONS, NULL, decisions, expected, ROWS));
    OK(aoso_model_decide(model, &x, costs, CLASSES * DECISIONS, NULL, same, NULL, ROWS));
    EXPECT(memcmp(decisions, same, sizeof same) == 0);
    int seen[DECISIONS] = {0};
    for (int i = 0; i < ROWS; i++) {
        seen[decisions[i]]++;
        for (int d = 0; d < DECISIONS; d++) {
            double mean = 0;
            for (int k = 0; k < CLASSES; k++) mean += p[i * CLASSES + k] * costs[k * DECISIONS + d];
            EXPECT(d == decisions[i] ? fabs(mean - expected[i]) < 1e-12 : mean >= expected[i] - 1e-12);
        }
    }
    EXPECT(seen[0] && seen[2] && seen[3]); // class 1 lies between the others
    FAILS(AOSO_INVALID_ARGUMENT, "5 numbers", aoso_model_decide(model, &x, costs, 5, NULL, decisions, NULL, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "num_costs is -1", aoso_model_decide(model, &x, costs, -1, NULL, decisions, NULL, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "costs is null", aoso_model_decide(model, &x, NULL, 3, NULL, decisions, NULL, ROWS));
    FAILS(AOSO_INVALID_ARGUMENT, "length is 7", aoso_model_decide(model, &x, costs, 12, NULL, decisions, NULL, 7));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_decide(model, &x, costs, 12, NULL, NULL, expected, ROWS));
    const double bad[] = {0, 1, NAN};
    FAILS(AOSO_INVALID_ARGUMENT, "costs[2][0] is NaN", aoso_model_decide(model, &x, bad, 3, NULL, decisions, NULL, ROWS));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_decide(NULL, &x, costs, 12, NULL, decisions, NULL, ROWS));
}

static void reliability(void) {
    aoso_reliability r = {.struct_size = sizeof r};
    OK(aoso_model_reliability(model, &x, &y, NULL, 0, NULL, &r));
    double brier = 0, ece = 0;
    int64_t rows = 0;
    for (int i = 0; i < ROWS * CLASSES; i++) {
        const double d = p[i] - (i % CLASSES == classes[i / CLASSES]);
        brier += d * d / ROWS;
    }
    for (int b = 0; b < r.num_bins; b++) {
        rows += r.bins[b].rows;
        ece += r.bins[b].share * fabs(r.bins[b].confidence - r.bins[b].accuracy);
        EXPECT(b == 0 || r.bins[b].confidence > r.bins[b - 1].confidence);
    }
    EXPECT(r.num_bins > 5 && r.num_bins <= AOSO_RELIABILITY_BINS && rows == ROWS && fabs(r.brier - brier) < 1e-12 && fabs(r.ece - ece) < 1e-12);

    aoso_reliability old = {.struct_size = offsetof(aoso_reliability, bins), .bins = {{.rows = -5}}}; // without the bins
    OK(aoso_model_reliability(model, &x, &y, NULL, 0, NULL, &old));
    EXPECT(old.brier == r.brier && old.bins[0].rows == -5);
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_reliability(model, &x, &y, NULL, 0, NULL, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "y is null", aoso_model_reliability(model, &x, NULL, NULL, 0, NULL, &r));
    r.struct_size = 3;
    FAILS(AOSO_INVALID_ARGUMENT, "out.struct_size is 3", aoso_model_reliability(model, &x, &y, NULL, 0, NULL, &r));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_reliability(NULL, &x, &y, NULL, 0, NULL, &r));
}

int main(void) {
    make_data();
    x = data();
    y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d = make_dataset();
    model = train_on(d, "preset=paper n_estimators=30 max_leaves=4");
    OK(aoso_model_conformalize(model, &x, &y, NULL, 0, NULL, &with_scores));
    OK(aoso_model_predict_proba(model, &x, NULL, p, ROWS * CLASSES));
    sets();
    conformalize();
    decide();
    reliability();
    OK(aoso_model_free(model));
    OK(aoso_model_free(with_scores));
    OK(aoso_dataset_free(d));
    return finish("probability");
}
