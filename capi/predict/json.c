/* See json.h. */
#include "json.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void spaces(json *j) {
    while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) j->at++;
}

static bool fail(json *j) {
    j->failed = true;
    j->at = j->end;
    return false;
}

/* Steps over a character if it is the next one. */
static bool take(json *j, char c) {
    spaces(j);
    if (j->at == j->end || *j->at != c) return false;
    j->at++;
    return true;
}

void json_enter(json *j, char open) {
    if (!take(j, open)) fail(j);
}

bool json_more(json *j, char close, bool *first) {
    if (j->failed || take(j, close)) return false;
    if (!*first && !take(j, ',')) return fail(j);
    *first = false;
    return true;
}

void json_key(json *j, char *key, size_t size) {
    json_string(j, key, size);
    if (!take(j, ':')) fail(j);
}

/* Four hexadecimal digits; -1: there are none. */
static int32_t unit(json *j) {
    if (j->end - j->at < 4) return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = *j->at++;
        const char *digits = "0123456789abcdef", *found = strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
        if (!c || !found) return -1;
        value = value * 16 + (int32_t)(found - digits);
    }
    return value;
}

/* The character of an escape \u…, of two if they are halves of one. */
static int32_t escaped(json *j) {
    const int32_t high = unit(j);
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high < 0xdc00 && j->end - j->at >= 6 && j->at[0] == '\\' && j->at[1] == 'u') {
        json ahead = *j;
        ahead.at += 2;
        const int32_t low = unit(&ahead);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *j = ahead;
            return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

/* Writes a character as UTF-8 and returns its bytes. */
static int utf8(int32_t c, char bytes[4]) {
    if (c < 0x80) return bytes[0] = (char)c, 1;
    const int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--, c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)((0xf00 >> n & 0xff) | c);
    return n;
}

size_t json_string(json *j, char *buffer, size_t size) {
    size_t length = 0;
    if (size) buffer[0] = 0;
    if (!take(j, '"')) return fail(j), 0;
    for (;;) {
        if (j->at == j->end || (unsigned char)*j->at < 0x20) return fail(j), 0;
        char bytes[4] = {*j->at++};
        int n = 1;
        if (bytes[0] == '"') break;
        if (bytes[0] == '\\') {
            if (j->at == j->end) return fail(j), 0;
            static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
            const char c = *j->at++, *simple = strchr(names, c);
            if (c == 'u') {
                const int32_t character = escaped(j);
                if (character < 0) return fail(j), 0;
                n = utf8(character, bytes);
            } else if (c && simple) {
                bytes[0] = values[simple - names];
            } else {
                return fail(j), 0;
            }
        }
        if (length + (size_t)n < size) memcpy(buffer + length, bytes, (size_t)n), buffer[length + (size_t)n] = 0;
        length += (size_t)n;
    }
    return length;
}

/* Copies a number to a buffer, as C writes it in the locale of the program. */
static void number(json *j, char *text, size_t size) {
    spaces(j);
    size_t n = 0;
    const char *point = localeconv()->decimal_point;
    while (j->at < j->end && *j->at && strchr("+-.0123456789eE", *j->at)) {
        const char *c = *j->at == '.' ? point : j->at;
        const size_t length = *j->at == '.' ? strlen(point) : 1;
        if (n + length >= size) break;
        memcpy(text + n, c, length);
        n += length;
        j->at++;
    }
    text[n] = 0;
}

uint64_t json_unsigned(json *j) {
    char text[24], *end;
    number(j, text, sizeof text);
    if (text[0] < '0' || text[0] > '9' || strlen(text) > 19) return fail(j), 0;
    const uint64_t value = strtoull(text, &end, 10);
    if (*end) return fail(j), 0;
    return value;
}

double json_number(json *j) {
    char text[64], *end;
    number(j, text, sizeof text);
    const double value = strtod(text, &end);
    if (!text[0] || *end) return fail(j), 0;
    return value;
}

static void skip(json *j, int depth) {
    spaces(j);
    char key[1];
    bool first = true;
    if (j->at == j->end || depth > 64) {
        fail(j);
    } else if (*j->at == '"') {
        json_string(j, NULL, 0);
    } else if (*j->at == '{') {
        json_enter(j, '{');
        while (json_more(j, '}', &first)) json_key(j, key, sizeof key), skip(j, depth + 1);
    } else if (*j->at == '[') {
        json_enter(j, '[');
        while (json_more(j, ']', &first)) skip(j, depth + 1);
    } else if (strchr("-0123456789", *j->at) && *j->at) {
        json_number(j);
    } else {
        static const char *const words[] = {"true", "false", "null"};
        for (int i = 0; i < 3; i++) {
            const size_t n = strlen(words[i]);
            if ((size_t)(j->end - j->at) >= n && memcmp(j->at, words[i], n) == 0) {
                j->at += n;
                return;
            }
        }
        fail(j);
    }
}

void json_skip(json *j) { skip(j, 0); }

bool json_ended(json *j) {
    spaces(j);
    return !j->failed && j->at == j->end;
}
