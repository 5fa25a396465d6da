// Trains through the C library on behalf of the torture program. client.go
// describes the protocol.
#include <aoso.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *read_file(const char *folder, const char *name, size_t size) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *data = malloc(size ? size : 1);
    FILE *f = fopen(path, "rb");
    if (!data || !f || fread(data, 1, size, f) != size) exit(2);
    fclose(f);
    return data;
}

static void write_scores(const char *folder, const double *raw, size_t count) {
    char path[4200];
    snprintf(path, sizeof path, "%s/raw", folder);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(raw, sizeof *raw, count, f) != count || fclose(f)) exit(2);
}

// The data and handles of a training, which are freed after it.
typedef struct training {
    void *x, *y, *weights;
    double *raw;
    aoso_dataset *train;
    aoso_model *model;
} training;

static aoso_status train(training *t, int64_t rows, int64_t cols, int weighted, const char *folder, const char *text) {
    aoso_params params;
    aoso_status status = aoso_params_init(&params, sizeof params);
    if (!status) status = aoso_params_parse(&params, text);
    if (status) return status;

    t->x = read_file(folder, "x", (size_t)(rows * cols) * sizeof(double));
    t->y = read_file(folder, "y", (size_t)rows * sizeof(int32_t));
    aoso_matrix x = aoso_row_major(t->x, AOSO_FLOAT64, rows, cols);
    aoso_labels y = aoso_int32_labels(t->y, rows);
    aoso_dataset_options options = {.struct_size = sizeof options};
    if (weighted) {
        options.weights = t->weights = read_file(folder, "weights", (size_t)rows * sizeof(double));
        options.num_weights = rows;
    }
    aoso_result result = {.struct_size = sizeof result};
    status = aoso_dataset_create(&x, &y, &options, &t->train);
    if (!status) status = aoso_train(t->train, &params, NULL, &t->model, &result);
    if (status) return status;

    aoso_model_info info = {.struct_size = sizeof info};
    char fingerprint[33];
    status = aoso_model_get_info(t->model, &info);
    if (!status) status = aoso_model_fingerprint(t->model, fingerprint, sizeof fingerprint, NULL);
    if (status) return status;
    t->raw = malloc((size_t)(rows * info.classes) * sizeof(double));
    if (!t->raw) exit(2);
    status = aoso_model_predict_raw(t->model, &x, NULL, t->raw, rows * info.classes);
    if (status) return status;
    write_scores(folder, t->raw, (size_t)(rows * info.classes));
    printf("%s %.17g\n", fingerprint, result.train_loss);
    return AOSO_OK;
}

int main(void) {
    static char line[1 << 16], folder[4096];
    while (fgets(line, sizeof line, stdin)) {
        int64_t rows, cols;
        int weighted, used;
        if (sscanf(line, "%" SCNd64 " %" SCNd64 " %d %4095s %n", &rows, &cols, &weighted, folder, &used) != 4) return 2;
        training t = {0};
        aoso_status status = train(&t, rows, cols, weighted, folder, line + used);
        if (status) printf("error %d %s\n", (int)status, aoso_last_error());
        fflush(stdout);
        if (aoso_model_free(t.model) || aoso_dataset_free(t.train)) return 2;
        free(t.x);
        free(t.y);
        free(t.weights);
        free(t.raw);
    }
    return 0;
}
