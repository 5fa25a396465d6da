/* See file.h. internal/modelio documents the format. */
#include "file.h"

#include <stdlib.h>

#include "error.h"
#include "unpack.h"

enum { MOST_UNPACKED = 32 }; /* bytes of arrays when they are unpacked, for each byte of the file */

enum { PREFIX = FILE_PREFIX, ALIGNMENT = 64, MOST_HEADER = 64 << 20, NEWEST = 1 };

static const char magic[] = "AOSO\r\n\x1a\n";

static void make_crc_tables(uint32_t tables[8][256]) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0x82f63b78u : 0);
        tables[0][i] = c;
    }
    for (int t = 1; t < 8; t++)
        for (int i = 0; i < 256; i++) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
}

/* The CRC-32C of bytes that follow those of another one, eight bytes at a time. */
static uint32_t crc32c(const file *f, uint32_t crc, const uint8_t *data, uint64_t size) {
    crc = ~crc;
    for (; size >= 8; data += 8, size -= 8) {
        const uint64_t v = little(data, 8) ^ crc;
        crc = 0;
        for (int i = 0; i < 8; i++) crc ^= f->crc_tables[7 - i][v >> (8 * i) & 255];
    }
    for (; size; data++, size--) crc = crc >> 8 ^ f->crc_tables[0][(crc ^ *data) & 255];
    return ~crc;
}

/* AOSOP_FUZZING leaves the checksums out, so that mutated files get further. */
static bool differs(uint32_t crc, uint32_t due) {
#ifdef AOSOP_FUZZING
    (void)crc, (void)due;
    return false;
#else
    return crc != due;
#endif
}

static uint64_t aligned(uint64_t n) { return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

uint64_t size_of(const char *type) {
    static const struct {
        const char *name;
        uint64_t size;
    } types[] = {{"i8", 1}, {"u8", 1}, {"u16", 2}, {"i32", 4}, {"u32", 4}, {"i64", 8}, {"u64", 8}, {"f32", 4}, {"f64", 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i].name) == 0) return types[i].size;
    return 0;
}

