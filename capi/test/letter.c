// Trains on the Letter data and prints the fingerprint, which must be the same as
// that of the command line.
//
//     letter letter.csv PARAMETERS
#include "check.h"

enum { N = 20000, D = 16 };
static double x[N * D];
static float columns[D][N];
static char text[N][2];
static const char *y[N];
static char names[D][32];

static void read_letters(const char *path) {
    FILE *f = fopen(path, "r");
    if (!f) exit(1);
    for (int j = 0; j < D; j++)
        if (fscanf(f, "%31[^,],", names[j]) != 1) exit(1);
    if (fscanf(f, "%*s") != 0) exit(1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            if (fscanf(f, "%lf,", &x[i * D + j]) != 1) exit(1);
            columns[j][i] = (float)x[i * D + j];
        }
        if (fscanf(f, "%1s", text[i]) != 1) exit(1);
        y[i] = text[i];
    }
    fclose(f);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    read_letters(argv[1]);
    const char *name_pointers[D];
    const void *column_pointers[D];
    for (int j = 0; j < D; j++) name_pointers[j] = names[j], column_pointers[j] = columns[j];
    aoso_labels labels = aoso_string_labels(y, N);
    aoso_matrix layouts[2] = {aoso_row_major(x, AOSO_FLOAT64, N, D), aoso_columns(column_pointers, AOSO_FLOAT32, N, D)};
    aoso_dataset_options o = {.struct_size = sizeof o, .feature_names = name_pointers, .num_feature_names = D};
    fingerprint first;
    for (int i = 0; i < 2; i++) {
        aoso_dataset *d;
        OK(aoso_dataset_create(&layouts[i], &labels, &o, &d));
        aoso_model *m = train_on(d, argv[2]);
        fingerprint f = fingerprint_of(m);
        if (i == 0) first = f;
        EXPECT(same(first, f));
        OK(aoso_model_free(m));
        OK(aoso_dataset_free(d));
    }
    printf("%s\n", first.text);
    return failures != 0;
}
