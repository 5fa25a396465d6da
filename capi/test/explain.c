// What models tell of their reasons: SHAP values, contributions, importance by
// class pair.
#include "check.h"

enum { COLUMNS = COLS + 1, LINES = ROWS * CLASSES };
static aoso_model *model;
static double shap[LINES * COLUMNS], raw[LINES];

static void dense(void) {
    aoso_matrix x = data();
    aoso_predict_options o = {.struct_size = sizeof o};
    static double again[LINES * COLUMNS];
    for (int trees = 0; trees <= 7; trees += 7) {
        o.trees = trees;
        OK(aoso_model_predict_raw(model, &x, &o, raw, LINES));
        for (o.nthread = 1; o.nthread <= 3; o.nthread++) {
            OK(aoso_model_shap(model, &x, &o, shap, LINES * COLUMNS));
            if (o.nthread == 1) memcpy(again, shap, sizeof shap);
            EXPECT(memcmp(again, shap, sizeof shap) == 0);
        }
        for (int i = 0; i < LINES; i++) {
            double sum = 0;
            for (int j = 0; j < COLUMNS; j++) sum += shap[i * COLUMNS + j];
            EXPECT(fabs(sum - raw[i]) < 1e-9);
            EXPECT(shap[i * COLUMNS + COLS] == shap[i % CLASSES * COLUMNS + COLS]); // the bias
        }
    }
    FAILS(AOSO_INVALID_ARGUMENT, "length is 900; allowed: 6300, rows × classes × (features + 1)",
          aoso_model_shap(model, &x, NULL, shap, LINES));
    FAILS(AOSO_INVALID_ARGUMENT, "length is -1", aoso_model_shap(model, &x, NULL, shap, -1));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_shap(model, &x, NULL, NULL, LINES * COLUMNS));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_shap(model, NULL, NULL, shap, LINES * COLUMNS));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_shap(NULL, &x, NULL, shap, LINES * COLUMNS));
    o.trees = 31;
    FAILS(AOSO_INVALID_ARGUMENT, "trees is 31", aoso_model_shap(model, &x, &o, shap, LINES * COLUMNS));
    aoso_matrix few = aoso_row_major(values, AOSO_FLOAT64, ROWS, COLS - 1);
    FAILS(AOSO_INVALID_ARGUMENT, "5 columns", aoso_model_shap(model, &few, NULL, shap, LINES * COLUMNS));
    // All four billion rows are the same row in memory.
    aoso_matrix many = aoso_dense(values, AOSO_FLOAT64, UINT32_MAX, COLS, 0, 1);
    FAILS(AOSO_OUT_OF_MEMORY, "the SHAP values", aoso_model_shap(model, &many, NULL, shap, LINES * COLUMNS));
    aoso_contributions *c;
    FAILS(AOSO_OUT_OF_MEMORY, "the SHAP values", aoso_model_shap_sparse(model, &many, NULL, 0, &c));
    OK(aoso_model_shap(model, &x, NULL, shap, LINES * COLUMNS));
    OK(aoso_model_predict_raw(model, &x, NULL, raw, LINES));
    x.rows = 0;
    OK(aoso_model_shap(model, &x, NULL, NULL, 0));
}

static void sparse(int top) {
    static int32_t class_of[LINES], columns[LINES * COLUMNS];
    static int64_t indptr[LINES + 1];
    static double stored[LINES * COLUMNS];
    const int per = top ? top : CLASSES;
    aoso_matrix x = data();
    aoso_contributions *c;
    aoso_contributions_info info = {.struct_size = sizeof info};
    OK(aoso_model_shap_sparse(model, &x, NULL, top, &c));
    OK(aoso_contributions_get_info(c, &info));
    EXPECT(info.per_row == per && info.lines == ROWS * per && info.values <= info.lines * COLUMNS);
    memset(class_of, 0xff, sizeof class_of);
    OK(aoso_contributions_read(c, class_of, NULL, info.lines, NULL, NULL, info.values));
    OK(aoso_contributions_read(c, NULL, indptr, info.lines, columns, stored, info.values));
    OK(aoso_contributions_read(c, NULL, NULL, info.lines, NULL, NULL, info.values));
    FAILS(AOSO_INVALID_ARGUMENT, "the number of lines of the matrix",
          aoso_contributions_read(c, class_of, indptr, info.lines - 1, columns, stored, info.values));
    FAILS(AOSO_INVALID_ARGUMENT, "the number of values of the matrix",
          aoso_contributions_read(c, class_of, indptr, info.lines, columns, stored, info.values + 1));
    EXPECT(info.lines == LINES || class_of[info.lines] == -1);
    EXPECT(indptr[0] == 0 && indptr[info.lines] == info.values);
    for (int line = 0; line < info.lines; line++) {
        const int row = line / per, k = class_of[line];
        EXPECT(k >= 0 && k < CLASSES && (top || k == line % per));
        if (top && line % per > 0) EXPECT(raw[row * CLASSES + k] <= raw[row * CLASSES + class_of[line - 1]]);
        double dense_line[COLUMNS] = {0};
        for (int64_t at = indptr[line]; at < indptr[line + 1]; at++) {
            EXPECT(stored[at] != 0 || columns[at] == COLS);
            EXPECT(at == indptr[line] || columns[at] > columns[at - 1]);
            dense_line[columns[at]] = stored[at];
        }
        for (int j = 0; j < COLUMNS; j++) EXPECT(dense_line[j] == shap[(row * CLASSES + k) * COLUMNS + j]);
    }
    OK(aoso_contributions_free(c));
    FAILS(AOSO_INVALID_HANDLE, "contributions is 0x", aoso_contributions_free(c));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_contributions_get_info(c, &info));
    FAILS(AOSO_INVALID_HANDLE, "which was freed", aoso_contributions_read(c, class_of, NULL, 0, NULL, NULL, 0));
}

