//go:build !purego

// The kernels for amd64, in the order of kernel.Funcs. Each begins after a line
// of dashes; levels of one kernel stand next to each other. Regions from "begin
// generated" to "end generated" are written by make asm: the contents, and families
// of routines from templates in tools/asm/families.
//
// begin generated: contents
//
//	kernel      section  AVX512    AVX2
//	Totals          117     208     355
//	Cross           476     601     824
//	Gradients      1084    1317    1717
//	Quantize       1897    1923    2212
//	Histogram      2472    2539    2539
//	Sparse         2783    2822    2822
//	SumBins        2929    2935    2935
//	Spill          2956    2980    2980
//	Subtract       2998    3006    3006
//	Scan           3028    3167    3455
//	AddCuts        3733    3745    3795
//	Partition      3857    3926    3988
//	Update         4091    4308    4628
//	Compare        4740    4810    4838
//	Compare32      4843    4857    4878
//	Members        4883    4919    4919
//	Leaves         4957    4992    5118
//	AddSteps       5206    5260    5566
//	AddPairs       5846    5859    5859
//	AddShort       5908    5952    6057
//	Scores         6184    6209    6209
//	Best           6243    6255    6255
//	Linear         6306    6455    6441
//	Products       6472    6485    6485
//	Softmax        6524    6862    6902
//	Walk           7076    7102    7102
//
// end generated
//
// The contract is package kernel: every routine returns the bits that the
// plain Go reference returns. Sums over rows are integers, so their order does not
// matter; others are taken in the contract's order. A fused multiply-add rounds an
// addend to whole units. Elsewhere one factor is 1 or the product is exact, so that
// it rounds as the plain operation does.
//
// Operands are in Go's order: the destination is last, and VSUBPD b, a, d is
// d = a - b. A routine takes one pointer to a job; the offsets of the job's
// fields, job_Field, are in go_asm.h, which the go command writes.
//
// Macros without a level in their names serve AVX-512 and AVX2, or only one of
// them where the other has nothing like it. Where each level has its own, the
// names end in _AVX512 and _AVX2.

#include "go_asm.h"
#include "funcdata.h"
#include "textflag.h"

// Residuals are prefetched aheadRows rows ahead, since rows seldom follow one
// another in memory.
#define aheadRows 16

// The offset of a slice's length from the pointer to its elements.
#define sliceLen 8

// Constants, one element each: broadcast where they are needed.
DATA ·one64+0(SB)/8, $0x3FF0000000000000 // 1.0
GLOBL ·one64(SB), RODATA|NOPTR, $8
DATA ·abs64+0(SB)/8, $0x7FFFFFFFFFFFFFFF // all but the sign
GLOBL ·abs64(SB), RODATA|NOPTR, $8
DATA ·updateConst+0(SB)/4, $0x3F800000 // 1.0
DATA ·updateConst+4(SB)/4, $0x0D800000 // OwnFloor, 2⁻¹⁰⁰
DATA ·updateConst+8(SB)/4, $0x0DA24260 // FlushBelow, 1e-30
DATA ·updateConst+12(SB)/4, $0x80000000 // sign
DATA ·updateConst+16(SB)/4, $1
DATA ·updateConst+20(SB)/4, $2
DATA ·updateConst+24(SB)/4, $3
GLOBL ·updateConst(SB), RODATA|NOPTR, $28
DATA ·abs32+0(SB)/4, $0x7FFFFFFF // all but the sign
GLOBL ·abs32(SB), RODATA|NOPTR, $4
DATA ·interleave+0(SB)/8, $0x1303120211011000 // of 16 + 16
DATA ·interleave+8(SB)/8, $0x1707160615051404
GLOBL ·interleave(SB), RODATA|NOPTR, $16
DATA ·count16+0(SB)/8, $0x0706050403020100
DATA ·count16+8(SB)/8, $0x0F0E0D0C0B0A0908
GLOBL ·count16(SB), RODATA|NOPTR, $16
DATA ·bits8+0(SB)/8, $0x8040201008040201
GLOBL ·bits8(SB), RODATA|NOPTR, $8

// SHIFT64 sets X to 1.5·2⁵² units: adding it rounds a number to whole units, which
// the bits of the result count. SHIFT32 sets X to 2²³ units. START64 and START32 set R
// to the start of a sum of such bits over a number of rows, so that the shifts cancel.
#define SHIFT64(unit, R, X) \
	MOVQ   $0x4338000000000000, R \
	VMOVQ  R, X                   \
	VMULSD unit, X, X

#define SHIFT32(unit, R, X) \
	MOVL   $0x4B000000, R \
	VMOVD  R, X           \
	VMULSS unit, X, X

#define START64(X, rows, R) \
	VMOVQ X, R    \
	IMULQ rows, R \
	NEGQ  R

#define START32(X, rows, R) \
	VMOVD X, R    \
	IMULL rows, R \
	NEGL  R

// Histogram, Sparse and Scan have names for their registers. These they share.
#define ARGS   DI // a routine's argument; Histogram: until the loops start
#define CELLS  SI // Histogram: past the last cell, or the next row's; Scan: those of bin 1, or its sums of g
#define OFFSET CX // of a bin

// ---------------------------------------------------------------------------
// Totals, row after row
//
// The classes are cut into tiles. The sums of a tile stay in registers during the
// loop over the rows.
//
//	DI job            SI residuals of the tile    DX stride in bytes
//	R8 row cursor     R9 end of the row numbers   AX row's residuals
//	R10 gradient out  R11 Hessian out             R12 classes left
//	R13 weights       R15 end of the rows to fetch ahead of
//	BX residuals to prefetch

// EACH_ROW begins the loop body: AX points at the next row's residuals. It
// prefetches those of a row to come or, near the end of the list (R15), what
// follows in this row: of long rows, only a few are listed.
#define EACH_ROW(near) \
	MOVL       (R8), AX              \
	IMULQ      DX, AX                \
	ADDQ       SI, AX                \
	LEAQ       256(AX), BX           \
	CMPQ       R8, R15               \
	JAE        near                  \
	MOVL       (4*aheadRows)(R8), BX \
	IMULQ      DX, BX                \
	ADDQ       SI, BX                \
	near:                            \
	PREFETCHT0 (BX)                  \
	PREFETCHT0 64(BX)

// WEIGHTED_ROW begins it with AX = the next row's residuals and W = its weight;
// HALF is the lower half of W.
#define WEIGHTED_ROW(HALF, W) \
	MOVL         (R8), AX          \
	VBROADCASTSS (R13)(AX*4), HALF \
	VCVTPS2PD    HALF, W           \
	IMULQ        DX, AX            \
	ADDQ         SI, AX

// REPEAT_ROWS ends the loop body.
#define REPEAT_ROWS(loop) \
	ADDQ $4, R8 \
	CMPQ R8, R9 \
	JB   loop

// TOTALS_ARGS reads the job.
#define TOTALS_ARGS \
	MOVQ j+0(FP), DI                    \
	MOVQ totalsJob_Residuals(DI), SI    \
	MOVQ totalsJob_Stride(DI), R12      \
	LEAQ (R12*4), DX                    \
	MOVQ totalsJob_Gradient(DI), R10    \
	MOVQ totalsJob_Hessian(DI), R11     \
	MOVQ totalsJob_Weights(DI), R13     \
	SHIFT64(totalsJob_Unit(DI), AX, X8)

// TOTALS_REWIND goes back to the first row.
#define TOTALS_REWIND \
	MOVQ totalsJob_Rows(DI), R8            \
	MOVQ (totalsJob_Rows+sliceLen)(DI), R9 \
	LEAQ (R8)(R9*4), R9                    \
	LEAQ (-4*aheadRows)(R9), R15

// begin generated: totals
// ---------------------------------------------------------------------------
// Totals, AVX-512: 8 classes a vector, tiles of 32, 16 or 8
//
//	Z0-Z3 gradient    Z4-Z7 Hessian   Z8-Z15 temporaries
//	Z28 shift   Z29 weight   Z30 abs mask   Z31 one

// TOTALS_AVX512 adds a vector of the row at AX to G and H.
#define TOTALS_AVX512(offset, G, H, D, A) \
	VCVTPS2PD   offset(AX), D \ // d = R
	VANDPD      D, Z30, A     \ // a = |d|
	VSUBPD      D, Z28, D     \
	VPADDQ      D, G, G       \ // G -= d
	VSUBPD      A, Z31, D     \
	VFMADD213PD Z28, D, A     \
	VPADDQ      A, H, H       // H += a*(1-a)

// WEIGHTED_AVX512 does so for a row of weight Z29.
#define WEIGHTED_AVX512(offset, G, H, D, A) \
	VCVTPS2PD    offset(AX), D \
	VANDPD       D, Z30, A     \
	VFNMADD213PD Z28, Z29, D   \
	VPADDQ       D, G, G       \ // G -= w*d
	VSUBPD       A, Z31, D     \
	VMULPD       A, D, A       \
	VFMADD213PD  Z28, Z29, A   \
	VPADDQ       A, H, H       // H += w*(a*(1-a))

// func totalsAVX512(j *totalsJob)
TEXT ·totalsAVX512(SB), NOSPLIT, $0-8
	TOTALS_ARGS
	VBROADCASTSD X8, Z28
	VBROADCASTSD ·abs64(SB), Z30
	VBROADCASTSD ·one64(SB), Z31

tile:
	// the next tile: as many classes as possible
	TOTALS_REWIND
	CMPQ  R12, $32
	JAE   tile32
	CMPQ  R12, $16
	JAE   tile16
	TESTQ R12, R12
	JZ    done

	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Z0
	VMOVUPD (R11), Z4
	TESTQ   R13, R13
	JNZ     weighted8

rows8:
	EACH_ROW(near8)
	TOTALS_AVX512(0, Z0, Z4, Z8, Z9)
	REPEAT_ROWS(rows8)
	JMP store8

weighted8:
	WEIGHTED_ROW(Y29, Z29)
	WEIGHTED_AVX512(0, Z0, Z4, Z8, Z9)
	REPEAT_ROWS(weighted8)

store8:
	VMOVUPD Z0, (R10)
	VMOVUPD Z4, (R11)

done:
	VZEROUPPER
	RET

tile16:
	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Z0
	VMOVUPD 64(R10), Z1
	VMOVUPD (R11), Z4
	VMOVUPD 64(R11), Z5
	TESTQ   R13, R13
	JNZ     weighted16

rows16:
	EACH_ROW(near16)
	TOTALS_AVX512(0, Z0, Z4, Z8, Z9)
	TOTALS_AVX512(32, Z1, Z5, Z10, Z11)
	REPEAT_ROWS(rows16)
	JMP store16

weighted16:
	WEIGHTED_ROW(Y29, Z29)
	WEIGHTED_AVX512(0, Z0, Z4, Z8, Z9)
	WEIGHTED_AVX512(32, Z1, Z5, Z10, Z11)
	REPEAT_ROWS(weighted16)

store16:
	VMOVUPD Z0, (R10)
	VMOVUPD Z1, 64(R10)
	VMOVUPD Z4, (R11)
	VMOVUPD Z5, 64(R11)
	ADDQ    $128, R10
	ADDQ    $128, R11
	ADDQ    $64, SI
	SUBQ    $16, R12
	JMP     tile

tile32:
	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Z0
	VMOVUPD 64(R10), Z1
	VMOVUPD 128(R10), Z2
	VMOVUPD 192(R10), Z3
	VMOVUPD (R11), Z4
	VMOVUPD 64(R11), Z5
	VMOVUPD 128(R11), Z6
	VMOVUPD 192(R11), Z7
	TESTQ   R13, R13
	JNZ     weighted32

rows32:
	EACH_ROW(near32)
	TOTALS_AVX512(0, Z0, Z4, Z8, Z9)
	TOTALS_AVX512(32, Z1, Z5, Z10, Z11)
	TOTALS_AVX512(64, Z2, Z6, Z12, Z13)
	TOTALS_AVX512(96, Z3, Z7, Z14, Z15)
	REPEAT_ROWS(rows32)
	JMP store32

weighted32:
	WEIGHTED_ROW(Y29, Z29)
	WEIGHTED_AVX512(0, Z0, Z4, Z8, Z9)
	WEIGHTED_AVX512(32, Z1, Z5, Z10, Z11)
	WEIGHTED_AVX512(64, Z2, Z6, Z12, Z13)
	WEIGHTED_AVX512(96, Z3, Z7, Z14, Z15)
	REPEAT_ROWS(weighted32)

store32:
	VMOVUPD Z0, (R10)
	VMOVUPD Z1, 64(R10)
	VMOVUPD Z2, 128(R10)
	VMOVUPD Z3, 192(R10)
	VMOVUPD Z4, (R11)
	VMOVUPD Z5, 64(R11)
	VMOVUPD Z6, 128(R11)
	VMOVUPD Z7, 192(R11)
	ADDQ    $256, R10
	ADDQ    $256, R11
	ADDQ    $128, SI
	SUBQ    $32, R12
	JMP     tile

// ---------------------------------------------------------------------------
// Totals, AVX2: 4 classes a vector, tiles of 16, 8 or 4
//
//	Y0-Y3 gradient    Y4-Y7 Hessian   Y8-Y11 temporaries
//	Y12 shift   Y13 weight   Y14 abs mask   Y15 one

// TOTALS_AVX2 adds a vector of the row at AX to G and H.
#define TOTALS_AVX2(offset, G, H, D, A) \
	VCVTPS2PD   offset(AX), D \ // d = R
	VANDPD      D, Y14, A     \ // a = |d|
	VSUBPD      D, Y12, D     \
	VPADDQ      D, G, G       \ // G -= d
	VSUBPD      A, Y15, D     \
	VFMADD213PD Y12, D, A     \
	VPADDQ      A, H, H       // H += a*(1-a)

// WEIGHTED_AVX2 does so for a row of weight Y13.
#define WEIGHTED_AVX2(offset, G, H, D, A) \
	VCVTPS2PD    offset(AX), D \
	VANDPD       D, Y14, A     \
	VFNMADD213PD Y12, Y13, D   \
	VPADDQ       D, G, G       \ // G -= w*d
	VSUBPD       A, Y15, D     \
	VMULPD       A, D, A       \
	VFMADD213PD  Y12, Y13, A   \
	VPADDQ       A, H, H       // H += w*(a*(1-a))

// func totalsAVX2(j *totalsJob)
TEXT ·totalsAVX2(SB), NOSPLIT, $0-8
	TOTALS_ARGS
	VBROADCASTSD X8, Y12
	VBROADCASTSD ·abs64(SB), Y14
	VBROADCASTSD ·one64(SB), Y15

tile:
	// the next tile: as many classes as possible
	TOTALS_REWIND
	CMPQ  R12, $16
	JAE   tile16
	CMPQ  R12, $8
	JAE   tile8
	TESTQ R12, R12
	JZ    done

	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Y0
	VMOVUPD (R11), Y4
	TESTQ   R13, R13
	JNZ     weighted4

rows4:
	EACH_ROW(near4)
	TOTALS_AVX2(0, Y0, Y4, Y8, Y9)
	REPEAT_ROWS(rows4)
	JMP store4

weighted4:
	WEIGHTED_ROW(X13, Y13)
	WEIGHTED_AVX2(0, Y0, Y4, Y8, Y9)
	REPEAT_ROWS(weighted4)

store4:
	VMOVUPD Y0, (R10)
	VMOVUPD Y4, (R11)

done:
	VZEROUPPER
	RET

tile8:
	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Y0
	VMOVUPD 32(R10), Y1
	VMOVUPD (R11), Y4
	VMOVUPD 32(R11), Y5
	TESTQ   R13, R13
	JNZ     weighted8

rows8:
	EACH_ROW(near8)
	TOTALS_AVX2(0, Y0, Y4, Y8, Y9)
	TOTALS_AVX2(16, Y1, Y5, Y10, Y11)
	REPEAT_ROWS(rows8)
	JMP store8

weighted8:
	WEIGHTED_ROW(X13, Y13)
	WEIGHTED_AVX2(0, Y0, Y4, Y8, Y9)
	WEIGHTED_AVX2(16, Y1, Y5, Y10, Y11)
	REPEAT_ROWS(weighted8)

store8:
	VMOVUPD Y0, (R10)
	VMOVUPD Y1, 32(R10)
	VMOVUPD Y4, (R11)
	VMOVUPD Y5, 32(R11)
	ADDQ    $64, R10
	ADDQ    $64, R11
	ADDQ    $32, SI
	SUBQ    $8, R12
	JMP     tile

tile16:
	// gradient, Hessian: go on from what the last call left
	VMOVUPD (R10), Y0
	VMOVUPD 32(R10), Y1
	VMOVUPD 64(R10), Y2
	VMOVUPD 96(R10), Y3
	VMOVUPD (R11), Y4
	VMOVUPD 32(R11), Y5
	VMOVUPD 64(R11), Y6
	VMOVUPD 96(R11), Y7
	TESTQ   R13, R13
	JNZ     weighted16

rows16:
	EACH_ROW(near16)
	TOTALS_AVX2(0, Y0, Y4, Y8, Y9)
	TOTALS_AVX2(16, Y1, Y5, Y10, Y11)
	TOTALS_AVX2(32, Y2, Y6, Y8, Y9)
	TOTALS_AVX2(48, Y3, Y7, Y10, Y11)
	REPEAT_ROWS(rows16)
	JMP store16

weighted16:
	WEIGHTED_ROW(X13, Y13)
	WEIGHTED_AVX2(0, Y0, Y4, Y8, Y9)
	WEIGHTED_AVX2(16, Y1, Y5, Y10, Y11)
	WEIGHTED_AVX2(32, Y2, Y6, Y8, Y9)
	WEIGHTED_AVX2(48, Y3, Y7, Y10, Y11)
	REPEAT_ROWS(weighted16)

store16:
	VMOVUPD Y0, (R10)
	VMOVUPD Y1, 32(R10)
	VMOVUPD Y2, 64(R10)
	VMOVUPD Y3, 96(R10)
	VMOVUPD Y4, (R11)
	VMOVUPD Y5, 32(R11)
	VMOVUPD Y6, 64(R11)
	VMOVUPD Y7, 96(R11)
	ADDQ    $128, R10
	ADDQ    $128, R11
	ADDQ    $64, SI
	SUBQ    $16, R12
	JMP     tile

// end generated

// ---------------------------------------------------------------------------
// Cross, row after row
//
// The classes are cut into tiles. A tile takes four of the first classes at a
// time, or two or one: their sums stay in registers during the loop over the rows.
//
//	SI residuals       CX those of the tile     DX stride in bytes
//	R8 row cursor      R9 end of the row numbers
//	AX row's offset    R14 weights, or 0        R10-R13 residuals of the firsts
//	BX firsts cursor   DI their sums            R15 bytes of firsts left

// CROSS_START comes before the tiles, CROSS_NEXT_TILE before each of them. R15 is
// then the bytes from the tile to the end of the row.
#define CROSS_START \
	MOVQ j+0(FP), AX                              \
	MOVQ crossJob_Residuals(AX), SI               \
	MOVQ crossJob_Stride(AX), DX                  \
	MOVQ crossJob_Weights(AX), R14                \
	SHLQ $2, DX                                   \
	MOVQ SI, CX                                   \
	CMPQ (crossJob_Rows+sliceLen)(AX), $0         \
	JEQ  done                                     \
	SHIFT32(crossJob_Unit(AX), R8, X8)            \
	START32(X8, (crossJob_Rows+sliceLen)(AX), R8) \
	MOVL R8, start-8(SP)

#define CROSS_NEXT_TILE \
	MOVQ j+0(FP), AX            \
	MOVQ crossJob_First(AX), BX \
	MOVQ CX, DI                 \
	SUBQ SI, DI                 \
	MOVQ DX, R15                \
	SUBQ DI, R15                \
	JLE  done                   \
	ADDQ crossJob_Cross(AX), DI

// CROSS_NEXT_FIRSTS goes back to the first row. R10 = the firsts, R15 = how many
// bytes of them are left; none: on to next.
#define CROSS_NEXT_FIRSTS(next) \
	MOVQ j+0(FP), AX                        \
	MOVQ crossJob_Rows(AX), R8              \
	MOVQ (crossJob_Rows+sliceLen)(AX), R9   \
	LEAQ (R8)(R9*4), R9                     \
	MOVQ crossJob_First(AX), R10            \
	MOVQ (crossJob_First+sliceLen)(AX), R15 \
	LEAQ (R10)(R15*4), R15                  \
	SUBQ BX, R15                            \
	JZ   next

#define CROSS_FIRST(i, R) \
	MOVL (i*4)(BX), R \
	LEAQ (SI)(R*4), R

// CROSS_ROWk begins the loop over the rows: AX = the next row. It prefetches k bytes
// of the tile in a row to come, unless the list is too short (R15). (No label may
// come right before PCALIGN: the assembler would not end.)
#define CROSS_ROW64(near) \
	CMPQ       R8, R15               \
	JAE        near                  \
	MOVL       (4*aheadRows)(R8), AX \
	IMULQ      DX, AX                \
	PREFETCHT0 (CX)(AX*1)            \
	near:                            \
	MOVL       (R8), AX

#define CROSS_ROW128(near) \
	CMPQ       R8, R15               \
	JAE        near                  \
	MOVL       (4*aheadRows)(R8), AX \
	IMULQ      DX, AX                \
	PREFETCHT0 (CX)(AX*1)            \
	PREFETCHT0 64(CX)(AX*1)          \
	near:                            \
	MOVL       (R8), AX

// CROSS_WEIGHT sets W to the weight of row AX, and AX to its offset. The zero flag is set where
// there are no weights.
#define CROSS_WEIGHT(W, weighed) \
	TESTQ        R14, R14       \
	JZ           weighed        \
	VBROADCASTSS (R14)(AX*4), W \
	weighed:                    \
	IMULQ        DX, AX         \
	TESTQ        R14, R14

// begin generated: cross
// ---------------------------------------------------------------------------
// Cross, AVX-512: 16 classes a vector, tiles of 32 or 16; a row of eight
// classes is a tile of 16 with a mask
//
//	Z0-Z7 sums, two vectors a first   Z16, Z17 p of the classes
//	Z18 p of a first   Z19 product   Z29 shift   Z30 weight   Z31 one
//	K4 lanes of a tile's first vector

// CLASSES_AVX512 computes p of the tile's first vector of classes in the row at AX,
// CLASSES2_AVX512 of its second.
#define CLASSES_AVX512 \
	VMOVUPS.Z (CX)(AX*1), K4, Z16 \ // p = R
	VPMOVD2M  Z16, K1             \
	VADDPS    Z16, Z31, K1, Z16   // p = 1 + R where R is signed

#define CLASSES2_AVX512 \
	VMOVUPS  64(CX)(AX*1), Z17 \
	VPMOVD2M Z17, K2           \
	VADDPS   Z17, Z31, K2, Z17

// CROSS_AVX512 adds the products of the first vector and a first's w·p to S, and
// CROSS2_AVX512 then adds the products of the second. The zero flag is set where there are no
// weights.
#define CROSS_AVX512(R, S, unweighted) \
	VBROADCASTSS (R)(AX*1), Z18    \
	VPMOVD2M     Z18, K3           \
	VADDPS       Z18, Z31, K3, Z18 \
	JZ           unweighted        \
	VMULPS       Z18, Z30, Z18     \
	unweighted:                    \
	VMOVAPS      Z29, Z19          \
	VFMADD231PS  Z16, Z18, Z19     \
	VPADDD       Z19, S, S

#define CROSS2_AVX512(S) \
	VFMADD213PS Z29, Z17, Z18 \
	VPADDD      Z18, S, S

// func crossAVX512(j *crossJob)
TEXT ·crossAVX512(SB), NOSPLIT, $8-8
	CROSS_START
	VBROADCASTSS X8, Z29
	VBROADCASTSS ·updateConst+0(SB), Z31
	KXNORW       K4, K4, K4
	CMPQ         DX, $64
	JAE          tile
	KSHIFTRW     $8, K4, K4

tile:
	CROSS_NEXT_TILE
	CMPQ R15, $128
	JAE  firsts32

firsts16:
	CROSS_NEXT_FIRSTS(next16)
	VPBROADCASTD start-8(SP), Z0
	VMOVAPS      Z0, Z1
	VMOVAPS      Z0, Z2
	VMOVAPS      Z0, Z3
	CROSS_FIRST(0, R10)
	CMPQ         R15, $8
	JB           one16
	CROSS_FIRST(1, R11)
	CMPQ         R15, $16
	JB           two16
	CROSS_FIRST(2, R12)
	CROSS_FIRST(3, R13)
	VMOVAPS      Z0, Z4
	VMOVAPS      Z0, Z5
	VMOVAPS      Z0, Z6
	VMOVAPS      Z0, Z7
	LEAQ         (-4*aheadRows)(R9), R15
	PCALIGN      $64

rows4x16:
	// sums += w·p of four of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near4x16)
	CROSS_WEIGHT(Z30, weighed4x16)
	CLASSES_AVX512
	CROSS_AVX512(R10, Z0, unweighted4x16x0)
	CROSS_AVX512(R11, Z2, unweighted4x16x1)
	CROSS_AVX512(R12, Z4, unweighted4x16x2)
	CROSS_AVX512(R13, Z6, unweighted4x16x3)
	REPEAT_ROWS(rows4x16)
	LEAQ      (DI)(DX*1), AX
	VMOVDQU32 Z0, K4, (DI)
	VMOVDQU32 Z2, K4, (AX)
	VMOVDQU32 Z4, K4, (DI)(DX*2)
	VMOVDQU32 Z6, K4, (AX)(DX*2)
	ADDQ      $16, BX
	LEAQ      (DI)(DX*4), DI
	JMP       firsts16

two16:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows2x16:
	// sums += w·p of two of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near2x16)
	CROSS_WEIGHT(Z30, weighed2x16)
	CLASSES_AVX512
	CROSS_AVX512(R10, Z0, unweighted2x16x0)
	CROSS_AVX512(R11, Z2, unweighted2x16x1)
	REPEAT_ROWS(rows2x16)
	VMOVDQU32 Z0, K4, (DI)
	VMOVDQU32 Z2, K4, (DI)(DX*1)
	ADDQ      $8, BX
	LEAQ      (DI)(DX*2), DI
	JMP       firsts16

one16:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows1x16:
	// sums += w·p of one of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near1x16)
	CROSS_WEIGHT(Z30, weighed1x16)
	CLASSES_AVX512
	CROSS_AVX512(R10, Z0, unweighted1x16x0)
	REPEAT_ROWS(rows1x16)
	VMOVDQU32 Z0, K4, (DI)

next16:
	ADDQ $64, CX
	JMP  tile

firsts32:
	CROSS_NEXT_FIRSTS(next32)
	VPBROADCASTD start-8(SP), Z0
	VMOVAPS      Z0, Z1
	VMOVAPS      Z0, Z2
	VMOVAPS      Z0, Z3
	CROSS_FIRST(0, R10)
	CMPQ         R15, $8
	JB           one32
	CROSS_FIRST(1, R11)
	CMPQ         R15, $16
	JB           two32
	CROSS_FIRST(2, R12)
	CROSS_FIRST(3, R13)
	VMOVAPS      Z0, Z4
	VMOVAPS      Z0, Z5
	VMOVAPS      Z0, Z6
	VMOVAPS      Z0, Z7
	LEAQ         (-4*aheadRows)(R9), R15
	PCALIGN      $64

rows4x32:
	// sums += w·p of four of the firsts times p of 32 classes, row by row
	CROSS_ROW128(near4x32)
	CROSS_WEIGHT(Z30, weighed4x32)
	CLASSES_AVX512
	CLASSES2_AVX512
	CROSS_AVX512(R10, Z0, unweighted4x32x0)
	CROSS2_AVX512(Z1)
	CROSS_AVX512(R11, Z2, unweighted4x32x1)
	CROSS2_AVX512(Z3)
	CROSS_AVX512(R12, Z4, unweighted4x32x2)
	CROSS2_AVX512(Z5)
	CROSS_AVX512(R13, Z6, unweighted4x32x3)
	CROSS2_AVX512(Z7)
	REPEAT_ROWS(rows4x32)
	LEAQ      (DI)(DX*1), AX
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, (AX)
	VMOVDQU32 Z3, 64(AX)
	VMOVDQU32 Z4, (DI)(DX*2)
	VMOVDQU32 Z5, 64(DI)(DX*2)
	VMOVDQU32 Z6, (AX)(DX*2)
	VMOVDQU32 Z7, 64(AX)(DX*2)
	ADDQ      $16, BX
	LEAQ      (DI)(DX*4), DI
	JMP       firsts32

two32:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows2x32:
	// sums += w·p of two of the firsts times p of 32 classes, row by row
	CROSS_ROW128(near2x32)
	CROSS_WEIGHT(Z30, weighed2x32)
	CLASSES_AVX512
	CLASSES2_AVX512
	CROSS_AVX512(R10, Z0, unweighted2x32x0)
	CROSS2_AVX512(Z1)
	CROSS_AVX512(R11, Z2, unweighted2x32x1)
	CROSS2_AVX512(Z3)
	REPEAT_ROWS(rows2x32)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)
	VMOVDQU32 Z2, (DI)(DX*1)
	VMOVDQU32 Z3, 64(DI)(DX*1)
	ADDQ      $8, BX
	LEAQ      (DI)(DX*2), DI
	JMP       firsts32

one32:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows1x32:
	// sums += w·p of one of the firsts times p of 32 classes, row by row
	CROSS_ROW128(near1x32)
	CROSS_WEIGHT(Z30, weighed1x32)
	CLASSES_AVX512
	CLASSES2_AVX512
	CROSS_AVX512(R10, Z0, unweighted1x32x0)
	CROSS2_AVX512(Z1)
	REPEAT_ROWS(rows1x32)
	VMOVDQU32 Z0, (DI)
	VMOVDQU32 Z1, 64(DI)

next32:
	ADDQ $128, CX
	JMP  tile

done:
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Cross, AVX2: 8 classes a vector, tiles of 16 or 8; a row of
// four classes is half a vector
//
//	Y0-Y7 sums, two vectors a first   Y8, Y9 p of the classes
//	Y10 p of a first   Y11 product, temporary   Y13 shift   Y14 weight   Y15 one

// CLASSES_AVX2 computes p of the tile's first vector of classes in the row at AX,
// CLASSES2_AVX2 of its second. R is Y8, or X8 for half a vector.
#define CLASSES_AVX2(R) \
	VMOVUPS   (CX)(AX*1), R   \ // p = R
	VADDPS    Y8, Y15, Y11    \
	VBLENDVPS Y8, Y11, Y8, Y8 // p = 1 + R where R is signed

#define CLASSES2_AVX2 \
	VMOVUPS   32(CX)(AX*1), Y9 \
	VADDPS    Y9, Y15, Y12     \
	VBLENDVPS Y9, Y12, Y9, Y9

// CROSS_AVX2 adds the products of the first vector and a first's w·p to S, and
// CROSS2_AVX2 then adds the products of the second. The zero flag is set where there are no
// weights.
#define CROSS_AVX2(R, S, unweighted) \
	VBROADCASTSS (R)(AX*1), Y10     \
	VADDPS       Y10, Y15, Y11      \
	VBLENDVPS    Y10, Y11, Y10, Y10 \
	JZ           unweighted         \
	VMULPS       Y10, Y14, Y10      \
	unweighted:                     \
	VMOVAPS      Y13, Y11           \
	VFMADD231PS  Y8, Y10, Y11       \
	VPADDD       Y11, S, S

#define CROSS2_AVX2(S) \
	VFMADD213PS Y13, Y9, Y10 \
	VPADDD      Y10, S, S

// func crossAVX2(j *crossJob)
TEXT ·crossAVX2(SB), NOSPLIT, $8-8
	CROSS_START
	VBROADCASTSS X8, Y13
	VBROADCASTSS ·updateConst+0(SB), Y15

tile:
	CROSS_NEXT_TILE
	CMPQ R15, $64
	JAE  firsts16
	CMPQ R15, $32
	JAE  firsts8

firsts4:
	CROSS_NEXT_FIRSTS(next4)
	VPBROADCASTD start-8(SP), Y0
	VMOVAPS      Y0, Y1
	VMOVAPS      Y0, Y2
	VMOVAPS      Y0, Y3
	CROSS_FIRST(0, R10)
	CMPQ         R15, $8
	JB           one4
	CROSS_FIRST(1, R11)
	CMPQ         R15, $16
	JB           two4
	CROSS_FIRST(2, R12)
	CROSS_FIRST(3, R13)
	VMOVAPS      Y0, Y4
	VMOVAPS      Y0, Y5
	VMOVAPS      Y0, Y6
	VMOVAPS      Y0, Y7
	LEAQ         (-4*aheadRows)(R9), R15
	PCALIGN      $64

rows4x4:
	// sums += w·p of four of the firsts times p of 4 classes, row by row
	CROSS_ROW64(near4x4)
	CROSS_WEIGHT(Y14, weighed4x4)
	CLASSES_AVX2(X8)
	CROSS_AVX2(R10, Y0, unweighted4x4x0)
	CROSS_AVX2(R11, Y2, unweighted4x4x1)
	CROSS_AVX2(R12, Y4, unweighted4x4x2)
	CROSS_AVX2(R13, Y6, unweighted4x4x3)
	REPEAT_ROWS(rows4x4)
	LEAQ    (DI)(DX*1), AX
	VMOVDQU X0, (DI)
	VMOVDQU X2, (AX)
	VMOVDQU X4, (DI)(DX*2)
	VMOVDQU X6, (AX)(DX*2)
	ADDQ    $16, BX
	LEAQ    (DI)(DX*4), DI
	JMP     firsts4

