/* Trees in the two forms in which they are predicted with: branches for rows that
 * walk one by one, cuts and tests for blocks of rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "model.h"

/* A tree of the file. Child n >= 0 is node n, and n < 0 is leaf -1 - n. */
typedef struct tree {
    const raw_forest *r;
    uint64_t first;
    uint32_t nodes;
} tree;

static int32_t child(const tree *t, uint32_t node, int side) { return t->r->children[2 * (t->first + node) + (uint64_t)side]; }

/* Finds which leaves each node separates. Returns whether the root leads to every
 * node, once and after its parent, and to the leaves in their order. */
static bool make_cuts(const tree *t, cut *cuts) {
    for (uint32_t i = t->nodes; i-- > 0;) { /* first, high is the number of leaves below */
        uint32_t below = 0;
        for (int side = 0; side < 2; side++) {
            const int32_t c = child(t, i, side);
            if (c >= 0 && ((uint32_t)c <= i || (uint32_t)c >= t->nodes)) return false;
            below += c < 0 ? 1 : cuts[c].high;
            if (below > t->nodes + 1) return false; /* nodes are reached twice */
        }
        cuts[i] = (cut){.high = below};
    }
    for (uint32_t i = 0; i < t->nodes; i++) {
        cut *own = &cuts[i];
        if (i > 0 && own->middle == 0) return false;
        const int32_t left = child(t, i, 0);
        own->middle = own->low + (left < 0 ? 1 : cuts[left].high);
        own->high += own->low;
        for (int side = 0; side < 2; side++) {
            const int32_t c = child(t, i, side);
            const uint32_t leaf = side ? own->middle : own->low;
            if (c < 0 ? (uint32_t)~c != leaf : cuts[c].middle > 0) return false;
            if (c >= 0) cuts[c].low = leaf, cuts[c].middle = leaf + 1;
        }
    }
    return t->nodes == 0 || cuts[0].high == t->nodes + 1;
}

/* The threshold that x >= threshold has the right answer for when x is infinite,
 * which counts as the largest finite number. */
static double branch_threshold(double threshold) {
    if (threshold > DBL_MAX) return NAN;
    return threshold == -DBL_MAX ? -INFINITY : threshold;
}

/* Adds the branches of a tree, those near the root together; returns the depth. */
static uint32_t make_branches(aosop_model *m, const tree *t, uint32_t base, int32_t *nodes, uint32_t *depths) {
    uint32_t end = 1, deepest = 0;
    nodes[0] = t->nodes ? 0 : -1;
    depths[0] = 0;
    for (uint32_t i = 0; i < end; i++) {
        branch *b = &m->branches[base + i];
        if (depths[i] > deepest) deepest = depths[i];
        if (nodes[i] < 0) {
            *b = (branch){.test.threshold = NAN, .next = base + i + 1};
            m->leaf_of[base + i] = (uint16_t)~nodes[i];
            continue;
        }
        const uint64_t node = t->first + (uint32_t)nodes[i];
        b->column = u32_at(t->r->feature, node);
        if (is_categorical(m, b->column)) b->test.set = u32_at(t->r->set, node) - 1;
        else b->test.threshold = branch_threshold(f64_at(t->r->threshold, node));
        if (!t->r->missing_left[node]) b->column |= MISSING_RIGHT;
        b->next = base + end + 1;
        for (int side = 0; side < 2; side++) {
            nodes[end] = child(t, (uint32_t)nodes[i], side);
            depths[end++] = depths[i] + 1;
        }
    }
    return deepest;
}

