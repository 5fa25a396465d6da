// The public functions. Each returns an error if Go cannot run, sets the default
// floating-point mode, and calls the Go export with its name.
#include <string.h>

#include "_cgo_export.h"
#include "process.h"

_Static_assert(sizeof(void *) == 8, "a handle's number has 64 bits");

// The floating-point mode in which the host called on this thread.
static AOSO_THREAD_LOCAL fpmode host = FP_DEFAULT;

// --------------------------------------------------------------- errors --

static _Thread_local char message[1024];

void shim_set_error(const char *text, size_t n) {
    if (n >= sizeof message) {
        n = sizeof message - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; // do not cut a character
    }
    memcpy(message, text, n);
    message[n] = 0;
}

struct kept {
    struct kept *next;
    char text[];
};

static struct kept *kept; // for leak checkers

char *shim_keep(const char *text, size_t n) {
    struct kept *k = malloc(sizeof *k + n + 1);
    if (!k) abort();
    memcpy(k->text, text, n);
    k->text[n] = 0;
    k->next = kept;
    kept = k;
    return k->text;
}

static void set_error(const char *text) { shim_set_error(text, strlen(text)); }

static __attribute__((noinline, cold)) int32_t refuse(int32_t why) {
    set_error(process_refusal(why));
    return why;
}

// A pointer for Go: without const, which Go does not know. Small numbers become
// null, because Go stacks must not contain them as pointers.
#define P(pointer) ((void *)((uintptr_t)(pointer) < 4096 ? 0 : (uintptr_t)(pointer)))

#define GO(call)                                                     \
    do {                                                             \
        int32_t status_ = atomic_load_explicit(&process_refuses, memory_order_relaxed); \
        if (status_ != AOSO_OK) return refuse(status_);              \
        if (!process_thread_ready) process_ready_thread();           \
        const fpmode outer_ = host;                                  \
        host = fp_enter();                                           \
        status_ = (call);                                            \
        fp_leave(host);                                              \
        host = outer_;                                               \
        return status_;                                              \
    } while (0)

// GO for calls that take long. Moving the host's signal handlers takes longer than
// a call with few rows.
#define GO_LONG(call)            \
    do {                         \
        process_move_handlers(); \
        GO(call);                \
    } while (0)

#define GO_ROWS(x, call)                            \
    do {                                            \
        if (many_rows(P(x))) process_move_handlers(); \
        GO(call);                                   \
    } while (0)

static int many_rows(const aoso_matrix *x) {
    enum { FEW_ROWS = 64 };
    return x && x->struct_size >= offsetof(aoso_matrix, cols) &&
           (x->rows > FEW_ROWS || x->layout == AOSO_ARROW || x->layout == AOSO_ARROW_STREAM);
}

// ------------------------------------------------------ calls to the host --

#define HOST(call)                      \
    do {                                \
        fp_leave(host);                 \
        call;                           \
        fp_switch(host, FP_DEFAULT);    \
    } while (0)

int32_t shim_progress(aoso_progress_callback f, const aoso_progress *p, uintptr_t user) {
    int32_t stop;
    HOST(stop = f(p, (void *)user));
    return stop;
}

int32_t shim_objective(aoso_objective_callback f, double *scores, int64_t rows, int64_t classes, double *gradient, double *hessian,
                       uintptr_t user) {
    int32_t code;
    HOST(code = f(scores, rows, classes, gradient, hessian, (void *)user));
    return code;
}

int32_t shim_tune(aoso_tune_callback f, const aoso_tune_progress *p, uintptr_t user) {
    int32_t stop;
    HOST(stop = f(p, (void *)user));
    return stop;
}

int32_t shim_write(aoso_write_callback f, const void *bytes, size_t size, uintptr_t user) {
    int32_t stop;
    HOST(stop = f(bytes, size, (void *)user));
    return stop;
}

