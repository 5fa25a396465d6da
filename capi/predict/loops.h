/* The loops of loops.c, which includes this file once for each kind of CPU, with
 * NAME(x) as the names of the functions, TARGET as their attribute and WIDEN(x)
 * to make doubles of floats. GCC and clang make vectors of four numbers out of
 * those that the CPU has. */

/* ------------------------------------------------------------ leaf numbers -- */

/* Turns the rows that reach each leaf or a later one into the leaf of each row.
 * Bit p of a number is odd as often as it has passed a multiple of 2^p. */
TARGET static inline void NAME(number)(const uint64_t *at_least, uint32_t leaves, int words, uint16_t *out) {
    uint64_t planes[20][BLOCK_WORDS]; /* 16 suffice, but GCC would unroll loops over these: 9 kB that save no time */
    int bits = 0;
    while ((leaves - 1) >> bits) bits++;
    for (int p = 0; p < bits; p++) {
        words4 sum0 = {0}, sum1 = {0};
        for (uint32_t i = 1u << p; i < leaves; i += 1u << p) {
            const words4 *row = (const words4 *)(at_least + (size_t)i * BLOCK_WORDS);
            sum0 ^= row[0], sum1 ^= row[1];
        }
        memcpy(planes[p], &sum0, sizeof sum0);
        memcpy(planes[p] + 4, &sum1, sizeof sum1);
    }
    const lanes16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768};
    for (int i = 0; i < 4 * words; i++) {
        lanes16 number = {0};
        for (int p = 0; p < bits; p++) {
            const uint16_t answers = (uint16_t)(planes[p][i / 4] >> (16 * (i % 4)));
            const lanes16 set = (lanes16)((bit & answers) == bit); /* all ones, or zero */
            number -= set << p;
        }
        memcpy(out + 16 * i, &number, sizeof number);
    }
}

TARGET static void NAME(leaves)(const aosop_model *m, int64_t first, int64_t last, int words, const uint64_t *right, uint64_t *at_least,
                                uint16_t *leaves, int64_t leaf_stride) {
    for (int64_t t = first; t < last; t++, leaves += leaf_stride) {
        const cut *c = m->cuts + m->first_cut[t], *end = m->cuts + m->first_cut[t + 1];
        const uint32_t count = (uint32_t)(end - c) + 1;
        memset(at_least, 0xff, BLOCK_WORDS * sizeof *at_least);
        memset(at_least + (size_t)count * BLOCK_WORDS, 0, BLOCK_WORDS * sizeof *at_least);
        for (; c < end; c++) {
            words4 *middle = (words4 *)(at_least + (size_t)c->middle * BLOCK_WORDS);
            const words4 *high = (const words4 *)(at_least + (size_t)c->high * BLOCK_WORDS);
            const words4 *low = (const words4 *)(at_least + (size_t)c->low * BLOCK_WORDS);
            const words4 *goes = (const words4 *)(right + (size_t)c->test * BLOCK_WORDS);
            middle[0] = high[0] | (low[0] & goes[0]);
            middle[1] = high[1] | (low[1] & goes[1]);
        }
        NAME(number)(at_least, count, words, leaves);
    }
}

/* ------------------------------------------------------------------ scores -- */

/* Adds terms to the linear scores of 4·n classes, from class k on. A product of floats is exact,
 * and scores are rounded to multiples of 2^-24. */
TARGET static inline __attribute__((always_inline)) void NAME(add_weights)(const aosop_model *m, double *scores, int64_t k, int n, int64_t first,
                                                                           int64_t last, const float *places) {
    const linear *l = &m->linear;
    const floats_at *weights = (const floats_at *)(l->weights + k * l->terms) + first * n, *bias = (const floats_at *)(l->bias + k);
    const doubles magic = doubles_of(0x1.8p28);
    doubles sums[GROUP_CLASSES / 4];
    doubles_at *own = (doubles_at *)(scores + k);
    for (int i = 0; i < n; i++) {
        if (first > 0) sums[i] = own[i];
        else sums[i] = WIDEN(bias[i]);
    }
    for (int64_t t = first; t < last; t++, weights += n) {
        const double place = places[t - first];
        for (int i = 0; i < n; i++) sums[i] += doubles_of(place) * WIDEN(weights[i]);
    }
    for (int i = 0; i < n; i++) own[i] = last < l->terms ? sums[i] : (sums[i] + magic) - magic;
}

