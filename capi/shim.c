// Error messages, calls to functions of the host, and the public functions that need no Go.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "forward.h"

AOSO_THREAD_LOCAL fpmode shim_host = FP_DEFAULT;

// --------------------------------------------------------------- errors --

// The message of the thread is on the heap, because the thread-local storage of a library with Go is of the initial-exec
// model, for which dlopen has a few hundred bytes: several copies of the library must fit.
enum { MESSAGE_SIZE = 1024 };
static AOSO_THREAD_LOCAL char *message; // NULL: no call has failed yet
static pthread_key_t message_key;

static void end_message(void *of_thread) {
    free(of_thread);
    message = NULL;
}

__attribute__((constructor)) static void make_message_key(void) { pthread_key_create(&message_key, end_message); }

void shim_set_error(const char *text, size_t n) {
    if (!message) {
        if (!(message = malloc(MESSAGE_SIZE))) return;
        pthread_setspecific(message_key, message);
    }
    if (n >= MESSAGE_SIZE) {
        n = MESSAGE_SIZE - 1;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--; // do not cut a character
    }
    memcpy(message, text, n);
    message[n] = 0;
}

struct kept {
    struct kept *next;
    char text[];
};

static struct kept *kept; // so that leak checkers find the texts

char *shim_keep(const char *text, size_t n) {
    struct kept *k = malloc(sizeof *k + n + 1);
    if (!k) abort();
    memcpy(k->text, text, n);
    k->text[n] = 0;
    k->next = kept;
    kept = k;
    return k->text;
}

__attribute__((noinline, cold)) int32_t shim_refuse(int32_t why) {
    const char *text = process_refusal(why);
    shim_set_error(text, strlen(text));
    return why;
}

// ------------------------------------------------------ calls to the host --

#define HOST(call)                        \
    do {                                  \
        fp_leave(shim_host);              \
        call;                             \
        fp_switch(shim_host, FP_DEFAULT); \
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

int32_t shim_pause(aoso_pause_callback f, uintptr_t user) {
    int32_t stop;
    HOST(stop = f((void *)user));
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

#define RELEASE(p)                               \
    do {                                         \
        if ((p)->release) HOST((p)->release(p)); \
    } while (0)

void shim_release_stream(struct ArrowArrayStream *s) { RELEASE(s); }
void shim_release_schema(struct ArrowSchema *s) { RELEASE(s); }
void shim_release_array(struct ArrowArray *a) { RELEASE(a); }

// ------------------------------------------- functions that do not need Go --

// ----------------------------------------- the collective of a TCP rank --

static int32_t tcp_all_reduce(void *rank, int32_t op, int64_t *v, int64_t n) { GO(goaoso_tcp_all_reduce(ID(rank), op, P(v), n)); }

static int32_t tcp_gather_sizes(void *rank, const void *bytes, int64_t n, int64_t *sizes) {
    GO(goaoso_tcp_gather_sizes(ID(rank), P(bytes), n, P(sizes)));
}

static int32_t tcp_gather(void *rank, const void *bytes, int64_t n, const int64_t *sizes, void *out) {
    (void)bytes, (void)n, (void)sizes;
    GO(goaoso_tcp_gather(ID(rank), P(out)));
}

static int32_t tcp_reduce_scatter(void *rank, int64_t *v, const int64_t *counts, int64_t *out) {
    GO(goaoso_tcp_reduce_scatter(ID(rank), P(v), P(counts), P(out)));
}

static int32_t abort_tcp(void *rank, const char *reason) { GO(goaoso_tcp_abort(ID(rank), P(reason))); }

static void tcp_abort(void *rank, const char *reason) { abort_tcp(rank, reason); }

aoso_collective shim_tcp(uintptr_t rank) {
    return (aoso_collective){
        .struct_size = sizeof(aoso_collective), .context = (void *)rank, .all_reduce = tcp_all_reduce, .gather_sizes = tcp_gather_sizes,
        .gather = tcp_gather, .abort = tcp_abort, .reduce_scatter = tcp_reduce_scatter,
    };
}

int shim_is_tcp(const aoso_collective *c) { return c->all_reduce == tcp_all_reduce; }

// ------------------------------------------ functions that need no Go --

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

int32_t aoso_abi_version(void) { return AOSO_ABI_VERSION; }

const char *aoso_version_string(void) {
    return TEXT(AOSO_VERSION_MAJOR) "." TEXT(AOSO_VERSION_MINOR) "." TEXT(AOSO_VERSION_PATCH);
}

const char *aoso_last_error(void) { return message ? message : ""; }

// aoso_builder_append_with_ids without ids.
aoso_status aoso_builder_append(aoso_builder *builder, const aoso_matrix *x, const aoso_labels *y, const double *weights,
                                int64_t num_weights) {
    return aoso_builder_append_with_ids(builder, x, y, weights, num_weights, NULL, 0);
}
