//go:build !purego

// The kernels for arm64, in the order of kernel.Funcs. Each begins after a line
// of dashes. Every AArch64 processor has NEON. Regions from "begin generated" to "end
// generated" are written by make asm: the contents, and families of routines from
// templates in tools/asm/families.
//
// begin generated: contents
//
//	kernel      section    NEON
//	Totals           55     158
//	Cross           236     261
//	Gradients       455     469
//	Quantize        611     627
//	Histogram       769     896
//	Sparse          982    1064
//	SumBins        1098    1107
//	Spill          1131    1142
//	Subtract       1173    1182
//	Scan           1200    1298
//	AddCuts        1537    1548
//	Update         1606    1643
//	Compare        1806    1904
//	Compare32      1909    1939
//	Members        1944    1967
//	Leaves         2003    2021
//	AddSteps       2134    2171
//	AddPairs       2435    2448
//	AddShort       2491    2500
//	Scores         2670    2680
//	Linear         2731    2771
//	Softmax        3047    3293
//	Walk           3333    3363
//
// Plain Go: Partition, Best, Products.
//
// end generated
//
// How to read this file:
//
//   - Go's assembler puts the destination last: SUB R1, R2, R3 is R3 = R2 − R1,
//     and FDIVS F1, F2, F3 is F3 = F2/F1. Fn, and Vn by lanes, are one register.
//   - What Go's assembler lacks stands as WORD, its text in Arm's own order
//     behind it, destination first: fsub v3.2d, v2.2d, v1.2d is v3 = v2 − v1.
//     "make asm" writes the words from the texts, "make asm-check" checks them.
//   - Every routine takes one struct, its fields' offsets being those of
//     go_asm.h; kernel_arm64.go says what they mean.
//   - A product is fused (FMLA) only where package kernel adds it to a shift
//     and rounds once, or where it is exact.
//   - R18 and R27–R30 belong to the system, the assembler and Go.

#include "go_asm.h"
#include "textflag.h"

// ---------------------------------------------------------------------------
// Totals
//
// The routines of Totals and Cross take eight classes of many rows, or four where
// there are no more, so that the sums stay in registers. The caller loops over the
// classes and starts the sums: see unitSums.

// sum += bits(x·y + shift), rounded once; V6 is lost.
#define ADD_PRODUCT(x, y, sum) \
	VMOV  V25.B16, V6.B16       \
	VFMLA x.D2, y.D2, V6.D2     \
	VADD  V6.D2, sum.D2, sum.D2

// ADD_LOW adds the four residuals d of V0, as float64 in V2 and V3: bits(shift − d) to
// the gradient, and, with a = |d|, bits(a·(1 − a) + shift) to the hessian.
#define ADD_LOW \
	WORD $0x0e617802           \ // fcvtl v2.2d, v0.2s
	WORD $0x4e617803           \ // fcvtl2 v3.2d, v0.4s
	WORD $0x4ee2d726           \ // fsub v6.2d, v25.2d, v2.2d
	VADD V6.D2, V16.D2, V16.D2 \
	WORD $0x4ee3d726           \ // fsub v6.2d, v25.2d, v3.2d
	VADD V6.D2, V17.D2, V17.D2 \
	WORD $0x4ee0f842           \ // fabs v2.2d, v2.2d
	WORD $0x4ee0f863           \ // fabs v3.2d, v3.2d
	WORD $0x4ee2d71a           \ // fsub v26.2d, v24.2d, v2.2d
	WORD $0x4ee3d71b           \ // fsub v27.2d, v24.2d, v3.2d
	ADD_PRODUCT(V2, V26, V20)  \
	ADD_PRODUCT(V3, V27, V21)

// ADD_HIGH adds those of V1, as float64 in V4 and V5.
#define ADD_HIGH \
	WORD $0x0e617824           \ // fcvtl v4.2d, v1.2s
	WORD $0x4e617825           \ // fcvtl2 v5.2d, v1.4s
	WORD $0x4ee4d726           \ // fsub v6.2d, v25.2d, v4.2d
	VADD V6.D2, V18.D2, V18.D2 \
	WORD $0x4ee5d726           \ // fsub v6.2d, v25.2d, v5.2d
	VADD V6.D2, V19.D2, V19.D2 \
	WORD $0x4ee0f884           \ // fabs v4.2d, v4.2d
	WORD $0x4ee0f8a5           \ // fabs v5.2d, v5.2d
	WORD $0x4ee4d71c           \ // fsub v28.2d, v24.2d, v4.2d
	WORD $0x4ee5d71d           \ // fsub v29.2d, v24.2d, v5.2d
	ADD_PRODUCT(V4, V28, V22)  \
	ADD_PRODUCT(V5, V29, V23)

// ADD_WEIGHTED_LOW and ADD_WEIGHTED_HIGH do so with a weight: bits(shift − w·d), and bits(w·(a·(1 − a)) + shift).
#define ADD_WEIGHTED_LOW \
	WORD $0x0e617802          \ // fcvtl v2.2d, v0.2s
	WORD $0x4e617803          \ // fcvtl2 v3.2d, v0.4s
	ADD_PRODUCT(V2, V30, V16) \
	ADD_PRODUCT(V3, V30, V17) \
	WORD $0x4ee0f842          \ // fabs v2.2d, v2.2d
	WORD $0x4ee0f863          \ // fabs v3.2d, v3.2d
	WORD $0x4ee2d71a          \ // fsub v26.2d, v24.2d, v2.2d
	WORD $0x4ee3d71b          \ // fsub v27.2d, v24.2d, v3.2d
	WORD $0x6e7adc5a          \ // fmul v26.2d, v2.2d, v26.2d
	WORD $0x6e7bdc7b          \ // fmul v27.2d, v3.2d, v27.2d
	ADD_PRODUCT(V26, V7, V20) \
	ADD_PRODUCT(V27, V7, V21)

#define ADD_WEIGHTED_HIGH \
	WORD $0x0e617824          \ // fcvtl v4.2d, v1.2s
	WORD $0x4e617825          \ // fcvtl2 v5.2d, v1.4s
	ADD_PRODUCT(V4, V30, V18) \
	ADD_PRODUCT(V5, V30, V19) \
	WORD $0x4ee0f884          \ // fabs v4.2d, v4.2d
	WORD $0x4ee0f8a5          \ // fabs v5.2d, v5.2d
	WORD $0x4ee4d71c          \ // fsub v28.2d, v24.2d, v4.2d
	WORD $0x4ee5d71d          \ // fsub v29.2d, v24.2d, v5.2d
	WORD $0x6e7cdc9c          \ // fmul v28.2d, v4.2d, v28.2d
	WORD $0x6e7ddcbd          \ // fmul v29.2d, v5.2d, v29.2d
	ADD_PRODUCT(V28, V7, V22) \
	ADD_PRODUCT(V29, V7, V23)

// WEIGHT sets V7 and V30 to the weight of row R7 and minus that.
#define WEIGHT \
	FMOVS  (R5)(R7<<2), F7  \
	FCVTSD F7, F7           \
	FNEGD  F7, F30          \
	VDUP   V7.D[0], V7.D2   \
	VDUP   V30.D[0], V30.D2

#define TOTALS_ARGS \
	MOVD  a+0(FP), R0                  \
	MOVD  totalsArgs_residuals(R0), R1 \
	MOVD  totalsArgs_stride(R0), R2    \
	MOVD  totalsArgs_rows(R0), R3      \
	MOVD  totalsArgs_n(R0), R4         \
	MOVD  totalsArgs_weights(R0), R5   \
	FMOVD $1.0, F24                    \
	VDUP  V24.D[0], V24.D2             \
	FMOVD totalsArgs_shift(R0), F25    \
	VDUP  V25.D[0], V25.D2

// func totals8(a *totalsArgs)
//
//	R0  a            R5  weights, 0: none     V0, V1   residuals
//	R1  residuals    R6  gradient, hessian    V2–V5    residuals d, then a = |d|
//	R2  stride       R7  row number           V6       scratch
//	R3  next row     R8  row's residuals      V7, V30  weight w, −w
//	R4  rows left                             V16–V19  gradient
//	                                          V20–V23  hessian
//	                                          V24, V25 1, shift
//	                                          V26–V29  1 − a, then a(1 − a)
TEXT ·totals8(SB), NOSPLIT, $0-8
	TOTALS_ARGS

	// gradient, hessian: go on from what the last call left
	MOVD totalsArgs_gradient(R0), R6
	VLD1 (R6), [V16.D2, V17.D2, V18.D2, V19.D2]
	MOVD totalsArgs_hessian(R0), R6
	VLD1 (R6), [V20.D2, V21.D2, V22.D2, V23.D2]
	CBZ  R4, done
	CBNZ R5, weighted

row:
	// eight residuals of row *rows++
	MOVWU.P 4(R3), R7
	MADD    R2, R1, R7, R8
	FLDPQ   (R8), (F0, F1)
	ADD_LOW
	ADD_HIGH
	SUB     $1, R4
	CBNZ    R4, row
	B       done

weighted:
	MOVWU.P 4(R3), R7
	MADD    R2, R1, R7, R8
	FLDPQ   (R8), (F0, F1)
	WEIGHT
	ADD_WEIGHTED_LOW
	ADD_WEIGHTED_HIGH
	SUB     $1, R4
	CBNZ    R4, weighted

done:
	MOVD totalsArgs_gradient(R0), R6
	VST1 [V16.D2, V17.D2, V18.D2, V19.D2], (R6)
	MOVD totalsArgs_hessian(R0), R6
	VST1 [V20.D2, V21.D2, V22.D2, V23.D2], (R6)
	RET

// func totals4(a *totalsArgs)
// Four classes; registers as in totals8.
TEXT ·totals4(SB), NOSPLIT, $0-8
	TOTALS_ARGS

	// gradient, hessian: go on from what the last call left
	MOVD totalsArgs_gradient(R0), R6
	VLD1 (R6), [V16.D2, V17.D2]
	MOVD totalsArgs_hessian(R0), R6
	VLD1 (R6), [V20.D2, V21.D2]
	CBZ  R4, done
	CBNZ R5, weighted

row:
	// four residuals of row *rows++
	MOVWU.P 4(R3), R7
	MADD    R2, R1, R7, R8
	FMOVQ   (R8), F0
	ADD_LOW
	SUB     $1, R4
	CBNZ    R4, row
	B       done

weighted:
	MOVWU.P 4(R3), R7
	MADD    R2, R1, R7, R8
	FMOVQ   (R8), F0
	WEIGHT
	ADD_WEIGHTED_LOW
	SUB     $1, R4
	CBNZ    R4, weighted

done:
	MOVD totalsArgs_gradient(R0), R6
	VST1 [V16.D2, V17.D2], (R6)
	MOVD totalsArgs_hessian(R0), R6
	VST1 [V20.D2, V21.D2], (R6)
	RET

// ---------------------------------------------------------------------------
// Cross

// V2 = four residuals, V7 = 1.
// r += 1 where the sign bit marks the row's own class; V6 is lost.
#define PROBABILITIES_LOW \
	WORD $0x4ea0a846            \ // cmlt v6.4s, v2.4s, #0
	VAND V7.B16, V6.B16, V6.B16 \
	WORD $0x4e26d442            // fadd v2.4s, v2.4s, v6.4s

// The same of V3.
#define PROBABILITIES_HIGH \
	WORD $0x4ea0a866            \ // cmlt v6.4s, v3.4s, #0
	VAND V7.B16, V6.B16, V6.B16 \
	WORD $0x4e26d463            // fadd v3.4s, v3.4s, v6.4s

