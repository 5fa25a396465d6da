/* Models: reading, checking, and what they say of themselves. internal/model and
 * internal/category document what the arrays of a file mean. */
#include "model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "unpack.h"

enum { MOST_CLASSES = 1 << 24, MOST_LEAVES = 1 << 16, MOST_CODES = 255 };
enum { NARROW_CLASSES = (1 << 16) - 2 }; /* so many have numbers of 16 bits, and only sparse leaves have more */

/* --------------------------------------------------------------- memory -- */

/* Blocks begin with the next one's address and are aligned for any vector. */
enum { BLOCK_HEAD = 64 };

void *model_allocate(aosop_model *m, uint64_t count, size_t size) {
    if (count > (SIZE_MAX / 2 - 2 * BLOCK_HEAD) / size) return NULL;
    const size_t bytes = (size_t)count * size + 2 * BLOCK_HEAD;
    char *block = calloc(1, bytes);
    if (!block) return NULL;
    *(void **)block = m->blocks;
    m->blocks = block;
    m->memory += bytes;
    const uintptr_t start = (uintptr_t)block + sizeof(void *);
    return (void *)((start + BLOCK_HEAD - 1) / BLOCK_HEAD * BLOCK_HEAD);
}

/* --------------------------------------------------------------- header -- */

typedef struct header {
    char method[16], leaf[8];
    uint64_t pairs, leaf_classes, trees_per_iteration, trees;
    double temperature;
    json classes, features;
} header;

static aosop_status read_header(header *h, json meta) {
    char key[32];
    bool first = true;
    json_enter(&meta, '{');
    while (json_more(&meta, '}', &first)) {
        json_key(&meta, key, sizeof key);
        const json value = meta;
        if (strcmp(key, "method") == 0) json_string(&meta, h->method, sizeof h->method);
        else if (strcmp(key, "leaf") == 0) json_string(&meta, h->leaf, sizeof h->leaf);
        else if (strcmp(key, "pairs") == 0) h->pairs = json_unsigned(&meta);
        else if (strcmp(key, "leaf_classes") == 0) h->leaf_classes = json_unsigned(&meta);
        else if (strcmp(key, "trees_per_iteration") == 0) h->trees_per_iteration = json_unsigned(&meta);
        else if (strcmp(key, "trees") == 0) h->trees = json_unsigned(&meta);
        else if (strcmp(key, "temperature") == 0) h->temperature = json_number(&meta);
        else if (strcmp(key, "classes") == 0) h->classes = value, json_skip(&meta);
        else if (strcmp(key, "features") == 0) h->features = value, json_skip(&meta);
        else if (strcmp(key, "params") == 0 || strcmp(key, "conformal") == 0 || strcmp(key, "label_type") == 0 ||
                 strcmp(key, "label_name") == 0 || strcmp(key, "named") == 0)
            json_skip(&meta); /* prediction needs none of them */
        else if (!meta.failed)
            return set_error(AOSOP_BAD_FORMAT, "file is of a newer format: its header has \"%s\", which this build does not know", key);
    }
    const bool boosts = strcmp(h->method, "aoso") == 0;
    if (meta.failed) return CORRUPT("its header is incomplete");
    if (!boosts && strcmp(h->method, "abc") != 0 && strcmp(h->method, "logitboost") != 0) return CORRUPT("its header: method is \"%s\"", h->method);
    const bool sparse = strcmp(h->leaf, "sparse") == 0;
    if (strcmp(h->leaf, "pair") != 0 && ((strcmp(h->leaf, "full") != 0 && !sparse) || !boosts)) return CORRUPT("its header: leaf is \"%s\"", h->leaf);
    if (h->leaf_classes > 63 || (h->leaf_classes > 0) != sparse) return CORRUPT("its header: leaf_classes is %d", (int)h->leaf_classes);
    if (h->pairs != 1 && ((h->pairs != 2 && h->pairs != 4 && h->pairs != 8) || !boosts)) return CORRUPT("its header: pairs is %d", (int)h->pairs);
    if (h->temperature != 0 && !(h->temperature >= 1.0 / 64 && h->temperature <= 64)) return CORRUPT("its header: temperature is %g", h->temperature);
    return AOSOP_OK;
}

