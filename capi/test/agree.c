// What libaoso accepts of model files whose arrays were changed, checksums and all, libaoso_predict accepts too, and both
// predict the same bits. Arguments: seconds, files.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <aoso_predict.h>
#include <time.h>

static uint64_t state = 11;

static size_t below(size_t n) { return (size_t)(next_random(&state) % n); }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t crc32c(uint32_t crc, const uint8_t *data, size_t size) {
    crc = ~crc;
    for (; size; data++, size--) {
        crc ^= *data;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

static uint64_t number_after(const char *line, const char *key) {
    const char *at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

// Changes bytes of an array and mends its checksum and that of the header. Each array has a line in the header.
static void change(uint8_t *file, size_t size) {
    uint64_t head;
    memcpy(&head, file + 16, sizeof head);
    static const char crc_key[] = "\"crc32c\":\"";
    char *lines[64], *end = (char *)file + 32 + head;
    size_t n = 0;
    for (char *at = (char *)file + 32; at < end && n < 64; at++)
        if (end - at > 60 && memcmp(at, "{\"name\":", 8) == 0) lines[n++] = at;
    for (size_t changes = 1 + below(3); n && changes > 0; changes--) {
        char *line = lines[below(n)], *crc = strstr(line, crc_key);
        const size_t offset = number_after(line, "\"offset\":"), stop = crc ? (size_t)(crc - line) : 0;
        size_t length = number_after(line, "\"packed\":");
        const char *packed = strstr(line, "\"packed\":");
        if (!packed || packed > line + stop) {
            const size_t count = number_after(line, "\"count\":"), type = (size_t)(strstr(line, "\"type\":\"") - line) + 9;
            length = count * (size_t)(line[type] == '8' ? 1 : atoi((char[]){line[type], line[type + 1], 0}) / 8);
        }
        if (!crc || !length || offset + length > size) continue;
        uint8_t *at = file + offset + below(length);
        if (below(2)) *at ^= (uint8_t)(1 << below(8));
        else *at = (uint8_t)(below(2) ? below(256) : below(4) * 85);
        char text[9];
        snprintf(text, sizeof text, "%08x", crc32c(0, file + offset, length));
        memcpy(crc + strlen(crc_key), text, 8);
    }
    const uint32_t sum = crc32c(crc32c(0, file, 12), file + 16, 32 + head - 16);
    memcpy(file + 12, &sum, sizeof sum);
}

enum { PREDICTED = 40 };

static void compare(const aoso_model *m, const aosop_model *p) {
    const int64_t classes = aosop_num_classes(p), features = aosop_num_features(p);
    double *x = malloc((size_t)(PREDICTED * features) * sizeof *x), *want = malloc((size_t)(PREDICTED * classes) * sizeof *want),
           *have = malloc((size_t)(PREDICTED * classes) * sizeof *have);
    for (int64_t i = 0; i < PREDICTED * features; i++) {
        const double values[] = {NAN, INFINITY, -INFINITY, -1, 0, 1e-310, (double)below(130), (double)below(1000) / 8};
        x[i] = values[below(8)];
    }
    for (int64_t j = 0; j < features; j++) // whole numbers are positions of categories, to libaoso_predict
        if (aosop_num_categories(p, j) >= 0)
            for (int64_t i = 0; i < PREDICTED; i++) x[i * features + j] = NAN;
    for (int64_t rows = 3; rows <= PREDICTED; rows += PREDICTED - 3) {
        const aosop_rows px = aosop_row_major(x, AOSOP_FLOAT64, rows, features);
        aoso_matrix mx = aoso_row_major(x, AOSO_FLOAT64, rows, features);
        const size_t bytes = (size_t)(rows * classes) * sizeof *want;
        OK(aoso_model_predict_raw(m, &mx, NULL, want, rows * classes));
        EXPECT(aosop_predict_raw(p, &px, 0, have, rows * classes) == AOSOP_OK && memcmp(want, have, bytes) == 0);
        OK(aoso_model_predict_proba(m, &mx, NULL, want, rows * classes));
        EXPECT(aosop_predict_proba(p, &px, 0, have, rows * classes) == AOSOP_OK && memcmp(want, have, bytes) == 0);
    }
    free(x), free(want), free(have);
}

int main(int argc, char **argv) {
    const double end = now() + atof(argv[1]);
    long tried = 0, both = 0, predictor = 0;
    while (now() < end && failures < 10)
        for (int i = 2; i < argc; i++) {
            FILE *f = fopen(argv[i], "rb");
            if (!f) return 2;
            fseek(f, 0, SEEK_END);
            const size_t size = (size_t)ftell(f);
            uint8_t *file = malloc(size + 1), *copy = malloc(size + 1);
            rewind(f);
            if (size < 64 || size > 200000 || fread(file, 1, size, f) != size) {
                fclose(f), free(file), free(copy);
                continue;
            }
            fclose(f);
            copy[size] = 0;
            for (int n = 0; n < 20; n++, tried++) {
                memcpy(copy, file, size);
                change(copy, size);
                aoso_model *m = NULL;
                aosop_model *p = NULL;
                const aoso_status of_go = aoso_model_decode(copy, size, &m);
                const aosop_status of_c = aosop_decode(copy, size, &p);
                EXPECT(of_go == AOSO_OK || of_go == AOSO_BAD_FORMAT);
                if (of_c != AOSOP_OK && of_go == AOSO_OK) fprintf(stderr, "%s: %s\n", argv[i], aosop_last_error());
                EXPECT(of_c == AOSOP_OK || (of_c == AOSOP_BAD_FORMAT && of_go != AOSO_OK));
                if (of_go == AOSO_OK && of_c == AOSOP_OK) compare(m, p), both++;
                predictor += of_c == AOSOP_OK;
                aoso_model_free(m);
                aosop_free(p);
            }
            free(file), free(copy);
        }
    printf("agree: %ld inputs, %ld loaded by both libraries, %ld by libaoso_predict\n", tried, both, predictor);
    EXPECT(both * 20 > tried);
    return finish("agree");
}
