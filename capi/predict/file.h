/* The container of a model file: a header in JSON, then arrays. */
#ifndef AOSOP_FILE_H
#define AOSOP_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "aoso_predict.h"
#include "json.h"

enum { MOST_ARRAYS = 64 };

typedef struct file_array {
    char name[32], type[4];
    uint64_t count, packed; /* elements; bytes, 0 if it is not packed */
    const uint8_t *data;
    uint8_t *unpacked; /* NULL: not yet */
} file_array;

typedef struct file {
    json meta; /* at the value */
    file_array arrays[MOST_ARRAYS];
    int num_arrays;
    uint64_t unpacked; /* bytes of all arrays so far, when they are unpacked */
    uint32_t crc_tables[8][256];
} file;

enum { FILE_PREFIX = 32 };

/* The length that a file of this prefix should have; 0: it is no model file. */
uint64_t file_length(const uint8_t prefix[FILE_PREFIX]);

/* Checks all of a file, which must stay in memory while it is in use. */
aosop_status file_open(file *f, const uint8_t *data, uint64_t size);

/* An array; NULL: there is none of the name and type, or it cannot be unpacked. Without
 * a type, its data may be packed. */
const file_array *file_find(file *f, const char *name, const char *type);

/* The bytes of an element; 0: there is no such type. */
uint64_t size_of(const char *type);

/* Frees what was unpacked. */
void file_close(file *f);

/* The numbers of arrays are little-endian, and need not be aligned in memory. */
static inline uint64_t little(const uint8_t *p, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}
static inline uint16_t u16_at(const uint8_t *a, uint64_t i) { return (uint16_t)little(a + 2 * i, 2); }
static inline uint32_t u32_at(const uint8_t *a, uint64_t i) { return (uint32_t)little(a + 4 * i, 4); }
static inline int32_t i32_at(const uint8_t *a, uint64_t i) { return (int32_t)u32_at(a, i); }
static inline uint64_t u64_at(const uint8_t *a, uint64_t i) { return little(a + 8 * i, 8); }
static inline float f32_at(const uint8_t *a, uint64_t i) {
    const uint32_t bits = u32_at(a, i);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double f64_at(const uint8_t *a, uint64_t i) {
    const uint64_t bits = u64_at(a, i);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
