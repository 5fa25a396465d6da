/* Packed arrays and lists of names. pack.go and names.go of internal/modelio describe them. */
#ifndef AOSOP_UNPACK_H
#define AOSOP_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_PER_BYTE = 64 }; /* elements */

/* Writes count little-endian elements of a type to out. Returns whether code, of at
 * least count / MOST_PER_BYTE bytes, is one of count elements. */
bool unpack(const uint8_t *code, uint64_t size, const char *type, uint64_t count, uint8_t *out);

/* The bytes of all names, without ends, that the code says it has; at most what it may have. */
uint64_t names_text(const uint8_t *code, uint64_t size);

/* The bytes of count names, each with a final 0. Returns whether code, of size bytes, may have them. */
bool names_size(const uint8_t *code, uint64_t size, uint64_t count, uint64_t *bytes);

/* Writes names to text, which has room for them. Returns whether code is one of count names. */
bool unpack_names(const uint8_t *code, uint64_t size, uint64_t count, char *text, char **names);

#endif
