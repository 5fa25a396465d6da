/* Versions, status codes, messages, and the types of objects. aoso.h includes this file. */
#ifndef AOSO_BASE_H
#define AOSO_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(AOSO_STATIC)
#define AOSO_API
#elif defined(_WIN32) && defined(AOSO_BUILD)
#define AOSO_API __declspec(dllexport)
#elif defined(_WIN32)
#define AOSO_API __declspec(dllimport)
#elif defined(__GNUC__)
#define AOSO_API __attribute__((visibility("default")))
#else
#define AOSO_API
#endif

/* ------------------------------------------------------------- versions -- */

/* The version of this header: MAJOR.MINOR.PATCH. */
#define AOSO_VERSION_MAJOR 0
#define AOSO_VERSION_MINOR 1
#define AOSO_VERSION_PATCH 0

/* Increased when programs compiled with an older header would no longer work. */
#define AOSO_ABI_VERSION 1

/* The library's AOSO_ABI_VERSION. Works in every process. */
AOSO_API int32_t aoso_abi_version(void);

/* "major.minor.patch", static. Works in every process. */
AOSO_API const char *aoso_version_string(void);

typedef int32_t aoso_status; /* AOSO_OK or an error, below */

/* JSON: version, abi, go, level (of the kernels in use), levels (all that this
 * CPU can run), cpu, threads (cores that the process may use). */
AOSO_API aoso_status aoso_build_info(char *buffer, size_t size, size_t *needed);

/* --------------------------------------------------------------- status -- */

enum {
    AOSO_OK = 0,                /* the call did what it should */
    AOSO_INVALID_ARGUMENT = 1, /* a value that is not allowed */
    AOSO_INVALID_HANDLE = 2,   /* null, freed, or of another type */
    AOSO_BUFFER_TOO_SMALL = 3, /* see Outputs in aoso.h */
    AOSO_IO = 4,        /* a file or stream could not be read or written */
    AOSO_BAD_FORMAT = 5, /* not an aoso file, or truncated, corrupt or too new */
    AOSO_OUT_OF_MEMORY = 6, /* see Memory in aoso.h */
    AOSO_BUSY = 7,      /* another thread is using this object */
    AOSO_FORKED = 8,    /* called in a child created by fork() */
    AOSO_INTERNAL = 9,  /* a bug in the library: see Bugs in aoso.h */
    AOSO_COLLECTIVE = 10 /* a rank of the training is lost, or has given up: see collective.h */
};

/* The text of the calling thread's last error; "" before the first error. The
 * text is valid until the thread's next call. Works in every process. */
AOSO_API const char *aoso_last_error(void);

/* Sets the function that receives the library's messages, for the whole
 * process. It runs during the call that has a message, on the same thread.
 * NULL, the default, means no messages. */
enum { AOSO_LOG_WARNING = 1, AOSO_LOG_INFO = 2 };
typedef void (*aoso_log_callback)(int32_t level, const char *message, void *user);
AOSO_API aoso_status aoso_set_log(aoso_log_callback callback, void *user);

/* -------------------------------------------------------------- objects -- */

typedef struct aoso_dataset aoso_dataset; /* quantized features with labels and weights: dataset.h */
typedef struct aoso_model aoso_model;     /* trained trees with their classes and features: model.h */

#ifdef __cplusplus
}
#endif

#endif
