// Calls every function with arguments drawn at random: nulls, wrong sizes,
// freed and foreign handles, huge counts, damaged data. Nothing may crash,
// hang, write past its memory, or show a defect, and in the end the library
// works as before. All memory it is given ends at a page that cannot be
// touched.
//
//     fuzz FOLDER SEED SECONDS
//
// AOSO_FUZZ_CALLS in the environment is the number of calls to make instead.
#define _DEFAULT_SOURCE
#include "check.h"
#include "params.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *folder;
static uint64_t state;

static uint64_t draw(uint64_t n) { return next_random(&state) % n; }
static int rarely(void) { return draw(12) == 0; }

// ------------------------------------------------------------------ memory --

// Blocks of guarded memory, good until the next call has returned.
enum { BLOCKS = 32 };
static struct {
    char *start;
    size_t size, end; // mapped, and where the guard begins
} blocks[BLOCKS];
static int used;

static void *guarded(size_t n) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), need = (n + page - 1) / page * page;
    if (used == BLOCKS) abort();
    if (blocks[used].end < need) {
        if (blocks[used].start) munmap(blocks[used].start, blocks[used].size);
        blocks[used].size = need + page;
        blocks[used].end = need;
        blocks[used].start = mmap(NULL, need + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(blocks[used].start + need, page, PROT_NONE);
    }
    char *end = blocks[used].start + blocks[used].end;
    used++;
    return end - n;
}

static void *copy_of(const void *data, size_t n) { return memcpy(guarded(n), data, n); }

// Memory for n results, or null.
static void *results(int64_t n, size_t size) {
    if (rarely()) return NULL;
    return guarded(n < 0 || n > 100000 ? size : (size_t)n * size);
}

// ----------------------------------------------------------------- handles --

enum { DATASET, MODEL, BOOSTER, BUILDER, PREDICTOR, CONTRIBUTIONS, KINDS, SLOTS = 4 };
static void *live[KINDS][SLOTS];
static void *freed;

static void *some_handle(int kind) {
    switch (draw(20)) {
    case 0: return NULL;
    case 1: return freed;
    case 2: return (void *)(uintptr_t)draw(5000);
    case 3: return (void *)(uintptr_t)(next_random(&state) << 32 | next_random(&state));
    case 4: return (char *)live[kind][draw(SLOTS)] + 1;
    case 5: return live[draw(KINDS)][draw(SLOTS)];
    case 6: return &state;
    }
    return live[kind][draw(SLOTS)];
}

static aoso_status free_handle(int kind, void *h) {
    switch (kind) {
    case DATASET: return aoso_dataset_free(h);
    case MODEL: return aoso_model_free(h);
    case BOOSTER: return aoso_booster_free(h);
    case BUILDER: return aoso_builder_free(h);
    case CONTRIBUTIONS: return aoso_contributions_free(h);
    }
    return aoso_predictor_free(h);
}

static void forget(void *h) {
    freed = h;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < SLOTS; i++)
            if (live[kind][i] == h) live[kind][i] = NULL;
}

// Where a new handle of a kind goes: a slot, which is emptied first.
static void *made;
static void **out_handle(void) {
    made = &made;
    return rarely() ? NULL : &made;
}

static void keep(int kind, aoso_status status) {
    if (status != AOSO_OK) {
        EXPECT(made == &made); // set on success only
        return;
    }
    int i = (int)draw(SLOTS);
    if (live[kind][i]) {
        OK(free_handle(kind, live[kind][i]));
        freed = live[kind][i];
    }
    live[kind][i] = made;
}

// --------------------------------------------------------------- arguments --

static int64_t some_count(int64_t right) {
    static const int64_t odd[] = {0, 1, -1, 2, 255, 256, INT32_MAX, (int64_t)INT32_MAX + 1, UINT32_MAX,
                                  (int64_t)UINT32_MAX + 1, INT64_MAX, INT64_MIN, INT64_MAX - 7};
    return rarely() ? odd[draw(sizeof odd / sizeof *odd)] : right;
}

// Not above what there is memory for, or beyond every bound.
static int64_t some_size(int64_t right, int64_t bound) {
    if (!rarely()) return right;
    switch (draw(6)) {
    case 0: return bound + 1;
    case 1: return INT64_MAX;
    case 2: return INT64_MIN;
    case 3: return -1;
    case 4: return 0;
    }
    return (int64_t)draw((uint64_t)right + 1);
}

