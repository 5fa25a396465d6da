// The bodies of the public functions. Each returns an error if Go cannot run, sets the default floating-point mode, and calls the Go export
// with its name.
#ifndef AOSO_FORWARD_H
#define AOSO_FORWARD_H

#include "_cgo_export.h"
#include "process.h"

_Static_assert(sizeof(void *) == 8, "a handle's number has 64 bits");

// The floating-point mode in which the host called on this thread.
extern AOSO_THREAD_LOCAL fpmode shim_host;

// Sets the message for a status with which all calls are refused, and returns it.
int32_t shim_refuse(int32_t why);

// The number of an object.
#define ID(handle) ((uintptr_t)(handle))

// A pointer for Go: without const, which Go does not know. Small numbers become
// null, because Go stacks must not contain them as pointers.
#define P(pointer) ((void *)((uintptr_t)(pointer) < 4096 ? 0 : (uintptr_t)(pointer)))

#define GO(call)                                                                        \
    do {                                                                                \
        int32_t status_ = atomic_load_explicit(&process_refuses, memory_order_relaxed); \
        if (status_ != AOSO_OK) return shim_refuse(status_);                            \
        if (!process_thread_ready) process_ready_thread();                              \
        const fpmode outer_ = shim_host;                                                \
        shim_host = fp_enter();                                                         \
        status_ = (call);                                                               \
        fp_leave(shim_host);                                                            \
        shim_host = outer_;                                                             \
        return status_;                                                                 \
    } while (0)

// GO for calls that take long. Moving the host's signal handlers takes longer than
// a call with few rows.
#define GO_LONG(call)            \
    do {                         \
        process_move_handlers(); \
        GO(call);                \
    } while (0)

#define GO_ROWS(x, call)                              \
    do {                                              \
        if (many_rows(P(x))) process_move_handlers(); \
        GO(call);                                     \
    } while (0)

static inline int many_rows(const aoso_matrix *x) {
    enum { FEW_ROWS = 64 };
    return x && x->struct_size >= offsetof(aoso_matrix, cols) &&
           (x->rows > FEW_ROWS || x->layout == AOSO_ARROW || x->layout == AOSO_ARROW_STREAM);
}

#endif
