// libaoso_predict returns the bits of libaoso: for every kind of model, matrix and
// number of rows, in a forked child and in several threads. It writes its models to
// a folder, for predictfuzz.c. Arguments: the folder, the program of capi/test/linear.
#define _GNU_SOURCE
#include "check.h"

#include <aoso_predict.h>
#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1300, WIDE = 5 };

static double rows[MANY * WIDE]; // the last two columns: categories
static int32_t labels[MANY], towns[MANY], streets[MANY];
static char names[300][16];
static const char *name_list[300];
static const char *folder, *linear;
static double transposed[3 * MANY], plain[3 * MANY]; // the numbers of the rows alone
static float small[3 * MANY];

static void make_rows(void) {
    uint64_t state = 3;
    for (int k = 0; k < 300; k++) {
        snprintf(names[k], sizeof names[k], "n%d", k);
        name_list[k] = names[k];
    }
    for (int i = 0; i < MANY; i++) {
        double *row = rows + i * WIDE;
        for (int j = 0; j < 3; j++) row[j] = (double)(next_random(&state) % 1000) / 8;
        towns[i] = (int32_t)(next_random(&state) % 12);
        streets[i] = (int32_t)(next_random(&state) % 300);
        labels[i] = (int32_t)(row[0] / 40) + (towns[i] % 3 == 0) + (streets[i] < 90);
        switch (next_random(&state) % 20) {
        case 0: row[0] = NAN; break;
        case 1: row[1] = INFINITY; break;
        case 2: row[1] = -INFINITY; break;
        case 3: towns[i] = -1; break;
        }
    }
}

// The same rows for the other library: categories are positions in the model, which
// lists them in another order.
static void place_categories(const aosop_model *p) {
    for (int i = 0; i < MANY; i++) {
        rows[i * WIDE + 3] = towns[i] < 0 ? NAN : (double)aosop_find_category(p, 3, names[towns[i]]);
        rows[i * WIDE + 4] = (double)aosop_find_category(p, 4, names[streets[i]]);
    }
}

static aoso_matrix table_of(aoso_column columns[WIDE], int64_t n) {
    for (int j = 0; j < 3; j++) {
        columns[j] = aoso_numbers(rows + j, AOSO_FLOAT64);
        columns[j].stride = WIDE;
    }
    columns[3] = aoso_categories(towns, name_list, 12);
    columns[4] = aoso_categories(streets, name_list, 300);
    return aoso_table(columns, n, WIDE);
}

// The functions for one row return the bits of those for many.
static void compare_row(const aosop_model *p, const double *row, const double *raw, const double *proba, int32_t found) {
    const int64_t features = aosop_num_features(p), k = aosop_num_classes(p);
    double *have = malloc((size_t)k * sizeof *have);
    int32_t k_found = -1;
    EXPECT(aosop_row_raw(p, row, features, have, k) == AOSOP_OK && memcmp(raw, have, (size_t)k * sizeof *raw) == 0);
    EXPECT(aosop_row_proba(p, row, features, have, k) == AOSOP_OK && memcmp(proba, have, (size_t)k * sizeof *proba) == 0);
    EXPECT(aosop_row_class(p, row, features, &k_found) == AOSOP_OK && k_found == found);
    free(have);
}