static uint32_t some_struct_size(size_t right) {
    if (!rarely()) return (uint32_t)right;
    return draw(2) ? (uint32_t)draw(right + 1) : UINT32_MAX - (uint32_t)draw(9);
}

static double some_number(double right) {
    static const double odd[] = {0, -0.0, 1, -1, 0.5, 1e-300, 1e300, 5e-324, NAN, INFINITY, -INFINITY};
    return rarely() ? odd[draw(sizeof odd / sizeof *odd)] : right;
}

static const char *some_text(const char *right) {
    static char *big;
    if (!rarely()) return right;
    switch (draw(5)) {
    case 0: return NULL;
    case 1: return "";
    case 2: return "\xff\xfe";
    case 3: return "a\nb=c, =, ==,trees=";
    }
    if (!big) big = memset(calloc(1, 100001), 'x', 100000);
    return big;
}

static const char *some_path(void) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/fuzz-%d", folder, (int)draw(4));
    if (!rarely()) return path;
    switch (draw(5)) {
    case 0: return NULL;
    case 1: return "";
    case 2: return "\xff\xfe";
    case 3: return folder;
    }
    return "/nowhere/at/all";
}

// A struct in guarded memory of its own size, or null.
#define STRUCT(p) (rarely() ? NULL : copy_of(&(p), (p).struct_size <= sizeof(p) && (p).struct_size >= 4 ? (p).struct_size : sizeof(p)))

static aoso_matrix *some_matrix(void) {
    aoso_matrix x;
    const int64_t rows = ROWS / 4;
    double *v = copy_of(values, (size_t)rows * COLS * 8);
    if (rarely()) v[draw((uint64_t)rows * COLS)] = some_number(INFINITY);
    if (rarely()) v[draw((uint64_t)rows * COLS)] = NAN;
    switch (draw(5)) {
    case 0: {
        static const void *columns[COLS];
        for (int j = 0; j < COLS; j++) columns[j] = rarely() && rarely() ? NULL : v + j * rows;
        x = aoso_columns(copy_of(columns, sizeof columns), AOSO_FLOAT64, rows, COLS);
        break;
    }
    case 1:
    case 2: {
        // Every second value; offsets and indices have 8 bytes whatever their type.
        int64_t n = 0, offsets[ROWS + 1] = {0}, at[ROWS * COLS];
        int by_rows = (int)draw(2), parts = by_rows ? (int)rows : COLS, size = by_rows ? COLS : (int)rows;
        for (int p = 0; p < parts; p++) {
            for (int i = p % 2; i < size; i += 2) at[n++] = i;
            offsets[p + 1] = n;
        }
        if (rarely()) at[draw((uint64_t)n)] = some_count(INT32_MIN);
        if (rarely()) offsets[draw((uint64_t)parts + 1)] = some_count(1 << 20);
        int wide = (int)draw(2);
        int64_t *o = guarded(((size_t)parts + 1) * 8), *a = guarded((size_t)n * 8);
        for (int p = 0; p <= parts; p++)
            if (wide) o[p] = offsets[p];
            else ((int32_t *)o)[p] = (int32_t)offsets[p];
        for (int i = 0; i < n; i++)
            if (wide) a[i] = at[i];
            else ((int32_t *)a)[i] = (int32_t)at[i];
        x = (by_rows ? aoso_csr : aoso_csc)(o, a, wide ? AOSO_INT64 : AOSO_INT32, v, AOSO_FLOAT64, n, rows, COLS);
        if (wide) x.index_dtype = (int32_t)some_count(AOSO_INT64);
        x.nnz = some_size(n, (int64_t)1 << 48);
        break;
    }
    default: x = aoso_row_major(v, AOSO_FLOAT64, rows, COLS);
    }
    if (rarely()) x.dtype = (int32_t)draw(14);
    if (rarely()) x.layout = x.layout == AOSO_DENSE ? (int32_t)draw(8) - 1 : AOSO_DENSE;
    x.rows = some_size(rows, UINT32_MAX);
    x.cols = some_size(COLS, INT32_MAX);
    if (rarely()) x.row_stride = draw(2) ? 0 : some_size(x.row_stride, (int64_t)1 << 48);
    if (x.row_stride == -1) x.row_stride = 1;
    if (rarely()) x.col_stride = 0;
    if (rarely()) x.data = rarely() ? (const void *)8 : NULL;
    if (rarely()) x.indptr = x.indices = NULL;
    x.struct_size = some_struct_size(sizeof x);
    return STRUCT(x);
}

