/* The functions of aoso_predict.h, and blocks of rows. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <float.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fpmode.h"
#include "error.h"
#include "file.h"
#include "model.h"
#include "unpack.h"

const char *aosop_version(void) { return AOSOP_VERSION; }

/* --------------------------------------------------------------- models -- */

aosop_status aosop_decode(const void *data, size_t size, aosop_model **out) {
    if (!out || (!data && size)) return INVALID("%s is NULL; allowed: an address", out ? "data" : "out");
    aosop_model *m = calloc(1, sizeof *m);
    if (!m) return no_memory("the model");
    begin_call();
    const fpmode host = fp_enter();
    const aosop_status status = model_decode(m, data, size);
    fp_leave(host);
    if (status) aosop_free(m);
    else *out = m;
    return status;
}

static aosop_status cannot_read(const char *path) {
    return errno == ENOMEM ? no_memory(path) : set_error(AOSOP_IO, "cannot read %s: %s", path, strerror(errno));
}

/* Reads from a file, though signals interrupt it. Returns the bytes read: less than size at the end, or on an error. */
static size_t read_some(FILE *f, uint8_t *bytes, size_t size) {
    size_t n = 0;
    while (n < size && !feof(f)) {
        n += fread(bytes + n, 1, size - n, f);
        if (!ferror(f)) continue;
        if (errno != EINTR) break;
        clearerr(f);
    }
    return n;
}

/* Reads all of a file. A pipe, or a device without an end, is read one byte further than the file should be. */
static aosop_status read_stream(FILE *f, const char *path, uint8_t **data, size_t *size) {
    size_t room = 1 << 16, n;
    uint64_t most = room;
    uint8_t *bytes = malloc(room);
    *size = bytes ? read_some(f, bytes, FILE_PREFIX) : 0;
    if (*size == FILE_PREFIX) most = file_length(bytes);
    while (bytes && *size <= most && (n = read_some(f, bytes + *size, room - *size)) > 0) {
        *size += n;
        if (*size < room) continue;
        uint8_t *more = room <= SIZE_MAX / 2 ? realloc(bytes, room *= 2) : NULL;
        if (!more) free(bytes);
        bytes = more;
    }
    *data = bytes;
    if (!bytes) return no_memory(path);
    if (!ferror(f)) return AOSOP_OK;
    const aosop_status status = cannot_read(path);
    free(bytes);
    return status;
}

static aosop_status read_file(const char *path, uint8_t **data, size_t *size) {
    FILE *f;
    while (!(f = fopen(path, "rb")))
        if (errno != EINTR) return cannot_read(path);
    const aosop_status status = read_stream(f, path, data, size);
    fclose(f);
    return status;
}

/* Sets whether the thread can be cancelled; returns whether it could. */
static int can_cancel(int state) {
    pthread_setcancelstate(state, &state);
    return state;
}

aosop_status aosop_load(const char *path, aosop_model **out) {
    if (!path || !out) return INVALID("%s is NULL; allowed: an address", out ? "path" : "out");
    uint8_t *data = NULL;
    size_t size = 0;
    const int cancel = can_cancel(PTHREAD_CANCEL_DISABLE); /* else the file and the memory were lost */
    aosop_status status = read_file(path, &data, &size);
    if (!status) {
        status = aosop_decode(data, size, out);
        free(data);
        if (status) add_path(path);
    }
    can_cancel(cancel);
    return status;
}

void aosop_free(aosop_model *m) {
    if (!m) return;
    for (void *block = m->blocks, *next; block; block = next) {
        next = *(void **)block;
        free(block);
    }
    free(m);
}

int64_t aosop_num_classes(const aosop_model *m) { return m->classes; }
int64_t aosop_num_features(const aosop_model *m) { return m->features; }
int64_t aosop_num_trees(const aosop_model *m) { return m->trees; }
double aosop_temperature(const aosop_model *m) { return m->temperature == 0 ? 1 : m->temperature; }
size_t aosop_memory(const aosop_model *m) { return m->memory + sizeof *m; }
const char *aosop_class_name(const aosop_model *m, int64_t k) { return k >= 0 && k < m->classes ? m->class_names[k] : NULL; }
const char *aosop_feature_name(const aosop_model *m, int64_t j) { return j >= 0 && j < m->features ? m->feature_names[j] : NULL; }