/* Reads the names of an array. */
static aosop_status unpack_list(aosop_model *m, const file_array *a, char ***out, int64_t *count) {
    uint64_t bytes;
    if (a->count == 0 || !names_size(a->data, a->packed, a->count, &bytes)) return CORRUPT("its array \"%s\" has no names", a->name);
    char *text = model_allocate(m, bytes, 1);
    *out = model_allocate(m, a->count, sizeof **out);
    if (!text || !*out) return no_memory("the model");
    if (!unpack_names(a->data, a->packed, a->count, text, *out)) return CORRUPT("its array \"%s\" has no names", a->name);
    *count = (int64_t)a->count;
    return AOSOP_OK;
}

/* Reads a list of names, in the header or in an array. */
static aosop_status read_names(aosop_model *m, json list, file *f, const char *array, char ***out, int64_t *count) {
    const file_array *packed = list.at ? NULL : file_find(f, array, NULL);
    if (packed && strcmp(packed->type, "str") == 0) return unpack_list(m, packed, out, count);
    if (!list.at) return CORRUPT("its header has no %s", array);
    const json start = list;
    uint64_t n = 0, bytes = 0;
    bool first = true;
    json_enter(&list, '[');
    for (; json_more(&list, ']', &first); n++) bytes += json_string(&list, NULL, 0) + 1;
    if (list.failed || n == 0) return CORRUPT("its header has no list of names");
    char **names = model_allocate(m, n, sizeof *names), *text = model_allocate(m, bytes, 1);
    if (!names || !text) return no_memory("the model");
    list = start;
    first = true;
    json_enter(&list, '[');
    for (uint64_t i = 0; json_more(&list, ']', &first); i++) {
        names[i] = text;
        text += json_string(&list, text, (size_t)bytes) + 1;
    }
    *out = names;
    *count = (int64_t)n;
    return AOSOP_OK;
}

/* ----------------------------------------------------------- categories -- */

/* The arrays of the encoder that are not read yet. */
typedef struct encoder {
    const uint8_t *names, *ends, *rates;
    uint64_t num_names, num_ends, num_rates, begin, end, rate;
    char *text; /* room for the next name */
} encoder;

static aosop_status read_feature(aosop_model *m, encoder *e, int64_t j, int64_t count, int rated, int columns) {
    category *c = &m->categories[j];
    if (count < 0 || (uint64_t)count > e->num_ends - e->end || rated > 1 || (rated && !columns) ||
        (!rated && (count > MOST_CODES || columns > 1)))
        return CORRUPT("feature %lld has %lld categories", (long long)j, (long long)count);
    c->count = count;
    c->rated = rated;
    c->first = (int64_t)e->end;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t end = u64_at(e->ends, e->end);
        if (end < e->begin || end > e->num_names) return CORRUPT("feature %lld has a category without a name", (long long)j);
        memcpy(e->text, e->names + e->begin, (size_t)(end - e->begin));
        m->category_names[e->end++] = e->text;
        e->text += end - e->begin + 1;
        e->begin = end;
    }
    const uint64_t due = (uint64_t)columns * ((uint64_t)count + 1);
    if (due > e->num_rates - e->rate) return CORRUPT("feature %lld has too few rates", (long long)j);
    c->rates = m->rates + e->rate;
    for (uint64_t i = 0; i < due; i++) {
        const float rate = f32_at(e->rates, e->rate);
        if (!(rate >= 0 && rate <= 1)) return CORRUPT("feature %lld has the rate %g", (long long)j, (double)rate);
        m->rates[e->rate++] = rate;
    }
    c->column = m->columns;
    m->columns += columns;
    return AOSOP_OK;
}

/* Whether a feature can be crossed by an operation. */
static bool crossable(const aosop_model *m, int64_t j, int64_t op) {
    return j >= 0 && j < m->features && !m->categories[j].rated && (m->categories[j].count >= 0) == (op == PAIR);
}