// Compares all predictions of rows that both libraries have.
static void compare(const aoso_model *m, const aosop_model *p, const aoso_matrix *x, const aosop_rows *px, int64_t trees) {
    const int64_t n = px->rows, k = aosop_num_classes(p), t = trees ? trees : aosop_num_trees(p);
    double *want = malloc((size_t)(n * k + 1) * sizeof *want), *have = malloc((size_t)(n * k + 1) * sizeof *have);
    int32_t *leaves = malloc((size_t)(n * (t + 1) + 1) * sizeof *leaves), *found = malloc((size_t)(n * (t + 1) + 1) * sizeof *found);
    const aoso_predict_options o = {.struct_size = sizeof o, .trees = trees};
    OK(aoso_model_predict_raw(m, x, &o, want, n * k));
    EXPECT(aosop_predict_raw(p, px, trees, have, n * k) == AOSOP_OK && memcmp(want, have, (size_t)(n * k) * sizeof *want) == 0);
    EXPECT(aosop_raw_to_proba(p, have, n * k) == AOSOP_OK);
    OK(aoso_model_predict_proba(m, x, &o, want, n * k));
    EXPECT(memcmp(want, have, (size_t)(n * k) * sizeof *want) == 0);
    EXPECT(aosop_predict_proba(p, px, trees, have, n * k) == AOSOP_OK && memcmp(want, have, (size_t)(n * k) * sizeof *want) == 0);
    OK(aoso_model_predict_leaf(m, x, &o, leaves, n * t));
    EXPECT(aosop_predict_leaf(p, px, trees, found, n * t) == AOSOP_OK && memcmp(leaves, found, (size_t)(n * t) * sizeof *found) == 0);
    OK(aoso_model_predict(m, x, &o, leaves, n));
    EXPECT(aosop_predict(p, px, trees, found, n) == AOSOP_OK && memcmp(leaves, found, (size_t)n * sizeof *found) == 0);
    if (n > 0 && t == aosop_num_trees(p) && px->type == AOSOP_FLOAT64 && px->col_stride == 1) {
        aosop_predict_raw(p, px, 0, have, n * k);
        for (int64_t i = 0; i < n; i += 1 + n / 8) compare_row(p, (const double *)px->data + i * px->row_stride, have + i * k, want + i * k, found[i]);
    }
    free(want), free(have), free(leaves), free(found);
}

static aosop_model *moved(const aoso_model *m, const char *name) {
    char path[400];
    aosop_model *p, *again;
    snprintf(path, sizeof path, "%s/%s.aoso", folder, name);
    OK(aoso_model_save(m, path));
    if (aosop_load(path, &p) != AOSOP_OK) {
        fprintf(stderr, "%s\n", aosop_last_error());
        exit(1);
    }
    size_t size;
    OK(aoso_model_encode(m, NULL, 0, &size));
    char *bytes = malloc(size);
    OK(aoso_model_encode(m, bytes, size, NULL));
    EXPECT(aosop_decode(bytes, size, &again) == AOSOP_OK && aosop_num_trees(again) == aosop_num_trees(p) && aosop_memory(p) == aosop_memory(again));
    free(bytes);
    aosop_free(again);
    return p;
}

// The model of a file with linear scores at random, in both libraries.
static aoso_model *with_linear(const char *name, aosop_model **p) {
    char command[1600], own[80], path[400];
    aoso_model *m;
    snprintf(own, sizeof own, "%s-linear", name);
    snprintf(path, sizeof path, "%s/%s.aoso", folder, own);
    snprintf(command, sizeof command, "%s %s/%s.aoso %s", linear, folder, name, path);
    EXPECT(system(command) == 0);
    OK(aoso_model_load(path, &m));
    *p = moved(m, own);
    return m;
}

// Compares predictions with numbers, and frees the models.
static void compare_numbers(aoso_model *m, aosop_model *p) {
    const int64_t counts[] = {0, 1, AOSOP_FEW_ROWS, AOSOP_FEW_ROWS + 1, 64, 65, 512, 513, MANY}, trees = aosop_num_trees(p);
    aoso_matrix x = aoso_row_major(plain, AOSO_FLOAT64, MANY, 3);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        x.rows = counts[i];
        aosop_rows px = aosop_row_major(plain, AOSOP_FLOAT64, counts[i], 3);
        compare(m, p, &x, &px, i % 2 ? 0 : trees / 2);
        px = aosop_row_major(small, AOSOP_FLOAT32, counts[i], 3);
        compare(m, p, &x, &px, 0);
        px = aosop_column_major(transposed, AOSOP_FLOAT64, MANY, 3);
        px.rows = counts[i];
        compare(m, p, &x, &px, trees > 0);
    }
    aosop_free(p);
    OK(aoso_model_free(m));
}