two4:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows2x4:
	// sums += w·p of two of the firsts times p of 4 classes, row by row
	CROSS_ROW64(near2x4)
	CROSS_WEIGHT(Y14, weighed2x4)
	CLASSES_AVX2(X8)
	CROSS_AVX2(R10, Y0, unweighted2x4x0)
	CROSS_AVX2(R11, Y2, unweighted2x4x1)
	REPEAT_ROWS(rows2x4)
	VMOVDQU X0, (DI)
	VMOVDQU X2, (DI)(DX*1)
	ADDQ    $8, BX
	LEAQ    (DI)(DX*2), DI
	JMP     firsts4

one4:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows1x4:
	// sums += w·p of one of the firsts times p of 4 classes, row by row
	CROSS_ROW64(near1x4)
	CROSS_WEIGHT(Y14, weighed1x4)
	CLASSES_AVX2(X8)
	CROSS_AVX2(R10, Y0, unweighted1x4x0)
	REPEAT_ROWS(rows1x4)
	VMOVDQU X0, (DI)

next4:
	ADDQ $32, CX
	JMP  tile

firsts8:
	CROSS_NEXT_FIRSTS(next8)
	VPBROADCASTD start-8(SP), Y0
	VMOVAPS      Y0, Y1
	VMOVAPS      Y0, Y2
	VMOVAPS      Y0, Y3
	CROSS_FIRST(0, R10)
	CMPQ         R15, $8
	JB           one8
	CROSS_FIRST(1, R11)
	CMPQ         R15, $16
	JB           two8
	CROSS_FIRST(2, R12)
	CROSS_FIRST(3, R13)
	VMOVAPS      Y0, Y4
	VMOVAPS      Y0, Y5
	VMOVAPS      Y0, Y6
	VMOVAPS      Y0, Y7
	LEAQ         (-4*aheadRows)(R9), R15
	PCALIGN      $64

rows4x8:
	// sums += w·p of four of the firsts times p of 8 classes, row by row
	CROSS_ROW64(near4x8)
	CROSS_WEIGHT(Y14, weighed4x8)
	CLASSES_AVX2(Y8)
	CROSS_AVX2(R10, Y0, unweighted4x8x0)
	CROSS_AVX2(R11, Y2, unweighted4x8x1)
	CROSS_AVX2(R12, Y4, unweighted4x8x2)
	CROSS_AVX2(R13, Y6, unweighted4x8x3)
	REPEAT_ROWS(rows4x8)
	LEAQ    (DI)(DX*1), AX
	VMOVDQU Y0, (DI)
	VMOVDQU Y2, (AX)
	VMOVDQU Y4, (DI)(DX*2)
	VMOVDQU Y6, (AX)(DX*2)
	ADDQ    $16, BX
	LEAQ    (DI)(DX*4), DI
	JMP     firsts8

two8:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows2x8:
	// sums += w·p of two of the firsts times p of 8 classes, row by row
	CROSS_ROW64(near2x8)
	CROSS_WEIGHT(Y14, weighed2x8)
	CLASSES_AVX2(Y8)
	CROSS_AVX2(R10, Y0, unweighted2x8x0)
	CROSS_AVX2(R11, Y2, unweighted2x8x1)
	REPEAT_ROWS(rows2x8)
	VMOVDQU Y0, (DI)
	VMOVDQU Y2, (DI)(DX*1)
	ADDQ    $8, BX
	LEAQ    (DI)(DX*2), DI
	JMP     firsts8

one8:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows1x8:
	// sums += w·p of one of the firsts times p of 8 classes, row by row
	CROSS_ROW64(near1x8)
	CROSS_WEIGHT(Y14, weighed1x8)
	CLASSES_AVX2(Y8)
	CROSS_AVX2(R10, Y0, unweighted1x8x0)
	REPEAT_ROWS(rows1x8)
	VMOVDQU Y0, (DI)

next8:
	ADDQ $32, CX
	JMP  tile

firsts16:
	CROSS_NEXT_FIRSTS(next16)
	VPBROADCASTD start-8(SP), Y0
	VMOVAPS      Y0, Y1
	VMOVAPS      Y0, Y2
	VMOVAPS      Y0, Y3
	CROSS_FIRST(0, R10)
	CMPQ         R15, $8
	JB           one16
	CROSS_FIRST(1, R11)
	CMPQ         R15, $16
	JB           two16
	CROSS_FIRST(2, R12)
	CROSS_FIRST(3, R13)
	VMOVAPS      Y0, Y4
	VMOVAPS      Y0, Y5
	VMOVAPS      Y0, Y6
	VMOVAPS      Y0, Y7
	LEAQ         (-4*aheadRows)(R9), R15
	PCALIGN      $64

rows4x16:
	// sums += w·p of four of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near4x16)
	CROSS_WEIGHT(Y14, weighed4x16)
	CLASSES_AVX2(Y8)
	CLASSES2_AVX2
	CROSS_AVX2(R10, Y0, unweighted4x16x0)
	CROSS2_AVX2(Y1)
	CROSS_AVX2(R11, Y2, unweighted4x16x1)
	CROSS2_AVX2(Y3)
	CROSS_AVX2(R12, Y4, unweighted4x16x2)
	CROSS2_AVX2(Y5)
	CROSS_AVX2(R13, Y6, unweighted4x16x3)
	CROSS2_AVX2(Y7)
	REPEAT_ROWS(rows4x16)
	LEAQ    (DI)(DX*1), AX
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, (AX)
	VMOVDQU Y3, 32(AX)
	VMOVDQU Y4, (DI)(DX*2)
	VMOVDQU Y5, 32(DI)(DX*2)
	VMOVDQU Y6, (AX)(DX*2)
	VMOVDQU Y7, 32(AX)(DX*2)
	ADDQ    $16, BX
	LEAQ    (DI)(DX*4), DI
	JMP     firsts16

two16:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows2x16:
	// sums += w·p of two of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near2x16)
	CROSS_WEIGHT(Y14, weighed2x16)
	CLASSES_AVX2(Y8)
	CLASSES2_AVX2
	CROSS_AVX2(R10, Y0, unweighted2x16x0)
	CROSS2_AVX2(Y1)
	CROSS_AVX2(R11, Y2, unweighted2x16x1)
	CROSS2_AVX2(Y3)
	REPEAT_ROWS(rows2x16)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VMOVDQU Y2, (DI)(DX*1)
	VMOVDQU Y3, 32(DI)(DX*1)
	ADDQ    $8, BX
	LEAQ    (DI)(DX*2), DI
	JMP     firsts16

one16:
	LEAQ    (-4*aheadRows)(R9), R15
	PCALIGN $64

rows1x16:
	// sums += w·p of one of the firsts times p of 16 classes, row by row
	CROSS_ROW64(near1x16)
	CROSS_WEIGHT(Y14, weighed1x16)
	CLASSES_AVX2(Y8)
	CLASSES2_AVX2
	CROSS_AVX2(R10, Y0, unweighted1x16x0)
	CROSS2_AVX2(Y1)
	REPEAT_ROWS(rows1x16)
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)

next16:
	ADDQ $64, CX
	JMP  tile

done:
	VZEROUPPER
	RET

// end generated

// ---------------------------------------------------------------------------
// Gradients: eight rows side by side
//
//	DI row cursor   DX stride in bytes   R8-R15 the rows

// ROWS8 loads eight row numbers. OFFSETS8 turns them into offsets of residuals.
#define ROWS8 \
	MOVL (DI), R8    \
	MOVL 4(DI), R9   \
	MOVL 8(DI), R10  \
	MOVL 12(DI), R11 \
	MOVL 16(DI), R12 \
	MOVL 20(DI), R13 \
	MOVL 24(DI), R14 \
	MOVL 28(DI), R15

#define OFFSETS8 \
	IMULQ DX, R8  \
	IMULQ DX, R9  \
	IMULQ DX, R10 \
	IMULQ DX, R11 \
	IMULQ DX, R12 \
	IMULQ DX, R13 \
	IMULQ DX, R14 \
	IMULQ DX, R15

// GATHER8 loads a number of eight rows: on Zen 5 in half the time of
// VGATHERQPS.
#define GATHER8(from, scale, X, Y, X2) \
	VMOVSS      (from)(R8*scale), X              \
	VMOVSS      (from)(R12*scale), X2            \
	VINSERTPS   $0x10, (from)(R9*scale), X, X    \
	VINSERTPS   $0x10, (from)(R13*scale), X2, X2 \
	VINSERTPS   $0x20, (from)(R10*scale), X, X   \
	VINSERTPS   $0x20, (from)(R14*scale), X2, X2 \
	VINSERTPS   $0x30, (from)(R11*scale), X, X   \
	VINSERTPS   $0x30, (from)(R15*scale), X2, X2 \
	VINSERTF128 $1, X2, Y, Y

// FILL8 copies the last CX < 8 row numbers to the stack, repeats the last one up
// to eight, and points DI there. K7 marks the rows that count.
#define FILL8(to) \
	MOVL         -4(DI)(CX*4), R8 \
	VPBROADCASTD R8, Y0           \
	MOVL         $-1, R8          \
	BZHIL        CX, R8, R8       \
	KMOVB        R8, K7           \
	VMOVDQU32    (DI), K7, Y0     \
	LEAQ         to(SP), DI       \
	VMOVDQU32    Y0, (DI)

// ---------------------------------------------------------------------------
// Gradients, AVX-512: eight rows side by side, along one pair or along four at
// a time
//
// If fewer than eight rows are left, the last one is repeated, and masks keep it
// out of the sums.
//
//	DI row cursor     CX rows left      DX stride in bytes    SI output
//
//	One pair                           Four pairs
//	R8-R15 rows, their offsets         R8-R15 residuals of the classes r, s
//	AX, BX residuals of r, s           AX row's offset   BX weights
//	Y0 R_r   Y1 R_s   Y2 g   Y3 h      Z0-Z3 likewise, of four rows
//	Z4-Z7 temporaries                  Z4-Z7 temporaries
//	Z8, Z12, Z16 sums of g, h, |g|     Z8-Z19 sums, four vectors of two rows each
//	K7 rows that count                 K1-K4 those of two rows, by pair
//
//	Z20, Z21 maxima of |g|, h          Z22 weights      Z25 the least u to square
//	Z26 abs, float64   Z27, Z28 permutations of (h, g)  Z29 shift
//	Z30 abs            Z31 zero
//	K5 rows of class r or s            K6 pairs that there are

// The square of a smaller number is lost in h >= |u|, and slow if subnormal.
DATA ·squareFrom+0(SB)/4, $0x2B800000 // 2^-40
GLOBL ·squareFrom(SB), RODATA|NOPTR, $4

// GRADIENT_AVX512 computes g and h from residuals R, S and weights W.
#define GRADIENT_AVX512(R, S, G, H, T, W, LEAST, ABS, ZERO) \
	VSUBPS   R, S, G          \ // u = s - r
	VORPS    R, S, T          \
	VPMOVD2M T, K5            \ // K5 = rows of class r or s
	VMAXPS   R, S, T          \
	VADDPS   T, T, T          \ // 2·max(r, s)
	VANDPS   R, ABS, R        \
	VANDPS   S, ABS, S        \
	VADDPS   S, R, H          \ // h = |r| + |s|
	VADDPS   T, H, K5, H      \ // + 2·max(r, s) of those rows
	VANDPS   G, ABS, T        \
	VCMPPS   $5, LEAST, T, K5 \
	VMULPS.Z G, G, K5, T      \
	VSUBPS   T, H, H          \ // - u², or 0 for a u² that is lost
	VMAXPS   ZERO, H, H       \
	VMULPS   G, W, G          \ // both by weight
	VMULPS   H, W, H

#define FOLD_SUM_AVX512(Z, Y, X, to) \
	VEXTRACTI64X4 $1, Z, Y0               \
	VPADDQ        Y0, Y, Y                \
	VEXTRACTI64X2 $1, Y, X0               \
	VPADDQ        X0, X, X                \
	VPSHUFD       $0x4E, X, X0            \
	VPADDQ        X0, X, X                \
	VMOVQ         X, R8                   \
	ADDQ          gradAVX512Start(SP), R8 \
	MOVQ          R8, to(DI)

#define FOLD_MAX_AVX512(Y, X, to) \
	VEXTRACTF64X2 $1, Y, X0    \
	VMAXPS        X0, X, X     \
	VPERMILPS     $0x4E, X, X0 \
	VMAXPS        X0, X, X     \
	VPERMILPS     $0xB1, X, X0 \
	VMAXSS        X0, X, X     \
	VMOVSS        X, to(DI)

// The frame: eight row numbers; four pairs' (h, g) of eight rows, put aside;
// by pair, sums of g, h and |g| and maxima of |g| and h; of these four pairs,
// the first, its sums and its output; pairs left; bytes of a row's output, and
// of what was put aside; where that goes; what is added to the sums in the end.
#define gradAVX512Rows 0
#define gradAVX512Aside 32
#define gradAVX512Sums (gradAVX512Aside+8*32)
#define gradAVX512Maxima (gradAVX512Sums+3*32)
#define gradAVX512Pair (gradAVX512Maxima+2*16)
#define gradAVX512Stats (gradAVX512Pair+8)
#define gradAVX512Out (gradAVX512Pair+16)
#define gradAVX512Left (gradAVX512Pair+24)
#define gradAVX512Row (gradAVX512Pair+32)
#define gradAVX512End (gradAVX512Pair+40)
#define gradAVX512Next (gradAVX512Pair+48)
#define gradAVX512Stride (gradAVX512Pair+56)
#define gradAVX512Weights (gradAVX512Pair+64)
#define gradAVX512Start (gradAVX512Pair+72)

// PAIRS_AHEAD prefetches a row to come.
#define PAIRS_AHEAD(at) \
	MOVL       (4*aheadRows+at)(DI), AX \
	IMULQ      DX, AX                   \
	PREFETCHT0 (R8)(AX*1)               \
	PREFETCHT0 (R12)(AX*1)

// PAIRS_ROW sets XR, XS to the row's residuals of the classes r, s of four pairs.
#define PAIRS_ROW(at, XR, XS) \
	MOVL      at(DI), AX                 \
	IMULQ     DX, AX                     \
	VMOVSS    (R8)(AX*1), XR             \
	VMOVSS    (R12)(AX*1), XS            \
	VINSERTPS $0x10, (R9)(AX*1), XR, XR  \
	VINSERTPS $0x10, (R13)(AX*1), XS, XS \
	VINSERTPS $0x20, (R10)(AX*1), XR, XR \
	VINSERTPS $0x20, (R14)(AX*1), XS, XS \
	VINSERTPS $0x30, (R11)(AX*1), XR, XR \
	VINSERTPS $0x30, (R15)(AX*1), XS, XS

#define WEIGHT4(at, i) \
	MOVL         at(DI), AX       \
	VBROADCASTSS (BX)(AX*4), X0   \
	VINSERTF32X4 $i, X0, Z22, Z22

// FOUR_PAIRS stores (h, g) of four rows and adds them to the sums of two rows and
// two: of g to GA and GB, of h to HA and HB, of |g| to AA and AB.
#define FOUR_PAIRS(at, to, KA, KB, GA, GB, HA, HB, AA, AB, unweighted) \
	TESTQ         BX, BX                                    \
	JZ            unweighted                                \
	WEIGHT4(at, 0)                                          \
	WEIGHT4(at+4, 1)                                        \
	WEIGHT4(at+8, 2)                                        \
	WEIGHT4(at+12, 3)                                       \
	unweighted:                                             \
	PAIRS_ROW(at, X0, X1)                                   \
	PAIRS_ROW(at+4, X2, X3)                                 \
	PAIRS_ROW(at+8, X4, X5)                                 \
	PAIRS_ROW(at+12, X6, X7)                                \
	VINSERTF128   $1, X2, Y0, Y0                            \
	VINSERTF128   $1, X3, Y1, Y1                            \
	VINSERTF128   $1, X6, Y4, Y4                            \
	VINSERTF128   $1, X7, Y5, Y5                            \
	VINSERTF64X4  $1, Y4, Z0, Z0                            \
	VINSERTF64X4  $1, Y5, Z1, Z1                            \
	GRADIENT_AVX512(Z0, Z1, Z2, Z3, Z4, Z22, Z25, Z30, Z31) \
	VMOVAPS       Z3, Z4                                    \
	VMOVAPS       Z3, Z5                                    \
	VPERMT2PS     Z2, Z28, Z4                               \
	VPERMT2PS     Z2, Z27, Z5                               \
	VMOVUPS       Z4, to(SI)                                \
	VMOVUPS       Z5, (to+64)(SI)                           \
	VANDPS        Z2, Z30, Z6                               \
	VMAXPS        Z6, Z20, Z20                              \
	VMAXPS        Z3, Z21, Z21                              \
	VEXTRACTF64X4 $1, Z2, Y4                                \
	VEXTRACTF64X4 $1, Z3, Y5                                \
	VCVTPS2PD     Y2, Z2                                    \
	VCVTPS2PD     Y4, Z4                                    \
	VCVTPS2PD     Y3, Z3                                    \
	VCVTPS2PD     Y5, Z5                                    \
	VADDPD        Z29, Z2, Z6                               \
	VADDPD        Z29, Z4, Z7                               \
	VADDPD        Z29, Z3, Z3                               \
	VADDPD        Z29, Z5, Z5                               \
	VPADDQ        Z6, GA, KA, GA                            \
	VPADDQ        Z7, GB, KB, GB                            \
	VPADDQ        Z3, HA, KA, HA                            \
	VPADDQ        Z5, HB, KB, HB                            \
	VANDPD        Z2, Z26, Z2                               \
	VANDPD        Z4, Z26, Z4                               \
	VADDPD        Z29, Z2, Z2                               \
	VADDPD        Z29, Z4, Z4                               \
	VPADDQ        Z2, AA, KA, AA                            \
	VPADDQ        Z4, AB, KB, AB

// FOLD_SUMS and FOLD_MAXIMA add up the lanes, pair by pair.
#define FOLD_SUMS(A, Y, B, C, D, to) \
	VPADDQ        C, A, A   \ // rows 0, 1 and 4, 5
	VPADDQ        D, B, B   \ // rows 2, 3 and 6, 7
	VPADDQ        B, A, A   \
	VEXTRACTI64X4 $1, A, Y0 \
	VPADDQ        Y0, Y, Y  \
	VMOVUPD       Y, to(SP)

#define FOLD_MAXIMA(Z, Y, X, to) \
	VEXTRACTF64X4 $1, Z, Y0 \
	VMAXPS        Y0, Y, Y  \
	VEXTRACTF64X2 $1, Y, X0 \
	VMAXPS        X0, X, X  \
	VMOVUPS       X, to(SP)

// PAIR_CLASS sets R to the residuals of a class.
#define PAIR_CLASS(class, R) \
	MOVL class, R     \
	LEAQ (SI)(R*4), R

// func gradientsAVX512(j *gradientsJob)
TEXT ·gradientsAVX512(SB), 0, $496-8
	NO_LOCAL_POINTERS
	VPMOVZXBD    ·interleave+0(SB), Z28
	VBROADCASTSS ·updateConst+0(SB), Z22
	VBROADCASTSS ·squareFrom(SB), Z25
	VBROADCASTSD ·abs64(SB), Z26
	VBROADCASTSS ·abs32(SB), Z30
	VPXORD       Y31, Y31, Y31
	MOVQ         j+0(FP), AX
	SHIFT64(gradientsJob_Unit(AX), R8, X0)
	VBROADCASTSD X0, Z29
	START64(X0, (gradientsJob_Rows+sliceLen)(AX), R8)
	MOVQ         R8, gradAVX512Start(SP)
	MOVQ         gradientsJob_Stride(AX), DX
	SHLQ         $2, DX
	MOVQ         gradientsJob_Gradients(AX), SI
	MOVQ         gradientsJob_Pairs(AX), BX
	MOVQ         (gradientsJob_Pairs+sliceLen)(AX), R8
	CMPQ         R8, $1
	JNE          many

	// One pair.
	MOVQ   DX, gradAVX512Stride(SP)
	MOVQ   gradientsJob_Weights(AX), R9
	MOVQ   R9, gradAVX512Weights(SP)
	MOVQ   gradientsJob_Rows(AX), DI
	MOVQ   (gradientsJob_Rows+sliceLen)(AX), CX
	MOVQ   gradientsJob_Residuals(AX), R8
	MOVL   pair_R(BX), AX
	MOVL   pair_S(BX), BX
	LEAQ   (R8)(AX*4), AX
	LEAQ   (R8)(BX*4), BX
	VPXORD X8, X8, X8
	VPXORD X12, X12, X12
	VPXORD X16, X16, X16
	VPXORD X20, X20, X20
	VPXORD X21, X21, X21
	KXNORB K7, K7, K7
	TESTQ  CX, CX
	JZ     oneDone

one:
	CMPQ CX, $8
	JB   oneFew

oneEight:
	ROWS8
	MOVQ    gradAVX512Weights(SP), DX
	TESTQ   DX, DX
	JZ      oneOffsets
	GATHER8(DX, 4, X4, Y4, X5)
	VMOVAPS Y4, Y22

oneOffsets:
	MOVQ      gradAVX512Stride(SP), DX
	OFFSETS8
	GATHER8(AX, 1, X0, Y0, X4)
	GATHER8(BX, 1, X1, Y1, X5)
	GRADIENT_AVX512(Y0, Y1, Y2, Y3, Y4, Y22, Y25, Y30, Y31)
	VMOVAPS   Z3, Z4
	VPERMT2PS Z2, Z28, Z4
	VMOVUPD   Z4, K7, (SI)
	VANDPS    Y2, Y30, Y6
	VMAXPS    Y6, Y20, Y20
	VMAXPS    Y3, Y21, Y21
	VCVTPS2PD Y2, Z2
	VCVTPS2PD Y3, Z3
	VADDPD    Z29, Z2, Z4
	VADDPD    Z29, Z3, Z3
	VPADDQ    Z4, Z8, K7, Z8
	VPADDQ    Z3, Z12, K7, Z12
	VANDPD    Z2, Z26, Z2
	VADDPD    Z29, Z2, Z2
	VPADDQ    Z2, Z16, K7, Z16
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JA        one

oneDone:
	MOVQ j+0(FP), DI
	ADDQ $gradientsJob_Stats, DI
	FOLD_SUM_AVX512(Z8, Y8, X8, pairStats_SumG)
	FOLD_SUM_AVX512(Z12, Y12, X12, pairStats_SumH)
	FOLD_SUM_AVX512(Z16, Y16, X16, pairStats_SumAbsG)
	FOLD_MAX_AVX512(Y20, X20, pairStats_MaxAbsG)
	FOLD_MAX_AVX512(Y21, X21, pairStats_MaxH)
	VZEROUPPER
	RET

oneFew:
	FILL8(gradAVX512Rows)
	JMP oneEight

many:
	// An even number of pairs.
	MOVQ         BX, gradAVX512Pair(SP)
	MOVQ         SI, gradAVX512Out(SP)
	MOVQ         R8, gradAVX512Left(SP)
	SHLQ         $3, R8
	MOVQ         R8, gradAVX512Row(SP)
	LEAQ         gradientsJob_Stats(AX), R8
	MOVQ         R8, gradAVX512Stats(SP)
	MOVL         $8, R8
	VPBROADCASTD R8, Z27
	VPADDD       Z28, Z27, Z27

four:
	// The next four, or two twice: their classes.
	MOVQ j+0(FP), CX
	MOVQ gradientsJob_Residuals(CX), SI
	MOVQ gradAVX512Pair(SP), AX
	MOVQ AX, BX
	MOVL $3, DI
	CMPQ gradAVX512Left(SP), $4
	JB   classes
	ADDQ $(2*pair__size), BX
	MOVL $15, DI

classes:
	KMOVB  DI, K6
	PAIR_CLASS(pair_R(AX), R8)
	PAIR_CLASS((pair__size+pair_R)(AX), R9)
	PAIR_CLASS(pair_R(BX), R10)
	PAIR_CLASS((pair__size+pair_R)(BX), R11)
	PAIR_CLASS(pair_S(AX), R12)
	PAIR_CLASS((pair__size+pair_S)(AX), R13)
	PAIR_CLASS(pair_S(BX), R14)
	PAIR_CLASS((pair__size+pair_S)(BX), R15)
	MOVQ   gradientsJob_Weights(CX), BX
	MOVQ   gradientsJob_Rows(CX), DI
	MOVQ   (gradientsJob_Rows+sliceLen)(CX), CX
	VPXORD X8, X8, X8
	VPXORD X9, X9, X9
	VPXORD X10, X10, X10
	VPXORD X11, X11, X11
	VPXORD X12, X12, X12
	VPXORD X13, X13, X13
	VPXORD X14, X14, X14
	VPXORD X15, X15, X15
	VPXORD X16, X16, X16
	VPXORD X17, X17, X17
	VPXORD X18, X18, X18
	VPXORD X19, X19, X19
	VPXORD X20, X20, X20
	VPXORD X21, X21, X21
	KXNORB K1, K1, K1
	KXNORB K2, K2, K2
	KXNORB K3, K3, K3
	KXNORB K4, K4, K4
	TESTQ  CX, CX
	JZ     stats

	// The output of rows of four pairs goes where it belongs at once.
	MOVQ gradAVX512Out(SP), SI
	MOVQ SI, gradAVX512Next(SP)
	CMPQ gradAVX512Row(SP), $32
	JEQ  eight
	LEAQ gradAVX512Aside(SP), SI

eight:
	CMPQ CX, $8
	JB   few
	CMPQ CX, $(aheadRows+8)
	JB   rows
	PAIRS_AHEAD(0)
	PAIRS_AHEAD(4)
	PAIRS_AHEAD(8)
	PAIRS_AHEAD(12)
	PAIRS_AHEAD(16)
	PAIRS_AHEAD(20)
	PAIRS_AHEAD(24)
	PAIRS_AHEAD(28)

rows:
	FOUR_PAIRS(0, 0, K1, K2, Z8, Z9, Z12, Z13, Z16, Z17, unweighted0)
	FOUR_PAIRS(16, 128, K3, K4, Z10, Z11, Z14, Z15, Z18, Z19, unweighted4)
	LEAQ gradAVX512Aside(SP), AX
	CMPQ SI, AX
	JEQ  aside
	ADDQ $256, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JNZ  eight
	JMP  stats

aside:
	// Copy what was put aside: the rows that count, the pairs that there are.
	MOVL    $8, AX
	CMPQ    CX, AX
	CMOVQLT CX, AX
	SHLQ    $5, AX
	MOVQ    AX, gradAVX512End(SP)
	MOVQ    gradAVX512Next(SP), SI
	XORL    AX, AX

copyout:
	VMOVUPD gradAVX512Aside(SP)(AX*1), Y0
	VMOVUPD Y0, K6, (SI)
	ADDQ    gradAVX512Row(SP), SI
	ADDQ    $32, AX
	CMPQ    AX, gradAVX512End(SP)
	JB      copyout
	MOVQ    SI, gradAVX512Next(SP)
	LEAQ    gradAVX512Aside(SP), SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JA      eight

stats:
	FOLD_SUMS(Z8, Y8, Z9, Z10, Z11, gradAVX512Sums)
	FOLD_SUMS(Z12, Y12, Z13, Z14, Z15, gradAVX512Sums+32)
	FOLD_SUMS(Z16, Y16, Z17, Z18, Z19, gradAVX512Sums+64)
	FOLD_MAXIMA(Z20, Y20, X20, gradAVX512Maxima)
	FOLD_MAXIMA(Z21, Y21, X21, gradAVX512Maxima+16)
	MOVQ gradAVX512Stats(SP), DI
	MOVQ gradAVX512Start(SP), R9
	XORL AX, AX

pairstats:
	MOVQ gradAVX512Sums(SP)(AX*8), R8
	ADDQ R9, R8
	MOVQ R8, pairStats_SumG(DI)
	MOVQ (gradAVX512Sums+32)(SP)(AX*8), R8
	ADDQ R9, R8
	MOVQ R8, pairStats_SumH(DI)
	MOVQ (gradAVX512Sums+64)(SP)(AX*8), R8
	ADDQ R9, R8
	MOVQ R8, pairStats_SumAbsG(DI)
	MOVL gradAVX512Maxima(SP)(AX*4), R8
	MOVL R8, pairStats_MaxAbsG(DI)
	MOVL (gradAVX512Maxima+16)(SP)(AX*4), R8
	MOVL R8, pairStats_MaxH(DI)
	ADDQ $pairStats__size, DI
	DECQ gradAVX512Left(SP)
	JZ   done
	INCQ AX
	CMPQ AX, $4
	JB   pairstats
	MOVQ DI, gradAVX512Stats(SP)
	ADDQ $(4*pair__size), gradAVX512Pair(SP)
	ADDQ $32, gradAVX512Out(SP)
	JMP  four

done:
	VZEROUPPER
	RET

few:
	// The last row, again and again, in place of those that are missing.
	VPBROADCASTD -4(DI)(CX*4), Y0
	MOVL         $-1, AX
	BZHIL        CX, AX, AX
	KMOVB        AX, K5
	VMOVDQU32    (DI), K5, Y0
	VMOVDQU32    Y0, gradAVX512Rows(SP)
	LEAQ         gradAVX512Rows(SP), DI

	// Their lanes, four a row, do not count.
	CMPQ gradAVX512Row(SP), $32
	JNE  ignore
	MOVQ SI, gradAVX512Next(SP)

ignore:
	MOVL  $0x11111111, SI
	PDEPL SI, AX, AX
	IMULL $15, AX
	KMOVB AX, K1
	SHRL  $8, AX
	KMOVB AX, K2
	SHRL  $8, AX
	KMOVB AX, K3
	SHRL  $8, AX
	KMOVB AX, K4
	LEAQ  gradAVX512Aside(SP), SI
	JMP   rows

// ---------------------------------------------------------------------------
// Gradients, AVX2: as AVX-512, but the sums of all pairs pass through memory
//
//	Y0-Y9 temporaries, first as above   Y10 the least u to square
//	Y11 abs, float64                    Y12 zero
//	Y13 lanes of the rows that count    Y14 weights        Y15 abs

// The frame. Sums lie pair by pair: 64 bytes each of g, h and |g|, 32 each of
// the maxima of |g| and h. Rows and cells are those of fewer than eight rows.
#define gradAVX2Sums 0
#define gradAVX2Cells (8*256)
#define gradAVX2Rows (gradAVX2Cells+8*8*8)
#define gradAVX2Cursor (gradAVX2Rows+32)
#define gradAVX2Left (gradAVX2Rows+40)
#define gradAVX2Out (gradAVX2Rows+48)
#define gradAVX2End (gradAVX2Rows+56)
#define gradAVX2Residuals (gradAVX2Rows+64)
#define gradAVX2Stride (gradAVX2Rows+72)
#define gradAVX2Weights (gradAVX2Rows+80)
#define gradAVX2Shift (gradAVX2Rows+88)

// PAIR_CLASSES points AX and BX at the classes of the pair that stands at an
// offset from DI.
#define PAIR_CLASSES(offset) \
	MOVL (pair_R+offset)(DI), AX   \
	MOVL (pair_S+offset)(DI), BX   \
	SHLQ $2, AX                    \
	SHLQ $2, BX                    \
	ADDQ gradAVX2Residuals(SP), AX \
	ADDQ gradAVX2Residuals(SP), BX

// FETCH2 prefetches the start of two rows, aheadEights times eight rows ahead.
#define aheadEights 4
#define FETCH2(offset) \
	MOVL       (32*aheadEights+offset)(DI), R8   \
	MOVL       (32*aheadEights+offset+4)(DI), R9 \
	IMULQ      DX, R8                            \
	IMULQ      DX, R9                            \
	PREFETCHT0 (SI)(R8*1)                        \
	PREFETCHT0 (SI)(R9*1)

// GRADIENT_AVX2 computes g = Y2 and h = Y3 of eight rows along the pair of AX and BX.
#define GRADIENT_AVX2 \
	GATHER8(AX, 1, X0, Y0, X4) \
	GATHER8(BX, 1, X1, Y1, X5) \
	VSUBPS Y0, Y1, Y2          \ // u = s - r
	VORPS  Y0, Y1, Y4          \
	VPSRAD $31, Y4, Y4         \ // rows of class r or s
	VMAXPS Y0, Y1, Y5          \
	VADDPS Y5, Y5, Y5          \
	VANDPS Y4, Y5, Y5          \ // 2·max(r, s) of those rows
	VANDPS Y0, Y15, Y0         \
	VANDPS Y1, Y15, Y1         \
	VADDPS Y1, Y0, Y3          \ // h = |r| + |s|
	VADDPS Y5, Y3, Y3          \
	VANDPS Y2, Y15, Y4         \
	VCMPPS $5, Y10, Y4, Y4     \
	VANDPS Y2, Y4, Y4          \
	VMULPS Y4, Y4, Y4          \
	VSUBPS Y4, Y3, Y3          \ // - u², or 0 for one that is lost
	VMAXPS Y12, Y3, Y3         \
	VMULPS Y2, Y14, Y2         \ // both by weight
	VMULPS Y3, Y14, Y3