int64_t aosop_num_categories(const aosop_model *m, int64_t j) { return m->categories && j >= 0 && j < m->features ? m->categories[j].count : -1; }

const char *aosop_category_name(const aosop_model *m, int64_t j, int64_t i) {
    return i >= 0 && i < aosop_num_categories(m, j) ? m->category_names[m->categories[j].first + i] : NULL;
}

int64_t aosop_find_category(const aosop_model *m, int64_t j, const char *name) {
    const int64_t count = aosop_num_categories(m, j);
    for (int64_t i = 0; i < count; i++)
        if (strcmp(m->category_names[m->categories[j].first + i], name) == 0) return i;
    return count;
}

/* --------------------------------------------------------------- blocks -- */

/* What is made of rows: scores or leaves, both rows × width. */
typedef enum kind { CLASS, PROBA, RAW, LEAF } kind;

typedef struct job {
    const aosop_model *m;
    const aosop_rows *x;
    int64_t trees;
    kind kind;
    int32_t *numbers;
    double *scores;
} job;

/* A block of rows and room to predict it. */
typedef struct block {
    const aosop_model *m;
    const loops *loops;
    int64_t rows, group; /* group: trees whose leaves are kept at once: all of the job's, if leaves are sparse */
    uint64_t *right;     /* answers to the tests */
    uint64_t *at_least, *marks;
    uint16_t *leaves;
    double *scores, *values; /* scores: of all rows, or of one if leaves are sparse */
    float *places;           /* of all rows: what they have in terms of linear scores */
    void *memory;
} block;

enum { LEAF_STRIDE = BLOCK_ROWS + 32, CACHE_BYTES = 128 << 10 /* a quarter of a common second-level cache */ };

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Rows of sparse leaves are predicted one by one with more trees than this, whose leaves would take 17 MiB. */
enum { MOST_KEPT_TREES = 1 << 14 };

/* The most rows of a block: their scores take at most 4 MiB, unless those of 64 rows take more. */
static int64_t most_rows(const aosop_model *m) {
    const int64_t rows = m->few ? BLOCK_ROWS : (4 << 20) / 8 / m->stride / 64 * 64;
    return rows < 64 ? 64 : rows > BLOCK_ROWS ? BLOCK_ROWS : rows;
}

static aosop_status block_create(block *b, const job *j) {
    const aosop_model *m = j->m;
    const uint64_t leaf_bytes = m->pairs ? 8 * (uint64_t)m->per_leaf : 4 * (uint64_t)(m->classes < 32 ? m->classes : 32);
    const uint64_t group = CACHE_BYTES * (uint64_t)m->trees / larger(1, (uint64_t)m->leaves * leaf_bytes);
    b->m = m;
    b->loops = best_loops();
    b->group = m->few ? j->trees : (int64_t)(group < 1 ? 1 : group > GROUP_TREES ? GROUP_TREES : group);
    uint64_t most = 256; /* thresholds of a column, or codes */
    for (uint32_t i = 0; i < m->num_tested; i++) most = larger(most, m->tested[i].end - m->tested[i].first);
    const uint64_t right = m->num_tests * (uint64_t)BLOCK_WORDS, at_least = (m->most + 1) * (uint64_t)BLOCK_WORDS,
                   marks = (most + 1) * BLOCK_WORDS, leaves = (uint64_t)b->group * LEAF_STRIDE / 4,
                   scores = (uint64_t)m->stride * (m->few ? 1 : (uint64_t)most_rows(m)), places = m->linear.bias && !m->few ? BLOCK_ROWS * GROUP_TERMS / 2 : 0;
    const uint64_t words = right + at_least + marks + leaves + scores + places + BLOCK_ROWS + 8;
    uint64_t *at = words < SIZE_MAX / 8 ? malloc((size_t)words * 8) : NULL;
    b->memory = at;
    if (!at) return no_memory("a block of rows");
    at += (64 - (uintptr_t)at % 64) % 64 / 8;
    b->right = at, at += right;
    b->at_least = at, at += at_least;
    b->marks = at, at += marks;
    b->scores = (double *)at, at += scores;
    b->values = (double *)at, at += BLOCK_ROWS;
    b->places = (float *)at, at += places;
    b->leaves = (uint16_t *)at;
    return AOSOP_OK;
}