int32_t shim_staged(aoso_staged_callback f, int64_t trees, const double *raw, int64_t length, uintptr_t user) {
    int32_t stop;
    HOST(stop = f(trees, raw, length, (void *)user));
    return stop;
}

void shim_log(aoso_log_callback f, int32_t level, const char *text, uintptr_t user) {
    HOST(f(level, text, (void *)user));
}

int32_t shim_all_reduce(int32_t (*f)(void *, int32_t, int64_t *, int64_t), int32_t op, int64_t *v, int64_t n, uintptr_t context) {
    int32_t code;
    HOST(code = f((void *)context, op, v, n));
    return code;
}

int32_t shim_gather_sizes(int32_t (*f)(void *, const void *, int64_t, int64_t *), void *bytes, int64_t n, int64_t *sizes,
                          uintptr_t context) {
    int32_t code;
    HOST(code = f((void *)context, bytes, n, sizes));
    return code;
}

int32_t shim_gather(int32_t (*f)(void *, const void *, int64_t, const int64_t *, void *), void *bytes, int64_t n,
                    int64_t *sizes, void *out, uintptr_t context) {
    int32_t code;
    HOST(code = f((void *)context, bytes, n, sizes, out));
    return code;
}

int32_t shim_reduce_scatter(int32_t (*f)(void *, int64_t *, const int64_t *, int64_t *), int64_t *v, int64_t *counts, int64_t *out,
                            uintptr_t context) {
    int32_t code;
    HOST(code = f((void *)context, v, counts, out));
    return code;
}

void shim_abort(void (*f)(void *, const char *), char *reason, uintptr_t context) { HOST(f((void *)context, reason)); }

int shim_stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
    int code;
    HOST(code = s->get_schema(s, out));
    return code;
}

int shim_stream_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
    int code;
    HOST(code = s->get_next(s, out));
    return code;
}

const char *shim_stream_error(struct ArrowArrayStream *s) {
    const char *text = NULL;
    if (s->get_last_error) HOST(text = s->get_last_error(s));
    return text;
}

#define RELEASE(p)                                   \
    do {                                             \
        if ((p)->release) HOST((p)->release(p));     \
    } while (0)

void shim_release_stream(struct ArrowArrayStream *s) { RELEASE(s); }
void shim_release_schema(struct ArrowSchema *s) { RELEASE(s); }
void shim_release_array(struct ArrowArray *a) { RELEASE(a); }

// ------------------------------------------- functions that do not need Go --

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

int32_t aoso_abi_version(void) { return AOSO_ABI_VERSION; }

const char *aoso_version_string(void) {
    return TEXT(AOSO_VERSION_MAJOR) "." TEXT(AOSO_VERSION_MINOR) "." TEXT(AOSO_VERSION_PATCH);
}

const char *aoso_last_error(void) { return message; }

// --------------------------------------------------- functions that need Go --

#define ID(handle) ((uintptr_t)(handle))


aoso_status aoso_build_info(char *buffer, size_t size, size_t *needed) { GO(goaoso_build_info(P(buffer), size, P(needed))); }

aoso_status aoso_set_log(aoso_log_callback callback, void *user) { GO(goaoso_set_log(callback, (uintptr_t)user)); }

aoso_status aoso_dataset_create(const aoso_matrix *x, const aoso_labels *y, const aoso_dataset_options *options,
                                aoso_dataset **out) {
    GO_LONG(goaoso_dataset_create(P(x), P(y), P(options), P(out)));
}

aoso_status aoso_dataset_create_aligned(const aoso_dataset *train, const aoso_matrix *x, const aoso_labels *y,
                                        const aoso_dataset_options *options, aoso_dataset **out) {
    GO_LONG(goaoso_dataset_create_aligned(ID(train), P(x), P(y), P(options), P(out)));
}

aoso_status aoso_dataset_get_info(const aoso_dataset *dataset, aoso_dataset_info *info) {
    GO(goaoso_dataset_get_info(ID(dataset), P(info)));
}

