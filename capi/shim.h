// The functions that shim.c and process.c provide for the Go files.
#ifndef AOSO_SHIM_H
#define AOSO_SHIM_H

#include "arrow.h"
#include <stdlib.h>

#include "aoso.h"

// Sets the error message of the calling thread. text has n bytes.
void shim_set_error(const char *text, size_t n);

// Copies a text of n bytes to memory that is never freed.
char *shim_keep(const char *text, size_t n);

// Makes the library refuse all further calls.
void process_poison(void);

// Call functions of the host in the floating-point mode that it called with.
int32_t shim_progress(aoso_progress_callback f, const aoso_progress *p, uintptr_t user);
int32_t shim_objective(aoso_objective_callback f, double *scores, int64_t rows, int64_t classes, double *gradient, double *hessian,
                       uintptr_t user);
int32_t shim_tune(aoso_tune_callback f, const aoso_tune_progress *p, uintptr_t user);
void shim_log(aoso_log_callback f, int32_t level, const char *message, uintptr_t user);
int32_t shim_write(aoso_write_callback f, const void *bytes, size_t size, uintptr_t user);
int32_t shim_staged(aoso_staged_callback f, int64_t trees, const double *raw, int64_t length, uintptr_t user);
int32_t shim_pause(aoso_pause_callback f, uintptr_t user);
int32_t shim_all_reduce(int32_t (*f)(void *, int32_t, int64_t *, int64_t), int32_t op, int64_t *v, int64_t n, uintptr_t context);
int32_t shim_gather_sizes(int32_t (*f)(void *, const void *, int64_t, int64_t *), void *bytes, int64_t n, int64_t *sizes,
                          uintptr_t context);
int32_t shim_gather(int32_t (*f)(void *, const void *, int64_t, const int64_t *, void *), void *bytes, int64_t n,
                    int64_t *sizes, void *out, uintptr_t context);
int32_t shim_reduce_scatter(int32_t (*f)(void *, int64_t *, const int64_t *, int64_t *), int64_t *v, int64_t *counts, int64_t *out,
                            uintptr_t context);
void shim_abort(void (*f)(void *, const char *), char *reason, uintptr_t context);

// Returns a collective whose functions are those of a TCP rank.
aoso_collective shim_tcp(uintptr_t rank);

// Returns not 0 if shim_tcp has made a collective.
int shim_is_tcp(const aoso_collective *c);

int shim_stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out);
int shim_stream_next(struct ArrowArrayStream *s, struct ArrowArray *out);
const char *shim_stream_error(struct ArrowArrayStream *s);
void shim_release_stream(struct ArrowArrayStream *s);
void shim_release_schema(struct ArrowSchema *s);
void shim_release_array(struct ArrowArray *a);

#endif
