// Runs a program that makes every check for available memory, and makes each of
// the checks fail in turn. The program must then end with AOSO_OUT_OF_MEMORY and
// leave no handle behind. In the end no check fails, and it must succeed.
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "faults.h"

static const char *folder;

// The objects that the program has created. It frees them at the end.
static aoso_dataset *datasets[4];
static aoso_model *models[6];
static aoso_trainer *trainer;
static aoso_builder *builder;
static aoso_predictor *predictor;
static aoso_contributions *contributions;

static int32_t next_stage(int64_t trees, const double *raw, int64_t length, void *user) {
    (void)trees;
    (void)raw;
    (void)length;
    (void)user;
    return 0;
}

static int32_t next_part(const void *bytes, size_t size, void *user) {
    (void)bytes;
    (void)size;
    (void)user;
    return 0;
}

#define TRY(call)                            \
    do {                                     \
        aoso_status status_ = (call);        \
        if (status_ != AOSO_OK) return status_; \
    } while (0)

static aoso_status make(const aoso_matrix *x, const aoso_labels *y) {
    static const char *const names[COLS] = {"a", "b", "c", "d", "e", "f"}, *texts[ROWS];
    for (int i = 0; i < ROWS; i++) texts[i] = classes[i] ? "other" : "one";
    const void *columns[COLS];
    for (int j = 0; j < COLS; j++) columns[j] = values + j * ROWS;
    const aoso_matrix by_columns = aoso_columns(columns, AOSO_FLOAT64, ROWS, COLS);
    const aoso_labels strings = aoso_string_labels(texts, ROWS);
    aoso_dataset_options o = {.struct_size = sizeof o, .feature_names = names, .num_feature_names = COLS};
    aoso_labels coded = *y;
    coded.class_names = names;
    coded.num_class_names = COLS;
    TRY(aoso_dataset_create(x, y, NULL, &datasets[0]));
    TRY(aoso_dataset_create(&by_columns, &strings, &o, &datasets[1]));
    TRY(aoso_dataset_create_aligned(datasets[0], x, y, NULL, &datasets[2]));
    TRY(aoso_dataset_free(datasets[1]));
    datasets[1] = NULL;
    TRY(aoso_builder_create(COLS, &o, &builder));
    TRY(aoso_builder_append(builder, x, &coded, NULL, 0));
    TRY(aoso_builder_append(builder, x, &coded, NULL, 0));
    return aoso_builder_finish(builder, &datasets[1]);
}

static aoso_status train(void) {
    aoso_params p;
    TRY(aoso_params_init(&p, sizeof p));
    TRY(aoso_params_parse(&p, "n_estimators=4 max_leaves=4"));
    aoso_train_options o = {.struct_size = sizeof o, .valid = datasets[2]};
    TRY(aoso_train(datasets[0], &p, &o, &models[0], NULL));
    TRY(aoso_trainer_create(datasets[0], &p, NULL, &trainer));
    TRY(aoso_trainer_step(trainer, NULL));
    TRY(aoso_trainer_run(trainer, NULL));
    return aoso_trainer_model(trainer, &models[1], NULL);
}

static aoso_status derive(const aoso_matrix *x, const aoso_labels *y) {
    static char bytes[1 << 16];
    size_t size;
    TRY(aoso_model_merge((const aoso_model *const *)models, 2, &models[2]));
    TRY(aoso_model_refit(models[0], x, y, NULL, &models[3]));
    TRY(aoso_model_calibrate(models[0], x, y, NULL, 0, NULL, &models[4], NULL));
    TRY(aoso_model_encode(models[0], bytes, sizeof bytes, &size));
    TRY(aoso_model_decode(bytes, size, &models[5]));
    return aoso_model_export(models[0], "json", 0, next_part, NULL);
}