aoso_status aoso_dataset_class_name(const aoso_dataset *dataset, int64_t k, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_dataset_class_name(ID(dataset), k, P(buffer), size, P(needed)));
}

aoso_status aoso_dataset_feature_name(const aoso_dataset *dataset, int64_t j, char *buffer, size_t size,
                                      size_t *needed) {
    GO(goaoso_dataset_feature_name(ID(dataset), j, P(buffer), size, P(needed)));
}

aoso_status aoso_dataset_categories(const aoso_dataset *dataset, int64_t j, char *buffer, size_t size, size_t *needed,
                                 int64_t *count) {
    GO(goaoso_dataset_categories(ID(dataset), j, P(buffer), size, P(needed), P(count)));
}

aoso_status aoso_dataset_labels(const aoso_dataset *dataset, int32_t *out, int64_t length) {
    GO(goaoso_dataset_labels(ID(dataset), P(out), length));
}

aoso_status aoso_dataset_weights(const aoso_dataset *dataset, double *out, int64_t length) {
    GO(goaoso_dataset_weights(ID(dataset), P(out), length));
}

aoso_status aoso_dataset_balanced_weights(const aoso_dataset *dataset, double *out, int64_t length) {
    GO_LONG(goaoso_dataset_balanced_weights(ID(dataset), P(out), length));
}

aoso_status aoso_dataset_save(const aoso_dataset *dataset, const char *path) {
    GO_LONG(goaoso_dataset_save(ID(dataset), P(path)));
}

aoso_status aoso_dataset_load(const char *path, aoso_dataset **out) { GO_LONG(goaoso_dataset_load(P(path), P(out))); }

aoso_status aoso_dataset_read(const char *path, aoso_dataset **out) { GO_LONG(goaoso_dataset_read(P(path), P(out))); }

aoso_status aoso_dataset_free(aoso_dataset *dataset) { GO(goaoso_dataset_free(ID(dataset))); }

aoso_status aoso_builder_create(int64_t cols, const aoso_dataset_options *options, aoso_builder **out) {
    GO_LONG(goaoso_builder_create(cols, P(options), P(out)));
}

aoso_status aoso_builder_append(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y, const double *weights,
                              int64_t num_weights) {
    return aoso_builder_append_with_ids(builder, x, y, weights, num_weights, NULL, 0);
}

aoso_status aoso_builder_append_with_ids(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y, const double *weights,
                                       int64_t num_weights, const uint64_t *row_ids, int64_t num_row_ids) {
    GO_ROWS(x, goaoso_builder_append(ID(builder), P(x), P(y), P(weights), num_weights, P(row_ids), num_row_ids));
}

aoso_status aoso_builder_sample(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y, const double *weights,
                              int64_t num_weights, const uint64_t *row_ids, int64_t num_row_ids) {
    GO_ROWS(x, goaoso_builder_sample(ID(builder), P(x), P(y), P(weights), num_weights, P(row_ids), num_row_ids));
}

aoso_status aoso_builder_finish(aoso_builder *builder, aoso_dataset **out) {
    GO_LONG(goaoso_builder_finish(ID(builder), P(out)));
}

aoso_status aoso_builder_finish_aligned(aoso_builder *builder, const aoso_dataset *train, aoso_dataset **out) {
    GO_LONG(goaoso_builder_finish_aligned(ID(builder), ID(train), P(out)));
}

aoso_status aoso_builder_free(aoso_builder *builder) { GO(goaoso_builder_free(ID(builder))); }

aoso_status aoso_params_init(aoso_params *params, uint32_t struct_size) {
    GO(goaoso_params_init(P(params), struct_size));
}

aoso_status aoso_params_parse(aoso_params *params, const char *text) { GO(goaoso_params_parse(P(params), P(text))); }

aoso_status aoso_params_check(const aoso_params *params) { GO(goaoso_params_check(P(params))); }