// STATS_AVX2 adds them to the pair's sums at SI.
#define STATS_AVX2 \
	VANDPS       Y13, Y2, Y4           \
	VANDPS       Y13, Y3, Y5           \
	VEXTRACTF128 $1, Y4, X6            \
	VEXTRACTF128 $1, Y5, X7            \
	VCVTPS2PD    X4, Y8                \
	VCVTPS2PD    X6, Y9                \
	VCVTPS2PD    X5, Y5                \
	VCVTPS2PD    X7, Y7                \
	VMOVUPD      gradAVX2Shift(SP), Y6 \
	VADDPD       Y6, Y8, Y0            \
	VADDPD       Y6, Y9, Y1            \
	VADDPD       Y6, Y5, Y5            \
	VADDPD       Y6, Y7, Y7            \
	VPADDQ       (SI), Y0, Y0          \
	VPADDQ       32(SI), Y1, Y1        \
	VPADDQ       64(SI), Y5, Y5        \
	VPADDQ       96(SI), Y7, Y7        \
	VANDPD       Y8, Y11, Y8           \
	VANDPD       Y9, Y11, Y9           \
	VADDPD       Y6, Y8, Y8            \
	VADDPD       Y6, Y9, Y9            \
	VPADDQ       128(SI), Y8, Y8       \
	VPADDQ       160(SI), Y9, Y9       \
	VANDPS       Y2, Y15, Y4           \
	VMAXPS       192(SI), Y4, Y4       \
	VMAXPS       224(SI), Y3, Y6       \
	VMOVUPD      Y0, (SI)              \
	VMOVUPD      Y1, 32(SI)            \
	VMOVUPD      Y5, 64(SI)            \
	VMOVUPD      Y7, 96(SI)            \
	VMOVUPD      Y8, 128(SI)           \
	VMOVUPD      Y9, 160(SI)           \
	VMOVUPS      Y4, 192(SI)           \
	VMOVUPS      Y6, 224(SI)

// FOLD_SUM_AVX2 adds up the lanes of a sum, and R9.
#define FOLD_SUM_AVX2(from, to) \
	VMOVDQU      from(SI), Y0          \
	VPADDQ       (from+32)(SI), Y0, Y0 \
	VEXTRACTI128 $1, Y0, X1            \
	VPADDQ       X1, X0, X0            \
	VPSHUFD      $0x4E, X0, X1         \
	VPADDQ       X1, X0, X0            \
	VMOVQ        X0, R8                \
	ADDQ         R9, R8                \
	MOVQ         R8, to(DI)

#define FOLD_MAX_AVX2(from, to) \
	VMOVUPS   from(SI), X0          \
	VMAXPS    (from+16)(SI), X0, X0 \
	VPERMILPS $0x4E, X0, X1         \
	VMAXPS    X1, X0, X0            \
	VPERMILPS $0xB1, X0, X1         \
	VMAXSS    X1, X0, X0            \
	VMOVSS    X0, to(DI)

// func gradientsAVX2(j *gradientsJob)
TEXT ·gradientsAVX2(SB), 0, $2680-8
	NO_LOCAL_POINTERS
	VBROADCASTSD ·abs64(SB), Y11
	VBROADCASTSS ·squareFrom(SB), Y10
	VXORPS       Y12, Y12, Y12
	VPCMPEQD     Y13, Y13, Y13
	VBROADCASTSS ·updateConst+0(SB), Y14
	VBROADCASTSS ·abs32(SB), Y15
	MOVQ         j+0(FP), AX
	SHIFT64(gradientsJob_Unit(AX), R8, X0)
	VBROADCASTSD X0, Y0
	VMOVUPD      Y0, gradAVX2Shift(SP)
	MOVQ         gradientsJob_Residuals(AX), R8
	MOVQ         R8, gradAVX2Residuals(SP)
	MOVQ         gradientsJob_Stride(AX), R8
	SHLQ         $2, R8
	MOVQ         R8, gradAVX2Stride(SP)
	MOVQ         gradientsJob_Weights(AX), R8
	MOVQ         R8, gradAVX2Weights(SP)
	MOVQ         gradientsJob_Gradients(AX), R8
	MOVQ         R8, gradAVX2Out(SP)
	MOVQ         gradientsJob_Pairs(AX), BX
	MOVQ         (gradientsJob_Pairs+sliceLen)(AX), R8
	LEAQ         (BX)(R8*8), R9
	MOVQ         R9, gradAVX2End(SP)
	LEAQ         gradAVX2Sums(SP), R9

clear:
	VMOVUPS Y12, (R9)
	VMOVUPS Y12, 32(R9)
	VMOVUPS Y12, 64(R9)
	VMOVUPS Y12, 96(R9)
	VMOVUPS Y12, 128(R9)
	VMOVUPS Y12, 160(R9)
	VMOVUPS Y12, 192(R9)
	VMOVUPS Y12, 224(R9)
	ADDQ    $256, R9
	DECQ    R8
	JNZ     clear
	MOVQ    gradientsJob_Rows(AX), DI
	MOVQ    (gradientsJob_Rows+sliceLen)(AX), CX
	TESTQ   CX, CX
	JZ      stats

eight:
	MOVQ CX, gradAVX2Left(SP)
	MOVQ DI, gradAVX2Cursor(SP)
	CMPQ CX, $8
	JB   few
	CMPQ CX, $(8*aheadEights+8)
	JB   near
	MOVQ gradAVX2Residuals(SP), SI
	MOVQ gradAVX2Stride(SP), DX
	FETCH2(0)
	FETCH2(8)
	FETCH2(16)
	FETCH2(24)

near:
	MOVQ gradAVX2Out(SP), CX

rows:
	ROWS8
	MOVQ  gradAVX2Weights(SP), DX
	TESTQ DX, DX
	JZ    offsets
	GATHER8(DX, 4, X14, Y14, X5)

offsets:
	MOVQ gradAVX2Stride(SP), DX
	OFFSETS8
	MOVQ j+0(FP), AX
	MOVQ gradientsJob_Pairs(AX), DI
	MOVQ (gradientsJob_Pairs+sliceLen)(AX), DX
	SHLQ $3, DX
	LEAQ gradAVX2Sums(SP), SI

pairs:
	PAIR_CLASSES(0)
	GRADIENT_AVX2
	STATS_AVX2

	// (h, g): rows 0, 1, 4, 5 and 2, 3, 6, 7.
	VUNPCKLPS    Y2, Y3, Y0
	VUNPCKHPS    Y2, Y3, Y1
	CMPQ         DX, $8
	JE           onePair
	LEAQ         (CX)(DX*2), AX
	LEAQ         (CX)(DX*4), BX
	VMOVLPS      X0, (CX)
	VMOVHPS      X0, (CX)(DX*1)
	VMOVLPS      X1, (AX)
	VMOVHPS      X1, (AX)(DX*1)
	LEAQ         (BX)(DX*2), AX
	VEXTRACTF128 $1, Y0, X0
	VEXTRACTF128 $1, Y1, X1
	VMOVLPS      X0, (BX)
	VMOVHPS      X0, (BX)(DX*1)
	VMOVLPS      X1, (AX)
	VMOVHPS      X1, (AX)(DX*1)
	ADDQ         $256, SI
	ADDQ         $8, CX
	ADDQ         $pair__size, DI
	CMPQ         DI, gradAVX2End(SP)
	JB           pairs

next:
	// The next eight rows.
	SHLQ $3, DX
	MOVQ gradAVX2Left(SP), CX
	MOVQ gradAVX2Cursor(SP), DI
	CMPQ CX, $8
	JB   copyout
	ADDQ DX, gradAVX2Out(SP)
	ADDQ $32, DI
	SUBQ $8, CX
	JA   eight
	JMP  stats

onePair:
	VPERM2F128 $0x20, Y1, Y0, Y2
	VPERM2F128 $0x31, Y1, Y0, Y3
	VMOVUPS    Y2, (CX)
	VMOVUPS    Y3, 32(CX)
	JMP        next

few:
	// The last row again, in place of those that are missing.
	VMOVD        CX, X0
	VPBROADCASTD X0, Y0
	VPMOVZXBD    ·count16(SB), Y1
	VPCMPGTD     Y1, Y0, Y13
	VPMASKMOVD   (DI), Y13, Y0
	VPBROADCASTD -4(DI)(CX*4), Y1
	VPBLENDVB    Y13, Y0, Y1, Y0
	VMOVDQU      Y0, gradAVX2Rows(SP)
	LEAQ         gradAVX2Rows(SP), DI
	LEAQ         gradAVX2Cells(SP), CX
	JMP          rows

copyout:
	// Fewer than eight rows were computed aside: CX rows of DX/8 bytes.
	IMULQ DX, CX
	SHRQ  $6, CX
	MOVQ  gradAVX2Out(SP), DI
	LEAQ  gradAVX2Cells(SP), SI

copy8:
	MOVQ -8(SI)(CX*8), AX
	MOVQ AX, -8(DI)(CX*8)
	DECQ CX
	JNZ  copy8

	// Add up the lanes: 8, 4, 2, 1.
stats:
	MOVQ j+0(FP), AX
	MOVQ (gradientsJob_Pairs+sliceLen)(AX), CX
	LEAQ gradientsJob_Stats(AX), DI
	LEAQ gradAVX2Sums(SP), SI

	// All lanes have the shift, also those of rows that do not count.
	MOVQ  (gradientsJob_Rows+sliceLen)(AX), R9
	ADDQ  $7, R9
	ANDQ  $~7, R9
	IMULQ gradAVX2Shift(SP), R9
	NEGQ  R9

pair:
	FOLD_SUM_AVX2(0, pairStats_SumG)
	FOLD_SUM_AVX2(64, pairStats_SumH)
	FOLD_SUM_AVX2(128, pairStats_SumAbsG)
	FOLD_MAX_AVX2(192, pairStats_MaxAbsG)
	FOLD_MAX_AVX2(224, pairStats_MaxH)
	ADDQ $256, SI
	ADDQ $pairStats__size, DI
	DECQ CX
	JNZ  pair
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Quantize, AVX-512: eight cells at a time, of eight, four, two rows or one
//
// Stores do not reach input that has not been read, not even those of rows that
// are then dropped: output may take the place of input.
//
//	DI row cursor     CX rows left      SI gradients
//	R8 cells out      R9 rows out       R10 rows a vector
//	R11 folding shift                   R14, R15, DX masks, see below
//	R13 weights, or 0                   AX, BX temporaries
//	Z0 gradients      Z1 |gradients|    Z2 cells     Y3 row numbers
//	Z4, Z5 weights    Z22 which row's each lane is   Z23 trim bounds
//	Z24 those times the weights         Z25 scales   Z26 abs of g only
//	Z27 sum of cells  Z28 sum of h      Z29 low halves
//	K4 lanes, K5 rows and K6 cells that there are

// QUANTIZE_PAIRS sets Z to (h, g) of the pairs in turn, from two lists of the job.
#define QUANTIZE_PAIRS(H, G, Z) \
	VMOVUPS   H(DX), Y0  \ // eight pairs, of which m count
	VMOVUPS   G(DX), Y1  \
	VPERMPS   Y0, Y2, Y0 \ // 0, …, m-1, 0, …
	VPERMPS   Y1, Y2, Y1 \
	VPERMT2PS Z1, Z3, Z0 \ // h, g, h, g …
	VMOVAPS   Z0, Z

// func quantizeAVX512(j *quantizeJob)
TEXT ·quantizeAVX512(SB), NOSPLIT, $0-8
	MOVQ         j+0(FP), DX
	MOVQ         quantizeJob_Pairs(DX), CX
	VBROADCASTSD ·abs64(SB), Z26
	VPXORQ       Z27, Z27, Z27
	VPXORQ       Z28, Z28, Z28
	VPTERNLOGD   $0xFF, Z29, Z29, Z29
	VPSRLQ       $32, Z29, Z29

	// Bounds and scales of the pairs in turn: lane l is of pair l mod m.
	LEAQ         -1(CX), AX
	VPBROADCASTD AX, Y1
	VPMOVZXBD    ·count16(SB), Y2
	VPANDD       Y1, Y2, Y2
	VPMOVZXBD    ·interleave+0(SB), Z3
	QUANTIZE_PAIRS(quantizeJob_TrimH, quantizeJob_TrimG, Z23)
	QUANTIZE_PAIRS(quantizeJob_ScaleH, quantizeJob_ScaleG, Z25)
	VMOVAPS      Z23, Z24

	MOVQ quantizeJob_Weights(DX), R13
	MOVQ quantizeJob_Gradients(DX), SI
	MOVQ quantizeJob_Cells(DX), R8
	MOVQ quantizeJob_KeptRows(DX), R9
	MOVQ quantizeJob_Rows(DX), DI
	CMPQ CX, $4
	JAE  wide

	// A row has 2m lanes, of which one must pass. Their bits are folded into
	// the lowest, by shifts of 1 and, if m is 2, of 2. R14 has the lowest bit
	// of each row, R15 the lowest cell of each, DX = 2^m - 1. Lane l is of row
	// l/2m, which is l>>m.
	VPMOVZXBD ·count16(SB), Z22
	VMOVD     CX, X4
	VPSRLD    X4, Z22, Z22
	XORL      R11, R11
	MOVL      $0x5555, R14
	MOVL      $0xFF, R15
	CMPQ      CX, $2
	JB        folds
	MOVL      $2, R11
	MOVL      $0x1111, R14
	MOVL      $0x55, R15

folds:
	POPCNTL R15, R10
	MOVL    $-1, AX
	BZHIL   R10, AX, BX
	KMOVB   BX, K5
	KXNORB  K6, K6, K6
	KXNORW  K4, K4, K4
	MOVQ    (quantizeJob_Rows+sliceLen)(DX), BX
	BZHIL   CX, AX, DX
	MOVQ    BX, CX
	TESTQ   CX, CX
	JZ      done

loop:
	CMPQ CX, R10
	JB   few

eight:
	TESTQ R13, R13
	JNZ   weigh

weighed:
	// AX = lanes that are not below their bounds.
	VMOVUPS.Z   (SI), K4, Z0
	VPANDD      Z0, Z26, Z1
	VCMPPS      $5, Z24, Z1, K4, K1
	KMOVW       K1, AX
	VMULPS.RN_SAE Z25, Z0, Z0
	VCVTPS2DQ.RN_SAE Z0, Z2
	VMOVDQU32.Z (DI), K5, Y3

	// BX = rows to keep, AX = their cells.
	MOVL  AX, BX
	SHRL  $1, BX
	ORL   BX, AX
	SHRXL R11, AX, BX
	ORL   BX, AX
	PEXTL R14, AX, BX
	PDEPL R15, BX, AX
	IMULL DX, AX

	// Keep these.
	KMOVB         AX, K1
	KMOVB         BX, K2
	VPCOMPRESSQ.Z Z2, K1, Z2
	VPCOMPRESSD.Z Y3, K2, Y3
	VMOVDQU64     Z2, K6, (R8)
	VMOVDQU32     Y3, K5, (R9)
	VPADDQ        Z2, Z27, Z27
	VPANDQ        Z2, Z29, Z2
	VPADDQ        Z2, Z28, Z28
	POPCNTL       AX, AX
	POPCNTL       BX, BX
	LEAQ          (R8)(AX*8), R8
	LEAQ          (R9)(BX*4), R9
	ADDQ          $64, SI
	LEAQ          (DI)(R10*4), DI
	SUBQ          R10, CX
	JA            loop

done:
	// Σg = (Σcells - Σh) / 2³²; fold the lanes of a pair; zero past m.
	VPSUBQ     Z28, Z27, Z27
	VPSRAQ     $32, Z27, Z27
	MOVQ       j+0(FP), DI
	MOVQ       quantizeJob_Pairs(DI), CX
	MOVL       $-1, DX
	BZHIL      CX, DX, DX
	CMPQ       CX, $8
	JEQ        folded
	VSHUFI64X2 $0x4E, Z27, Z27, Z0
	VSHUFI64X2 $0x4E, Z28, Z28, Z1
	VPADDQ     Z0, Z27, Z27
	VPADDQ     Z1, Z28, Z28
	CMPQ       CX, $4
	JEQ        folded
	VPERMQ     $0x4E, Z27, Z0
	VPERMQ     $0x4E, Z28, Z1
	VPADDQ     Z0, Z27, Z27
	VPADDQ     Z1, Z28, Z28
	CMPQ       CX, $2
	JE         folded
	VPERMQ     $0xB1, Z27, Z0
	VPERMQ     $0xB1, Z28, Z1
	VPADDQ     Z0, Z27, Z27
	VPADDQ     Z1, Z28, Z28

folded:
	KMOVB       DX, K1
	VMOVDQU64.Z Z27, K1, Z27
	VMOVDQU64.Z Z28, K1, Z28
	VMOVDQU64   Z27, quantizeJob_SumG(DI)
	VMOVDQU64   Z28, quantizeJob_SumH(DI)
	SUBQ        quantizeJob_KeptRows(DI), R9
	SHRQ        $2, R9
	MOVQ        R9, quantizeJob_Kept(DI)
	VZEROUPPER
	RET

weigh:
	// Bounds times the weights of the rows.
	VMOVDQU32.Z (DI), K5, Y3
	VPMOVZXDQ   Y3, Z4
	KMOVB       K5, K3
	VPXOR       X5, X5, X5
	VGATHERQPS  (R13)(Z4*4), K3, Y5
	VPERMPS     Z5, Z22, Z5
	VMULPS      Z5, Z23, Z24
	JMP         weighed

few:
	// The last rows, fewer than a vector's.
	MOVL  $-1, AX
	BZHIL CX, AX, BX
	KMOVB BX, K5
	PDEPL R15, BX, BX
	IMULL DX, BX
	KMOVB BX, K6
	MOVL  $0x5555, AX
	PDEPL AX, BX, BX
	LEAL  (BX)(BX*2), BX
	KMOVW BX, K4
	JMP   eight

wide:
	// Four or eight pairs: R10 = bytes of a row, K4 its lanes, K6 its cells.
	MOVL  $-1, AX
	BZHIL CX, AX, BX
	KMOVB BX, K6
	LEAL  (CX)(CX*1), BX
	BZHIL BX, AX, AX
	KMOVW AX, K4
	LEAL  (BX*4), R10
	MOVQ  (quantizeJob_Rows+sliceLen)(DX), CX
	CMPL  R10, $64
	JEQ   rows
	SUBQ  $2, CX
	JB    odd

	// Two rows of four cells: BX, DX = whether they are kept.
two:
	MOVL         (DI), R14
	MOVL         4(DI), R15
	TESTQ        R13, R13
	JZ           twoweighed
	VBROADCASTSS (R13)(R14*4), Y4
	VBROADCASTSS (R13)(R15*4), Y5
	VINSERTF64X4 $1, Y5, Z4, Z4
	VMULPS       Z4, Z23, Z24

twoweighed:
	VMOVUPS       (SI), Z0
	VPANDD        Z0, Z26, Z1
	VCMPPS        $5, Z24, Z1, K1
	VMULPS.RN_SAE    Z25, Z0, Z0
	VCVTPS2DQ.RN_SAE Z0, Z2
	KMOVW         K1, AX
	XORL          BX, BX
	XORL          DX, DX
	TESTB         AX, AX
	SETNE         BX
	SHRL          $8, AX
	SETNE         DX
	MOVL          R14, (R9)
	LEAQ          (R9)(BX*4), R9
	MOVL          R15, (R9)
	LEAQ          (R9)(DX*4), R9
	LEAL          (BX)(DX*8), AX   // four bits of K2 for either
	LEAL          (AX)(DX*8), AX
	IMULL         $15, AX
	KMOVB         AX, K2
	SHLL          $5, BX
	SHLL          $5, DX
	VMOVDQU       Y2, (R8)
	ADDQ          BX, R8
	VEXTRACTI64X4 $1, Z2, (R8)
	ADDQ          DX, R8
	VPADDQ        Z2, Z27, K2, Z27
	VPANDQ        Z2, Z29, Z2
	VPADDQ        Z2, Z28, K2, Z28
	ADDQ          $64, SI
	ADDQ          $8, DI
	SUBQ          $2, CX
	JAE           two

odd:
	ADDQ $2, CX

rows:
	TESTQ CX, CX
	JZ    done

	// Row by row: R11 = whether it is kept.
row:
	MOVL         (DI), AX
	TESTQ        R13, R13
	JZ           rowweighed
	VBROADCASTSS (R13)(AX*4), Z4
	VMULPS       Z4, Z23, Z24

rowweighed:
	VMOVUPS.Z (SI), K4, Z0
	VPANDD    Z0, Z26, Z1
	VCMPPS    $5, Z24, Z1, K4, K1
	VMULPS.RN_SAE    Z25, Z0, Z0
	VCVTPS2DQ.RN_SAE Z0, Z2
	XORL      R11, R11
	KORTESTW  K1, K1
	SETNE     R11
	MOVL      AX, (R9)
	LEAQ      (R9)(R11*4), R9
	NEGQ      R11
	KMOVB     R11, K2
	VMOVDQU64 Z2, K6, (R8)
	VPADDQ    Z2, Z27, K2, Z27
	VPANDQ    Z2, Z29, Z2
	VPADDQ    Z2, Z28, K2, Z28
	ANDQ      R10, R11
	ADDQ      R11, R8
	ADDQ      R10, SI
	ADDQ      $4, DI
	DECQ      CX
	JNZ       row
	JMP       done

// ---------------------------------------------------------------------------
// Quantize, AVX2: eight rows at a time, eight cells at a time; then row by row
//
// Stores do not reach input that has not been read.
//
//	DI row cursor     CX rows left      SI gradients     DX pairs m
//	R8 cells out      R9 rows out       R10 8/m          R11 folding table
//	R12 rows to keep  R13 counter       R14, R15 permutations
//	AX, BX temporaries                  BP weights, or 0
//	Y0, Y1 gradients, cells             Y2-Y4 temporaries
//	Y8, Y9 trim bounds   Y10, Y11 scales   Y12 weight
//	Y14 abs of g only    Y15 ones

// The frame: eight lanes of (h, g) bounds and of scales, later eight sums of g
// and of h; the bounds times the weights of eight rows, and their bytes.
#define quantAVX2Trim 0
#define quantAVX2Scale 64
#define quantAVX2Bounds 128
#define quantAVX2Bytes (quantAVX2Bounds+8*64)

// func quantizeAVX2(j *quantizeJob)
TEXT ·quantizeAVX2(SB), NOSPLIT, $648-8
	MOVQ         j+0(FP), DI
	MOVQ         quantizeJob_Weights(DI), BP
	MOVQ         quantizeJob_Pairs(DI), DX
	VBROADCASTSS ·updateConst+0(SB), Y12
	VBROADCASTSD ·abs64(SB), Y14
	VPCMPEQD     Y15, Y15, Y15

	// Bounds and scales of the pairs in turn: lane l is of pair l mod m.
	XORL CX, CX

lane:
	LEAL -1(DX), BX
	ANDL CX, BX
	MOVL quantizeJob_TrimH(DI)(BX*4), AX
	MOVL AX, quantAVX2Trim(SP)(CX*8)
	MOVL quantizeJob_TrimG(DI)(BX*4), AX
	MOVL AX, (quantAVX2Trim+4)(SP)(CX*8)
	MOVL quantizeJob_ScaleH(DI)(BX*4), AX
	MOVL AX, quantAVX2Scale(SP)(CX*8)
	MOVL quantizeJob_ScaleG(DI)(BX*4), AX
	MOVL AX, (quantAVX2Scale+4)(SP)(CX*8)
	INCL CX
	CMPL CX, $8
	JB   lane

	// R10 = 8/m = rows of eight cells, R11 = the table of that m.
	BSFL DX, CX
	MOVL $8, R10
	SHRL CX, R10
	SHLL $9, CX
	LEAQ ·foldCells(SB), R11
	ADDQ CX, R11
	LEAQ ·permute4(SB), R14
	LEAQ ·permute8(SB), R15

	MOVQ    quantizeJob_Gradients(DI), SI
	MOVQ    quantizeJob_Cells(DI), R8
	MOVQ    quantizeJob_KeptRows(DI), R9
	MOVQ    (quantizeJob_Rows+sliceLen)(DI), CX
	MOVQ    quantizeJob_Rows(DI), DI
	VMOVUPS quantAVX2Trim(SP), Y8
	VMOVUPS (quantAVX2Trim+32)(SP), Y9
	VMOVUPS quantAVX2Scale(SP), Y10
	VMOVUPS (quantAVX2Scale+32)(SP), Y11
	MOVQ    DX, AX
	SHLQ    $6, AX
	MOVQ    AX, quantAVX2Bytes(SP)
	SUBQ    $8, CX
	JB      few

bounds:
	// Bounds of eight rows. A row writes whole vectors; the next one overwrites
	// what is too many. Without weights the bounds stay the same.
	XORL BX, BX
	XORL R13, R13

bound:
	TESTQ        BP, BP
	JZ           boundWeighed
	MOVL         (DI)(R13*4), AX
	VBROADCASTSS (BP)(AX*4), Y12

boundWeighed:
	VMULPS  Y8, Y12, Y0
	VMULPS  Y9, Y12, Y1
	VMOVUPS Y0, quantAVX2Bounds(SP)(BX*1)
	VMOVUPS Y1, (quantAVX2Bounds+32)(SP)(BX*1)
	LEAQ    (BX)(DX*8), BX
	INCL    R13
	CMPL    R13, $8
	JB      bound

eight:
	XORL R12, R12
	XORL R13, R13

cells:
	// AX = cells of which both g and h are below their bounds.
	VMOVUPS   (SI), Y0
	VMOVUPS   32(SI), Y1
	VANDPS    Y14, Y0, Y2
	VANDPS    Y14, Y1, Y3
	VCMPPS    $1, quantAVX2Bounds(SP)(R13*1), Y2, Y2
	VCMPPS    $1, (quantAVX2Bounds+32)(SP)(R13*1), Y3, Y3
	VPCMPEQQ  Y15, Y2, Y2
	VPCMPEQQ  Y15, Y3, Y3
	VMOVMSKPD Y2, AX
	VMOVMSKPD Y3, BX
	SHLL      $4, BX
	ORL       BX, AX

	// R12 = rows to keep, the latest on top; AX = cells to keep.
	MOVWLZX (R11)(AX*2), AX
	MOVBLZX AH, BX
	SHRXL   R10, R12, R12
	ORL     BX, R12
	MOVBLZX AL, AX

	// Cells: products, rounded to even whatever the rounding mode.
	VMULPS    Y10, Y0, Y0
	VMULPS    Y11, Y1, Y1
	VROUNDPS  $0, Y0, Y0
	VROUNDPS  $0, Y1, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	MOVL      AX, BX
	ANDL      $15, BX
	SHRL      $4, AX
	VPMOVZXBD (R14)(BX*8), Y2
	VPMOVZXBD (R14)(AX*8), Y3
	VPERMD    Y0, Y2, Y0
	VPERMD    Y1, Y3, Y1
	POPCNTL   BX, BX
	POPCNTL   AX, AX
	VMOVDQU   Y0, (R8)
	LEAQ      (R8)(BX*8), R8
	VMOVDQU   Y1, (R8)
	LEAQ      (R8)(AX*8), R8
	ADDQ      $64, SI
	ADDQ      $64, R13
	CMPQ      R13, quantAVX2Bytes(SP)
	JB        cells

	// Rows.
	VPMOVZXBD (R15)(R12*8), Y2
	VPERMD    (DI), Y2, Y2
	VMOVDQU   Y2, (R9)
	POPCNTL   R12, R12
	LEAQ      (R9)(R12*4), R9
	ADDQ      $32, DI
	SUBQ      $8, CX
	JB        few
	TESTQ     BP, BP
	JZ        eight
	JMP       bounds

few:
	ADDQ $8, CX
	JZ   sum

row:
	// R12 = whether any pair passes.
	TESTQ        BP, BP
	JZ           rowWeighed
	MOVL         (DI), AX
	VBROADCASTSS (BP)(AX*4), X12

rowWeighed:
	XORL R12, R12
	XORL R13, R13

cell:
	VMOVSD    (SI)(R13*8), X0
	VANDPS    X14, X0, X2
	VMOVSD    quantAVX2Trim(SP)(R13*8), X3
	VMULPS    X12, X3, X3
	VCMPPS    $5, X3, X2, X2                // not less than
	VMOVMSKPS X2, AX
	ANDL      $3, AX
	ORL       AX, R12
	VMOVSD    quantAVX2Scale(SP)(R13*8), X3
	VMULPS    X3, X0, X0
	VROUNDPS  $0, X0, X0
	VCVTPS2DQ X0, X0
	VMOVQ     X0, (R8)(R13*8)
	INCL      R13
	CMPL      R13, DX
	JB        cell
	MOVL      (DI), AX
	MOVL      AX, (R9)
	LEAQ      (R8)(DX*8), AX
	LEAQ      4(R9), BX
	TESTL     R12, R12
	CMOVQNE   AX, R8
	CMOVQNE   BX, R9
	LEAQ      (SI)(DX*8), SI
	ADDQ      $4, DI
	DECQ      CX
	JNZ       row

sum:
	// Sums of the cells that were kept, SI to R8, in eight lanes: T = Y0, Y1 of
	// whole cells, H = Y2, Y3 of their h.
	MOVQ   j+0(FP), DI
	SUBQ   quantizeJob_KeptRows(DI), R9
	SHRQ   $2, R9
	MOVQ   R9, quantizeJob_Kept(DI)
	MOVQ   quantizeJob_Cells(DI), SI
	VPXOR  X0, X0, X0
	VPXOR  X1, X1, X1
	VPXOR  X2, X2, X2
	VPXOR  X3, X3, X3
	VPSRLQ $32, Y15, Y15
	SUBQ   $64, R8
	CMPQ   SI, R8
	JA     lanes

sum8:
	VMOVDQU (SI), Y4
	VMOVDQU 32(SI), Y5
	VPADDQ  Y4, Y0, Y0
	VPADDQ  Y5, Y1, Y1
	VPAND   Y15, Y4, Y4
	VPAND   Y15, Y5, Y5
	VPADDQ  Y4, Y2, Y2
	VPADDQ  Y5, Y3, Y3
	ADDQ    $64, SI
	CMPQ    SI, R8
	JBE     sum8

lanes:
	// Their Σg = (T - H) / 2³² and H, lane by lane.
	VPSUBQ  Y2, Y0, Y0
	VPSUBQ  Y3, Y1, Y1
	VMOVDQU Y0, (SP)
	VMOVDQU Y1, 32(SP)
	VMOVDQU Y2, 64(SP)
	VMOVDQU Y3, 96(SP)
	ADDQ    $64, R8
	DECQ    DX
	VPXOR   X0, X0, X0
	VMOVDQU Y0, quantizeJob_SumG(DI)
	VMOVDQU Y0, (quantizeJob_SumG+32)(DI)
	VMOVDQU Y0, quantizeJob_SumH(DI)
	VMOVDQU Y0, (quantizeJob_SumH+32)(DI)
	XORL    CX, CX

lanesum:
	MOVQ CX, BX
	ANDQ DX, BX
	MOVQ (SP)(CX*8), AX
	SARQ $32, AX
	ADDQ AX, quantizeJob_SumG(DI)(BX*8)
	MOVQ 64(SP)(CX*8), AX
	ADDQ AX, quantizeJob_SumH(DI)(BX*8)
	INCL CX
	CMPL CX, $8
	JB   lanesum

	// The last cells, fewer than eight.
	XORL CX, CX

cellsum:
	CMPQ    SI, R8
	JAE     done
	MOVQ    CX, BX
	ANDQ    DX, BX
	MOVLQSX 4(SI), AX
	ADDQ    AX, quantizeJob_SumG(DI)(BX*8)
	MOVL    (SI), AX
	ADDQ    AX, quantizeJob_SumH(DI)(BX*8)
	INCL    CX
	ADDQ    $8, SI
	JMP     cellsum

done:
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Histogram
//
// A bin is 64 bytes from the next. INDEX counts the rows up from −n to 0; what
// it indexes is addressed from its end.

#define ROWS    DX // past the last row number
#define INDEX   BX
#define CELL    AX // the row's cell, one pair
#define COLUMN0 R8
#define COLUMN1 R9
#define COLUMN2 R10
#define COLUMN3 R11

// Codes of listed rows are prefetched AHEAD rows before they are needed.
#define AHEAD 64

#define LOAD_COLUMN(k, column) MOVQ (histogramArgs_columns+8*k)(ARGS), column
#define LOAD_BINS(k, bins) MOVQ (histogramArgs_bins+8*k)(ARGS), bins

// OFFSET = 64·column[row]
#define BIN_OFFSET(column, row) \
	MOVBLZX (column)(row*1), OFFSET \
	SHLL    $6, OFFSET

// func histogramTile(a *histogramArgs)
//
// Eight columns whose histograms are the lanes of one tile, one pair.
//
//	R8 … R15  columns
//	DI TILE   bin 0 of the first column
//	BP TILE_ROW  row number
#define TILE    DI
#define TILE_ROW     BP
#define COLUMN4 R12
#define COLUMN5 R13
#define COLUMN6 R14
#define COLUMN7 R15

// tile[column[row]][lane] += cell
#define TILE_ADD(column, lane, row) \
	BIN_OFFSET(column, row)             \
	ADDQ CELL, (8*lane)(TILE)(OFFSET*1)

// all eight columns of one row
#define TILE_ADD8(row) \
	TILE_ADD(COLUMN0, 0, row) \
	TILE_ADD(COLUMN1, 1, row) \
	TILE_ADD(COLUMN2, 2, row) \
	TILE_ADD(COLUMN3, 3, row) \
	TILE_ADD(COLUMN4, 4, row) \
	TILE_ADD(COLUMN5, 5, row) \
	TILE_ADD(COLUMN6, 6, row) \
	TILE_ADD(COLUMN7, 7, row)

// row i+k of the list
#define TILE_LISTED(k) \
	MOVQ (8*k)(CELLS)(INDEX*8), CELL    \
	MOVL (4*k)(ROWS)(INDEX*4), TILE_ROW \
	TILE_ADD8(TILE_ROW)