static void numeric(const char *name, const char *params, int32_t classes) {
    static int32_t limited[MANY];
    for (int i = 0; i < MANY; i++) {
        limited[i] = (classes > 8 ? 8 * labels[i] + i % 8 : labels[i]) % classes;
        if (classes > 100) limited[i] = rows[i * WIDE] > 0 ? (int32_t)rows[i * WIDE] : 0;
        for (int j = 0; j < 3; j++) transposed[j * MANY + i] = plain[3 * i + j] = small[3 * i + j] = (float)rows[i * WIDE + j];
    }
    aoso_dataset *d;
    aoso_matrix x = aoso_row_major(plain, AOSO_FLOAT64, MANY, 3);
    aoso_labels y = aoso_int32_labels(limited, MANY);
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *m = train_on(d, params);
    aosop_model *p = moved(m, name);
    aoso_model_info info = {.struct_size = sizeof info};
    OK(aoso_model_get_info(m, &info));
    EXPECT(aosop_num_classes(p) == info.classes && aosop_num_features(p) == 3 && aosop_num_trees(p) == info.trees && aosop_temperature(p) == info.temperature);
    compare_numbers(m, p);
    m = with_linear(name, &p);
    compare_numbers(m, p);
    OK(aoso_dataset_free(d));
}

static aoso_model *train_table(const char *params) {
    aoso_column columns[WIDE];
    aoso_matrix x = table_of(columns, MANY);
    aoso_labels y = aoso_int32_labels(labels, MANY);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *m = train_on(d, params);
    OK(aoso_dataset_free(d));
    return m;
}

// Compares predictions with categories.
static void compare_tables(const aoso_model *m, const aosop_model *p) {
    aoso_column columns[WIDE];
    EXPECT(aosop_num_categories(p, 0) == -1 && aosop_num_categories(p, 3) == 12 && aosop_num_categories(p, 4) > 255);
    EXPECT(aosop_find_category(p, 3, "n200") == 12 && strcmp(aosop_category_name(p, 3, aosop_find_category(p, 3, "n7")), "n7") == 0);
    EXPECT(!aosop_category_name(p, 3, 12) && !aosop_category_name(p, 0, 0) && !aosop_class_name(p, -1) && strcmp(aosop_feature_name(p, 4), "f4") == 0);
    const int32_t known = towns[5];
    snprintf(names[11], sizeof names[11], "new"); // a category that the model does not know
    towns[5] = 11;
    place_categories(p);
    const int64_t counts[] = {1, 12, 600, MANY};
    for (int i = 0; i < 4; i++) {
        aoso_matrix x = table_of(columns, counts[i]);
        aosop_rows px = aosop_row_major(rows, AOSOP_FLOAT64, counts[i], WIDE);
        compare(m, p, &x, &px, 0);
    }
    snprintf(names[11], sizeof names[11], "n11");
    towns[5] = known;
}

static void categorical(const char *name, const char *params) {
    aosop_model *p;
    aoso_model *m = train_table(params), *l;
    p = moved(m, name);
    compare_tables(m, p);
    aosop_free(p);
    l = with_linear(name, &p);
    compare_tables(l, p);
    aosop_free(p);
    OK(aoso_model_free(m));
    OK(aoso_model_free(l));
}

