/* See unpack.h. */
#include "unpack.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"

enum { SCALE_BITS = 12, SCALE = 1 << SCALE_BITS, LOW_STATE = 1 << 23 };

/* Which states stand for which tokens. */
typedef struct table {
    uint8_t slots[SCALE]; /* the token of each */
    uint32_t start[256], frequency[256];
} table;

/* Numbers as tokens, coded by asymmetric numeral systems, and further bits. */
typedef struct numbers {
    uint32_t state;
    const uint8_t *tokens, *tokens_end, *further;
    uint64_t at, bits; /* of further */
    table tables[];
} numbers;

static bool read_table(table *t, const uint8_t **code, uint64_t *size) {
    const uint64_t used = *size ? (uint64_t)(*code)[0] + 1 : 0;
    if (used == 0 || *size < 1 + 3 * used) return false;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < used; i++) {
        const uint8_t token = (*code)[1 + 3 * i];
        const uint32_t frequency = (uint32_t)little(*code + 2 + 3 * i, 2);
        if (sum + frequency > SCALE) return false;
        t->start[token] = sum;
        t->frequency[token] = frequency;
        memset(t->slots + sum, token, frequency);
        sum += frequency;
    }
    *code += 1 + 3 * used, *size -= 1 + 3 * used;
    return sum == SCALE;
}

/* Begins with the first of numbers that have this many tables. NULL: the code is not that, or
 * there is no memory. */
static numbers *read_numbers(const uint8_t *code, uint64_t size, int tables) {
    numbers *r = allocate(1, sizeof *r + (size_t)tables * sizeof *r->tables);
    bool ok = r != NULL;
    for (int i = 0; ok && i < tables; i++) ok = read_table(&r->tables[i], &code, &size);
    const uint64_t length = ok && size >= 8 ? little(code, 8) : 0;
    if (length < 4 || length > size - 8) {
        free(r);
        return NULL;
    }
    code += 8, size -= 8;
    r->state = (uint32_t)little(code, 4);
    r->tokens = code + 4;
    r->tokens_end = r->further = code + length;
    r->bits = 8 * (size - length);
    return r;
}

static bool next_token(numbers *r, const table *t, uint8_t *token) {
    const uint32_t slot = r->state % SCALE;
    *token = t->slots[slot];
    r->state = t->frequency[*token] * (r->state / SCALE) + slot - t->start[*token];
    while (r->state < LOW_STATE) {
        if (r->tokens == r->tokens_end) return false;
        r->state = r->state << 8 | *r->tokens++;
    }
    return true;
}

static bool next(numbers *r, int table, uint64_t *n) {
    uint8_t token;
    if (!next_token(r, &r->tables[table], &token)) return false;
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

enum form { INTEGER, BITS, MULTIPLE, POSITION, FLOAT };
enum origin { POSITIVE, ZERO, BEFORE, GROUP };
enum { MOST_KINDS = 16, FRACTION_BITS = 23 };

/* How the elements of an array are made of numbers. */
typedef struct packing {
    enum form form;
    enum origin origin;
    bool floating;
    int size;
    double unit; /* of multiples */
    uint64_t group, entries;
    int num_kinds;  /* of groups */
    uint8_t *kinds; /* by group; NULL: there is one */
    uint8_t *list;
    uint64_t greatest; /* exponent */
} packing;

/* Bits of floating-point numbers as integers that rise with them, and back. */
static uint64_t rising(const packing *p, uint64_t n) {
    if (!(n >> 63)) return n;
    return (p->size == 4 ? UINT64_MAX << 31 : (uint64_t)1 << 63) - n - 1; /* the rest of negative numbers falls as they rise */
}

static uint64_t rising_float(const packing *p, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return rising(p, bits >> 31 ? UINT64_MAX << 32 | bits : bits);
}

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
    return p->form == BITS || p->form == FLOAT ? rising(p, n) : n;
}