// two columns of row i+k+AHEAD
#define TILE_PREFETCH(k, columnA, columnB) \
	MOVL       (4*(AHEAD+k))(ROWS)(INDEX*4), TILE_ROW \
	PREFETCHT0 (columnA)(TILE_ROW*1)                  \
	PREFETCHT0 (columnB)(TILE_ROW*1)

TEXT ·histogramTile(SB), NOSPLIT, $8-8
	MOVQ    a+0(FP), ARGS
	LOAD_COLUMN(0, COLUMN0)
	LOAD_COLUMN(1, COLUMN1)
	LOAD_COLUMN(2, COLUMN2)
	LOAD_COLUMN(3, COLUMN3)
	LOAD_COLUMN(4, COLUMN4)
	LOAD_COLUMN(5, COLUMN5)
	LOAD_COLUMN(6, COLUMN6)
	LOAD_COLUMN(7, COLUMN7)
	MOVQ    histogramArgs_n(ARGS), INDEX
	MOVQ    histogramArgs_cells(ARGS), CELLS
	LEAQ    (CELLS)(INDEX*8), CELLS
	MOVQ    histogramArgs_rows(ARGS), ROWS
	TESTQ   ROWS, ROWS
	JZ      sequential
	LEAQ    (ROWS)(INDEX*4), ROWS
	NEGQ    INDEX
	MOVBLZX histogramArgs_sparse(ARGS), AX
	LOAD_BINS(0, TILE)
	CMPQ    INDEX, $-(AHEAD+4)
	JG      rest
	TESTL   AX, AX
	JNZ     sparse

	// Neighbouring rows share cache lines: each row prefetches two columns.
	PCALIGN $64

dense:
	TILE_PREFETCH(0, COLUMN0, COLUMN1)
	TILE_LISTED(0)
	TILE_PREFETCH(1, COLUMN2, COLUMN3)
	TILE_LISTED(1)
	TILE_PREFETCH(2, COLUMN4, COLUMN5)
	TILE_LISTED(2)
	TILE_PREFETCH(3, COLUMN6, COLUMN7)
	TILE_LISTED(3)
	ADDQ $4, INDEX
	CMPQ INDEX, $-(AHEAD+4)
	JLE  dense
	JMP  rest

	PCALIGN $64

sparse:
	TILE_PREFETCH(0, COLUMN0, COLUMN1)
	TILE_PREFETCH(0, COLUMN2, COLUMN3)
	TILE_PREFETCH(0, COLUMN4, COLUMN5)
	TILE_PREFETCH(0, COLUMN6, COLUMN7)
	TILE_LISTED(0)
	INCQ INDEX
	CMPQ INDEX, $-AHEAD
	JLT  sparse

	// The last AHEAD rows or so.
	PCALIGN $64

rest:
	TILE_LISTED(0)
	INCQ INDEX
	JNZ  rest
	RET

// for row = first … first+n−1
sequential:
	LOAD_BINS(0, TILE)
	ADDQ    INDEX, COLUMN0
	ADDQ    INDEX, COLUMN1
	ADDQ    INDEX, COLUMN2
	ADDQ    INDEX, COLUMN3
	ADDQ    INDEX, COLUMN4
	ADDQ    INDEX, COLUMN5
	ADDQ    INDEX, COLUMN6
	ADDQ    INDEX, COLUMN7
	NEGQ    INDEX
	PCALIGN $64

each:
	MOVQ (CELLS)(INDEX*8), CELL
	TILE_ADD8(INDEX)
	INCQ INDEX
	JNZ  each
	RET

// histogramQuadM, M = 1, 2, 4, 8:
//
// One to four columns wherever their histograms lie, M pairs.
//
//	R8 … R11   columns
//	R12 … R15  bin 0 of their histograms
//	BP COUNT   columns
//	DI ROW     row number
//	Y0, Y1     the row's cells, more than one pair
#define ROW   DI
#define COUNT BP
#define BINS0 R12
#define BINS1 R13
#define BINS2 R14
#define BINS3 R15

// the next row's cells
#define QUAD_LOAD1 \
	MOVQ (CELLS), CELL \
	ADDQ $8, CELLS

#define QUAD_LOAD2 \
	VMOVDQU (CELLS), X0 \
	ADDQ    $16, CELLS

#define QUAD_LOAD4 \
	VMOVDQU (CELLS), Y0 \
	ADDQ    $32, CELLS

#define QUAD_LOAD8 \
	VMOVDQU (CELLS), Y0   \
	VMOVDQU 32(CELLS), Y1 \
	ADDQ    $64, CELLS

// bins[OFFSET] += cells
#define QUAD_ADD1(bins) \
	ADDQ CELL, (bins)(OFFSET*1)

#define QUAD_ADD2(bins) \
	VPADDQ  (bins)(OFFSET*1), X0, X2 \
	VMOVDQU X2, (bins)(OFFSET*1)

#define QUAD_ADD4(bins) \
	VPADDQ  (bins)(OFFSET*1), Y0, Y2 \
	VMOVDQU Y2, (bins)(OFFSET*1)

#define QUAD_ADD8(bins) \
	VPADDQ  (bins)(OFFSET*1), Y0, Y2   \
	VPADDQ  32(bins)(OFFSET*1), Y1, Y3 \
	VMOVDQU Y2, (bins)(OFFSET*1)       \
	VMOVDQU Y3, 32(bins)(OFFSET*1)

// load the row's cells and add them to COUNT columns
#define QUAD_ROW(LOAD, ADD, row, done) \
	LOAD                     \
	BIN_OFFSET(COLUMN0, row) \
	ADD(BINS0)               \
	CMPL COUNT, $1           \
	JEQ  done                \
	BIN_OFFSET(COLUMN1, row) \
	ADD(BINS1)               \
	CMPL COUNT, $2           \
	JEQ  done                \
	BIN_OFFSET(COLUMN2, row) \
	ADD(BINS2)               \
	CMPL COUNT, $3           \
	JEQ  done                \
	BIN_OFFSET(COLUMN3, row) \
	ADD(BINS3)

// the routine:
//
//	for i = 0 … n−1
//		row = rows[i], or i where rows follow one another
//		for k = 0 … count−1
//			bins[k][columns[k][row]][0 … M−1] += cells[i][0 … M−1]
//
// Row lists run through listed, if they are to be prefetched, but for the last
// AHEAD rows, which run through rest.
#define HISTOGRAM_QUAD(LOAD, ADD) \
	MOVQ        a+0(FP), ARGS                    \
	LOAD_COLUMN(0, COLUMN0)                      \
	LOAD_COLUMN(1, COLUMN1)                      \
	LOAD_COLUMN(2, COLUMN2)                      \
	LOAD_COLUMN(3, COLUMN3)                      \
	LOAD_BINS(0, BINS0)                          \
	LOAD_BINS(1, BINS1)                          \
	LOAD_BINS(2, BINS2)                          \
	LOAD_BINS(3, BINS3)                          \
	MOVQ        histogramArgs_count(ARGS), COUNT \
	MOVQ        histogramArgs_n(ARGS), INDEX     \
	MOVQ        histogramArgs_cells(ARGS), CELLS \
	MOVQ        histogramArgs_rows(ARGS), ROWS   \
	TESTQ       ROWS, ROWS                       \
	JZ          sequential                       \
	LEAQ        (ROWS)(INDEX*4), ROWS            \
	NEGQ        INDEX                            \
	CMPB        histogramArgs_fetch(ARGS), $0    \
	JEQ         rest                             \
	CMPQ        INDEX, $-AHEAD                   \
	JGE         rest                             \
	PCALIGN     $32                              \
	listed:                                      \
	MOVL        (4*AHEAD)(ROWS)(INDEX*4), ROW    \
	PREFETCHT0  (COLUMN0)(ROW*1)                 \
	PREFETCHT0  (COLUMN1)(ROW*1)                 \
	PREFETCHT0  (COLUMN2)(ROW*1)                 \
	PREFETCHT0  (COLUMN3)(ROW*1)                 \
	MOVL        (ROWS)(INDEX*4), ROW             \
	QUAD_ROW(LOAD, ADD, ROW, listedDone)         \
	listedDone:                                  \
	INCQ        INDEX                            \
	CMPQ        INDEX, $-AHEAD                   \
	JLT         listed                           \
	PCALIGN     $32                              \
	rest:                                        \
	MOVL        (ROWS)(INDEX*4), ROW             \
	QUAD_ROW(LOAD, ADD, ROW, restDone)           \
	restDone:                                    \
	INCQ        INDEX                            \
	JNZ         rest                             \
	VZEROUPPER                                   \
	RET                                          \
	sequential:                          \
	ADDQ        INDEX, COLUMN0           \
	ADDQ        INDEX, COLUMN1           \
	ADDQ        INDEX, COLUMN2           \
	ADDQ        INDEX, COLUMN3           \
	NEGQ        INDEX                    \
	PCALIGN     $32                      \
	each:                                \
	QUAD_ROW(LOAD, ADD, INDEX, eachDone) \
	eachDone:                            \
	INCQ        INDEX                    \
	JNZ         each

// func histogramQuad1(a *histogramArgs)
TEXT ·histogramQuad1(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD1, QUAD_ADD1)
	VZEROUPPER
	RET

// func histogramQuad2(a *histogramArgs)
TEXT ·histogramQuad2(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD2, QUAD_ADD2)
	VZEROUPPER
	RET

// func histogramQuad4(a *histogramArgs)
TEXT ·histogramQuad4(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD4, QUAD_ADD4)
	VZEROUPPER
	RET

// func histogramQuad8(a *histogramArgs)
TEXT ·histogramQuad8(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD8, QUAD_ADD8)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Sparse
//
//	SI NEXT_ROW, DX ROWS_END  row numbers to do
//	R8 ROW_CELLS              the row's cells
//	R9 FIRST                  where the entries of each row begin
//	R10 ENTRIES
//	DI HIST                   the histogram
//	AX ENTRY, BX END          the row's entries
//	CX OFFSET                 of an entry's bin
#define NEXT_ROW  SI
#define ROWS_END  DX
#define ROW_CELLS R8
#define FIRST     R9
#define ENTRIES   R10
#define HIST      DI
#define ENTRY     AX
#define END       BX

// what the job in AX says
#define SPARSE_ARGS \
	MOVQ sparseJob_Rows+0(AX), NEXT_ROW   \
	MOVQ sparseJob_Rows+8(AX), ROWS_END   \
	LEAQ (NEXT_ROW)(ROWS_END*4), ROWS_END \
	MOVQ sparseJob_Cells+0(AX), ROW_CELLS \
	MOVQ sparseJob_First+0(AX), FIRST     \
	MOVQ sparseJob_Entries+0(AX), ENTRIES \
	MOVQ sparseJob_Histogram+0(AX), HIST

// the entries of the next row
#define SPARSE_ROW \
	MOVL (NEXT_ROW), CX            \
	ADDQ $4, NEXT_ROW              \
	MOVL (FIRST)(CX*4), ENTRY      \
	MOVL 4(FIRST)(CX*4), END       \
	LEAQ (ENTRIES)(ENTRY*2), ENTRY \
	LEAQ (ENTRIES)(END*2), END

// func sparse1(j *sparseJob)
TEXT ·sparse1(SB), NOSPLIT, $0-8
	MOVQ j+0(FP), AX
	SPARSE_ARGS

row:
	CMPQ NEXT_ROW, ROWS_END
	JEQ  done
	SPARSE_ROW
	MOVQ (ROW_CELLS), R11   // the row's cell
	ADDQ $8, ROW_CELLS

	// histogram[entry] += cell, four entries at a time
	SUBQ $8, END
	CMPQ ENTRY, END
	JA   last

four:
	MOVWLZX 0(ENTRY), OFFSET
	MOVWLZX 2(ENTRY), R12
	MOVWLZX 4(ENTRY), R13
	MOVWLZX 6(ENTRY), R15
	ADDQ    R11, (HIST)(OFFSET*8)
	ADDQ    R11, (HIST)(R12*8)
	ADDQ    R11, (HIST)(R13*8)
	ADDQ    R11, (HIST)(R15*8)
	ADDQ    $8, ENTRY
	CMPQ    ENTRY, END
	JBE     four

last:
	ADDQ $8, END
	CMPQ ENTRY, END
	JEQ  row

one:
	MOVWLZX (ENTRY), OFFSET
	ADDQ    R11, (HIST)(OFFSET*8)
	ADDQ    $2, ENTRY
	CMPQ    ENTRY, END
	JB      one
	JMP     row

done:
	RET

// Rows of several pairs: LOAD takes the row's cells, ADD adds them to the bin
// at OFFSET, which is in units of a pair's 8 bytes times 2^SHIFT.
#define SPARSE_PAIRS(SHIFT, SIZE, LOAD, ADD) \
	SPARSE_ARGS \
	JMP test    \
	row:                       \
	SPARSE_ROW                 \
	LOAD                       \
	ADDQ    $SIZE, ROW_CELLS   \
	CMPQ    ENTRY, END         \
	JEQ     test               \
	entry:                     \
	MOVWLZX (ENTRY), OFFSET    \
	SHLL    $SHIFT, OFFSET     \
	ADD                        \
	ADDQ    $2, ENTRY          \
	CMPQ    ENTRY, END         \
	JB      entry              \
	test:                      \
	CMPQ    NEXT_ROW, ROWS_END \
	JNE     row

#define SPARSE_LOAD2 VMOVDQU (ROW_CELLS), X0
#define SPARSE_LOAD4 VMOVDQU (ROW_CELLS), Y0
#define SPARSE_LOAD8 \
	SPARSE_LOAD4              \
	VMOVDQU 32(ROW_CELLS), Y1

#define SPARSE_ADD2 \
	VPADDQ  (HIST)(OFFSET*1), X0, X2 \
	VMOVDQU X2, (HIST)(OFFSET*1)

#define SPARSE_ADD4 \
	VPADDQ  (HIST)(OFFSET*1), Y0, Y2 \
	VMOVDQU Y2, (HIST)(OFFSET*1)

#define SPARSE_ADD8 \
	SPARSE_ADD4                        \
	VPADDQ  32(HIST)(OFFSET*1), Y1, Y3 \
	VMOVDQU Y3, 32(HIST)(OFFSET*1)

// func sparse2(j *sparseJob)
TEXT ·sparse2(SB), NOSPLIT, $0-8
	MOVQ j+0(FP), AX
	SPARSE_PAIRS(4, 16, SPARSE_LOAD2, SPARSE_ADD2)
	VZEROUPPER
	RET

// func sparse4(j *sparseJob)
TEXT ·sparse4(SB), NOSPLIT, $0-8
	MOVQ j+0(FP), AX
	SPARSE_PAIRS(5, 32, SPARSE_LOAD4, SPARSE_ADD4)
	VZEROUPPER
	RET

// func sparse8(j *sparseJob)
TEXT ·sparse8(SB), NOSPLIT, $0-8
	MOVQ j+0(FP), AX
	SPARSE_PAIRS(6, 64, SPARSE_LOAD8, SPARSE_ADD8)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// SumBins

// func sumBins8(sums, cells *int64, stride, bins int)
//
// SumBins for eight lanes of bins that are stride cells apart.
TEXT ·sumBins8(SB), NOSPLIT, $0-32
	MOVQ  sums+0(FP), DI
	MOVQ  cells+8(FP), SI
	MOVQ  stride+16(FP), DX
	MOVQ  bins+24(FP), CX
	SHLQ  $3, DX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1

bin:
	VPADDQ (SI), Y0, Y0
	VPADDQ 32(SI), Y1, Y1
	ADDQ   DX, SI
	DECQ   CX
	JNZ    bin

	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Spill

// func spill8(wideG, wideH, narrow *int64, blocks int)
//
//	DI, SI  wideG, wideH
//	DX      narrow
//	CX      blocks left
//	Y7      zero

// wide += narrow; narrow = 0, for four cells. The high half of a cell is
// moved down; above it comes its sign.
#define SPILL4(at, G, H) \
	VMOVDQU  (at)(DX), H     \
	VPSRAD   $31, H, Y6      \
	VPSRLQ   $32, H, G       \
	VPBLENDD $0xaa, Y6, G, G \
	VPBLENDD $0xaa, Y7, H, H \
	VPADDQ   (at)(DI), G, G  \
	VPADDQ   (at)(SI), H, H  \
	VMOVDQU  G, (at)(DI)     \
	VMOVDQU  H, (at)(SI)     \
	VMOVDQU  Y7, (at)(DX)

TEXT ·spill8(SB), NOSPLIT, $0-32
	MOVQ  wideG+0(FP), DI
	MOVQ  wideH+8(FP), SI
	MOVQ  narrow+16(FP), DX
	MOVQ  blocks+24(FP), CX
	VPXOR Y7, Y7, Y7

block:
	SPILL4(0, Y0, Y1)
	SPILL4(32, Y2, Y3)
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, DX
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Subtract

// func subtract8(dst, minuend, subtrahend *int64, blocks int)
//
//	DI      dst
//	SI, DX  minuend, subtrahend
//	CX      blocks left
TEXT ·subtract8(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ minuend+8(FP), SI
	MOVQ subtrahend+16(FP), DX
	MOVQ blocks+24(FP), CX

block:
	// dst = minuend − subtrahend
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VPSUBQ  (DX), Y0, Y0
	VPSUBQ  32(DX), Y1, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ    $64, DI
	ADDQ    $64, SI
	ADDQ    $64, DX
	DECQ    CX
	JNZ     block
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Scan
//
// Sums are float64: whole numbers below 2⁵³, exact in any order. A cut is
//
//	GR, HR = totals − left sums
//	HL, HR = max(HL + L2, 1), max(HR + L2, 1)
//	score  = (GL²·HR + GR²·HL) / (HL·HR) · scale
//
// and in a feature of several pairs every lane ends up with the sum over its
// pairs: neighbours first, then neighbouring sums.

#define ONE      $0x3ff0000000000000 // 1.0
#define MINUS_INF $0xfff0000000000000
#define GREATER  $0x1e // VCMPPD predicates; NOT_LESS is true of NaN
#define NOT_LESS  $0x15

#define WIDEH   DX // its sums of h, or nil
#define STRIDE  R12 // from one bin to the next
#define CUTS    R10 // bins left
#define BIN     R11 // bin number
#define PAIRS   BX
#define MISSING R8 // 1: there are missing values
#define LEFT    R9 // 1: they go left in this cut

// SKIP bins are skipped together when all are empty. Bins one by one were
// measured to cost more in mispredicted jumps than they save.
#define SKIP 4

// OR joins the cells of the next SKIP bins. AX points at each in turn.
#define SCAN_OR_BINS(OR, cells) \
	LEAQ (cells)(OFFSET*1), AX \
	OR(AX)                     \
	ADDQ STRIDE, AX            \
	OR(AX)                     \
	ADDQ STRIDE, AX            \
	OR(AX)                     \
	ADDQ STRIDE, AX            \
	OR(AX)

// func scanAVX512(a *scanArgs)
//
//	Z0, Z1      sums of g and h left of the cut, missing values aside
//	Z2, Z3      the same with them; then terms of the score
//	Z4, Z5      right of the cut
//	Z6, Z7      Hessian of either side in its own unit
//	Z8          sums of another lane
//	Z9          the cut: bin number, plus cutMissingLeft
//	Z10, Z11    best score and its cut
//	Z16 … Z26   constants
//	K1          lanes in which the cut counts
//	K2          lanes with missing values
//	K3          all lanes
#define GSUM    Z0
#define HSUM    Z1
#define GL      Z2
#define HL      Z3
#define GR      Z4
#define HR      Z5
#define LIGHTL  Z6
#define LIGHTR  Z7
#define OTHER   Z8
#define CUT     Z9
#define BEST    Z10
#define BESTCUT Z11
#define TOTALG  Z16
#define TOTALH  Z17
#define L2      Z18
#define UNITH   Z19
#define SCALE   Z20
#define MINH    Z21
#define MISSG   Z22
#define MISSH   Z23
#define ONES    Z24
#define LOW32   Z25
#define GOLEFT  Z26

// loads what Scan and AddCuts share
#define SCAN_LOAD_AVX512 \
	VMOVUPD      scanArgs_totalG(ARGS), TOTALG  \
	VMOVUPD      scanArgs_totalH(ARGS), TOTALH  \
	VMOVUPD      scanArgs_l2(ARGS), L2          \
	VMOVUPD      scanArgs_scale(ARGS), SCALE    \
	VMOVUPD      scanArgs_missingG(ARGS), MISSG \
	VMOVUPD      scanArgs_missingH(ARGS), MISSH \
	MOVQ         ONE, AX                        \
	VPBROADCASTQ AX, ONES                       \
	MOVL         $0xffffffff, AX                \
	VPBROADCASTQ AX, LOW32                      \
	VPXORQ       GSUM, GSUM, GSUM               \
	VPXORQ       HSUM, HSUM, HSUM               \
	MOVQ         scanArgs_cells(ARGS), CELLS    \
	MOVQ         scanArgs_wideH(ARGS), WIDEH    \
	MOVQ         scanArgs_cuts(ARGS), CUTS      \
	MOVQ         scanArgs_stride(ARGS), STRIDE  \
	XORL         OFFSET, OFFSET

// GSUM, HSUM += GL, HL as integers
#define SCAN_SUM_AVX512 \
	VCVTQQ2PD GL, GL         \
	VCVTQQ2PD HL, HL         \
	VADDPD    GL, GSUM, GSUM \
	VADDPD    HL, HSUM, HSUM

#define SCAN_RIGHT \
	VSUBPD GL, TOTALG, GR \
	VSUBPD HL, TOTALH, HR

// GL = the score; GR, HL and HR are lost
#define SCAN_SCORE_AVX512 \
	VADDPD L2, HL, HL    \
	VADDPD L2, HR, HR    \
	VMAXPD ONES, HL, HL  \
	VMAXPD ONES, HR, HR  \
	VMULPD GL, GL, GL    \
	VMULPD GR, GR, GR    \
	VMULPD HR, GL, GL    \
	VMULPD HL, GR, GR    \
	VMULPD HR, HL, HL    \
	VADDPD GR, GL, GL    \
	VDIVPD HL, GL, GL    \
	VMULPD SCALE, GL, GL

// sums of score, LIGHTL and LIGHTR over lanes: each lane adds another's
#define SCAN_ADD_LANES(SHUFFLE, how) \
	SHUFFLE(how, GL)             \
	VADDPD OTHER, GL, GL         \
	SHUFFLE(how, LIGHTL)         \
	VADDPD OTHER, LIGHTL, LIGHTL \
	SHUFFLE(how, LIGHTR)         \
	VADDPD OTHER, LIGHTR, LIGHTR

#define SCAN_SWAP(how, x) VPERMILPD how, x, OTHER
#define SCAN_SWAP128(how, x) VPERMPD how, x, OTHER
#define SCAN_SWAP256(how, x) VSHUFF64X2 how, x, x, OTHER

// GL |= the cells of a bin
#define SCAN_OR_AVX512(bin) VPORQ (bin), GL, GL

TEXT ·scanAVX512(SB), NOSPLIT, $0-8
	MOVQ         a+0(FP), ARGS
	SCAN_LOAD_AVX512
	VMOVUPD      scanArgs_unitH(ARGS), UNITH
	VMOVDQU64    scanArgs_missing(ARGS), BESTCUT
	VPMOVQ2M     BESTCUT, K2
	KXNORB       K3, K3, K3
	VBROADCASTSD scanArgs_minHessian(ARGS), MINH
	MOVQ         $const_cutMissingLeft, AX
	VPBROADCASTQ AX, GOLEFT
	MOVQ         MINUS_INF, AX
	VPBROADCASTQ AX, BEST
	VPXORQ       BESTCUT, BESTCUT, BESTCUT
	MOVQ         scanArgs_pairs(ARGS), PAIRS
	MOVBLZX      scanArgs_anyMissing(ARGS), MISSING
	MOVL         $1, BIN
	XORL         LEFT, LEFT
	TESTL        MISSING, MISSING
	JNZ          scan                               // bin 1 may be a cut even if it is empty

	PCALIGN $64

bin:
	// Empty bins score like the one before and cannot win.
	TESTL  $(SKIP-1), CUTS
	JNZ    scan
	VPXORQ GL, GL, GL
	SCAN_OR_BINS(SCAN_OR_AVX512, CELLS)
	TESTQ  WIDEH, WIDEH
	JZ     packed
	SCAN_OR_BINS(SCAN_OR_AVX512, WIDEH)

packed:
	VPTESTMQ GL, GL, K1
	KORTESTB K1, K1
	JNZ      scan
	LEAQ     (OFFSET)(STRIDE*SKIP), OFFSET
	ADDL     $SKIP, BIN
	SUBQ     $SKIP, CUTS
	JNZ      bin
	JMP      done

scan:
	// GL, HL = the bin's g and h
	VMOVDQU64 (CELLS)(OFFSET*1), GL
	TESTQ     WIDEH, WIDEH
	JNZ       wide
	VPANDQ    LOW32, GL, HL
	VPSRAQ    $32, GL, GL

sums:
	// GSUM, HSUM += GL, HL
	SCAN_SUM_AVX512

	// missing values go right, in all lanes
	VPBROADCASTQ BIN, CUT
	VMOVAPD      GSUM, GL
	VMOVAPD      HSUM, HL
	KMOVB        K3, K1

cut:
	SCAN_RIGHT
	VMULPD UNITH, HL, LIGHTL
	VMULPD UNITH, HR, LIGHTR
	SCAN_SCORE_AVX512

	// sum over the pairs
	CMPL PAIRS, $1
	JEQ  summed
	SCAN_ADD_LANES(SCAN_SWAP, $0x55)
	CMPL PAIRS, $2
	JEQ  summed
	SCAN_ADD_LANES(SCAN_SWAP128, $0x4e)
	CMPL PAIRS, $4
	JEQ  summed
	SCAN_ADD_LANES(SCAN_SWAP256, $0x4e)

summed:
	// if neither side is too light and score > best: best = score, this cut
	VCMPPD    NOT_LESS, MINH, LIGHTL, K1, K1
	VCMPPD    NOT_LESS, MINH, LIGHTR, K1, K1
	VCMPPD    GREATER, BEST, GL, K1, K1
	VMOVAPD   GL, K1, BEST
	VMOVDQA64 CUT, K1, BESTCUT

	// once more with missing values left, in the lanes that have any
	TESTL  MISSING, MISSING
	JZ     next
	XORL   $1, LEFT
	JZ     next
	VADDPD MISSG, GSUM, GL
	VADDPD MISSH, HSUM, HL
	VPADDQ GOLEFT, CUT, CUT
	KMOVB  K2, K1
	JMP    cut

next:
	ADDQ STRIDE, OFFSET
	INCL BIN
	DECQ CUTS
	JNZ  bin

done:
	VMOVUPD   BEST, scanArgs_score(ARGS)
	VMOVDQU64 BESTCUT, scanArgs_cut(ARGS)
	VZEROUPPER
	RET

wide:
	VMOVDQU64 (WIDEH)(OFFSET*1), HL
	JMP       sums

// func scanAVX2(a *scanArgs)
//
// All eight lanes at once, in two halves. AVX2 converts no 64-bit integer to
// float64. But a 32-bit number n under the exponent bits of 2⁵² is the float64
// 2⁵² + n, and under those of 2⁸⁴ it is 2⁸⁴ + n·2³²; with its sign bit flipped
// n is 2³¹ more. What was added is subtracted again, all exactly. Packed cells
// are summed up as they are, from 2⁶³ on, which flips the sign bit of g.
//
// Both sides of a cut are heavy from some bin to some other, which are looked
// for first: only cuts outside are tested. Sums over pairs end up side by side in
// the lowest lanes: of one pair, features 0 … 3 and 4 … 7; of two, 0, 2, 1, 3; of
// four, 0 and 1; of eight, 0 twice.
//
//	Y0, Y1      sums of packed cells left of the cut, lanes 0 … 3 and 4 … 7
//	Y0 … Y3     or sums of g and h, lanes 0 … 3, then 4 … 7
//	Y4, Y5      best score and its cut, of lanes 0 … 3
//	Y6, Y7      the same, of lanes 4 … 7
//	Y8, Y9      g and h left of the cut, lanes 0 … 3; Y8 becomes the score
//	Y10, Y11    the same, lanes 4 … 7
//	Y12, Y13    free
//	Y14, Y15    constants
//	R13, R14    the first and the last cut that need no test
//	R15         foldCells of as many pairs
#define SUM0     Y0
#define SUM1     Y1
#define G0       Y0
#define H0       Y1
#define G1       Y2
#define H1       Y3
#define BEST0    Y4
#define BESTCUT0 Y5
#define BEST1    Y6
#define BESTCUT1 Y7
#define SCORE0   Y8
#define SCORE1   Y10
#define BIAS31   Y14
#define BIAS52   Y15

// a constant in four lanes
#define SCAN_CONSTANT(name, value) \
DATA name<>+0(SB)/8, value \
DATA name<>+8(SB)/8, value \
DATA name<>+16(SB)/8, value \
DATA name<>+24(SB)/8, value \
GLOBL name<>(SB), RODATA|NOPTR, $32

SCAN_CONSTANT(scanBias52, $0x4330000000000000)  // 2⁵²
SCAN_CONSTANT(scanOnes, $0x3ff0000000000000)    // 1.0
SCAN_CONSTANT(scanBias31, $0x4330000080000000)  // 2⁵² + 2³¹
SCAN_CONSTANT(scanBias63, $0x4530000080000000)  // 2⁸⁴ + 2⁶³
SCAN_CONSTANT(scanBiasAll, $0x4530000080100000) // 2⁸⁴ + 2⁶³ + 2⁵²

// loads what Scan and AddCuts share
#define SCAN_LOAD_AVX2 \
	MOVQ    scanArgs_cells(ARGS), CELLS   \
	MOVQ    scanArgs_wideH(ARGS), WIDEH   \
	MOVQ    scanArgs_cuts(ARGS), CUTS     \
	MOVQ    scanArgs_stride(ARGS), STRIDE \
	VMOVUPD scanBias31<>(SB), BIAS31      \
	VMOVUPD scanBias52<>(SB), BIAS52      \
	VPXOR   G0, G0, G0                    \
	VPXOR   H0, H0, H0                    \
	VPXOR   G1, G1, G1                    \
	VPXOR   H1, H1, H1

// sum += four 64-bit integers below 2⁵³
#define SCAN_WIDE(at, wide, sum) \
	VMOVDQU  (at)(wide)(OFFSET*1), Y12   \
	VPSRLQ   $32, Y12, Y13               \
	VPXOR    scanBias63<>(SB), Y13, Y13  \
	VSUBPD   scanBiasAll<>(SB), Y13, Y13 \
	VPBLENDD $0xaa, BIAS52, Y12, Y12     \
	VADDPD   Y13, Y12, Y12               \
	VADDPD   Y12, sum, sum

// g, h of four packed sums
#define SCAN_G(sum, g) \
	VPSRLQ $32, sum, g  \
	VPOR   BIAS52, g, g \
	VSUBPD BIAS31, g, g

#define SCAN_H(sum, h) \
	VPBLENDD $0xaa, BIAS52, sum, h \
	VSUBPD   BIAS52, h, h

// sums += the bin's g and h
#define SCAN_SUM_WIDE \
	SCAN_WIDE(0, CELLS, G0)  \
	SCAN_WIDE(32, CELLS, G1) \
	SCAN_WIDE(0, WIDEH, H0)  \
	SCAN_WIDE(32, WIDEH, H1)

// Y8 … Y11 = the sums
#define SCAN_LEFT_WIDE \
	VMOVAPD G0, Y8  \
	VMOVAPD H0, Y9  \
	VMOVAPD G1, Y10 \
	VMOVAPD H1, Y11

#define SCAN_LEFT_NARROW \
	SCAN_G(SUM0, Y8)  \
	SCAN_H(SUM0, Y9)  \
	SCAN_G(SUM1, Y10) \
	SCAN_H(SUM1, Y11)

// Y8 … Y11 += missing values
#define SCAN_LEFT_MISSING \
	VADDPD scanArgs_missingG(ARGS), Y8, Y8        \
	VADDPD scanArgs_missingH(ARGS), Y9, Y9        \
	VADDPD (scanArgs_missingG+32)(ARGS), Y10, Y10 \
	VADDPD (scanArgs_missingH+32)(ARGS), Y11, Y11

// g = (g²·HR + GR²·HL) / (HL·HR) · scale, HL being made of h
#define SCAN_SCORE_AVX2(at, g, h) \
	VMOVUPD (scanArgs_totalH+at)(ARGS), Y12    \
	VSUBPD  (scanArgs_totalG+at)(ARGS), g, Y13 \ // -GR
	VSUBPD  h, Y12, Y12                        \
	VADDPD  (scanArgs_l2+at)(ARGS), h, h       \
	VADDPD  (scanArgs_l2+at)(ARGS), Y12, Y12   \
	VMAXPD  scanOnes<>(SB), h, h               \
	VMAXPD  scanOnes<>(SB), Y12, Y12           \
	VMULPD  g, g, g                            \
	VMULPD  Y13, Y13, Y13                      \
	VMULPD  Y12, g, g                          \
	VMULPD  h, Y13, Y13                        \
	VMULPD  Y12, h, h                          \
	VADDPD  Y13, g, g                          \
	VDIVPD  h, g, g                            \
	VMULPD  (scanArgs_scale+at)(ARGS), g, g

// left, right = h, totalH − h in the pairs' own units
#define SCAN_LIGHT(at, left, right) \
	VMOVUPD (scanArgs_totalH+at)(ARGS), right       \
	VSUBPD  left, right, right                      \
	VMULPD  (scanArgs_unitH+at)(ARGS), right, right \
	VMULPD  (scanArgs_unitH+at)(ARGS), left, left

// Sums over two pairs, of both halves; over four, over eight. X is of x.
#define SCAN_SUM2(x, y) VHADDPD y, x, x

#define SCAN_SUM4(x, X) \
	VEXTRACTF128 $1, x, X13 \
	VADDPD       X13, X, X

#define SCAN_SUM8(X) VHADDPD X, X, X

// left = where left, right ≥ Y13
#define SCAN_HEAVY(left, right) \
	VCMPPD NOT_LESS, Y13, left, left   \
	VCMPPD NOT_LESS, Y13, right, right \
	VANDPD right, left, left

// Y12 = the cut
#define SCAN_CUT \
	LEAQ         (BIN)(LEFT*1), AX \
	VMOVQ        AX, X12           \
	VPBROADCASTQ X12, Y12

// where score > best: best, bestCut = score, Y12
#define SCAN_TAKE(score, best, bestCut) \
	VCMPPD    GREATER, best, score, Y13  \
	VBLENDVPD Y13, score, best, best     \
	VBLENDVPD Y13, Y12, bestCut, bestCut

// the same where heavy
#define SCAN_TAKE_HEAVY(heavy, score, best, bestCut) \
	VCMPPD    GREATER, best, score, Y13  \
	VANDPD    heavy, Y13, Y13            \
	VBLENDVPD Y13, score, best, best     \
	VBLENDVPD Y13, Y12, bestCut, bestCut

// Y12 |= the cells of a bin
#define SCAN_OR_AVX2(bin) \
	VPOR (bin), Y12, Y12   \
	VPOR 32(bin), Y12, Y12

TEXT ·scanAVX2(SB), NOSPLIT, $0-8
	MOVQ         a+0(FP), ARGS
	SCAN_LOAD_AVX2
	MOVQ         scanArgs_pairs(ARGS), PAIRS
	MOVBLZX      scanArgs_anyMissing(ARGS), MISSING
	MOVQ         MINUS_INF, AX
	VMOVQ        AX, X4
	VPBROADCASTQ X4, BEST0
	VMOVAPD      BEST0, BEST1
	VPXOR        BESTCUT0, BESTCUT0, BESTCUT0
	TESTQ        WIDEH, WIDEH
	JNZ          start
	VPCMPEQD     SUM0, SUM0, SUM0
	VPSLLQ       $63, SUM0, SUM0
	VMOVDQA      SUM0, SUM1

start:
	VBROADCASTSD scanArgs_minHessian(ARGS), Y7
	VPXOR        Y8, Y8, Y8
	VPXOR        Y10, Y10, Y10
	BSFL         PAIRS, AX
	SHLL         $9, AX
	LEAQ         ·foldCells(SB), R15
	ADDQ         AX, R15
	MOVL         $1, BIN
	XORL         OFFSET, OFFSET
	MOVQ         CUTS, R13
	INCQ         R13
	XORL         R14, R14

edge:
	// First R13 = the first cut that is heavy enough on the left, then, from the
	// other end, R14 = the last one that is on the right. It is where a pair of
	// each feature is. AX = lanes that are lighter than Y7.
	TESTQ  WIDEH, WIDEH
	JNZ    wideedge
	VPADDQ (CELLS)(OFFSET*1), Y8, Y8
	VPADDQ 32(CELLS)(OFFSET*1), Y10, Y10
	SCAN_H(Y8, Y9)
	SCAN_H(Y10, Y11)

edgelight:
	VMULPD    scanArgs_unitH(ARGS), Y9, Y9
	VMULPD    (scanArgs_unitH+32)(ARGS), Y11, Y11
	VCMPPD    $1, Y7, Y9, Y9
	VCMPPD    $1, Y7, Y11, Y11
	VMOVMSKPD Y9, AX
	VMOVMSKPD Y11, LEFT
	SHLL      $4, LEFT
	ORL       LEFT, AX
	TESTQ     R14, R14
	JNZ       rightedge
	CMPB      (R15)(AX*2), $0xff
	JEQ       leftedge
	ADDQ      STRIDE, OFFSET
	INCL      BIN
	CMPQ      BIN, CUTS
	JBE       edge
	JMP       begin

leftedge:
	MOVQ  BIN, R13
	MOVQ  CUTS, R14
	LEAQ  -1(CUTS), OFFSET
	IMULQ STRIDE, OFFSET
	VPXOR Y8, Y8, Y8
	VPXOR Y10, Y10, Y10
	JMP   edge

wideedge:
	SCAN_WIDE(0, WIDEH, Y8)
	SCAN_WIDE(32, WIDEH, Y10)
	VMOVAPD Y8, Y9
	VMOVAPD Y10, Y11
	JMP     edgelight

rightedge:
	DECQ R14
	CMPB (R15)(AX*2), $0xff
	JEQ  begin
	SUBQ STRIDE, OFFSET
	CMPQ R14, R13
	JAE  edge

begin:
	VPXOR BESTCUT1, BESTCUT1, BESTCUT1
	XORL  OFFSET, OFFSET
	XORL  LEFT, LEFT
	MOVL  $1, BIN
	TESTL MISSING, MISSING
	JNZ   scan                         // bin 1 may be a cut even if it is empty

	PCALIGN $64

bin:
	// Empty bins score like the one before and cannot win.
	TESTL $(SKIP-1), CUTS
	JNZ   scan
	VPXOR Y12, Y12, Y12
	SCAN_OR_BINS(SCAN_OR_AVX2, CELLS)
	TESTQ WIDEH, WIDEH
	JZ    packed
	SCAN_OR_BINS(SCAN_OR_AVX2, WIDEH)

packed:
	VPTEST Y12, Y12
	JNZ    scan
	LEAQ   (OFFSET)(STRIDE*SKIP), OFFSET
	ADDL   $SKIP, BIN
	SUBQ   $SKIP, CUTS
	JNZ    bin
	JMP    done

scan:
	TESTQ  WIDEH, WIDEH
	JNZ    wide
	VPADDQ (CELLS)(OFFSET*1), SUM0, SUM0
	VPADDQ 32(CELLS)(OFFSET*1), SUM1, SUM1

narrow:
	SCAN_LEFT_NARROW
	TESTQ LEFT, LEFT
	JNZ   left

cut:
	SCAN_SCORE_AVX2(0, Y8, Y9)
	SCAN_SCORE_AVX2(32, Y10, Y11)

	// sum over the pairs; if neither side is too light and score > best:
	// best = score, this cut
	CMPL PAIRS, $1
	JEQ  each
	SCAN_SUM2(Y8, Y10)
	CMPL PAIRS, $2
	JEQ  summed
	SCAN_SUM4(Y8, X8)
	CMPL PAIRS, $4
	JEQ  summed
	SCAN_SUM8(X8)

summed:
	CMPQ BIN, R13
	JB   light
	CMPQ BIN, R14
	JA   light
	SCAN_CUT
	SCAN_TAKE(SCORE0, BEST0, BESTCUT0)

next:
	// once more with missing values left, in the lanes that have any
	TESTL MISSING, MISSING
	JZ    nextbin
	MOVQ  $const_cutMissingLeft, AX
	XORQ  AX, LEFT
	JZ    nextbin
	TESTQ WIDEH, WIDEH
	JZ    narrow
	JMP   widecut

nextbin:
	ADDQ STRIDE, OFFSET
	INCL BIN
	DECQ CUTS
	JNZ  bin

done:
	// Each lane gets its feature's.
	CMPL    PAIRS, $2
	JB      store
	JEQ     two
	VPERMPD $0x55, BEST0, BEST1
	VPERMPD $0x00, BEST0, BEST0
	VPERMPD $0x55, BESTCUT0, BESTCUT1
	VPERMPD $0x00, BESTCUT0, BESTCUT0
	JMP     store

two:
	VUNPCKHPD BEST0, BEST0, BEST1
	VUNPCKLPD BEST0, BEST0, BEST0
	VUNPCKHPD BESTCUT0, BESTCUT0, BESTCUT1
	VUNPCKLPD BESTCUT0, BESTCUT0, BESTCUT0

store:
	VMOVUPD BEST0, scanArgs_score(ARGS)
	VMOVUPD BEST1, (scanArgs_score+32)(ARGS)
	VMOVDQU BESTCUT0, scanArgs_cut(ARGS)
	VMOVDQU BESTCUT1, (scanArgs_cut+32)(ARGS)
	VZEROUPPER
	RET

each:
	CMPQ BIN, R13
	JB   light
	CMPQ BIN, R14
	JA   light
	SCAN_CUT
	SCAN_TAKE(SCORE0, BEST0, BESTCUT0)
	SCAN_TAKE(SCORE1, BEST1, BESTCUT1)
	JMP  next

light:
	TESTQ WIDEH, WIDEH
	JNZ   widelight
	SCAN_H(SUM0, Y9)
	SCAN_H(SUM1, Y11)

test:
	TESTQ  LEFT, LEFT
	JZ     testright
	VADDPD scanArgs_missingH(ARGS), Y9, Y9
	VADDPD (scanArgs_missingH+32)(ARGS), Y11, Y11

testright:
	CMPL PAIRS, $1
	JEQ  testeach
	SCAN_LIGHT(0, Y9, Y12)
	SCAN_LIGHT(32, Y11, Y13)
	SCAN_SUM2(Y9, Y11)
	SCAN_SUM2(Y12, Y13)
	CMPL PAIRS, $2
	JEQ  testsummed
	SCAN_SUM4(Y9, X9)
	SCAN_SUM4(Y12, X12)
	CMPL PAIRS, $4
	JEQ  testsummed
	SCAN_SUM8(X9)
	SCAN_SUM8(X12)

testsummed:
	VBROADCASTSD scanArgs_minHessian(ARGS), Y13
	SCAN_HEAVY(Y9, Y12)
	TESTQ        LEFT, LEFT
	JZ           takesummed
	VMOVUPD      scanArgs_missing(ARGS), Y12
	VUNPCKLPD    (scanArgs_missing+32)(ARGS), Y12, Y12
	VANDPD       Y12, Y9, Y9

takesummed:
	SCAN_CUT
	SCAN_TAKE_HEAVY(Y9, SCORE0, BEST0, BESTCUT0)
	JMP next

testeach:
	VBROADCASTSD scanArgs_minHessian(ARGS), Y13
	SCAN_LIGHT(0, Y9, Y12)
	SCAN_HEAVY(Y9, Y12)
	SCAN_LIGHT(32, Y11, Y12)
	SCAN_HEAVY(Y11, Y12)
	TESTQ        LEFT, LEFT
	JZ           takeeach
	VANDPD       scanArgs_missing(ARGS), Y9, Y9
	VANDPD       (scanArgs_missing+32)(ARGS), Y11, Y11

takeeach:
	SCAN_CUT
	SCAN_TAKE_HEAVY(Y9, SCORE0, BEST0, BESTCUT0)
	SCAN_TAKE_HEAVY(Y11, SCORE1, BEST1, BESTCUT1)
	JMP next

left:
	// Missing values go left.
	SCAN_LEFT_MISSING
	JMP cut

wide:
	SCAN_SUM_WIDE

widecut:
	SCAN_LEFT_WIDE
	TESTQ LEFT, LEFT
	JNZ   left
	JMP   cut

widelight:
	VMOVAPD H0, Y9
	VMOVAPD H1, Y11
	JMP     test

// ---------------------------------------------------------------------------
// AddCuts
//
// Sums and scores are those of Scan, but neither sums over pairs nor the best.

#define RIGHT    R8 // scores of the cut at bin 1, missing values going right
#define LEFTWARD R9 // the same with missing values going left; RIGHT: not needed
#define INTO   R13 // one of the two

// func addCutsAVX512(a *scanArgs)
//
// Registers are those of scanAVX512.
TEXT ·addCutsAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), ARGS
	SCAN_LOAD_AVX512
	MOVQ scanArgs_right(ARGS), RIGHT
	MOVQ scanArgs_left(ARGS), LEFTWARD

	PCALIGN $32

