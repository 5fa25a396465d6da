/* What the parts of libaoso_predict share. */
#ifndef AOSOP_MODEL_H
#define AOSOP_MODEL_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aoso_predict.h"

/* ------------------------------------------------------------- encoding -- */

/* How a categorical feature becomes numbers. A category becomes a code: 1 for the
 * first, and so on; 0 is missing. A rated feature has code 1 for all categories.
 * Further columns have rates or places. */
typedef struct category {
    int64_t count;   /* -1: the feature is numeric */
    int64_t first;   /* name of its first category, among all names */
    bool rated;
    int64_t column;  /* its first column of rates */
    const float *rates; /* by column: of each category, and last of categories not seen */
} category;

/* A column that is computed from two features: a difference or a ratio of numbers, or a
 * pair of categories. internal/category documents it. */
typedef enum cross_op { DIFFERENCE, RATIO, PAIR, CROSS_OPS } cross_op;
typedef struct cross {
    uint32_t first, second;
    cross_op op;
} cross;

/* --------------------------------------------------------------- forest -- */

/* A node for rows that walk through trees one by one. A row whose key in the slot is
 * below `key` goes on to the branch before `next`, any other row to `next`. A leaf has the
 * key 0 and leads to itself; its slot is its number. */
typedef struct branch {
    uint64_t key;
    uint32_t slot, next;
} branch;

/* Where to find a row's key: of the value in a column, or of the answer to a categorical
 * test. A column may have two slots: missing values are above all keys in one, and below
 * all in the other. */
typedef struct slot {
    uint32_t column : 31, missing_right : 1;
    uint32_t set; /* of a categorical column: position in sets */
} slot;

/* The way of a row through a tree. */
typedef struct way {
    uint32_t root, tree; /* tree: counted from the first one of its group */
} way;

/* A node for blocks of rows. Rows that go right in the test reach a leaf from
 * middle to high - 1, the others one from low to middle - 1. */
typedef struct cut {
    uint32_t test, low, middle, high;
} cut;

/* The different tests of a column: those that send missing values left, from
 * middle on those that send them right, each by rising threshold. */
typedef struct column {
    uint32_t column, first, middle, end;
} column;

typedef struct set {
    uint64_t words[4]; /* codes that go left */
} set;

typedef struct pair_step {
    uint16_t r, s; /* the number of classes: none */
    float step;
} pair_step;

/* What a sparse leaf adds to the score of a class. */
typedef struct class_step {
    uint32_t k; /* the number of classes: none */
    float step;
} class_step;

/* The scores of rows before any tree: a bias, and for each term the product of the place of
 * a column's value and the weight of the class. internal/model documents it. */
typedef struct linear {
    int64_t terms;
    uint32_t *columns, *first_edge; /* by term; first_edge: and one past the last */
    double *edges;                  /* where bins of values meet */
    float *places;                  /* of bins: one more than edges for each term */
    float *weights;                 /* of GROUP_CLASSES by term, then of the next ones, and so on */
    float *bias;                    /* by class; NULL: the scores are zero */
} linear;

struct aosop_model {
    int64_t classes, features, columns, trees, nodes, leaves;
    double temperature; /* 0: none */
    size_t memory;

    char **class_names, **feature_names, **category_names;
    category *categories; /* by feature; NULL: all are numeric */
    float *rates;
    uint32_t *owners; /* by column of rates: its feature; NULL without categories */
    cross *crosses;   /* the last columns; NULL: there are none */
    int64_t first_cross; /* its column */

    uint32_t *first_leaf; /* by tree, and one past the last */
    uint32_t most;        /* leaves of a tree */
    branch *branches;
    slot *slots;
    uint32_t num_slots;
    bool keyed;       /* whether a row's keys are found before it walks */
    way *ways;        /* GROUP_TREES for each group of trees, the deepest trees last */
    uint32_t *depths; /* the largest of each WALK_LANES ways */

    uint32_t *first_cut; /* by tree, and one past the last */
    cut *cuts;
    column *tested;
    uint32_t num_tested, num_tests;
    double *thresholds; /* by test */
    set *sets;          /* in the order of nodes */
    uint32_t *set_of;   /* by test of a categorical column */

    int64_t stride;   /* of the values of full leaves, and of scores */
    float *full;      /* by leaf and class; NULL: one of the next three is in its place */
    int16_t *shorts;  /* likewise, as multiples of the unit: their sums are exact, as the sums of the values are */
    double unit;
    int64_t short_trees; /* trees whose shorts 16 bits can add up */
    pair_step *pairs; /* by leaf, per_leaf each */
    class_step *few;  /* likewise, of sparse leaves */
    int64_t per_leaf;

    linear linear;

    void *blocks; /* of memory, each with the next one's address at its start */
};