static aoso_status predict(const aoso_matrix *x, const aoso_labels *y) {
    static double out[ROWS * CLASSES * (COLS + 1)];
    static int32_t numbers[ROWS * 4];
    aoso_evaluation e;
    TRY(aoso_model_predict(models[0], x, NULL, numbers, ROWS));
    TRY(aoso_model_predict_proba(models[0], x, NULL, out, ROWS * CLASSES));
    TRY(aoso_model_predict_raw(models[0], x, NULL, out, ROWS * CLASSES));
    TRY(aoso_model_predict_leaf(models[0], x, NULL, numbers, ROWS * 4));
    TRY(aoso_model_predict_staged(models[0], x, NULL, 1, next_stage, NULL));
    TRY(aoso_model_evaluate(models[0], x, y, NULL, 0, NULL, &e));
    TRY(aoso_model_predict_raw(models[0], x, NULL, out, ROWS * CLASSES));
    TRY(aoso_model_evaluate_raw(models[0], out, ROWS * CLASSES, y, NULL, 0, &e));
    TRY(aoso_model_raw_to_proba(models[0], out, ROWS * CLASSES));
    aoso_set_options sets = {.struct_size = sizeof sets, .alpha = 0.1};
    aoso_reliability reliability = {.struct_size = sizeof reliability};
    TRY(aoso_model_predict_set(models[0], x, &sets, NULL, (uint8_t *)out, ROWS * CLASSES));
    TRY(aoso_model_decide(models[0], x, out, CLASSES, NULL, numbers, NULL, ROWS));
    aoso_confusion confusions[2];
    int64_t confused;
    TRY(aoso_model_confusions(models[0], x, y, NULL, confusions, 2, &confused));
    TRY(aoso_model_reliability(models[0], x, y, NULL, 0, NULL, &reliability));
    TRY(aoso_model_shap(models[0], x, NULL, out, ROWS * CLASSES * (COLS + 1)));
    TRY(aoso_model_shap_sparse(models[0], x, NULL, 1, &contributions));
    TRY(aoso_predictor_create(models[0], NULL, &predictor));
    return aoso_predictor_class(predictor, values, COLS, numbers);
}

// Predicts from CSR and CSC matrices.
static aoso_status sparse(void) {
    const int32_t rows[] = {0, 1, 2}, cols[] = {0, 1}, starts[] = {0, 1, 2, 2, 2, 2, 2};
    int32_t out[2];
    const aoso_matrix csr = aoso_csr(rows, cols, AOSO_INT32, values, AOSO_FLOAT64, 2, 2, COLS);
    const aoso_matrix csc = aoso_csc(starts, cols, AOSO_INT32, values, AOSO_FLOAT64, 2, 2, COLS);
    TRY(aoso_model_predict(models[0], &csr, NULL, out, 2));
    return aoso_model_predict(models[0], &csc, NULL, out, 2);
}

static aoso_status program(void) {
    const aoso_matrix x = data();
    const aoso_labels y = aoso_int32_labels(classes, ROWS);
    char path[4096];
    snprintf(path, sizeof path, "%s/memory.aoso", folder);
    TRY(make(&x, &y));
    TRY(aoso_dataset_save(datasets[0], path));
    TRY(aoso_dataset_load(path, &datasets[3]));
    TRY(aoso_dataset_free(datasets[3]));
    datasets[3] = NULL;
    TRY(aoso_dataset_read(path, &datasets[3]));
    TRY(train());
    TRY(derive(&x, &y));
    TRY(predict(&x, &y));
    return sparse();
}

static void clean(void) {
    for (int i = 0; i < 4; i++) OK(aoso_dataset_free(datasets[i]));
    for (int i = 0; i < 6; i++) OK(aoso_model_free(models[i]));
    OK(aoso_trainer_free(trainer));
    OK(aoso_builder_free(builder));
    OK(aoso_predictor_free(predictor));
    OK(aoso_contributions_free(contributions));
    memset(datasets, 0, sizeof datasets);
    memset(models, 0, sizeof models);
    trainer = NULL;
    builder = NULL;
    predictor = NULL;
    contributions = NULL;
}

int main(int argc, char **argv) {
    folder = argc > 1 ? argv[1] : ".";
    make_data();
    EXPECT(aoso_test_handles() == 0);
    aoso_test_deny(0);
    OK(program());
    const int64_t questions = aoso_test_questions();
    clean();
    int64_t denied = 0;
    for (;;) {
        aoso_test_deny(denied + 1);
        if (program() == AOSO_OK) break;
        denied++;
        EXPECT(strstr(aoso_last_error(), "a test leaves"));
        aoso_test_deny(0);
        clean();
        EXPECT(aoso_test_handles() == 0);
    }
    clean();
    EXPECT(denied == questions && denied >= 30);
    EXPECT(aoso_test_handles() == 0);
    printf("memory: each of %d memory checks made to fail\n", (int)denied);
    return finish("memory");
}
