/* Rows that are predicted one by one. */
#include <float.h>
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
    if (!c->rated && p == c->count) return NAN;
    if (column >= m->features) return c->rates[((int64_t)column - c->column) * (c->count + 1) + p];
    return c->rated ? 1 : (double)(p + 1);
}

/* A number that does not depend on how the CPU treats those of fewer bits. */
static double normal(double x) { return x > -DBL_MIN && x < DBL_MIN ? 0 : to_finite(x); }

static double cross_value(const aosop_model *m, const cross *c, double a, double b) {
    a = normal(a), b = normal(b);
    switch (c->op) {
    case DIFFERENCE: return normal(a - b);
    case RATIO: return normal(a / b);
    default: return (a - 1) * (double)feature_codes(&m->categories[c->second]) + b; /* integers */
    }
}

double column_value(const aosop_model *m, const aosop_rows *x, int64_t row, uint32_t column) {
    if (column >= m->first_cross) {
        const cross *c = &m->crosses[column - m->first_cross];
        return cross_value(m, c, column_value(m, x, row, c->first), column_value(m, x, row, c->second));
    }
    const double v = to_finite(element(x, row, owner(m, column)));
    return m->categories ? encoded_value(m, v, column) : v;
}

/* The place of a row in a term. */
static float row_place(const aosop_model *m, const aosop_rows *x, int64_t row, int64_t term) {
    return place_of(&m->linear, term, column_value(m, x, row, m->linear.columns[term]));
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

/* ---------------------------------------------------------------- walks -- */

static inline uint64_t slot_key(const walker *w, const slot *s) {
    const double v = column_value(w->m, w->x, w->row, s->column);
    if (is_categorical(w->m, s->column)) {
        const uint32_t code = v == v ? (uint32_t)v : 0;
        return ~(w->m->sets[s->set].words[code / 64] >> code % 64) & 1;
    }
    if (v != v) return s->missing_right ? UINT64_MAX : 0;
    return key_of(v);
}

void walker_load(walker *w, int64_t row) {
    const aosop_model *m = w->m;
    w->row = row;
    if (!m->keyed) return;
    for (uint32_t i = 0; i < m->num_slots; i++) w->keys[i] = slot_key(w, &m->slots[i]);
    for (uint32_t i = m->num_slots; i < m->most; i++) w->keys[i] = 0; /* leaves read these */
}

/* Finds keys where the row needs them. */
static void walk_slowly(const walker *w, const way *ways, const way *end, uint16_t *leaves) {
    for (; ways < end; ways++) {
        uint32_t at = ways->root;
        const branch *b;
        while (b = &w->m->branches[at], b->next != at) at = b->next - (slot_key(w, &w->m->slots[b->slot]) < b->key);
        leaves[ways->tree] = (uint16_t)b->slot;
    }
}

/* Several walks proceed side by side, so that the CPU waits for all at once. */
static void walk(const walker *w, const way *ways, const way *end, const uint32_t *depths, uint16_t *leaves) {
    const branch *branches = w->m->branches;
    const uint64_t *keys = w->keys;
    for (; ways < end; ways += WALK_LANES) {
        uint32_t a0 = ways[0].root, a1 = ways[1].root, a2 = ways[2].root, a3 = ways[3].root;
        uint32_t a4 = ways[4].root, a5 = ways[5].root, a6 = ways[6].root, a7 = ways[7].root;
#define STEP(at) at = branches[at].next - (keys[branches[at].slot] < branches[at].key)
        for (uint32_t depth = *depths++; depth > 0; depth--) {
            STEP(a0), STEP(a1), STEP(a2), STEP(a3);
            STEP(a4), STEP(a5), STEP(a6), STEP(a7);
        }
#undef STEP
        const uint32_t at[WALK_LANES] = {a0, a1, a2, a3, a4, a5, a6, a7};
        for (int l = 0; l < WALK_LANES; l++) leaves[ways[l].tree] = (uint16_t)branches[at[l]].slot;
    }
}

void walker_leaves(const walker *w, int64_t first, uint16_t *leaves) {
    const aosop_model *m = w->m;
    const int64_t trees = m->trees - first < GROUP_TREES ? m->trees - first : GROUP_TREES;
    const way *ways = m->ways + first;
    if (m->keyed) walk(w, ways, ways + trees, m->depths + first / WALK_LANES, leaves);
    else walk_slowly(w, ways, ways + trees, leaves);
}
