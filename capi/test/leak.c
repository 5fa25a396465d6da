// Creates and frees objects of every kind, 10,000 times or as often as the argument
// says. The resident memory must not grow.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <unistd.h>

static double resident(void) { // in MB
    long total, pages;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2) exit(1);
    fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static int32_t nothing(const aoso_progress *p, void *user) {
    (void)p;
    (void)user;
    return 0;
}

static int32_t no_part(const void *bytes, size_t size, void *user) {
    (void)bytes;
    (void)user;
    return size > 0;
}

static int32_t first_stage(int64_t trees, const double *raw, int64_t length, void *user) {
    (void)raw;
    (void)length;
    (void)user;
    return trees > 0;
}

// Models made from models, and calls that end early because of their callbacks.
static void derive(const aoso_model *m, const aoso_model *other, const aoso_matrix *x, const aoso_labels *y) {
    const aoso_model *both[] = {m, other};
    aoso_model *made[5];
    OK(aoso_model_truncate(m, 1, &made[0]));
    OK(aoso_model_merge(both, 2, &made[1]));
    OK(aoso_model_refit(m, x, y, NULL, &made[2]));
    OK(aoso_model_calibrate(m, x, y, NULL, 0, NULL, &made[3], NULL));
    OK(aoso_model_conformalize(m, x, y, NULL, 0, NULL, &made[4]));
    for (int i = 0; i < 5; i++) OK(aoso_model_free(made[i]));
    aoso_contributions *c;
    OK(aoso_model_shap_sparse(m, x, NULL, 2, &c));
    OK(aoso_contributions_free(c));
    OK(aoso_model_predict_staged(m, x, NULL, 1, first_stage, NULL));
    EXPECT(aoso_model_export(m, "json", 0, no_part, NULL) == AOSO_IO);
}

static void cycle(int i) {
    aoso_dataset *d = make_dataset(), *chunks, *valid;
    aoso_matrix x = data();
    aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_params p = parse("n_estimators=2 max_leaves=3");
    p.nthread = 1 + i % 2;
    OK(aoso_dataset_create_aligned(d, &x, &y, NULL, &valid));
    // Without a validation set, the trainer is interrupted in the first phase.
    aoso_train_options o = {.struct_size = sizeof o, .valid = i % 5 ? valid : NULL, .callback = nothing};
    aoso_model *m, *from_trainer, *decoded;
    OK(aoso_train(d, &p, &o, &m, NULL));

    aoso_trainer *b;
    OK(aoso_trainer_create(d, &p, &o, &b));
    OK(aoso_trainer_step(b, NULL));
    OK(aoso_trainer_interrupt(b));
    OK(aoso_trainer_run(b, NULL));
    OK(aoso_trainer_model(b, &from_trainer, NULL));
    if (i % 10 == 0) {
        aoso_builder *builder;
        OK(aoso_builder_create(COLS, NULL, &builder));
        OK(aoso_builder_append(builder, &x, &y, NULL, 0));
        OK(aoso_builder_finish(builder, &chunks));
        OK(aoso_builder_append(builder, &x, &y, NULL, 0));
        OK(aoso_builder_free(builder));
        OK(aoso_dataset_free(chunks));
        static char bytes[1 << 16];
        size_t size;
        OK(aoso_model_encode(m, bytes, sizeof bytes, &size));
        OK(aoso_model_decode(bytes, size, &decoded));
        derive(m, decoded, &x, &y);
        OK(aoso_model_free(decoded));
    }
    aoso_predictor *rows;
    int32_t k;
    OK(aoso_predictor_create(m, NULL, &rows));
    OK(aoso_predictor_class(rows, values, COLS, &k));

    // Objects can be freed in any order.
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
    OK(aoso_trainer_free(b));
    OK(aoso_predictor_free(rows));
    OK(aoso_dataset_free(valid));
    OK(aoso_model_free(from_trainer));
    EXPECT(aoso_dataset_free(d) == AOSO_INVALID_HANDLE);
}

int main(int argc, char **argv) {
    const int cycles = argc > 1 ? atoi(argv[1]) : 10000;
    make_data();
    double early = 0, late = 0; // peaks in the second and in the last fifth of the cycles
    for (int i = 0; i < cycles; i++) {
        cycle(i);
        if (i % 50) continue;
        double now = resident();
        if (i >= cycles / 5 && i < 2 * cycles / 5 && now > early) early = now;
        if (i >= 4 * cycles / 5 && now > late) late = now;
    }
    EXPECT(late < early * 1.1 + 2);
    printf("leak: resident %.1f MB after %d cycles, %.1f MB after %d\n", early, 2 * cycles / 5, late, cycles);
    return finish("leak");
}
