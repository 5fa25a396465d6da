// The floating-point mode: rounding, the treatment of subnormals, and which exceptions trap. The sticky
// flags are not part of it. On x86-64 the C library takes its rounding from the control word of the x87.
#ifndef AOSO_FPMODE_H
#define AOSO_FPMODE_H

#include <stdint.h>

typedef uint64_t fpmode;

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FP_FLAGS 0x3fu
#define FP_DEFAULT (0x37full << 32 | 0x1f80)
static inline fpmode fp_get(void) {
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (fpmode)x87 << 32 | _mm_getcsr();
}
static inline void fp_put(fpmode m) {
    const uint16_t x87 = (uint16_t)(m >> 32);
    __asm__ volatile("fldcw %0" : : "m"(x87));
    _mm_setcsr((unsigned)m);
}
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

// Writing the register is slow, so it is written only if the mode changes. The barriers keep memory accesses on their side of the change.
static inline void fp_switch(fpmode from, fpmode to) {
    if (!((from ^ to) & ~(fpmode)FP_FLAGS)) return;
    __asm__ volatile("" : : : "memory");
    fp_put(to);
    __asm__ volatile("" : : : "memory");
}

// fp_enter sets the default mode and returns the mode of the host, which fp_leave restores. The library computes between the two.
static inline fpmode fp_enter(void) {
    const fpmode host = fp_get();
    fp_switch(host, FP_DEFAULT);
    return host;
}
static inline void fp_leave(fpmode host) { fp_switch(FP_DEFAULT, host); }

#endif