TARGET static void NAME(add_terms)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const float *places) {
#define ADD(n) NAME(add_weights)(m, scores + i * m->stride, k, n, first, last, places + i * GROUP_TERMS)
    for (int64_t k = 0; k < m->stride; k += GROUP_CLASSES)
        for (int64_t i = 0; i < rows; i++) switch ((m->stride - k) / 4) {
            case 1: ADD(1); break;
            case 2: ADD(2); break;
            case 3: ADD(3); break;
            default: ADD(GROUP_CLASSES / 4);
            }
#undef ADD
}

/* Adds the values of 4·n classes, from class k on. */
TARGET static inline __attribute__((always_inline)) void NAME(add_classes)(const aosop_model *m, double *scores, int64_t k, int n, int64_t first,
                                                                           int64_t last, const uint16_t *leaves, int64_t leaf_stride) {
    doubles sums[8];
    doubles_at *own = (doubles_at *)(scores + k);
    for (int i = 0; i < n; i++) sums[i] = own[i];
    for (int64_t t = first; t < last; t++, leaves += leaf_stride) {
        const float *steps = m->full + ((int64_t)m->first_leaf[t] + *leaves) * m->stride + k;
        for (int i = 0; i < n; i++) sums[i] += WIDEN(((const floats_at *)steps)[i]);
    }
    for (int i = 0; i < n; i++) own[i] = sums[i];
}

TARGET static void NAME(add_full)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const uint16_t *leaves,
                                  int64_t leaf_stride) {
#define ADD(n) NAME(add_classes)(m, scores + i * m->stride, k, n, first, last, leaves + i, leaf_stride)
    for (int64_t k = 0; k < m->stride; k += 32)
        for (int64_t i = 0; i < rows; i++) switch ((m->stride - k) / 4) {
            case 1: ADD(1); break;
            case 2: ADD(2); break;
            case 3: ADD(3); break;
            case 4: ADD(4); break;
            case 5: ADD(5); break;
            case 6: ADD(6); break;
            case 7: ADD(7); break;
            default: ADD(8);
            }
#undef ADD
}

/* Adds multiples of the unit: in 16 bits those of as many trees as these can hold. */
TARGET static void NAME(add_shorts)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const uint16_t *leaves,
                                    int64_t leaf_stride) {
    for (int64_t stop; first < last; leaves += (stop - first) * leaf_stride, first = stop) {
        stop = last - first < m->short_trees ? last : first + m->short_trees;
        for (int64_t k = 0, end; k < m->classes; k = end) {
            end = m->classes - k < SHORT_CLASSES ? m->classes : k + SHORT_CLASSES;
            for (int64_t i = 0; i < rows; i++) {
                shorts sums[SHORT_CLASSES / 16];
                for (int n = 0; n < SHORT_CLASSES / 16; n++) sums[n] = (shorts){0};
                const uint16_t *leaf = leaves + i;
                for (int64_t t = first; t < stop; t++, leaf += leaf_stride) {
                    const shorts *steps = (const shorts *)(m->shorts + ((int64_t)m->first_leaf[t] + *leaf) * m->stride + k);
                    for (int n = 0; n < SHORT_CLASSES / 16; n++) sums[n] += steps[n];
                }
                const shorts4 *next = (const shorts4 *)sums;
                for (int64_t c = k; c < end; c += 4) {
                    const ints4 units = __builtin_convertvector(*next++, ints4);
                    *(doubles_at *)(scores + i * m->stride + c) += __builtin_convertvector(units, doubles) * doubles_of(m->unit);
                }
            }
        }
    }
}

