// Calls every function with random arguments: nulls, wrong sizes, freed handles and
// handles of other objects, huge counts, damaged data. No call may crash, hang,
// write past its memory or return AOSO_INTERNAL, and in the end the library must
// work as before. A page that cannot be accessed follows all memory that is passed.
//
//     fuzz FOLDER SEED SECONDS
//
// If AOSO_FUZZ_CALLS is set in the environment, it is the number of calls, and
// SECONDS is ignored.
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

// Blocks of guarded memory, valid until the next call has returned.
enum { BLOCKS = 32 };
static struct {
    char *start;
    size_t size, end; // size of the mapping, offset of the guard page
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

enum { DATASET, MODEL, TRAINER, BUILDER, PREDICTOR, CONTRIBUTIONS, KINDS, SLOTS = 4 };
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
    case TRAINER: return aoso_trainer_free(h);
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

// A place for the handle that a call creates, or null.
static void *made;
static void **out_handle(void) {
    made = &made;
    return rarely() ? NULL : &made;
}

// Stores the created handle in a slot and frees the handle that was there.
static void keep(int kind, aoso_status status) {
    if (status != AOSO_OK) {
        EXPECT(made == &made); // the result is set only on success
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

// A size for which there is memory, or one that is out of range.
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
    case 3: return "a\nb=c, =, ==,n_estimators=";
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

// A copy of a struct in guarded memory, with the size that it states; or null.
#define STRUCT(p) (rarely() ? NULL : copy_of(&(p), (p).struct_size <= sizeof(p) && (p).struct_size >= 4 ? (p).struct_size : sizeof(p)))

static aoso_matrix *some_matrix(void) {
    aoso_matrix x;
    const int64_t rows = ROWS / 4;
    double *v = copy_of(values, (size_t)rows * COLS * 8);
    if (rarely()) v[draw((uint64_t)rows * COLS)] = some_number(INFINITY);
    if (rarely()) v[draw((uint64_t)rows * COLS)] = NAN;
    switch (draw(6)) {
    case 5: {
        static const char *const names[] = {"a", "b", "c", "1"};
        static const int64_t offsets[] = {0, 1, 2, 2, 6};
        aoso_column columns[COLS];
        for (int j = 0; j < COLS; j++) {
            columns[j] = aoso_numbers(v + j * rows, AOSO_FLOAT64);
            if (draw(2)) continue;
            int32_t *codes = guarded((size_t)rows * 4);
            for (int i = 0; i < rows; i++) codes[i] = rarely() && rarely() ? (int32_t)some_count(3) : (int32_t)draw(4);
            columns[j] = draw(2) ? aoso_categories(codes, names, 4) : aoso_categories_in(codes, "abcd\xc3\xa9", offsets, 4);
            if (rarely() && rarely()) columns[j].kind = (int32_t)draw(3);
            if (rarely() && rarely()) columns[j].dtype = (int32_t)draw(2) ? AOSO_UINT32 : AOSO_FLOAT32;
        }
        x = aoso_table(copy_of(columns, sizeof columns), rows, COLS);
        break;
    }
    case 0: {
        static const void *columns[COLS];
        for (int j = 0; j < COLS; j++) columns[j] = rarely() && rarely() ? NULL : v + j * rows;
        x = aoso_columns(copy_of(columns, sizeof columns), AOSO_FLOAT64, rows, COLS);
        break;
    }
    case 1:
    case 2: {
        // Every second value. There are 8 bytes for each offset and index, whatever their type.
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
    if (rarely()) x.layout = x.layout == AOSO_DENSE ? (int32_t)draw(9) - 1 : AOSO_DENSE;
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
        int32_t *k = copy_of(classes, (size_t)rows * 8); // large enough for wider types
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

// The weights of the rows, or null. Sets *n to their number.
static double *some_weights(int64_t *n) {
    static double weights[ROWS / 4];
    *n = some_count(0);
    if (draw(3)) return NULL;
    for (int i = 0; i < ROWS / 4; i++) weights[i] = 1;
    if (rarely()) weights[draw(ROWS / 4)] = some_number(-1);
    *n = some_size(ROWS / 4, (int64_t)1 << 48);
    return copy_of(weights, sizeof weights);
}

static uint64_t *some_ids(int64_t *n) {
    static uint64_t ids[ROWS / 4];
    *n = some_count(0);
    if (draw(3) == 0) return NULL;
    for (int i = 0; i < ROWS / 4; i++) ids[i] = (uint64_t)i * 5;
    if (rarely()) ids[draw(ROWS / 4)] = draw(ROWS);
    *n = some_size(ROWS / 4, (int64_t)1 << 48);
    return copy_of(ids, sizeof ids);
}

static aoso_dataset_options *some_dataset_options(int with_weights) {
    static const char *const names[COLS] = {"a", "b", "c", "d", "e", "f"};
    aoso_dataset_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.max_bin = (int32_t)some_count((int64_t)draw(257));
    o.sample_rows = some_count(0);
    o.nthread = (int32_t)some_size((int64_t)draw(3), 4096);
    o.dense_only = (int32_t)draw(2);
    if (draw(4) == 0) {
        o.feature_names = names;
        o.num_feature_names = some_size(COLS, (int64_t)1 << 48);
    }
    if (with_weights || rarely()) o.weights = some_weights(&o.num_weights);
    if (rarely()) o.row_ids = some_ids(&o.num_row_ids);
    if (rarely()) o.init = some_handle(MODEL);
    if (rarely()) o.path = some_path();
    return STRUCT(o);
}

#define DRAW_CHOICE(type, field, values) p.field = (type)some_count((int64_t)draw(values));
#define DRAW_COUNT(type, field) p.field = (type)some_count(p.field);
#define DRAW_NUMBER(field) p.field = some_number(p.field);

static aoso_params *some_params(void) {
    aoso_params p = parse("n_estimators=3 max_leaves=4");
    if (draw(3) == 0) return NULL;
    PARAM_KINDS(DRAW_CHOICE, DRAW_COUNT, DRAW_NUMBER)
    p.nthread = some_size((int64_t)draw(3), 4096);
    p.level = rarely() ? some_text("generic") : NULL;
    p.struct_size = some_struct_size(sizeof p);
    if (p.struct_size < 72) p.struct_size = sizeof p; // the default number of trees would take too long
    return STRUCT(p);
}

static int32_t stop_soon(const aoso_progress *p, void *user) {
    (void)user;
    return p->iteration >= (p->phase == AOSO_PHASE_TRAIN ? 3 : 10); // so that some trainings reach the second phase
}

static int32_t squares(const double *scores, int64_t rows, int64_t classes, double *gradient, double *hessian, void *user) {
    for (int64_t i = 0; i < rows * classes; i++) {
        gradient[i] = scores[i] - (i % (classes + 1) == 0);
        hessian[i] = 1;
    }
    return user == NULL ? 0 : 1;
}

static aoso_train_options *some_train_options(void) {
    aoso_train_options o = {.struct_size = sizeof o, .callback = stop_soon, .user = (void *)(uintptr_t)draw(9)};
    o.eval_every = (int32_t)some_count(0);
    if (draw(3) == 0) o.valid = some_handle(DATASET);
    if (draw(3) == 0) {
        void *others[2] = {some_handle(DATASET), some_handle(DATASET)};
        o.others = rarely() ? NULL : copy_of(others, sizeof others);
        o.num_others = rarely() ? -1 : (int64_t)draw(3);
    }
    if (rarely()) o.objective = squares;
    return copy_of(&o, sizeof o); // never null, because the callback limits the time
}

static aoso_predict_options *some_predict_options(void) {
    aoso_predict_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.nthread = (int32_t)some_size((int64_t)draw(3), 4096);
    o.trees = some_count(0);
    return STRUCT(o);
}

static aoso_refit_options *some_refit_options(void) {
    aoso_refit_options o = {.struct_size = some_struct_size(sizeof o)};
    if (draw(2)) return NULL;
    o.nthread = (int32_t)some_size((int64_t)draw(3), 4096);
    o.weights = some_weights(&o.num_weights);
    o.keep = some_number(0.5);
    return STRUCT(o);
}

// Callbacks that read all their data.
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

// A struct that a call fills in.
static void *some_out(size_t size) {
    if (rarely()) return NULL;
    uint32_t struct_size = some_struct_size(size);
    if (struct_size >= 4 && struct_size < size) size = struct_size;
    return memcpy(memset(guarded(size), 0, size), &struct_size, sizeof struct_size);
}

// ------------------------------------------------------------------- calls --

// A buffer for text or bytes, its size and a place for the size that is needed.
typedef struct output {
    char *buffer;
    size_t size, *needed;
} output;

static output some_output(void) {
    output o = {.size = draw(2) ? 0 : draw(3) ? 4000 : draw(40)};
    if (!rarely()) o.needed = guarded(sizeof *o.needed);
    if (o.size && !rarely()) o.buffer = guarded(o.size);
    return o;
}

// Define functions that make one call with random arguments.
#define CALL(name, call) \
    static aoso_status name(void) { return call; }
#define CALL_OUTPUT(name, call)   \
    static aoso_status name(void) { \
        output o = some_output(); \
        return call;              \
    }
#define CALL_CREATE(name, kind, call) \
    static aoso_status name(void) {   \
        aoso_status s = call;         \
        keep(kind, s);                \
        return s;                     \
    }

#define NEW(type) (type **)out_handle()

CALL_OUTPUT(build_info, aoso_build_info(o.buffer, o.size, o.needed))
CALL(set_log, aoso_set_log(NULL, (void *)(uintptr_t)draw(9)))

static aoso_status params_init(void) {
    uint32_t n = some_struct_size(sizeof(aoso_params));
    return aoso_params_init(rarely() ? NULL : guarded(n <= sizeof(aoso_params) ? n : sizeof(aoso_params)), n);
}

CALL(params_parse, aoso_params_parse(some_params(), some_text("n_estimators=4 seed=9")))
CALL(params_check, aoso_params_check(some_params()))
CALL(estimate_memory, aoso_estimate_memory(some_count(100), some_count(10), some_count(3), some_count(0), (int32_t)some_count(0),
                                           some_params(), some_out(sizeof(aoso_memory))))
CALL_OUTPUT(suggest_params, aoso_suggest_params(some_count(1000000), some_count(10), some_count(3), o.buffer, o.size, o.needed))

CALL_CREATE(dataset_create, DATASET, aoso_dataset_create(some_matrix(), some_labels(), some_dataset_options(1), NEW(aoso_dataset)))
CALL_CREATE(dataset_create_aligned, DATASET,
            aoso_dataset_create_aligned(some_handle(DATASET), some_matrix(), some_labels(), some_dataset_options(1), NEW(aoso_dataset)))
CALL(dataset_get_info, aoso_dataset_get_info(some_handle(DATASET), some_out(sizeof(aoso_dataset_info))))
CALL_OUTPUT(dataset_class_name, aoso_dataset_class_name(some_handle(DATASET), some_count(1), o.buffer, o.size, o.needed))
CALL_OUTPUT(dataset_feature_name, aoso_dataset_feature_name(some_handle(DATASET), some_count(1), o.buffer, o.size, o.needed))
CALL_OUTPUT(dataset_categories, aoso_dataset_categories(some_handle(DATASET), some_count(1), o.buffer, o.size, o.needed,
                                                        rarely() ? NULL : guarded(8)))
static aoso_status dataset_labels(void) {
    int64_t n = some_size(ROWS / 4, 100000);
    return aoso_dataset_labels(some_handle(DATASET), results(n, sizeof(int32_t)), n);
}
static aoso_status dataset_weights(void) {
    int64_t n = some_size(ROWS / 4, 100000);
    return aoso_dataset_weights(some_handle(DATASET), results(n, sizeof(double)), n);
}
static aoso_status dataset_balanced_weights(void) {
    int64_t n = some_size(CLASSES, 100000);
    return aoso_dataset_balanced_weights(some_handle(DATASET), results(n, sizeof(double)), n);
}
CALL(dataset_save, aoso_dataset_save(some_handle(DATASET), some_path()))
CALL_CREATE(dataset_load, DATASET, aoso_dataset_load(some_path(), NEW(aoso_dataset)))
CALL_CREATE(dataset_read, DATASET, aoso_dataset_read(some_path(), NEW(aoso_dataset)))

CALL_CREATE(builder_create, BUILDER, aoso_builder_create(some_count(COLS), some_dataset_options(0), NEW(aoso_builder)))
static aoso_status builder_append(void) {
    int64_t n = 0;
    double *w = rarely() ? some_weights(&n) : NULL;
    if (draw(2)) return aoso_builder_append(some_handle(BUILDER), some_matrix(), some_labels(), w, n);
    int64_t ids = 0;
    uint64_t *id = draw(2) ? some_ids(&ids) : NULL;
    return aoso_builder_append_with_ids(some_handle(BUILDER), some_matrix(), some_labels(), w, n, id, ids);
}
static aoso_status builder_sample(void) {
    int64_t n = 0, ids = 0;
    double *w = rarely() ? some_weights(&n) : NULL;
    uint64_t *id = rarely() ? some_ids(&ids) : NULL;
    return aoso_builder_sample(some_handle(BUILDER), some_matrix(), some_labels(), w, n, id, ids);
}
CALL_CREATE(builder_finish, DATASET, aoso_builder_finish(some_handle(BUILDER), NEW(aoso_dataset)))
CALL_CREATE(builder_finish_aligned, DATASET, aoso_builder_finish_aligned(some_handle(BUILDER), some_handle(DATASET), NEW(aoso_dataset)))

CALL_CREATE(train, MODEL, aoso_train(some_handle(DATASET), some_params(), some_train_options(), NEW(aoso_model), some_out(sizeof(aoso_result))))
CALL_CREATE(trainer_create, TRAINER, aoso_trainer_create(some_handle(DATASET), some_params(), some_train_options(), NEW(aoso_trainer)))
CALL(trainer_step, aoso_trainer_step(some_handle(TRAINER), some_out(sizeof(aoso_progress))))
static aoso_status trainer_scores(void) {
    int64_t n = some_size(ROWS / 4 * CLASSES, 100000);
    return aoso_trainer_scores(some_handle(TRAINER), some_count(0), results(n, sizeof(double)), n);
}
CALL(trainer_measure, aoso_trainer_measure(some_handle(TRAINER), some_count(0), some_text("auc_ovr"), rarely() ? NULL : guarded(8)))
static int32_t end_at_once(void *user) { return user == NULL; }
static aoso_status suggest_codes(void) {
    const int64_t n = some_size(3, 100), most = 100;
    return aoso_suggest_codes(some_matrix(), some_labels(), some_dataset_options(1), results(n < most ? n : most, sizeof(aoso_code_suggestion)), n,
                              rarely() ? NULL : guarded(8), draw(2) ? end_at_once : NULL, NULL);
}
static aoso_status trainer_suspicious_rows(void) {
    const int64_t n = some_count(20), most = 100000; // rows that the memory has room for; there are never more
    return aoso_trainer_suspicious_rows(some_handle(TRAINER), results(n < most ? n : most, sizeof(aoso_suspicious_row)), n,
                                        rarely() ? NULL : guarded(8));
}
static aoso_status trainer_suspicious_rows_with(void) {
    aoso_trainer *others[] = {some_handle(TRAINER), some_handle(TRAINER)};
    const int64_t n = some_count(20), most = 100000;
    return aoso_trainer_suspicious_rows_with(some_handle(TRAINER), rarely() ? NULL : others, draw(3),
                                             results(n < most ? n : most, sizeof(aoso_suspicious_row)), n, rarely() ? NULL : guarded(8));
}
CALL(trainer_judge, aoso_trainer_judge(some_handle(TRAINER), some_number(5), some_out(sizeof(aoso_progress))))
CALL(trainer_set_learning_rate, aoso_trainer_set_learning_rate(some_handle(TRAINER), some_number(1)))
CALL(trainer_run, aoso_trainer_run(some_handle(TRAINER), some_out(sizeof(aoso_result))))
CALL(trainer_interrupt, aoso_trainer_interrupt(some_handle(TRAINER)))
CALL_CREATE(trainer_model, MODEL, aoso_trainer_model(some_handle(TRAINER), NEW(aoso_model), some_out(sizeof(aoso_result))))

CALL(model_get_info, aoso_model_get_info(some_handle(MODEL), some_out(sizeof(aoso_model_info))))
CALL_OUTPUT(model_class_name, aoso_model_class_name(some_handle(MODEL), some_count(1), o.buffer, o.size, o.needed))
CALL_OUTPUT(model_feature_name, aoso_model_feature_name(some_handle(MODEL), some_count(1), o.buffer, o.size, o.needed))
CALL_OUTPUT(model_categories, aoso_model_categories(some_handle(MODEL), some_count(1), o.buffer, o.size, o.needed, rarely() ? NULL : guarded(8)))
CALL_OUTPUT(model_describe, aoso_model_describe(some_handle(MODEL), o.buffer, o.size, o.needed))
CALL_OUTPUT(model_fingerprint, aoso_model_fingerprint(some_handle(MODEL), o.buffer, o.size, o.needed))
CALL_OUTPUT(model_label_type, aoso_model_label_type(some_handle(MODEL), o.buffer, o.size, o.needed))
CALL_CREATE(model_with_label_type, MODEL, aoso_model_with_label_type(some_handle(MODEL), some_path(), NEW(aoso_model)))
CALL(model_find_category, aoso_model_find_category(some_handle(MODEL), some_count(1), some_text("b"), rarely() ? NULL : guarded(8)))
CALL_OUTPUT(model_dump, aoso_model_dump(some_handle(MODEL), some_count(1), o.buffer, o.size, o.needed))
CALL_OUTPUT(model_tree, aoso_model_tree(some_handle(MODEL), some_count((int64_t)draw(3)), o.buffer, o.size, o.needed))
CALL(model_save, aoso_model_save(some_handle(MODEL), some_path()))
CALL_CREATE(model_load, MODEL, aoso_model_load(some_path(), NEW(aoso_model)))
CALL_OUTPUT(model_encode, aoso_model_encode(some_handle(MODEL), o.buffer, o.size, o.needed))

// Decodes a model with some bits changed.
static aoso_status model_decode(void) {
    size_t n = 0;
    unsigned char *bytes = NULL;
    if (aoso_model_encode(live[MODEL][0], NULL, 0, &n) == AOSO_OK) {
        bytes = guarded(n);
        OK(aoso_model_encode(live[MODEL][0], bytes, n, NULL));
        for (uint64_t i = draw(4); i > 0; i--) bytes[draw(n)] ^= (unsigned char)(1u << draw(8));
    }
    if (rarely()) n = draw(n + 1);
    aoso_status s = aoso_model_decode(bytes, rarely() ? (size_t)-1 - draw(9) : n, NEW(aoso_model));
    keep(MODEL, s);
    return s;
}

static const char *some_format(void) {
    static const char *const formats[] = {"onnx", "lightgbm", "json", "dot", "text", "c", "go", "", "pmml", "\xff"};
    return rarely() ? NULL : formats[draw(sizeof formats / sizeof *formats)];
}

CALL_OUTPUT(export_formats, aoso_export_formats(o.buffer, o.size, o.needed))
CALL(model_export, aoso_model_export(some_handle(MODEL), some_format(), some_count(0), rarely() ? NULL : take_part, NULL))
CALL(model_export_file, aoso_model_export_file(some_handle(MODEL), some_format(), some_count(0), some_path()))

static aoso_status model_first_trees(void) {
    int64_t n = some_size(3, 100000);
    return aoso_model_first_trees(some_handle(MODEL), results(n, sizeof(int32_t)), n);
}
static aoso_status model_importance(void) {
    int64_t n = some_count(COLS);
    return aoso_model_importance(some_handle(MODEL), (int32_t)some_count(1), results(n, 8), n);
}

static aoso_status model_pair_importance(void) {
    int64_t n = some_size(100, (int64_t)1 << 48);
    return aoso_model_pair_importance(some_handle(MODEL), results(n, sizeof(aoso_pair_importance)), n, rarely() ? NULL : guarded(8));
}

CALL_CREATE(model_truncate, MODEL, aoso_model_truncate(some_handle(MODEL), some_count(1), NEW(aoso_model)))
CALL_CREATE(model_refit, MODEL, aoso_model_refit(some_handle(MODEL), some_matrix(), some_labels(), some_refit_options(), NEW(aoso_model)))

static aoso_status model_merge(void) {
    const aoso_model *all[3];
    for (int i = 0; i < 3; i++) all[i] = some_handle(MODEL);
    if (draw(2)) all[1] = all[2] = all[0];
    aoso_status s = aoso_model_merge(rarely() ? NULL : copy_of(all, sizeof all), some_size(3, 1 << 24), NEW(aoso_model));
    if (s == AOSO_OK) OK(aoso_model_free(made)); // otherwise merged models would grow without limit
    else keep(MODEL, s);
    return s;
}

static aoso_status model_evaluate(void) {
    int64_t n;
    double *w = some_weights(&n);
    return aoso_model_evaluate(some_handle(MODEL), some_matrix(), some_labels(), w, n, some_predict_options(),
                               rarely() ? NULL : guarded(sizeof(aoso_evaluation)));
}

static aoso_status model_confusions(void) {
    const int64_t n = some_count(20), most = 100000; // pairs that the memory has room for; there are never more
    return aoso_model_confusions(some_handle(MODEL), some_matrix(), some_labels(), some_predict_options(),
                                 results(n < most ? n : most, sizeof(aoso_confusion)), n, rarely() ? NULL : guarded(8));
}

// Raw scores of as many rows as the features have, most of them finite.
static double *some_raw(int64_t *n) {
    double raw[ROWS / 4 * CLASSES];
    for (int i = 0; i < ROWS / 4 * CLASSES; i++) raw[i] = (double)draw(20) - 10;
    if (rarely()) raw[draw(ROWS / 4 * CLASSES)] = some_number(800);
    *n = some_size(ROWS / 4 * CLASSES, (int64_t)1 << 48);
    return rarely() ? NULL : copy_of(raw, sizeof raw);
}

static aoso_status model_raw_to_proba(void) {
    int64_t n;
    double *raw = some_raw(&n);
    return aoso_model_raw_to_proba(some_handle(MODEL), raw, n);
}

static aoso_status model_evaluate_raw(void) {
    int64_t n, num_weights;
    const double *raw = some_raw(&n), *w = some_weights(&num_weights);
    return aoso_model_evaluate_raw(some_handle(MODEL), raw, n, some_labels(), w, num_weights,
                                   rarely() ? NULL : guarded(sizeof(aoso_evaluation)));
}

CALL_OUTPUT(metrics, aoso_metrics(o.buffer, o.size, o.needed))

static aoso_status model_measure_raw(void) {
    int64_t n, num_weights;
    const double *raw = some_raw(&n), *w = some_weights(&num_weights);
    return aoso_model_measure_raw(some_handle(MODEL), raw, n, some_labels(), w, num_weights, some_text("kappa"),
                                  rarely() ? NULL : guarded(8));
}

static aoso_status model_calibrate(void) {
    int64_t n;
    double *w = some_weights(&n);
    aoso_status s = aoso_model_calibrate(some_handle(MODEL), some_matrix(), some_labels(), w, n, some_predict_options(), NEW(aoso_model),
                                         some_out(sizeof(aoso_calibration)));
    keep(MODEL, s);
    return s;
}

static aoso_status model_conformalize(void) {
    int64_t n;
    double *w = some_weights(&n);
    aoso_status s = aoso_model_conformalize(some_handle(MODEL), some_matrix(), some_labels(), w, n, some_predict_options(), NEW(aoso_model));
    keep(MODEL, s);
    return s;
}

static aoso_status model_predict_set(void) {
    const int64_t n = some_count(ROWS / 4 * CLASSES);
    const aoso_set_options o = {.struct_size = sizeof o, .method = (int32_t)some_count(draw(3)), .alpha = some_number(0.2),
                                .class_conditional = (int32_t)draw(2), .non_empty = (int32_t)draw(2)};
    return aoso_model_predict_set(some_handle(MODEL), some_matrix(), rarely() ? NULL : copy_of(&o, sizeof o), some_predict_options(),
                                  results(n, 1), n);
}

static aoso_status model_decide(void) {
    double costs[CLASSES * 2];
    for (int i = 0; i < CLASSES * 2; i++) costs[i] = rarely() ? some_number(1) : (double)draw(5);
    const int64_t n = some_count(ROWS / 4), num_costs = some_size(CLASSES * 2, (int64_t)1 << 48);
    double *expected = results(n, 8);
    return aoso_model_decide(some_handle(MODEL), some_matrix(), rarely() ? NULL : copy_of(costs, sizeof costs), num_costs,
                             some_predict_options(), results(n, 4), expected, n);
}

static aoso_status model_reliability(void) {
    int64_t n;
    double *w = some_weights(&n);
    return aoso_model_reliability(some_handle(MODEL), some_matrix(), some_labels(), w, n, some_predict_options(),
                                  some_out(sizeof(aoso_reliability)));
}

// The functions that write one number for each row, class and so on.
#define CALL_PREDICT(name, function, type, count)                                                       \
    static aoso_status name(void) {                                                                     \
        int64_t n = some_count(count);                                                                  \
        type *out = results(n, sizeof *out);                                                            \
        return function(some_handle(MODEL), some_matrix(), some_predict_options(), out, n);             \
    }

CALL_PREDICT(model_predict, aoso_model_predict, int32_t, ROWS / 4)
CALL_PREDICT(model_predict_proba, aoso_model_predict_proba, double, ROWS / 4 * CLASSES)
CALL_PREDICT(model_predict_raw, aoso_model_predict_raw, double, ROWS / 4 * CLASSES)
static aoso_status model_predict_top(void) {
    static int32_t classes[ROWS * CLASSES];
    static double proba[ROWS * CLASSES];
    const int64_t top = some_count((int64_t)draw(CLASSES + 1));
    return aoso_model_predict_top(some_handle(MODEL), some_matrix(), some_predict_options(), top, rarely() ? NULL : classes,
                                  rarely() ? NULL : proba, some_count(top > 0 && top <= CLASSES ? ROWS / 4 * top : 0));
}

CALL_PREDICT(model_predict_leaf, aoso_model_predict_leaf, int32_t, ROWS / 4 * CLASSES)
CALL_PREDICT(model_shap, aoso_model_shap, double, ROWS / 4 * CLASSES * (COLS + 1))
CALL(model_predict_staged, aoso_model_predict_staged(some_handle(MODEL), some_matrix(), some_predict_options(), some_count(1),
                                                     rarely() ? NULL : take_stage, NULL))

CALL_CREATE(model_shap_sparse, CONTRIBUTIONS,
            aoso_model_shap_sparse(some_handle(MODEL), some_matrix(), some_predict_options(), some_count((int64_t)draw(4)),
                                   NEW(aoso_contributions)))
CALL(contributions_get_info, aoso_contributions_get_info(some_handle(CONTRIBUTIONS), some_out(sizeof(aoso_contributions_info))))
static aoso_status contributions_read(void) {
    void *c = some_handle(CONTRIBUTIONS);
    aoso_contributions_info i = {.struct_size = sizeof i};
    aoso_contributions_get_info(c, &i); // i stays zero if the handle is invalid
    int32_t *class_of = results(i.lines, 4), *columns = results(i.values, 4);
    int64_t *indptr = results(i.lines + 1, 8);
    double *stored = results(i.values, 8);
    return aoso_contributions_read(c, class_of, indptr, some_count(i.lines), columns, stored, some_count(i.values));
}

CALL_CREATE(predictor_create, PREDICTOR, aoso_predictor_create(some_handle(MODEL), some_predict_options(), NEW(aoso_predictor)))
static const double *some_row(void) {
    double row[COLS];
    for (int j = 0; j < COLS; j++) row[j] = some_number((double)draw(50));
    return rarely() ? NULL : copy_of(row, sizeof row);
}
CALL(predictor_class, aoso_predictor_class(some_handle(PREDICTOR), some_row(), some_count(COLS), rarely() ? NULL : guarded(4)))
static aoso_status predictor_proba(void) {
    int64_t n = some_count(CLASSES);
    return aoso_predictor_proba(some_handle(PREDICTOR), some_row(), some_count(COLS), results(n, 8), n);
}
static aoso_status predictor_raw(void) {
    int64_t n = some_count(CLASSES);
    return aoso_predictor_raw(some_handle(PREDICTOR), some_row(), some_count(COLS), results(n, 8), n);
}
static aoso_status predictor_raw_of(void) {
    const int32_t some[] = {(int32_t)some_count(1), (int32_t)some_count(0)};
    const int64_t n = some_size(2, UINT16_MAX); // more classes than a model can have
    return aoso_predictor_raw_of(some_handle(PREDICTOR), some_row(), some_count(COLS), rarely() ? NULL : copy_of(some, sizeof some), n,
                                 results(2, 8));
}
CALL(predictor_walked, aoso_predictor_walked(some_handle(PREDICTOR), rarely() ? NULL : guarded(8)))

static aoso_status free_some(void) {
    if (draw(4)) return AOSO_OK; // keeps most of the objects
    const int kind = (int)draw(KINDS);
    void *h = some_handle(kind);
    aoso_status s = free_handle(kind, h);
    if (s == AOSO_OK && h) forget(h);
    return s;
}

#define ENTRY(name) {#name, name}
static const struct {
    const char *name;
    aoso_status (*call)(void);
} functions[] = {
    ENTRY(build_info), ENTRY(set_log),
    ENTRY(params_init), ENTRY(params_parse), ENTRY(params_check), ENTRY(estimate_memory), ENTRY(suggest_params),
    ENTRY(dataset_create), ENTRY(dataset_create_aligned), ENTRY(suggest_codes), ENTRY(dataset_get_info), ENTRY(dataset_class_name),
    ENTRY(dataset_feature_name), ENTRY(dataset_categories), ENTRY(dataset_save), ENTRY(dataset_load), ENTRY(dataset_read),
    ENTRY(builder_create), ENTRY(builder_append), ENTRY(builder_sample), ENTRY(builder_finish), ENTRY(builder_finish_aligned),
    ENTRY(dataset_labels), ENTRY(dataset_weights), ENTRY(dataset_balanced_weights), ENTRY(train), ENTRY(trainer_create), ENTRY(trainer_step), ENTRY(trainer_run), ENTRY(trainer_scores), ENTRY(trainer_measure), ENTRY(trainer_judge), ENTRY(trainer_suspicious_rows), ENTRY(trainer_suspicious_rows_with), ENTRY(trainer_set_learning_rate),
    ENTRY(trainer_interrupt), ENTRY(trainer_model),
    ENTRY(model_get_info), ENTRY(model_class_name), ENTRY(model_feature_name), ENTRY(model_categories), ENTRY(model_find_category), ENTRY(model_describe), ENTRY(model_fingerprint), ENTRY(model_label_type), ENTRY(model_with_label_type),
    ENTRY(model_dump), ENTRY(model_tree), ENTRY(model_save), ENTRY(model_load), ENTRY(model_encode), ENTRY(model_decode),
    ENTRY(export_formats), ENTRY(model_export), ENTRY(model_export_file), ENTRY(model_first_trees), ENTRY(model_importance), ENTRY(model_pair_importance),
    ENTRY(model_truncate), ENTRY(model_refit), ENTRY(model_merge), ENTRY(model_evaluate), ENTRY(model_confusions), ENTRY(model_evaluate_raw), ENTRY(model_measure_raw), ENTRY(metrics),
    ENTRY(model_calibrate),
    ENTRY(model_conformalize), ENTRY(model_predict_set), ENTRY(model_decide), ENTRY(model_reliability),
    ENTRY(model_predict), ENTRY(model_predict_proba), ENTRY(model_predict_raw), ENTRY(model_predict_top), ENTRY(model_predict_leaf), ENTRY(model_predict_staged),
    ENTRY(model_raw_to_proba),
    ENTRY(model_shap), ENTRY(model_shap_sparse), ENTRY(contributions_get_info), ENTRY(contributions_read),
    ENTRY(predictor_create), ENTRY(predictor_class), ENTRY(predictor_proba), ENTRY(predictor_raw), ENTRY(predictor_raw_of),
    ENTRY(predictor_walked), ENTRY(free_some), ENTRY(free_some),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    folder = argv[1];
    state = strtoull(argv[2], NULL, 10);
    make_data();
    aoso_dataset *d = make_dataset();
    fingerprint before = fingerprint_on(d);
    const char *text = getenv("AOSO_FUZZ_CALLS");
    const long wanted = text ? atol(text) : 0;
    const time_t end = time(NULL) + atoi(argv[3]);
    long calls = 0, good[AOSO_INTERNAL + 1] = {0};
    if (!wanted) alarm((unsigned)atoi(argv[3]) + 60);
    while ((wanted ? calls < wanted : time(NULL) < end) && failures == 0)
        for (int i = 0; i < 100; i++, calls++) {
            used = 0;
            const uint64_t at = state, which = draw(FUNCTIONS);
            aoso_status status = functions[which].call();
            if (status < 0 || status > AOSO_OUT_OF_MEMORY || (status != AOSO_OK && strncmp(aoso_last_error(), "aoso: ", 6) != 0 && status != AOSO_IO && status != AOSO_BAD_FORMAT)) {
                fprintf(stderr, "fuzz: state %llu, %s: %d, %s\n", (unsigned long long)at, functions[which].name, (int)status, aoso_last_error());
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