static aosop_status read_crosses(aosop_model *m, file *f) {
    m->first_cross = m->columns;
    if (!file_find(f, "crosses", NULL)) return AOSOP_OK;
    const file_array *a = file_find(f, "crosses", "i32");
    if (!a || a->count == 0 || a->count % 3 != 0) return CORRUPT("its array of crosses has no three numbers for each");
    m->crosses = model_allocate(m, a->count / 3, sizeof *m->crosses);
    if (!m->crosses) return no_memory("the model");
    for (uint64_t i = 0; i < a->count / 3; i++) {
        const int64_t first = i32_at(a->data, 3 * i), second = i32_at(a->data, 3 * i + 1), op = i32_at(a->data, 3 * i + 2);
        const bool fits = op >= 0 && op < CROSS_OPS && first != second && crossable(m, first, op) && crossable(m, second, op);
        const int64_t codes = fits && op == PAIR ? m->categories[first].count * m->categories[second].count : 1;
        if (!fits || codes < 1 || codes > MOST_CODES) return CORRUPT("features %lld and %lld have no cross %lld", (long long)first, (long long)second, (long long)op);
        m->crosses[i] = (cross){(uint32_t)first, (uint32_t)second, (cross_op)op};
        m->columns++;
    }
    return AOSOP_OK;
}

static aosop_status read_encoder(aosop_model *m, file *f) {
    m->columns = m->first_cross = m->features;
    const file_array *counts = file_find(f, "categories", NULL);
    if (!counts) return AOSOP_OK;
    const file_array *names = file_find(f, "category_names", "u8"), *ends = file_find(f, "category_name_ends", "u64"),
                     *rated = file_find(f, "category_rated", "u8"), *columns = file_find(f, "category_columns", "u8"),
                     *rates = file_find(f, "category_rates", "f32");
    counts = file_find(f, "categories", "i32");
    if (!counts || !names || !ends || !rated || !columns || !rates || counts->count != (uint64_t)m->features ||
        rated->count != counts->count || columns->count != counts->count)
        return CORRUPT("its arrays of categories are missing or too short");
    m->categories = model_allocate(m, counts->count, sizeof *m->categories);
    m->category_names = model_allocate(m, ends->count, sizeof *m->category_names);
    m->rates = model_allocate(m, rates->count, sizeof *m->rates);
    char *text = model_allocate(m, names->count + ends->count, 1);
    if (!m->categories || !m->category_names || !m->rates || !text) return no_memory("the model");
    encoder e = {.text = text, .names = names->data, .ends = ends->data, .rates = rates->data,
                 .num_names = names->count, .num_ends = ends->count, .num_rates = rates->count};
    for (int64_t j = 0; j < m->features; j++) {
        const int64_t count = i32_at(counts->data, (uint64_t)j);
        m->categories[j].count = -1;
        if (count == -1 && rated->data[j] == 0 && columns->data[j] == 0) continue;
        const aosop_status status = read_feature(m, &e, j, count, rated->data[j], columns->data[j]);
        if (status) return status;
    }
    if (e.end < e.num_ends || e.begin < e.num_names || e.rate < e.num_rates) return CORRUPT("there are names or rates of no category");
    m->owners = model_allocate(m, (uint64_t)(m->columns - m->features), sizeof *m->owners);
    if (!m->owners) return no_memory("the model");
    for (int64_t j = 0; j < m->features; j++)
        for (int64_t i = 0; m->categories[j].count >= 0 && i < columns->data[j]; i++)
            m->owners[m->categories[j].column + i - m->features] = (uint32_t)j;
    return read_crosses(m, f);
}

/* An array; its length must be due. */
static const uint8_t *take(file *f, const char *name, const char *type, uint64_t due, aosop_status *status) {
    const file_array *a = file_find(f, name, type);
    if (a && a->count == due) return a->data;
    if (!*status) *status = CORRUPT("array \"%s\" is missing or has %llu numbers in place of %llu", name, a ? (unsigned long long)a->count : 0, (unsigned long long)due);
    return NULL;
}

/* -------------------------------------------------------- linear scores -- */

/* Reads numbers, which must be finite. */
static bool read_floats(const uint8_t *numbers, uint64_t count, float *out) {
    bool all = true;
    for (uint64_t i = 0; i < count; i++) {
        out[i] = f32_at(numbers, i);
        all &= out[i] - out[i] == 0;
    }
    return all;
}

/* Reads the edges of a term, which must rise. */
static bool read_edges(linear *l, uint64_t term, const uint8_t *edges) {
    double last = -INFINITY;
    for (uint32_t i = l->first_edge[term]; i < l->first_edge[term + 1]; i++) {
        const double edge = f64_at(edges, i);
        if (!(edge > last && edge <= DBL_MAX)) return false;
        last = l->edges[i] = edge;
    }
    return true;
}