static aosop_status read_array(file *f, json *j, const uint8_t *data, uint64_t size, uint64_t *pos) {
    file_array a = {.data = data + *pos};
    char key[16], crc[9] = "";
    uint64_t offset = 0;
    bool first = true;
    json_enter(j, '{');
    while (json_more(j, '}', &first)) {
        json_key(j, key, sizeof key);
        if (strcmp(key, "name") == 0) json_string(j, a.name, sizeof a.name);
        else if (strcmp(key, "type") == 0) json_string(j, a.type, sizeof a.type);
        else if (strcmp(key, "count") == 0) a.count = json_unsigned(j);
        else if (strcmp(key, "packed") == 0) a.packed = json_unsigned(j);
        else if (strcmp(key, "offset") == 0) offset = json_unsigned(j);
        else if (strcmp(key, "crc32c") == 0) json_string(j, crc, sizeof crc);
        else json_skip(j);
    }
    const bool names = strcmp(a.type, "str") == 0 && a.packed; /* which are always packed */
    const uint64_t each = names ? 1 : size_of(a.type), rest = size - *pos;
    const bool fits = a.packed ? a.packed <= rest && a.count / MOST_PER_BYTE <= a.packed : each && a.count <= rest / each;
    const uint64_t bytes = a.packed ? a.packed : a.count * each;
    if (j->failed || !each || offset != *pos || !fits || aligned(bytes) > rest || f->num_arrays == MOST_ARRAYS)
        return CORRUPT("its header has an array that does not fit in the file");
    if (file_find(f, a.name, NULL) || !a.name[0]) return CORRUPT("its header has the array \"%s\" twice, or without a name", a.name);
    char due[9];
    const uint32_t sum = crc32c(f, 0, a.data, bytes);
    for (int i = 0; i < 8; i++) due[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
    due[8] = 0;
    if (differs((uint32_t)strcmp(crc, due), 0)) return CORRUPT("the checksum of array \"%s\" does not match", a.name);
    const uint64_t end = *pos + bytes;
    *pos = aligned(end);
    for (uint64_t i = end; i < *pos; i++)
        if (data[i]) return CORRUPT("the padding after array \"%s\" is not zero", a.name);
    f->arrays[f->num_arrays++] = a;
    f->unpacked += names ? 16 * a.count + names_text(a.data, a.packed) : a.count * each;
    if (f->unpacked > MOST_UNPACKED * size)
        return CORRUPT("its arrays up to \"%s\" have %llu bytes when they are unpacked; allowed: %llu, which is %d times the size of the file", a.name,
                       (unsigned long long)f->unpacked, (unsigned long long)(MOST_UNPACKED * size), MOST_UNPACKED);
    return AOSOP_OK;
}

static aosop_status check_prefix(const file *f, const uint8_t *data, uint64_t size) {
    if (size < sizeof magic - 1 || memcmp(data, magic, sizeof magic - 1) != 0)
        return set_error(AOSOP_BAD_FORMAT, size ? "not an aoso model file" : "file is truncated: it is empty");
    if (size < PREFIX) return set_error(AOSOP_BAD_FORMAT, "file is truncated: it has %llu bytes", (unsigned long long)size);
    const uint32_t version = u32_at(data, 2);
    if (version == 0) return CORRUPT("format version 0 does not exist");
    if (version > NEWEST)
        return set_error(AOSOP_BAD_FORMAT, "file is of a newer format: it has version %u and this build reads up to version %d", version, NEWEST);
    const uint64_t header = u64_at(data, 2), whole = u64_at(data, 3);
    if (header > MOST_HEADER || header % ALIGNMENT != ALIGNMENT - PREFIX || PREFIX + header > whole)
        return CORRUPT("a header of %llu bytes in a file of %llu", (unsigned long long)header, (unsigned long long)whole);
    if (size < whole)
        return set_error(AOSOP_BAD_FORMAT, "file is truncated: it has %llu bytes and should have %llu", (unsigned long long)size,
                          (unsigned long long)whole);
    if (size > whole) return CORRUPT("%llu bytes follow its end", (unsigned long long)(size - whole));
    if (differs(crc32c(f, crc32c(f, 0, data, 12), data + 16, PREFIX + header - 16), u32_at(data, 3)))
        return CORRUPT("the checksum of the header does not match");
    return AOSOP_OK;
}

uint64_t file_length(const uint8_t prefix[FILE_PREFIX]) {
    return memcmp(prefix, magic, sizeof magic - 1) == 0 ? u64_at(prefix, 3) : 0;
}

aosop_status file_open(file *f, const uint8_t *data, uint64_t size) {
    memset(f, 0, sizeof *f);
    make_crc_tables(f->crc_tables);
    const aosop_status status = check_prefix(f, data, size);
    if (status) return status;
    uint64_t pos = PREFIX + u64_at(data, 2);
    json j = {(const char *)data + PREFIX, (const char *)data + pos, false}, arrays = {0};
    char key[16], format[24] = "";
    uint64_t version = 0;
    bool first = true;
    json_enter(&j, '{');
    while (json_more(&j, '}', &first)) {
        json_key(&j, key, sizeof key);
        if (strcmp(key, "format") == 0) {
            json_string(&j, format, sizeof format);
        } else if (strcmp(key, "version") == 0) {
            version = json_unsigned(&j);
        } else {
            if (strcmp(key, "meta") == 0) f->meta = j;
            if (strcmp(key, "arrays") == 0) arrays = j;
            json_skip(&j);
        }
    }
    if (!json_ended(&j)) return CORRUPT("its header is not JSON");
    if (strcmp(format, "aoso-dataset") == 0) return set_error(AOSOP_BAD_FORMAT, "not an aoso model file: it is a dataset");
    if (strcmp(format, "aoso-model") != 0 || version != u32_at(data, 2) || !f->meta.at || !arrays.at)
        return CORRUPT("its header lacks format, version, meta or arrays, or they are wrong");
    first = true;
    json_enter(&arrays, '[');
    while (json_more(&arrays, ']', &first)) {
        const aosop_status failed = read_array(f, &arrays, data, size, &pos);
        if (failed) return failed;
    }
    if (arrays.failed) return CORRUPT("its header has no list of arrays");
    if (pos != size) return CORRUPT("%llu bytes after the last array belong to none", (unsigned long long)(size - pos));
    return AOSOP_OK;
}

const file_array *file_find(file *f, const char *name, const char *type) {
    for (int i = 0; i < f->num_arrays; i++) {
        file_array *a = &f->arrays[i];
        if (strcmp(a->name, name) != 0 || (type && strcmp(a->type, type) != 0)) continue;
        if (!type || !a->packed || a->unpacked) return a;
        a->unpacked = allocate(a->count * size_of(type) + 8, 1);
        if (!a->unpacked || !unpack(a->data, a->packed, type, a->count, a->unpacked)) {
            free(a->unpacked);
            a->unpacked = NULL;
            return NULL;
        }
        a->data = a->unpacked;
        return a;
    }
    return NULL;
}

void file_close(file *f) {
    for (int i = 0; i < f->num_arrays; i++) free(f->arrays[i].unpacked);
}
