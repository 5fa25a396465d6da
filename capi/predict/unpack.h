/* Packed arrays. internal/modelio/pack.go describes them. */
#ifndef AOSOP_UNPACK_H
#define AOSOP_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_PER_BYTE = 64 }; /* elements */

/* Writes count little-endian elements of a type to out. Returns whether code, of at
 * least count / MOST_PER_BYTE bytes, is that of so many. */
bool unpack(const uint8_t *code, uint64_t size, const char *type, uint64_t count, uint8_t *out);

#endif
