/* A reader of JSON that is already in memory. */
#ifndef AOSOP_JSON_H
#define AOSOP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a text. Once something is wrong, `failed` is set and everything
 * that is read is empty. A copy of the struct reads on by itself. */
typedef struct json {
    const char *at, *end;
    bool failed;
} json;

/* Enters an object or a list: `open` is '{' or '['. */
void json_enter(json *j, char open);

/* Whether another element follows in the object or list that `close` ends. Steps
 * over the comma or the end. `first` must be true before the first element. */
bool json_more(json *j, char close, bool *first);

/* Reads a key of an object and the colon. A key that is longer than the buffer is
 * cut. */
void json_key(json *j, char *key, size_t size);

/* Reads a string into a buffer, with a final 0, and returns its length. It is cut
 * if the buffer is too small. */
size_t json_string(json *j, char *buffer, size_t size);

uint64_t json_unsigned(json *j);
double json_number(json *j);

/* Steps over any value. */
void json_skip(json *j);

/* Whether nothing but white space is left. */
bool json_ended(json *j);

#endif
