// The floating-point mode: rounding and the treatment of subnormals. The sticky
// flags are not part of it.
#ifndef AOSO_FPMODE_H
#define AOSO_FPMODE_H

#include <stdint.h>

typedef uint64_t fpmode;

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FP_FLAGS 0x3fu
#define FP_DEFAULT 0x1f80u
static inline fpmode fp_get(void) { return _mm_getcsr(); }
static inline void fp_put(fpmode m) { _mm_setcsr((unsigned)m); }
#elif defined(__aarch64__)
#define FP_FLAGS 0u
#define FP_DEFAULT 0u
static inline fpmode fp_get(void) {
    fpmode m;
    __asm__ volatile("mrs %0, fpcr" : "=r"(m));
    return m;
}
static inline void fp_put(fpmode m) { __asm__ volatile("msr fpcr, %0" : : "r"(m)); }
#else
#define FP_FLAGS 0u
#define FP_DEFAULT 0u
static inline fpmode fp_get(void) { return 0; }
static inline void fp_put(fpmode m) { (void)m; }
#endif

// Writing the register is slow, so it is written only if the mode changes.
static inline void fp_switch(fpmode from, fpmode to) {
    if ((from ^ to) & ~(fpmode)FP_FLAGS) fp_put(to);
}


#endif