aoso_status aoso_suggest_params(int64_t rows, int64_t features, int64_t classes, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_suggest_params(rows, features, classes, P(buffer), size, P(needed)));
}

aoso_status aoso_estimate_memory(int64_t rows, int64_t features, int64_t classes, int64_t valid_rows, int32_t max_bins,
                                 const aoso_params *params, aoso_memory *out) {
    GO(goaoso_estimate_memory(rows, features, classes, valid_rows, max_bins, P(params), P(out)));
}

aoso_status aoso_train(const aoso_dataset *train, const aoso_params *params, const aoso_train_options *options,
                       aoso_model **out, aoso_result *result) {
    GO_LONG(goaoso_train(ID(train), P(params), P(options), P(out), P(result)));
}

aoso_status aoso_trainer_create(const aoso_dataset *train, const aoso_params *params, const aoso_train_options *options,
                                aoso_trainer **out) {
    GO_LONG(goaoso_trainer_create(ID(train), P(params), P(options), P(out)));
}

aoso_status aoso_trainer_step(aoso_trainer *trainer, aoso_progress *progress) {
    GO(goaoso_trainer_step(ID(trainer), P(progress)));
}

aoso_status aoso_trainer_run(aoso_trainer *trainer, aoso_result *result) {
    GO_LONG(goaoso_trainer_run(ID(trainer), P(result)));
}

aoso_status aoso_trainer_interrupt(aoso_trainer *trainer) { GO(goaoso_trainer_interrupt(ID(trainer))); }

aoso_status aoso_trainer_model(aoso_trainer *trainer, aoso_model **out, aoso_result *result) {
    GO(goaoso_trainer_model(ID(trainer), P(out), P(result)));
}

aoso_status aoso_trainer_local_model(aoso_trainer *trainer, aoso_model **out) {
    GO(goaoso_trainer_local_model(ID(trainer), P(out)));
}

aoso_status aoso_trainer_scores(aoso_trainer *trainer, int64_t set, double *out, int64_t length) {
    GO(goaoso_trainer_scores(ID(trainer), set, P(out), length));
}

aoso_status aoso_trainer_measure(aoso_trainer *trainer, int64_t set, const char *metric, double *out) {
    GO_LONG(goaoso_trainer_measure(ID(trainer), set, P(metric), P(out)));
}

aoso_status aoso_trainer_set_shrinkage(aoso_trainer *trainer, double shrinkage) {
    GO(goaoso_trainer_set_shrinkage(ID(trainer), shrinkage));
}

aoso_status aoso_trainer_checkpoint_error(aoso_trainer *trainer, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_trainer_checkpoint_error(ID(trainer), P(buffer), size, P(needed)));
}

aoso_status aoso_trainer_judge(aoso_trainer *trainer, double value, aoso_progress *progress) {
    GO(goaoso_trainer_judge(ID(trainer), value, P(progress)));
}

aoso_status aoso_trainer_free(aoso_trainer *trainer) { GO(goaoso_trainer_free(ID(trainer))); }

aoso_status aoso_tuner_create(const aoso_dataset *train, const aoso_params *params, const aoso_tune_options *options,
                              aoso_tuner **out) {
    GO_LONG(goaoso_tuner_create(ID(train), P(params), P(options), P(out)));
}

aoso_status aoso_tuner_step(aoso_tuner *tuner, aoso_tune_progress *progress) {
    GO(goaoso_tuner_step(ID(tuner), P(progress)));
}

aoso_status aoso_tuner_run(aoso_tuner *tuner, aoso_result *result) { GO_LONG(goaoso_tuner_run(ID(tuner), P(result))); }

aoso_status aoso_tuner_interrupt(aoso_tuner *tuner) { GO(goaoso_tuner_interrupt(ID(tuner))); }