/* Reads the weights of a term. */
static bool read_weights(aosop_model *m, uint64_t term, const uint8_t *weights) {
    const linear *l = &m->linear;
    bool all = true;
    for (int64_t k = 0; k < m->classes; k += GROUP_CLASSES) {
        const int64_t width = m->stride - k < GROUP_CLASSES ? m->stride - k : GROUP_CLASSES, count = m->classes - k < width ? m->classes - k : width;
        all &= read_floats(weights + 4 * (term * (uint64_t)m->classes + (uint64_t)k), (uint64_t)count, l->weights + k * l->terms + (int64_t)term * width);
    }
    return all;
}

static aosop_status read_linear(aosop_model *m, file *f) {
    if (!file_find(f, "linear_bias", NULL)) return AOSOP_OK;
    const file_array *columns = file_find(f, "linear_columns", "i32"), *edges = file_find(f, "linear_edges", "f64");
    if (!columns || !edges || columns->count > UINT32_MAX / 4 || edges->count > UINT32_MAX / 4)
        return CORRUPT("its arrays of linear scores are missing or too long");
    aosop_status status = AOSOP_OK;
    const uint64_t terms = columns->count, classes = (uint64_t)m->classes;
    const uint8_t *first_edge = take(f, "linear_first_edge", "u32", terms + 1, &status),
                  *places = take(f, "linear_places", "f32", edges->count + terms, &status),
                  *weights = take(f, "linear_weights", "f32", terms * classes, &status), *bias = take(f, "linear_bias", "f32", classes, &status);
    if (status) return status;
    linear *l = &m->linear;
    l->terms = (int64_t)terms;
    l->columns = model_allocate(m, terms, sizeof *l->columns);
    l->first_edge = model_allocate(m, terms + 1, sizeof *l->first_edge);
    l->edges = model_allocate(m, edges->count, sizeof *l->edges);
    l->places = model_allocate(m, edges->count + terms, sizeof *l->places);
    l->weights = model_allocate(m, terms * (uint64_t)m->stride, sizeof *l->weights);
    l->bias = model_allocate(m, (uint64_t)m->stride, sizeof *l->bias);
    if (!l->columns || !l->first_edge || !l->edges || !l->places || !l->weights || !l->bias) return no_memory("the model");
    bool all = read_floats(places, edges->count + terms, l->places) & read_floats(bias, classes, l->bias);
    for (uint64_t t = 0; t < terms; t++) {
        const int64_t column = i32_at(columns->data, t);
        if (column < 0 || column >= m->columns || is_categorical(m, (uint32_t)column))
            return CORRUPT("term %llu has column %lld, which is none of numbers", (unsigned long long)t, (long long)column);
        l->columns[t] = (uint32_t)column;
        l->first_edge[t + 1] = u32_at(first_edge, t + 1);
        if (l->first_edge[t + 1] < l->first_edge[t] || l->first_edge[t + 1] > edges->count || !read_edges(l, t, edges->data))
            return CORRUPT("the edges of term %llu do not rise", (unsigned long long)t);
        all &= read_weights(m, t, weights);
    }
    if (u32_at(first_edge, 0) != 0 || l->first_edge[terms] != edges->count) return CORRUPT("there are edges of no term");
    return all ? AOSOP_OK : CORRUPT("a linear score has a number that is not finite");
}

/* --------------------------------------------------------------- forest -- */

static aosop_status check_split(const aosop_model *m, const raw_forest *r, uint64_t node, uint32_t *sets) {
    const int64_t column = i32_at(r->feature, node);
    const double threshold = f64_at(r->threshold, node);
    const uint32_t set = r->set ? u32_at(r->set, node) : 0;
    if (column < 0 || column >= m->columns) return CORRUPT("node %llu has feature %lld", (unsigned long long)node, (long long)column);
    if (!(threshold >= -DBL_MAX) || r->missing_left[node] > 1) return CORRUPT("node %llu has threshold %g", (unsigned long long)node, threshold);
    if (is_categorical(m, (uint32_t)column) != (set != 0) || (set && set != ++*sets)) return CORRUPT("node %llu has set %u", (unsigned long long)node, set);
    return AOSOP_OK;
}