bin:
	// GSUM, HSUM += the bin's g and h
	VMOVDQU64 (CELLS)(OFFSET*1), GL
	TESTQ     WIDEH, WIDEH
	JNZ       wide
	VPANDQ    LOW32, GL, HL
	VPSRAQ    $32, GL, GL

sums:
	SCAN_SUM_AVX512
	VMOVAPD GSUM, GL
	VMOVAPD HSUM, HL
	MOVQ    RIGHT, INTO

cut:
	SCAN_RIGHT
	SCAN_SCORE_AVX512
	VADDPD  (INTO)(OFFSET*1), GL, GL
	VMOVUPD GL, (INTO)(OFFSET*1)

	// once more with missing values left
	CMPQ   INTO, LEFTWARD
	JEQ    next
	MOVQ   LEFTWARD, INTO
	VADDPD MISSG, GSUM, GL
	VADDPD MISSH, HSUM, HL
	JMP    cut

next:
	ADDQ STRIDE, OFFSET
	DECQ CUTS
	JNZ  bin
	VZEROUPPER
	RET

wide:
	VMOVDQU64 (WIDEH)(OFFSET*1), HL
	JMP       sums

// func addCutsAVX2(a *scanArgs)
//
// Registers are those of scanAVX2.
TEXT ·addCutsAVX2(SB), NOSPLIT, $0-8
	MOVQ     a+0(FP), ARGS
	SCAN_LOAD_AVX2
	MOVQ     scanArgs_right(ARGS), RIGHT
	MOVQ     scanArgs_left(ARGS), LEFTWARD
	XORL     OFFSET, OFFSET
	TESTQ    WIDEH, WIDEH
	JNZ      wide
	VPCMPEQD SUM0, SUM0, SUM0
	VPSLLQ   $63, SUM0, SUM0
	VMOVDQA  SUM0, SUM1

	PCALIGN $32

bin:
	MOVQ   RIGHT, INTO
	VPADDQ (CELLS)(OFFSET*1), SUM0, SUM0
	VPADDQ 32(CELLS)(OFFSET*1), SUM1, SUM1

narrow:
	SCAN_LEFT_NARROW

cut:
	CMPQ INTO, RIGHT
	JEQ  score
	SCAN_LEFT_MISSING

score:
	SCAN_SCORE_AVX2(0, Y8, Y9)
	SCAN_SCORE_AVX2(32, Y10, Y11)
	VADDPD  (INTO)(OFFSET*1), SCORE0, SCORE0
	VADDPD  32(INTO)(OFFSET*1), SCORE1, SCORE1
	VMOVUPD SCORE0, (INTO)(OFFSET*1)
	VMOVUPD SCORE1, 32(INTO)(OFFSET*1)

	// once more with missing values left
	CMPQ  INTO, LEFTWARD
	JEQ   next
	MOVQ  LEFTWARD, INTO
	TESTQ WIDEH, WIDEH
	JZ    narrow
	JMP   widecut

next:
	ADDQ  STRIDE, OFFSET
	DECQ  CUTS
	JZ    done
	TESTQ WIDEH, WIDEH
	JZ    bin

wide:
	MOVQ RIGHT, INTO
	SCAN_SUM_WIDE

widecut:
	SCAN_LEFT_WIDE
	JMP cut

done:
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Partition, AVX-512: sixteen rows at a time
//
//	DI row cursor     CX rows left      SI column
//	R8 left           R9 right          AX, BX, DX temporaries
//	X0, X1 codes      X2, R10 the first code that goes left, 0 or 1   X3, R11 the last
//	Z4 row numbers    Z5 those going left                 Z6 those going right

// CODE puts the code of row number i into byte k of X.
#define CODE(i, k, X) \
	MOVL    ((i)*4)(DI), AX      \
	VPINSRB $k, (SI)(AX*1), X, X

#define CODES8(i, X) \
	CODE(i+0, 0, X) \
	CODE(i+1, 1, X) \
	CODE(i+2, 2, X) \
	CODE(i+3, 3, X) \
	CODE(i+4, 4, X) \
	CODE(i+5, 5, X) \
	CODE(i+6, 6, X) \
	CODE(i+7, 7, X)

// PARTITION_ROW splits one row: both stores happen, one of them counts. RIGHT
// sets AX, which is 0, to 1 if the row goes right.
#define PARTITION_ROW(RIGHT) \
	MOVL    (DI), AX       \
	MOVBLZX (SI)(AX*1), DX \
	MOVL    AX, (R8)       \
	MOVL    AX, (R9)       \
	XORL    AX, AX         \
	RIGHT                  \
	LEAQ    (R9)(AX*4), R9 \
	XORL    $1, AX         \
	LEAQ    (R8)(AX*4), R8 \
	ADDQ    $4, DI         \
	DECQ    CX

#define OUT_OF_BOUNDS \
	CMPL R11, DX \
	ADCL $0, AX  \ // last < code,
	CMPL DX, R10 \
	ADCL $0, AX  // or code < first

// PARTITION_ARGS reads the job at BX.
#define PARTITION_ARGS \
	MOVQ partitionJob_Column(BX), SI          \
	MOVQ partitionJob_Rows(BX), DI            \
	MOVQ (partitionJob_Rows+sliceLen)(BX), CX \
	MOVQ partitionJob_Left(BX), R8            \
	MOVQ partitionJob_Right(BX), R9

#define PARTITION_BOUNDS \
	MOVBLZX partitionJob_MissingLeft(BX), R10 \
	XORL    $1, R10                           \
	MOVBLZX partitionJob_Bin(BX), R11

// PARTITION_REST splits the last CX rows, one or more, and notes how many go
// left.
#define PARTITION_REST(RIGHT, one, done) \
one:  \
	PARTITION_ROW(RIGHT)               \
	JNZ   one                          \
	done:                              \
	SUBQ  partitionJob_Left(BX), R8    \
	SHRQ  $2, R8                       \
	MOVQ  R8, partitionJob_NumLeft(BX)

// func partitionAVX512(j *partitionJob)
TEXT ·partitionAVX512(SB), NOSPLIT, $0-8
	MOVQ         j+0(FP), BX
	PARTITION_ARGS
	PARTITION_BOUNDS
	VPBROADCASTB R10, X2
	VPBROADCASTB R11, X3
	VPXOR        X0, X0, X0
	VPXOR        X1, X1, X1
	SUBQ         $16, CX
	JB           tail

loop:
	CODES8(0, X0)
	CODES8(8, X1)
	VPUNPCKLQDQ   X1, X0, X4
	VPCMPUB       $5, X2, X4, K1     // first <= code
	VPCMPUB       $2, X3, X4, K1, K1 // K1 = and code <= last
	KNOTW         K1, K2
	VMOVDQU32     (DI), Z4
	VPCOMPRESSD.Z Z4, K1, Z5
	VPCOMPRESSD.Z Z4, K2, Z6
	VMOVDQU32     Z5, (R8)
	VMOVDQU32     Z6, (R9)
	KMOVW         K1, AX
	POPCNTL       AX, AX
	LEAQ          (R8)(AX*4), R8
	NEGQ          AX
	LEAQ          64(R9)(AX*4), R9
	ADDQ          $64, DI
	SUBQ          $16, CX
	JAE           loop

tail:
	ADDQ $16, CX
	JZ   done
	PARTITION_REST(OUT_OF_BOUNDS, one, done)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Partition, AVX2: as AVX-512, eight rows at a time
//
//	R15 permutations   X0 codes   X2, X3, R10, R11 bounds   Y4-Y6 temporaries

// PARTITION_ROWS8 splits eight rows. AX is a mask of those that go left.
#define PARTITION_ROWS8 \
	VMOVDQU   (DI), Y6         \
	VPMOVZXBD (R15)(AX*8), Y4  \
	POPCNTL   AX, DX           \
	XORL      $0xFF, AX        \
	VPMOVZXBD (R15)(AX*8), Y5  \
	VPERMD    Y6, Y4, Y4       \
	VPERMD    Y6, Y5, Y5       \
	VMOVDQU   Y4, (R8)         \
	VMOVDQU   Y5, (R9)         \
	LEAQ      (R8)(DX*4), R8   \
	NEGQ      DX               \
	LEAQ      32(R9)(DX*4), R9 \
	ADDQ      $32, DI          \
	SUBQ      $8, CX

// func partitionAVX2(j *partitionJob)
TEXT ·partitionAVX2(SB), NOSPLIT, $0-8
	MOVQ         j+0(FP), BX
	PARTITION_ARGS
	PARTITION_BOUNDS
	VMOVD        R10, X2
	VMOVD        R11, X3
	VPBROADCASTB X2, X2
	VPBROADCASTB X3, X3
	VPXOR        X0, X0, X0
	LEAQ         ·permute8(SB), R15
	SUBQ         $8, CX
	JB           tail

loop:
	CODES8(0, X0)
	VPMAXUB   X2, X0, X4
	VPMINUB   X3, X0, X5
	VPCMPEQB  X4, X0, X4 // first <= code
	VPCMPEQB  X5, X0, X5 // code <= last
	VPAND     X4, X5, X4
	VPMOVMSKB X4, AX
	MOVBLZX   AL, AX
	PARTITION_ROWS8
	JAE       loop

tail:
	ADDQ $8, CX
	JZ   done
	PARTITION_REST(OUT_OF_BOUNDS, one, done)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Partition by a set, AVX2: as by bounds
//
//	R10 set   R11 one of its words   SP a byte for each code: 0xFF if in the set

DATA ·bytes4+0(SB)/8, $0x0000000000000000
DATA ·bytes4+8(SB)/8, $0x0101010101010101
DATA ·bytes4+16(SB)/8, $0x0202020202020202
DATA ·bytes4+24(SB)/8, $0x0303030303030303
GLOBL ·bytes4(SB), RODATA|NOPTR, $32

// MEMBER puts the byte for the code of row number i into byte i of X.
#define MEMBER(i, X) \
	MOVL    ((i)*4)(DI), AX      \
	MOVBLZX (SI)(AX*1), AX       \
	VPINSRB $i, (SP)(AX*1), X, X

#define NOT_IN_SET \
	MOVL  DX, R11           \
	SHRL  $6, R11           \
	MOVQ  (R10)(R11*8), R11 \
	BTQ   DX, R11           \
	SETCC AL

// func partitionSet(j *partitionJob)
TEXT ·partitionSet(SB), NOSPLIT, $256-8
	MOVQ j+0(FP), BX
	PARTITION_ARGS
	MOVQ partitionJob_Set(BX), R10
	SUBQ $8, CX
	JB   tail

	// 32 codes at a time
	VPBROADCASTQ ·bits8(SB), Y2
	VMOVDQU      ·bytes4(SB), Y3
	XORL         AX, AX

codes:
	VPBROADCASTD (R10)(AX*4), Y4
	VPSHUFB      Y3, Y4, Y4
	VPAND        Y2, Y4, Y4
	VPCMPEQB     Y2, Y4, Y4
	MOVL         AX, DX
	SHLL         $5, DX
	VMOVDQU      Y4, (SP)(DX*1)
	INCL         AX
	CMPL         AX, $8
	JB           codes
	VPXOR        X0, X0, X0
	LEAQ         ·permute8(SB), R15

loop:
	MEMBER(0, X0)
	MEMBER(1, X0)
	MEMBER(2, X0)
	MEMBER(3, X0)
	MEMBER(4, X0)
	MEMBER(5, X0)
	MEMBER(6, X0)
	MEMBER(7, X0)
	VPMOVMSKB X0, AX
	PARTITION_ROWS8
	JAE       loop

tail:
	ADDQ $8, CX
	JZ   done
	PARTITION_REST(NOT_IN_SET, one, done)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Update, AVX-512
//
// Up to 32 classes: four rows at a time, with their odds in registers. If fewer
// than four rows are left, the last one is repeated; it gets the same values
// each time. Four rows of four classes are one vector. More than 32 classes: row by
// row, with odds written in place of residuals.
//
//	DI row cursor            CX rows left            SI residuals
//	DX stride in bytes       BX factors
//	BP own probabilities     R8-R11 rows
//	R12-R15 the residuals of their own classes
//	AX temporary             Z0-Z7 odds, two vectors a row
//	Z8, Z9, Z20, Z21 sums    Z10-Z21 temporaries     X22 sum of residuals
//	X23 sign bits            X24 OwnFloor            X25 one
//	Z26-Z28 pick 1, 2, 3     Z29 pick 0, 4, 8, 12    Z30 zero   Z31 FlushBelow

DATA ·every4th+0(SB)/8, $0x0000000400000000
DATA ·every4th+8(SB)/8, $0x0000000C00000008
GLOBL ·every4th(SB), RODATA|NOPTR, $16

// Each lane of four rows of four classes has the number of its row.
DATA ·rowOfLane+0(SB)/8, $0x0101010100000000
DATA ·rowOfLane+8(SB)/8, $0x0303030302020202
GLOBL ·rowOfLane(SB), RODATA|NOPTR, $16

// UPDATE_ROW turns row number R into the address of its residuals.
#define UPDATE_ROW(R) \
	IMULQ DX, R \
	ADDQ  SI, R

// ODDSk sets N to R·f of the classes without a sign bit, and to zero for AX, the class
// that has it.
#define ODDS8_AVX512(R, Y) \
	VMOVUPS  (R), Y         \
	VPCMPD   $5, Y30, Y, K1 \ // K1 = not signed
	VMULPS.Z (BX), Y, K1, Y \
	KNOTB    K1, K2         \
	KMOVB    K2, AX         \
	TZCNTL   AX, AX         \
	JCS      bad            // no class

#define ODDS16_AVX512(R, N) \
	VMOVUPS  (R), N         \
	VPCMPD   $5, Z30, N, K1 \
	VMULPS.Z (BX), N, K1, N \
	KNOTW    K1, K2         \
	KMOVW    K2, AX         \
	TZCNTL   AX, AX         \
	JCS      bad

#define ODDS32_AVX512(R, N0, N1) \
	VMOVUPS  (R), N0            \
	VMOVUPS  64(R), N1          \
	VPCMPD   $5, Z30, N0, K1    \
	VPCMPD   $5, Z30, N1, K2    \
	VMULPS.Z (BX), N0, K1, N0   \
	VMULPS.Z 64(BX), N1, K2, N1 \
	KUNPCKWD K1, K2, K3         \
	KMOVD    K3, AX             \
	NOTL     AX                 \
	TZCNTL   AX, AX             \
	JCS      bad

// OWN collects the factor of class AX of row R in a lane of X11; to becomes the
// address of its residual.
#define OWN(lane, R, to) \
	VINSERTPS $(lane<<4), (BX)(AX*4), X11, X11 \
	LEAQ      (R)(AX*4), to

// SUM4 sets X8 to the sums of A to D, folded in half in the order of the contract.
#define SUM4(A, B, C, D) \
	VSHUFF64X2 $0x44, B, A, Z12     \ // 16 to 8: rows 0 and 1
	VSHUFF64X2 $0xEE, B, A, Z13     \
	VSHUFF64X2 $0x44, D, C, Z14     \ // rows 2 and 3
	VSHUFF64X2 $0xEE, D, C, Z15     \
	VADDPS     Z13, Z12, Z12        \
	VADDPS     Z15, Z14, Z14        \
	VSHUFF64X2 $0x88, Z14, Z12, Z13 \ // 8 to 4: rows 0, 1, 2 and 3
	VSHUFF64X2 $0xDD, Z14, Z12, Z15 \
	VADDPS     Z15, Z13, Z13        \
	VPERMILPS  $0x4E, Z13, Z15      \ // 4 to 2
	VADDPS     Z15, Z13, Z13        \
	VPERMILPS  $0xB1, Z13, Z15      \ // 2 to 1
	VADDPS     Z15, Z13, Z13        \
	VPERMPS    Z13, Z29, Z8         // a lane a row

// INVERSE4 is Z16-Z19 = 1/(sum + own odds) of the four rows, broadcast, and
// X20, X21 = ±the sum of the others times that. X8 has the sums, X10 the own
// classes' probabilities, old and then new, and X11 their factors.
#define INVERSE4 \
	VMULPS       X11, X10, X10 \ // own odds
	VADDPS       X10, X8, X11  \
	VDIVPS       X11, X25, X16 \ // inverse = 1/(sum + own odds)
	VMULPS       X16, X10, X10 \ // own = max(own odds·inverse, OwnFloor)
	VMAXPS       X24, X10, X10 \
	VMULPS       X16, X8, X20  \
	VXORPS       X20, X23, X21 \
	VPERMPS      Z16, Z26, Z17 \
	VPERMPS      Z16, Z27, Z18 \
	VPERMPS      Z16, Z28, Z19 \
	VBROADCASTSS X16, Z16

// FLUSHED_AVX512 sets N to N·inverse, or to zero where that is below FlushBelow.
#define FLUSHED_AVX512(N, inverse) \
	VMULPS    N, inverse, N  \
	VCMPPS    $5, Z31, N, K1 \ // not less than
	VMOVAPS.Z N, K1, N

// SUM_LANES folds each four lanes of V in half, in the order of the contract, until
// all four have their sum.
#define SUM_LANES(V, T) \
	VPERMILPS $0x4E, V, T \
	VADDPS    T, V, V     \
	VPERMILPS $0xB1, V, T \
	VADDPS    T, V, V

#define STORE_ODDS8(R, Z, Y, inverse) \
	FLUSHED_AVX512(Z, inverse) \
	VMOVUPS Y, (R)

#define STORE_ODDS16(R, N, inverse) \
	FLUSHED_AVX512(N, inverse) \
	VMOVUPS N, (R)

#define STORE_ODDS32(R, N0, N1, inverse) \
	FLUSHED_AVX512(N0, inverse) \
	FLUSHED_AVX512(N1, inverse) \
	VMOVUPS N0, (R)             \
	VMOVUPS N1, 64(R)

// FETCH_ROW prefetches a row to come.
#define FETCH_ROW(at) \
	MOVL       (4*aheadRows+at)(DI), AX \
	PREFETCHT0 (BP)(AX*4)               \
	IMULQ      DX, AX                   \
	PREFETCHT0 (SI)(AX*1)               \
	PREFETCHT0 64(SI)(AX*1)

// FOUR_ROWS begins a loop over four rows at a time, NEXT_FOUR ends it, after
// OWN_RESIDUALS. With fewer than four left, FOUR_ROWS jumps to few, which repeats the
// last row and jumps to go.
#define FOUR_ROWS(near, few, go) \
	CMPQ      CX, $(aheadRows+4)           \
	JB        near                         \
	FETCH_ROW(0)                           \
	FETCH_ROW(4)                           \
	FETCH_ROW(8)                           \
	FETCH_ROW(12)                          \
	near:                                  \
	MOVL      (DI), R8                     \
	CMPQ      CX, $4                       \
	JB        few                          \
	MOVL      4(DI), R9                    \
	MOVL      8(DI), R10                   \
	MOVL      12(DI), R11                  \
	go:                                    \
	MOVQ      R8, row0-64(SP)              \
	MOVQ      R9, row1-56(SP)              \
	MOVQ      R10, row2-48(SP)             \
	MOVQ      R11, row3-40(SP)             \
	VMOVSS    (BP)(R8*4), X10              \
	VINSERTPS $0x10, (BP)(R9*4), X10, X10  \
	VINSERTPS $0x20, (BP)(R10*4), X10, X10 \
	VINSERTPS $0x30, (BP)(R11*4), X10, X10 \
	UPDATE_ROW(R8)                         \
	UPDATE_ROW(R9)                         \
	UPDATE_ROW(R10)                        \
	UPDATE_ROW(R11)

#define FEW(few, go) \
few:  \
	MOVL R8, R9     \
	MOVL R8, R10    \
	MOVL R8, R11    \
	CMPQ CX, $2     \
	JB   go         \
	MOVL 4(DI), R9  \
	MOVL R9, R10    \
	MOVL R9, R11    \
	JE   go         \
	MOVL 8(DI), R10 \
	MOVL R10, R11   \
	JMP  go

// OWN_RESIDUALS stores R of the own classes = -(sum·inverse).
#define OWN_RESIDUALS \
	VEXTRACTPS $0, X21, (R12) \
	VEXTRACTPS $1, X21, (R13) \
	VEXTRACTPS $2, X21, (R14) \
	VEXTRACTPS $3, X21, (R15)

#define NEXT_FOUR(loop) \
	MOVQ       row0-64(SP), R8       \
	MOVQ       row1-56(SP), R9       \
	MOVQ       row2-48(SP), R10      \
	MOVQ       row3-40(SP), R11      \
	VEXTRACTPS $0, X10, (BP)(R8*4)   \
	VEXTRACTPS $1, X10, (BP)(R9*4)   \
	VEXTRACTPS $2, X10, (BP)(R10*4)  \
	VEXTRACTPS $3, X10, (BP)(R11*4)  \
	VMAXPS     most-80(SP), X20, X12 \
	VMOVUPS    X12, most-80(SP)      \
	VCVTPS2PD  X20, Y20              \ // row after row
	VMOVUPD    Y20, q0-32(SP)        \
	CMPQ       CX, $4                \
	JB         last                  \
	VADDSD     q0-32(SP), X22, X22   \
	VADDSD     q1-24(SP), X22, X22   \
	VADDSD     q2-16(SP), X22, X22   \
	VADDSD     q3-8(SP), X22, X22    \
	ADDQ       $16, DI               \
	SUBQ       $4, CX                \
	JNZ        loop                  \
	JMP        done