aoso_status aoso_tuner_model(aoso_tuner *tuner, aoso_model **out, aoso_result *result) {
    GO(goaoso_tuner_model(ID(tuner), P(out), P(result)));
}

aoso_status aoso_tuner_params(aoso_tuner *tuner, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_tuner_params(ID(tuner), P(buffer), size, P(needed)));
}

aoso_status aoso_tuner_trials(aoso_tuner *tuner, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_tuner_trials(ID(tuner), P(buffer), size, P(needed)));
}

aoso_status aoso_tuner_free(aoso_tuner *tuner) { GO(goaoso_tuner_free(ID(tuner))); }

aoso_status aoso_model_get_info(const aoso_model *model, aoso_model_info *info) {
    GO(goaoso_model_get_info(ID(model), P(info)));
}

aoso_status aoso_model_class_name(const aoso_model *model, int64_t k, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_class_name(ID(model), k, P(buffer), size, P(needed)));
}

aoso_status aoso_model_feature_name(const aoso_model *model, int64_t j, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_feature_name(ID(model), j, P(buffer), size, P(needed)));
}

aoso_status aoso_model_categories(const aoso_model *model, int64_t j, char *buffer, size_t size, size_t *needed,
                                 int64_t *count) {
    GO(goaoso_model_categories(ID(model), j, P(buffer), size, P(needed), P(count)));
}

aoso_status aoso_model_describe(const aoso_model *model, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_describe(ID(model), P(buffer), size, P(needed)));
}

aoso_status aoso_model_save(const aoso_model *model, const char *path) { GO(goaoso_model_save(ID(model), P(path))); }

aoso_status aoso_model_load(const char *path, aoso_model **out) { GO_LONG(goaoso_model_load(P(path), P(out))); }

aoso_status aoso_model_encode(const aoso_model *model, void *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_encode(ID(model), P(buffer), size, P(needed)));
}

aoso_status aoso_model_decode(const void *bytes, size_t size, aoso_model **out) {
    GO_LONG(goaoso_model_decode(P(bytes), size, P(out)));
}

aoso_status aoso_model_fingerprint(const aoso_model *model, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_fingerprint(ID(model), P(buffer), size, P(needed)));
}

aoso_status aoso_model_label_type(const aoso_model *model, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_label_type(ID(model), P(buffer), size, P(needed)));
}

aoso_status aoso_model_with_label_type(const aoso_model *model, const char *label_type, aoso_model **out) {
    GO(goaoso_model_with_label_type(ID(model), P(label_type), P(out)));
}

aoso_status aoso_model_dump(const aoso_model *model, int64_t trees, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_dump(ID(model), trees, P(buffer), size, P(needed)));
}

aoso_status aoso_model_tree(const aoso_model *model, int64_t tree, char *buffer, size_t size, size_t *needed) {
    GO(goaoso_model_tree(ID(model), tree, P(buffer), size, P(needed)));
}

aoso_status aoso_metrics(char *buffer, size_t size, size_t *needed) {
    GO(goaoso_metrics(P(buffer), size, P(needed)));
}

aoso_status aoso_model_measure_raw(const aoso_model *model, const double *raw, int64_t length, const aoso_labels *y,
                                   const double *weights, int64_t num_weights, const char *metric, double *out) {
    GO_LONG(goaoso_model_measure_raw(ID(model), P(raw), length, P(y), P(weights), num_weights, P(metric), P(out)));
}

aoso_status aoso_export_formats(char *buffer, size_t size, size_t *needed) {
    GO(goaoso_export_formats(P(buffer), size, P(needed)));
}

aoso_status aoso_model_export(const aoso_model *model, const char *format, int64_t tree, aoso_write_callback write,
                              void *user) {
    GO_LONG(goaoso_model_export(ID(model), P(format), tree, write, (uintptr_t)user));
}

aoso_status aoso_model_export_file(const aoso_model *model, const char *format, int64_t tree, const char *path) {
    GO_LONG(goaoso_model_export_file(ID(model), P(format), tree, P(path)));
}