static aosop_status check_splits(aosop_model *m, file *f, const raw_forest *r) {
    const file_array *sets = file_find(f, "sets", "u64");
    const uint64_t due = r->set && sets ? sets->count / 4 : 0;
    uint32_t used = 0;
    for (int64_t node = 0; node < m->nodes; node++) {
        const aosop_status status = check_split(m, r, (uint64_t)node, &used);
        if (status) return status;
    }
    if (used != due) return CORRUPT("there are %llu sets in place of %u", (unsigned long long)due, used);
    m->sets = model_allocate(m, due, sizeof *m->sets);
    if (!m->sets) return no_memory("the model");
    for (uint64_t i = 0; i < 4 * due; i++) m->sets[i / 4].words[i % 4] = u64_at(sets->data, i);
    for (int64_t node = 0; node < m->nodes; node++) {
        const uint32_t set = r->set ? u32_at(r->set, (uint64_t)node) : 0;
        if (set && ((m->sets[set - 1].words[0] & 1) != r->missing_left[node] || f64_at(r->threshold, (uint64_t)node) != 0))
            return CORRUPT("node %lld has a set and a threshold, or other sides for missing values", (long long)node);
    }
    return AOSOP_OK;
}

/* The values of leaves in a file. */
typedef struct raw_values {
    const uint8_t *steps, *ends; /* ends: of pairs, 16 or 32 bits each */
    uint64_t count, per_leaf;
    uint32_t classes;
} raw_values;

/* The class of an end; the number of classes: none. */
static uint32_t end_of(const raw_values *v, uint64_t i, int side) {
    const uint32_t k = v->classes > NARROW_CLASSES ? u32_at(v->ends, 2 * i + (uint64_t)side) : u16_at(v->ends, 2 * i + (uint64_t)side);
    return k < v->classes ? k : v->classes;
}

static aosop_status check_values(const raw_values *v, bool sparse) {
    for (uint64_t i = 0; i < v->count; i++) {
        const float step = f32_at(v->steps, i);
        if (!(step - step == 0)) return CORRUPT("leaf %llu has the value %g", (unsigned long long)(i / v->per_leaf), (double)step);
        if (!v->ends) continue;
        const uint32_t r = end_of(v, i, 0), s = end_of(v, i, 1);
        if (r < v->classes && (r == s || (sparse && s < v->classes)))
            return CORRUPT("leaf %llu has classes that make no pairs", (unsigned long long)(i / v->per_leaf));
    }
    return AOSOP_OK;
}

/* Whether values of pairs are added faster by class, and with the same result: a class
 * that is twice in a leaf is rounded twice. */
static bool can_spread(const raw_values *v) {
    enum { FULL_CLASSES = 16 }; /* whose values are added in the time of one pair's */
    if (v->classes > FULL_CLASSES * v->per_leaf) return false;
    for (uint64_t i = 0; i < 2 * v->count; i++) {
        const uint32_t k = end_of(v, i / 2, i % 2);
        for (uint64_t o = i / 2 / v->per_leaf * v->per_leaf * 2; o < i; o++)
            if (k < v->classes && k == end_of(v, o / 2, o % 2)) return false;
    }
    return true;
}

/* Finds the unit of the values, a power of two. Returns whether every value is a multiple of it by a
 * factor of 12 bits and a sign: training with many classes rounds them so. */
static bool find_unit(aosop_model *m, const raw_values *v) {
    enum { MOST_UNITS = (1 << 12) - 1 };
    if (m->classes < SHORT_CLASSES || m->linear.bias) return false;
    float most = 0;
    for (uint64_t i = 0; i < v->count; i++)
        if (fabsf(f32_at(v->steps, i)) > most) most = fabsf(f32_at(v->steps, i));
    for (m->unit = 0x1p-149; most > MOST_UNITS * m->unit; m->unit *= 2) {}
    unsigned set = 0; /* bits */
    for (uint64_t i = 0; i < v->count; i++) {
        const double units = f32_at(v->steps, i) / m->unit;
        if (units != (int)units) return false;
        set |= (unsigned)(int)units;
    }
    for (; set && set % 2 == 0; set /= 2) m->unit *= 2;
    m->short_trees = most > 0 ? (int64_t)(INT16_MAX / (most / m->unit)) : GROUP_TREES;
    m->stride = (m->classes + SHORT_CLASSES - 1) / SHORT_CLASSES * SHORT_CLASSES;
    return true;
}