/* Answers tests by rising threshold: a row goes right at those that it reaches.
 * Missing values go right at all, or at none. */
static void rank_rows(block *b, uint32_t first, uint32_t end, bool missing_right) {
    const uint32_t n = end - first;
    if (n == 0) return;
    uint64_t *marks = b->marks; /* by rank: the rows that have it */
    memset(marks, 0, (n + 1) * (size_t)BLOCK_WORDS * sizeof *marks);
    for (int64_t i = 0; i < b->rows; i++) {
        const double x = b->values[i];
        const uint32_t rank = x == x ? rank_of(x, b->m->thresholds + first, n) : missing_right ? n : 0;
        marks[(size_t)rank * BLOCK_WORDS + (size_t)i / 64] |= (uint64_t)1 << i % 64;
    }
    uint64_t above[BLOCK_WORDS] = {0};
    for (uint32_t i = n; i > 0; i--)
        for (int w = 0; w < BLOCK_WORDS; w++)
            b->right[(size_t)(first + i - 1) * BLOCK_WORDS + (size_t)w] = above[w] |= marks[(size_t)i * BLOCK_WORDS + (size_t)w];
}

/* Answers the tests of a categorical column: codes that are in the set go left. */
static void sort_codes(block *b, const column *c) {
    uint64_t *marks = b->marks; /* by code: the rows that have it */
    memset(marks, 0, 256 * BLOCK_WORDS * sizeof *marks);
    for (int64_t i = 0; i < b->rows; i++) {
        const size_t code = b->values[i] == b->values[i] ? (size_t)b->values[i] : 0;
        marks[code * BLOCK_WORDS + (size_t)i / 64] |= (uint64_t)1 << i % 64;
    }
    const int64_t codes = column_codes(b->m, c->column);
    for (uint32_t test = c->first; test < c->end; test++) {
        const set *s = &b->m->sets[b->m->set_of[test]];
        uint64_t left[BLOCK_WORDS] = {0};
        for (int64_t code = 0; code <= codes; code++) {
            if (!(s->words[code / 64] >> code % 64 & 1)) continue;
            for (int w = 0; w < BLOCK_WORDS; w++) left[w] |= marks[(size_t)code * BLOCK_WORDS + (size_t)w];
        }
        for (int w = 0; w < BLOCK_WORDS; w++) b->right[(size_t)test * BLOCK_WORDS + (size_t)w] = ~left[w];
    }
}

/* Reads a column of the rows. */
static void read_column(block *b, const aosop_rows *x, int64_t first, uint32_t column) {
    if (column >= b->m->first_cross) {
        for (int64_t i = 0; i < b->rows; i++) b->values[i] = column_value(b->m, x, first + i, column);
        return;
    }
    const int64_t j = owner(b->m, column), start = first * x->row_stride + j * x->col_stride;
    const float *f = (const float *)x->data + (x->type == AOSOP_FLOAT32 ? start : 0);
    const double *d = (const double *)x->data + (x->type == AOSOP_FLOAT64 ? start : 0);
    for (int64_t i = 0; i < b->rows; i++)
        b->values[i] = to_finite(x->type == AOSOP_FLOAT32 ? (double)f[i * x->row_stride] : d[i * x->row_stride]);
    if (!b->m->categories) return;
    for (int64_t i = 0; i < b->rows; i++) b->values[i] = encoded_value(b->m, b->values[i], column);
}

/* Asks rows all tests. */
static void block_load(block *b, const aosop_rows *x, int64_t first, int64_t rows) {
    b->rows = rows;
    for (uint32_t i = 0; i < b->m->num_tested; i++) {
        const column *c = &b->m->tested[i];
        read_column(b, x, first, c->column);
        if (is_categorical(b->m, c->column)) {
            sort_codes(b, c);
        } else {
            rank_rows(b, c->first, c->middle, false);
            rank_rows(b, c->middle, c->end, true);
        }
    }
}