// func updateAVX512(j *updateJob) bool
TEXT ·updateAVX512(SB), NOSPLIT, $80-9
	MOVQ         j+0(FP), AX
	MOVQ         updateJob_Residuals(AX), SI
	MOVQ         updateJob_Own(AX), BP
	MOVQ         updateJob_Stride(AX), DX
	MOVQ         updateJob_Factors(AX), BX
	MOVQ         updateJob_Rows(AX), DI
	MOVQ         (updateJob_Rows+sliceLen)(AX), CX
	VBROADCASTSS ·updateConst+0(SB), Z25
	VBROADCASTSS ·updateConst+4(SB), X24
	VBROADCASTSS ·updateConst+8(SB), Z31
	VBROADCASTSS ·updateConst+12(SB), Z23
	VBROADCASTSS ·updateConst+16(SB), Z26
	VBROADCASTSS ·updateConst+20(SB), Z27
	VBROADCASTSS ·updateConst+24(SB), Z28
	VMOVDQU32    ·every4th(SB), X29
	VPXORD       X30, X30, X30
	VPXORQ       X22, X22, X22
	VXORPS       X12, X12, X12
	VMOVUPS      X12, most-80(SP)
	SHLQ         $2, DX
	TESTQ        CX, CX
	JZ           done
	CMPQ         DX, $64
	JEQ          rows16
	CMPQ         DX, $128
	JEQ          rows32
	JA           rowsAny
	CMPQ         DX, $32
	JEQ          rows8
	JA           rowsAny

	// Four classes: Z9 the factors and Z7 the number of the row in each lane. Z0
	// residuals, Z1 odds and then p of the others, Z11 own odds, Z12 sums of the
	// others, Z13 temporary and inverse. K1 others, K2 own classes
	VBROADCASTF32X4 (BX), Z9
	VPMOVZXBD       ·rowOfLane(SB), Z7

rows4:
	FOUR_ROWS(near4, few4, go4)
	VMOVUPS       (R8), X0
	VINSERTF32X4  $1, (R9), Z0, Z0
	VINSERTF32X4  $2, (R10), Z0, Z0
	VINSERTF32X4  $3, (R11), Z0, Z0
	VPCMPD        $5, Z30, Z0, K1
	KNOTW         K1, K2
	KMOVW         K2, AX
	MOVL          AX, R12
	SHRL          $2, R12
	ORL           R12, AX
	MOVL          AX, R12
	SHRL          $1, R12
	ORL           R12, AX
	NOTL          AX
	TESTL         $0x1111, AX       // a row without a class
	JNZ           bad
	VPERMPS       Z10, Z7, Z11
	VMULPS.Z      Z9, Z0, K1, Z1
	VMULPS.Z      Z9, Z11, K2, Z11
	VMOVAPS       Z1, Z12
	SUM_LANES(Z12, Z13)
	SUM_LANES(Z11, Z13)
	VADDPS        Z11, Z12, Z13
	VDIVPS        Z13, Z25, Z13
	VMULPS        Z13, Z11, Z11
	VMULPS        Z13, Z12, Z12
	FLUSHED_AVX512(Z1, Z13)
	VXORPS        Z23, Z12, K2, Z1
	VPERMPS       Z11, Z29, Z10
	VMAXPS        X24, X10, X10
	VPERMPS       Z12, Z29, Z20
	VMOVUPS       X1, (R8)
	VEXTRACTF32X4 $1, Z1, (R9)
	VEXTRACTF32X4 $2, Z1, (R10)
	VEXTRACTF32X4 $3, Z1, (R11)
	NEXT_FOUR(rows4)
	FEW(few4, go4)

rows8:
	FOUR_ROWS(near8, few8, go8)
	ODDS8_AVX512(R8, Y0)
	VMOVSS (BX)(AX*4), X11
	LEAQ   (R8)(AX*4), R12
	ODDS8_AVX512(R9, Y1)
	OWN(1, R9, R13)
	ODDS8_AVX512(R10, Y2)
	OWN(2, R10, R14)
	ODDS8_AVX512(R11, Y3)
	OWN(3, R11, R15)
	SUM4(Z0, Z1, Z2, Z3)
	INVERSE4
	STORE_ODDS8(R8, Z0, Y0, Z16)
	STORE_ODDS8(R9, Z1, Y1, Z17)
	STORE_ODDS8(R10, Z2, Y2, Z18)
	STORE_ODDS8(R11, Z3, Y3, Z19)
	OWN_RESIDUALS
	NEXT_FOUR(rows8)
	FEW(few8, go8)

rows16:
	FOUR_ROWS(near16, few16, go16)
	ODDS16_AVX512(R8, Z0)
	VMOVSS (BX)(AX*4), X11
	LEAQ   (R8)(AX*4), R12
	ODDS16_AVX512(R9, Z1)
	OWN(1, R9, R13)
	ODDS16_AVX512(R10, Z2)
	OWN(2, R10, R14)
	ODDS16_AVX512(R11, Z3)
	OWN(3, R11, R15)
	SUM4(Z0, Z1, Z2, Z3)
	INVERSE4
	STORE_ODDS16(R8, Z0, Z16)
	STORE_ODDS16(R9, Z1, Z17)
	STORE_ODDS16(R10, Z2, Z18)
	STORE_ODDS16(R11, Z3, Z19)
	OWN_RESIDUALS
	NEXT_FOUR(rows16)
	FEW(few16, go16)

rows32:
	FOUR_ROWS(near32, few32, go32)
	ODDS32_AVX512(R8, Z0, Z1)
	VMOVSS (BX)(AX*4), X11
	LEAQ   (R8)(AX*4), R12
	VADDPS Z1, Z0, Z8
	ODDS32_AVX512(R9, Z2, Z3)
	OWN(1, R9, R13)
	VADDPS Z3, Z2, Z9
	ODDS32_AVX512(R10, Z4, Z5)
	OWN(2, R10, R14)
	VADDPS Z5, Z4, Z20
	ODDS32_AVX512(R11, Z6, Z7)
	OWN(3, R11, R15)
	VADDPS Z7, Z6, Z21
	SUM4(Z8, Z9, Z20, Z21)
	INVERSE4
	STORE_ODDS32(R8, Z0, Z1, Z16)
	STORE_ODDS32(R9, Z2, Z3, Z17)
	STORE_ODDS32(R10, Z4, Z5, Z18)
	STORE_ODDS32(R11, Z6, Z7, Z19)
	OWN_RESIDUALS
	NEXT_FOUR(rows32)
	FEW(few32, go32)

last:
	// Repeated rows do not count.
	VADDSD q0-32(SP), X22, X22
	CMPQ   CX, $2
	JB     done
	VADDSD q1-24(SP), X22, X22
	JE     done
	VADDSD q2-16(SP), X22, X22

done:
	MOVQ      j+0(FP), AX
	VMOVSD    X22, updateJob_SumResidual(AX)
	VMOVUPS   most-80(SP), X12
	VPERMILPS $0x4E, X12, X13
	VMAXPS    X13, X12, X12
	VPERMILPS $0xB1, X12, X13
	VMAXSS    X13, X12, X12
	VMOVSS    X12, updateJob_MaxResidual(AX)
	MOVB      $1, ret+8(FP)
	VZEROUPPER
	RET

bad:
	MOVB $0, ret+8(FP)
	VZEROUPPER
	RET

// Any number of classes: R8 row, R10 where its own class is, AX where its next
// vector is, R12 where the last whole vector ends, R13 the own probability.
rowsAny:
	MOVQ DX, R12
	ANDQ $-64, R12

row:
	MOVL  (DI), R8
	LEAQ  (BP)(R8*4), R13
	UPDATE_ROW(R8)
	XORL  AX, AX
	MOVQ  $-1, R10
	VPXOR X8, X8, X8

	// Odds and their sum; the residual of the own class stays.
odds:
	VMOVUPS (R8)(AX*1), Z0
	VPCMPD  $5, Z30, Z0, K1
	VMULPS  (BX)(AX*1), Z0, K1, Z0
	VADDPS  Z0, Z8, K1, Z8
	VMOVUPS Z0, (R8)(AX*1)
	KNOTW   K1, K2
	KMOVW   K2, R11
	TZCNTL  R11, R11
	LEAQ    (AX)(R11*4), R11
	CMOVQCC R11, R10
	ADDQ    $64, AX
	CMPQ    AX, R12
	JB      odds
	CMPQ    AX, DX
	JE      inverse
	VMOVUPS (R8)(AX*1), Y0
	VPCMPD  $5, Y30, Y0, K1
	VMULPS  (BX)(AX*1), Y0, K1, Y0
	VADDPS  Z0, Z8, K1, Z8
	VMOVUPS Y0, (R8)(AX*1)
	KNOTB   K1, K2
	KMOVB   K2, R11
	TZCNTL  R11, R11
	LEAQ    (AX)(R11*4), R11
	CMOVQCC R11, R10

inverse:
	TESTQ R10, R10
	JLT   bad

	// The inverse, as above, of one row.
	VEXTRACTF64X4 $1, Z8, Y9
	VADDPS        Y9, Y8, Y8
	VEXTRACTF128  $1, Y8, X9
	VADDPS        X9, X8, X8
	SUM_LANES(X8, X9)
	VMOVSS        (R13), X10
	VMULSS        (BX)(R10*1), X10, X10
	VADDSS        X10, X8, X11
	VDIVSS        X11, X25, X16
	VMULSS        X16, X10, X10
	VMAXSS        X24, X10, X10
	VMOVSS        X10, (R13)
	VMULSS        X16, X8, X20
	VBROADCASTSS  X16, Z16
	XORL          AX, AX

	// The probabilities.
scale:
	VMOVUPS (R8)(AX*1), Z0
	FLUSHED_AVX512(Z0, Z16)
	VMOVUPS Z0, (R8)(AX*1)
	ADDQ    $64, AX
	CMPQ    AX, R12
	JB      scale
	CMPQ    AX, DX
	JE      own
	VMOVUPS (R8)(AX*1), Y0
	FLUSHED_AVX512(Z0, Z16)
	VMOVUPS Y0, (R8)(AX*1)

own:
	VXORPS    X20, X23, X21
	VMOVSS    X21, (R8)(R10*1)
	VMOVSS    most-80(SP), X12
	VMAXSS    X20, X12, X12
	VMOVSS    X12, most-80(SP)
	VCVTSS2SD X20, X20, X20
	VADDSD    X20, X22, X22
	ADDQ      $4, DI
	DECQ      CX
	JNZ       row
	JMP       done

// ---------------------------------------------------------------------------
// Update, AVX2: row by row, odds written in place of the residuals, except of four
// classes
//
//	DI row cursor   CX rows left     SI residuals   DX stride in bytes
//	R8 row          BX factors
//	BP own probabilities             R12 the row's
//	R10 where its own class is       AX where its next vector is
//	R11 temporary   Y0-Y5 odds       Y6, Y7 sums of lanes 0-7 and 8-15
//	X8 sum of residuals              Y9 inverse     X10 temporary
//	X11 sign bit    X12 OwnFloor     X13 one        Y14 FlushBelow
//	X15 the greatest residual

// ODDS_AVX2 adds R·f of eight classes that are not signed to S, stores it in
// place of R and looks for the one that is signed.
#define ODDS_AVX2(offset, R, N, S) \
	VMOVUPS   offset(R8)(AX*1), R    \
	VMULPS    offset(BX)(AX*1), R, N \
	VMOVMSKPS R, R11                 \
	VBLENDVPS R, R, N, N             \ // the own class keeps R
	VPSRAD    $31, R, R              \
	VMOVUPS   N, offset(R8)(AX*1)    \
	VPANDN    N, R, R                \
	VADDPS    R, S, S                \
	TZCNTL    R11, R11               \ // carry: not here
	LEAQ      offset(AX)(R11*4), R11 \
	CMOVQCC   R11, R10

// FLUSHED_AVX2 stores N·inverse of eight classes, or zero below FlushBelow.
#define FLUSHED_AVX2(offset, N, M) \
	VMULPS  offset(R8)(AX*1), Y9, N \
	VCMPPS  $5, Y14, N, M           \ // not less than
	VANDPS  M, N, N                 \
	VMOVUPS N, offset(R8)(AX*1)

// INVERSE_AVX2 sets Y9 to the inverse, the own probability, and X6, the sum of the
// others' odds, to the sum of their probabilities.
#define INVERSE_AVX2 \
	VMOVSS       (R12), X10            \ // own odds
	VMULSS       (BX)(R10*1), X10, X10 \
	VADDSS       X10, X6, X9           \
	VDIVSS       X9, X13, X9           \ // inverse = 1/(sum + own odds)
	VMULSS       X9, X10, X10          \ // own = max(own odds·inverse, OwnFloor)
	VMAXSS       X12, X10, X10         \
	VMOVSS       X10, (R12)            \
	VMULSS       X9, X6, X6            \
	VBROADCASTSS X9, Y9

// NEXT_ROW_AVX2 counts X6 and goes on to the next row.
#define NEXT_ROW_AVX2(row) \
	VMAXSS    X6, X15, X15 \
	VCVTSS2SD X6, X6, X6   \
	VADDSD    X6, X8, X8   \
	ADDQ      $4, DI       \
	DECQ      CX           \
	JNZ       row

// func updateAVX2(j *updateJob) bool
TEXT ·updateAVX2(SB), NOSPLIT, $8-9
	MOVQ         j+0(FP), AX
	MOVQ         updateJob_Residuals(AX), SI
	MOVQ         updateJob_Own(AX), BP
	MOVQ         updateJob_Stride(AX), DX
	SHLQ         $2, DX
	MOVQ         updateJob_Factors(AX), BX
	MOVQ         updateJob_Rows(AX), DI
	MOVQ         (updateJob_Rows+sliceLen)(AX), CX
	VMOVSS       ·updateConst+0(SB), X13
	VMOVSS       ·updateConst+4(SB), X12
	VBROADCASTSS ·updateConst+8(SB), Y14
	VMOVSS       ·updateConst+12(SB), X11
	VXORPD       X8, X8, X8
	VXORPS       X15, X15, X15
	TESTQ        CX, CX
	JZ           done
	CMPQ         DX, $16
	JNE          row

	// Four classes: X0 residuals, X1 odds and then p of the others, X9 inverse, and
	// X6 their sum times that, X10 the own probability and then -X6
row4:
	CMPQ CX, $aheadRows
	JBE  near4
	FETCH_ROW(0)

near4:
	MOVL         (DI), R8
	LEAQ         (BP)(R8*4), R12
	UPDATE_ROW(R8)
	VMOVUPS      (R8), X0
	VMOVMSKPS    X0, R10
	TZCNTL       R10, R10
	JCS          bad
	SHLQ         $2, R10
	VMULPS       (BX), X0, X1
	VPSRAD       $31, X0, X2
	VPANDN       X1, X2, X1
	VMOVAPS      X1, X6
	SUM_LANES(X6, X2)
	INVERSE_AVX2
	VMULPS       X9, X1, X1
	VCMPPS       $5, X14, X1, X2
	VANDPS       X2, X1, X1
	VXORPS       X11, X6, X10
	VBROADCASTSS X10, X10
	VBLENDVPS    X0, X10, X1, X1
	VMOVUPS      X1, (R8)
	NEXT_ROW_AVX2(row4)
	JMP          done

row:
	CMPQ CX, $aheadRows
	JBE  near
	FETCH_ROW(0)

near:
	MOVL   (DI), R8
	LEAQ   (BP)(R8*4), R12
	UPDATE_ROW(R8)
	MOVQ   $-1, R10
	XORL   AX, AX
	VXORPS X6, X6, X6
	VXORPS X7, X7, X7

	// Odds and their sums; the residual of the own class stays.
odds:
	ODDS_AVX2(0, Y0, Y1, Y6)
	ADDQ $32, AX
	CMPQ AX, DX
	JE   inverse
	ODDS_AVX2(0, Y2, Y3, Y7)
	ADDQ $32, AX
	CMPQ AX, DX
	JNE  odds

inverse:
	TESTQ        R10, R10
	JLT          bad
	VADDPS       Y7, Y6, Y6 // 16 to 8
	VEXTRACTF128 $1, Y6, X7
	VADDPS       X7, X6, X6
	SUM_LANES(X6, X7)
	INVERSE_AVX2
	XORL         AX, AX

	// The probabilities.
scale:
	FLUSHED_AVX2(0, Y0, Y1)
	ADDQ $32, AX
	CMPQ AX, DX
	JNE  scale

	// R of the own class = -(sum·inverse).
	VXORPS X11, X6, X10
	VMOVSS X10, (R8)(R10*1)
	NEXT_ROW_AVX2(row)

done:
	MOVQ   j+0(FP), AX
	VMOVSD X8, updateJob_SumResidual(AX)
	VMOVSS X15, updateJob_MaxResidual(AX)
	MOVB   $1, ret+8(FP)
	VZEROUPPER
	RET

bad:
	MOVB $0, ret+8(FP)
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Compare

// x >= t as t <= x, false of NaN, and not x < t, true of NaN
#define NOT_GREATER $0x12
#define NOT_ABOVE   $0x1a

// func compareAVX512(a *compareArgs)
//
//	DI args        CX thresholds left, missing values going left; then right
//	SI values      R8 their end    AX of a word
//	DX threshold   R9 its answers  BX to a word

// COMPARE_THRESHOLDS compares with CX thresholds, each of a number of bytes. T holds the
// threshold in every lane. WORD writes the answers of 64 rows.
#define COMPARE_THRESHOLDS(WORD, how, BROADCAST, bytes, T, threshold, word, done) \
	TESTQ      CX, CX          \
	JZ         done            \
	threshold:                 \
	BROADCAST  (DX), T         \
	MOVQ       R9, BX          \
	MOVQ       SI, AX          \
	word:                      \
	WORD(how)                  \
	ADDQ       $8, BX          \
	ADDQ       $(64*bytes), AX \
	CMPQ       AX, R8          \
	JB         word            \
	ADDQ       $bytes, DX      \
	ADDQ       $64, R9         \
	DECQ       CX              \
	JNZ        threshold

// COMPARE does all that a routine does.
#define COMPARE(WORD, BROADCAST, bytes, T) \
	MOVQ       compareArgs_values(DI), SI                                                 \
	MOVQ       compareArgs_words(DI), R8                                                  \
	IMULQ      $(64*bytes), R8                                                            \
	ADDQ       SI, R8                                                                     \
	MOVQ       compareArgs_thresholds(DI), DX                                             \
	MOVQ       compareArgs_missingLeft(DI), CX                                            \
	MOVQ       compareArgs_right(DI), R9                                                  \
	COMPARE_THRESHOLDS(WORD, NOT_GREATER, BROADCAST, bytes, T, left, leftWord, leftDone)  \
	leftDone:                                                                             \
	MOVQ       compareArgs_n(DI), CX                                                      \
	SUBQ       compareArgs_missingLeft(DI), CX                                            \
	COMPARE_THRESHOLDS(WORD, NOT_ABOVE, BROADCAST, bytes, T, right, rightWord, rightDone) \
	rightDone:                                                                            \
	VZEROUPPER

#define COMPARE8_AVX512(how, i, K) VCMPPD how, (64*i)(AX), Z0, K

#define COMPARE64_AVX512(how) \
	COMPARE8_AVX512(how, 0, K1) \
	COMPARE8_AVX512(how, 1, K2) \
	COMPARE8_AVX512(how, 2, K3) \
	COMPARE8_AVX512(how, 3, K4) \
	COMPARE8_AVX512(how, 4, K5) \
	COMPARE8_AVX512(how, 5, K6) \
	COMPARE8_AVX512(how, 6, K7) \
	KMOVB K1, (BX)              \
	COMPARE8_AVX512(how, 7, K1) \
	KMOVB K2, 1(BX)             \
	KMOVB K3, 2(BX)             \
	KMOVB K4, 3(BX)             \
	KMOVB K5, 4(BX)             \
	KMOVB K6, 5(BX)             \
	KMOVB K7, 6(BX)             \
	KMOVB K1, 7(BX)

TEXT ·compareAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	COMPARE(COMPARE64_AVX512, VBROADCASTSD, 8, Z0)
	RET

// func compareAVX2(a *compareArgs)
//
// As compareAVX512, eight rows a byte.

// the answers of rows 8·i to 8·i + 7 of a word
#define COMPARE8_AVX2(how, i) \
	VCMPPD    how, (64*i)(AX), Y0, Y1    \
	VCMPPD    how, (64*i+32)(AX), Y0, Y2 \
	VSHUFPS   $0x88, Y2, Y1, Y1          \ // rows 0, 1, 4, 5, 2, 3, 6, 7
	VPERMPD   $0xd8, Y1, Y1              \
	VMOVMSKPS Y1, R11                    \
	MOVB      R11, i(BX)

#define COMPARE64_AVX2(how) \
	COMPARE8_AVX2(how, 0) \
	COMPARE8_AVX2(how, 1) \
	COMPARE8_AVX2(how, 2) \
	COMPARE8_AVX2(how, 3) \
	COMPARE8_AVX2(how, 4) \
	COMPARE8_AVX2(how, 5) \
	COMPARE8_AVX2(how, 6) \
	COMPARE8_AVX2(how, 7)

TEXT ·compareAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	COMPARE(COMPARE64_AVX2, VBROADCASTSD, 8, Y0)
	RET

// ---------------------------------------------------------------------------
// Compare32

#define COMPARE16_AVX512(how, i, K) \
	VCMPPS how, (64*i)(AX), Z0, K \
	KMOVW  K, (2*i)(BX)

#define COMPARE64X32_AVX512(how) \
	COMPARE16_AVX512(how, 0, K1) \
	COMPARE16_AVX512(how, 1, K2) \
	COMPARE16_AVX512(how, 2, K3) \
	COMPARE16_AVX512(how, 3, K4)

// func compare32AVX512(a *compareArgs)
TEXT ·compare32AVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	COMPARE(COMPARE64X32_AVX512, VBROADCASTSS, 4, Z0)
	RET

#define COMPARE8X32_AVX2(how, i) \
	VCMPPS    how, (32*i)(AX), Y0, Y1 \
	VMOVMSKPS Y1, R11                 \
	MOVB      R11, i(BX)

#define COMPARE64X32_AVX2(how) \
	COMPARE8X32_AVX2(how, 0) \
	COMPARE8X32_AVX2(how, 1) \
	COMPARE8X32_AVX2(how, 2) \
	COMPARE8X32_AVX2(how, 3) \
	COMPARE8X32_AVX2(how, 4) \
	COMPARE8X32_AVX2(how, 5) \
	COMPARE8X32_AVX2(how, 6) \
	COMPARE8X32_AVX2(how, 7)

// func compare32AVX2(a *compareArgs)
TEXT ·compare32AVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	COMPARE(COMPARE64X32_AVX2, VBROADCASTSS, 4, Y0)
	RET

// ---------------------------------------------------------------------------
// Members

// func membersWords(a *membersArgs)
//
//	DI args              R8 words left       CX sets left   DX set
//	SI codes of a word   R9 first answers    BX to a set's answers   AX, R10 answers
//	Y0, Y1 bits of codes in bytes of a set   Y2, Y3 these bytes, of codes below 128
//	Y6, Y7 set           Y8, Y9 temporaries  Y4, Y5 the same, of other codes
//	Y11 … Y15 constants
//
// A set is 32 bytes, two tables for VPSHUFB. Indices of 128 or more give zero:
// for each code, one of the tables counts.
DATA ·membersConst+0(SB)/4, $0x1F1F1F1F
DATA ·membersConst+4(SB)/4, $0x70707070
DATA ·membersConst+8(SB)/4, $0x80808080
GLOBL ·membersConst(SB), RODATA|NOPTR, $12

// BYTES turns codes into the bits and bytes where sets have them.
#define BYTES(codes, low, high) \
	VPSRLW  $3, codes, low    \
	VPAND   Y12, low, low     \
	VPADDB  Y13, low, low     \ // 112 … 127, or more for codes from 128 on
	VPXOR   Y14, low, high    \
	VPAND   Y12, codes, codes \
	VPSHUFB codes, Y15, codes

// NOT_MEMBERS makes a mask of the 32 rows whose codes are not in the set.
#define NOT_MEMBERS(bit, low, high, mask) \
	VPSHUFB   low, Y6, Y8  \
	VPSHUFB   high, Y7, Y9 \
	VPOR      Y9, Y8, Y8   \
	VPAND     bit, Y8, Y8  \
	VPCMPEQB  Y11, Y8, Y8  \
	VPMOVMSKB Y8, mask

TEXT ·membersWords(SB), NOSPLIT, $0-8
	MOVQ         a+0(FP), DI
	MOVQ         membersArgs_codes(DI), SI
	MOVQ         membersArgs_words(DI), R8
	MOVQ         membersArgs_right(DI), R9
	VPBROADCASTD ·membersConst+0(SB), Y12
	VPBROADCASTD ·membersConst+4(SB), Y13
	VPBROADCASTD ·membersConst+8(SB), Y14
	VPBROADCASTQ ·bits8(SB), Y15
	VPXOR        Y11, Y11, Y11

word:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	BYTES(Y0, Y2, Y4)
	BYTES(Y1, Y3, Y5)
	MOVQ    membersArgs_sets(DI), DX
	MOVQ    membersArgs_n(DI), CX
	MOVQ    R9, BX

set:
	VBROADCASTI128 (DX), Y6
	VBROADCASTI128 16(DX), Y7
	NOT_MEMBERS(Y0, Y2, Y4, AX)
	NOT_MEMBERS(Y1, Y3, Y5, R10)
	MOVL           AX, (BX)
	MOVL           R10, 4(BX)
	ADDQ           $32, DX
	ADDQ           $64, BX
	DECQ           CX
	JNZ            set
	ADDQ           $64, SI
	ADDQ           $8, R9
	DECQ           R8
	JNZ            word
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Leaves

// LEAVES_ARGS reads the arguments.
#define LEAVES_ARGS \
	MOVQ a+0(FP), DI                 \
	MOVQ leavesArgs_right(DI), SI    \
	MOVQ leavesArgs_cuts(DI), R8     \
	MOVQ leavesArgs_n(DI), BX        \
	MOVQ BX, R9                      \
	SHLQ $4, R9                      \
	ADDQ R8, R9                      \
	MOVQ leavesArgs_atLeast(DI), R10

// CUT_OFFSETS turns the numbers of the cut at R8 into offsets of sets of rows.
#define CUT_OFFSETS \
	MOVL cut_Test(R8), AX   \
	MOVL cut_Low(R8), BX    \
	MOVL cut_Middle(R8), CX \
	MOVL cut_High(R8), DX   \
	SHLQ $6, AX             \
	SHLQ $6, BX             \
	SHLQ $6, CX             \
	SHLQ $6, DX

// func leavesAVX512(a *leavesArgs)
//
//	SI answers        R8 cut, R9 past the last      AX … DX offsets of sets of rows
//	R10 sets of rows by leaf                        R11 where they end
//	Z16 … Z31 leaf numbers
#define LEAF_BIT_AVX512(at, K, Z) \
	KMOVD  at(R10)(DX*1), K \
	VPADDW Z, Z, Z          \
	VPSUBW Z1, Z, K, Z

TEXT ·leavesAVX512(SB), NOSPLIT, $0-8
	LEAVES_ARGS

	// All rows reach leaf 0 or a later one, none one past the last.
	VPTERNLOGD $0xff, Z1, Z1, Z1
	VPXORQ     Z0, Z0, Z0
	VMOVDQU64  Z1, (R10)
	MOVQ       BX, R11
	SHLQ       $6, R11
	VMOVDQU64  Z0, 64(R10)(R11*1)

	VPXORQ Z16, Z16, Z16
	VPXORQ Z17, Z17, Z17
	VPXORQ Z18, Z18, Z18
	VPXORQ Z19, Z19, Z19
	VPXORQ Z20, Z20, Z20
	VPXORQ Z21, Z21, Z21
	VPXORQ Z22, Z22, Z22
	VPXORQ Z23, Z23, Z23
	VPXORQ Z24, Z24, Z24
	VPXORQ Z25, Z25, Z25
	VPXORQ Z26, Z26, Z26
	VPXORQ Z27, Z27, Z27
	VPXORQ Z28, Z28, Z28
	VPXORQ Z29, Z29, Z29
	VPXORQ Z30, Z30, Z30
	VPXORQ Z31, Z31, Z31
	TESTQ  BX, BX
	JZ     store

cut:
	// atLeast[middle] = atLeast[high] | atLeast[low] & right[test]
	CUT_OFFSETS
	VMOVDQU64  (R10)(BX*1), Z2
	VMOVDQU64  (SI)(AX*1), Z3
	VPTERNLOGQ $0xea, (R10)(DX*1), Z3, Z2
	VMOVDQU64  Z2, (R10)(CX*1)
	ADDQ       $16, R8
	CMPQ       R8, R9
	JB         cut

	// The bits of leaf numbers, each in place of the first leaf that has it: how
	// often rows have passed a multiple of that leaf, modulo 2.
	MOVQ R11, R9
	ADDQ R10, R11
	MOVL $64, DX

bit:
	LEAQ   (R10)(DX*1), AX
	VPXORQ Z2, Z2, Z2

multiple:
	VPXORQ    (AX), Z2, Z2
	ADDQ      DX, AX
	CMPQ      AX, R11
	JBE       multiple
	VMOVDQU64 Z2, (R10)(DX*1)
	ADDQ      DX, DX
	CMPQ      DX, R9
	JBE       bit

double:
	// from the highest down
	SHRQ $1, DX

	// number = 2·number + bit
	LEAF_BIT_AVX512(0, K1, Z16)
	LEAF_BIT_AVX512(4, K2, Z17)
	LEAF_BIT_AVX512(8, K3, Z18)
	LEAF_BIT_AVX512(12, K4, Z19)
	LEAF_BIT_AVX512(16, K5, Z20)
	LEAF_BIT_AVX512(20, K6, Z21)
	LEAF_BIT_AVX512(24, K7, Z22)
	LEAF_BIT_AVX512(28, K1, Z23)
	LEAF_BIT_AVX512(32, K2, Z24)
	LEAF_BIT_AVX512(36, K3, Z25)
	LEAF_BIT_AVX512(40, K4, Z26)
	LEAF_BIT_AVX512(44, K5, Z27)
	LEAF_BIT_AVX512(48, K6, Z28)
	LEAF_BIT_AVX512(52, K7, Z29)
	LEAF_BIT_AVX512(56, K1, Z30)
	LEAF_BIT_AVX512(60, K2, Z31)
	CMPQ DX, $64
	JA   double

store:
	MOVQ      leavesArgs_leaves(DI), AX
	VMOVDQU64 Z16, (AX)
	VMOVDQU64 Z17, 64(AX)
	VMOVDQU64 Z18, 128(AX)
	VMOVDQU64 Z19, 192(AX)
	VMOVDQU64 Z20, 256(AX)
	VMOVDQU64 Z21, 320(AX)
	VMOVDQU64 Z22, 384(AX)
	VMOVDQU64 Z23, 448(AX)
	VMOVDQU64 Z24, 512(AX)
	VMOVDQU64 Z25, 576(AX)
	VMOVDQU64 Z26, 640(AX)
	VMOVDQU64 Z27, 704(AX)
	VMOVDQU64 Z28, 768(AX)
	VMOVDQU64 Z29, 832(AX)
	VMOVDQU64 Z30, 896(AX)
	VMOVDQU64 Z31, 960(AX)
	VZEROUPPER
	RET

// func leavesAVX2(a *leavesArgs)
//
//	SI answers                R8 cut, R9 past the last   AX … DX offsets of sets of rows
//	R10 sets of rows by leaf  R11 the last               R12 words left
//	DX, R14 leaf of a bit     AX leaf numbers            Y4 … Y7 some of them
//	Y15 a bit for each of 16 rows
DATA ·bits16+0(SB)/8, $0x0008000400020001
DATA ·bits16+8(SB)/8, $0x0080004000200010
DATA ·bits16+16(SB)/8, $0x0800040002000100
DATA ·bits16+24(SB)/8, $0x8000400020001000
GLOBL ·bits16(SB), RODATA|NOPTR, $32

// 16 numbers = 2·numbers + the bits of 16 rows
#define LEAF_BIT_AVX2(at, numbers) \
	VPBROADCASTW at(R10)(R14*1), Y0        \
	VPAND        Y15, Y0, Y0               \
	VPCMPEQW     Y15, Y0, Y0               \
	VPADDW       numbers, numbers, numbers \
	VPSUBW       Y0, numbers, numbers

TEXT ·leavesAVX2(SB), NOSPLIT, $0-8
	LEAVES_ARGS

	// All rows reach leaf 0 or a later one, none one past the last.
	VPCMPEQD Y1, Y1, Y1
	VPXOR    Y0, Y0, Y0
	VMOVDQU  Y1, (R10)
	VMOVDQU  Y1, 32(R10)
	MOVQ     BX, R11
	SHLQ     $6, R11
	VMOVDQU  Y0, 64(R10)(R11*1)
	VMOVDQU  Y0, 96(R10)(R11*1)
	MOVL     $64, DX
	TESTQ    BX, BX
	JZ       numbers

cut:
	// atLeast[middle] = atLeast[high] | atLeast[low] & right[test]
	CUT_OFFSETS
	VMOVDQU (R10)(BX*1), Y2
	VMOVDQU 32(R10)(BX*1), Y3
	VPAND   (SI)(AX*1), Y2, Y2
	VPAND   32(SI)(AX*1), Y3, Y3
	VPOR    (R10)(DX*1), Y2, Y2
	VPOR    32(R10)(DX*1), Y3, Y3
	VMOVDQU Y2, (R10)(CX*1)
	VMOVDQU Y3, 32(R10)(CX*1)
	ADDQ    $16, R8
	CMPQ    R8, R9
	JB      cut

	// The bits of leaf numbers, each in place of the first leaf that has it.
	MOVQ R11, R9
	ADDQ R10, R11
	MOVL $64, DX

bit:
	LEAQ  (R10)(DX*1), AX
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