static aosop_status read_values(aosop_model *m, file *f, const header *h) {
    aosop_status status = AOSOP_OK;
    const bool full = strcmp(h->leaf, "full") == 0, sparse = strcmp(h->leaf, "sparse") == 0;
    if (m->classes > NARROW_CLASSES && !sparse) return CORRUPT("its header: there are %lld classes", (long long)m->classes);
    m->per_leaf = full ? m->classes : (int64_t)(sparse ? h->leaf_classes : h->pairs);
    const uint64_t per_leaf = (uint64_t)m->per_leaf, stride = (uint64_t)m->stride, count = (uint64_t)m->leaves * per_leaf;
    raw_values v = {.count = count, .per_leaf = per_leaf, .classes = (uint32_t)m->classes};
    v.steps = take(f, "steps", "f32", count, &status);
    const uint8_t *ends = take(f, "leaf_pairs", m->classes > NARROW_CLASSES ? "u32" : "u16", full ? 0 : 2 * count, &status);
    v.ends = full ? NULL : ends;
    if (!status) status = check_values(&v, sparse);
    if (status) return status;
    if (full && find_unit(m, &v)) {
        if (!(m->shorts = model_allocate(m, (uint64_t)(m->leaves * m->stride), sizeof *m->shorts))) return no_memory("the model");
        for (uint64_t i = 0; i < count; i++)
            m->shorts[i / per_leaf * (uint64_t)m->stride + i % per_leaf] = (int16_t)(f32_at(v.steps, i) / m->unit);
    } else if (full || can_spread(&v)) {
        if (!(m->full = model_allocate(m, (uint64_t)m->leaves * stride + 8, sizeof *m->full))) return no_memory("the model");
        for (uint64_t i = 0; i < count; i++) {
            float *leaf = m->full + i / per_leaf * stride;
            const float step = f32_at(v.steps, i);
            const uint32_t r = full ? (uint32_t)(i % per_leaf) : end_of(&v, i, 0), s = full ? v.classes : end_of(&v, i, 1);
            if (r < v.classes) leaf[r] = step;
            if (s < v.classes) leaf[s] = -step;
        }
    } else if (sparse) {
        if (!(m->few = model_allocate(m, count, sizeof *m->few))) return no_memory("the model");
        for (uint64_t i = 0; i < count; i++) m->few[i] = (class_step){end_of(&v, i, 0), f32_at(v.steps, i)};
    } else {
        if (!(m->pairs = model_allocate(m, count, sizeof *m->pairs))) return no_memory("the model");
        for (uint64_t i = 0; i < count; i++)
            m->pairs[i] = (pair_step){(uint16_t)end_of(&v, i, 0), (uint16_t)end_of(&v, i, 1), f32_at(v.steps, i)};
    }
    return AOSOP_OK;
}

/* Finds the children of the nodes of a tree by their middles, the first leaves on their
 * right. A node comes after its parent, so of the nodes that separate some leaves, the
 * first separates them first. */
static bool children_of(const uint8_t *middles, uint64_t first, uint32_t nodes, int32_t *children, int32_t *room) {
    int32_t *order = room, *open = room + nodes, below = -1, waiting = 0; /* nodes by middle; those whose right child is not known yet */
    for (uint32_t i = 0; i < nodes; i++) order[i] = -1;
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t middle = u16_at(middles, first + i);
        if (middle < 1 || middle > nodes || order[middle - 1] >= 0) return false;
        order[middle - 1] = (int32_t)i;
    }
    for (uint32_t i = 0; i <= nodes; i++) {
        const int32_t node = i < nodes ? order[i] : -1;
        while (waiting > 0 && open[waiting - 1] > node) {
            children[2 * open[--waiting] + 1] = below;
            below = open[waiting];
        }
        if (node < 0) break;
        children[2 * node] = below;
        below = -2 - (int32_t)i;
        open[waiting++] = node;
    }
    return true;
}

/* Reads the shape of trees whose ranges of nodes are known. */
static aosop_status read_shape(const aosop_model *m, file *f, const raw_forest *r) {
    aosop_status status = AOSOP_OK;
    const uint8_t *middles = take(f, "middle", "u16", (uint64_t)m->nodes, &status);
    int32_t *room = status ? NULL : malloc((2 * (size_t)m->most + 1) * sizeof *room);
    if (!status && !room) status = no_memory("the model");
    for (int64_t t = 0; !status && t < m->trees; t++) {
        const uint64_t first = m->first_cut[t];
        if (!children_of(middles, first, (uint32_t)(m->first_cut[t + 1] - first), r->children + 2 * first, room))
            status = CORRUPT("the middles of tree %lld do not make a tree", (long long)t);
    }
    free(room);
    return status;
}

