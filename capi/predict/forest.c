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

static tree tree_at(const aosop_model *m, const raw_forest *r, int64_t i) {
    return (tree){r, m->first_cut[i], m->first_cut[i + 1] - m->first_cut[i]};
}

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

static aosop_status make_all_cuts(aosop_model *m, const raw_forest *r) {
    for (int64_t i = 0; i < m->trees; i++) {
        const tree t = tree_at(m, r, i);
        if (!make_cuts(&t, m->cuts + t.first)) return CORRUPT("the nodes of tree %lld do not make a tree", (long long)i);
    }
    return AOSOP_OK;
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

/* ---------------------------------------------------------------- walks -- */

/* Makes slots for the tests; slot_of gets the slot of each test. */
static bool make_slots(aosop_model *m, uint32_t *slot_of) {
    m->slots = model_allocate(m, m->num_tests, sizeof *m->slots);
    if (!m->slots) return false;
    for (uint32_t i = 0; i < m->num_tested; i++) {
        const column *c = &m->tested[i];
        const bool each = is_categorical(m, c->column);
        for (uint32_t test = c->first; test < c->end; test++) {
            if (each || test == c->first || test == c->middle)
                m->slots[m->num_slots++] = (slot){c->column, test >= c->middle, each ? m->set_of[test] : 0};
            slot_of[test] = m->num_slots - 1;
        }
    }
    return true;
}

/* What the walks of a model are made with. */
typedef struct builder {
    aosop_model *m;
    const raw_forest *r;
    uint32_t *slot_of, *depths; /* by test; of queued nodes */
    int32_t *nodes;             /* queued: of a tree, those near the root first */
    uint32_t end;               /* of the branches so far */
    uint64_t steps;             /* of all trees: the nodes above the deepest leaf */
} builder;

static branch leaf_branch(int32_t leaf, uint32_t at) { return (branch){0, (uint32_t)leaf, at}; }

/* Adds the branches of a tree, those near the root together; returns the depth. The
 * first branches of a model are leaves, which all nodes with two leaves share. */
static uint32_t add_branches(builder *w, const tree *t) {
    const uint32_t base = w->end;
    uint32_t end = 1, deepest = 0;
    w->nodes[0] = 0;
    w->depths[0] = 0;
    for (uint32_t i = 0; i < end; i++) {
        branch *b = &w->m->branches[base + i];
        if (w->nodes[i] < 0) {
            *b = leaf_branch(~w->nodes[i], base + i);
            continue;
        }
        const uint32_t node = (uint32_t)w->nodes[i], test = w->m->cuts[t->first + node].test, slot = w->slot_of[test];
        const int32_t left = child(t, node, 0), right = child(t, node, 1);
        const bool shared = left < 0 && right < 0;
        b->key = is_categorical(w->m, w->m->slots[slot].column) ? 1 : key_of(w->m->thresholds[test]);
        b->slot = slot;
        b->next = shared ? (uint32_t)~right : base + end + 1;
        if (deepest < w->depths[i] + 1) deepest = w->depths[i] + 1;
        for (int side = 0; !shared && side < 2; side++) {
            w->nodes[end] = side ? right : left;
            w->depths[end++] = w->depths[i] + 1;
        }
    }
    w->end += end;
    return deepest;
}

typedef struct sized {
    way way;
    uint32_t depth;
} sized;

static int compare_depths(const void *a, const void *b) {
    const sized *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->way.tree < y->way.tree ? -1 : 1;
}

/* Adds a group of trees, sorted by depth: walks that proceed side by side take as long as the longest. */
static void add_ways(builder *w, int64_t first) {
    sized trees[GROUP_TREES];
    uint32_t n = 0;
    for (; n < GROUP_TREES && first + n < w->m->trees; n++) {
        const tree t = tree_at(w->m, w->r, first + n);
        const uint32_t root = t.nodes ? w->end : 0;
        trees[n] = (sized){{root, n}, t.nodes ? add_branches(w, &t) : 0};
        w->steps += trees[n].depth;
    }
    qsort(trees, n, sizeof *trees, compare_depths);
    for (; n % WALK_LANES; n++) trees[n] = trees[n - 1];
    for (uint32_t i = 0; i < n; i++) {
        w->m->ways[first + i] = trees[i].way;
        w->m->depths[(first + i) / WALK_LANES] = trees[i].depth;
    }
}

static aosop_status make_walks(aosop_model *m, const raw_forest *r) {
    const uint64_t lanes = ((uint64_t)m->trees + WALK_LANES - 1) / WALK_LANES, queued = 2 * (uint64_t)m->most;
    builder w = {.m = m, .r = r, .end = m->most};
    w.slot_of = allocate((uint64_t)m->num_tests + 1, sizeof *w.slot_of);
    w.depths = allocate(queued, sizeof *w.depths);
    w.nodes = allocate(queued, sizeof *w.nodes);
    m->branches = model_allocate(m, (uint64_t)(m->nodes + m->leaves) + m->most, sizeof *m->branches);
    m->ways = model_allocate(m, lanes * WALK_LANES, sizeof *m->ways);
    m->depths = model_allocate(m, lanes, sizeof *m->depths);
    const bool made = w.slot_of && w.depths && w.nodes && m->branches && m->ways && m->depths && make_slots(m, w.slot_of);
    for (uint32_t leaf = 0; made && leaf < m->most; leaf++) m->branches[leaf] = leaf_branch((int32_t)leaf, leaf);
    for (int64_t first = 0; made && first < m->trees; first += GROUP_TREES) add_ways(&w, first);
    m->keyed = m->most <= MOST_KEYS && m->num_slots <= MOST_KEYS && m->num_slots <= 4 * w.steps; /* four keys take the time of a slow step */
    free(w.slot_of);
    free(w.depths);
    free(w.nodes);
    return made ? AOSOP_OK : no_memory("the model");
}

aosop_status forest_prepare(aosop_model *m, const raw_forest *r) {
    m->cuts = model_allocate(m, (uint64_t)m->nodes, sizeof *m->cuts);
    if (!m->cuts) return no_memory("the model");
    aosop_status status = make_all_cuts(m, r);
    if (!status) status = make_tests(m, r);
    return status ? status : make_walks(m, r);
}
