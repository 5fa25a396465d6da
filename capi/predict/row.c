/* Rows that are predicted one by one. */
#include <math.h>
#include <string.h>

#include "model.h"

/* The number of a category; the count of categories is one not seen. */
static int64_t position(const category *c, double x) {
    return x >= 0 && x < (double)c->count ? (int64_t)x : c->count;
}

double encoded_value(const aosop_model *m, double x, uint32_t column) {
    const category *c = &m->categories[owner(m, column)];
    if (c->count < 0 || x != x) return x;
    const int64_t p = position(c, x);
    if (column >= m->features) return c->rates[((int64_t)column - c->column) * (c->count + 1) + p];
    if (c->rated) return 1;
    return p < c->count ? (double)(p + 1) : NAN;
}

/* The place of a row in a term. */
static float row_place(const aosop_model *m, const aosop_rows *x, int64_t row, int64_t term) {
    const uint32_t column = m->linear.columns[term];
    const double v = to_finite(element(x, row, owner(m, column)));
    return place_of(&m->linear, term, m->categories ? encoded_value(m, v, column) : v);
}

void begin_row(const aosop_model *m, const aosop_rows *x, int64_t row, double *scores) {
    const linear *l = &m->linear;
    if (!l->bias) {
        memset(scores, 0, (size_t)m->stride * sizeof *scores);
        return;
    }
    int64_t first = 0;
    do {
        const int64_t last = first + GROUP_TERMS < l->terms ? first + GROUP_TERMS : l->terms;
        float places[GROUP_TERMS];
        for (int64_t t = first; t < last; t++) places[t - first] = row_place(m, x, row, t);
        best_loops()->add_terms(m, scores, 1, first, last, places);
        first = last;
    } while (first < l->terms);
}

/* The leaf of a row in a tree of a model with categories. */
static uint16_t encoded_leaf(const aosop_model *m, const aosop_rows *x, int64_t row, uint32_t at) {
    for (;;) {
        const branch *b = &m->branches[at];
        if (b->next == at + 1) return m->leaf_of[at];
        const uint32_t column = b->column & ~MISSING_RIGHT;
        const double v = encoded_value(m, element(x, row, owner(m, column)), column);
        uint32_t right;
        if (v != v) {
            right = b->column >= MISSING_RIGHT;
        } else if (is_categorical(m, column)) {
            const uint32_t code = (uint32_t)v;
            right = ~(m->sets[b->test.set].words[code / 64] >> code % 64) & 1;
        } else {
            right = v >= b->test.threshold;
        }
        at = b->next - 1 + right;
    }
}

/* Several walks proceed side by side, so that the CPU waits for all at once. */
static inline __attribute__((always_inline)) void walk(const aosop_model *m, const char *data, int64_t stride, bool single, int64_t first,
                                                       int64_t last, uint16_t *leaves) {
    const branch *branches = m->branches;
    uint32_t at[WALK_LANES], depth = 0;
    for (int64_t l = 0; l < WALK_LANES; l++) {
        const int64_t t = first + l < last ? first + l : last - 1;
        at[l] = m->roots[t];
        if (m->depths[t] > depth) depth = m->depths[t];
    }
    for (; depth > 0; depth--)
        for (int l = 0; l < WALK_LANES; l++) {
            const branch *b = &branches[at[l]];
            const char *place = data + (b->column & ~MISSING_RIGHT) * stride;
            const double v = single ? (double)*(const float *)place : *(const double *)place;
            at[l] = b->next - 1 + ((v >= b->test.threshold) | ((v != v) & (b->column >> 31)));
        }
    for (int64_t l = 0; first + l < last && l < WALK_LANES; l++) leaves[l] = m->leaf_of[at[l]];
}

void row_leaves(const aosop_model *m, const aosop_rows *x, int64_t row, int64_t first, int64_t last, uint16_t *leaves) {
    if (m->categories) {
        for (int64_t t = first; t < last; t++) leaves[t - first] = encoded_leaf(m, x, row, m->roots[t]);
        return;
    }
    const bool single = x->type == AOSOP_FLOAT32;
    const int64_t size = single ? 4 : 8, stride = x->col_stride * size;
    const char *data = (const char *)x->data + row * x->row_stride * size;
    for (; first < last; first += WALK_LANES, leaves += WALK_LANES) {
        if (single) walk(m, data, stride, true, first, last, leaves);
        else walk(m, data, stride, false, first, last, leaves);
    }
}