// func cross4x8(a *crossArgs)
// Four first classes times eight classes.
//
//	R0  a            R5  weights, 0: none      V0       p_r of the four first classes
//	R1  residuals    R6  first of the eight    V2, V3   p_k of the eight classes
//	R2  stride       R7  row number            V6       scratch, product
//	R3  next row     R8  row's residuals       V7       1
//	R4  rows left    R9–R12  first classes     V8, V9   weight, shift
//	R13  scratch     R14     cross stride      V16–V23  cross, two by first class
TEXT ·cross4x8(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  crossArgs_residuals(R0), R1
	MOVD  crossArgs_stride(R0), R2
	MOVD  crossArgs_rows(R0), R3
	MOVD  crossArgs_n(R0), R4
	MOVD  crossArgs_weights(R0), R5
	MOVD  crossArgs_class(R0), R6
	LDP   crossArgs_first(R0), (R9, R10)
	LDP   (crossArgs_first+16)(R0), (R11, R12)
	MOVD  crossArgs_crossStride(R0), R14
	FMOVS $1.0, F7
	VDUP  V7.S[0], V7.S4
	FMOVS crossArgs_shift(R0), F9
	VDUP  V9.S[0], V9.S4

	// cross: go on from what the last call left
	MOVD   crossArgs_cross(R0), R13
	VLD1.P (R13)(R14), [V16.S4, V17.S4]
	VLD1.P (R13)(R14), [V18.S4, V19.S4]
	VLD1.P (R13)(R14), [V20.S4, V21.S4]
	VLD1   (R13), [V22.S4, V23.S4]
	CBZ    R4, done

row:
	// residuals of the first classes in row *rows++
	MOVWU.P 4(R3), R7
	MADD    R2, R1, R7, R8
	FMOVS   (R8)(R9), F0
	ADD     R8, R10, R13
	VLD1    (R13), V0.S[1]
	ADD     R8, R11, R13
	VLD1    (R13), V0.S[2]
	ADD     R8, R12, R13
	VLD1    (R13), V0.S[3]

	// p_r = the residual, and 1 more where its sign bit is set
	WORD $0x4ea0a806            // cmlt v6.4s, v0.4s, #0
	VAND V7.B16, V6.B16, V6.B16
	WORD $0x4e26d400            // fadd v0.4s, v0.4s, v6.4s
	CBZ  R5, unweighted

	// p_r *= weights[row]
	FMOVS (R5)(R7<<2), F8
	WORD  $0x4f889000     // fmul v0.4s, v0.4s, v8.s[0]

unweighted:
	// p_k of the eight classes
	ADD   R8, R6, R13
	FLDPQ (R13), (F2, F3)
	PROBABILITIES_LOW
	PROBABILITIES_HIGH

	// cross[0] += bits(p_r[0]·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4f801046           // fmla v6.4s, v2.4s, v0.s[0]
	VADD V6.S4, V16.S4, V16.S4
	VMOV V9.B16, V6.B16
	WORD $0x4f801066           // fmla v6.4s, v3.4s, v0.s[0]
	VADD V6.S4, V17.S4, V17.S4

	// cross[1] += bits(p_r[1]·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4fa01046           // fmla v6.4s, v2.4s, v0.s[1]
	VADD V6.S4, V18.S4, V18.S4
	VMOV V9.B16, V6.B16
	WORD $0x4fa01066           // fmla v6.4s, v3.4s, v0.s[1]
	VADD V6.S4, V19.S4, V19.S4

	// cross[2] += bits(p_r[2]·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4f801846           // fmla v6.4s, v2.4s, v0.s[2]
	VADD V6.S4, V20.S4, V20.S4
	VMOV V9.B16, V6.B16
	WORD $0x4f801866           // fmla v6.4s, v3.4s, v0.s[2]
	VADD V6.S4, V21.S4, V21.S4

	// cross[3] += bits(p_r[3]·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4fa01846           // fmla v6.4s, v2.4s, v0.s[3]
	VADD V6.S4, V22.S4, V22.S4
	VMOV V9.B16, V6.B16
	WORD $0x4fa01866           // fmla v6.4s, v3.4s, v0.s[3]
	VADD V6.S4, V23.S4, V23.S4
	SUB  $1, R4
	CBNZ R4, row

done:
	MOVD   crossArgs_cross(R0), R13
	VST1.P [V16.S4, V17.S4], (R13)(R14)
	VST1.P [V18.S4, V19.S4], (R13)(R14)
	VST1.P [V20.S4, V21.S4], (R13)(R14)
	VST1   [V22.S4, V23.S4], (R13)
	RET

#define CROSS1_ARGS \
	MOVD  a+0(FP), R0                 \
	MOVD  crossArgs_residuals(R0), R1 \
	MOVD  crossArgs_stride(R0), R2    \
	MOVD  crossArgs_rows(R0), R3      \
	MOVD  crossArgs_n(R0), R4         \
	MOVD  crossArgs_weights(R0), R5   \
	MOVD  crossArgs_first(R0), R9     \
	FMOVS $1.0, F7                    \
	VDUP  V7.S[0], V7.S4              \
	FMOVS crossArgs_shift(R0), F9     \
	VDUP  V9.S[0], V9.S4

// CROSS1_FIRST sets V0 to p_r: the first class's residual in row *rows++, and 1 more
// where its sign bit is set. Only lane 0 counts.
#define CROSS1_FIRST \
	MOVWU.P 4(R3), R7              \
	MADD    R2, R1, R7, R8         \
	FMOVS   (R8)(R9), F0           \
	WORD    $0x4ea0a806            \ // cmlt v6.4s, v0.4s, #0
	VAND    V7.B16, V6.B16, V6.B16 \
	FADDS   F6, F0, F0

// func cross1x8(a *crossArgs)
// One first class times eight classes; registers as in cross4x8.
TEXT ·cross1x8(SB), NOSPLIT, $0-8
	CROSS1_ARGS
	MOVD crossArgs_class(R0), R6

	// cross: go on from what the last call left
	MOVD crossArgs_cross(R0), R13
	VLD1 (R13), [V16.S4, V17.S4]
	CBZ  R4, done

row:
	CROSS1_FIRST
	CBZ R5, unweighted

	// p_r *= weights[row]
	FMOVS (R5)(R7<<2), F8
	FMULS F8, F0, F0

unweighted:
	// p_k of the eight classes
	ADD   R8, R6, R13
	FLDPQ (R13), (F2, F3)
	PROBABILITIES_LOW
	PROBABILITIES_HIGH

	// cross += bits(p_r·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4f801046           // fmla v6.4s, v2.4s, v0.s[0]
	VADD V6.S4, V16.S4, V16.S4
	VMOV V9.B16, V6.B16
	WORD $0x4f801066           // fmla v6.4s, v3.4s, v0.s[0]
	VADD V6.S4, V17.S4, V17.S4
	SUB  $1, R4
	CBNZ R4, row

done:
	MOVD crossArgs_cross(R0), R13
	VST1 [V16.S4, V17.S4], (R13)
	RET

// func cross1x4(a *crossArgs)
// One first class times four classes; registers as in cross4x8.
TEXT ·cross1x4(SB), NOSPLIT, $0-8
	CROSS1_ARGS

	// cross: go on from what the last call left
	MOVD crossArgs_cross(R0), R13
	VLD1 (R13), [V16.S4]
	CBZ  R4, done

row:
	CROSS1_FIRST
	CBZ R5, unweighted

	// p_r *= weights[row]
	FMOVS (R5)(R7<<2), F8
	FMULS F8, F0, F0

unweighted:
	// p_k of the four classes
	FMOVQ (R8), F2
	PROBABILITIES_LOW

	// cross += bits(p_r·p_k + shift)
	VMOV V9.B16, V6.B16
	WORD $0x4f801046           // fmla v6.4s, v2.4s, v0.s[0]
	VADD V6.S4, V16.S4, V16.S4
	SUB  $1, R4
	CBNZ R4, row

done:
	MOVD crossArgs_cross(R0), R13
	VST1 [V16.S4], (R13)
	RET

// ---------------------------------------------------------------------------
// Gradients

// func gradients4(a *gradientsArgs)
// One pair, four rows a turn.
//
//	R0  a             R9–R11   scratch             V0, V1    residuals r, s
//	R1  residuals     R12      next (h, g)         V2–V4     g, h, |g|
//	R2  stride        R13      its stride          V5, V6    scratch
//	R3  next row      R14      stats               V16, V17  sumG
//	R4  rows left     R20–R23  four row numbers    V18, V19  sumH
//	R5  weights, 0: none                           V20, V21  sumAbsG
//	R6, R7  offsets of r and s                     V24       shift
//	                                               V28–V30   maxAbsG, maxH, 0
TEXT ·gradients4(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  gradientsArgs_residuals(R0), R1
	MOVD  gradientsArgs_stride(R0), R2
	MOVD  gradientsArgs_rows(R0), R3
	MOVD  gradientsArgs_n(R0), R4
	MOVD  gradientsArgs_weights(R0), R5
	LDP   gradientsArgs_r(R0), (R6, R7)
	MOVD  gradientsArgs_gradients(R0), R12
	MOVD  gradientsArgs_pairs(R0), R13
	LSL   $3, R13
	FMOVD gradientsArgs_shift(R0), F24
	VDUP  V24.D[0], V24.D2
	VEOR  V30.B16, V30.B16, V30.B16

	// go on from the stats: they are in lane 0, the others are 0
	MOVD  gradientsArgs_stats(R0), R14
	FMOVD pairStats_SumG(R14), F16
	VEOR  V17.B16, V17.B16, V17.B16
	FMOVD pairStats_SumH(R14), F18
	VEOR  V19.B16, V19.B16, V19.B16
	FMOVD pairStats_SumAbsG(R14), F20
	VEOR  V21.B16, V21.B16, V21.B16
	FMOVS pairStats_MaxAbsG(R14), F28
	FMOVS pairStats_MaxH(R14), F29

rows:
	// r, s = the residuals of four rows *rows++
	MOVWU.P 4(R3), R20
	MADD    R2, R1, R20, R9
	FMOVS   (R9)(R6), F0
	FMOVS   (R9)(R7), F1
	MOVWU.P 4(R3), R21
	MADD    R2, R1, R21, R9
	ADD     R6, R9, R10
	VLD1    (R10), V0.S[1]
	ADD     R7, R9, R11
	VLD1    (R11), V1.S[1]
	MOVWU.P 4(R3), R22
	MADD    R2, R1, R22, R9
	ADD     R6, R9, R10
	VLD1    (R10), V0.S[2]
	ADD     R7, R9, R11
	VLD1    (R11), V1.S[2]
	MOVWU.P 4(R3), R23
	MADD    R2, R1, R23, R9
	ADD     R6, R9, R10
	VLD1    (R10), V0.S[3]
	ADD     R7, R9, R11
	VLD1    (R11), V1.S[3]

	// u = s − r; h = |r| + |s|
	WORD $0x4ea0d422 // fsub v2.4s, v1.4s, v0.4s
	WORD $0x4ea0f803 // fabs v3.4s, v0.4s
	WORD $0x4ea0f824 // fabs v4.4s, v1.4s
	WORD $0x4e24d463 // fadd v3.4s, v3.4s, v4.4s

	// h += 2·max(r, s) where one of them is negative
	WORD $0x4e21f404            // fmax v4.4s, v0.4s, v1.4s
	WORD $0x4e24d484            // fadd v4.4s, v4.4s, v4.4s
	VORR V0.B16, V1.B16, V5.B16
	WORD $0x4ea0a8a5            // cmlt v5.4s, v5.4s, #0
	VAND V5.B16, V4.B16, V4.B16
	WORD $0x4e24d463            // fadd v3.4s, v3.4s, v4.4s

	// h = max(h − u·u, 0)
	WORD $0x6e22dc44    // fmul v4.4s, v2.4s, v2.4s
	WORD $0x4ea4d463    // fsub v3.4s, v3.4s, v4.4s
	WORD $0x4e3ef463    // fmax v3.4s, v3.4s, v30.4s
	CBZ  R5, unweighted

	// g, h *= weights[row]
	FMOVS (R5)(R20<<2), F6
	ADD   R21<<2, R5, R9
	VLD1  (R9), V6.S[1]
	ADD   R22<<2, R5, R9
	VLD1  (R9), V6.S[2]
	ADD   R23<<2, R5, R9
	VLD1  (R9), V6.S[3]
	WORD  $0x6e26dc42      // fmul v2.4s, v2.4s, v6.4s
	WORD  $0x6e26dc63      // fmul v3.4s, v3.4s, v6.4s

unweighted:
	// gradients = (h, g), row by row
	VZIP1 V2.S4, V3.S4, V0.S4
	VZIP2 V2.S4, V3.S4, V1.S4
	VST1  V0.D[0], (R12)
	ADD   R13, R12
	VST1  V0.D[1], (R12)
	ADD   R13, R12
	VST1  V1.D[0], (R12)
	ADD   R13, R12
	VST1  V1.D[1], (R12)
	ADD   R13, R12

	// maxAbsG = max(maxAbsG, |g|); maxH = max(maxH, h)
	WORD $0x4ea0f844 // fabs v4.4s, v2.4s
	WORD $0x4e24f79c // fmax v28.4s, v28.4s, v4.4s
	WORD $0x4e23f7bd // fmax v29.4s, v29.4s, v3.4s

	// sumG += bits(g + shift)
	WORD $0x0e617845           // fcvtl v5.2d, v2.2s
	WORD $0x4e617846           // fcvtl2 v6.2d, v2.4s
	WORD $0x4e78d4a5           // fadd v5.2d, v5.2d, v24.2d
	WORD $0x4e78d4c6           // fadd v6.2d, v6.2d, v24.2d
	VADD V5.D2, V16.D2, V16.D2
	VADD V6.D2, V17.D2, V17.D2

	// sumH += bits(h + shift)
	WORD $0x0e617865           // fcvtl v5.2d, v3.2s
	WORD $0x4e617866           // fcvtl2 v6.2d, v3.4s
	WORD $0x4e78d4a5           // fadd v5.2d, v5.2d, v24.2d
	WORD $0x4e78d4c6           // fadd v6.2d, v6.2d, v24.2d
	VADD V5.D2, V18.D2, V18.D2
	VADD V6.D2, V19.D2, V19.D2

	// sumAbsG += bits(|g| + shift)
	WORD $0x0e617885           // fcvtl v5.2d, v4.2s
	WORD $0x4e617886           // fcvtl2 v6.2d, v4.4s
	WORD $0x4e78d4a5           // fadd v5.2d, v5.2d, v24.2d
	WORD $0x4e78d4c6           // fadd v6.2d, v6.2d, v24.2d
	VADD V5.D2, V20.D2, V20.D2
	VADD V6.D2, V21.D2, V21.D2
	SUB  $4, R4
	CBNZ R4, rows

	// the sums and the maxima of all lanes
	VADD  V17.D2, V16.D2, V16.D2
	VADD  V19.D2, V18.D2, V18.D2
	VADD  V21.D2, V20.D2, V20.D2
	WORD  $0x5ef1ba10                 // addp d16, v16.2d
	WORD  $0x5ef1ba52                 // addp d18, v18.2d
	WORD  $0x5ef1ba94                 // addp d20, v20.2d
	WORD  $0x6e30fb9c                 // fmaxv s28, v28.4s
	WORD  $0x6e30fbbd                 // fmaxv s29, v29.4s
	FMOVD F16, pairStats_SumG(R14)
	FMOVD F18, pairStats_SumH(R14)
	FMOVD F20, pairStats_SumAbsG(R14)
	FMOVS F28, pairStats_MaxAbsG(R14)
	FMOVS F29, pairStats_MaxH(R14)
	RET

// ---------------------------------------------------------------------------
// Quantize
//
// A row's gradients are (h, g) by pair, and so is a packed cell in
// memory: h in the low half, g in the high half.

// func quantize1(a *quantizeArgs)
// One pair. Every row is stored where the next kept row goes, but only a kept
// row moves that place on: no branch to mispredict.
//
//	R0  a                 R6  kept             V0, V1  scale, trim: (h, g)
//	R1  next row          R7  sum of cells     V2      all bits but the sign of g
//	R2  next gradients    R8  row number       V3      1.5·2²³
//	R3  rows left         R9  trimmed, cell    V4      gradients, then cell
//	R4  cells             R10 weights, or 0    V5      where below the trim bounds
//	R5  kept rows                              V6, V7  trim·weight, weight
TEXT ·quantize1(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  quantizeArgs_rows(R0), R1
	MOVD  quantizeArgs_gradients(R0), R2
	MOVD  quantizeArgs_n(R0), R3
	MOVD  quantizeArgs_cells(R0), R4
	MOVD  quantizeArgs_keptRows(R0), R5
	MOVD  $0, R6
	MOVD  $0, R7
	FMOVD quantizeArgs_scale(R0), F0
	FMOVD quantizeArgs_trim(R0), F1
	FMOVD F1, F6
	MOVD  quantizeArgs_weights(R0), R10
	MOVD  $0x7fffffffffffffff, R8
	FMOVD R8, F2
	MOVD  $0x4b400000, R8
	VDUP  R8, V3.S4
	CBZ   R3, done

row:
	MOVWU.P 4(R1), R8
	FMOVD.P 8(R2), F4
	CBZ     R10, weighed
	FMOVS   (R10)(R8<<2), F7
	WORD    $0x0f879026      // fmul v6.2s, v1.2s, v7.s[0]

weighed:
	// trimmed = trim·weight > (h, |g|) in both lanes
	VAND  V2.B8, V4.B8, V5.B8
	WORD  $0x2ea5e4c5         // fcmgt v5.2s, v6.2s, v5.2s
	FMOVD F5, R9
	CMN   $1, R9

	// cell = (h, g)·scale, to the nearest integer: adding 1.5·2²³ rounds
	WORD  $0x2e20dc84 // fmul v4.2s, v4.2s, v0.2s
	WORD  $0x0e23d484 // fadd v4.2s, v4.2s, v3.2s
	WORD  $0x0ea3d484 // fsub v4.2s, v4.2s, v3.2s
	WORD  $0x0ea1b884 // fcvtzs v4.2s, v4.2s
	FMOVD F4, R9

	// cells[kept] = cell; keptRows[kept] = row
	MOVD R9, (R4)(R6<<3)
	MOVW R8, (R5)(R6<<2)

	// if !trimmed: kept++, sum += cell
	CSEL NE, R9, ZR, R9
	ADD  R9, R7
	CINC NE, R6, R6
	SUB  $1, R3
	CBNZ R3, row

done:
	MOVD R6, quantizeArgs_kept(R0)
	MOVD R7, quantizeArgs_sum(R0)
	RET

// func quantize2(a *quantizeArgs)
// Two, four or eight pairs: one, two or four vectors a row.
//
//	R0  a                 R6  kept             V2   all bits but the signs of g
//	R1  next row          R7  bytes of pairs   V3   1.5·2²³
//	R2  next gradients    R8  row number       V4   gradients, then cells
//	R3  rows left         R9  offset           V5   scale, trim·weight, sums
//	R4  next cells        R10, R11  scratch    V6   where below the trim bounds
//	R5  next kept row     R12 weights, or 0    V7   weight
TEXT ·quantize2(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  quantizeArgs_rows(R0), R1
	MOVD  quantizeArgs_gradients(R0), R2
	MOVD  quantizeArgs_n(R0), R3
	MOVD  quantizeArgs_cells(R0), R4
	MOVD  quantizeArgs_keptRows(R0), R5
	MOVD  quantizeArgs_pairs(R0), R7
	LSL   $3, R7
	MOVD  quantizeArgs_weights(R0), R12
	FMOVS $1.0, F7
	MOVD  $0, R6
	MOVD  $0x7fffffffffffffff, R8
	VDUP  R8, V2.D2
	MOVD  $0x4b400000, R8
	VDUP  R8, V3.S4
	CBZ   R3, done

row:
	MOVWU.P 4(R1), R8
	MOVD    $0, R9
	CBZ     R12, trim
	FMOVS   (R12)(R8<<2), F7

trim:
	// trimmed = trim·weight > (h, |g|) in all lanes; if not, keep the row
	ADD   R2, R9, R10
	FMOVQ (R10), F4
	ADD   R0, R9, R11
	FMOVQ quantizeArgs_trim(R11), F5
	WORD  $0x4f8790a5                // fmul v5.4s, v5.4s, v7.s[0]
	VAND  V2.B16, V4.B16, V6.B16
	WORD  $0x6ea6e4a6                // fcmgt v6.4s, v5.4s, v6.4s
	VMOV  V6.D[0], R10
	VMOV  V6.D[1], R11
	AND   R10, R11, R10
	CMN   $1, R10
	BNE   keep
	ADD   $16, R9
	CMP   R7, R9
	BLT   trim
	ADD   R7, R2
	B     next

keep:
	// *keptRows++ = row
	MOVW.P R8, 4(R5)
	ADD    $1, R6
	MOVD   $0, R9

vector:
	// cells = (h, g)·scale, to the nearest integer
	ADD     R0, R9, R11
	FMOVQ.P 16(R2), F4
	FMOVQ   quantizeArgs_scale(R11), F5
	WORD    $0x6e25dc84                 // fmul v4.4s, v4.4s, v5.4s
	WORD    $0x4e23d484                 // fadd v4.4s, v4.4s, v3.4s
	WORD    $0x4ea3d484                 // fsub v4.4s, v4.4s, v3.4s
	WORD    $0x4ea1b884                 // fcvtzs v4.4s, v4.4s

	// *cells++ = cells; sum += cells
	FMOVQ.P F4, 16(R4)
	FMOVQ   quantizeArgs_sum(R11), F5
	VADD    V4.D2, V5.D2, V5.D2
	FMOVQ   F5, quantizeArgs_sum(R11)
	ADD     $16, R9
	CMP     R7, R9
	BLT     vector

next:
	SUB  $1, R3
	CBNZ R3, row

done:
	MOVD R6, quantizeArgs_kept(R0)
	RET

// ---------------------------------------------------------------------------
// Histogram
//
//
// A bin of a tile is 64 bytes. What differs between the routines is the number
// of cells that a row adds to a bin (1, 2, 4 or 8) and the number of columns
// that share the loads of a row's number and cells. Each has two loops: one
// over listed row numbers, one that counts them up.

// R22 = a row's cell; R19 = its number.
// histogram[64·column[row]] += cell
#define ADD_1(column, histogram) \
	MOVBU (column)(R19), R23     \
	ADD   R23<<6, histogram, R23 \
	MOVD  (R23), R24             \
	ADD   R22, R24, R24          \
	MOVD  R24, (R23)

// V0 = a row's 2 cells; R19 = its number.
#define ADD_2(column, histogram) \
	MOVBU (column)(R19), R23     \
	ADD   R23<<6, histogram, R23 \
	FMOVQ (R23), F4              \
	VADD  V0.D2, V4.D2, V4.D2    \
	FMOVQ F4, (R23)

// V0, V1 = a row's 4 cells; R19 = its number.
#define ADD_4(column, histogram) \
	MOVBU (column)(R19), R23     \
	ADD   R23<<6, histogram, R23 \
	FLDPQ (R23), (F4, F5)        \
	VADD  V0.D2, V4.D2, V4.D2    \
	VADD  V1.D2, V5.D2, V5.D2    \
	FSTPQ (F4, F5), (R23)

// V0–V3 = a row's 8 cells; R19 = its number.
#define ADD_8(column, histogram) \
	MOVBU (column)(R19), R23                  \
	ADD   R23<<6, histogram, R23              \
	VLD1  (R23), [V4.D2, V5.D2, V6.D2, V7.D2] \
	VADD  V0.D2, V4.D2, V4.D2                 \
	VADD  V1.D2, V5.D2, V5.D2                 \
	VADD  V2.D2, V6.D2, V6.D2                 \
	VADD  V3.D2, V7.D2, V7.D2                 \
	VST1  [V4.D2, V5.D2, V6.D2, V7.D2], (R23)

// Registers of all histogram routines:
//
//	R0      a              R17  next row number, 0: count   R22  cell
//	R1–R8   columns 0–7    R19  row number                  R23  bin, then its address
//	R9–R16  histograms     R20  next cell                   R24  sum
//	                       R21  rows left                   V0–V3  cells, V4–V7  sums

// A routine's R17, R19, R20 and R21.
#define LOAD_ROWS \
	MOVD histogramArgs_rows(R0), R17  \
	MOVD histogramArgs_first(R0), R19 \
	MOVD histogramArgs_cells(R0), R20 \
	MOVD histogramArgs_n(R0), R21

#define LOAD_COLUMNS_01 \
	LDP histogramArgs_columns(R0), (R1, R2)     \
	LDP histogramArgs_histograms(R0), (R9, R10)

#define LOAD_COLUMNS_23 \
	LDP (histogramArgs_columns+16)(R0), (R3, R4)      \
	LDP (histogramArgs_histograms+16)(R0), (R11, R12)

#define LOAD_COLUMNS_4567 \
	LDP (histogramArgs_columns+32)(R0), (R5, R6)      \
	LDP (histogramArgs_columns+48)(R0), (R7, R8)      \
	LDP (histogramArgs_histograms+32)(R0), (R13, R14) \
	LDP (histogramArgs_histograms+48)(R0), (R15, R16)

// LOAD_M is the next row's M cells.
#define LOAD_1 MOVD.P 8(R20), R22

#define LOAD_2 FMOVQ.P 16(R20), F0

#define LOAD_4 FLDPQ.P 32(R20), (F0, F1)

#define LOAD_8 VLD1.P 64(R20), [V0.D2, V1.D2, V2.D2, V3.D2]

// COLUMNS_C adds them to C columns.
#define COLUMNS_1(CELLS) CELLS(R1, R9)

#define COLUMNS_2(CELLS) \
	COLUMNS_1(CELLS) \
	CELLS(R2, R10)

#define COLUMNS_4(CELLS) \
	COLUMNS_2(CELLS) \
	CELLS(R3, R11)   \
	CELLS(R4, R12)

#define COLUMNS_8(CELLS) \
	COLUMNS_4(CELLS) \
	CELLS(R5, R13)   \
	CELLS(R6, R14)   \
	CELLS(R7, R15)   \
	CELLS(R8, R16)

// HISTOGRAM is a routine after its columns are loaded:
//
//	for i = 0 … n−1
//		row = rows[i], or first + i without a list
//		histogram[64·column[row]] += cells[i], for each column
#define HISTOGRAM(LOAD, COLUMNS, CELLS) \
	LOAD_ROWS            \
	CBZ     R21, done    \
	CBZ     R17, counted \
	listed:              \
	MOVWU.P 4(R17), R19  \
	LOAD                 \
	COLUMNS(CELLS)       \
	SUB     $1, R21      \
	CBNZ    R21, listed  \
	RET                  \
	counted:              \
	LOAD                  \
	COLUMNS(CELLS)        \
	ADD      $1, R19      \
	SUB      $1, R21      \
	CBNZ     R21, counted

// func histogram1x8(a *histogramArgs)
// One pair, eight columns.
TEXT ·histogram1x8(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LOAD_COLUMNS_01
	LOAD_COLUMNS_23
	LOAD_COLUMNS_4567
	HISTOGRAM(LOAD_1, COLUMNS_8, ADD_1)

done:
	RET

// func histogram1x4(a *histogramArgs)
// One pair, four columns.
TEXT ·histogram1x4(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LOAD_COLUMNS_01
	LOAD_COLUMNS_23
	HISTOGRAM(LOAD_1, COLUMNS_4, ADD_1)

done:
	RET

// func histogram1x1(a *histogramArgs)
// One pair, one column.
TEXT ·histogram1x1(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	MOVD histogramArgs_columns(R0), R1
	MOVD histogramArgs_histograms(R0), R9
	HISTOGRAM(LOAD_1, COLUMNS_1, ADD_1)

done:
	RET

// func histogram2x4(a *histogramArgs)
// Two pairs, four columns.
TEXT ·histogram2x4(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LOAD_COLUMNS_01
	LOAD_COLUMNS_23
	HISTOGRAM(LOAD_2, COLUMNS_4, ADD_2)

done:
	RET

// func histogram2x1(a *histogramArgs)
// Two pairs, one column.
TEXT ·histogram2x1(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	MOVD histogramArgs_columns(R0), R1
	MOVD histogramArgs_histograms(R0), R9
	HISTOGRAM(LOAD_2, COLUMNS_1, ADD_2)

done:
	RET

// func histogram4x2(a *histogramArgs)
// Four pairs, two columns.
TEXT ·histogram4x2(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LOAD_COLUMNS_01
	HISTOGRAM(LOAD_4, COLUMNS_2, ADD_4)

done:
	RET

// func histogram4x1(a *histogramArgs)
// Four pairs, one column.
TEXT ·histogram4x1(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	MOVD histogramArgs_columns(R0), R1
	MOVD histogramArgs_histograms(R0), R9
	HISTOGRAM(LOAD_4, COLUMNS_1, ADD_4)

done:
	RET

// func histogram8x1(a *histogramArgs)
// Eight pairs, one column.
TEXT ·histogram8x1(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	MOVD histogramArgs_columns(R0), R1
	MOVD histogramArgs_histograms(R0), R9
	HISTOGRAM(LOAD_8, COLUMNS_1, ADD_8)

done:
	RET

// ---------------------------------------------------------------------------
// Sparse: the entries of a row are the bins that its cells go to.
//
//	R0  j            R5  rows left           R9   next entry       V0–V3  cells
//	R1  first        R6  next cell           R10  row's last       V4–V7  sums
//	R2  entries      R7  row number, cell    R11  entry
//	R3  histogram    R8  first of the row    R12  bin's address
//	R4  next row

#define LOAD_SPARSE \
	MOVD sparseJob_First(R0), R1      \
	MOVD sparseJob_Entries(R0), R2    \
	MOVD sparseJob_Histogram(R0), R3  \
	LDP  sparseJob_Rows(R0), (R4, R5) \
	MOVD sparseJob_Cells(R0), R6

// R9, R10 = where the entries of row *rows++ begin and end
#define NEXT_ENTRIES \
	MOVWU.P 4(R4), R7       \
	ADD     R7<<2, R1, R8   \
	LDPW    (R8), (R9, R10) \
	ADD     R9<<1, R2, R9   \
	ADD     R10<<1, R2, R10

// SPARSE is a routine: LOAD is a row's cells, ADD_CELLS adds them to a bin of 2^SHIFT
// bytes.
//
//	for each row
//		for each entry of the row
//			histogram[entry] += cells
#define SPARSE(LOAD, SHIFT, ADD_CELLS) \
	LOAD_SPARSE                 \
	CBZ     R5, done            \
	row:                        \
	NEXT_ENTRIES                \
	LOAD                        \
	CMP     R10, R9             \
	BHS     next                \
	entry:                      \
	MOVHU.P 2(R9), R11          \
	ADD     R11<<SHIFT, R3, R12 \
	ADD_CELLS                   \
	CMP     R10, R9             \
	BLO     entry               \
	next:                       \
	SUB     $1, R5              \
	CBNZ    R5, row

#define SPARSE_LOAD_1 MOVD.P 8(R6), R7

#define SPARSE_LOAD_2 FMOVQ.P 16(R6), F0

#define SPARSE_LOAD_4 FLDPQ.P 32(R6), (F0, F1)

#define SPARSE_LOAD_8 VLD1.P 64(R6), [V0.D2, V1.D2, V2.D2, V3.D2]

#define SPARSE_ADD_1 \
	MOVD (R12), R11   \
	ADD  R7, R11, R11 \
	MOVD R11, (R12)

#define SPARSE_ADD_2 \
	FMOVQ (R12), F4           \
	VADD  V0.D2, V4.D2, V4.D2 \
	FMOVQ F4, (R12)

#define SPARSE_ADD_4 \
	FLDPQ (R12), (F4, F5)     \
	VADD  V0.D2, V4.D2, V4.D2 \
	VADD  V1.D2, V5.D2, V5.D2 \
	FSTPQ (F4, F5), (R12)

#define SPARSE_ADD_8 \
	VLD1 (R12), [V4.D2, V5.D2, V6.D2, V7.D2] \
	VADD V0.D2, V4.D2, V4.D2                 \
	VADD V1.D2, V5.D2, V5.D2                 \
	VADD V2.D2, V6.D2, V6.D2                 \
	VADD V3.D2, V7.D2, V7.D2                 \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R12)

// func sparse1(j *sparseJob)
// One pair.
TEXT ·sparse1(SB), NOSPLIT, $0-8
	MOVD j+0(FP), R0
	SPARSE(SPARSE_LOAD_1, 3, SPARSE_ADD_1)

done:
	RET

// func sparse2(j *sparseJob)
// Two pairs.
TEXT ·sparse2(SB), NOSPLIT, $0-8
	MOVD j+0(FP), R0
	SPARSE(SPARSE_LOAD_2, 4, SPARSE_ADD_2)

done:
	RET

// func sparse4(j *sparseJob)
// Four pairs.
TEXT ·sparse4(SB), NOSPLIT, $0-8
	MOVD j+0(FP), R0
	SPARSE(SPARSE_LOAD_4, 5, SPARSE_ADD_4)

done:
	RET

// func sparse8(j *sparseJob)
// Eight pairs.
TEXT ·sparse8(SB), NOSPLIT, $0-8
	MOVD j+0(FP), R0
	SPARSE(SPARSE_LOAD_8, 6, SPARSE_ADD_8)

done:
	RET

// ---------------------------------------------------------------------------
// SumBins

// func sumBins8(sums, cells *int64, stride, bins int)
// The sums of eight lanes over bins that are stride cells apart.
//
//	R0  sums          R3  bins left
//	R1  next cells    V0–V3  sums
//	R2  stride, bytes V4–V7  cells
TEXT ·sumBins8(SB), NOSPLIT, $0-32
	LDP  sums+0(FP), (R0, R1)
	LDP  stride+16(FP), (R2, R3)
	LSL  $3, R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	CBZ  R3, done

bin:
	// sums += cells; cells += stride
	VLD1.P (R1)(R2), [V4.D2, V5.D2, V6.D2, V7.D2]
	VADD   V4.D2, V0.D2, V0.D2
	VADD   V5.D2, V1.D2, V1.D2
	VADD   V6.D2, V2.D2, V2.D2
	VADD   V7.D2, V3.D2, V3.D2
	SUB    $1, R3
	CBNZ   R3, bin

done:
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R0)
	RET

// ---------------------------------------------------------------------------
// Spill

// func spill8(wideG, wideH, narrow *int64, blocks int)
// wide += narrow; narrow = 0. A block is eight cells.
//
//	R0  wideG     R3  cells left    V0    cells, g
//	R1  wideH                       V1    h
//	R2  narrow                      V2    wide cells
//	                                V3    2³² − 1
//	                                V4    0
TEXT ·spill8(SB), NOSPLIT, $0-32
	LDP  wideG+0(FP), (R0, R1)
	LDP  narrow+16(FP), (R2, R3)
	LSL  $3, R3
	MOVD $0xffffffff, R4
	VDUP R4, V3.D2
	VEOR V4.B16, V4.B16, V4.B16
	CBZ  R3, done

cells:
	// cells = *narrow; *narrow++ = 0
	FMOVQ   (R2), F0
	FMOVQ.P F4, 16(R2)

	// h = the low half, g = the high half
	VAND V3.B16, V0.B16, V1.B16
	WORD $0x4f600400            // sshr v0.2d, v0.2d, #32

	// *wideG++ += g; *wideH++ += h
	FMOVQ   (R0), F2
	VADD    V0.D2, V2.D2, V2.D2
	FMOVQ.P F2, 16(R0)
	FMOVQ   (R1), F2
	VADD    V1.D2, V2.D2, V2.D2
	FMOVQ.P F2, 16(R1)
	SUB     $2, R3
	CBNZ    R3, cells

done:
	RET

// ---------------------------------------------------------------------------
// Subtract

// func subtract8(dst, minuend, subtrahend *int64, blocks int)
// dst = minuend − subtrahend. A block is eight cells.
//
//	R0  dst           R3  cells left
//	R1  minuend       V0, V1  minuend, difference
//	R2  subtrahend    V2, V3  subtrahend
TEXT ·subtract8(SB), NOSPLIT, $0-32
	LDP dst+0(FP), (R0, R1)
	LDP subtrahend+16(FP), (R2, R3)
	LSL $3, R3
	CBZ R3, done

cells:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R2), (F2, F3)
	VSUB    V2.D2, V0.D2, V0.D2
	VSUB    V3.D2, V1.D2, V1.D2
	FSTPQ.P (F0, F1), 32(R0)
	SUB     $4, R3
	CBNZ    R3, cells

done:
	RET

// ---------------------------------------------------------------------------
// Scan
//
// A vector is two lanes of a tile: two features of one pair, or two
// pairs of one feature.

// V18, V19 = left g and h in quanta, V4, V5 = totals, V6 = scale, V7 = l2,
// V8 = unitH, V12 = 1.
// V22, V23 = unitH·h of either side, V24 = score, by lane. V18–V21, V25 are lost.
#define SCORE_CUT \
	VSUB V18.D2, V4.D2, V19.D2                      \
	VSUB V20.D2, V5.D2, V21.D2                      \
	WORD $0x4e61da52                                \ // scvtf v18.2d, v18.2d
	WORD $0x4e61da73                                \ // scvtf v19.2d, v19.2d
	WORD $0x4e61da94                                \ // scvtf v20.2d, v20.2d
	WORD $0x4e61dab5                                \ // scvtf v21.2d, v21.2d
	\ // lightL = hl·unitH; lightR = hr·unitH
	WORD $0x6e68de96                                \ // fmul v22.2d, v20.2d, v8.2d
	WORD $0x6e68deb7                                \ // fmul v23.2d, v21.2d, v8.2d
	\ // hl = max(hl + l2, 1); hr = max(hr + l2, 1)
	WORD $0x4e67d694                                \ // fadd v20.2d, v20.2d, v7.2d
	WORD $0x4e6cf694                                \ // fmax v20.2d, v20.2d, v12.2d
	WORD $0x4e67d6b5                                \ // fadd v21.2d, v21.2d, v7.2d
	WORD $0x4e6cf6b5                                \ // fmax v21.2d, v21.2d, v12.2d
	\ // num = gl·gl·hr + gr·gr·hl
	WORD $0x6e72de58                                \ // fmul v24.2d, v18.2d, v18.2d
	WORD $0x6e75df18                                \ // fmul v24.2d, v24.2d, v21.2d
	WORD $0x6e73de79                                \ // fmul v25.2d, v19.2d, v19.2d
	WORD $0x6e74df39                                \ // fmul v25.2d, v25.2d, v20.2d
	WORD $0x4e79d718                                \ // fadd v24.2d, v24.2d, v25.2d
	\ // score = num/(hl·hr)·scale
	WORD $0x6e75de99                                \ // fmul v25.2d, v20.2d, v21.2d
	WORD $0x6e79ff18                                \ // fdiv v24.2d, v24.2d, v25.2d
	WORD $0x6e66df18           // fmul v24.2d, v24.2d, v6.2d

// V22, V23 = unitH·h of either side, V24 = score, V9 = minHessian.
// Where the score is above the best and no side too light: best = score,
// bestCode = code. V22, V23, V25 are lost.
#define TAKE_BEST \
	WORD $0x6eeae719               \ // fcmgt v25.2d, v24.2d, v10.2d
	WORD $0x6ef6e536               \ // fcmgt v22.2d, v9.2d, v22.2d
	WORD $0x6ef7e537               \ // fcmgt v23.2d, v9.2d, v23.2d
	WORD $0x4e761f39               \ // bic v25.16b, v25.16b, v22.16b
	WORD $0x4e771f39               \ // bic v25.16b, v25.16b, v23.16b
	VBIT V25.B16, V24.B16, V10.B16 \
	VBIT V25.B16, V14.B16, V11.B16

// What scanVector and addCutsVector load.
#define SCAN_LOAD \
	MOVD  scanArgs_tile(R0), R1        \
	LDP   scanArgs_wideG(R0), (R2, R3) \
	MOVD  scanArgs_bins(R0), R4        \
	MOVD  scanArgs_stride(R0), R11     \
	FMOVQ scanArgs_totalG(R0), F4      \
	FMOVQ scanArgs_totalH(R0), F5      \
	FMOVQ scanArgs_scale(R0), F6       \
	FMOVQ scanArgs_l2(R0), F7          \
	FMOVD $1.0, F12                    \
	VDUP  V12.D[0], V12.D2             \
	MOVD  $0xffffffff, R8              \
	VDUP  R8, V13.D2                   \
	VEOR  V0.B16, V0.B16, V0.B16       \
	VEOR  V1.B16, V1.B16, V1.B16

// V18, V20 = g, h of the next bin
#define SCAN_NARROW \
	FMOVQ (R1), F20                 \
	ADD   R11, R1                   \
	WORD  $0x4f600692               \ // sshr v18.2d, v20.2d, #32
	VAND  V13.B16, V20.B16, V20.B16

#define SCAN_WIDE \
	FMOVQ (R2), F18 \
	FMOVQ (R3), F20 \
	ADD   R11, R2   \
	ADD   R11, R3

// sums += bin; left = sums
#define SCAN_SUM \
	VADD V18.D2, V0.D2, V0.D2 \
	VADD V20.D2, V1.D2, V1.D2 \
	VMOV V0.B16, V18.B16      \
	VMOV V1.B16, V20.B16

// func scanVector(a *scanArgs)
// One pair, two features; or two pairs, one feature.
//
//	R0  a                       V0, V1    sums of the bins so far, g and h
//	R1  next bin, 0: wide       V2, V3    missing g and h
//	R2  next bin's wide g       V4, V5    totalG, totalH
//	R3  next bin's wide h       V6–V8     scale, l2, unitH
//	R4  last bin's code         V9        minHessian
//	R5  code: 2·bin, +1 when    V10, V11  best score, its code
//	    the missing go left     V12       1
//	R6  any missing             V13       2³² − 1
//	R7  pairs                   V14       code
//	R8  scratch                 V18–V25   a cut's numbers: see SCORE_CUT
//	R11  stride of bins
TEXT ·scanVector(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	SCAN_LOAD
	MOVD  scanArgs_pairs(R0), R7
	FMOVQ scanArgs_unitH(R0), F8
	FMOVD scanArgs_minHessian(R0), F9
	VDUP  V9.D[0], V9.D2
	FMOVQ scanArgs_score(R0), F10
	FMOVQ scanArgs_code(R0), F11
	SUB   $1, R4
	LSL   $1, R4
	MOVD  $0, R5

	// missing = bin 0
	CBZ   R1, missingWide
	FMOVQ (R1), F18
	ADD   R11, R1
	WORD  $0x4f600642              // sshr v2.2d, v18.2d, #32
	VAND  V13.B16, V18.B16, V3.B16
	B     anyMissing

missingWide:
	FMOVQ (R2), F2
	FMOVQ (R3), F3
	ADD   R11, R2
	ADD   R11, R3

anyMissing:
	// Where one of two features has missing values and the other none, the
	// other's second cut scores as its first did, and so changes nothing.
	VORR V2.B16, V3.B16, V18.B16
	VMOV V18.D[0], R6
	VMOV V18.D[1], R8
	ORR  R8, R6

bin:
	// code = the next bin's, its missing values to the right; the last: done
	AND $~1, R5
	CMP R4, R5
	BGE done
	ADD $2, R5

	// g, h = the bin's
	CBZ R1, wide
	SCAN_NARROW
	B   add

wide:
	SCAN_WIDE

add:
	SCAN_SUM

cut:
	VDUP R5, V14.D2
	SCORE_CUT
	CMP  $2, R7
	BNE  take

	// two pairs: add up the lanes
	WORD $0x6e76d6d6 // faddp v22.2d, v22.2d, v22.2d
	WORD $0x6e77d6f7 // faddp v23.2d, v23.2d, v23.2d
	WORD $0x6e78d718 // faddp v24.2d, v24.2d, v24.2d

take:
	TAKE_BEST

	// once more with the missing values on the left
	CBZ  R6, bin
	TBNZ $0, R5, bin
	ADD  $1, R5
	VADD V2.D2, V0.D2, V18.D2
	VADD V3.D2, V1.D2, V20.D2
	B    cut

done:
	FMOVQ F10, scanArgs_score(R0)
	FMOVQ F11, scanArgs_code(R0)
	RET

// func scanVectors(a *scanArgs)
// Four or eight pairs, one feature: two or four vectors a bin. What scanVector
// has by vector in registers, its sums included, stands in *a.
//
//	R0  a                       R6  any missing                V4–V8     as in scanVector, loaded
//	R1  next bin, 0: wide       R7  bytes of pairs             V9–V14    as in scanVector
//	R2  next bin's wide g       R8  scratch                    V0–V3     scratch
//	R3  next bin's wide h       R9  offset of a vector         V18–V25   a cut's numbers
//	R4  last bin's code         R10  a's fields + R9           V26–V31   terms of sums over pairs
//	R5  code: 2·bin, +1 when the missing go left     R11  stride of bins
TEXT ·scanVectors(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  scanArgs_tile(R0), R1
	LDP   scanArgs_wideG(R0), (R2, R3)
	MOVD  scanArgs_bins(R0), R4
	MOVD  scanArgs_stride(R0), R11
	MOVD  scanArgs_pairs(R0), R7
	LSL   $3, R7
	FMOVD scanArgs_minHessian(R0), F9
	VDUP  V9.D[0], V9.D2
	FMOVQ scanArgs_score(R0), F10
	FMOVQ scanArgs_code(R0), F11
	FMOVD $1.0, F12
	VDUP  V12.D[0], V12.D2
	MOVD  $0xffffffff, R8
	VDUP  R8, V13.D2
	SUB   $1, R4
	LSL   $1, R4
	MOVD  $0, R5
	MOVD  $0, R6
	MOVD  $0, R9

missing:
	// missing = bin 0, vector by vector
	ADD   R0, R9, R10
	CBZ   R1, missingWide
	ADD   R1, R9, R8
	FMOVQ (R8), F18
	WORD  $0x4f600642              // sshr v2.2d, v18.2d, #32
	VAND  V13.B16, V18.B16, V3.B16
	B     anyMissing

missingWide:
	ADD   R2, R9, R8
	FMOVQ (R8), F2
	ADD   R3, R9, R8
	FMOVQ (R8), F3

anyMissing:
	FMOVQ F2, scanArgs_missingG(R10)
	FMOVQ F3, scanArgs_missingH(R10)
	VORR  V2.B16, V3.B16, V18.B16
	VMOV  V18.D[0], R8
	ORR   R8, R6
	VMOV  V18.D[1], R8
	ORR   R8, R6
	ADD   $16, R9
	CMP   R7, R9
	BLT   missing

bin:
	// code = the next bin's, its missing values to the right; the last: done
	AND $~1, R5
	CMP R4, R5
	BGE done
	ADD $2, R5
	CBZ R1, nextWide
	ADD R11, R1
	B   cut

nextWide:
	ADD R11, R2
	ADD R11, R3

cut:
	VDUP R5, V14.D2
	MOVD $0, R9

vector:
	// left = the sums, on the cut's second turn with the missing values
	ADD   R0, R9, R10
	FMOVQ scanArgs_leftG(R10), F18
	FMOVQ scanArgs_leftH(R10), F20
	TBZ   $0, R5, first
	FMOVQ scanArgs_missingG(R10), F2
	FMOVQ scanArgs_missingH(R10), F3
	VADD  V2.D2, V18.D2, V18.D2
	VADD  V3.D2, V20.D2, V20.D2
	B     score

first:
	// on its first turn: sums += bin
	CBZ   R1, wide
	ADD   R1, R9, R8
	FMOVQ (R8), F3
	WORD  $0x4f600462             // sshr v2.2d, v3.2d, #32
	VAND  V13.B16, V3.B16, V3.B16
	B     add

wide:
	ADD   R2, R9, R8
	FMOVQ (R8), F2
	ADD   R3, R9, R8
	FMOVQ (R8), F3

add:
	VADD  V2.D2, V18.D2, V18.D2
	VADD  V3.D2, V20.D2, V20.D2
	FMOVQ F18, scanArgs_leftG(R10)
	FMOVQ F20, scanArgs_leftH(R10)

score:
	// lightL, lightR and score of the vector's two pairs
	FMOVQ scanArgs_totalG(R10), F4
	FMOVQ scanArgs_totalH(R10), F5
	FMOVQ scanArgs_scale(R10), F6
	FMOVQ scanArgs_l2(R10), F7
	FMOVQ scanArgs_unitH(R10), F8
	SCORE_CUT
	FMOVQ F22, scanArgs_lightL(R10)
	FMOVQ F23, scanArgs_lightR(R10)
	FMOVQ F24, scanArgs_scores(R10)
	ADD   $16, R9
	CMP   R7, R9
	BLT   vector

	// the sums over pairs: neighbours, then neighbouring sums; unused pairs
	// are zero
	MOVD $scanArgs_lightL(R0), R8
	VLD1 (R8), [V26.D2, V27.D2, V28.D2, V29.D2]
	WORD $0x6e7bd75a                            // faddp v26.2d, v26.2d, v27.2d
	WORD $0x6e7dd79c                            // faddp v28.2d, v28.2d, v29.2d
	WORD $0x6e7cd75a                            // faddp v26.2d, v26.2d, v28.2d
	WORD $0x6e7ad756                            // faddp v22.2d, v26.2d, v26.2d
	MOVD $scanArgs_lightR(R0), R8
	VLD1 (R8), [V26.D2, V27.D2, V28.D2, V29.D2]
	WORD $0x6e7bd75a                            // faddp v26.2d, v26.2d, v27.2d
	WORD $0x6e7dd79c                            // faddp v28.2d, v28.2d, v29.2d
	WORD $0x6e7cd75a                            // faddp v26.2d, v26.2d, v28.2d
	WORD $0x6e7ad757                            // faddp v23.2d, v26.2d, v26.2d
	MOVD $scanArgs_scores(R0), R8
	VLD1 (R8), [V26.D2, V27.D2, V28.D2, V29.D2]
	WORD $0x6e7bd75a                            // faddp v26.2d, v26.2d, v27.2d
	WORD $0x6e7dd79c                            // faddp v28.2d, v28.2d, v29.2d
	WORD $0x6e7cd75a                            // faddp v26.2d, v26.2d, v28.2d
	WORD $0x6e7ad758                            // faddp v24.2d, v26.2d, v26.2d
	TAKE_BEST

	// once more with the missing values on the left
	CBZ  R6, bin
	TBNZ $0, R5, bin
	ADD  $1, R5
	B    cut

done:
	FMOVQ F10, scanArgs_score(R0)
	FMOVQ F11, scanArgs_code(R0)
	RET

// ---------------------------------------------------------------------------
// AddCuts

// func addCutsVector(a *scanArgs)
// Two lanes of a tile.
//
//	R0  a                      R5   right scores      V0, V1  sums of the bins so far, g and h
//	R1  next bin, 0: wide      R6   left scores, 0    V2, V3  missing g and h
//	R2  next bin's wide g      R7   the scores        V4–V7   totalG, totalH, scale, l2
//	R3  next bin's wide h      R11  stride of bins    V12     1
//	R4  bins left                                     V13     2³² − 1
TEXT ·addCutsVector(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	SCAN_LOAD
	MOVD scanArgs_right(R0), R5
	MOVD scanArgs_left(R0), R6
	VEOR V8.B16, V8.B16, V8.B16

	// missing = bin 0
	CBZ   R1, missingWide
	FMOVQ (R1), F18
	ADD   R11, R1
	WORD  $0x4f600642              // sshr v2.2d, v18.2d, #32
	VAND  V13.B16, V18.B16, V3.B16
	B     bin

missingWide:
	FMOVQ (R2), F2
	FMOVQ (R3), F3
	ADD   R11, R2
	ADD   R11, R3

bin:
	// g, h = the bin's
	CBZ R1, wide
	SCAN_NARROW
	B   add

wide:
	SCAN_WIDE

add:
	SCAN_SUM
	MOVD R5, R7

cut:
	SCORE_CUT
	FMOVQ (R7), F25
	WORD  $0x4e79d718 // fadd v24.2d, v24.2d, v25.2d
	FMOVQ F24, (R7)

	// once more with the missing values on the left
	CBZ  R6, next
	CMP  R6, R7
	BEQ  left
	MOVD R6, R7
	VADD V2.D2, V0.D2, V18.D2
	VADD V3.D2, V1.D2, V20.D2
	B    cut

left:
	ADD R11, R6

next:
	ADD  R11, R5
	SUB  $1, R4
	CBNZ R4, bin
	RET

// ---------------------------------------------------------------------------
// Update

// V20 = the class numbers from 1 of the row's own class, V21 = those of four
// lanes, V22 = 4, V0 = their residuals, V4 = their factors.
// odds = residual·factor, +0 in the row's own class, which V20 notes.
#define ODDS_0 \
	WORD $0x6e24dc04              \ // fmul v4.4s, v0.4s, v4.4s
	WORD $0x4ea0a800              \ // cmlt v0.4s, v0.4s, #0
	WORD $0x4e601c84              \ // bic v4.16b, v4.16b, v0.16b
	VAND V21.B16, V0.B16, V0.B16  \
	VORR V0.B16, V20.B16, V20.B16 \
	VADD V22.S4, V21.S4, V21.S4

// The same of V1 and V5.
#define ODDS_1 \
	WORD $0x6e25dc25              \ // fmul v5.4s, v1.4s, v5.4s
	WORD $0x4ea0a821              \ // cmlt v1.4s, v1.4s, #0
	WORD $0x4e611ca5              \ // bic v5.16b, v5.16b, v1.16b
	VAND V21.B16, V1.B16, V1.B16  \
	VORR V1.B16, V20.B16, V20.B16 \
	VADD V22.S4, V21.S4, V21.S4

// func updateRows(a *updateArgs)
//
//	R0  a                R8   stride/16        V0, V1    residuals, then p
//	R1  residuals        R9   row number       V4, V5    factors, odds
//	R2  stride           R10  row's residuals  V16–V19   odds of the others, 16 lanes
//	R3  next row         R12  next residuals   V20       own class + 1, in its lane
//	R4  rows left        R13  next factors     V21       class numbers from 1
//	R5  factors          R14  lanes left       V22, V23  4; 1, 2, 3, 4
//	R7  stride/8         R15  own class        V24, V25  FlushBelow; OwnFloor
//	                     R16  own              V26       1
//	                                           V27       sum of the others, q
//	                                           V28       Σ, 1/Σ
//	                                           V29, V31  sum, maximum of residuals
//	                                           V30       own odds, own
TEXT ·updateRows(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	MOVD  updateArgs_residuals(R0), R1
	MOVD  updateArgs_own(R0), R16
	MOVD  updateArgs_stride(R0), R2
	MOVD  updateArgs_rows(R0), R3
	MOVD  updateArgs_n(R0), R4
	MOVD  updateArgs_factors(R0), R5
	LSR   $5, R2, R7
	LSR   $6, R2, R8
	MOVD  $updateLanes<>(SB), R15
	FMOVQ (R15), F23
	MOVD  $4, R15
	VDUP  R15, V22.S4
	FMOVS updateArgs_flushBelow(R0), F24
	VDUP  V24.S[0], V24.S4
	FMOVS updateArgs_ownFloor(R0), F25
	FMOVS $1.0, F26
	FMOVD updateArgs_sumResidual(R0), F29
	FMOVS updateArgs_maxResidual(R0), F31
	CBZ   R4, done

row:
	// the residuals of row *rows++
	MOVWU.P 4(R3), R9
	MADD    R2, R1, R9, R10

	// others = 0; own = 0; k = 1, 2, 3, 4
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VMOV V23.B16, V21.B16
	MOVD R10, R12
	MOVD R5, R13
	MOVD R8, R14
	CBZ  R7, four
	CBZ  R14, eight

sixteen:
	// others += the odds of sixteen classes, but for the row's own
	FLDPQ.P 32(R12), (F0, F1)
	FLDPQ.P 32(R13), (F4, F5)
	ODDS_0
	ODDS_1
	WORD    $0x4e24d610       // fadd v16.4s, v16.4s, v4.4s
	WORD    $0x4e25d631       // fadd v17.4s, v17.4s, v5.4s
	FLDPQ.P 32(R12), (F0, F1)
	FLDPQ.P 32(R13), (F4, F5)
	ODDS_0
	ODDS_1
	WORD    $0x4e24d652       // fadd v18.4s, v18.4s, v4.4s
	WORD    $0x4e25d673       // fadd v19.4s, v19.4s, v5.4s
	SUB     $1, R14
	CBNZ    R14, sixteen

eight:
	// the eight last ones of an odd number of eights
	TBZ   $0, R7, fold
	FLDPQ (R12), (F0, F1)
	FLDPQ (R13), (F4, F5)
	ODDS_0
	ODDS_1
	WORD  $0x4e24d610     // fadd v16.4s, v16.4s, v4.4s
	WORD  $0x4e25d631     // fadd v17.4s, v17.4s, v5.4s

	B fold

four:
	// the only four
	FMOVQ (R12), F0
	FMOVQ (R13), F4
	ODDS_0
	VMOV  V4.B16, V16.B16

fold:
	// sum = the 16 lanes, folded in half until one is left
	WORD $0x4e32d610                   // fadd v16.4s, v16.4s, v18.4s
	WORD $0x4e33d631                   // fadd v17.4s, v17.4s, v19.4s
	WORD $0x4e31d610                   // fadd v16.4s, v16.4s, v17.4s
	VEXT $8, V16.B16, V16.B16, V17.B16
	WORD $0x4e31d610                   // fadd v16.4s, v16.4s, v17.4s
	WORD $0x7e30da1b                   // faddp s27, v16.2s

	// own = the number in the only lane that is not 0; none: give up
	VADDV V20.S4, V20
	FMOVS F20, R15
	CBZ   R15, none
	SUB   $1, R15

	// ownOdds = own[row]·factors[own]
	FMOVS (R16)(R9<<2), F30
	FMOVS (R5)(R15<<2), F28
	FMULS F28, F30, F30

	// inverse = 1/(sum + ownOdds); q = sum·inverse
	FADDS F30, F27, F28
	FDIVS F28, F26, F28
	FMULS F28, F27, F27

	// own[row] = max(ownOdds·inverse, OwnFloor)
	FMULS F28, F30, F30
	FMAXS F25, F30, F30
	FMOVS F30, (R16)(R9<<2)
	MOVD  R10, R12
	MOVD  R5, R13
	MOVD  R7, R14
	CBZ   R14, normalizeFour

normalize:
	// p = residual·factor·inverse of eight classes, the product that was
	// summed above; 0 where p < FlushBelow, which a negative one is as well
	FLDPQ   (R12), (F0, F1)
	FLDPQ.P 32(R13), (F4, F5)
	WORD    $0x6e24dc00       // fmul v0.4s, v0.4s, v4.4s
	WORD    $0x6e25dc21       // fmul v1.4s, v1.4s, v5.4s
	WORD    $0x4f9c9000       // fmul v0.4s, v0.4s, v28.s[0]
	WORD    $0x4f9c9021       // fmul v1.4s, v1.4s, v28.s[0]
	WORD    $0x6ea0e704       // fcmgt v4.4s, v24.4s, v0.4s
	WORD    $0x6ea1e705       // fcmgt v5.4s, v24.4s, v1.4s
	WORD    $0x4e641c00       // bic v0.16b, v0.16b, v4.16b
	WORD    $0x4e651c21       // bic v1.16b, v1.16b, v5.16b
	FSTPQ.P (F0, F1), 32(R12)
	SUB     $1, R14
	CBNZ    R14, normalize
	B       ownResidual

normalizeFour:
	FMOVQ (R12), F0
	FMOVQ (R13), F4
	WORD  $0x6e24dc00 // fmul v0.4s, v0.4s, v4.4s
	WORD  $0x4f9c9000 // fmul v0.4s, v0.4s, v28.s[0]
	WORD  $0x6ea0e704 // fcmgt v4.4s, v24.4s, v0.4s
	WORD  $0x4e641c00 // bic v0.16b, v0.16b, v4.16b
	FMOVQ F0, (R12)

ownResidual:
	// residuals[own] = −q; sumResidual += q; maxResidual = max(maxResidual, q)
	FNEGS  F27, F0
	FMOVS  F0, (R10)(R15<<2)
	FMAXS  F27, F31, F31
	FCVTSD F27, F27
	FADDD  F27, F29, F29
	SUB    $1, R4
	CBNZ   R4, row

done:
	FMOVD F29, updateArgs_sumResidual(R0)
	FMOVS F31, updateArgs_maxResidual(R0)

none:
	// rows that were not updated: above 0 only after a row without a class
	MOVD R4, updateArgs_n(R0)
	RET

// Class numbers from 1.
DATA updateLanes<>+0(SB)/4, $1
DATA updateLanes<>+4(SB)/4, $2
DATA updateLanes<>+8(SB)/4, $3
DATA updateLanes<>+12(SB)/4, $4
GLOBL updateLanes<>(SB), RODATA|NOPTR, $16

// ---------------------------------------------------------------------------
// Compare

// V0–V7 = 16 rows' values, V16 = a threshold.
// V0–V7 = all ones where the row goes right: value ≥ threshold
#define AT_LEAST64 \
	WORD $0x6e70e400 \ // fcmge v0.2d, v0.2d, v16.2d
	WORD $0x6e70e421 \ // fcmge v1.2d, v1.2d, v16.2d
	WORD $0x6e70e442 \ // fcmge v2.2d, v2.2d, v16.2d
	WORD $0x6e70e463 \ // fcmge v3.2d, v3.2d, v16.2d
	WORD $0x6e70e484 \ // fcmge v4.2d, v4.2d, v16.2d
	WORD $0x6e70e4a5 \ // fcmge v5.2d, v5.2d, v16.2d
	WORD $0x6e70e4c6 \ // fcmge v6.2d, v6.2d, v16.2d
	WORD $0x6e70e4e7 // fcmge v7.2d, v7.2d, v16.2d

// V0–V7 = all ones where the row goes left: threshold > value
#define BELOW64 \
	WORD $0x6ee0e600 \ // fcmgt v0.2d, v16.2d, v0.2d
	WORD $0x6ee1e601 \ // fcmgt v1.2d, v16.2d, v1.2d
	WORD $0x6ee2e602 \ // fcmgt v2.2d, v16.2d, v2.2d
	WORD $0x6ee3e603 \ // fcmgt v3.2d, v16.2d, v3.2d
	WORD $0x6ee4e604 \ // fcmgt v4.2d, v16.2d, v4.2d
	WORD $0x6ee5e605 \ // fcmgt v5.2d, v16.2d, v5.2d
	WORD $0x6ee6e606 \ // fcmgt v6.2d, v16.2d, v6.2d
	WORD $0x6ee7e607 // fcmgt v7.2d, v16.2d, v7.2d

// to = the answers of the next 16 rows, each a bit of its byte
#define COMPARE_16(TEST, to) \
	VLD1.P 64(R7), [V0.D2, V1.D2, V2.D2, V3.D2] \
	VLD1.P 64(R7), [V4.D2, V5.D2, V6.D2, V7.D2] \
	TEST                                        \
	VUZP1  V1.S4, V0.S4, V0.S4                  \
	VUZP1  V3.S4, V2.S4, V2.S4                  \
	VUZP1  V5.S4, V4.S4, V4.S4                  \
	VUZP1  V7.S4, V6.S4, V6.S4                  \
	VUZP1  V2.H8, V0.H8, V0.H8                  \
	VUZP1  V6.H8, V4.H8, V4.H8                  \
	VUZP1  V4.B16, V0.B16, V0.B16               \
	VAND   V17.B16, V0.B16, to.B16

// V20 = the answers of 64 rows, twice; before, each is a bit of its byte of V20–V23
#define PACK_64 \
	VADDP V21.B16, V20.B16, V20.B16 \
	VADDP V23.B16, V22.B16, V22.B16 \
	VADDP V22.B16, V20.B16, V20.B16 \
	VADDP V20.B16, V20.B16, V20.B16

// V20 = the answers of the next 64 rows, twice
#define COMPARE_64(SIXTEEN, TEST) \
	SIXTEEN(TEST, V20) \
	SIXTEEN(TEST, V21) \
	SIXTEEN(TEST, V22) \
	SIXTEEN(TEST, V23) \
	PACK_64

// func compareNEON(a *compareArgs)
//
//	R0  a                    R5  its words         V0–V7    values
//	R1  values               R6  next word         V16      threshold
//	R2  words of rows        R7  next value        V17      a bit for each of 8 rows, twice
//	R3  next threshold       R8  words left        V20–V23  answers
//	R4  thresholds left      R9  a word
//	                         R10 thresholds that send missing values left
#define COMPARE(THRESHOLD, SIXTEEN, AT_LEAST, BELOW) \
	LDP           compareArgs_values(R0), (R1, R2)       \
	LDP           compareArgs_thresholds(R0), (R3, R4)   \
	LDP           compareArgs_missingLeft(R0), (R10, R5) \
	MOVD          $0x8040201008040201, R6                \
	VDUP          R6, V17.D2                             \
	threshold:                                           \
	THRESHOLD                                            \
	MOVD          R5, R6                                 \
	MOVD          R1, R7                                 \
	MOVD          R2, R8                                 \
	CBZ           R10, missingRight                      \
	SUB           $1, R10                                \
	missingLeft:                                         \
	COMPARE_64(SIXTEEN, AT_LEAST)                        \
	FMOVD.P       F20, 8(R6)                             \
	SUB           $1, R8                                 \
	CBNZ          R8, missingLeft                        \
	B             next                                   \
	missingRight:                                        \
	COMPARE_64(SIXTEEN, BELOW)                           \
	VMOV          V20.D[0], R9                           \
	MVN           R9, R9                                 \
	MOVD.P        R9, 8(R6)                              \
	SUB           $1, R8                                 \
	CBNZ          R8, missingRight                       \
	next:                                                \
	ADD           $64, R5                                \
	SUB           $1, R4                                 \
	CBNZ          R4, threshold

#define THRESHOLD64 \
	FMOVD.P 8(R3), F16       \
	VDUP    V16.D[0], V16.D2

TEXT ·compareNEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	COMPARE(THRESHOLD64, COMPARE_16, AT_LEAST64, BELOW64)
	RET

// ---------------------------------------------------------------------------
// Compare32

// Likewise for V0–V3 of float32
#define AT_LEAST32 \
	WORD $0x6e30e400 \ // fcmge v0.4s, v0.4s, v16.4s
	WORD $0x6e30e421 \ // fcmge v1.4s, v1.4s, v16.4s
	WORD $0x6e30e442 \ // fcmge v2.4s, v2.4s, v16.4s
	WORD $0x6e30e463 // fcmge v3.4s, v3.4s, v16.4s

#define BELOW32 \
	WORD $0x6ea0e600 \ // fcmgt v0.4s, v16.4s, v0.4s
	WORD $0x6ea1e601 \ // fcmgt v1.4s, v16.4s, v1.4s
	WORD $0x6ea2e602 \ // fcmgt v2.4s, v16.4s, v2.4s
	WORD $0x6ea3e603 // fcmgt v3.4s, v16.4s, v3.4s

// COMPARE_16 of float32
#define COMPARE32_16(TEST, to) \
	VLD1.P 64(R7), [V0.S4, V1.S4, V2.S4, V3.S4] \
	TEST                                        \
	VUZP1  V1.H8, V0.H8, V0.H8                  \
	VUZP1  V3.H8, V2.H8, V2.H8                  \
	VUZP1  V2.B16, V0.B16, V0.B16               \
	VAND   V17.B16, V0.B16, to.B16

#define THRESHOLD32 \
	FMOVS.P 4(R3), F16       \
	VDUP    V16.S[0], V16.S4

// func compare32NEON(a *compareArgs)
TEXT ·compare32NEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	COMPARE(THRESHOLD32, COMPARE32_16, AT_LEAST32, BELOW32)
	RET

// ---------------------------------------------------------------------------
// Members

// codes = their bytes in sets, bits = their bits in those bytes
#define MEMBER_BITS(codes, bits) \
	VAND  V16.B16, codes.B16, bits.B16  \
	VTBL  bits.B16, [V17.B16], bits.B16 \
	VUSHR $3, codes.B16, codes.B16

// to = the rows whose codes are in the set, each a bit of its byte
#define MEMBERS_16(codes, bits, to) \
	VTBL   codes.B16, [V24.B16, V25.B16], to.B16 \
	VCMTST bits.B16, to.B16, to.B16              \
	VAND   V17.B16, to.B16, to.B16

// func membersWords(a *membersArgs)
//
//	R0  a                 R5  its first answers   V0–V3    bytes of codes
//	R1  next codes        R6  next set            V4–V7    their bits
//	R2  words left        R7  sets left           V16      7 in each byte
//	R3  sets              R8  next answers        V17      a bit for each of 8 rows, or codes, twice
//	R4  how many          R9  a word              V20–V23  answers
//	                                              V24–V25  set
TEXT ·membersWords(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	LDP   membersArgs_codes(R0), (R1, R2)
	LDP   membersArgs_sets(R0), (R3, R4)
	MOVD  membersArgs_right(R0), R5
	VMOVI $7, V16.B16
	MOVD  $0x8040201008040201, R6
	VDUP  R6, V17.D2

word:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	MEMBER_BITS(V0, V4)
	MEMBER_BITS(V1, V5)
	MEMBER_BITS(V2, V6)
	MEMBER_BITS(V3, V7)
	MOVD   R3, R6
	MOVD   R4, R7
	MOVD   R5, R8

set:
	VLD1.P 32(R6), [V24.B16, V25.B16]
	MEMBERS_16(V0, V4, V20)
	MEMBERS_16(V1, V5, V21)
	MEMBERS_16(V2, V6, V22)
	MEMBERS_16(V3, V7, V23)
	PACK_64
	VMOV   V20.D[0], R9
	MVN    R9, R9
	MOVD.P R9, 64(R8)
	SUB    $1, R7
	CBNZ   R7, set
	ADD    $8, R5
	SUB    $1, R2
	CBNZ   R2, word
	RET

// ---------------------------------------------------------------------------
// Leaves

// V16 = bits of the next 8 rows' numbers; numbers = 2·numbers + bits
#define LEAF_BITS(numbers) \
	VLD1R.P 1(R10), [V16.B16]                  \
	VCMTST  V17.H8, V16.H8, V16.H8             \
	VADD    numbers.H8, numbers.H8, numbers.H8 \
	VSUB    V16.H8, numbers.H8, numbers.H8

// func leavesNEON(a *leavesArgs)
//
//	R0  a                      R5–R8 sets of rows     V0–V7    sets, then numbers
//	R1  answers                R9  64·leaf of a bit   V16–V19  sets
//	R2  next cut               R10 next set           V16      bits of 8 rows, in every byte
//	R3  cuts left              R11 last set           V17      a bit for each of 8 rows
//	R4  sets of rows by leaf   R12 words left
//	R7  64·leaf of a bit       R13 next numbers
TEXT ·leavesNEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LDP  leavesArgs_right(R0), (R1, R2)
	LDP  leavesArgs_n(R0), (R3, R4)
	ADD  R3<<6, R4, R11

	// All rows reach leaf 0 or a later one, none one past the last.
	MOVD $-1, R5
	VDUP R5, V0.D2
	VDUP R5, V1.D2
	VDUP R5, V2.D2
	VDUP R5, V3.D2
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R4)
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	ADD  $64, R11, R10
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R10)
	MOVD $64, R9
	CBZ  R3, numbers

cut:
	// atLeast[middle] = atLeast[high] | atLeast[low] & right[test]
	LDPW (R2), (R5, R6)
	LDPW 8(R2), (R7, R8)
	ADD  $16, R2
	ADD  R5<<6, R1, R5
	ADD  R6<<6, R4, R6
	ADD  R7<<6, R4, R7
	ADD  R8<<6, R4, R8
	VLD1 (R5), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1 (R6), [V4.D2, V5.D2, V6.D2, V7.D2]
	VLD1 (R8), [V16.D2, V17.D2, V18.D2, V19.D2]
	VAND V4.B16, V0.B16, V0.B16
	VAND V5.B16, V1.B16, V1.B16
	VAND V6.B16, V2.B16, V2.B16
	VAND V7.B16, V3.B16, V3.B16
	VORR V16.B16, V0.B16, V0.B16
	VORR V17.B16, V1.B16, V1.B16
	VORR V18.B16, V2.B16, V2.B16
	VORR V19.B16, V3.B16, V3.B16
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R7)
	SUB  $1, R3
	CBNZ R3, cut

bit:
	// The bits of leaf numbers, each in place of the first leaf that has it: how
	// often rows have passed a multiple of that leaf, modulo 2.
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	ADD  R9, R4, R10
	MOVD R10, R7

multiple:
	VLD1 (R10), [V4.D2, V5.D2, V6.D2, V7.D2]
	VEOR V4.B16, V0.B16, V0.B16
	VEOR V5.B16, V1.B16, V1.B16
	VEOR V6.B16, V2.B16, V2.B16
	VEOR V7.B16, V3.B16, V3.B16
	ADD  R9, R10
	CMP  R11, R10
	BLS  multiple
	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R7)
	LSL  $1, R9
	ADD  R9, R4, R10
	CMP  R11, R10
	BLS  bit

numbers:
	MOVD $0x0008000400020001, R5
	LSL  $4, R5, R6
	VMOV R5, V17.D[0]
	VMOV R6, V17.D[1]
	LDP  leavesArgs_leaves(R0), (R13, R12)

word:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	LSR  $1, R9, R7
	B    more

double:
	// number = 2·number + bit
	ADD R7, R4, R10
	LEAF_BITS(V0)
	LEAF_BITS(V1)
	LEAF_BITS(V2)
	LEAF_BITS(V3)
	LEAF_BITS(V4)
	LEAF_BITS(V5)
	LEAF_BITS(V6)
	LEAF_BITS(V7)
	LSR $1, R7

more:
	CMP    $64, R7
	BGE    double
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R13)
	VST1.P [V4.D2, V5.D2, V6.D2, V7.D2], 64(R13)
	ADD    $8, R4
	SUB    $1, R12
	CBNZ   R12, word
	RET

// ---------------------------------------------------------------------------
// AddSteps
//
// Half of the vectors of four classes go from the first class on, half up to the
// last; where they overlap both have the same sums.
//
//	R0  a                       R7  bytes a leaf            V0–V15   sums
//	R1  the row's leaf numbers  R8  the row's scores        V16–V23  steps
//	R2  stride of trees         R9  stride of rows          V24–V31  steps in float64
//	R3  first leaves            R10 rows left
//	R4  trees                   R11 the row's in the tree   R14 where a leaf begins
//	R5  steps                   R12 first leaf of the tree  R15 its later half
//	R6  offset of later half    R13 trees left              R16 later half of the scores

// R14, R15 = the steps of the row's leaf in the next tree, both halves
#define NEXT_LEAF \
	MOVHU   (R11), R14       \
	MOVWU.P 4(R12), R15      \
	ADD     R2, R11          \
	ADD     R15, R14         \
	MADD    R7, R5, R14, R14 \
	ADD     R6, R14, R15

// R11, R12, R13 = the row in the first tree
#define FIRST_TREE \
	MOVD R1, R11 \
	MOVD R3, R12 \
	MOVD R4, R13

// R6, R16: the later half begins the given number of classes before the last.
#define LATER_HALF(classes) \
	SUB $classes, R6   \
	LSL $2, R6         \
	ADD R6<<1, R8, R16

// begin generated: addSteps
// func addStepsNEON(a *addStepsArgs)
TEXT ·addStepsNEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LDP  addStepsArgs_leaves(R0), (R1, R2)
	LDP  addStepsArgs_firstLeaf(R0), (R3, R4)
	LDP  addStepsArgs_steps(R0), (R5, R7)
	LDP  addStepsArgs_scores(R0), (R8, R9)
	LDP  addStepsArgs_rows(R0), (R10, R6)
	CMP  $4, R6
	BLT  classes3
	CMP  $8, R6
	BLE  classes8
	CMP  $16, R6
	BLE  classes16
	CMP  $24, R6
	BLE  classes24

	LATER_HALF(16)

row32:
	// sums = scores, both halves
	FLDPQ (R8), (F0, F1)
	FLDPQ 32(R8), (F2, F3)
	FLDPQ 64(R8), (F4, F5)
	FLDPQ 96(R8), (F6, F7)
	FLDPQ (R16), (F8, F9)
	FLDPQ 32(R16), (F10, F11)
	FLDPQ 64(R16), (F12, F13)
	FLDPQ 96(R16), (F14, F15)
	FIRST_TREE

tree32:
	// sums += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	FLDPQ 32(R14), (F18, F19)
	FLDPQ (R15), (F20, F21)
	FLDPQ 32(R15), (F22, F23)
	WORD  $0x0e617a18         // fcvtl v24.2d, v16.2s
	WORD  $0x4e617a19         // fcvtl2 v25.2d, v16.4s
	WORD  $0x4e78d400         // fadd v0.2d, v0.2d, v24.2d
	WORD  $0x4e79d421         // fadd v1.2d, v1.2d, v25.2d
	WORD  $0x0e617a3a         // fcvtl v26.2d, v17.2s
	WORD  $0x4e617a3b         // fcvtl2 v27.2d, v17.4s
	WORD  $0x4e7ad442         // fadd v2.2d, v2.2d, v26.2d
	WORD  $0x4e7bd463         // fadd v3.2d, v3.2d, v27.2d
	WORD  $0x0e617a5c         // fcvtl v28.2d, v18.2s
	WORD  $0x4e617a5d         // fcvtl2 v29.2d, v18.4s
	WORD  $0x4e7cd484         // fadd v4.2d, v4.2d, v28.2d
	WORD  $0x4e7dd4a5         // fadd v5.2d, v5.2d, v29.2d
	WORD  $0x0e617a7e         // fcvtl v30.2d, v19.2s
	WORD  $0x4e617a7f         // fcvtl2 v31.2d, v19.4s
	WORD  $0x4e7ed4c6         // fadd v6.2d, v6.2d, v30.2d
	WORD  $0x4e7fd4e7         // fadd v7.2d, v7.2d, v31.2d
	WORD  $0x0e617a98         // fcvtl v24.2d, v20.2s
	WORD  $0x4e617a99         // fcvtl2 v25.2d, v20.4s
	WORD  $0x4e78d508         // fadd v8.2d, v8.2d, v24.2d
	WORD  $0x4e79d529         // fadd v9.2d, v9.2d, v25.2d
	WORD  $0x0e617aba         // fcvtl v26.2d, v21.2s
	WORD  $0x4e617abb         // fcvtl2 v27.2d, v21.4s
	WORD  $0x4e7ad54a         // fadd v10.2d, v10.2d, v26.2d
	WORD  $0x4e7bd56b         // fadd v11.2d, v11.2d, v27.2d
	WORD  $0x0e617adc         // fcvtl v28.2d, v22.2s
	WORD  $0x4e617add         // fcvtl2 v29.2d, v22.4s
	WORD  $0x4e7cd58c         // fadd v12.2d, v12.2d, v28.2d
	WORD  $0x4e7dd5ad         // fadd v13.2d, v13.2d, v29.2d
	WORD  $0x0e617afe         // fcvtl v30.2d, v23.2s
	WORD  $0x4e617aff         // fcvtl2 v31.2d, v23.4s
	WORD  $0x4e7ed5ce         // fadd v14.2d, v14.2d, v30.2d
	WORD  $0x4e7fd5ef         // fadd v15.2d, v15.2d, v31.2d
	SUB   $1, R13
	CBNZ  R13, tree32

	// scores = sums
	FSTPQ (F0, F1), (R8)
	FSTPQ (F2, F3), 32(R8)
	FSTPQ (F4, F5), 64(R8)
	FSTPQ (F6, F7), 96(R8)
	FSTPQ (F8, F9), (R16)
	FSTPQ (F10, F11), 32(R16)
	FSTPQ (F12, F13), 64(R16)
	FSTPQ (F14, F15), 96(R16)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row32
	RET

classes24:
	LATER_HALF(12)

row24:
	// sums = scores, both halves
	FLDPQ (R8), (F0, F1)
	FLDPQ 32(R8), (F2, F3)
	FLDPQ 64(R8), (F4, F5)
	FLDPQ (R16), (F6, F7)
	FLDPQ 32(R16), (F8, F9)
	FLDPQ 64(R16), (F10, F11)
	FIRST_TREE

tree24:
	// sums += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	FMOVQ 32(R14), F18
	FLDPQ (R15), (F19, F20)
	FMOVQ 32(R15), F21
	WORD  $0x0e617a18       // fcvtl v24.2d, v16.2s
	WORD  $0x4e617a19       // fcvtl2 v25.2d, v16.4s
	WORD  $0x4e78d400       // fadd v0.2d, v0.2d, v24.2d
	WORD  $0x4e79d421       // fadd v1.2d, v1.2d, v25.2d
	WORD  $0x0e617a3a       // fcvtl v26.2d, v17.2s
	WORD  $0x4e617a3b       // fcvtl2 v27.2d, v17.4s
	WORD  $0x4e7ad442       // fadd v2.2d, v2.2d, v26.2d
	WORD  $0x4e7bd463       // fadd v3.2d, v3.2d, v27.2d
	WORD  $0x0e617a5c       // fcvtl v28.2d, v18.2s
	WORD  $0x4e617a5d       // fcvtl2 v29.2d, v18.4s
	WORD  $0x4e7cd484       // fadd v4.2d, v4.2d, v28.2d
	WORD  $0x4e7dd4a5       // fadd v5.2d, v5.2d, v29.2d
	WORD  $0x0e617a7e       // fcvtl v30.2d, v19.2s
	WORD  $0x4e617a7f       // fcvtl2 v31.2d, v19.4s
	WORD  $0x4e7ed4c6       // fadd v6.2d, v6.2d, v30.2d
	WORD  $0x4e7fd4e7       // fadd v7.2d, v7.2d, v31.2d
	WORD  $0x0e617a98       // fcvtl v24.2d, v20.2s
	WORD  $0x4e617a99       // fcvtl2 v25.2d, v20.4s
	WORD  $0x4e78d508       // fadd v8.2d, v8.2d, v24.2d
	WORD  $0x4e79d529       // fadd v9.2d, v9.2d, v25.2d
	WORD  $0x0e617aba       // fcvtl v26.2d, v21.2s
	WORD  $0x4e617abb       // fcvtl2 v27.2d, v21.4s
	WORD  $0x4e7ad54a       // fadd v10.2d, v10.2d, v26.2d
	WORD  $0x4e7bd56b       // fadd v11.2d, v11.2d, v27.2d
	SUB   $1, R13
	CBNZ  R13, tree24

	// scores = sums
	FSTPQ (F0, F1), (R8)
	FSTPQ (F2, F3), 32(R8)
	FSTPQ (F4, F5), 64(R8)
	FSTPQ (F6, F7), (R16)
	FSTPQ (F8, F9), 32(R16)
	FSTPQ (F10, F11), 64(R16)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row24
	RET

classes16:
	LATER_HALF(8)

row16:
	// sums = scores, both halves
	FLDPQ (R8), (F0, F1)
	FLDPQ 32(R8), (F2, F3)
	FLDPQ (R16), (F4, F5)
	FLDPQ 32(R16), (F6, F7)
	FIRST_TREE

tree16:
	// sums += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	FLDPQ (R15), (F18, F19)
	WORD  $0x0e617a18       // fcvtl v24.2d, v16.2s
	WORD  $0x4e617a19       // fcvtl2 v25.2d, v16.4s
	WORD  $0x4e78d400       // fadd v0.2d, v0.2d, v24.2d
	WORD  $0x4e79d421       // fadd v1.2d, v1.2d, v25.2d
	WORD  $0x0e617a3a       // fcvtl v26.2d, v17.2s
	WORD  $0x4e617a3b       // fcvtl2 v27.2d, v17.4s
	WORD  $0x4e7ad442       // fadd v2.2d, v2.2d, v26.2d
	WORD  $0x4e7bd463       // fadd v3.2d, v3.2d, v27.2d
	WORD  $0x0e617a5c       // fcvtl v28.2d, v18.2s
	WORD  $0x4e617a5d       // fcvtl2 v29.2d, v18.4s
	WORD  $0x4e7cd484       // fadd v4.2d, v4.2d, v28.2d
	WORD  $0x4e7dd4a5       // fadd v5.2d, v5.2d, v29.2d
	WORD  $0x0e617a7e       // fcvtl v30.2d, v19.2s
	WORD  $0x4e617a7f       // fcvtl2 v31.2d, v19.4s
	WORD  $0x4e7ed4c6       // fadd v6.2d, v6.2d, v30.2d
	WORD  $0x4e7fd4e7       // fadd v7.2d, v7.2d, v31.2d
	SUB   $1, R13
	CBNZ  R13, tree16

	// scores = sums
	FSTPQ (F0, F1), (R8)
	FSTPQ (F2, F3), 32(R8)
	FSTPQ (F4, F5), (R16)
	FSTPQ (F6, F7), 32(R16)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row16
	RET

classes8:
	LATER_HALF(4)

row8:
	// sums = scores, both halves
	FLDPQ (R8), (F0, F1)
	FLDPQ (R16), (F2, F3)
	FIRST_TREE

tree8:
	// sums += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FMOVQ (R14), F16
	FMOVQ (R15), F17
	WORD  $0x0e617a18 // fcvtl v24.2d, v16.2s
	WORD  $0x4e617a19 // fcvtl2 v25.2d, v16.4s
	WORD  $0x4e78d400 // fadd v0.2d, v0.2d, v24.2d
	WORD  $0x4e79d421 // fadd v1.2d, v1.2d, v25.2d
	WORD  $0x0e617a3a // fcvtl v26.2d, v17.2s
	WORD  $0x4e617a3b // fcvtl2 v27.2d, v17.4s
	WORD  $0x4e7ad442 // fadd v2.2d, v2.2d, v26.2d
	WORD  $0x4e7bd463 // fadd v3.2d, v3.2d, v27.2d
	SUB   $1, R13
	CBNZ  R13, tree8

	// scores = sums
	FSTPQ (F0, F1), (R8)
	FSTPQ (F2, F3), (R16)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row8
	RET

classes3:
	LATER_HALF(2)

row3:
	// sums = scores, both halves
	FMOVQ (R8), F0
	FMOVQ (R16), F1
	FIRST_TREE

tree3:
	// sums += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FMOVD (R14), F16
	FMOVD (R15), F17
	WORD  $0x0e617a18 // fcvtl v24.2d, v16.2s
	WORD  $0x0e617a39 // fcvtl v25.2d, v17.2s
	WORD  $0x4e78d400 // fadd v0.2d, v0.2d, v24.2d
	WORD  $0x4e79d421 // fadd v1.2d, v1.2d, v25.2d
	SUB   $1, R13
	CBNZ  R13, tree3

	// scores = sums
	FMOVQ F0, (R8)
	FMOVQ F1, (R16)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row3
	RET

// end generated

// ---------------------------------------------------------------------------
// AddPairs

// func addPairsRows(a *addPairsArgs)
// Trees outside, rows inside: the sums of different rows do not wait for one
// another.
//
//	R0  a                           R7  bytes a leaf        R12  the row's in the tree
//	R1  leaf numbers of the tree    R8  scores              R13  rows left
//	R2  stride of trees             R9  stride of rows      R14  pair
//	R3  next first leaf             R10 rows                R15  pairs of the leaf's end
//	R4  trees left                  R11 scores of the row   R16  class
//	R5  steps                       R6  steps of the tree   F0   step, F1 score
TEXT ·addPairsRows(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LDP  addPairsArgs_leaves(R0), (R1, R2)
	LDP  addPairsArgs_firstLeaf(R0), (R3, R4)
	LDP  addPairsArgs_steps(R0), (R5, R7)
	LDP  addPairsArgs_scores(R0), (R8, R9)
	MOVD addPairsArgs_rows(R0), R10

tree:
	MOVWU.P 4(R3), R6
	MADD    R7, R5, R6, R6
	MOVD    R1, R12
	MOVD    R8, R11
	MOVD    R10, R13

row:
	MOVHU.P 2(R12), R14
	MADD    R7, R6, R14, R14
	ADD     R7, R14, R15

pair:
	// scores[r] += step; scores[s] −= step
	FMOVS  4(R14), F0
	FCVTSD F0, F0
	MOVHU  (R14), R16
	FMOVD  (R11)(R16<<3), F1
	FADDD  F0, F1, F1
	FMOVD  F1, (R11)(R16<<3)
	MOVHU  2(R14), R16
	FMOVD  (R11)(R16<<3), F1
	FSUBD  F0, F1, F1
	FMOVD  F1, (R11)(R16<<3)
	ADD    $8, R14
	CMP    R15, R14
	BLO    pair
	ADD    R9, R11
	SUB    $1, R13
	CBNZ   R13, row
	ADD    R2, R1
	SUB    $1, R4
	CBNZ   R4, tree
	RET

// ---------------------------------------------------------------------------
// AddShort: 16 bits a class, of 16, 32 or 64 classes at a time. The sums of the
// trees stay in registers, and widen once for all of them.
//
//	Registers as in AddSteps, but
//	R8 the row's sums, of 32 bits    V0 … V7 those of the trees    V16 … V23 steps

// begin generated: addShort
// func addShortNEON(a *addShortArgs)
TEXT ·addShortNEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LDP  addShortArgs_leaves(R0), (R1, R2)
	LDP  addShortArgs_firstLeaf(R0), (R3, R4)
	LDP  addShortArgs_steps(R0), (R5, R7)
	LDP  addShortArgs_sums(R0), (R8, R9)
	LDP  addShortArgs_rows(R0), (R10, R6)
	CMP  $32, R6
	BLT  classes16
	BEQ  classes32

row64:
	// the trees' sums = 0
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	FIRST_TREE

tree64:
	// += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	VADD  V16.H8, V0.H8, V0.H8
	VADD  V17.H8, V1.H8, V1.H8
	FLDPQ 32(R14), (F18, F19)
	VADD  V18.H8, V2.H8, V2.H8
	VADD  V19.H8, V3.H8, V3.H8
	FLDPQ 64(R14), (F20, F21)
	FLDPQ 96(R14), (F22, F23)
	VADD  V20.H8, V4.H8, V4.H8
	VADD  V21.H8, V5.H8, V5.H8
	VADD  V22.H8, V6.H8, V6.H8
	VADD  V23.H8, V7.H8, V7.H8
	SUB   $1, R13
	CBNZ  R13, tree64

	// the row's sums += the trees', 16 classes at a time
	FLDPQ (R8), (F24, F25)
	FLDPQ 32(R8), (F26, F27)
	WORD  $0x0e601318         // saddw v24.4s, v24.4s, v0.4h
	WORD  $0x4e601339         // saddw2 v25.4s, v25.4s, v0.8h
	WORD  $0x0e61135a         // saddw v26.4s, v26.4s, v1.4h
	WORD  $0x4e61137b         // saddw2 v27.4s, v27.4s, v1.8h
	FSTPQ (F24, F25), (R8)
	FSTPQ (F26, F27), 32(R8)
	FLDPQ 64(R8), (F24, F25)
	FLDPQ 96(R8), (F26, F27)
	WORD  $0x0e621318         // saddw v24.4s, v24.4s, v2.4h
	WORD  $0x4e621339         // saddw2 v25.4s, v25.4s, v2.8h
	WORD  $0x0e63135a         // saddw v26.4s, v26.4s, v3.4h
	WORD  $0x4e63137b         // saddw2 v27.4s, v27.4s, v3.8h
	FSTPQ (F24, F25), 64(R8)
	FSTPQ (F26, F27), 96(R8)
	FLDPQ 128(R8), (F24, F25)
	FLDPQ 160(R8), (F26, F27)
	WORD  $0x0e641318         // saddw v24.4s, v24.4s, v4.4h
	WORD  $0x4e641339         // saddw2 v25.4s, v25.4s, v4.8h
	WORD  $0x0e65135a         // saddw v26.4s, v26.4s, v5.4h
	WORD  $0x4e65137b         // saddw2 v27.4s, v27.4s, v5.8h
	FSTPQ (F24, F25), 128(R8)
	FSTPQ (F26, F27), 160(R8)
	FLDPQ 192(R8), (F24, F25)
	FLDPQ 224(R8), (F26, F27)
	WORD  $0x0e661318         // saddw v24.4s, v24.4s, v6.4h
	WORD  $0x4e661339         // saddw2 v25.4s, v25.4s, v6.8h
	WORD  $0x0e67135a         // saddw v26.4s, v26.4s, v7.4h
	WORD  $0x4e67137b         // saddw2 v27.4s, v27.4s, v7.8h
	FSTPQ (F24, F25), 192(R8)
	FSTPQ (F26, F27), 224(R8)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row64
	RET

classes32:
row32:
	// the trees' sums = 0
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	FIRST_TREE

tree32:
	// += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	VADD  V16.H8, V0.H8, V0.H8
	VADD  V17.H8, V1.H8, V1.H8
	FLDPQ 32(R14), (F18, F19)
	VADD  V18.H8, V2.H8, V2.H8
	VADD  V19.H8, V3.H8, V3.H8
	SUB   $1, R13
	CBNZ  R13, tree32

	// the row's sums += the trees', 16 classes at a time
	FLDPQ (R8), (F24, F25)
	FLDPQ 32(R8), (F26, F27)
	WORD  $0x0e601318        // saddw v24.4s, v24.4s, v0.4h
	WORD  $0x4e601339        // saddw2 v25.4s, v25.4s, v0.8h
	WORD  $0x0e61135a        // saddw v26.4s, v26.4s, v1.4h
	WORD  $0x4e61137b        // saddw2 v27.4s, v27.4s, v1.8h
	FSTPQ (F24, F25), (R8)
	FSTPQ (F26, F27), 32(R8)
	FLDPQ 64(R8), (F24, F25)
	FLDPQ 96(R8), (F26, F27)
	WORD  $0x0e621318        // saddw v24.4s, v24.4s, v2.4h
	WORD  $0x4e621339        // saddw2 v25.4s, v25.4s, v2.8h
	WORD  $0x0e63135a        // saddw v26.4s, v26.4s, v3.4h
	WORD  $0x4e63137b        // saddw2 v27.4s, v27.4s, v3.8h
	FSTPQ (F24, F25), 64(R8)
	FSTPQ (F26, F27), 96(R8)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row32
	RET

classes16:
row16:
	// the trees' sums = 0
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	FIRST_TREE

tree16:
	// += the steps of the row's leaf in the next tree
	NEXT_LEAF
	FLDPQ (R14), (F16, F17)
	VADD  V16.H8, V0.H8, V0.H8
	VADD  V17.H8, V1.H8, V1.H8
	SUB   $1, R13
	CBNZ  R13, tree16

	// the row's sums += the trees', 16 classes at a time
	FLDPQ (R8), (F24, F25)
	FLDPQ 32(R8), (F26, F27)
	WORD  $0x0e601318        // saddw v24.4s, v24.4s, v0.4h
	WORD  $0x4e601339        // saddw2 v25.4s, v25.4s, v0.8h
	WORD  $0x0e61135a        // saddw v26.4s, v26.4s, v1.4h
	WORD  $0x4e61137b        // saddw2 v27.4s, v27.4s, v1.8h
	FSTPQ (F24, F25), (R8)
	FSTPQ (F26, F27), 32(R8)
	ADD   $2, R1
	ADD   R9, R8
	ADD   R9, R16
	SUB   $1, R10
	CBNZ  R10, row16
	RET

// end generated

// ---------------------------------------------------------------------------
// Scores

// func scoresRows(a *scoresArgs)
// The last four classes of a row overlap those before.
//
//	R0  a, then first scores   R4  classes less the last four    R8   sums of four classes
//	R1  sums of the row        R5  class                         R9   their scores, R10 first scores
//	R2  bytes of it            R6  rows left                     V0   sums
//	R3  scores of the row      R7  bytes of it                   V16  unit, V17 temperature
TEXT ·scoresRows(SB), NOSPLIT, $0-8
	MOVD  a+0(FP), R0
	LDP   scoresArgs_sums(R0), (R1, R2)
	FMOVD scoresArgs_unit(R0), F16
	MOVD  scoresArgs_scores(R0), R3
	LDP   scoresArgs_classes(R0), (R5, R6)
	VDUP  V16.D[0], V16.D2
	FMOVD scoresArgs_temperature(R0), F17
	VDUP  V17.D[0], V17.D2
	MOVD  scoresArgs_first(R0), R0
	SUB   $4, R5, R4
	LSL   $3, R5, R7

row:
	MOVD $0, R5
	JMP  first

four:
	ADD   R5<<2, R1, R8
	ADD   R5<<3, R3, R9
	ADD   R5<<3, R0, R10
	FMOVQ (R8), F0
	FLDPQ (R10), (F3, F4)
	WORD  $0x0f20a401     // sxtl v1.2d, v0.2s
	WORD  $0x4f20a402     // sxtl2 v2.2d, v0.4s
	WORD  $0x4e61d821     // scvtf v1.2d, v1.2d
	WORD  $0x4e61d842     // scvtf v2.2d, v2.2d
	WORD  $0x6e70dc21     // fmul v1.2d, v1.2d, v16.2d
	WORD  $0x6e70dc42     // fmul v2.2d, v2.2d, v16.2d
	WORD  $0x4e63d421     // fadd v1.2d, v1.2d, v3.2d
	WORD  $0x4e64d442     // fadd v2.2d, v2.2d, v4.2d
	WORD  $0x6e71fc21     // fdiv v1.2d, v1.2d, v17.2d
	WORD  $0x6e71fc42     // fdiv v2.2d, v2.2d, v17.2d
	FSTPQ (F1, F2), (R9)
	CMP   R4, R5
	BEQ   next
	ADD   $4, R5

first:
	CMP  R4, R5
	BLT  four
	MOVD R4, R5
	JMP  four

next:
	ADD  R2, R1
	ADD  R7, R3
	SUB  $1, R6
	CBNZ R6, row
	RET

// ---------------------------------------------------------------------------
// Linear: four rows and 8 or 12 lanes at a time. The sums stay in registers
// during the loop over the terms, and weights widen once for the four rows. Where fewer
// than four rows are left, the last stands for those past it too.
//
//	R0  a                         R5  bias                   R12  weights of the term
//	R1  places of the rows        R6–R9  scores of the       R13  terms left
//	R2  terms                     four rows                  V0–V23   sums, six for each row
//	R3  weights of the first      R10 bytes of a row of      V24–V29  weights
//	R4  bytes of a term's         them, R11 rows left        V30, V31 places, then the shift

// V24 to V27, or V29 = weights
#define LINEAR_WIDEN_8(at) \
	FLDPQ (at), (F24, F26) \
	WORD  $0x4e617b19      \ // fcvtl2 v25.2d, v24.4s
	WORD  $0x0e617b18      \ // fcvtl v24.2d, v24.2s
	WORD  $0x4e617b5b      \ // fcvtl2 v27.2d, v26.4s
	WORD  $0x0e617b5a      // fcvtl v26.2d, v26.2s

#define LINEAR_WIDEN_12(at) \
	LINEAR_WIDEN_8(at) \
	FMOVQ 32(at), F28  \
	WORD  $0x4e617b9d  \ // fcvtl2 v29.2d, v28.4s
	WORD  $0x0e617b9c // fcvtl v28.2d, v28.2s

// LINEAR_NEXT_ROWS sets R7 to R9 to the scores of the three rows after R6, as far as
// there are rows.
#define LINEAR_NEXT_ROWS \
	ADD  R10, R6, R7    \
	CMP  $2, R11        \
	CSEL GE, R7, R6, R7 \
	ADD  R10, R7, R8    \
	CMP  $3, R11        \
	CSEL GE, R8, R7, R8 \
	ADD  R10, R8, R9    \
	CMP  $4, R11        \
	CSEL GE, R9, R8, R9

// begin generated: linear
// func linearNEON(a *linearArgs)
TEXT ·linearNEON(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	ADD  $linearArgs_quads, R0, R1
	LDP  linearArgs_terms(R0), (R2, R3)
	LDP  linearArgs_stride(R0), (R4, R5)
	LDP  linearArgs_scores(R0), (R6, R11)
	MOVD linearArgs_lanes(R0), R14
	LSL  $1, R4, R10
	CMP  $8, R14
	BEQ  lanes8

rows12:
	LINEAR_NEXT_ROWS
	CBZ R5, more12

	// sums = bias, for the first terms
	LINEAR_WIDEN_12(R5)
	VMOV V24.B16, V0.B16
	VMOV V25.B16, V1.B16
	VMOV V26.B16, V2.B16
	VMOV V27.B16, V3.B16
	VMOV V24.B16, V6.B16
	VMOV V25.B16, V7.B16
	VMOV V26.B16, V8.B16
	VMOV V27.B16, V9.B16
	VMOV V24.B16, V12.B16
	VMOV V25.B16, V13.B16
	VMOV V26.B16, V14.B16
	VMOV V27.B16, V15.B16
	VMOV V24.B16, V18.B16
	VMOV V25.B16, V19.B16
	VMOV V26.B16, V20.B16
	VMOV V27.B16, V21.B16
	VMOV V28.B16, V4.B16
	VMOV V29.B16, V5.B16
	VMOV V28.B16, V10.B16
	VMOV V29.B16, V11.B16
	VMOV V28.B16, V16.B16
	VMOV V29.B16, V17.B16
	VMOV V28.B16, V22.B16
	VMOV V29.B16, V23.B16
	B    terms12

more12:
	// sums = scores, which have the terms before these
	FLDPQ (R6), (F0, F1)
	FLDPQ 32(R6), (F2, F3)
	FLDPQ (R7), (F6, F7)
	FLDPQ 32(R7), (F8, F9)
	FLDPQ (R8), (F12, F13)
	FLDPQ 32(R8), (F14, F15)
	FLDPQ (R9), (F18, F19)
	FLDPQ 32(R9), (F20, F21)
	FLDPQ 64(R6), (F4, F5)
	FLDPQ 64(R7), (F10, F11)
	FLDPQ 64(R8), (F16, F17)
	FLDPQ 64(R9), (F22, F23)

terms12:
	MOVD R3, R12
	MOVD R2, R13

term12:
	// sums += places * weights
	LINEAR_WIDEN_12(R12)
	FLDPQ.P 32(R1), (F30, F31)
	WORD    $0x4fde1300        // fmla v0.2d, v24.2d, v30.d[0]
	WORD    $0x4fde1321        // fmla v1.2d, v25.2d, v30.d[0]
	WORD    $0x4fde1342        // fmla v2.2d, v26.2d, v30.d[0]
	WORD    $0x4fde1363        // fmla v3.2d, v27.2d, v30.d[0]
	WORD    $0x4fde1b06        // fmla v6.2d, v24.2d, v30.d[1]
	WORD    $0x4fde1b27        // fmla v7.2d, v25.2d, v30.d[1]
	WORD    $0x4fde1b48        // fmla v8.2d, v26.2d, v30.d[1]
	WORD    $0x4fde1b69        // fmla v9.2d, v27.2d, v30.d[1]
	WORD    $0x4fdf130c        // fmla v12.2d, v24.2d, v31.d[0]
	WORD    $0x4fdf132d        // fmla v13.2d, v25.2d, v31.d[0]
	WORD    $0x4fdf134e        // fmla v14.2d, v26.2d, v31.d[0]
	WORD    $0x4fdf136f        // fmla v15.2d, v27.2d, v31.d[0]
	WORD    $0x4fdf1b12        // fmla v18.2d, v24.2d, v31.d[1]
	WORD    $0x4fdf1b33        // fmla v19.2d, v25.2d, v31.d[1]
	WORD    $0x4fdf1b54        // fmla v20.2d, v26.2d, v31.d[1]
	WORD    $0x4fdf1b75        // fmla v21.2d, v27.2d, v31.d[1]
	WORD    $0x4fde1384        // fmla v4.2d, v28.2d, v30.d[0]
	WORD    $0x4fde13a5        // fmla v5.2d, v29.2d, v30.d[0]
	WORD    $0x4fde1b8a        // fmla v10.2d, v28.2d, v30.d[1]
	WORD    $0x4fde1bab        // fmla v11.2d, v29.2d, v30.d[1]
	WORD    $0x4fdf1390        // fmla v16.2d, v28.2d, v31.d[0]
	WORD    $0x4fdf13b1        // fmla v17.2d, v29.2d, v31.d[0]
	WORD    $0x4fdf1b96        // fmla v22.2d, v28.2d, v31.d[1]
	WORD    $0x4fdf1bb7        // fmla v23.2d, v29.2d, v31.d[1]
	ADD     R4, R12
	SUB     $1, R13
	CBNZ    R13, term12

	// scores = sums + shift - shift
	FMOVD linearArgs_shift(R0), F30
	VDUP  V30.D[0], V30.D2
	WORD  $0x4e7ed400               // fadd v0.2d, v0.2d, v30.2d
	WORD  $0x4e7ed421               // fadd v1.2d, v1.2d, v30.2d
	WORD  $0x4e7ed442               // fadd v2.2d, v2.2d, v30.2d
	WORD  $0x4e7ed463               // fadd v3.2d, v3.2d, v30.2d
	WORD  $0x4e7ed4c6               // fadd v6.2d, v6.2d, v30.2d
	WORD  $0x4e7ed4e7               // fadd v7.2d, v7.2d, v30.2d
	WORD  $0x4e7ed508               // fadd v8.2d, v8.2d, v30.2d
	WORD  $0x4e7ed529               // fadd v9.2d, v9.2d, v30.2d
	WORD  $0x4e7ed58c               // fadd v12.2d, v12.2d, v30.2d
	WORD  $0x4e7ed5ad               // fadd v13.2d, v13.2d, v30.2d
	WORD  $0x4e7ed5ce               // fadd v14.2d, v14.2d, v30.2d
	WORD  $0x4e7ed5ef               // fadd v15.2d, v15.2d, v30.2d
	WORD  $0x4e7ed652               // fadd v18.2d, v18.2d, v30.2d
	WORD  $0x4e7ed673               // fadd v19.2d, v19.2d, v30.2d
	WORD  $0x4e7ed694               // fadd v20.2d, v20.2d, v30.2d
	WORD  $0x4e7ed6b5               // fadd v21.2d, v21.2d, v30.2d
	WORD  $0x4efed400               // fsub v0.2d, v0.2d, v30.2d
	WORD  $0x4efed421               // fsub v1.2d, v1.2d, v30.2d
	WORD  $0x4efed442               // fsub v2.2d, v2.2d, v30.2d
	WORD  $0x4efed463               // fsub v3.2d, v3.2d, v30.2d
	WORD  $0x4efed4c6               // fsub v6.2d, v6.2d, v30.2d
	WORD  $0x4efed4e7               // fsub v7.2d, v7.2d, v30.2d
	WORD  $0x4efed508               // fsub v8.2d, v8.2d, v30.2d
	WORD  $0x4efed529               // fsub v9.2d, v9.2d, v30.2d
	WORD  $0x4efed58c               // fsub v12.2d, v12.2d, v30.2d
	WORD  $0x4efed5ad               // fsub v13.2d, v13.2d, v30.2d
	WORD  $0x4efed5ce               // fsub v14.2d, v14.2d, v30.2d
	WORD  $0x4efed5ef               // fsub v15.2d, v15.2d, v30.2d
	WORD  $0x4efed652               // fsub v18.2d, v18.2d, v30.2d
	WORD  $0x4efed673               // fsub v19.2d, v19.2d, v30.2d
	WORD  $0x4efed694               // fsub v20.2d, v20.2d, v30.2d
	WORD  $0x4efed6b5               // fsub v21.2d, v21.2d, v30.2d
	FSTPQ (F0, F1), (R6)
	FSTPQ (F2, F3), 32(R6)
	FSTPQ (F6, F7), (R7)
	FSTPQ (F8, F9), 32(R7)
	FSTPQ (F12, F13), (R8)
	FSTPQ (F14, F15), 32(R8)
	FSTPQ (F18, F19), (R9)
	FSTPQ (F20, F21), 32(R9)
	WORD  $0x4e7ed484               // fadd v4.2d, v4.2d, v30.2d
	WORD  $0x4e7ed4a5               // fadd v5.2d, v5.2d, v30.2d
	WORD  $0x4e7ed54a               // fadd v10.2d, v10.2d, v30.2d
	WORD  $0x4e7ed56b               // fadd v11.2d, v11.2d, v30.2d
	WORD  $0x4e7ed610               // fadd v16.2d, v16.2d, v30.2d
	WORD  $0x4e7ed631               // fadd v17.2d, v17.2d, v30.2d
	WORD  $0x4e7ed6d6               // fadd v22.2d, v22.2d, v30.2d
	WORD  $0x4e7ed6f7               // fadd v23.2d, v23.2d, v30.2d
	WORD  $0x4efed484               // fsub v4.2d, v4.2d, v30.2d
	WORD  $0x4efed4a5               // fsub v5.2d, v5.2d, v30.2d
	WORD  $0x4efed54a               // fsub v10.2d, v10.2d, v30.2d
	WORD  $0x4efed56b               // fsub v11.2d, v11.2d, v30.2d
	WORD  $0x4efed610               // fsub v16.2d, v16.2d, v30.2d
	WORD  $0x4efed631               // fsub v17.2d, v17.2d, v30.2d
	WORD  $0x4efed6d6               // fsub v22.2d, v22.2d, v30.2d
	WORD  $0x4efed6f7               // fsub v23.2d, v23.2d, v30.2d
	FSTPQ (F4, F5), 64(R6)
	FSTPQ (F10, F11), 64(R7)
	FSTPQ (F16, F17), 64(R8)
	FSTPQ (F22, F23), 64(R9)
	ADD   R10, R9, R6
	SUBS  $4, R11
	BGT   rows12
	RET

lanes8:
rows8:
	LINEAR_NEXT_ROWS
	CBZ R5, more8

	// sums = bias, for the first terms
	LINEAR_WIDEN_8(R5)
	VMOV V24.B16, V0.B16
	VMOV V25.B16, V1.B16
	VMOV V26.B16, V2.B16
	VMOV V27.B16, V3.B16
	VMOV V24.B16, V6.B16
	VMOV V25.B16, V7.B16
	VMOV V26.B16, V8.B16
	VMOV V27.B16, V9.B16
	VMOV V24.B16, V12.B16
	VMOV V25.B16, V13.B16
	VMOV V26.B16, V14.B16
	VMOV V27.B16, V15.B16
	VMOV V24.B16, V18.B16
	VMOV V25.B16, V19.B16
	VMOV V26.B16, V20.B16
	VMOV V27.B16, V21.B16
	B    terms8

more8:
	// sums = scores, which have the terms before these
	FLDPQ (R6), (F0, F1)
	FLDPQ 32(R6), (F2, F3)
	FLDPQ (R7), (F6, F7)
	FLDPQ 32(R7), (F8, F9)
	FLDPQ (R8), (F12, F13)
	FLDPQ 32(R8), (F14, F15)
	FLDPQ (R9), (F18, F19)
	FLDPQ 32(R9), (F20, F21)

terms8:
	MOVD R3, R12
	MOVD R2, R13

term8:
	// sums += places * weights
	LINEAR_WIDEN_8(R12)
	FLDPQ.P 32(R1), (F30, F31)
	WORD    $0x4fde1300        // fmla v0.2d, v24.2d, v30.d[0]
	WORD    $0x4fde1321        // fmla v1.2d, v25.2d, v30.d[0]
	WORD    $0x4fde1342        // fmla v2.2d, v26.2d, v30.d[0]
	WORD    $0x4fde1363        // fmla v3.2d, v27.2d, v30.d[0]
	WORD    $0x4fde1b06        // fmla v6.2d, v24.2d, v30.d[1]
	WORD    $0x4fde1b27        // fmla v7.2d, v25.2d, v30.d[1]
	WORD    $0x4fde1b48        // fmla v8.2d, v26.2d, v30.d[1]
	WORD    $0x4fde1b69        // fmla v9.2d, v27.2d, v30.d[1]
	WORD    $0x4fdf130c        // fmla v12.2d, v24.2d, v31.d[0]
	WORD    $0x4fdf132d        // fmla v13.2d, v25.2d, v31.d[0]
	WORD    $0x4fdf134e        // fmla v14.2d, v26.2d, v31.d[0]
	WORD    $0x4fdf136f        // fmla v15.2d, v27.2d, v31.d[0]
	WORD    $0x4fdf1b12        // fmla v18.2d, v24.2d, v31.d[1]
	WORD    $0x4fdf1b33        // fmla v19.2d, v25.2d, v31.d[1]
	WORD    $0x4fdf1b54        // fmla v20.2d, v26.2d, v31.d[1]
	WORD    $0x4fdf1b75        // fmla v21.2d, v27.2d, v31.d[1]
	ADD     R4, R12
	SUB     $1, R13
	CBNZ    R13, term8

	// scores = sums + shift - shift
	FMOVD linearArgs_shift(R0), F30
	VDUP  V30.D[0], V30.D2
	WORD  $0x4e7ed400               // fadd v0.2d, v0.2d, v30.2d
	WORD  $0x4e7ed421               // fadd v1.2d, v1.2d, v30.2d
	WORD  $0x4e7ed442               // fadd v2.2d, v2.2d, v30.2d
	WORD  $0x4e7ed463               // fadd v3.2d, v3.2d, v30.2d
	WORD  $0x4e7ed4c6               // fadd v6.2d, v6.2d, v30.2d
	WORD  $0x4e7ed4e7               // fadd v7.2d, v7.2d, v30.2d
	WORD  $0x4e7ed508               // fadd v8.2d, v8.2d, v30.2d
	WORD  $0x4e7ed529               // fadd v9.2d, v9.2d, v30.2d
	WORD  $0x4e7ed58c               // fadd v12.2d, v12.2d, v30.2d
	WORD  $0x4e7ed5ad               // fadd v13.2d, v13.2d, v30.2d
	WORD  $0x4e7ed5ce               // fadd v14.2d, v14.2d, v30.2d
	WORD  $0x4e7ed5ef               // fadd v15.2d, v15.2d, v30.2d
	WORD  $0x4e7ed652               // fadd v18.2d, v18.2d, v30.2d
	WORD  $0x4e7ed673               // fadd v19.2d, v19.2d, v30.2d
	WORD  $0x4e7ed694               // fadd v20.2d, v20.2d, v30.2d
	WORD  $0x4e7ed6b5               // fadd v21.2d, v21.2d, v30.2d
	WORD  $0x4efed400               // fsub v0.2d, v0.2d, v30.2d
	WORD  $0x4efed421               // fsub v1.2d, v1.2d, v30.2d
	WORD  $0x4efed442               // fsub v2.2d, v2.2d, v30.2d
	WORD  $0x4efed463               // fsub v3.2d, v3.2d, v30.2d
	WORD  $0x4efed4c6               // fsub v6.2d, v6.2d, v30.2d
	WORD  $0x4efed4e7               // fsub v7.2d, v7.2d, v30.2d
	WORD  $0x4efed508               // fsub v8.2d, v8.2d, v30.2d
	WORD  $0x4efed529               // fsub v9.2d, v9.2d, v30.2d
	WORD  $0x4efed58c               // fsub v12.2d, v12.2d, v30.2d
	WORD  $0x4efed5ad               // fsub v13.2d, v13.2d, v30.2d
	WORD  $0x4efed5ce               // fsub v14.2d, v14.2d, v30.2d
	WORD  $0x4efed5ef               // fsub v15.2d, v15.2d, v30.2d
	WORD  $0x4efed652               // fsub v18.2d, v18.2d, v30.2d
	WORD  $0x4efed673               // fsub v19.2d, v19.2d, v30.2d
	WORD  $0x4efed694               // fsub v20.2d, v20.2d, v30.2d
	WORD  $0x4efed6b5               // fsub v21.2d, v21.2d, v30.2d
	FSTPQ (F0, F1), (R6)
	FSTPQ (F2, F3), 32(R6)
	FSTPQ (F6, F7), (R7)
	FSTPQ (F8, F9), 32(R7)
	FSTPQ (F12, F13), (R8)
	FSTPQ (F14, F15), 32(R8)
	FSTPQ (F18, F19), (R9)
	FSTPQ (F20, F21), 32(R9)
	ADD   R10, R9, R6
	SUBS  $4, R11
	BGT   rows8
	RET

// end generated

// ---------------------------------------------------------------------------
// Softmax: subtract the greatest score of each row, take e to the differences,
// divide by their sum.
//
//	R0  a                R4  vectors before the row's    V0      maxima, sums
//	R1  row              last one or two classes         V1      the last two, read
//	R2  rows left        R5  next scores, R6  left       before others are written
//	R3  bytes of a row   R7  the row's last two          V2      scores, 1/sum

#define SOFTMAX_ROWS \
	MOVD a+0(FP), R0                      \
	LDP  softmaxArgs_scores(R0), (R1, R2) \
	MOVD softmaxArgs_classes(R0), R3      \
	SUB  $1, R3, R4                       \
	LSR  $1, R4                           \
	LSL  $3, R3

// func softmaxDivide(scores *float64, n int, by float64)
TEXT ·softmaxDivide(SB), NOSPLIT, $0-24
	MOVD  scores+0(FP), R1
	MOVD  n+8(FP), R2
	FMOVD by+16(FP), F4
	VDUP  V4.D[0], V4.D2

divide:
	// two scores, or the last by itself
	CMP     $2, R2
	BLT     last
	FMOVQ   (R1), F2
	WORD    $0x6e64fc42 // fdiv v2.2d, v2.2d, v4.2d
	FMOVQ.P F2, 16(R1)
	SUB     $2, R2
	B       divide

last:
	CBZ   R2, done
	FMOVD (R1), F2
	FDIVD F4, F2, F2
	FMOVD F2, (R1)

done:
	RET

// func softmaxTops(a *softmaxArgs)
//
// From every row its greatest score is subtracted.
TEXT ·softmaxTops(SB), NOSPLIT, $0-8
	SOFTMAX_ROWS

row:
	ADD   R3, R1, R7
	SUB   $16, R7
	FMOVQ (R7), F1
	VMOV  V1.B16, V0.B16
	MOVD  R1, R5
	MOVD  R4, R6
	CBZ   R6, fold

top:
	FMOVQ.P 16(R5), F2
	WORD    $0x4e62f400 // fmax v0.2d, v0.2d, v2.2d
	SUB     $1, R6
	CBNZ    R6, top

fold:
	WORD $0x7e70f800    // fmaxp d0, v0.2d
	VDUP V0.D[0], V0.D2
	WORD $0x4ee0d421    // fsub v1.2d, v1.2d, v0.2d
	MOVD R1, R5
	MOVD R4, R6
	CBZ  R6, last

less:
	FMOVQ   (R5), F2
	WORD    $0x4ee0d442 // fsub v2.2d, v2.2d, v0.2d
	FMOVQ.P F2, 16(R5)
	SUB     $1, R6
	CBNZ    R6, less

last:
	FMOVQ F1, (R7)
	ADD   R3, R1
	SUB   $1, R2
	CBNZ  R2, row
	RET

// func softmaxSums(a *softmaxArgs)
//
// Every row is divided by its sum.
//
//	R8  eights before the row's last 1 … 8 classes, R9    V0–V3    8 lanes of sums
//	V7  1                                                 V16–V19  e to scores
TEXT ·softmaxSums(SB), NOSPLIT, $0-8
	SOFTMAX_ROWS
	LSR   $2, R4, R8
	LSR   $3, R3, R9
	SUB   R8<<3, R9
	FMOVD $1.0, F7

row:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD R1, R5
	MOVD R8, R6
	CBZ  R6, rest

eight:
	FLDPQ.P 32(R5), (F16, F17)
	FLDPQ.P 32(R5), (F18, F19)
	WORD    $0x4e70d400        // fadd v0.2d, v0.2d, v16.2d
	WORD    $0x4e71d421        // fadd v1.2d, v1.2d, v17.2d
	WORD    $0x4e72d442        // fadd v2.2d, v2.2d, v18.2d
	WORD    $0x4e73d463        // fadd v3.2d, v3.2d, v19.2d
	SUB     $1, R6
	CBNZ    R6, eight

rest:
	// two by two, and the last by itself: F16 clears the other lane
	MOVD    R9, R6
	CMP     $1, R6
	BEQ     odd0
	FMOVQ.P 16(R5), F16
	WORD    $0x4e70d400 // fadd v0.2d, v0.2d, v16.2d
	SUB     $2, R6
	CBZ     R6, summed
	CMP     $1, R6
	BEQ     odd1
	FMOVQ.P 16(R5), F16
	WORD    $0x4e70d421 // fadd v1.2d, v1.2d, v16.2d
	SUB     $2, R6
	CBZ     R6, summed
	CMP     $1, R6
	BEQ     odd2
	FMOVQ.P 16(R5), F16
	WORD    $0x4e70d442 // fadd v2.2d, v2.2d, v16.2d
	SUB     $2, R6
	CBZ     R6, summed
	CMP     $1, R6
	BEQ     odd3
	FMOVQ   (R5), F16
	B       add3

odd0:
	FMOVD (R5), F16
	WORD  $0x4e70d400 // fadd v0.2d, v0.2d, v16.2d
	B     summed

odd1:
	FMOVD (R5), F16
	WORD  $0x4e70d421 // fadd v1.2d, v1.2d, v16.2d
	B     summed

odd2:
	FMOVD (R5), F16
	WORD  $0x4e70d442 // fadd v2.2d, v2.2d, v16.2d
	B     summed

odd3:
	FMOVD (R5), F16

add3:
	WORD $0x4e70d463 // fadd v3.2d, v3.2d, v16.2d

summed:
	// V2 = 1/sum, or math.NaN where that is none: the first factor's is the product
	WORD  $0x4e62d400             // fadd v0.2d, v0.2d, v2.2d
	WORD  $0x4e63d421             // fadd v1.2d, v1.2d, v3.2d
	WORD  $0x4e61d400             // fadd v0.2d, v0.2d, v1.2d
	WORD  $0x7e70d800             // faddp d0, v0.2d
	FDIVD F0, F7, F2
	FCMPD F0, F0
	BVC   number
	MOVD  $0x7ff8000000000001, R6
	FMOVD R6, F2

number:
	VDUP  V2.D[0], V2.D2
	ADD   R3, R1, R7
	SUB   $16, R7
	FMOVQ (R7), F1
	WORD  $0x6e61dc41    // fmul v1.2d, v2.2d, v1.2d
	MOVD  R1, R5
	MOVD  R4, R6
	CBZ   R6, last

scale:
	FMOVQ   (R5), F0
	WORD    $0x6e60dc40 // fmul v0.2d, v2.2d, v0.2d
	FMOVQ.P F0, 16(R5)
	SUB     $1, R6
	CBNZ    R6, scale

last:
	FMOVQ F1, (R7)
	ADD   R3, R1
	SUB   $1, R2
	CBNZ  R2, row
	RET

// V5 = e to V5, or 0 below SoftmaxLeast. V0–V4, V6 are lost.
//
//	V0  k in its lowest bits, 2ᵏ    V2  r²       V4  odd terms    V6  what is 0
//	V1  k                           V3  even terms, then all      V14–V31  expLanes
#define EXP_2 \
	WORD $0x6ee5e666          \ // fcmgt v6.2d, v19.2d, v5.2d
	WORD $0x6e6edca0          \ // fmul v0.2d, v5.2d, v14.2d
	WORD $0x4e6fd400          \ // fadd v0.2d, v0.2d, v15.2d
	WORD $0x4eefd401          \ // fsub v1.2d, v0.2d, v15.2d
	WORD $0x6e70dc22          \ // fmul v2.2d, v1.2d, v16.2d
	WORD $0x4ee2d4a5          \ // fsub v5.2d, v5.2d, v2.2d
	WORD $0x6e71dc22          \ // fmul v2.2d, v1.2d, v17.2d
	WORD $0x4ee2d4a5          \ // fsub v5.2d, v5.2d, v2.2d
	WORD $0x6e65dca2          \ // fmul v2.2d, v5.2d, v5.2d
	WORD $0x6e7edc43          \ // fmul v3.2d, v2.2d, v30.2d
	WORD $0x6e7fdc44          \ // fmul v4.2d, v2.2d, v31.2d
	WORD $0x4e7cd463          \ // fadd v3.2d, v3.2d, v28.2d
	WORD $0x4e7dd484          \ // fadd v4.2d, v4.2d, v29.2d
	WORD $0x6e62dc63          \ // fmul v3.2d, v3.2d, v2.2d
	WORD $0x6e62dc84          \ // fmul v4.2d, v4.2d, v2.2d
	WORD $0x4e7ad463          \ // fadd v3.2d, v3.2d, v26.2d
	WORD $0x4e7bd484          \ // fadd v4.2d, v4.2d, v27.2d
	WORD $0x6e62dc63          \ // fmul v3.2d, v3.2d, v2.2d
	WORD $0x6e62dc84          \ // fmul v4.2d, v4.2d, v2.2d
	WORD $0x4e78d463          \ // fadd v3.2d, v3.2d, v24.2d
	WORD $0x4e79d484          \ // fadd v4.2d, v4.2d, v25.2d
	WORD $0x6e62dc63          \ // fmul v3.2d, v3.2d, v2.2d
	WORD $0x6e62dc84          \ // fmul v4.2d, v4.2d, v2.2d
	WORD $0x4e76d463          \ // fadd v3.2d, v3.2d, v22.2d
	WORD $0x4e77d484          \ // fadd v4.2d, v4.2d, v23.2d
	WORD $0x6e62dc63          \ // fmul v3.2d, v3.2d, v2.2d
	WORD $0x6e62dc84          \ // fmul v4.2d, v4.2d, v2.2d
	WORD $0x4e74d463          \ // fadd v3.2d, v3.2d, v20.2d
	WORD $0x4e75d484          \ // fadd v4.2d, v4.2d, v21.2d
	WORD $0x6e65dc84          \ // fmul v4.2d, v4.2d, v5.2d
	WORD $0x4e64d463          \ // fadd v3.2d, v3.2d, v4.2d
	WORD $0x6e62dc63          \ // fmul v3.2d, v3.2d, v2.2d
	WORD $0x4e63d4a5          \ // fadd v5.2d, v5.2d, v3.2d
	WORD $0x4e72d4a5          \ // fadd v5.2d, v5.2d, v18.2d
	VSHL $52, V0.D2, V0.D2    \
	VADD V18.D2, V0.D2, V0.D2 \
	WORD $0x6e60dca5          \ // fmul v5.2d, v5.2d, v0.2d
	WORD $0x4e661ca5          // bic v5.16b, v5.16b, v6.16b

// func softmaxExpNEON(x *float64, n int)
TEXT ·softmaxExpNEON(SB), NOSPLIT, $0-16
	LDP   x+0(FP), (R1, R2)
	MOVD  $·expLanes(SB), R3
	FMOVQ (R3), F14
	FMOVQ 32(R3), F15
	FMOVQ 64(R3), F16
	FMOVQ 96(R3), F17
	FMOVQ 128(R3), F18
	FMOVQ 160(R3), F19
	FMOVQ 192(R3), F20
	FMOVQ 224(R3), F21
	FMOVQ 256(R3), F22
	FMOVQ 288(R3), F23
	FMOVQ 320(R3), F24
	FMOVQ 352(R3), F25
	FMOVQ 384(R3), F26
	FMOVQ 416(R3), F27
	FMOVQ 448(R3), F28
	FMOVQ 480(R3), F29
	FMOVQ 512(R3), F30
	FMOVQ 544(R3), F31

two:
	CMP     $2, R2
	BLT     one
	FMOVQ   (R1), F5
	EXP_2
	FMOVQ.P F5, 16(R1)
	SUB     $2, R2
	B       two

one:
	CBZ   R2, done
	FMOVD (R1), F5
	EXP_2
	FMOVD F5, (R1)

done:
	RET

// ---------------------------------------------------------------------------
// Walk

// func walkTrees(a *walkArgs)
// WalkLanes walks at a time, step by step side by side.
//
//	R0  a           R4  next depth    R6      steps left
//	R1  branches    R5  depths left   R7–R14  the nodes of the walks
//	R2  keys        R15 leaves        R16, R17, R19, R20 of one node
//	R3  next walk

#define WALK_BEGIN(at) \
	MOVWU.P 8(R3), at

	// at = right − (the row's key in slot is below the node's)
#define WALK_STEP(at) \
	ADD  at<<4, R1, R16     \
	MOVD (R16), R20         \
	LDPW 8(R16), (R17, R19) \
	MOVD (R2)(R17<<3), R17  \
	CMP  R20, R17           \
	SBC  ZR, R19, at

// the number of the leaf goes to its tree's place
#define WALK_END(lane, at) \
	ADD   at<<4, R1, R16       \
	MOVWU 8(R16), R17          \
	MOVWU (8*lane-60)(R3), R19 \
	MOVH  R17, (R15)(R19<<1)

TEXT ·walkTrees(SB), NOSPLIT, $0-8
	MOVD a+0(FP), R0
	LDP  walkArgs_branches(R0), (R1, R2)
	LDP  walkArgs_walks(R0), (R3, R4)
	LDP  walkArgs_n(R0), (R5, R15)

lanes:
	WALK_BEGIN(R7)
	WALK_BEGIN(R8)
	WALK_BEGIN(R9)
	WALK_BEGIN(R10)
	WALK_BEGIN(R11)
	WALK_BEGIN(R12)
	WALK_BEGIN(R13)
	WALK_BEGIN(R14)
	MOVWU.P 4(R4), R6
	CBZ     R6, arrived

step:
	WALK_STEP(R7)
	WALK_STEP(R8)
	WALK_STEP(R9)
	WALK_STEP(R10)
	WALK_STEP(R11)
	WALK_STEP(R12)
	WALK_STEP(R13)
	WALK_STEP(R14)
	SUB  $1, R6
	CBNZ R6, step

arrived:
	WALK_END(0, R7)
	WALK_END(1, R8)
	WALK_END(2, R9)
	WALK_END(3, R10)
	WALK_END(4, R11)
	WALK_END(5, R12)
	WALK_END(6, R13)
	WALK_END(7, R14)
	SUB  $1, R5
	CBNZ R5, lanes
	RET