static void sparse_errors(void) {
    aoso_matrix x = data();
    aoso_contributions *c;
    aoso_contributions_info info = {.struct_size = 4};
    FAILS(AOSO_INVALID_ARGUMENT, "top is 4; allowed: 0 to 3", aoso_model_shap_sparse(model, &x, NULL, CLASSES + 1, &c));
    FAILS(AOSO_INVALID_ARGUMENT, "top is -1", aoso_model_shap_sparse(model, &x, NULL, -1, &c));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null; allowed: a pointer to the variable for the matrix of contributions",
          aoso_model_shap_sparse(model, &x, NULL, 0, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "x is null", aoso_model_shap_sparse(model, NULL, NULL, 0, &c));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_shap_sparse(NULL, &x, NULL, 0, &c));
    OK(aoso_contributions_free(NULL));
    FAILS(AOSO_INVALID_HANDLE, "contributions is a model; allowed: a matrix of contributions",
          aoso_contributions_read((aoso_contributions *)model, NULL, NULL, 0, NULL, NULL, 0));
    x.rows = 0;
    OK(aoso_model_shap_sparse(model, &x, NULL, 0, &c));
    FAILS(AOSO_INVALID_HANDLE, "model is a matrix of contributions", aoso_model_free((aoso_model *)c));
    FAILS(AOSO_INVALID_ARGUMENT, "info.struct_size is 4", aoso_contributions_get_info(c, &info));
    FAILS(AOSO_INVALID_ARGUMENT, "info is null", aoso_contributions_get_info(c, NULL));
    info.struct_size = sizeof info;
    OK(aoso_contributions_get_info(c, &info));
    int64_t first = -1;
    OK(aoso_contributions_read(c, NULL, &first, 0, NULL, NULL, 0));
    EXPECT(info.lines == 0 && info.values == 0 && first == 0);
    OK(aoso_contributions_free(c));
}

static void pairs(void) {
    enum { MOST = COLS * CLASSES * CLASSES };
    aoso_pair_importance all[MOST] = {{0, {0, 0}, 0, 0}};
    int64_t n = 0, needed = 0;
    double gain[COLS], sum[COLS] = {0};
    OK(aoso_model_pair_importance(model, NULL, 0, &n));
    EXPECT(n > 0 && n < MOST);
    OK(aoso_model_pair_importance(model, all, MOST, &needed));
    EXPECT(needed == n && all[n].splits == 0);
    for (int i = 0; i < n; i++) {
        EXPECT(i == 0 || all[i].gain <= all[i - 1].gain);
        EXPECT(all[i].feature >= 0 && all[i].feature < COLS && all[i].splits > 0);
        EXPECT(all[i].classes[0] >= 0 && all[i].classes[0] < all[i].classes[1] && all[i].classes[1] < CLASSES);
        sum[all[i].feature] += all[i].gain;
    }
    OK(aoso_model_importance(model, AOSO_IMPORTANCE_GAIN, gain, COLS));
    for (int j = 0; j < COLS; j++) EXPECT(fabs(sum[j] - gain[j]) <= 1e-9 * gain[j]);
    needed = 0;
    FAILS(AOSO_BUFFER_TOO_SMALL, "length is 1; allowed: at least", aoso_model_pair_importance(model, all, 1, &needed));
    EXPECT(needed == n);
    FAILS(AOSO_INVALID_ARGUMENT, "length is -1", aoso_model_pair_importance(model, all, -1, NULL));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null; allowed: memory of the given length", aoso_model_pair_importance(model, NULL, n, &needed));
    FAILS(AOSO_INVALID_ARGUMENT, "out is null", aoso_model_pair_importance(model, NULL, 0, NULL));
    FAILS(AOSO_INVALID_HANDLE, "model is null", aoso_model_pair_importance(NULL, all, MOST, NULL));

    double cover[COLS], rows = 0;
    OK(aoso_model_importance(model, AOSO_IMPORTANCE_COVER, cover, COLS));
    for (int j = 0; j < COLS; j++) rows += cover[j];
    EXPECT(rows >= 30 * ROWS); // the root of each tree splits all rows
}

int main(void) {
    make_data();
    aoso_dataset *d = make_dataset();
    model = train_on(d, "preset=paper n_estimators=30 max_leaves=7 trim=0");
    OK(aoso_dataset_free(d));
    dense();
    for (int top = 0; top <= CLASSES; top++) sparse(top);
    sparse_errors();
    pairs();
    OK(aoso_model_free(model));
    return finish("explain");
}
