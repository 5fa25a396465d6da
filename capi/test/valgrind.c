// Trains and predicts, for valgrind. With an argument, it then reads too far and loses memory, which valgrind must report.
#include <aoso.h>

#include <stdlib.h>

enum { ROWS = 300, COLS = 4 };

static double values[ROWS * COLS];
static int32_t classes[ROWS], predicted[ROWS];

int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < ROWS; i++) {
        classes[i] = i % 3;
        for (int j = 0; j < COLS; j++) values[i * COLS + j] = (i % 3 * (j + 3) + i * (2 * j + 7) % 8) % 13;
    }
    const aoso_matrix x = aoso_row_major(values, AOSO_FLOAT64, ROWS, COLS);
    const aoso_labels y = aoso_int32_labels(classes, ROWS);
    aoso_dataset *d;
    aoso_model *m;
    if (aoso_dataset_create(&x, &y, NULL, &d) || aoso_train(d, NULL, NULL, &m, NULL) || aoso_model_predict(m, &x, NULL, predicted, ROWS)) return 1;
    if (aoso_model_free(m) || aoso_dataset_free(d) || aoso_train(NULL, NULL, NULL, &m, NULL) == AOSO_OK) return 1;
    if (argc > 1) {
        volatile int *lost = malloc(10 * sizeof *lost);
        predicted[0] = lost[10];
        lost = NULL;
    }
    return 0;
}