static bool put(const packing *p, uint64_t n, uint8_t *out) {
    if (p->form == POSITION) {
        if (n >= p->entries) return false;
        memcpy(out, p->list + n * (uint64_t)p->size, (size_t)p->size);
        return true;
    }
    n = element_bits(p, n);
    for (int b = 0; b < p->size; b++) out[b] = (uint8_t)(n >> 8 * b);
    return true;
}

/* Makes an integer of a number relative to base. */
static bool integer_of(const packing *p, uint64_t number, uint64_t base, uint64_t *n) {
    if (p->form != FLOAT || number < (uint64_t)1 << FRACTION_BITS) {
        *n = base + unzigzag(number);
        return true;
    }
    const uint64_t parts = (number >> FRACTION_BITS) - 1; /* far from base: sign and exponent */
    if (parts / 2 > p->greatest) return false;
    const uint64_t rest = (p->greatest - parts / 2) << FRACTION_BITS | (number & (((uint64_t)1 << FRACTION_BITS) - 1));
    *n = rising(p, parts % 2 ? UINT64_MAX << 31 | rest : rest);
    return true;
}

/* What makes the sum of n others zero. */
static float closing(const uint8_t *others, uint64_t n) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) sum -= (double)f32_at(others, i);
    return fabs(sum) <= FLT_MAX ? (float)sum : 0;
}

static bool unpack_groups(const packing *p, numbers *r, uint64_t count, uint8_t *out) {
    const int bases = p->num_kinds;
    const uint64_t members = p->form == FLOAT ? p->group - 1 : p->group;
    uint64_t base = 0, n;
    for (uint64_t i = 0; i < count / p->group; i++) {
        const uint8_t *first = out;
        const int kind = p->kinds ? p->kinds[i] : 0;
        if (!next(r, bases, &n) || !integer_of(p, n, base, &base)) return false;
        for (uint64_t j = 0; j < members; j++, out += p->size)
            if (!next(r, kind, &n) || !integer_of(p, n, base, &n) || !put(p, n, out)) return false;
        if (p->form != FLOAT) continue;
        if (!next(r, bases + 1, &n)) return false;
        put(p, rising_float(p, closing(first, members)) + unzigzag(n), out);
        out += p->size;
    }
    return true;
}