/* Makes the scores of the rows what they are before any tree. */
static void block_begin(block *b, const aosop_rows *x, int64_t first_row) {
    const linear *l = &b->m->linear;
    if (!l->bias) {
        memset(b->scores, 0, (size_t)(b->rows * b->m->stride) * sizeof *b->scores);
        return;
    }
    int64_t first = 0;
    do {
        const int64_t last = first + GROUP_TERMS < l->terms ? first + GROUP_TERMS : l->terms;
        for (int64_t t = first; t < last; t++) {
            read_column(b, x, first_row, l->columns[t]);
            for (int64_t i = 0; i < b->rows; i++) b->places[i * GROUP_TERMS + t - first] = place_of(l, t, b->values[i]);
        }
        b->loops->add_terms(b->m, b->scores, b->rows, first, last, b->places);
        first = last;
    } while (first < l->terms);
}

static void block_leaves(block *b, int64_t first, int64_t last) {
    b->loops->leaves(b->m, first, last, (int)((b->rows + 63) / 64), b->right, b->at_least, b->leaves, LEAF_STRIDE);
}

/* ----------------------------------------------------------- prediction -- */

/* The class of the greatest score, the lowest if several tie. */
static int32_t greatest(const double *scores, int64_t classes) {
    int64_t best = 0;
    for (int64_t k = 1; k < classes; k++)
        if (scores[k] > scores[best]) best = k;
    return (int32_t)best;
}

/* Makes the output for rows from their raw scores, rows × stride. */
static void finish(const job *j, const double *scores, int64_t first, int64_t rows) {
    const int64_t classes = j->m->classes;
    for (int64_t i = 0; i < rows; i++, scores += j->m->stride) {
        if (j->kind == CLASS) {
            j->numbers[first + i] = greatest(scores, classes);
        } else {
            memcpy(j->scores + (first + i) * classes, scores, (size_t)classes * sizeof *scores);
        }
    }
    if (j->kind == PROBA) best_loops()->softmax(j->scores + first * classes, rows, classes, j->m->temperature);
}

/* Predicts rows one by one. */
static aosop_status predict_rows(const job *j) {
    const aosop_model *m = j->m;
    double few[AOSOP_FEW_CLASSES + SHORT_CLASSES], *scores = few;
    if (m->classes > AOSOP_FEW_CLASSES && !(scores = malloc((size_t)m->stride * sizeof *scores)))
        return no_memory("a row");
    walker w;
    w.m = m, w.x = j->x;
    for (int64_t i = 0; i < j->x->rows; i++) {
        walker_load(&w, i);
        if (j->kind != LEAF) begin_row(m, j->x, i, scores);
        for (int64_t first = 0; first < j->trees; first += GROUP_TREES) {
            const int64_t last = first + GROUP_TREES < j->trees ? first + GROUP_TREES : j->trees;
            uint16_t leaves[GROUP_TREES];
            walker_leaves(&w, first, leaves);
            if (j->kind != LEAF) best_loops()->add(m, scores, 1, first, last, leaves, 1);
            for (int64_t t = first; j->kind == LEAF && t < last; t++) j->numbers[i * j->trees + t] = leaves[t - first];
        }
        if (j->kind != LEAF) finish(j, scores, i, 1);
    }
    if (scores != few) free(scores);
    return AOSOP_OK;
}

/* The class of row i of a block whose leaves are sparse. It looks only at the classes that
 * these move, whose scores it leaves zero again. Scores must begin as zeros. */
static int32_t sparse_class(block *b, int64_t trees, int64_t i) {
    const aosop_model *m = b->m;
    double *scores = b->scores;
    uint32_t best = (uint32_t)m->classes;
    b->loops->add(m, scores, 1, 0, trees, b->leaves + i, LEAF_STRIDE);
    scores[best] = 0; /* no class that is moved has more: one that is not may be the greatest */
    for (int reset = 0; reset < 2; reset++) {
        for (int64_t t = 0; t < trees; t++) {
            const class_step *c = m->few + ((int64_t)m->first_leaf[t] + b->leaves[t * LEAF_STRIDE + i]) * m->per_leaf;
            for (int64_t n = 0; n < m->per_leaf; n++) {
                if (reset) scores[c[n].k] = 0;
                else if (scores[c[n].k] > scores[best] || (scores[c[n].k] == scores[best] && c[n].k < best)) best = c[n].k;
            }
        }
        if (!reset && scores[best] <= 0) best = (uint32_t)greatest(scores, m->classes);
    }
    return (int32_t)best;
}

