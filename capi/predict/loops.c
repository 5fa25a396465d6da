/* The loops that take the time, for every CPU and for those with AVX2. Products
 * that are added must not be fused: compile with -ffp-contract=off. */
#include <math.h>
#include <string.h>

#include "model.h"

typedef double doubles __attribute__((vector_size(32)));
typedef double doubles_at __attribute__((vector_size(32), aligned(8), may_alias));
typedef float floats_at __attribute__((vector_size(16), aligned(4), may_alias));
typedef int64_t longs __attribute__((vector_size(32)));
typedef uint64_t words4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int16_t shorts __attribute__((vector_size(32), may_alias));
typedef int16_t shorts4 __attribute__((vector_size(8), may_alias));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef uint16_t lanes16 __attribute__((vector_size(32)));

#define doubles_of(x) ((doubles){(x), (x), (x), (x)})

#define NAME(x) x##_anywhere
#define TARGET
#define WIDEN(x) __builtin_convertvector(x, doubles)
#include "loops.h"
#undef NAME
#undef TARGET
#undef WIDEN

#if defined(__x86_64__) && !defined(AOSOP_PORTABLE)

#include <immintrin.h>

#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDEN(x) ((doubles)_mm256_cvtps_pd((__m128)(x)))
#include "loops.h"

const loops *best_loops(void) { return __builtin_cpu_supports("avx2") ? &loops_avx2 : &loops_anywhere; }

#else

const loops *best_loops(void) { return &loops_anywhere; }

#endif