// Crosses of features: differences, ratios, and pairs of categories.
static void crossed(void) {
    enum { COLUMNS = 5 };
    static double values[MANY * COLUMNS];
    static int32_t classes[MANY], second[MANY];
    aoso_column columns[COLUMNS];
    for (int i = 0; i < MANY; i++) {
        double *row = values + i * COLUMNS;
        for (int j = 0; j < 3; j++) row[j] = rows[i * WIDE + j];
        if (i % 50 == 0) row[2] = i % 100 ? 0 : -1e-310;
        second[i] = streets[i] % 8;
        classes[i] = (row[0] > row[1] + 5) + (row[2] / row[0] > 1.5) + 3 * (towns[i] < 0 || (towns[i] + 2 * second[i]) % 5 < 2);
    }
    for (int j = 0; j < 3; j++) {
        columns[j] = aoso_numbers(values + j, AOSO_FLOAT64);
        columns[j].stride = COLUMNS;
    }
    columns[3] = aoso_categories(towns, name_list, 12);
    columns[4] = aoso_categories(second, name_list, 8);
    aoso_matrix x = aoso_table(columns, MANY, COLUMNS);
    aoso_labels y = aoso_int32_labels(classes, MANY);
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, NULL, &d));
    aoso_model *m = train_on(d, "ensemble=6 n_estimators=120");
    OK(aoso_dataset_free(d));
    aosop_model *p = moved(m, "crossed");
    static char path[400], text[1 << 20];
    snprintf(path, sizeof path, "%s/crossed.txt", folder);
    OK(aoso_model_export_file(m, "text", 0, path));
    FILE *f = fopen(path, "r");
    fread(text, 1, sizeof text - 1, f);
    fclose(f);
    remove(path);
    EXPECT(strstr(text, " - ") && strstr(text, " / ") && strstr(text, " & "));
    for (int i = 0; i < MANY; i++) {
        values[i * COLUMNS + 3] = towns[i] < 0 ? NAN : (double)aosop_find_category(p, 3, names[towns[i]]);
        values[i * COLUMNS + 4] = (double)aosop_find_category(p, 4, names[second[i]]);
    }
    const int64_t counts[] = {1, 12, 600, MANY};
    for (int i = 0; i < 4; i++) {
        x.rows = counts[i];
        aosop_rows px = aosop_row_major(values, AOSOP_FLOAT64, counts[i], COLUMNS);
        compare(m, p, &x, &px, 0);
    }
    aosop_free(p);
    OK(aoso_model_free(m));
}

// Names that the header of a file does not have: 300 classes, some of 300 features.
static void many_names(void) {
    enum { MANY_COLUMNS = 300 };
    static double wide[600 * MANY_COLUMNS];
    static char long_names[MANY_COLUMNS][32];
    static const char *features[MANY_COLUMNS];
    static int32_t classes[600];
    uint64_t state = 5;
    for (int j = 0; j < MANY_COLUMNS; j++) {
        snprintf(long_names[j], sizeof long_names[j], "width of leaf %d", j);
        features[j] = long_names[j];
    }
    for (int i = 0; i < 600; i++) {
        classes[i] = i % 300;
        for (int j = 0; j < MANY_COLUMNS; j++) wide[i * MANY_COLUMNS + j] = (double)(next_random(&state) % 100) + (j == i % 4 ? i % 300 : 0);
    }
    aoso_matrix x = aoso_row_major(wide, AOSO_FLOAT64, 600, MANY_COLUMNS);
    aoso_labels y = aoso_int32_labels(classes, 600);
    y.class_names = name_list;
    y.num_class_names = 300;
    const aoso_dataset_options o = {.struct_size = sizeof o, .feature_names = features, .num_feature_names = MANY_COLUMNS};
    aoso_dataset *d;
    OK(aoso_dataset_create(&x, &y, &o, &d));
    aoso_model *m = train_on(d, "preset=paper n_estimators=3 max_leaves=8");
    aosop_model *p = moved(m, "names");
    EXPECT(aosop_num_classes(p) == 300 && aosop_num_features(p) == MANY_COLUMNS);
    for (int i = 0; i < 300; i++) {
        char class_name[64], feature_name[64];
        OK(aoso_model_class_name(m, i, class_name, sizeof class_name, NULL));
        OK(aoso_model_feature_name(m, i, feature_name, sizeof feature_name, NULL));
        EXPECT(strcmp(aosop_class_name(p, i), class_name) == 0 && strcmp(aosop_feature_name(p, i), feature_name) == 0);
    }
    const aosop_rows px = aosop_row_major(wide, AOSOP_FLOAT64, 600, MANY_COLUMNS);
    compare(m, p, &x, &px, 0);
    aosop_free(p);
    OK(aoso_model_free(m));
    OK(aoso_dataset_free(d));
}