static aosop_status make_trees(aosop_model *m, const raw_forest *r) {
    int32_t *nodes = malloc(2 * (size_t)m->most * sizeof *nodes);
    uint32_t *depths = malloc(2 * (size_t)m->most * sizeof *depths), base = 0;
    aosop_status status = nodes && depths ? AOSOP_OK : no_memory("the model");
    for (int64_t i = 0; i < m->trees && !status; i++) {
        const tree t = {r, m->first_cut[i], m->first_cut[i + 1] - m->first_cut[i]};
        if (!make_cuts(&t, m->cuts + t.first)) {
            status = CORRUPT("the nodes of tree %lld do not make a tree", (long long)i);
            break;
        }
        m->roots[i] = base;
        m->depths[i] = make_branches(m, &t, base, nodes, depths);
        base += 2 * t.nodes + 1;
    }
    free(nodes);
    free(depths);
    return status;
}

/* ---------------------------------------------------------------- tests -- */

typedef struct asked {
    uint32_t column, node;
    double threshold;
    const set *set; /* NULL: the column has numbers */
    uint32_t missing_right, number;
} asked;

static int compare_tests(const void *a, const void *b) {
    const asked *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    if (x->missing_right != y->missing_right) return x->missing_right < y->missing_right ? -1 : 1;
    if (x->set) return memcmp(x->set, y->set, sizeof *x->set);
    return x->threshold < y->threshold ? -1 : x->threshold > y->threshold;
}

/* Collects the different splits, by column. */
static aosop_status make_tests(aosop_model *m, const raw_forest *r) {
    const uint64_t n = (uint64_t)m->nodes;
    asked *all = malloc((size_t)(n + 1) * sizeof *all);
    if (!all) return no_memory("the model");
    uint32_t tests = 0, columns = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t number = r->set ? u32_at(r->set, i) : 0;
        all[i] = (asked){u32_at(r->feature, i), (uint32_t)i, f64_at(r->threshold, i), number ? &m->sets[number - 1] : NULL, !r->missing_left[i], number};
    }
    qsort(all, (size_t)n, sizeof *all, compare_tests);
    for (uint64_t i = 0; i < n; i++) {
        tests += i == 0 || compare_tests(&all[i - 1], &all[i]) != 0;
        columns += i == 0 || all[i - 1].column != all[i].column;
    }
    m->tested = model_allocate(m, columns, sizeof *m->tested);
    m->thresholds = model_allocate(m, tests, sizeof *m->thresholds);
    m->set_of = m->categories ? model_allocate(m, tests, sizeof *m->set_of) : NULL;
    if (!m->tested || !m->thresholds || (m->categories && !m->set_of)) {
        free(all);
        return no_memory("the model");
    }
    for (uint64_t i = 0; i < n; i++) {
        if (i == 0 || all[i - 1].column != all[i].column)
            m->tested[m->num_tested++] = (column){all[i].column, m->num_tests, m->num_tests, m->num_tests};
        column *c = &m->tested[m->num_tested - 1];
        if (c->end == c->first || compare_tests(&all[i - 1], &all[i]) != 0) {
            m->thresholds[m->num_tests++] = all[i].threshold;
            c->end++;
            if (!all[i].missing_right) c->middle++;
            if (all[i].set) m->set_of[m->num_tests - 1] = all[i].number - 1;
        }
        m->cuts[all[i].node].test = m->num_tests - 1;
    }
    free(all);
    return AOSOP_OK;
}

aosop_status forest_prepare(aosop_model *m, const raw_forest *r) {
    m->cuts = model_allocate(m, (uint64_t)m->nodes, sizeof *m->cuts);
    m->branches = model_allocate(m, (uint64_t)(m->nodes + m->leaves), sizeof *m->branches);
    m->leaf_of = model_allocate(m, (uint64_t)(m->nodes + m->leaves), sizeof *m->leaf_of);
    m->roots = model_allocate(m, (uint64_t)m->trees, sizeof *m->roots);
    m->depths = model_allocate(m, (uint64_t)m->trees, sizeof *m->depths);
    if (!m->cuts || !m->branches || !m->leaf_of || !m->roots || !m->depths) return no_memory("the model");
    const aosop_status status = make_trees(m, r);
    return status ? status : make_tests(m, r);
}