multiple:
	VPXOR   (AX), Y2, Y2
	VPXOR   32(AX), Y3, Y3
	ADDQ    DX, AX
	CMPQ    AX, R11
	JBE     multiple
	VMOVDQU Y2, (R10)(DX*1)
	VMOVDQU Y3, 32(R10)(DX*1)
	ADDQ    DX, DX
	CMPQ    DX, R9
	JBE     bit

numbers:
	VMOVDQU ·bits16(SB), Y15
	MOVQ    leavesArgs_leaves(DI), AX
	MOVQ    leavesArgs_words(DI), R12

word:
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  DX, R14
	JMP   lower

double:
	LEAF_BIT_AVX2(0, Y4)
	LEAF_BIT_AVX2(2, Y5)
	LEAF_BIT_AVX2(4, Y6)
	LEAF_BIT_AVX2(6, Y7)

lower:
	SHRQ $1, R14
	CMPQ R14, $64
	JAE  double

	VMOVDQU Y4, (AX)
	VMOVDQU Y5, 32(AX)
	VMOVDQU Y6, 64(AX)
	VMOVDQU Y7, 96(AX)
	ADDQ    $128, AX
	ADDQ    $8, R10
	DECQ    R12
	JNZ     word
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// AddSteps
//
// Sums stay in registers while the trees pass by.
//
//	SI the row's leaf numbers    DX stride of trees     BX of the row in the tree
//	CX first leaf of the tree    R8 past the last
//	R9 steps                     R10 bytes a leaf       AX, DI where leaves begin
//	R11 the row's scores         R12 stride of rows     R13 rows left

// LEAF = where the steps of the leaf of a row begin
#define STEPS_OF(row, LEAF) \
	MOVWLZX (2*row)(BX), LEAF \
	ADDL    (CX), LEAF        \
	IMULQ   R10, LEAF

// where the first tree's first leaf stands
#define FIRST_LEAF first-8(SP)

#define FIRST_TREE \
	MOVQ SI, BX         \
	MOVQ FIRST_LEAF, CX

#define NEXT_TREE(tree) \
	ADDQ DX, BX \
	ADDQ $4, CX \
	CMPQ CX, R8 \
	JB   tree

// what both levels read of their arguments, BX = classes
#define STEP_ARGS \
	MOVQ addStepsArgs_leaves(AX), SI     \
	MOVQ addStepsArgs_leafStride(AX), DX \
	MOVQ addStepsArgs_firstLeaf(AX), DI  \
	MOVQ DI, FIRST_LEAF                  \
	MOVQ addStepsArgs_trees(AX), R8      \
	LEAQ (DI)(R8*4), R8                  \
	MOVQ addStepsArgs_steps(AX), R9      \
	MOVQ addStepsArgs_leafBytes(AX), R10 \
	MOVQ addStepsArgs_scores(AX), R11    \
	MOVQ addStepsArgs_stride(AX), R12    \
	MOVQ addStepsArgs_rows(AX), R13      \
	MOVQ addStepsArgs_classes(AX), BX

// begin generated: addSteps
// ---------------------------------------------------------------------------
// AddSteps, AVX-512
//
// As a product with one a step takes the multipliers' way to its sum: conversions
// occupy the adders.
//
//	Z0 … Z7 sums    Z16 … Z19 steps    Z31 one    K1 the classes of the last vector

// func addStepsAVX512(a *addStepsArgs)
TEXT ·addStepsAVX512(SB), NOSPLIT, $8-8
	MOVQ         a+0(FP), AX
	STEP_ARGS
	VBROADCASTSD ·one64(SB), Z31

	// K1 = the last 1 … 8 classes
	LEAQ  -1(BX), CX
	ANDL  $7, CX
	MOVL  $2, AX
	SHLL  CX, AX
	DECL  AX
	KMOVB AX, K1
	CMPQ  BX, $8
	JBE   classes8
	CMPQ  BX, $16
	JBE   classes16
	CMPQ  BX, $24
	JBE   classes24

two32:
	// the sums of two rows = their scores
	CMPQ      R13, $2
	JB        one32
	LEAQ      (R11)(R12*1), AX
	VMOVUPD   (R11), Z0
	VMOVUPD   64(R11), Z1
	VMOVUPD   128(R11), Z2
	VMOVUPD.Z 192(R11), K1, Z3
	VMOVUPD   (AX), Z4
	VMOVUPD   64(AX), Z5
	VMOVUPD   128(AX), Z6
	VMOVUPD.Z 192(AX), K1, Z7
	FIRST_TREE

