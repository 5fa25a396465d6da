/* The data of the examples. Each class is a cloud of points around its centre. All
 * values are integers, so every compiler produces the same data. */
#ifndef EXAMPLE_DATA_H
#define EXAMPLE_DATA_H

#include <math.h>
#include <stdint.h>

enum { FEATURES = 6, CLASSES = 5 };

static inline uint32_t example_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state >> 8;
}

/* Sets rows × FEATURES values, row after row, and the class of each row. One value
 * in a hundred is missing. */
static inline void example_data(uint32_t seed, int64_t rows, double *values, int32_t *classes) {
    int64_t i;
    int32_t j, roll;
    for (i = 0; i < rows; i++) {
        const int32_t k = (int32_t)(example_random(&seed) % CLASSES);
        classes[i] = k;
        for (j = 0; j < FEATURES; j++) {
            int32_t value = (k * (j + 2) * 5 + j) % 19;
            for (roll = 0; roll < 3; roll++) value += (int32_t)(example_random(&seed) % 7);
            values[i * FEATURES + j] = example_random(&seed) % 100 == 0 ? NAN : (double)value;
        }
    }
}

#endif
