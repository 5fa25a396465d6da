/* See unpack.h. */
#include "unpack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

enum { SCALE_BITS = 12, SCALE = 1 << SCALE_BITS, LOW_STATE = 1 << 23 };

/* Numbers as tokens, coded by asymmetric numeral systems, and further bits. */
typedef struct numbers {
    uint8_t slots[SCALE]; /* the token of each */
    uint32_t start[256], frequency[256], state;
    const uint8_t *tokens, *tokens_end, *further;
    uint64_t at, bits; /* of further */
} numbers;

static bool read_numbers(numbers *r, const uint8_t *code, uint64_t size) {
    if (size == 0) return false;
    const uint64_t used = (uint64_t)code[0] + 1;
    if (size < 1 + 3 * used + 12) return false;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < used; i++) {
        const uint8_t token = code[1 + 3 * i];
        const uint32_t frequency = (uint32_t)little(code + 2 + 3 * i, 2);
        if (sum + frequency > SCALE) return false;
        r->start[token] = sum;
        r->frequency[token] = frequency;
        memset(r->slots + sum, token, frequency);
        sum += frequency;
    }
    code += 1 + 3 * used, size -= 1 + 3 * used + 8;
    const uint64_t length = little(code, 8);
    if (sum != SCALE || length < 4 || length > size) return false;
    code += 8;
    r->state = (uint32_t)little(code, 4);
    r->tokens = code + 4;
    r->tokens_end = r->further = code + length;
    r->bits = 8 * (size - length);
    r->at = 0;
    return true;
}

static bool next_token(numbers *r, uint8_t *token) {
    const uint32_t slot = r->state % SCALE;
    *token = r->slots[slot];
    r->state = r->frequency[*token] * (r->state / SCALE) + slot - r->start[*token];
    while (r->state < LOW_STATE) {
        if (r->tokens == r->tokens_end) return false;
        r->state = r->state << 8 | *r->tokens++;
    }
    return true;
}

static bool next(numbers *r, uint64_t *n) {
    uint8_t token;
    if (!next_token(r, &token)) return false;
    *n = token;
    if (token < 16) return true;
    const uint32_t further = (uint32_t)(token - 16) / 4 + 2;
    if (further > r->bits - r->at) return false;
    *n = (uint64_t)(4 | (token & 3)) << further;
    if (further <= 56 && r->bits - r->at >= 64) { /* then the eight bytes at the first bit are there */
        *n |= little(r->further + r->at / 8, 8) >> (r->at % 8) & (((uint64_t)1 << further) - 1);
        r->at += further;
        return true;
    }
    for (uint32_t have = 0; have < further;) {
        const uint32_t skip = (uint32_t)(r->at % 8), left = 8 - skip, take = further - have < left ? further - have : left;
        *n |= (uint64_t)(r->further[r->at / 8] >> skip & ((1u << take) - 1)) << have;
        r->at += take;
        have += take;
    }
    return true;
}

static uint64_t unzigzag(uint64_t n) { return n >> 1 ^ (0 - (n & 1)); }

enum form { INTEGER, BITS, MULTIPLE, POSITION };
enum origin { POSITIVE, ZERO, BEFORE, GROUP };

/* How the elements of an array are made of numbers. */
typedef struct packing {
    enum form form;
    enum origin origin;
    bool floating;
    int size;
    double unit; /* of multiples */
    uint64_t group, entries;
    uint8_t *list;
} packing;

/* The bits of the element that an integer stands for. */
static uint64_t element_bits(const packing *p, uint64_t n) {
    if (p->form == MULTIPLE) {
        const double x = (double)(int64_t)n * p->unit;
        const float narrow = (float)x;
        uint64_t wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        memcpy(&wide, &x, sizeof wide);
        return p->size == 4 ? bits : wide;
    }
    if (p->form != BITS || !(n >> 63)) return n;
    return (p->size == 4 ? UINT64_MAX << 31 : (uint64_t)1 << 63) - n - 1; /* the rest of negative numbers falls as they rise */
}

static bool unpack_elements(const packing *p, numbers *r, uint64_t count, uint8_t *out) {
    uint64_t base = 0;
    for (uint64_t i = 0; i < count; i++, out += p->size) {
        uint64_t n;
        if (p->origin == GROUP && i % p->group == 0) {
            if (!next(r, &n)) return false;
            base += unzigzag(n);
        }
        if (!next(r, &n)) return false;
        if (p->origin != POSITIVE) n = base + unzigzag(n);
        if (p->origin == BEFORE) base = n;
        if (p->form == POSITION) {
            if (n >= p->entries) return false;
            memcpy(out, p->list + n * (uint64_t)p->size, (size_t)p->size);
            continue;
        }
        n = element_bits(p, n);
        for (int b = 0; b < p->size; b++) out[b] = (uint8_t)(n >> 8 * b);
    }
    return true;
}