aoso_status aoso_model_importance(const aoso_model *model, int32_t kind, double *out, int64_t length) {
    GO(goaoso_model_importance(ID(model), kind, P(out), length));
}

aoso_status aoso_model_pair_importance(const aoso_model *model, aoso_pair_importance *out, int64_t length,
                                       int64_t *needed) {
    GO(goaoso_model_pair_importance(ID(model), P(out), length, P(needed)));
}

aoso_status aoso_model_truncate(const aoso_model *model, int64_t trees, aoso_model **out) {
    GO_LONG(goaoso_model_truncate(ID(model), trees, P(out)));
}

aoso_status aoso_model_merge(const aoso_model *const *models, int64_t count, aoso_model **out) {
    GO_LONG(goaoso_model_merge(P(models), count, P(out)));
}

aoso_status aoso_model_refit(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                             const aoso_refit_options *options, aoso_model **out) {
    GO_LONG(goaoso_model_refit(ID(model), P(x), P(y), P(options), P(out)));
}

aoso_status aoso_model_free(aoso_model *model) { GO(goaoso_model_free(ID(model))); }

aoso_status aoso_model_predict(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                               int32_t *out, int64_t length) {
    GO_ROWS(x, goaoso_model_predict(ID(model), P(x), P(options), P(out), length));
}

aoso_status aoso_model_predict_proba(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                     double *out, int64_t length) {
    GO_ROWS(x, goaoso_model_predict_proba(ID(model), P(x), P(options), P(out), length));
}

aoso_status aoso_model_predict_raw(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                   double *out, int64_t length) {
    GO_ROWS(x, goaoso_model_predict_raw(ID(model), P(x), P(options), P(out), length));
}

aoso_status aoso_model_predict_top(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                   int64_t top, int32_t *classes, double *proba, int64_t length) {
    GO_ROWS(x, goaoso_model_predict_top(ID(model), P(x), P(options), top, P(classes), P(proba), length));
}

aoso_status aoso_model_predict_leaf(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                    int32_t *out, int64_t length) {
    GO_ROWS(x, goaoso_model_predict_leaf(ID(model), P(x), P(options), P(out), length));
}

aoso_status aoso_model_predict_staged(const aoso_model *model, const aoso_matrix *x,
                                      const aoso_predict_options *options, int64_t every,
                                      aoso_staged_callback callback, void *user) {
    GO_ROWS(x, goaoso_model_predict_staged(ID(model), P(x), P(options), every, callback, (uintptr_t)user));
}

aoso_status aoso_model_raw_to_proba(const aoso_model *model, double *raw, int64_t length) {
    GO_LONG(goaoso_model_raw_to_proba(ID(model), P(raw), length));
}

aoso_status aoso_model_evaluate(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                aoso_evaluation *out) {
    GO_ROWS(x, goaoso_model_evaluate(ID(model), P(x), P(y), P(weights), num_weights, P(options), P(out)));
}

aoso_status aoso_model_confusions(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                  const aoso_predict_options *options, aoso_confusion *out, int64_t length,
                                  int64_t *count) {
    GO_ROWS(x, goaoso_model_confusions(ID(model), P(x), P(y), P(options), P(out), length, P(count)));
}

aoso_status aoso_model_evaluate_raw(const aoso_model *model, const double *raw, int64_t length, const aoso_labels *y,
                                    const double *weights, int64_t num_weights, aoso_evaluation *out) {
    GO_LONG(goaoso_model_evaluate_raw(ID(model), P(raw), length, P(y), P(weights), num_weights, P(out)));
}

aoso_status aoso_model_calibrate(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                 const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                 aoso_model **out, aoso_calibration *calibration) {
    GO_LONG(goaoso_model_calibrate(ID(model), P(x), P(y), P(weights), num_weights, P(options), P(out), P(calibration)));
}