static aoso_labels *some_labels(void) {
    const int64_t rows = ROWS / 4;
    aoso_labels y;
    switch (draw(4)) {
    case 0: y = aoso_labels_of(copy_of(values, (size_t)rows * 8), AOSO_FLOAT64, rows); break;
    case 1: {
        static const char *text[ROWS];
        for (int i = 0; i < rows; i++) text[i] = classes[i] ? "one" : "zero";
        if (rarely()) text[draw((uint64_t)rows)] = some_text("two");
        y = aoso_string_labels(copy_of(text, (size_t)rows * sizeof *text), rows);
        break;
    }
    default: {
        int32_t *k = copy_of(classes, (size_t)rows * 8); // enough for wider types
        if (rarely()) k[draw((uint64_t)rows)] = (int32_t)some_count(5);
        y = aoso_int32_labels(k, rows);
        if (rarely()) y.dtype = (int32_t)draw(AOSO_STRING);
        if (draw(3) == 0) {
            static const char *const names[] = {"0", "1", "2"};
            y.class_names = names;
            y.num_class_names = some_size(3, (int64_t)1 << 48);
        }
    }
    }
    y.count = some_size(rows, UINT32_MAX);
    if (rarely() && rarely()) y.data = NULL;
    y.struct_size = some_struct_size(sizeof y);
    return STRUCT(y);
}

// Weights by row, or null; their number in *n.
static double *some_weights(int64_t *n) {
    static double weights[ROWS / 4];
    *n = some_count(0);
    if (draw(3)) return NULL;
    for (int i = 0; i < ROWS / 4; i++) weights[i] = 1;
    if (rarely()) weights[draw(ROWS / 4)] = some_number(-1);
    *n = some_size(ROWS / 4, (int64_t)1 << 48);
    return copy_of(weights, sizeof weights);
}

static aoso_dataset_options *some_dataset_options(int with_weights) {
    static const char *const names[COLS] = {"a", "b", "c", "d", "e", "f"};
    aoso_dataset_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.max_bins = (int32_t)some_count((int64_t)draw(257));
    o.sample_rows = some_count(0);
    o.num_threads = (int32_t)some_size((int64_t)draw(3), 4096);
    o.dense_only = (int32_t)draw(2);
    if (draw(4) == 0) {
        o.feature_names = names;
        o.num_feature_names = some_size(COLS, (int64_t)1 << 48);
    }
    if (with_weights || rarely()) o.weights = some_weights(&o.num_weights);
    if (rarely()) o.init = some_handle(MODEL);
    return STRUCT(o);
}

#define DRAW_CHOICE(type, field, values) p.field = (type)some_count((int64_t)draw(values));
#define DRAW_COUNT(type, field) p.field = (type)some_count(p.field);
#define DRAW_NUMBER(field) p.field = some_number(p.field);

static aoso_params *some_params(void) {
    aoso_params p = parse("trees=3 leaves=4");
    if (draw(3) == 0) return NULL;
    PARAM_KINDS(DRAW_CHOICE, DRAW_COUNT, DRAW_NUMBER)
    p.num_threads = some_size((int64_t)draw(3), 4096);
    p.level = rarely() ? some_text("generic") : NULL;
    p.struct_size = some_struct_size(sizeof p);
    if (p.struct_size < 72) p.struct_size = sizeof p; // a thousand trees take long
    return STRUCT(p);
}

static int32_t stop_soon(const aoso_progress *p, void *user) {
    (void)user;
    return p->iteration >= 3;
}

static aoso_train_options *some_train_options(void) {
    aoso_train_options o = {.struct_size = sizeof o, .callback = stop_soon, .user = (void *)(uintptr_t)draw(9)};
    o.eval_every = (int32_t)some_count(0);
    if (draw(3) == 0) o.valid = some_handle(DATASET);
    return copy_of(&o, sizeof o); // never null: the callback bounds the time
}

static aoso_predict_options *some_predict_options(void) {
    aoso_predict_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.num_threads = (int32_t)some_size((int64_t)draw(3), 4096);
    o.trees = some_count(0);
    return STRUCT(o);
}