/* Memory of the model, zeroed. NULL: there is none left. */
void *model_allocate(aosop_model *m, uint64_t count, size_t size);

/* Whether splits on a column are sets of codes. */
static inline bool is_categorical(const aosop_model *m, uint32_t column) {
    if (column >= m->first_cross) return m->crosses[column - m->first_cross].op == PAIR;
    return m->categories && column < m->features && m->categories[column].count >= 0;
}

aosop_status model_decode(aosop_model *m, const uint8_t *data, uint64_t size);

/* Prepares the trees, whose nodes have been checked, for both ways to predict. */
typedef struct raw_forest {
    const uint8_t *first_node, *feature, *threshold, *missing_left, *set; /* arrays of the file */
    int32_t *children;                                                    /* left and right, by node */
} raw_forest;
aosop_status forest_prepare(aosop_model *m, const raw_forest *f);

/* ----------------------------------------------------------- prediction -- */

enum { BLOCK_ROWS = 512, BLOCK_WORDS = 8, GROUP_TREES = 64, GROUP_TERMS = 64, GROUP_CLASSES = 16, SHORT_CLASSES = 64, WALK_LANES = 8, MOST_KEYS = 1 << 10 };

/* Infinite numbers count as the largest finite ones. */
static inline double to_finite(double x) { return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x; }

/* Integers that compare as numbers do. Both zeros have the same key. */
static inline uint64_t key_of(double x) {
    uint64_t bits;
    x += 0;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63);
}

/* How many of the thresholds, which rise, x reaches. */
static inline uint32_t rank_of(double x, const double *thresholds, uint32_t n) {
    const double *base = thresholds;
    while (n > 1) {
        const uint32_t half = n / 2;
        base = base[half] <= x ? base + half : base;
        n -= half;
    }
    return (uint32_t)(base - thresholds) + (n == 1 && *base <= x);
}

/* What a value, which is not infinite, counts as in a term. */
static inline float place_of(const linear *l, int64_t term, double x) {
    if (x != x) return 0;
    const uint32_t first = l->first_edge[term], n = l->first_edge[term + 1] - first;
    return l->places[first + term + rank_of(x, l->edges + first, n)];
}

/* The value of a row in a column of a model with categories that is no cross, given that of
 * the feature: a number, or a code. */
double encoded_value(const aosop_model *m, double x, uint32_t column);

/* The feature that a column comes from, which is no cross. */
static inline uint32_t owner(const aosop_model *m, uint32_t column) {
    return column < m->features ? column : m->owners[column - m->features];
}

/* The codes of a categorical feature. */
static inline int64_t feature_codes(const category *c) { return c->rated ? 1 : c->count; }

/* The codes of a categorical column. */
static inline int64_t column_codes(const aosop_model *m, uint32_t column) {
    if (column < m->first_cross) return feature_codes(&m->categories[column]);
    const cross *c = &m->crosses[column - m->first_cross];
    return feature_codes(&m->categories[c->first]) * feature_codes(&m->categories[c->second]);
}

static inline double element(const aosop_rows *x, int64_t row, int64_t col) {
    const int64_t at = row * x->row_stride + col * x->col_stride;
    return x->type == AOSOP_FLOAT32 ? (double)((const float *)x->data)[at] : ((const double *)x->data)[at];
}

/* The value of a row in a column: a number, or a code. */
double column_value(const aosop_model *m, const aosop_rows *x, int64_t row, uint32_t column);

/* Makes the scores of a row what they are before any tree. */
void begin_row(const aosop_model *m, const aosop_rows *x, int64_t row, double *scores);

/* A row that walks through the trees. */
typedef struct walker {
    const aosop_model *m;
    const aosop_rows *x;
    int64_t row;
    uint64_t keys[MOST_KEYS]; /* by slot, if the model is keyed */
} walker;

/* Sets the row that walks. */
void walker_load(walker *w, int64_t row);

/* Finds the leaves of the row in the GROUP_TREES trees from first on. */
void walker_leaves(const walker *w, int64_t first, uint16_t *leaves);

/* The loops that take the time, for the CPU at hand. */
typedef struct loops {
    /* The leaf numbers of the rows of a block, by tree. */
    void (*leaves)(const aosop_model *m, int64_t first, int64_t last, int words, const uint64_t *right, uint64_t *at_least,
                   uint16_t *leaves, int64_t leaf_stride);
    /* Adds terms, at most GROUP_TERMS, to linear scores, rows × stride. places: rows × GROUP_TERMS.
     * With the first term the scores begin, with the last one they are complete. */
    void (*add_terms)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const float *places);
    /* Adds the values of leaves to scores, rows × stride. */
    void (*add)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const uint16_t *leaves,
                int64_t leaf_stride);
    void (*softmax)(double *scores, int64_t rows, int64_t classes, double temperature);
} loops;
const loops *best_loops(void);

#endif
