/* See error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char last_error[512];
static _Thread_local bool lacks_memory;

const char *aosop_last_error(void) { return last_error; }

aosop_status set_error(aosop_status status, const char *format, ...) {
    if (status == AOSOP_BAD_FORMAT && lacks_memory) return no_memory("the model");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

void begin_call(void) { lacks_memory = false; }

void *allocate(uint64_t count, size_t size) {
    void *memory = count <= SIZE_MAX / size ? calloc((size_t)count, size) : NULL;
    if (!memory) lacks_memory = true;
    return memory;
}

void add_path(const char *path) {
    char text[sizeof last_error];
    memcpy(text, last_error, sizeof text);
    snprintf(last_error, sizeof last_error, "%.200s: %.300s", path, text);
}

aosop_status no_memory(const char *purpose) { return set_error(AOSOP_OUT_OF_MEMORY, "there is no memory for %s", purpose); }