static bool unpack_elements(const packing *p, numbers *r, uint64_t count, uint8_t *out) {
    uint64_t base = 0, n;
    for (uint64_t i = 0; i < count; i++, out += p->size) {
        if (!next(r, 0, &n)) return false;
        if (p->origin != POSITIVE) n = base + unzigzag(n);
        if (p->origin == BEFORE) base = n;
        if (!put(p, n, out)) return false;
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

/* Takes what stands before the numbers of groups. */
static bool take_groups(packing *p, const uint8_t **code, uint64_t *size, uint64_t count) {
    bool ok = true;
    p->group = take_number(code, size, 8, &ok);
    p->num_kinds = 1;
    if (!ok || p->group < 1 || p->group > count || count % p->group) return false;
    p->num_kinds = (int)take_number(code, size, 1, &ok);
    if (!ok || p->num_kinds < 1 || p->num_kinds > MOST_KINDS) return false;
    if (p->num_kinds == 1) return true;
    const uint64_t length = take_number(code, size, 8, &ok), groups = count / p->group;
    if (!ok || length < 1 || length > *size || ((*code)[0] & 15) != INTEGER || (*code)[0] >> 4 >= GROUP) return false; /* no groups in groups */
    p->kinds = groups / MOST_PER_BYTE <= length ? allocate(groups + 1, 1) : NULL;
    ok = p->kinds && unpack(*code, length, "u8", groups, p->kinds);
    for (uint64_t i = 0; ok && i < groups; i++) ok = p->kinds[i] < p->num_kinds;
    *code += length, *size -= length;
    return ok;
}

/* Whether an array of the type can be packed so. */
static bool sound(const packing *p, const char *type) {
    if (p->origin > GROUP || p->form > FLOAT) return false;
    if (p->form == FLOAT) return strcmp(type, "f32") == 0 && p->origin == GROUP;
    return p->floating ? p->form != INTEGER : p->form == INTEGER || p->form == POSITION;
}

bool unpack(const uint8_t *code, uint64_t size, const char *type, uint64_t count, uint8_t *out) {
    if (size == 0 || count / MOST_PER_BYTE > size) return false;
    packing p = {.form = code[0] & 15, .origin = code[0] >> 4, .floating = type[0] == 'f', .size = atoi(type + 1) / 8};
    bool ok = sound(&p, type);
    code++, size--;
    if (ok && p.form == MULTIPLE) {
        const int exponent = (int16_t)take_number(&code, &size, 2, &ok);
        ok = ok && exponent >= -1022 && exponent <= 1023;
        if (ok) p.unit = ldexp(1, exponent);
    }
    if (ok && p.form == FLOAT) p.greatest = take_number(&code, &size, 1, &ok);
    if (ok && p.form == POSITION) {
        p.entries = take_number(&code, &size, 8, &ok);
        const uint64_t length = take_number(&code, &size, 8, &ok);
        ok = ok && length >= 1 && length <= size && p.entries <= count && (code[0] & 15) != POSITION;
        ok = ok && (p.list = allocate(p.entries + 1, (size_t)p.size)) && unpack(code, length, type, p.entries, p.list);
        if (ok) code += length, size -= length;
    }
    const bool grouped = p.origin == GROUP;
    if (ok && grouped) ok = take_groups(&p, &code, &size, count);
    const int tables = grouped ? p.num_kinds + (p.form == FLOAT ? 2 : 1) : 1;
    numbers *r = ok ? read_numbers(code, size, tables) : NULL;
    ok = r && (grouped ? unpack_groups : unpack_elements)(&p, r, count, out);
    free(r);
    free(p.kinds);
    free(p.list);
    return ok;
}

/* --------------------------------------------------------------- names -- */

/* Takes the code of this many lengths, each at most total. NULL: it is not that. */
static uint8_t *take_lengths(const uint8_t **code, uint64_t *size, uint64_t count, uint64_t total) {
    bool ok = true;
    const uint64_t length = take_number(code, size, 8, &ok);
    uint8_t *lengths = ok && length <= *size ? allocate(count + 1, 4) : NULL;
    ok = lengths && unpack(*code, length, "u32", count, lengths);
    for (uint64_t i = 0; ok && i < count; i++) ok = u32_at(lengths, i) <= total;
    if (!ok) {
        free(lengths);
        return NULL;
    }
    *code += length, *size -= length;
    return lengths;
}

uint64_t names_text(const uint8_t *code, uint64_t size) {
    bool ok = true;
    const uint64_t most = MOST_PER_BYTE * size, total = take_number(&code, &size, 8, &ok);
    return !ok ? 0 : total < most ? total : most;
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
    uint64_t before = 0, bytes = 0; /* of the last name, of all names' own */
    for (uint64_t i = 0; own && i < count; i++) bytes += u32_at(own, i);
    numbers *r = bytes ? read_numbers(code, size, 1) : NULL;
    ok = own && (r || bytes == 0);
    for (uint64_t i = 0; ok && i < count; i++) {
        const uint64_t of_before = u32_at(shared, i), of_own = u32_at(own, i);
        names[i] = text;
        ok = of_before <= before && of_before + of_own <= left;
        if (!ok) break;
        if (of_before) memcpy(text, names[i - 1], (size_t)of_before);
        text += of_before;
        for (uint64_t b = 0; ok && b < of_own; b++) ok = next_token(r, &r->tables[0], (uint8_t *)text++);
        *text++ = 0;
        before = of_before + of_own;
        left -= before;
    }
    free(r);
    free(own);
    free(shared);
    return ok && left == 0;
}