two32tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD   32(R9)(AX*1), Z17
	VCVTPS2PD   64(R9)(AX*1), Z18
	VCVTPS2PD.Z 96(R9)(AX*1), K1, Z19
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	VFMADD231PD Z18, Z31, Z2
	VFMADD231PD Z19, Z31, Z3
	VCVTPS2PD   (R9)(DI*1), Z16
	VCVTPS2PD   32(R9)(DI*1), Z17
	VCVTPS2PD   64(R9)(DI*1), Z18
	VCVTPS2PD.Z 96(R9)(DI*1), K1, Z19
	VFMADD231PD Z16, Z31, Z4
	VFMADD231PD Z17, Z31, Z5
	VFMADD231PD Z18, Z31, Z6
	VFMADD231PD Z19, Z31, Z7
	NEXT_TREE(two32tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, 64(R11)
	VMOVUPD Z2, 128(R11)
	VMOVUPD Z3, K1, 192(R11)
	ADDQ    R12, R11
	VMOVUPD Z4, (R11)
	VMOVUPD Z5, 64(R11)
	VMOVUPD Z6, 128(R11)
	VMOVUPD Z7, K1, 192(R11)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two32

one32:
	// the sums of the last row = its scores
	TESTQ     R13, R13
	JZ        done
	VMOVUPD   (R11), Z0
	VMOVUPD   64(R11), Z1
	VMOVUPD   128(R11), Z2
	VMOVUPD.Z 192(R11), K1, Z3
	FIRST_TREE

one32tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD   32(R9)(AX*1), Z17
	VCVTPS2PD   64(R9)(AX*1), Z18
	VCVTPS2PD.Z 96(R9)(AX*1), K1, Z19
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	VFMADD231PD Z18, Z31, Z2
	VFMADD231PD Z19, Z31, Z3
	NEXT_TREE(one32tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, 64(R11)
	VMOVUPD Z2, 128(R11)
	VMOVUPD Z3, K1, 192(R11)
	JMP     done

classes24:

two24:
	// the sums of two rows = their scores
	CMPQ      R13, $2
	JB        one24
	LEAQ      (R11)(R12*1), AX
	VMOVUPD   (R11), Z0
	VMOVUPD   64(R11), Z1
	VMOVUPD.Z 128(R11), K1, Z2
	VMOVUPD   (AX), Z4
	VMOVUPD   64(AX), Z5
	VMOVUPD.Z 128(AX), K1, Z6
	FIRST_TREE

two24tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD   32(R9)(AX*1), Z17
	VCVTPS2PD.Z 64(R9)(AX*1), K1, Z18
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	VFMADD231PD Z18, Z31, Z2
	VCVTPS2PD   (R9)(DI*1), Z16
	VCVTPS2PD   32(R9)(DI*1), Z17
	VCVTPS2PD.Z 64(R9)(DI*1), K1, Z18
	VFMADD231PD Z16, Z31, Z4
	VFMADD231PD Z17, Z31, Z5
	VFMADD231PD Z18, Z31, Z6
	NEXT_TREE(two24tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, 64(R11)
	VMOVUPD Z2, K1, 128(R11)
	ADDQ    R12, R11
	VMOVUPD Z4, (R11)
	VMOVUPD Z5, 64(R11)
	VMOVUPD Z6, K1, 128(R11)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two24

one24:
	// the sums of the last row = its scores
	TESTQ     R13, R13
	JZ        done
	VMOVUPD   (R11), Z0
	VMOVUPD   64(R11), Z1
	VMOVUPD.Z 128(R11), K1, Z2
	FIRST_TREE

one24tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD   32(R9)(AX*1), Z17
	VCVTPS2PD.Z 64(R9)(AX*1), K1, Z18
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	VFMADD231PD Z18, Z31, Z2
	NEXT_TREE(one24tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, 64(R11)
	VMOVUPD Z2, K1, 128(R11)
	JMP     done

classes16:

two16:
	// the sums of two rows = their scores
	CMPQ      R13, $2
	JB        one16
	LEAQ      (R11)(R12*1), AX
	VMOVUPD   (R11), Z0
	VMOVUPD.Z 64(R11), K1, Z1
	VMOVUPD   (AX), Z4
	VMOVUPD.Z 64(AX), K1, Z5
	FIRST_TREE

two16tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD.Z 32(R9)(AX*1), K1, Z17
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	VCVTPS2PD   (R9)(DI*1), Z16
	VCVTPS2PD.Z 32(R9)(DI*1), K1, Z17
	VFMADD231PD Z16, Z31, Z4
	VFMADD231PD Z17, Z31, Z5
	NEXT_TREE(two16tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, K1, 64(R11)
	ADDQ    R12, R11
	VMOVUPD Z4, (R11)
	VMOVUPD Z5, K1, 64(R11)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two16

one16:
	// the sums of the last row = its scores
	TESTQ     R13, R13
	JZ        done
	VMOVUPD   (R11), Z0
	VMOVUPD.Z 64(R11), K1, Z1
	FIRST_TREE

one16tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	VCVTPS2PD   (R9)(AX*1), Z16
	VCVTPS2PD.Z 32(R9)(AX*1), K1, Z17
	VFMADD231PD Z16, Z31, Z0
	VFMADD231PD Z17, Z31, Z1
	NEXT_TREE(one16tree)

	// scores = sums
	VMOVUPD Z0, (R11)
	VMOVUPD Z1, K1, 64(R11)
	JMP     done

classes8:

two8:
	// the sums of two rows = their scores
	CMPQ      R13, $2
	JB        one8
	LEAQ      (R11)(R12*1), AX
	VMOVUPD.Z (R11), K1, Z0
	VMOVUPD.Z (AX), K1, Z4
	FIRST_TREE

two8tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	VCVTPS2PD.Z (R9)(AX*1), K1, Z16
	VFMADD231PD Z16, Z31, Z0
	VCVTPS2PD.Z (R9)(DI*1), K1, Z16
	VFMADD231PD Z16, Z31, Z4
	NEXT_TREE(two8tree)

	// scores = sums
	VMOVUPD Z0, K1, (R11)
	ADDQ    R12, R11
	VMOVUPD Z4, K1, (R11)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two8

one8:
	// the sums of the last row = its scores
	TESTQ     R13, R13
	JZ        done
	VMOVUPD.Z (R11), K1, Z0
	FIRST_TREE

one8tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	VCVTPS2PD.Z (R9)(AX*1), K1, Z16
	VFMADD231PD Z16, Z31, Z0
	NEXT_TREE(one8tree)

	// scores = sums
	VMOVUPD Z0, K1, (R11)
	JMP     done

done:
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// AddSteps, AVX2
//
// Half of the vectors go from the first class on, half up to the last; where
// they overlap both have the same sums.
//
//	R14 steps of the later half    R15 offset of its scores
//	Y0 … Y7 sums                   Y8 … Y15 steps

// S += steps
#define STEP_AVX2(at, half, LEAF, T, S) \
	VCVTPS2PD at(half)(LEAF*1), T \
	VADDPD    T, S, S

// the later half: 2·vectors classes from the last
#define LATER_HALF(classes) \
	LEAQ -classes(BX), R15 \
	LEAQ (R9)(R15*4), R14  \
	SHLQ $3, R15

// func addStepsAVX2(a *addStepsArgs)
TEXT ·addStepsAVX2(SB), NOSPLIT, $8-8
	MOVQ a+0(FP), AX
	STEP_ARGS
	CMPQ BX, $4
	JB   classes3
	CMPQ BX, $8
	JBE  classes8
	CMPQ BX, $16
	JBE  classes16
	CMPQ BX, $24
	JBE  classes24

	LATER_HALF(16)

one32:
	// the sums of a row = its scores
	VMOVUPD (R11), Y0
	VMOVUPD 32(R11), Y1
	VMOVUPD (R11)(R15*1), Y2
	VMOVUPD 32(R11)(R15*1), Y3
	VMOVUPD 64(R11), Y4
	VMOVUPD 64(R11)(R15*1), Y5
	VMOVUPD 96(R11), Y6
	VMOVUPD 96(R11)(R15*1), Y7
	FIRST_TREE

one32tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(16, R9, AX, Y9, Y1)
	STEP_AVX2(0, R14, AX, Y10, Y2)
	STEP_AVX2(16, R14, AX, Y11, Y3)
	STEP_AVX2(32, R9, AX, Y12, Y4)
	STEP_AVX2(32, R14, AX, Y13, Y5)
	STEP_AVX2(48, R9, AX, Y14, Y6)
	STEP_AVX2(48, R14, AX, Y15, Y7)
	NEXT_TREE(one32tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, 32(R11)
	VMOVUPD Y2, (R11)(R15*1)
	VMOVUPD Y3, 32(R11)(R15*1)
	VMOVUPD Y4, 64(R11)
	VMOVUPD Y5, 64(R11)(R15*1)
	VMOVUPD Y6, 96(R11)
	VMOVUPD Y7, 96(R11)(R15*1)
	ADDQ    $2, SI
	ADDQ    R12, R11
	DECQ    R13
	JNZ     one32
	JMP     done

classes24:
	LATER_HALF(12)

one24:
	// the sums of a row = its scores
	VMOVUPD (R11), Y0
	VMOVUPD 32(R11), Y1
	VMOVUPD (R11)(R15*1), Y2
	VMOVUPD 32(R11)(R15*1), Y3
	VMOVUPD 64(R11), Y4
	VMOVUPD 64(R11)(R15*1), Y5
	FIRST_TREE

one24tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(16, R9, AX, Y9, Y1)
	STEP_AVX2(0, R14, AX, Y10, Y2)
	STEP_AVX2(16, R14, AX, Y11, Y3)
	STEP_AVX2(32, R9, AX, Y12, Y4)
	STEP_AVX2(32, R14, AX, Y13, Y5)
	NEXT_TREE(one24tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, 32(R11)
	VMOVUPD Y2, (R11)(R15*1)
	VMOVUPD Y3, 32(R11)(R15*1)
	VMOVUPD Y4, 64(R11)
	VMOVUPD Y5, 64(R11)(R15*1)
	ADDQ    $2, SI
	ADDQ    R12, R11
	DECQ    R13
	JNZ     one24
	JMP     done

classes16:
	LATER_HALF(8)

two16:
	// the sums of two rows = their scores
	CMPQ    R13, $2
	JB      one16
	LEAQ    (R11)(R12*1), AX
	VMOVUPD (R11), Y0
	VMOVUPD 32(R11), Y1
	VMOVUPD (R11)(R15*1), Y2
	VMOVUPD 32(R11)(R15*1), Y3
	VMOVUPD (AX), Y4
	VMOVUPD 32(AX), Y5
	VMOVUPD (AX)(R15*1), Y6
	VMOVUPD 32(AX)(R15*1), Y7
	FIRST_TREE

two16tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(16, R9, AX, Y9, Y1)
	STEP_AVX2(0, R14, AX, Y10, Y2)
	STEP_AVX2(16, R14, AX, Y11, Y3)
	STEP_AVX2(0, R9, DI, Y8, Y4)
	STEP_AVX2(16, R9, DI, Y9, Y5)
	STEP_AVX2(0, R14, DI, Y10, Y6)
	STEP_AVX2(16, R14, DI, Y11, Y7)
	NEXT_TREE(two16tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, 32(R11)
	VMOVUPD Y2, (R11)(R15*1)
	VMOVUPD Y3, 32(R11)(R15*1)
	ADDQ    R12, R11
	VMOVUPD Y4, (R11)
	VMOVUPD Y5, 32(R11)
	VMOVUPD Y6, (R11)(R15*1)
	VMOVUPD Y7, 32(R11)(R15*1)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two16

one16:
	// the sums of the last row = its scores
	TESTQ   R13, R13
	JZ      done
	VMOVUPD (R11), Y0
	VMOVUPD 32(R11), Y1
	VMOVUPD (R11)(R15*1), Y2
	VMOVUPD 32(R11)(R15*1), Y3
	FIRST_TREE

one16tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(16, R9, AX, Y9, Y1)
	STEP_AVX2(0, R14, AX, Y10, Y2)
	STEP_AVX2(16, R14, AX, Y11, Y3)
	NEXT_TREE(one16tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, 32(R11)
	VMOVUPD Y2, (R11)(R15*1)
	VMOVUPD Y3, 32(R11)(R15*1)
	JMP     done

classes8:
	LATER_HALF(4)

two8:
	// the sums of two rows = their scores
	CMPQ    R13, $2
	JB      one8
	LEAQ    (R11)(R12*1), AX
	VMOVUPD (R11), Y0
	VMOVUPD (R11)(R15*1), Y1
	VMOVUPD (AX), Y4
	VMOVUPD (AX)(R15*1), Y5
	FIRST_TREE

two8tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(0, R14, AX, Y9, Y1)
	STEP_AVX2(0, R9, DI, Y8, Y4)
	STEP_AVX2(0, R14, DI, Y9, Y5)
	NEXT_TREE(two8tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, (R11)(R15*1)
	ADDQ    R12, R11
	VMOVUPD Y4, (R11)
	VMOVUPD Y5, (R11)(R15*1)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two8

one8:
	// the sums of the last row = its scores
	TESTQ   R13, R13
	JZ      done
	VMOVUPD (R11), Y0
	VMOVUPD (R11)(R15*1), Y1
	FIRST_TREE

one8tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEP_AVX2(0, R9, AX, Y8, Y0)
	STEP_AVX2(0, R14, AX, Y9, Y1)
	NEXT_TREE(one8tree)

	// scores = sums
	VMOVUPD Y0, (R11)
	VMOVUPD Y1, (R11)(R15*1)
	JMP     done

classes3:
	LATER_HALF(2)

two3:
	// the sums of two rows = their scores
	CMPQ    R13, $2
	JB      one3
	LEAQ    (R11)(R12*1), AX
	VMOVUPD (R11), X0
	VMOVUPD (R11)(R15*1), X1
	VMOVUPD (AX), X4
	VMOVUPD (AX)(R15*1), X5
	FIRST_TREE

two3tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEPS_OF(1, DI)
	STEP_AVX2(0, R9, AX, X8, X0)
	STEP_AVX2(0, R14, AX, X9, X1)
	STEP_AVX2(0, R9, DI, X8, X4)
	STEP_AVX2(0, R14, DI, X9, X5)
	NEXT_TREE(two3tree)

	// scores = sums
	VMOVUPD X0, (R11)
	VMOVUPD X1, (R11)(R15*1)
	ADDQ    R12, R11
	VMOVUPD X4, (R11)
	VMOVUPD X5, (R11)(R15*1)
	ADDQ    R12, R11
	ADDQ    $4, SI
	SUBQ    $2, R13
	JMP     two3

one3:
	// the sums of the last row = its scores
	TESTQ   R13, R13
	JZ      done
	VMOVUPD (R11), X0
	VMOVUPD (R11)(R15*1), X1
	FIRST_TREE

one3tree:
	// sums += the steps of the rows' leaves in the next tree
	STEPS_OF(0, AX)
	STEP_AVX2(0, R9, AX, X8, X0)
	STEP_AVX2(0, R14, AX, X9, X1)
	NEXT_TREE(one3tree)

	// scores = sums
	VMOVUPD X0, (R11)
	VMOVUPD X1, (R11)(R15*1)
	JMP     done

done:
	VZEROUPPER
	RET

// end generated

// ---------------------------------------------------------------------------
// AddPairs

// func addPairsRows(a *addPairsArgs)
//
// Trees outside, rows inside: the sums of different rows do not wait for one
// another.
//
//	SI leaf numbers of the tree    DX stride of trees    BX of the row
//	CX first leaf of the tree      R8 past the last      DI args
//	R9 steps of the tree           R10 bytes a leaf      AX pair, R15 past the last
//	R11 the row's scores           R12 stride of rows    R13 rows left
//	R14 class                      X0 step               X15 zero
TEXT ·addPairsRows(SB), NOSPLIT, $0-8
	MOVQ   a+0(FP), DI
	MOVQ   addPairsArgs_leaves(DI), SI
	MOVQ   addPairsArgs_leafStride(DI), DX
	MOVQ   addPairsArgs_firstLeaf(DI), CX
	MOVQ   addPairsArgs_trees(DI), R8
	LEAQ   (CX)(R8*4), R8
	MOVQ   addPairsArgs_leafBytes(DI), R10
	MOVQ   addPairsArgs_stride(DI), R12
	VXORPD X15, X15, X15

tree:
	MOVL  (CX), R9
	IMULQ R10, R9
	ADDQ  addPairsArgs_steps(DI), R9
	MOVQ  SI, BX
	MOVQ  addPairsArgs_scores(DI), R11
	MOVQ  addPairsArgs_rows(DI), R13

row:
	MOVWLZX (BX), AX
	IMULQ   R10, AX
	ADDQ    R9, AX
	LEAQ    (AX)(R10*1), R15

pair:
	// scores[r] += step; scores[s] −= step
	VCVTSS2SD 4(AX), X15, X0
	MOVWLZX   (AX), R14
	VADDSD    (R11)(R14*8), X0, X1
	VMOVSD    X1, (R11)(R14*8)
	MOVWLZX   2(AX), R14
	VMOVSD    (R11)(R14*8), X1
	VSUBSD    X0, X1, X1
	VMOVSD    X1, (R11)(R14*8)
	ADDQ      $8, AX
	CMPQ      AX, R15
	JB        pair
	ADDQ      $2, BX
	ADDQ      R12, R11
	DECQ      R13
	JNZ       row
	ADDQ      DX, SI
	ADDQ      $4, CX
	CMPQ      CX, R8
	JB        tree
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// AddShort: 16 bits a class, of 16 to 128 classes at a time. The sums of the
// trees stay in registers, and widen once for all of them.
//
//	Registers as in AddSteps, but
//	R11 the row's sums, of 32 bits    Y8, Y9 those of 16 classes

// what both levels read of their arguments, BX = classes
#define SHORT_ARGS \
	MOVQ addShortArgs_leaves(AX), SI     \
	MOVQ addShortArgs_leafStride(AX), DX \
	MOVQ addShortArgs_firstLeaf(AX), DI  \
	MOVQ DI, FIRST_LEAF                  \
	MOVQ addShortArgs_trees(AX), R8      \
	LEAQ (DI)(R8*4), R8                  \
	MOVQ addShortArgs_steps(AX), R9      \
	MOVQ addShortArgs_leafBytes(AX), R10 \
	MOVQ addShortArgs_sums(AX), R11      \
	MOVQ addShortArgs_stride(AX), R12    \
	MOVQ addShortArgs_rows(AX), R13      \
	MOVQ addShortArgs_classes(AX), BX

// sums of 16 classes += those of the trees
#define SHORT_SUM_AVX2(at, X, Y) \
	VPMOVSXWD    X, Y8                \
	VEXTRACTI128 $1, Y, X9            \
	VPMOVSXWD    X9, Y9               \
	VPADDD       at(R11), Y8, Y8      \
	VPADDD       (at+32)(R11), Y9, Y9 \
	VMOVDQU      Y8, at(R11)          \
	VMOVDQU      Y9, (at+32)(R11)

// sums of 32 classes += those of the trees
#define SHORT_SUM_AVX512(at, Y, Z) \
	VPMOVSXWD     Y, Z8                \
	VEXTRACTI64X4 $1, Z, Y9            \
	VPMOVSXWD     Y9, Z9               \
	VPADDD        at(R11), Z8, Z8      \
	VPADDD        (at+64)(R11), Z9, Z9 \
	VMOVDQU32     Z8, at(R11)          \
	VMOVDQU32     Z9, (at+64)(R11)

// begin generated: addShort
// func addShortAVX512(a *addShortArgs)
TEXT ·addShortAVX512(SB), NOSPLIT, $8-8
	MOVQ a+0(FP), AX
	SHORT_ARGS
	CMPQ BX, $32
	JB   classes16
	JE   classes32
	CMPQ BX, $64
	JE   classes64

row128:
	// the trees' sums = 0
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	FIRST_TREE

tree128:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Z0, Z0
	VPADDW 64(R9)(AX*1), Z1, Z1
	VPADDW 128(R9)(AX*1), Z2, Z2
	VPADDW 192(R9)(AX*1), Z3, Z3
	NEXT_TREE(tree128)

	// the row's sums += the trees'
	SHORT_SUM_AVX512(0, Y0, Z0)
	SHORT_SUM_AVX512(128, Y1, Z1)
	SHORT_SUM_AVX512(256, Y2, Z2)
	SHORT_SUM_AVX512(384, Y3, Z3)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row128
	JMP  done

classes64:
row64:
	// the trees' sums = 0
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	FIRST_TREE

tree64:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Z0, Z0
	VPADDW 64(R9)(AX*1), Z1, Z1
	NEXT_TREE(tree64)

	// the row's sums += the trees'
	SHORT_SUM_AVX512(0, Y0, Z0)
	SHORT_SUM_AVX512(128, Y1, Z1)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row64
	JMP  done

classes32:
row32:
	// the trees' sums = 0
	VPXORQ Z0, Z0, Z0
	FIRST_TREE

tree32:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Z0, Z0
	NEXT_TREE(tree32)

	// the row's sums += the trees'
	SHORT_SUM_AVX512(0, Y0, Z0)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row32
	JMP  done

classes16:
row16:
	// the trees' sums = 0
	VPXOR Y0, Y0, Y0
	FIRST_TREE

tree16:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Y0, Y0
	NEXT_TREE(tree16)

	// the row's sums += the trees'
	SHORT_SUM_AVX2(0, X0, Y0)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row16
	JMP  done

done:
	VZEROUPPER
	RET

// func addShortAVX2(a *addShortArgs)
TEXT ·addShortAVX2(SB), NOSPLIT, $8-8
	MOVQ a+0(FP), AX
	SHORT_ARGS
	CMPQ BX, $32
	JB   classes16
	JE   classes32
	CMPQ BX, $64
	JE   classes64

row128:
	// the trees' sums = 0
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	FIRST_TREE

tree128:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Y0, Y0
	VPADDW 32(R9)(AX*1), Y1, Y1
	VPADDW 64(R9)(AX*1), Y2, Y2
	VPADDW 96(R9)(AX*1), Y3, Y3
	VPADDW 128(R9)(AX*1), Y4, Y4
	VPADDW 160(R9)(AX*1), Y5, Y5
	VPADDW 192(R9)(AX*1), Y6, Y6
	VPADDW 224(R9)(AX*1), Y7, Y7
	NEXT_TREE(tree128)

	// the row's sums += the trees'
	SHORT_SUM_AVX2(0, X0, Y0)
	SHORT_SUM_AVX2(64, X1, Y1)
	SHORT_SUM_AVX2(128, X2, Y2)
	SHORT_SUM_AVX2(192, X3, Y3)
	SHORT_SUM_AVX2(256, X4, Y4)
	SHORT_SUM_AVX2(320, X5, Y5)
	SHORT_SUM_AVX2(384, X6, Y6)
	SHORT_SUM_AVX2(448, X7, Y7)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row128
	JMP  done

classes64:
row64:
	// the trees' sums = 0
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	FIRST_TREE

tree64:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Y0, Y0
	VPADDW 32(R9)(AX*1), Y1, Y1
	VPADDW 64(R9)(AX*1), Y2, Y2
	VPADDW 96(R9)(AX*1), Y3, Y3
	NEXT_TREE(tree64)

	// the row's sums += the trees'
	SHORT_SUM_AVX2(0, X0, Y0)
	SHORT_SUM_AVX2(64, X1, Y1)
	SHORT_SUM_AVX2(128, X2, Y2)
	SHORT_SUM_AVX2(192, X3, Y3)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row64
	JMP  done

classes32:
row32:
	// the trees' sums = 0
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	FIRST_TREE

tree32:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Y0, Y0
	VPADDW 32(R9)(AX*1), Y1, Y1
	NEXT_TREE(tree32)

	// the row's sums += the trees'
	SHORT_SUM_AVX2(0, X0, Y0)
	SHORT_SUM_AVX2(64, X1, Y1)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row32
	JMP  done

classes16:
row16:
	// the trees' sums = 0
	VPXOR Y0, Y0, Y0
	FIRST_TREE

tree16:
	// += the steps of the row's leaf in the next tree
	STEPS_OF(0, AX)
	VPADDW (R9)(AX*1), Y0, Y0
	NEXT_TREE(tree16)

	// the row's sums += the trees'
	SHORT_SUM_AVX2(0, X0, Y0)
	ADDQ $2, SI
	ADDQ R12, R11
	DECQ R13
	JNZ  row16
	JMP  done

done:
	VZEROUPPER
	RET

// end generated

// ---------------------------------------------------------------------------
// Scores

// func scoresRows(a *scoresArgs)
//
// The last four classes of a row overlap those before. A quotient a/t is a·(1/t), corrected
// twice by what is left of a. The first time makes it one of the two numbers next to the
// quotient, the second time the nearer one (Markstein, IBM Journal of Research and
// Development 34, 1990). That takes less time than a division.
//
//	SI sums of the row      DX bytes of it      R9 classes, R10 less the last four
//	DI its scores           R8 bytes of them    R13 rows left      CX first scores
//	AX class                Y0 scores           Y13 temperature    Y14 1/Y13    Y15 unit
#define SCORES(i) \
	VCVTDQ2PD    (SI)(i*4), Y0     \
	VMULPD       Y15, Y0, Y0       \
	VADDPD       (CX)(i*8), Y0, Y0 \
	VMULPD       Y14, Y0, Y1       \
	VMOVAPD      Y0, Y2            \
	VFNMADD231PD Y13, Y1, Y2       \ // a − t·quotient
	VFMADD231PD  Y14, Y2, Y1       \
	VFNMADD231PD Y13, Y1, Y0       \
	VFMADD231PD  Y14, Y0, Y1       \
	VMOVUPD      Y1, (DI)(i*8)

TEXT ·scoresRows(SB), NOSPLIT, $0-8
	MOVQ         a+0(FP), AX
	MOVQ         scoresArgs_sums(AX), SI
	MOVQ         scoresArgs_stride(AX), DX
	MOVQ         scoresArgs_first(AX), CX
	MOVQ         scoresArgs_scores(AX), DI
	MOVQ         scoresArgs_classes(AX), R9
	MOVQ         scoresArgs_rows(AX), R13
	VBROADCASTSD scoresArgs_unit(AX), Y15
	VBROADCASTSD scoresArgs_temperature(AX), Y13
	VBROADCASTSD ·one64(SB), Y14
	VDIVPD       Y13, Y14, Y14
	LEAQ         (R9*8), R8
	LEAQ         -4(R9), R10

row:
	XORL AX, AX
	JMP  first

four:
	SCORES(AX)
	ADDQ $4, AX

first:
	CMPQ AX, R10
	JB   four
	SCORES(R10)
	ADDQ DX, SI
	ADDQ R8, DI
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Best

// func bestRows(a *bestArgs)
//
// First the greatest sum, then the first class that has it. The last eight classes
// of a row overlap those before. It serves AVX-512 as well: a row is in the
// first-level cache, and so short that it is over before wider vectors save much.
//
//	SI sums of the row    DX bytes of it      R10 offset of its last eight classes
//	DI its best class     AX offset           R13 rows left
//	Y0 greatest           Y1 temporary        R8 mask of those that are as great
TEXT ·bestRows(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ bestArgs_sums(AX), SI
	MOVQ bestArgs_stride(AX), DX
	MOVQ bestArgs_classes(AX), R10
	MOVQ bestArgs_best(AX), DI
	MOVQ bestArgs_rows(AX), R13
	LEAQ -32(R10*4), R10

row:
	VMOVDQU (SI)(R10*1), Y0
	XORL    AX, AX
	JMP     first

eight:
	VPMAXSD (SI)(AX*1), Y0, Y0
	ADDQ    $32, AX

first:
	CMPQ       AX, R10
	JB         eight
	VPERM2I128 $1, Y0, Y0, Y1
	VPMAXSD    Y1, Y0, Y0
	VPSHUFD    $0x4E, Y0, Y1
	VPMAXSD    Y1, Y0, Y0
	VPSHUFD    $0xB1, Y0, Y1
	VPMAXSD    Y1, Y0, Y0
	XORL       AX, AX

find:
	VPCMPEQD  (SI)(AX*1), Y0, Y1
	VMOVMSKPS Y1, R8
	TESTL     R8, R8
	JNZ       found
	ADDQ      $32, AX
	CMPQ      AX, R10
	CMOVQHI   R10, AX
	JMP       find

found:
	BSFL R8, R8
	SHRQ $2, AX
	ADDQ R8, AX
	MOVQ AX, (DI)
	ADDQ $8, DI
	ADDQ DX, SI
	DECQ R13
	JNZ  row
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Linear

// Linear scores: of four rows at a time, and of two or three vectors of lanes. The sums
// stay in registers during the loop over the terms, and weights widen once for the four
// rows. Where fewer than four rows are left, the last stands for those past it too.
//
//	SI places of the rows      R8 terms              R15 terms left
//	DI weights of term 0       R9 bytes of a term    CX weights of the term
//	R10 bias                   R13 rows left
//	R11, AX, BX, DX scores of the four rows          R12 bytes of a row of them
//	A, B, C sums of a row      U, V, W weights       P place of a row, then the shift

// The macros LINEARn handle n vectors, each of a number of bytes.

// weights = float32 numbers
#define LINEAR2_WIDEN(at, bytes, U, V, W) \
	VCVTPS2PD (at), U          \
	VCVTPS2PD (bytes/2)(at), V

#define LINEAR3_WIDEN(at, bytes, U, V, W) \
	LINEAR2_WIDEN(at, bytes, U, V, W) \
	VCVTPS2PD bytes(at), W

// sums = weights
#define LINEAR2_BIAS(U, V, W, A, B, C) \
	VMOVAPD U, A \
	VMOVAPD V, B

#define LINEAR3_BIAS(U, V, W, A, B, C) \
	LINEAR2_BIAS(U, V, W, A, B, C) \
	VMOVAPD W, C

// sums = scores
#define LINEAR2_SCORES(at, bytes, A, B, C) \
	VMOVUPD (at), A      \
	VMOVUPD bytes(at), B

#define LINEAR3_SCORES(at, bytes, A, B, C) \
	LINEAR2_SCORES(at, bytes, A, B, C) \
	VMOVUPD (2*bytes)(at), C

// sums += place * weights
#define LINEAR2_TERM(offset, P, U, V, W, A, B, C) \
	VBROADCASTSD offset(SI), P \
	VFMADD231PD  P, U, A       \
	VFMADD231PD  P, V, B

#define LINEAR3_TERM(offset, P, U, V, W, A, B, C) \
	LINEAR2_TERM(offset, P, U, V, W, A, B, C) \
	VFMADD231PD P, W, C

// scores = sums + shift - shift
#define LINEAR2_STORE(at, bytes, P, A, B, C) \
	VADDPD  P, A, A      \
	VADDPD  P, B, B      \
	VSUBPD  P, A, A      \
	VSUBPD  P, B, B      \
	VMOVUPD A, (at)      \
	VMOVUPD B, bytes(at)

#define LINEAR3_STORE(at, bytes, P, A, B, C) \
	LINEAR2_STORE(at, bytes, P, A, B, C) \
	VADDPD  P, C, C                      \
	VSUBPD  P, C, C                      \
	VMOVUPD C, (2*bytes)(at)

// LINEAR_ROWS is the loop over the rows. R10 = 0: the scores have terms before these.
#define LINEAR_ROWS(WIDEN, BIAS, SCORES, TERM, STORE, bytes, P, U, V, W, A0, B0, C0, A1, B1, C1, A2, B2, C2, A3, B3, C3, rows, more, term, done) \
rows:  \
	LEAQ    (R11)(R12*1), AX   \ // the next three rows, as far as there are
	CMPQ    R13, $2            \
	CMOVQLT R11, AX            \
	LEAQ    (AX)(R12*1), BX    \
	CMPQ    R13, $3            \
	CMOVQLT AX, BX             \
	LEAQ    (BX)(R12*1), DX    \
	CMPQ    R13, $4            \
	CMOVQLT BX, DX             \
	MOVQ    DI, CX             \
	MOVQ    R8, R15            \
	TESTQ   R10, R10           \
	JZ      more               \
	WIDEN(R10, bytes, U, V, W) \ // sums = bias
	BIAS(U, V, W, A0, B0, C0)  \
	BIAS(U, V, W, A1, B1, C1)  \
	BIAS(U, V, W, A2, B2, C2)  \
	BIAS(U, V, W, A3, B3, C3)  \
	JMP     term               \
	more:                                 \
	SCORES(R11, bytes, A0, B0, C0)        \ // sums = scores
	SCORES(AX, bytes, A1, B1, C1)         \
	SCORES(BX, bytes, A2, B2, C2)         \
	SCORES(DX, bytes, A3, B3, C3)         \
	term:                                 \
	WIDEN(CX, bytes, U, V, W)             \ // sums += places * weights
	TERM(0, P, U, V, W, A0, B0, C0)       \
	TERM(8, P, U, V, W, A1, B1, C1)       \
	TERM(16, P, U, V, W, A2, B2, C2)      \
	TERM(24, P, U, V, W, A3, B3, C3)      \
	ADDQ         $32, SI                  \
	ADDQ         R9, CX                   \
	DECQ         R15                      \
	JNZ          term                     \
	MOVQ         a+0(FP), R15             \
	VBROADCASTSD linearArgs_shift(R15), P \
	STORE(R11, bytes, P, A0, B0, C0)      \ // scores = rounded sums
	STORE(AX, bytes, P, A1, B1, C1)       \
	STORE(BX, bytes, P, A2, B2, C2)       \
	STORE(DX, bytes, P, A3, B3, C3)       \
	LEAQ         (DX)(R12*1), R11         \
	SUBQ         $4, R13                  \
	JG           rows                     \
	JMP          done

#define LINEAR_AVX2(WIDEN, BIAS, SCORES, TERM, STORE, rows, more, term, done) \
LINEAR_ROWS(WIDEN, BIAS, SCORES, TERM, STORE, 32, Y15, Y12, Y13, Y14, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, rows, more, term, done)

#define LINEAR_AVX512(WIDEN, BIAS, SCORES, TERM, STORE, rows, more, term, done) \
LINEAR_ROWS(WIDEN, BIAS, SCORES, TERM, STORE, 64, Z15, Z12, Z13, Z14, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, rows, more, term, done)

// what both levels read of their arguments, R15 = lanes
#define LINEAR_ARGS \
	MOVQ a+0(FP), AX                \
	LEAQ linearArgs_quads(AX), SI   \
	MOVQ linearArgs_terms(AX), R8   \
	MOVQ linearArgs_weights(AX), DI \
	MOVQ linearArgs_stride(AX), R9  \
	LEAQ (R9*2), R12                \
	MOVQ linearArgs_bias(AX), R10   \
	MOVQ linearArgs_scores(AX), R11 \
	MOVQ linearArgs_rows(AX), R13   \
	MOVQ linearArgs_lanes(AX), R15

// func linearAVX2(a *linearArgs)
TEXT ·linearAVX2(SB), NOSPLIT, $0-8
	LINEAR_ARGS
	CMPQ R15, $8
	JE   lanes8
	LINEAR_AVX2(LINEAR3_WIDEN, LINEAR3_BIAS, LINEAR3_SCORES, LINEAR3_TERM, LINEAR3_STORE, rows12, more12, term12, done)

lanes8:
	LINEAR_AVX2(LINEAR2_WIDEN, LINEAR2_BIAS, LINEAR2_SCORES, LINEAR2_TERM, LINEAR2_STORE, rows8, more8, term8, done)

done:
	VZEROUPPER
	RET

// func linearAVX512(a *linearArgs)
TEXT ·linearAVX512(SB), NOSPLIT, $0-8
	LINEAR_ARGS
	CMPQ R15, $16
	JB   lanes8
	JE   lanes16
	LINEAR_AVX512(LINEAR3_WIDEN, LINEAR3_BIAS, LINEAR3_SCORES, LINEAR3_TERM, LINEAR3_STORE, rows24, more24, term24, done)

lanes16:
	LINEAR_AVX512(LINEAR2_WIDEN, LINEAR2_BIAS, LINEAR2_SCORES, LINEAR2_TERM, LINEAR2_STORE, rows16, more16, term16, done)

lanes8:
	LINEAR_AVX2(LINEAR2_WIDEN, LINEAR2_BIAS, LINEAR2_SCORES, LINEAR2_TERM, LINEAR2_STORE, rows8, more8, term8, done)

done:
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Products, of one feature and four others at a time. AVX-512 would take as long: most time goes to loading.
//
//	SI  the feature, DX the first of the others
//	CX  fours left
//	R8  their sums
//	AX  offset of 16 rows

#define PRODUCTS(other, sum) \
	VPMADDWD (512*other)(DX)(AX*1), Y4, Y5 \
	VPADDD   Y5, sum, sum

// func productsFours(a *productsArgs)
TEXT ·productsFours(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DI
	MOVQ productsArgs_feature(DI), SI
	MOVQ productsArgs_others(DI), DX
	MOVQ productsArgs_fours(DI), CX
	MOVQ productsArgs_sums(DI), R8

four:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

rows:
	VMOVDQU (SI)(AX*1), Y4
	PRODUCTS(0, Y0)
	PRODUCTS(1, Y1)
	PRODUCTS(2, Y2)
	PRODUCTS(3, Y3)
	ADDQ    $32, AX
	CMPQ    AX, $512
	JLT     rows

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPMOVSXDQ    X0, Y0
	VPADDQ       (R8), Y0, Y0
	VMOVDQU      Y0, (R8)
	ADDQ         $2048, DX
	ADDQ         $32, R8
	DECQ         CX
	JNZ          four
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Softmax

// Probabilities: from every row its greatest score is taken away, then e to all
// that is left is computed, rows regardless, then sums are divided out. With whole
// rows by themselves, their last classes by mask, 10 classes take as long, 26 a half
// more, but 300 a fifth less: such rows have functions of their own. Other passes over
// rows are the same at both levels.
//
//	DI row              R8 past the last              R9 bytes of a row
//	AX offset in a row  R10 of its last 1 … 4 classes R11 of its last 1 … 8
//	Y0 maxima, sums     Y1 the last four classes, or two of 2 or 3, read before
//	                    those among them that have been worked on are written

DATA ·nan64+0(SB)/8, $0x7FF8000000000001 // math.NaN
GLOBL ·nan64(SB), RODATA|NOPTR, $8

#define SOFTMAX_ROWS \
	MOVQ  softmaxArgs_scores(BX), DI  \
	MOVQ  softmaxArgs_rows(BX), R8    \
	MOVQ  softmaxArgs_classes(BX), R9 \
	SHLQ  $3, R9                      \
	IMULQ R9, R8                      \
	ADDQ  DI, R8                      \
	LEAQ  -8(R9), R10                 \
	MOVQ  R10, R11                    \
	ANDQ  $-32, R10                   \
	ANDQ  $-64, R11

// func softmaxDivide(scores *float64, n int, by float64)
TEXT ·softmaxDivide(SB), NOSPLIT, $0-24
	MOVQ         scores+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSD by+16(FP), Y3
	SUBQ         $4, CX
	JB           rest

four:
	VMOVUPD (DI), Y0
	VDIVPD  Y3, Y0, Y0
	VMOVUPD Y0, (DI)
	ADDQ    $32, DI
	SUBQ    $4, CX
	JAE     four

rest:
	ADDQ $4, CX
	JZ   done

one:
	VMOVSD (DI), X0
	VDIVSD X3, X0, X0
	VMOVSD X0, (DI)
	ADDQ   $8, DI
	DECQ   CX
	JNZ    one

done:
	VZEROUPPER
	RET

// func softmaxTops(a *softmaxArgs)
//
// From every row its greatest score is subtracted.
TEXT ·softmaxTops(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), BX
	SOFTMAX_ROWS
	CMPQ R9, $32
	JB   rowX

row:
	VMOVUPD -32(DI)(R9*1), Y1
	VMOVAPD Y1, Y0
	MOVQ    R10, AX
	TESTQ   AX, AX
	JZ      fold

top:
	VMAXPD -32(DI)(AX*1), Y0, Y0
	SUBQ   $32, AX
	JNZ    top

fold:
	VEXTRACTF128 $1, Y0, X2
	VMAXPD       X2, X0, X0
	VPERMILPD    $1, X0, X2
	VMAXPD       X2, X0, X0
	VBROADCASTSD X0, Y0
	VSUBPD       Y0, Y1, Y1
	MOVQ         R10, AX
	TESTQ        AX, AX
	JZ           last

less:
	VMOVUPD -32(DI)(AX*1), Y2
	VSUBPD  Y0, Y2, Y2
	VMOVUPD Y2, -32(DI)(AX*1)
	SUBQ    $32, AX
	JNZ     less

last:
	VMOVUPD Y1, -32(DI)(R9*1)
	ADDQ    R9, DI
	CMPQ    DI, R8
	JB      row
	VZEROUPPER
	RET

rowX:
	VMOVUPD   (DI), X0
	VMOVUPD   -16(DI)(R9*1), X1
	VMAXPD    X1, X0, X2
	VPERMILPD $1, X2, X3
	VMAXPD    X3, X2, X2
	VSUBPD    X2, X0, X0
	VSUBPD    X2, X1, X1
	VMOVUPD   X0, (DI)
	VMOVUPD   X1, -16(DI)(R9*1)
	ADDQ      R9, DI
	CMPQ      DI, R8
	JB        rowX
	VZEROUPPER
	RET

// SOFTMAX_INVERSE sets X2 to 1/X0, or to math.NaN where X0 is not a number.
#define SOFTMAX_INVERSE(one, number) \
	VDIVSD       X0, one, X2    \
	VUCOMISD     X0, X0         \
	JPC          number         \
	VMOVSD       ·nan64(SB), X2 \
	number:                     \
	VBROADCASTSD X2, Y2

// SOFTMAX_SCALE multiplies a row by the inverse of its sum, of which Y0 has four parts.
#define SOFTMAX_SCALE(one, number, scale, last) \
	VMOVUPD      -32(DI)(R9*1), Y1     \
	VEXTRACTF128 $1, Y0, X2            \
	VADDPD       X2, X0, X0            \
	VPERMILPD    $1, X0, X2            \
	VADDSD       X2, X0, X0            \
	SOFTMAX_INVERSE(one, number)       \
	VMULPD       Y1, Y2, Y1            \
	MOVQ         R10, AX               \
	TESTQ        AX, AX                \
	JZ           last                  \
	scale:                             \
	VMULPD       -32(DI)(AX*1), Y2, Y0 \
	VMOVUPD      Y0, -32(DI)(AX*1)     \
	SUBQ         $32, AX               \
	JNZ          scale                 \
	last:                              \
	VMOVUPD      Y1, -32(DI)(R9*1)

// func softmaxSums(a *softmaxArgs)
//
// Every row is divided by its sum.
//
// The inverse is the first factor: where it is NaN, that NaN is the product.
//
//	Y2 the inverse    Y3 classes    Y5, Y6 masks of the last 1 … 8    X7 one
TEXT ·softmaxSums(SB), NOSPLIT, $0-8
	MOVQ    a+0(FP), BX
	SOFTMAX_ROWS
	VMOVSD  ·one64(SB), X7
	LEAQ    ·lastLanes+64(SB), CX
	ADDQ    R11, CX
	SUBQ    R9, CX
	VMOVUPD (CX), Y5
	VMOVUPD 32(CX), Y6
	CMPQ    R9, $32
	JAE     row

	VEXTRACTF128 $1, Y5, X5
	JMP          rowX

row:
	VXORPD Y0, Y0, Y0
	VXORPD Y3, Y3, Y3
	XORL   AX, AX
	TESTQ  R11, R11
	JZ     rest

sum:
	VADDPD (DI)(AX*1), Y0, Y0
	VADDPD 32(DI)(AX*1), Y3, Y3
	ADDQ   $64, AX
	CMPQ   AX, R11
	JB     sum

rest:
	VMASKMOVPD (DI)(R11*1), Y5, Y2
	VMASKMOVPD 32(DI)(R11*1), Y6, Y4
	VADDPD     Y2, Y0, Y0
	VADDPD     Y4, Y3, Y3
	VADDPD     Y3, Y0, Y0
	SOFTMAX_SCALE(X7, number, scale, last)
	ADDQ       R9, DI
	CMPQ       DI, R8
	JB         row
	VZEROUPPER
	RET

rowX:
	VMOVUPD    (DI), X3
	VMOVUPD    -16(DI)(R9*1), X1
	VMASKMOVPD 16(DI), X5, X0
	VADDPD     X0, X3, X0
	VPERMILPD  $1, X0, X2
	VADDSD     X2, X0, X0
	SOFTMAX_INVERSE(X7, numberX)
	VMULPD     X3, X2, X3
	VMULPD     X1, X2, X1
	VMOVUPD    X3, (DI)
	VMOVUPD    X1, -16(DI)(R9*1)
	ADDQ       R9, DI
	CMPQ       DI, R8
	JB         rowX
	VZEROUPPER
	RET

// Exponentials of two vectors side by side: while one number waits for another, there is
// work on the other vector near enough to be found.

#define EXP_LANES(i) ·expLanes+(32*i)(SB)

#define TWO(OP, operand, from, to, from2, to2) \
	OP operand, from, to   \
	OP operand, from2, to2

// EXP_TERM computes E = E·R + even and O = O·R + odd, the next terms of the series.
#define EXP_TERM(even, odd, R, E, O, R2, E2, O2) \
	VMULPD R, E, E                  \
	VMULPD R2, E2, E2               \
	VMULPD R, O, O                  \
	VMULPD R2, O2, O2               \
	TWO(VADDPD, even, E, E, E2, E2) \
	TWO(VADDPD, odd, O, O, O2, O2)

// begin generated: softmax
// EXP_AVX512 sets X to e to X, and X2 to e to X2, or to zero below SoftmaxLeast. The other
// registers are lost. Z14 to Z31 are expLanes.
#define EXP_AVX512(X, S, R, E, O, M, X2, S2, R2, E2, O2, M2) \
	VCMPPD   $5, Z19, X, M                  \ // not below, or NaN
	VCMPPD   $5, Z19, X2, M2                \
	TWO(VMULPD, Z14, X, S, X2, S2)          \
	TWO(VADDPD, Z15, S, S, S2, S2)          \ // k in the lowest bits
	TWO(VSUBPD, Z15, S, E, S2, E2)          \
	TWO(VFNMADD231PD, Z16, E, X, E2, X2)    \ // the product is exact
	TWO(VMULPD, Z17, E, E, E2, E2)          \
	VSUBPD   E, X, X                        \ // r
	VSUBPD   E2, X2, X2                     \
	TWO(VPSLLQ, $52, S, S, S2, S2)          \
	TWO(VPADDQ, Z18, S, S, S2, S2)          \ // 2ᵏ
	VMULPD   X, X, R                        \ // r²
	VMULPD   X2, X2, R2                     \
	TWO(VMULPD, Z30, R, E, R2, E2)          \ // even terms
	TWO(VMULPD, Z31, R, O, R2, O2)          \ // odd terms
	TWO(VADDPD, Z28, E, E, E2, E2)          \
	TWO(VADDPD, Z29, O, O, O2, O2)          \
	EXP_TERM(Z26, Z27, R, E, O, R2, E2, O2) \
	EXP_TERM(Z24, Z25, R, E, O, R2, E2, O2) \
	EXP_TERM(Z22, Z23, R, E, O, R2, E2, O2) \
	EXP_TERM(Z20, Z21, R, E, O, R2, E2, O2) \
	VMULPD   X, O, O                        \
	VMULPD   X2, O2, O2                     \
	VADDPD   O, E, E                        \
	VADDPD   O2, E2, E2                     \
	VMULPD   R, E, E                        \
	VMULPD   R2, E2, E2                     \
	VADDPD   E, X, X                        \
	VADDPD   E2, X2, X2                     \
	TWO(VADDPD, Z18, X, X, X2, X2)          \
	VMULPD.Z S, X, M, X                     \
	VMULPD.Z S2, X2, M2, X2

#define EXP_CONST_AVX512 \
	VBROADCASTSD ·expLanes+0(SB), Z14   \
	VBROADCASTSD ·expLanes+32(SB), Z15  \
	VBROADCASTSD ·expLanes+64(SB), Z16  \
	VBROADCASTSD ·expLanes+96(SB), Z17  \
	VBROADCASTSD ·expLanes+128(SB), Z18 \
	VBROADCASTSD ·expLanes+160(SB), Z19 \
	VBROADCASTSD ·expLanes+192(SB), Z20 \
	VBROADCASTSD ·expLanes+224(SB), Z21 \
	VBROADCASTSD ·expLanes+256(SB), Z22 \
	VBROADCASTSD ·expLanes+288(SB), Z23 \
	VBROADCASTSD ·expLanes+320(SB), Z24 \
	VBROADCASTSD ·expLanes+352(SB), Z25 \
	VBROADCASTSD ·expLanes+384(SB), Z26 \
	VBROADCASTSD ·expLanes+416(SB), Z27 \
	VBROADCASTSD ·expLanes+448(SB), Z28 \
	VBROADCASTSD ·expLanes+480(SB), Z29 \
	VBROADCASTSD ·expLanes+512(SB), Z30 \
	VBROADCASTSD ·expLanes+544(SB), Z31

// EXP_AVX2 sets X to e to X, and X2 to e to X2, or to zero below SoftmaxLeast. The other
// registers are lost.
#define EXP_AVX2(X, S, R, E, O, M, X2, S2, R2, E2, O2, M2) \
	VCMPPD $5, EXP_LANES(5), X, M                               \ // not below, or NaN
	VCMPPD $5, EXP_LANES(5), X2, M2                             \
	TWO(VMULPD, EXP_LANES(0), X, S, X2, S2)                     \
	TWO(VADDPD, EXP_LANES(1), S, S, S2, S2)                     \ // k in the lowest bits
	TWO(VSUBPD, EXP_LANES(1), S, E, S2, E2)                     \
	TWO(VFNMADD231PD, EXP_LANES(2), E, X, E2, X2)               \ // the product is exact
	TWO(VMULPD, EXP_LANES(3), E, E, E2, E2)                     \
	VSUBPD E, X, X                                              \ // r
	VSUBPD E2, X2, X2                                           \
	TWO(VPSLLQ, $52, S, S, S2, S2)                              \
	TWO(VPADDQ, EXP_LANES(4), S, S, S2, S2)                     \ // 2ᵏ
	VMULPD X, X, R                                              \ // r²
	VMULPD X2, X2, R2                                           \
	TWO(VMULPD, EXP_LANES(16), R, E, R2, E2)                    \ // even terms
	TWO(VMULPD, EXP_LANES(17), R, O, R2, O2)                    \ // odd terms
	TWO(VADDPD, EXP_LANES(14), E, E, E2, E2)                    \
	TWO(VADDPD, EXP_LANES(15), O, O, O2, O2)                    \
	EXP_TERM(EXP_LANES(12), EXP_LANES(13), R, E, O, R2, E2, O2) \
	EXP_TERM(EXP_LANES(10), EXP_LANES(11), R, E, O, R2, E2, O2) \
	EXP_TERM(EXP_LANES(8), EXP_LANES(9), R, E, O, R2, E2, O2)   \
	EXP_TERM(EXP_LANES(6), EXP_LANES(7), R, E, O, R2, E2, O2)   \
	VMULPD X, O, O                                              \
	VMULPD X2, O2, O2                                           \
	VADDPD O, E, E                                              \
	VADDPD O2, E2, E2                                           \
	VMULPD R, E, E                                              \
	VMULPD R2, E2, E2                                           \
	VADDPD E, X, X                                              \
	VADDPD E2, X2, X2                                           \
	TWO(VADDPD, EXP_LANES(4), X, X, X2, X2)                     \
	VMULPD S, X, X                                              \
	VMULPD S2, X2, X2                                           \
	VANDPD M, X, X                                              \
	VANDPD M2, X2, X2

// end generated

// func softmaxExpAVX512(x *float64, n int)
//
//	DI vectors    R8 the last, of 1 … 16 numbers: K1, K4
TEXT ·softmaxExpAVX512(SB), NOSPLIT, $0-16
	MOVQ  x+0(FP), DI
	MOVQ  n+8(FP), R8
	DECQ  R8
	MOVL  R8, CX
	ANDL  $15, CX
	MOVL  $2, AX
	SHLL  CX, AX
	DECL  AX
	KMOVB AX, K1
	SHRL  $8, AX
	KMOVB AX, K4
	ANDQ  $-16, R8
	LEAQ  (DI)(R8*8), R8
	EXP_CONST_AVX512
	CMPQ  DI, R8
	JEQ   last

vectors:
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z5
	EXP_AVX512(Z0, Z1, Z2, Z3, Z4, K2, Z5, Z6, Z7, Z8, Z9, K3)
	VMOVUPD Z0, (DI)
	VMOVUPD Z5, 64(DI)
	ADDQ    $128, DI
	CMPQ    DI, R8
	JB      vectors

last:
	VMOVUPD.Z (DI), K1, Z0
	VMOVUPD.Z 64(DI), K4, Z5
	EXP_AVX512(Z0, Z1, Z2, Z3, Z4, K2, Z5, Z6, Z7, Z8, Z9, K3)
	VMOVUPD   Z0, K1, (DI)
	VMOVUPD   Z5, K4, 64(DI)
	VZEROUPPER
	RET

// func softmaxExpAVX2(x *float64, n int)
//
//	DI vectors    R8 the last, of 1 … 8 numbers    CX their masks
TEXT ·softmaxExpAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), DI
	MOVQ n+8(FP), R8
	DECQ R8
	MOVQ R8, AX
	ANDQ $7, AX
	LEAQ ·lastLanes+56(SB), CX
	SHLQ $3, AX
	SUBQ AX, CX
	ANDQ $-8, R8
	LEAQ (DI)(R8*8), R8
	CMPQ DI, R8
	JEQ  last

vectors:
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y6
	EXP_AVX2(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11)
	VMOVUPD Y0, (DI)
	VMOVUPD Y6, 32(DI)
	ADDQ    $64, DI
	CMPQ    DI, R8
	JB      vectors

last:
	VMOVUPD    (CX), Y12
	VMOVUPD    32(CX), Y13
	VMASKMOVPD (DI), Y12, Y0
	VMASKMOVPD 32(DI), Y13, Y6
	EXP_AVX2(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11)
	VMASKMOVPD Y0, Y12, (DI)
	TESTQ      $32, AX
	JZ         done
	VMASKMOVPD Y6, Y13, 32(DI)

done:
	VZEROUPPER
	RET

// Rows of many classes, each by itself: they are read and written half as often. The
// arguments are in the order of softmaxArgs.
//
//	DI, R8 … R11 as above       R12 of the last 1 … 16    CX, K1 and K4 masks of the last
//	Y13, Z11 greatest score     Y14 and Y15, Z12 sums

// SOFTMAX_TOP sets X0 to the greatest of a row's scores. Y1, X2 are lost.
#define SOFTMAX_TOP(tops) \
	VMOVUPD      -32(DI)(R9*1), Y0      \
	VMOVAPD      Y0, Y1                 \
	MOVQ         R11, AX                \
	VMAXPD       -32(DI)(R10*1), Y0, Y0 \
	tops:                               \
	VMAXPD       -32(DI)(AX*1), Y0, Y0  \
	VMAXPD       -64(DI)(AX*1), Y1, Y1  \
	SUBQ         $64, AX                \
	JNZ          tops                   \
	VMAXPD       Y1, Y0, Y0             \
	VEXTRACTF128 $1, Y0, X2             \
	VMAXPD       X2, X0, X0             \
	VPERMILPD    $1, X0, X2             \
	VMAXPD       X2, X0, X0

#define SOFTMAX_ODDS_AVX2 \
	VSUBPD Y13, Y0, Y0                                         \
	VSUBPD Y13, Y6, Y6                                         \
	EXP_AVX2(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11)

// func softmaxRowsAVX2(scores *float64, rows, classes int)
TEXT ·softmaxRowsAVX2(SB), NOSPLIT, $0-24
	LEAQ scores+0(FP), BX
	SOFTMAX_ROWS
	LEAQ ·lastLanes+64(SB), CX
	ADDQ R11, CX
	SUBQ R9, CX

row:
	SOFTMAX_TOP(tops)
	VBROADCASTSD X0, Y13
	VXORPD       Y14, Y14, Y14
	VXORPD       Y15, Y15, Y15
	XORL         AX, AX

vectors:
	VMOVUPD    (DI)(AX*1), Y0
	VMOVUPD    32(DI)(AX*1), Y6
	SOFTMAX_ODDS_AVX2
	VMOVUPD    Y0, (DI)(AX*1)
	VMOVUPD    Y6, 32(DI)(AX*1)
	VADDPD     Y0, Y14, Y14
	VADDPD     Y6, Y15, Y15
	ADDQ       $64, AX
	CMPQ       AX, R11
	JB         vectors
	VMOVUPD    (CX), Y1
	VMOVUPD    32(CX), Y7
	VMASKMOVPD (DI)(R11*1), Y1, Y0
	VMASKMOVPD 32(DI)(R11*1), Y7, Y6
	SOFTMAX_ODDS_AVX2
	VMOVUPD    (CX), Y1
	VANDPD     Y1, Y0, Y0
	VADDPD     Y0, Y14, Y14
	VMASKMOVPD Y0, Y1, (DI)(R11*1)
	CMPQ       R10, R11
	JEQ        sums
	VMOVUPD    32(CX), Y7
	VANDPD     Y7, Y6, Y6
	VADDPD     Y6, Y15, Y15
	VMASKMOVPD Y6, Y7, 32(DI)(R11*1)

sums:
	VADDPD Y15, Y14, Y0
	VMOVSD ·one64(SB), X7
	SOFTMAX_SCALE(X7, number, scale, last)
	ADDQ   R9, DI
	CMPQ   DI, R8
	JB     row
	VZEROUPPER
	RET

#define SOFTMAX_ODDS_AVX512 \
	VSUBPD Z11, Z0, Z0                                         \
	VSUBPD Z11, Z5, Z5                                         \
	EXP_AVX512(Z0, Z1, Z2, Z3, Z4, K2, Z5, Z6, Z7, Z8, Z9, K3)

// func softmaxRowsAVX512(scores *float64, rows, classes int)
TEXT ·softmaxRowsAVX512(SB), NOSPLIT, $0-24
	LEAQ  scores+0(FP), BX
	SOFTMAX_ROWS
	EXP_CONST_AVX512
	LEAQ  -8(R9), R12
	MOVL  R12, CX
	ANDQ  $-128, R12
	SUBL  R12, CX
	SHRL  $3, CX
	MOVL  $2, AX
	SHLL  CX, AX
	DECL  AX
	KMOVB AX, K1
	SHRL  $8, AX
	KMOVB AX, K4

row:
	SOFTMAX_TOP(tops)
	VBROADCASTSD X0, Z11
	VPXORQ       Z12, Z12, Z12
	XORL         AX, AX

vectors:
	VMOVUPD       (DI)(AX*1), Z0
	VMOVUPD       64(DI)(AX*1), Z5
	SOFTMAX_ODDS_AVX512
	VMOVUPD       Z0, (DI)(AX*1)
	VMOVUPD       Z5, 64(DI)(AX*1)
	VADDPD        Z0, Z12, Z12
	VADDPD        Z5, Z12, Z12
	ADDQ          $128, AX
	CMPQ          AX, R12
	JB            vectors
	VMOVUPD.Z     (DI)(R12*1), K1, Z0
	VMOVUPD.Z     64(DI)(R12*1), K4, Z5
	SOFTMAX_ODDS_AVX512
	VMOVUPD       Z0, K1, (DI)(R12*1)
	VMOVUPD       Z5, K4, 64(DI)(R12*1)
	VADDPD        Z0, Z12, K1, Z12
	VADDPD        Z5, Z12, K4, Z12
	VEXTRACTF64X4 $1, Z12, Y0
	VADDPD        Y0, Y12, Y0
	SOFTMAX_SCALE(X18, number, scale, last)
	ADDQ          R9, DI
	CMPQ          DI, R8
	JB            row
	VZEROUPPER
	RET

// ---------------------------------------------------------------------------
// Walk

// func walkTrees(a *walkArgs)
//
//	AX, BX, CX, DX, R8 … R11   twice the node of each walk
//	SI branches                DI keys        R12, R13 of one node
//	R14 steps left, leaves     R15 walks
#define WALK_STEP(at) \
	MOVL 8(SI)(at*8), R12  \
	MOVL 12(SI)(at*8), R13 \
	MOVQ (DI)(R12*8), R12  \
	CMPQ R12, (SI)(at*8)   \ // carry: below
	SBBL $0, R13           \
	LEAL (R13)(R13*1), at

// the number of the leaf that a walk has reached, to its tree's place
#define WALK_END(lane, at) \
	MOVL 8(SI)(at*8), R12     \
	MOVL (8*lane+4)(R15), R13 \
	MOVW R12, (R14)(R13*2)

#define WALK_BEGIN(lane, at) \
	MOVL (8*lane)(R15), at \
	ADDL at, at

TEXT ·walkTrees(SB), NOSPLIT, $16-8
	MOVQ a+0(FP), AX
	MOVQ walkArgs_branches(AX), SI
	MOVQ walkArgs_keys(AX), DI
	MOVQ walkArgs_walks(AX), R15
	MOVQ walkArgs_depths(AX), R14
	MOVQ walkArgs_n(AX), CX
	LEAQ (R14)(CX*4), CX
	MOVQ R14, depth-8(SP)
	MOVQ CX, end-16(SP)

lanes:
	WALK_BEGIN(0, AX)
	WALK_BEGIN(1, BX)
	WALK_BEGIN(2, CX)
	WALK_BEGIN(3, DX)
	WALK_BEGIN(4, R8)
	WALK_BEGIN(5, R9)
	WALK_BEGIN(6, R10)
	WALK_BEGIN(7, R11)
	MOVQ  depth-8(SP), R14
	MOVL  (R14), R14
	TESTL R14, R14
	JZ    arrived

step:
	WALK_STEP(AX)
	WALK_STEP(BX)
	WALK_STEP(CX)
	WALK_STEP(DX)
	WALK_STEP(R8)
	WALK_STEP(R9)
	WALK_STEP(R10)
	WALK_STEP(R11)
	DECL R14
	JNZ  step

arrived:
	MOVQ a+0(FP), R14
	MOVQ walkArgs_leaves(R14), R14
	WALK_END(0, AX)
	WALK_END(1, BX)
	WALK_END(2, CX)
	WALK_END(3, DX)
	WALK_END(4, R8)
	WALK_END(5, R9)
	WALK_END(6, R10)
	WALK_END(7, R11)
	ADDQ $64, R15
	MOVQ depth-8(SP), R14
	ADDQ $4, R14
	MOVQ R14, depth-8(SP)
	CMPQ R14, end-16(SP)
	JB   lanes
	RET