static aosop_status read_forest(aosop_model *m, file *f, const header *h) {
    const file_array *feature = file_find(f, "feature", "i32"), *rows = file_find(f, "leaf_rows", "u32");
    if (!feature || !rows || h->trees > UINT32_MAX - 1 || feature->count > UINT32_MAX / 4 || rows->count > UINT32_MAX / 4)
        return CORRUPT("its arrays of nodes and leaves are missing or too long");
    m->nodes = (int64_t)feature->count;
    m->leaves = (int64_t)rows->count;
    m->trees = (int64_t)h->trees;
    aosop_status status = AOSOP_OK;
    const uint64_t n = feature->count;
    raw_forest r = {.first_node = take(f, "first_node", "u32", h->trees + 1, &status), .feature = feature->data};
    const uint8_t *first_leaf = take(f, "first_leaf", "u32", h->trees + 1, &status);
    r.threshold = take(f, "threshold", "f64", n, &status);
    r.missing_left = take(f, "missing_left", "u8", n, &status);
    if (file_find(f, "sets", NULL)) {
        r.set = take(f, "set", "u32", n, &status);
        const file_array *sets = file_find(f, "sets", "u64");
        if (!status && (!sets || sets->count % 4)) status = CORRUPT("array \"sets\" has no whole sets");
    }
    if (status) return status;
    m->first_leaf = model_allocate(m, h->trees + 1, sizeof *m->first_leaf);
    m->first_cut = model_allocate(m, h->trees + 1, sizeof *m->first_cut);
    if (!m->first_leaf || !m->first_cut) return no_memory("the model");
    m->most = 1;
    for (uint64_t t = 0; t <= h->trees; t++) {
        const uint32_t node = u32_at(r.first_node, t), leaf = u32_at(first_leaf, t);
        if (t == 0 ? node || leaf : 0) return CORRUPT("first_node and first_leaf do not begin with 0");
        if (t > 0) {
            const uint32_t leaves = leaf - m->first_leaf[t - 1];
            if (node < m->first_cut[t - 1] || node > n || leaf < m->first_leaf[t - 1] || leaf > rows->count ||
                leaves != node - m->first_cut[t - 1] + 1 || leaves > MOST_LEAVES)
                return CORRUPT("tree %llu has no range of nodes and leaves", (unsigned long long)t - 1);
            if (leaves > m->most) m->most = leaves;
        }
        m->first_cut[t] = node;
        m->first_leaf[t] = leaf;
    }
    if (m->first_cut[h->trees] != n || m->first_leaf[h->trees] != rows->count) return CORRUPT("there are nodes or leaves of no tree");
    if ((status = check_splits(m, f, &r))) return status;
    if ((status = read_values(m, f, h))) return status;
    if (!(r.children = malloc((2 * (size_t)n + 1) * sizeof *r.children))) return no_memory("the model");
    status = read_shape(m, f, &r);
    if (!status) status = forest_prepare(m, &r);
    free(r.children);
    return status;
}

aosop_status model_decode(aosop_model *m, const uint8_t *data, uint64_t size) {
    file *f = malloc(sizeof *f);
    if (!f) return no_memory("the model");
    header h = {0};
    aosop_status status = file_open(f, data, size);
    if (!status) status = read_header(&h, f->meta);
    if (!status) status = read_names(m, h.classes, f, "classes", &m->class_names, &m->classes);
    if (!status && m->classes > MOST_CLASSES) status = CORRUPT("its header: there are %lld classes", (long long)m->classes);
    if (!status) status = read_names(m, h.features, f, "features", &m->feature_names, &m->features);
    m->temperature = h.temperature;
    m->stride = (m->classes + 4) & ~(int64_t)3; /* with room for the class that is none */
    if (!status) status = read_encoder(m, f);
    if (!status && m->columns >= INT32_MAX) status = CORRUPT("there are %lld columns", (long long)m->columns);
    if (!status) status = read_linear(m, f);
    if (!status) status = read_forest(m, f, &h);
    file_close(f);
    free(f);
    return status;
}