/* Takes a number from the front of code. */
static uint64_t take_number(const uint8_t **code, uint64_t *size, int bytes, bool *ok) {
    if (*size < (uint64_t)bytes) {
        *ok = false;
        return 0;
    }
    const uint64_t n = little(*code, bytes);
    *code += bytes, *size -= (uint64_t)bytes;
    return n;
}

bool unpack(const uint8_t *code, uint64_t size, const char *type, uint64_t count, uint8_t *out) {
    if (size == 0 || count / MOST_PER_BYTE > size) return false;
    packing p = {.form = code[0] & 15, .origin = code[0] >> 4, .floating = type[0] == 'f', .size = atoi(type + 1) / 8};
    bool ok = p.origin <= GROUP && (p.floating ? p.form != INTEGER && p.form <= POSITION : p.form == INTEGER || p.form == POSITION);
    code++, size--;
    if (ok && p.form == MULTIPLE) {
        const int exponent = (int16_t)take_number(&code, &size, 2, &ok);
        ok = ok && exponent >= -1022 && exponent <= 1023;
        if (ok) p.unit = ldexp(1, exponent);
    }
    if (ok && p.form == POSITION) {
        p.entries = take_number(&code, &size, 8, &ok);
        const uint64_t length = take_number(&code, &size, 8, &ok);
        ok = ok && length >= 1 && length <= size && p.entries <= count && (code[0] & 15) != POSITION;
        ok = ok && (p.list = malloc((size_t)(p.entries + 1) * (size_t)p.size)) && unpack(code, length, type, p.entries, p.list);
        if (ok) code += length, size -= length;
    }
    if (ok && p.origin == GROUP) p.group = take_number(&code, &size, 8, &ok);
    numbers *r = calloc(1, sizeof *r);
    ok = ok && r && (p.origin != GROUP || p.group - 1 < INT64_MAX) && read_numbers(r, code, size) && unpack_elements(&p, r, count, out);
    free(r);
    free(p.list);
    return ok;
}

/* --------------------------------------------------------------- names -- */

/* Takes the code of so many lengths, each at most total. NULL: it is not that. */
static uint8_t *take_lengths(const uint8_t **code, uint64_t *size, uint64_t count, uint64_t total) {
    bool ok = true;
    const uint64_t length = take_number(code, size, 8, &ok);
    uint8_t *lengths = ok && length <= *size ? malloc((size_t)(4 * count + 4)) : NULL;
    ok = lengths && unpack(*code, length, "u32", count, lengths);
    for (uint64_t i = 0; ok && i < count; i++) ok = u32_at(lengths, i) <= total;
    if (!ok) {
        free(lengths);
        return NULL;
    }
    *code += length, *size -= length;
    return lengths;
}

bool names_size(const uint8_t *code, uint64_t size, uint64_t count, uint64_t *bytes) {
    bool ok = true;
    const uint64_t most = MOST_PER_BYTE * size, total = take_number(&code, &size, 8, &ok);
    *bytes = total + count;
    return ok && total <= most && count <= most;
}

bool unpack_names(const uint8_t *code, uint64_t size, uint64_t count, char *text, char **names) {
    bool ok = true;
    uint64_t left = take_number(&code, &size, 8, &ok);
    uint8_t *shared = ok ? take_lengths(&code, &size, count, left) : NULL;
    uint8_t *own = shared ? take_lengths(&code, &size, count, left) : NULL;
    numbers *r = calloc(1, sizeof *r);
    uint64_t before = 0, bytes = 0; /* of the last name, of all names' own */
    for (uint64_t i = 0; own && i < count; i++) bytes += u32_at(own, i);
    ok = own && r && (bytes == 0 || read_numbers(r, code, size));
    for (uint64_t i = 0; ok && i < count; i++) {
        const uint64_t of_before = u32_at(shared, i), of_own = u32_at(own, i);
        names[i] = text;
        ok = of_before <= before && of_before + of_own <= left;
        if (!ok) break;
        if (of_before) memcpy(text, names[i - 1], (size_t)of_before);
        text += of_before;
        for (uint64_t b = 0; ok && b < of_own; b++) ok = next_token(r, (uint8_t *)text++);
        *text++ = 0;
        before = of_before + of_own;
        left -= before;
    }
    free(r);
    free(own);
    free(shared);
    return ok && left == 0;
}