TARGET static void NAME(add)(const aosop_model *m, double *scores, int64_t rows, int64_t first, int64_t last, const uint16_t *leaves,
                             int64_t leaf_stride) {
    if (m->shorts) {
        NAME(add_shorts)(m, scores, rows, first, last, leaves, leaf_stride);
        return;
    }
    if (m->full) {
        NAME(add_full)(m, scores, rows, first, last, leaves, leaf_stride);
        return;
    }
    for (int64_t t = first; t < last; t++, leaves += leaf_stride)
        for (int64_t i = 0; i < rows; i++) {
            const int64_t begin = ((int64_t)m->first_leaf[t] + leaves[i]) * m->per_leaf, end = begin + m->per_leaf;
            double *own = scores + i * m->stride;
            if (m->few) {
                for (const class_step *c = m->few + begin; c < m->few + end; c++) own[c->k] += c->step;
                continue;
            }
            for (const pair_step *p = m->pairs + begin; p < m->pairs + end; p++) {
                own[p->r] += p->step;
                own[p->s] -= p->step;
            }
        }
}

/* ----------------------------------------------------------- probabilities -- */

/* e to numbers from -690 to 0, and 0 below: no number depends on libm, whose last
 * bits differ. Taylor's series, even and odd terms apart. */
TARGET static inline void NAME(exp)(doubles *exponents) {
    const doubles x = *exponents;
    const doubles magic = doubles_of(0x1.8p52); /* rounds to an integer, which is in the last bits of the sum */
    const doubles shifted = x * doubles_of(1.44269504088896338700) + magic;
    const doubles k = shifted - magic;
    doubles r = x - k * doubles_of(6.93147180369123816490e-01);
    r -= k * doubles_of(1.90821492927058770002e-10);
    const doubles r2 = r * r;
    doubles even = doubles_of(1.0 / 479001600), odd = doubles_of(1.0 / 6227020800);
    even = even * r2 + doubles_of(1.0 / 3628800), odd = odd * r2 + doubles_of(1.0 / 39916800);
    even = even * r2 + doubles_of(1.0 / 40320), odd = odd * r2 + doubles_of(1.0 / 362880);
    even = even * r2 + doubles_of(1.0 / 720), odd = odd * r2 + doubles_of(1.0 / 5040);
    even = even * r2 + doubles_of(1.0 / 24), odd = odd * r2 + doubles_of(1.0 / 120);
    even = even * r2 + doubles_of(1.0 / 2), odd = odd * r2 + doubles_of(1.0 / 6);
    const doubles sum = doubles_of(1) + (r + r2 * (even + odd * r));
    const longs power = ((longs)shifted + 1023) << 52; /* 2^k */
    const longs small = x < doubles_of(-690);
    *exponents = (doubles)((longs)(sum * (doubles)power) & ~small);
}

TARGET static void NAME(softmax)(double *scores, int64_t rows, int64_t classes, double temperature) {
#define AT(k) ((doubles_at *)((k) == whole ? rest : p + (k)))
    const int64_t whole = classes & ~(int64_t)3;
    for (double *p = scores; p < scores + rows * classes; p += classes) {
        double rest[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}; /* which adds nothing */
        memcpy(rest, p + whole, (size_t)(classes - whole) * sizeof *p);
        doubles tops = doubles_of(-INFINITY), odd = {0}, even = {0}; /* sums of every other vector, in the order in which libaoso adds */
        for (int64_t k = 0; k < classes; k += 4) {
            if (temperature != 0) *AT(k) /= doubles_of(temperature);
            const longs above = *AT(k) > tops;
            tops = (doubles)(((longs)*AT(k) & above) | ((longs)tops & ~above));
        }
        double top = tops[0];
        for (int i = 1; i < 4; i++) top = tops[i] > top ? tops[i] : top;
        for (int64_t k = 0; k < classes; k += 4) {
            doubles x = *AT(k) - doubles_of(top);
            NAME(exp)(&x);
            *AT(k) = x;
            const doubles sum = odd + x;
            odd = even, even = sum;
        }
        const doubles sums = odd + even;
        const double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]), inverse = 1 / sum;
        for (int64_t k = 0; k < classes; k += 4) *AT(k) *= doubles_of(inverse);
        memcpy(p + whole, rest, (size_t)(classes - whole) * sizeof *p);
        const uint64_t nan = 0x7ff8000000000001;
        if (sum != sum)
            for (int64_t k = 0; k < classes; k++) memcpy(p + k, &nan, sizeof nan);
    }
#undef AT
}

static const loops NAME(loops) = {NAME(leaves), NAME(add_terms), NAME(add), NAME(softmax)};