static aoso_refit_options *some_refit_options(void) {
    aoso_refit_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.num_threads = (int32_t)some_size((int64_t)draw(3), 4096);
    o.weights = some_weights(&o.num_weights);
    o.keep = some_number(0.5);
    return STRUCT(o);
}

// Callbacks that look at all they are given.
static int32_t take_part(const void *bytes, size_t size, void *user) {
    (void)user;
    free(memcpy(malloc(size), bytes, size));
    return rarely();
}

static int32_t take_stage(int64_t trees, const double *raw, int64_t length, void *user) {
    (void)user;
    for (int64_t i = 0; i < length; i++) EXPECT(fabs(raw[i]) <= 100 * (double)trees);
    return rarely();
}

// A struct to fill in.
static void *some_out(size_t size) {
    if (rarely()) return NULL;
    uint32_t struct_size = some_struct_size(size);
    if (struct_size >= 4 && struct_size < size) size = struct_size;
    return memcpy(memset(guarded(size), 0, size), &struct_size, sizeof struct_size);
}

// ------------------------------------------------------------------- calls --

static aoso_status call(uint64_t which) {
    int kind = (int)draw(KINDS);
    size_t size = draw(2) ? 0 : draw(3) ? 4000 : draw(40), *needed = rarely() ? NULL : guarded(sizeof *needed);
    char *buffer = size && !rarely() ? guarded(size) : NULL;
    void *h = some_handle(kind), *d = some_handle(DATASET), *m = some_handle(MODEL), *b = some_handle(BOOSTER);
    void *bu = some_handle(BUILDER), *p = some_handle(PREDICTOR), *c = some_handle(CONTRIBUTIONS);
    aoso_status s;
    int64_t n = 0;
    switch (which) {
    case 0: return aoso_build_info(buffer, size, needed);
    case 1: s = aoso_dataset_create(some_matrix(), some_labels(), some_dataset_options(1), (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 2: s = aoso_dataset_create_aligned(d, some_matrix(), some_labels(), some_dataset_options(1), (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 3: return aoso_dataset_get_info(d, some_out(sizeof(aoso_dataset_info)));
    case 4: return aoso_dataset_class_name(d, some_count(1), buffer, size, needed);
    case 5: return aoso_dataset_feature_name(d, some_count(1), buffer, size, needed);
    case 6: return aoso_dataset_save(d, some_path());
    case 7: s = aoso_dataset_load(some_path(), (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 8: s = aoso_builder_create(some_count(COLS), some_dataset_options(0), (aoso_builder **)out_handle()); keep(BUILDER, s); return s;
    case 9: {
        aoso_matrix *x = some_matrix();
        double *w = rarely() ? some_weights(&n) : NULL;
        return aoso_builder_push(bu, x, some_labels(), w, n);
    }
    case 10: s = aoso_builder_finish(bu, (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 11: {
        uint32_t n = some_struct_size(sizeof(aoso_params));
        return aoso_params_init(rarely() ? NULL : guarded(n <= sizeof(aoso_params) ? n : sizeof(aoso_params)), n);
    }
    case 12: return aoso_params_parse(some_params(), some_text("trees=4 seed=9"));
    case 13: return aoso_params_check(some_params());
    case 14: return aoso_estimate_memory(some_count(100), some_count(10), some_count(3), some_count(0), (int32_t)some_count(0), some_params(), some_out(sizeof(aoso_memory)));
    case 15: {
        aoso_params *params = some_params();
        aoso_train_options *o = some_train_options();
        s = aoso_train(d, params, o, (aoso_model **)out_handle(), some_out(sizeof(aoso_result)));
        keep(MODEL, s);
        return s;
    }
    case 16: s = aoso_booster_create(d, some_params(), some_train_options(), (aoso_booster **)out_handle()); keep(BOOSTER, s); return s;
    case 17: return aoso_booster_step(b, some_out(sizeof(aoso_progress)));
    case 18: return aoso_booster_run(b, some_out(sizeof(aoso_result)));
    case 19: return aoso_booster_interrupt(b);
    case 20: s = aoso_booster_model(b, (aoso_model **)out_handle(), some_out(sizeof(aoso_result))); keep(MODEL, s); return s;
    case 21: return aoso_model_get_info(m, some_out(sizeof(aoso_model_info)));
    case 22: return aoso_model_class_name(m, some_count(1), buffer, size, needed);
    case 23: return aoso_model_feature_name(m, some_count(1), buffer, size, needed);
    case 24: return aoso_model_describe(m, buffer, size, needed);
    case 25: return aoso_model_save(m, some_path());
    case 26: s = aoso_model_load(some_path(), (aoso_model **)out_handle()); keep(MODEL, s); return s;
    case 27: return aoso_model_encode(m, buffer, size, needed);
    case 28: {
        size_t n = 0;
        unsigned char *bytes = NULL;
        if (aoso_model_encode(live[MODEL][0], NULL, 0, &n) == AOSO_OK) {
            bytes = guarded(n);
            OK(aoso_model_encode(live[MODEL][0], bytes, n, NULL));
            for (uint64_t i = draw(4); i > 0; i--) bytes[draw(n)] ^= (unsigned char)(1u << draw(8));
        }
        if (rarely()) n = draw(n + 1);
        s = aoso_model_decode(bytes, rarely() ? (size_t)-1 - draw(9) : n, (aoso_model **)out_handle());
        keep(MODEL, s);
        return s;
    }
    case 29: return aoso_model_fingerprint(m, buffer, size, needed);
    case 30: return aoso_model_dump(m, some_count(1), buffer, size, needed);
    case 31: {
        n = some_count(COLS);
        return aoso_model_importance(m, (int32_t)some_count(1), results(n, 8), n);
    }
    case 32:
    case 33:
    case 34:
    case 35: {
        int64_t rows = ROWS / 4;
        n = some_count(which == 32 ? rows : rows * CLASSES);
        void *out = results(n, which == 32 || which == 35 ? 4 : 8);
        aoso_matrix *x = some_matrix();
        aoso_predict_options *o = some_predict_options();
        if (which == 32) return aoso_model_predict(m, x, o, out, n);
        if (which == 33) return aoso_model_predict_proba(m, x, o, out, n);
        if (which == 34) return aoso_model_predict_raw(m, x, o, out, n);
        return aoso_model_predict_leaf(m, x, o, out, n);
    }
    case 36: s = aoso_predictor_create(m, some_predict_options(), (aoso_predictor **)out_handle()); keep(PREDICTOR, s); return s;
    case 37:
    case 38:
    case 39: {
        double row[COLS];
        for (int j = 0; j < COLS; j++) row[j] = some_number((double)draw(50));
        const double *at = rarely() ? NULL : copy_of(row, sizeof row);
        int64_t features = some_count(COLS);
        n = some_count(CLASSES);
        if (which == 37) return aoso_predictor_class(p, at, features, rarely() ? NULL : guarded(4));
        if (which == 38) return aoso_predictor_proba(p, at, features, results(n, 8), n);
        return aoso_predictor_raw(p, at, features, results(n, 8), n);
    }
    case 40: return aoso_set_log(NULL, (void *)(uintptr_t)draw(9));
    case 41: s = aoso_builder_finish_aligned(bu, d, (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 42: return aoso_model_tree(m, some_count((int64_t)draw(3)), buffer, size, needed);
    case 43: return aoso_model_export(m, (int32_t)some_count((int64_t)draw(5)), some_count(0), rarely() ? NULL : take_part, NULL);
    case 44: return aoso_model_export_file(m, (int32_t)some_count((int64_t)draw(5)), some_count(0), some_path());
    case 45: {
        n = some_size(100, (int64_t)1 << 48);
        aoso_pair_importance *out = results(n, sizeof *out);
        return aoso_model_pair_importance(m, out, n, rarely() ? NULL : guarded(8));
    }
    case 46: s = aoso_model_truncate(m, some_count(1), (aoso_model **)out_handle()); keep(MODEL, s); return s;
    case 47: {
        const aoso_model *all[3];
        for (int i = 0; i < 3; i++) all[i] = some_handle(MODEL);
        if (draw(2)) all[1] = all[2] = all[0];
        s = aoso_model_merge(rarely() ? NULL : copy_of(all, sizeof all), some_size(3, 1 << 24), (aoso_model **)out_handle());
        if (s == AOSO_OK) OK(aoso_model_free(made)); // models of models of models have no end
        else keep(MODEL, s);
        return s;
    }
    case 48: {
        aoso_matrix *x = some_matrix();
        aoso_labels *y = some_labels();
        s = aoso_model_refit(m, x, y, some_refit_options(), (aoso_model **)out_handle());
        keep(MODEL, s);
        return s;
    }
    case 49: return aoso_model_predict_staged(m, some_matrix(), some_predict_options(), some_count(1), rarely() ? NULL : take_stage, NULL);
    case 50:
    case 51: {
        double *w = some_weights(&n);
        aoso_matrix *x = some_matrix();
        aoso_labels *y = some_labels();
        aoso_predict_options *o = some_predict_options();
        if (which == 50) return aoso_model_evaluate(m, x, y, w, n, o, rarely() ? NULL : guarded(sizeof(aoso_evaluation)));
        s = aoso_model_calibrate(m, x, y, w, n, o, (aoso_model **)out_handle(), some_out(sizeof(aoso_calibration)));
        keep(MODEL, s);
        return s;
    }
    case 52: {
        n = some_count(ROWS / 4 * CLASSES * (COLS + 1));
        double *out = results(n, 8);
        return aoso_model_shap(m, some_matrix(), some_predict_options(), out, n);
    }
    case 53:
        s = aoso_model_shap_sparse(m, some_matrix(), some_predict_options(), some_count((int64_t)draw(4)), (aoso_contributions **)out_handle());
        keep(CONTRIBUTIONS, s);
        return s;
    case 54: return aoso_contributions_get_info(c, some_out(sizeof(aoso_contributions_info)));
    case 55: {
        aoso_contributions_info i = {.struct_size = sizeof i};
        aoso_contributions_get_info(c, &i); // zeros, if it is none
        int32_t *class_of = results(i.lines, 4), *columns = results(i.values, 4);
        int64_t *indptr = results(i.lines + 1, 8);
        double *values = results(i.values, 8);
        return aoso_contributions_read(c, class_of, indptr, some_count(i.lines), columns, values, some_count(i.values));
    }
    case 56: {
        const int32_t some[] = {(int32_t)some_count(1), (int32_t)some_count(0)};
        const double *row = rarely() ? NULL : copy_of(values, COLS * 8);
        n = some_size(2, UINT16_MAX); // more classes than a model can have
        return aoso_predictor_raw_of(p, row, some_count(COLS), rarely() ? NULL : copy_of(some, sizeof some), n, results(2, 8));
    }
    case 57: return aoso_predictor_walked(p, rarely() ? NULL : guarded(8));
    case 58: s = aoso_dataset_read(some_path(), (aoso_dataset **)out_handle()); keep(DATASET, s); return s;
    case 59: return aoso_suggest_params(some_count(1000000), some_count(10), some_count(3), buffer, size, needed);
    }
    if (draw(4)) return AOSO_OK; // keep most
    s = free_handle(kind, h);
    if (s == AOSO_OK && h) forget(h);
    return s;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    folder = argv[1];
    state = strtoull(argv[2], NULL, 10);
    make_data();
    aoso_dataset *d = make_dataset();
    fingerprint before = fingerprint_on(d);
    const char *most = getenv("AOSO_FUZZ_CALLS");
    const long wanted = most ? atol(most) : 0;
    const time_t end = time(NULL) + atoi(argv[3]);
    long calls = 0, good[AOSO_INTERNAL + 1] = {0};
    if (!wanted) alarm((unsigned)atoi(argv[3]) + 60);
    while ((wanted ? calls < wanted : time(NULL) < end) && failures == 0)
        for (int i = 0; i < 100; i++, calls++) {
            used = 0;
            const uint64_t at = state, which = draw(62);
            aoso_status status = call(which);
            if (status < 0 || status > AOSO_OUT_OF_MEMORY || (status != AOSO_OK && strncmp(aoso_last_error(), "aoso: ", 6) != 0 && status != AOSO_IO && status != AOSO_BAD_FORMAT)) {
                fprintf(stderr, "fuzz: state %llu, function %d: %d, %s\n", (unsigned long long)at, (int)which, (int)status, aoso_last_error());
                failures++;
                break;
            }
            good[status]++;
        }
    EXPECT(same(before, fingerprint_on(make_dataset())));
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < SLOTS; i++) OK(free_handle(kind, live[kind][i]));
    for (int i = 0; i < 4; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/fuzz-%d", folder, i);
        remove(path);
    }
    printf("fuzz: %ld calls; by status", calls);
    for (int s = 0; s <= AOSO_OUT_OF_MEMORY; s++) printf(" %ld", good[s]);
    printf("\n");
    return finish("fuzz");
}