aoso_status aoso_model_predict_set(const aoso_model *model, const aoso_matrix *x, const aoso_set_options *sets,
                                   const aoso_predict_options *options, uint8_t *out, int64_t length) {
    GO_ROWS(x, goaoso_model_predict_set(ID(model), P(x), P(sets), P(options), P(out), length));
}

aoso_status aoso_model_conformalize(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                    const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                    aoso_model **out) {
    GO_LONG(goaoso_model_conformalize(ID(model), P(x), P(y), P(weights), num_weights, P(options), P(out)));
}

aoso_status aoso_model_decide(const aoso_model *model, const aoso_matrix *x, const double *costs, int64_t num_costs,
                              const aoso_predict_options *options, int32_t *decisions, double *expected, int64_t length) {
    GO_ROWS(x, goaoso_model_decide(ID(model), P(x), P(costs), num_costs, P(options), P(decisions), P(expected), length));
}

aoso_status aoso_model_reliability(const aoso_model *model, const aoso_matrix *x, const aoso_labels *y,
                                   const double *weights, int64_t num_weights, const aoso_predict_options *options,
                                   aoso_reliability *out) {
    GO_ROWS(x, goaoso_model_reliability(ID(model), P(x), P(y), P(weights), num_weights, P(options), P(out)));
}

aoso_status aoso_model_shap(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                            double *out, int64_t length) {
    GO_ROWS(x, goaoso_model_shap(ID(model), P(x), P(options), P(out), length));
}

aoso_status aoso_model_shap_sparse(const aoso_model *model, const aoso_matrix *x, const aoso_predict_options *options,
                                   int64_t top, aoso_contributions **out) {
    GO_ROWS(x, goaoso_model_shap_sparse(ID(model), P(x), P(options), top, P(out)));
}

aoso_status aoso_contributions_get_info(const aoso_contributions *contributions, aoso_contributions_info *info) {
    GO(goaoso_contributions_get_info(ID(contributions), P(info)));
}

aoso_status aoso_contributions_read(const aoso_contributions *contributions, int32_t *classes, int64_t *indptr,
                                    int64_t lines, int32_t *columns, double *values, int64_t num_values) {
    GO(goaoso_contributions_read(ID(contributions), P(classes), P(indptr), lines, P(columns), P(values), num_values));
}

aoso_status aoso_contributions_free(aoso_contributions *contributions) {
    GO(goaoso_contributions_free(ID(contributions)));
}

aoso_status aoso_predictor_create(const aoso_model *model, const aoso_predict_options *options, aoso_predictor **out) {
    GO_LONG(goaoso_predictor_create(ID(model), P(options), P(out)));
}

aoso_status aoso_predictor_class(aoso_predictor *predictor, const double *row, int64_t features, int32_t *out) {
    GO(goaoso_predictor_class(ID(predictor), P(row), features, P(out)));
}

aoso_status aoso_predictor_proba(aoso_predictor *predictor, const double *row, int64_t features, double *out,
                                 int64_t classes) {
    GO(goaoso_predictor_proba(ID(predictor), P(row), features, P(out), classes));
}

aoso_status aoso_predictor_raw(aoso_predictor *predictor, const double *row, int64_t features, double *out,
                               int64_t classes) {
    GO(goaoso_predictor_raw(ID(predictor), P(row), features, P(out), classes));
}

aoso_status aoso_predictor_raw_of(aoso_predictor *predictor, const double *row, int64_t features,
                                  const int32_t *classes, int64_t count, double *out) {
    GO(goaoso_predictor_raw_of(ID(predictor), P(row), features, P(classes), count, P(out)));
}

aoso_status aoso_predictor_walked(aoso_predictor *predictor, double *out) {
    GO(goaoso_predictor_walked(ID(predictor), P(out)));
}

aoso_status aoso_predictor_free(aoso_predictor *predictor) { GO(goaoso_predictor_free(ID(predictor))); }