// Numbers of classes that have more than 16 bits. The last five classes have most rows.
static void many_classes(void) {
    enum { CLASSES = 70000, OFTEN = 2000, ALL = CLASSES + OFTEN };
    static float x[ALL * 2];
    static int32_t classes[ALL], found[OFTEN];
    for (int i = 0; i < ALL; i++) {
        classes[i] = i < CLASSES ? i : CLASSES - 1 - i % 5;
        x[2 * i] = i < CLASSES ? (float)(i % 251) : (float)(300 + i % 5);
        x[2 * i + 1] = (float)(i / 251);
    }
    aoso_matrix matrix = aoso_row_major(x, AOSO_FLOAT32, ALL, 2);
    aoso_labels y = aoso_int32_labels(classes, ALL);
    aoso_dataset *d;
    OK(aoso_dataset_create(&matrix, &y, NULL, &d));
    aoso_model *m = train_on(d, "preset=paper n_estimators=3 max_leaves=1100 leaf=sparse leaf_classes=8"); // of too many leaves for keys made beforehand
    aosop_model *p = moved(m, "wide");
    EXPECT(aosop_num_classes(p) == CLASSES && aosop_memory(p) < 8 << 20);
    aosop_model *lp;
    aoso_model *l = with_linear("wide", &lp);
    const int64_t counts[] = {1, AOSOP_FEW_ROWS + 1, 60}, firsts[] = {ALL - 1, CLASSES - 6, 0};
    for (int i = 0; i < 3; i++) {
        matrix = aoso_row_major(x + 2 * firsts[i], AOSO_FLOAT32, counts[i], 2);
        const aosop_rows px = aosop_row_major(x + 2 * firsts[i], AOSOP_FLOAT32, counts[i], 2);
        for (int64_t trees = 0; trees < 3; trees++) compare(m, p, &matrix, &px, trees);
        compare(l, lp, &matrix, &px, 0);
    }
    const aosop_rows often = aosop_row_major(x + 2 * CLASSES, AOSOP_FLOAT32, OFTEN, 2);
    EXPECT(aosop_predict(p, &often, 0, found, OFTEN) == AOSOP_OK && found[0] > UINT16_MAX);
    aosop_free(p);
    aosop_free(lp);
    OK(aoso_model_free(m));
    OK(aoso_model_free(l));
    OK(aoso_dataset_free(d));
}

static void in_forked_child(void) {
    static double before[MANY * 8], after[MANY * 8];
    aoso_model *m = train_table("preset=paper n_estimators=20");
    aosop_model *p = moved(m, "forked");
    place_categories(p);
    aosop_rows x = aosop_row_major(rows, AOSOP_FLOAT64, MANY, WIDE);
    const int64_t n = MANY * aosop_num_classes(p);
    EXPECT(aosop_predict_proba(p, &x, 0, before, n) == AOSOP_OK);
    int status;
    pid_t child = fork();
    if (child == 0) _exit(aosop_predict_proba(p, &x, 0, after, n) != AOSOP_OK || memcmp(before, after, (size_t)n * sizeof *after) != 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    aosop_free(p);
    OK(aoso_model_free(m));
}

// ----------------------------------------------------- floating-point mode --

#if defined(__x86_64__)
#include <xmmintrin.h>
static uint64_t get_mode(void) {
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (_mm_getcsr() & ~0x3fu);
}
static void flush_subnormals(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
static void short_x87(void) { // 24 bits, downwards
    const uint16_t x87 = 0x047f;
    __asm__ volatile("fldcw %0" : : "m"(x87));
}
#elif defined(__aarch64__)
static uint64_t get_mode(void) {
    uint64_t m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m));
    return m;
}
static void flush_subnormals(void) {
    const uint64_t m = get_mode() | 1u << 24;
    __asm__ volatile("msr fpcr, %0" : : "r"(m));
}
static void short_x87(void) {}
#else
static uint64_t get_mode(void) { return (uint64_t)fegetround(); }
static void flush_subnormals(void) {}
static void short_x87(void) {}
#endif