/* Predicts a block of rows one after the other: the scores of a row may be many. */
static void predict_sparse(block *b, const job *j, int64_t row) {
    memset(b->scores, 0, (size_t)j->m->stride * sizeof *b->scores);
    block_leaves(b, 0, j->trees);
    for (int64_t i = 0; i < b->rows; i++) {
        if (j->kind == CLASS && !j->m->linear.bias) {
            j->numbers[row + i] = sparse_class(b, j->trees, i);
            continue;
        }
        begin_row(j->m, j->x, row + i, b->scores);
        b->loops->add(j->m, b->scores, 1, 0, j->trees, b->leaves + i, LEAF_STRIDE);
        finish(j, b->scores, row + i, 1);
    }
}

/* Predicts blocks of rows. */
static aosop_status predict_blocks(const job *j) {
    const int64_t most = most_rows(j->m), blocks = (j->x->rows + most - 1) / most, size = ((j->x->rows + blocks - 1) / blocks + 63) / 64 * 64;
    block b = {0};
    const aosop_status status = block_create(&b, j);
    if (status) return status;
    for (int64_t row = 0; row < j->x->rows; row += size) {
        block_load(&b, j->x, row, j->x->rows - row < size ? j->x->rows - row : size);
        if (j->m->few && j->kind != LEAF) {
            predict_sparse(&b, j, row);
            continue;
        }
        if (j->kind != LEAF) block_begin(&b, j->x, row);
        for (int64_t first = 0; first < j->trees; first += b.group) {
            const int64_t last = first + b.group < j->trees ? first + b.group : j->trees;
            block_leaves(&b, first, last);
            if (j->kind != LEAF) {
                b.loops->add(j->m, b.scores, b.rows, first, last, b.leaves, LEAF_STRIDE);
                continue;
            }
            for (int64_t i = 0; i < b.rows; i++)
                for (int64_t t = first; t < last; t++) j->numbers[(row + i) * j->trees + t] = b.leaves[(t - first) * LEAF_STRIDE + i];
        }
        if (j->kind != LEAF) finish(j, b.scores, row, b.rows);
    }
    free(b.memory);
    return AOSOP_OK;
}

/* Whether the last element is as far from the first one as 64 bits can say, in bytes. */
static bool within_memory(const aosop_rows *x) {
    int64_t row, col, last;
    return !__builtin_mul_overflow(x->rows, x->row_stride, &row) && !__builtin_mul_overflow(x->cols, x->col_stride, &col) &&
           !__builtin_add_overflow(row, col, &last) && last <= INT64_MAX / 16 && last >= -(INT64_MAX / 16) && row <= INT64_MAX / 16 && row >= -(INT64_MAX / 16);
}

/* Checks the arguments of a prediction and does it. */
static aosop_status predict(job j, const void *out, int64_t length) {
    if (!j.m || !j.x) return INVALID("%s is NULL; allowed: an address", j.m ? "x" : "model");
    if (j.trees < 0 || j.trees > j.m->trees) return INVALID("trees is %lld; allowed: 0 to %lld, the trees of the model", (long long)j.trees, (long long)j.m->trees);
    if (j.trees == 0) j.trees = j.m->trees;
    if (j.x->type != AOSOP_FLOAT32 && j.x->type != AOSOP_FLOAT64) return INVALID("type is %d; allowed: AOSOP_FLOAT32 and AOSOP_FLOAT64", (int)j.x->type);
    if (j.x->cols != j.m->features) return INVALID("cols is %lld; allowed: %lld, the features of the model", (long long)j.x->cols, (long long)j.m->features);
    if (j.x->rows < 0 || (j.x->rows > 0 && !j.x->data)) return INVALID("rows is %lld without data; allowed: 0 or more rows at an address", (long long)j.x->rows);
    if (!within_memory(j.x)) return INVALID("row_stride is %lld and col_stride %lld; allowed: strides within memory", (long long)j.x->row_stride, (long long)j.x->col_stride);
    const int64_t width = j.kind == CLASS ? 1 : j.kind == LEAF ? j.trees : j.m->classes;
    if (width > 0 && j.x->rows > INT64_MAX / 8 / width) return INVALID("rows is %lld; allowed: fewer", (long long)j.x->rows);
    if (length != j.x->rows * width || (length > 0 && !out)) return INVALID("length is %lld; allowed: %lld, the numbers of out", (long long)length, (long long)(j.x->rows * width));
    if (j.x->rows == 0) return AOSOP_OK;
    const fpmode host = fp_enter();
    const aosop_status status = j.x->rows <= AOSOP_FEW_ROWS || (j.m->few && j.trees > MOST_KEPT_TREES) ? predict_rows(&j) : predict_blocks(&j);
    fp_leave(host);
    return status;
}

