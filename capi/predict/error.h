/* What went wrong in the calling thread's last call that failed. */
#ifndef AOSOP_ERROR_H
#define AOSOP_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "aoso_predict.h"

/* Sets the text of aosop_last_error and returns the status. */
aosop_status set_error(aosop_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Zeroed memory. If there is none, the errors AOSOP_BAD_FORMAT that follow become AOSOP_OUT_OF_MEMORY: what cannot be
 * unpacked then is no fault of the file. */
void *allocate(uint64_t count, size_t size);

/* Begins a call: memory has not been missing. */
void begin_call(void);

/* Puts the path of a file in front of the text. */
void add_path(const char *path);

aosop_status no_memory(const char *purpose);

#define INVALID(...) set_error(AOSOP_INVALID_ARGUMENT, __VA_ARGS__)
#define CORRUPT(...) set_error(AOSOP_BAD_FORMAT, "file is corrupt: " __VA_ARGS__)

#endif