static void upwards(void) { fesetround(FE_UPWARD); }
static void downwards(void) { fesetround(FE_DOWNWARD); }
static void towards_zero(void) { fesetround(FE_TOWARDZERO); }
static void trap_all(void) { feenableexcept(FE_ALL_EXCEPT); }

// All that libaoso_predict computes: what it reads from bytes, and what it predicts for subnormal rows.
enum { MODE_ROWS = 200, MODE_CLASSES = 5, MODE_TREES = 30, UNPACKED = 64 };

typedef struct outcome {
    double raw[MODE_ROWS * MODE_CLASSES], proba[MODE_ROWS * MODE_CLASSES], again[MODE_ROWS * MODE_CLASSES], temperature;
    int32_t found[MODE_ROWS], leaves[MODE_ROWS * MODE_TREES];
    float multiples[UNPACKED];
} outcome;

static int computes(const void *bytes, size_t size, const double *x, const float *narrow, outcome *o) {
    aosop_model *p;
    const uint64_t mode = get_mode();
    int ok = aosop_decode(bytes, size, &p) == AOSOP_OK;
    if (!ok) return 0;
    o->temperature = aosop_temperature(p);
    for (int64_t first = 0, n = 1; first < MODE_ROWS; first += n, n = first < 40 ? n % AOSOP_FEW_ROWS + 1 : MODE_ROWS - first) {
        const int64_t k = MODE_CLASSES, t = aosop_num_trees(p);
        const aosop_rows rows = first % 2 ? aosop_row_major(x + 3 * first, AOSOP_FLOAT64, n, 3) : aosop_row_major(narrow + 3 * first, AOSOP_FLOAT32, n, 3);
        ok &= aosop_predict_raw(p, &rows, 0, o->raw + first * k, n * k) == AOSOP_OK && get_mode() == mode;
        memcpy(o->again + first * k, o->raw + first * k, (size_t)(n * k) * sizeof *o->raw);
        ok &= aosop_raw_to_proba(p, o->again + first * k, n * k) == AOSOP_OK && get_mode() == mode;
        ok &= aosop_predict_proba(p, &rows, 0, o->proba + first * k, n * k) == AOSOP_OK && get_mode() == mode;
        ok &= aosop_predict(p, &rows, 0, o->found + first, n) == AOSOP_OK && get_mode() == mode;
        ok &= aosop_predict_leaf(p, &rows, 0, o->leaves + first * t, n * t) == AOSOP_OK && get_mode() == mode;
    }
    // Multiples of 2^-149; a table of one token, 3; four bytes of tokens, of which the state is made.
    static const uint8_t packed[] = {0x02, 0x6b, 0xff, 0, 3, 0, 16, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 0};
    ok &= aosop_unpack(packed, sizeof packed, "f32", UNPACKED, o->multiples, sizeof o->multiples) == AOSOP_OK && get_mode() == mode;
    aosop_free(p);
    return ok && get_mode() == mode;
}