aosop_status aosop_predict(const aosop_model *m, const aosop_rows *x, int64_t trees, int32_t *out, int64_t length) {
    return predict((job){m, x, trees, CLASS, out, NULL}, out, length);
}

aosop_status aosop_predict_proba(const aosop_model *m, const aosop_rows *x, int64_t trees, double *out, int64_t length) {
    return predict((job){m, x, trees, PROBA, NULL, out}, out, length);
}

aosop_status aosop_predict_raw(const aosop_model *m, const aosop_rows *x, int64_t trees, double *out, int64_t length) {
    return predict((job){m, x, trees, RAW, NULL, out}, out, length);
}

aosop_status aosop_predict_leaf(const aosop_model *m, const aosop_rows *x, int64_t trees, int32_t *out, int64_t length) {
    return predict((job){m, x, trees, LEAF, out, NULL}, out, length);
}

/* Predicts one row of doubles with all trees. */
static aosop_status predict_row(job j, const double *row, int64_t features, const void *out, int64_t length) {
    if (!j.m || !row || !out) return INVALID("%s is NULL; allowed: an address", !j.m ? "model" : !row ? "row" : "out");
    if (features != j.m->features) return INVALID("features is %lld; allowed: %lld, the features of the model", (long long)features, (long long)j.m->features);
    const aosop_rows x = aosop_row_major(row, AOSOP_FLOAT64, 1, features);
    j.x = &x;
    return predict(j, out, length);
}

aosop_status aosop_row_class(const aosop_model *m, const double *row, int64_t features, int32_t *out) {
    return predict_row((job){.m = m, .kind = CLASS, .numbers = out}, row, features, out, 1);
}

aosop_status aosop_row_proba(const aosop_model *m, const double *row, int64_t features, double *out, int64_t length) {
    return predict_row((job){.m = m, .kind = PROBA, .scores = out}, row, features, out, length);
}

aosop_status aosop_row_raw(const aosop_model *m, const double *row, int64_t features, double *out, int64_t length) {
    return predict_row((job){.m = m, .kind = RAW, .scores = out}, row, features, out, length);
}

aosop_status aosop_raw_to_proba(const aosop_model *m, double *raw, int64_t length) {
    if (!m || (!raw && length)) return INVALID("%s is NULL; allowed: an address", m ? "raw" : "model");
    if (length < 0 || length % m->classes) return INVALID("length is %lld; allowed: a multiple of %lld, the classes", (long long)length, (long long)m->classes);
    const fpmode host = fp_enter();
    best_loops()->softmax(raw, length / m->classes, m->classes, m->temperature);
    fp_leave(host);
    return AOSOP_OK;
}

aosop_status aosop_unpack(const void *packed, size_t size, const char *type, int64_t count, void *out, size_t length) {
    if (!packed || !type || !out) return INVALID("%s is NULL; allowed: an address", !packed ? "packed" : !type ? "type" : "out");
    if (!size_of(type)) return INVALID("type is %.20s; allowed: i8, u8, u16, i32, u32, i64, u64, f32 or f64", type);
    if (count < 0 || length % size_of(type) || length / size_of(type) != (uint64_t)count)
        return INVALID("length is %llu; allowed: the bytes of %lld %s", (unsigned long long)length, (long long)count, type);
    begin_call();
    const fpmode host = fp_enter();
    const bool unpacked = unpack(packed, size, type, (uint64_t)count, out);
    fp_leave(host);
    if (!unpacked) return set_error(AOSOP_BAD_FORMAT, "the array is not packed as it should be");
    return AOSOP_OK;
}