// The mode of the host changes no bit, stays, and lets no exception trap.
static void in_every_mode(const char *params) {
    static double x[3 * MODE_ROWS];
    static float narrow[3 * MODE_ROWS];
    static int32_t classes[MODE_ROWS];
    static outcome due, have;
    uint64_t state = 9;
    for (int i = 0; i < MODE_ROWS; i++) {
        classes[i] = (int32_t)(next_random(&state) % MODE_CLASSES);
        for (int j = 0; j < 3; j++) {
            const uint32_t bits = (uint32_t)(next_random(&state) % 3000) + (uint32_t)classes[i] * 900;
            memcpy(&narrow[3 * i + j], &bits, sizeof bits);
            x[3 * i + j] = i % 7 == 0 ? NAN : (double)narrow[3 * i + j] * (i % 3 ? 1 : 0x1p-900);
        }
    }
    aoso_dataset *d;
    aoso_matrix m = aoso_row_major(x, AOSO_FLOAT64, MODE_ROWS, 3);
    aoso_labels y = aoso_int32_labels(classes, MODE_ROWS);
    OK(aoso_dataset_create(&m, &y, NULL, &d));
    aoso_model *model = train_on(d, params);
    size_t size;
    OK(aoso_model_encode(model, NULL, 0, &size));
    char *bytes = malloc(size);
    OK(aoso_model_encode(model, bytes, size, NULL));
    OK(aoso_dataset_free(d));
    EXPECT(computes(bytes, size, x, narrow, &due));
    OK(aoso_model_free(model));
    void (*const modes[])(void) = {flush_subnormals, upwards, downwards, towards_zero, short_x87, trap_all};
    fenv_t host;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        memset(&have, 1, sizeof have);
        fegetenv(&host);
        modes[i]();
        const int ok = computes(bytes, size, x, narrow, &have);
        fesetenv(&host);
        EXPECT(ok);
        EXPECT(memcmp(&due, &have, sizeof due) == 0);
    }
    free(bytes);
}

#define REFUSES(status, text, call) EXPECT((call) == (status) && strstr(aosop_last_error(), text))

static void refuses(void) {
    aosop_model *p = NULL;
    double row[3] = {0}, out[8];
    char path[400];
    REFUSES(AOSOP_IO, "cannot read /nowhere", aosop_load("/nowhere", &p));
    REFUSES(AOSOP_BAD_FORMAT, "not an aoso model file", aosop_decode("nonsense", 8, &p));
    REFUSES(AOSOP_BAD_FORMAT, "it is empty", aosop_decode("", 0, &p));
    REFUSES(AOSOP_INVALID_ARGUMENT, "out is NULL", aosop_decode("", 0, NULL));
    EXPECT(!p);
    aosop_free(NULL);
    snprintf(path, sizeof path, "%s/full.aoso", folder);
    EXPECT(aosop_load(path, &p) == AOSOP_OK);
    aosop_rows x = aosop_row_major(row, AOSOP_FLOAT64, 1, 3);
    REFUSES(AOSOP_INVALID_ARGUMENT, "trees is 99; allowed: 0 to 12", aosop_predict_raw(p, &x, 99, out, 5));
    REFUSES(AOSOP_INVALID_ARGUMENT, "length is 1; allowed: ", aosop_predict_raw(p, &x, 0, out, 1));
    REFUSES(AOSOP_INVALID_ARGUMENT, "x is NULL", aosop_predict_raw(p, NULL, 0, out, 1));
    REFUSES(AOSOP_INVALID_ARGUMENT, "a multiple of", aosop_raw_to_proba(p, out, 1));
    REFUSES(AOSOP_INVALID_ARGUMENT, "type is f16; allowed: i8", aosop_unpack("", 1, "f16", 5, out, 10));
    REFUSES(AOSOP_INVALID_ARGUMENT, "length is 39; allowed: the bytes of 5 f64", aosop_unpack("", 1, "f64", 5, out, 39));
    REFUSES(AOSOP_BAD_FORMAT, "not packed as it should be", aosop_unpack("\0", 1, "f64", 5, out, 40));
    x.type = 7;
    REFUSES(AOSOP_INVALID_ARGUMENT, "type is 7", aosop_predict_raw(p, &x, 0, out, 5));
    x = aosop_row_major(row, AOSOP_FLOAT64, 1, 2);
    REFUSES(AOSOP_INVALID_ARGUMENT, "cols is 2; allowed: 3", aosop_predict_raw(p, &x, 0, out, 5));
    REFUSES(AOSOP_INVALID_ARGUMENT, "features is 2; allowed: 3", aosop_row_proba(p, row, 2, out, 5));
    REFUSES(AOSOP_INVALID_ARGUMENT, "length is 4; allowed: 5", aosop_row_proba(p, row, 3, out, 4));
    REFUSES(AOSOP_INVALID_ARGUMENT, "row is NULL", aosop_row_raw(p, NULL, 3, out, 5));
    REFUSES(AOSOP_INVALID_ARGUMENT, "out is NULL", aosop_row_class(p, row, 3, NULL));
    aosop_free(p);
    EXPECT(strcmp(aosop_version(), aoso_version_string()) == 0);

    FILE *f = fopen(path, "rb"); // every bit of a file counts
    static uint8_t bytes[1 << 20], copy[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    for (size_t i = 0; i < size; i += 1 + i / 97) {
        memcpy(copy, bytes, size);
        copy[i] ^= 1 << i % 8;
        EXPECT(aosop_decode(copy, size, &p) == AOSOP_BAD_FORMAT);
        EXPECT(aosop_decode(bytes, i, &p) == AOSOP_BAD_FORMAT);
    }
}

// Both libraries refuse models whose linear scores are wrong.
static void refuses_wrong(const char *name) {
    char command[2000], path[400];
    snprintf(command, sizeof command, "mkdir -p %s/wrong && %s %s/%s.aoso %s/wrong/right.aoso %s/wrong", folder, linear, folder, name, folder, folder);
    EXPECT(system(command) == 0);
    int tried = 0;
    for (;; tried++) {
        snprintf(path, sizeof path, "%s/wrong/wrong%d.aoso", folder, tried);
        if (access(path, R_OK) != 0) break;
        aoso_model *m = NULL;
        aosop_model *p = NULL;
        EXPECT(aoso_model_load(path, &m) == AOSO_BAD_FORMAT && !m);
        REFUSES(AOSOP_BAD_FORMAT, "file is corrupt", aosop_load(path, &p));
        EXPECT(!p && remove(path) == 0);
    }
    EXPECT(tried > 20);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    folder = argv[1];
    linear = argv[2];
    make_rows();
    numeric("full", "preset=paper n_estimators=12", 5);
    numeric("calibrated", "n_estimators=20", 5);
    numeric("pair", "preset=paper n_estimators=20 leaf=pair pairs=1", 40);
    numeric("pairs", "preset=paper n_estimators=20 leaf=pair pairs=4", 5);
    numeric("abc", "preset=paper n_estimators=20 method=abc pairs=1 leaf=pair", 4);
    numeric("logitboost", "preset=paper n_estimators=20 method=logitboost pairs=1 leaf=pair", 4);
    numeric("sparse", "preset=paper n_estimators=20 leaf=sparse leaf_classes=2", 40);
    numeric("sparse-few", "preset=paper n_estimators=20 leaf=sparse", 5);
    numeric("one", "preset=paper n_estimators=2", 1);
    numeric("rounded", "preset=paper n_estimators=70 learning_rate=0.0155 max_leaves=100", 125); // 64 trees add up to more than 16 bits hold
    categorical("categories", "preset=paper n_estimators=40");
    categorical("categories-pair", "preset=paper n_estimators=40 leaf=pair");
    numeric("start", "preset=paper n_estimators=12 start=linear", 5);
    categorical("start-categories", "preset=paper n_estimators=12 start=linear");
    crossed();
    many_names();
    many_classes();
    refuses_wrong("full");
    refuses_wrong("categories");
    in_forked_child();
    in_every_mode("n_estimators=30");
    in_every_mode("preset=paper n_estimators=30 leaf=pair start=linear");
    refuses();
    return finish("predictlib");
}
