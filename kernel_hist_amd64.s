//go:build !purego

#include "textflag.h"
#include "go_asm.h"

// Histogram
//
// A bin is 64 bytes from the next. INDEX counts the rows up from −n to 0; what
// it indexes is addressed from its end.

#define ARGS    DI // until the loops start
#define CELLS   SI // past the last cell; histogramQuad: the next row's
#define ROWS    DX // past the last row number
#define INDEX   BX
#define CELL    AX // the row's cell, one pair
#define OFFSET  CX // of a bin: 64·code
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

// func histogramTile(args *histogramArgs)
//
// Eight columns whose histograms are the lanes of one tile, one pair.
//
//	R8 … R15  columns
//	DI TILE   bin 0 of the first column
//	BP ROW    row number
#define TILE    DI
#define ROW     BP
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
	MOVQ (8*k)(CELLS)(INDEX*8), CELL \
	MOVL (4*k)(ROWS)(INDEX*4), ROW   \
	TILE_ADD8(ROW)

// two columns of row i+k+AHEAD
#define TILE_PREFETCH(k, columnA, columnB) \
	MOVL       (4*(AHEAD+k))(ROWS)(INDEX*4), ROW \
	PREFETCHT0 (columnA)(ROW*1)                  \
	PREFETCHT0 (columnB)(ROW*1)

TEXT ·histogramTile(SB), NOSPLIT, $8-8
	MOVQ    args+0(FP), ARGS
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

#undef TILE
#undef ROW
#undef COLUMN4
#undef COLUMN5
#undef COLUMN6
#undef COLUMN7

// func histogramQuadM(args *histogramArgs), M = 1, 2, 4, 8
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
// Row lists run through listed but for the last AHEAD rows, which run through
// rest.
#define HISTOGRAM_QUAD(LOAD, ADD) \
	MOVQ        args+0(FP), ARGS                 \
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
	JNZ         each                     \
	VZEROUPPER                           \
	RET

TEXT ·histogramQuad1(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD1, QUAD_ADD1)

TEXT ·histogramQuad2(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD2, QUAD_ADD2)

TEXT ·histogramQuad4(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD4, QUAD_ADD4)

TEXT ·histogramQuad8(SB), NOSPLIT, $8-8
	HISTOGRAM_QUAD(QUAD_LOAD8, QUAD_ADD8)

#undef ROW
#undef COUNT
#undef CELLS
#undef ROWS
#undef INDEX
#undef CELL
#undef OFFSET
#undef ARGS

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
#define MINUSINF $0xfff0000000000000
#define GREATER  $0x1e // VCMPPD predicates; NOTLESS is true of NaN
#define NOTLESS  $0x15

#define ARGS    DI
#define CELLS   SI // of bin 1, or its sums of g
#define WIDEH   DX // its sums of h, or nil
#define OFFSET  CX // of the bin from bin 1
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

// func scanTileAVX512(args *scanArgs)
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
#define SCAN_OR(bin) VPORQ (bin), GL, GL

TEXT ·scanTileAVX512(SB), NOSPLIT, $0-8
	MOVQ         args+0(FP), ARGS
	VMOVUPD      scanArgs_totalG(ARGS), TOTALG
	VMOVUPD      scanArgs_totalH(ARGS), TOTALH
	VMOVUPD      scanArgs_l2(ARGS), L2
	VMOVUPD      scanArgs_unitH(ARGS), UNITH
	VMOVUPD      scanArgs_scale(ARGS), SCALE
	VMOVUPD      scanArgs_missingG(ARGS), MISSG
	VMOVUPD      scanArgs_missingH(ARGS), MISSH
	VMOVDQU64    scanArgs_missing(ARGS), BESTCUT
	VPMOVQ2M     BESTCUT, K2
	KXNORB       K3, K3, K3
	VBROADCASTSD scanArgs_minHessian(ARGS), MINH
	MOVQ         ONE, AX
	VPBROADCASTQ AX, ONES
	MOVL         $0xffffffff, AX
	VPBROADCASTQ AX, LOW32
	MOVQ         $const_cutMissingLeft, AX
	VPBROADCASTQ AX, GOLEFT
	MOVQ         MINUSINF, AX
	VPBROADCASTQ AX, BEST
	VPXORQ       BESTCUT, BESTCUT, BESTCUT
	VPXORQ       GSUM, GSUM, GSUM
	VPXORQ       HSUM, HSUM, HSUM
	MOVQ         scanArgs_cells(ARGS), CELLS
	MOVQ         scanArgs_wideH(ARGS), WIDEH
	MOVQ         scanArgs_cuts(ARGS), CUTS
	MOVQ         scanArgs_pairs(ARGS), PAIRS
	MOVBLZX      scanArgs_anyMissing(ARGS), MISSING
	XORL         OFFSET, OFFSET
	MOVQ         scanArgs_stride(ARGS), STRIDE
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
	SCAN_OR_BINS(SCAN_OR, CELLS)
	TESTQ  WIDEH, WIDEH
	JZ     packed
	SCAN_OR_BINS(SCAN_OR, WIDEH)

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
	VCVTQQ2PD GL, GL
	VCVTQQ2PD HL, HL
	VADDPD    GL, GSUM, GSUM
	VADDPD    HL, HSUM, HSUM

	// missing values go right, in all lanes
	VPBROADCASTQ BIN, CUT
	VMOVAPD      GSUM, GL
	VMOVAPD      HSUM, HL
	KMOVB        K3, K1

cut:
	VSUBPD GL, TOTALG, GR
	VSUBPD HL, TOTALH, HR
	VMULPD UNITH, HL, LIGHTL
	VMULPD UNITH, HR, LIGHTR
	VADDPD L2, HL, HL
	VADDPD L2, HR, HR
	VMAXPD ONES, HL, HL
	VMAXPD ONES, HR, HR

	// score = (GL·GL·HR + GR·GR·HL) / (HL·HR) · scale
	VMULPD GL, GL, GL
	VMULPD GR, GR, GR
	VMULPD HR, GL, GL
	VMULPD HL, GR, GR
	VMULPD HR, HL, HL
	VADDPD GR, GL, GL
	VDIVPD HL, GL, GL
	VMULPD SCALE, GL, GL

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
	VCMPPD    NOTLESS, MINH, LIGHTL, K1, K1
	VCMPPD    NOTLESS, MINH, LIGHTR, K1, K1
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

#undef SCAN_OR
#undef GSUM
#undef HSUM
#undef GL
#undef HL
#undef GR
#undef HR
#undef LIGHTL
#undef LIGHTR
#undef OTHER
#undef CUT
#undef BEST
#undef BESTCUT
#undef TOTALG
#undef TOTALH
#undef L2
#undef UNITH
#undef SCALE
#undef MINH
#undef MISSG
#undef MISSH
#undef ONES
#undef LOW32
#undef GOLEFT

// func scanTileAVX2(args *scanArgs)
//
// All eight lanes at once, in two halves. AVX2 converts no 64-bit integer to
// float64. But a 32-bit number n under the exponent bits of 2⁵² is the float64
// 2⁵² + n, and under those of 2⁸⁴ it is 2⁸⁴ + n·2³²; with its sign bit flipped
// n is 2³¹ more. What was added is subtracted again, all exactly. Missing
// values are added to the left sums for their cut and taken off again.
//
//	Y0, Y1      sums of g and h left of the cut, lanes 0 … 3
//	Y2, Y3      the same, lanes 4 … 7
//	Y4, Y5      best score and its cut, lanes 0 … 3
//	Y6, Y7      the same, lanes 4 … 7
//	Y8          the cut: bin number, plus cutMissingLeft
//	Y9 … Y15    free
#define G0       Y0
#define H0       Y1
#define G1       Y2
#define H1       Y3
#define BEST0    Y4
#define BESTCUT0 Y5
#define BEST1    Y6
#define BESTCUT1 Y7
#define CUT      Y8

#define SCORE0   Y9
#define SCORE1   Y10
#define LIGHTL0  Y11
#define LIGHTR0  Y12
#define LIGHTL1  Y13
#define LIGHTR1  Y14
#define OTHER    Y15

// a constant in four lanes
#define SCAN_CONSTANT(name, value) \
DATA name<>+0(SB)/8, value \
DATA name<>+8(SB)/8, value \
DATA name<>+16(SB)/8, value \
DATA name<>+24(SB)/8, value \
GLOBL name<>(SB), RODATA|NOPTR, $32

SCAN_CONSTANT(scanBias52, $0x4330000000000000)  // 2⁵²
SCAN_CONSTANT(scanBias31, $0x4330000080000000)  // 2⁵² + 2³¹
SCAN_CONSTANT(scanBias63, $0x4530000080000000)  // 2⁸⁴ + 2⁶³
SCAN_CONSTANT(scanBiasAll, $0x4530000080100000) // 2⁸⁴ + 2⁶³ + 2⁵²
SCAN_CONSTANT(scanOnes, $0x3ff0000000000000)    // 1.0
SCAN_CONSTANT(scanLeft, $const_cutMissingLeft)

// sumG, sumH += g, h of four packed cells
#define SCAN_NARROW(at, sumG, sumH) \
	VMOVDQU  (at)(CELLS)(OFFSET*1), Y9        \
	VPBLENDD $0xaa, scanBias52<>(SB), Y9, Y10 \
	VSUBPD   scanBias52<>(SB), Y10, Y10       \
	VADDPD   Y10, sumH, sumH                  \
	VPSRLQ   $32, Y9, Y9                      \
	VPXOR    scanBias31<>(SB), Y9, Y9         \
	VSUBPD   scanBias31<>(SB), Y9, Y9         \
	VADDPD   Y9, sumG, sumG

// sum += four 64-bit integers below 2⁵³
#define SCAN_WIDE(at, wide, sum) \
	VMOVDQU  (at)(wide)(OFFSET*1), Y9        \
	VPSRLQ   $32, Y9, Y10                    \
	VPXOR    scanBias63<>(SB), Y10, Y10      \
	VSUBPD   scanBiasAll<>(SB), Y10, Y10     \
	VPBLENDD $0xaa, scanBias52<>(SB), Y9, Y9 \
	VADDPD   Y10, Y9, Y9                     \
	VADDPD   Y9, sum, sum

// score = (G²·HR + GR²·HL) / (HL·HR) · scale
#define SCAN_SCORE(at, G, H, score, GR, HL, HR) \
	VMOVUPD (scanArgs_totalG+at)(ARGS), GR          \
	VMOVUPD (scanArgs_totalH+at)(ARGS), HR          \
	VSUBPD  G, GR, GR                               \
	VSUBPD  H, HR, HR                               \
	VADDPD  (scanArgs_l2+at)(ARGS), H, HL           \
	VADDPD  (scanArgs_l2+at)(ARGS), HR, HR          \
	VMAXPD  scanOnes<>(SB), HL, HL                  \
	VMAXPD  scanOnes<>(SB), HR, HR                  \
	VMULPD  G, G, score                             \
	VMULPD  GR, GR, GR                              \
	VMULPD  HR, score, score                        \
	VMULPD  HL, GR, GR                              \
	VMULPD  HR, HL, HL                              \
	VADDPD  GR, score, score                        \
	VDIVPD  HL, score, score                        \
	VMULPD  (scanArgs_scale+at)(ARGS), score, score

// lightL, lightR = H, totalH − H in the pairs' own units
#define SCAN_LIGHT(at, H, lightL, lightR) \
	VMOVUPD (scanArgs_totalH+at)(ARGS), lightR        \
	VSUBPD  H, lightR, lightR                         \
	VMULPD  (scanArgs_unitH+at)(ARGS), lightR, lightR \
	VMULPD  (scanArgs_unitH+at)(ARGS), H, lightL

// each lane adds another's
#define SCAN_ADD_SWAPPED(x) \
	VPERMILPD $0x5, x, OTHER \
	VADDPD    OTHER, x, x

#define SCAN_ADD_SWAPPED128(x) \
	VPERMPD $0x4e, x, OTHER \
	VADDPD  OTHER, x, x

// both halves are the sum of both
#define SCAN_ADD_HALVES(x0, x1) \
	VADDPD  x1, x0, x0 \
	VMOVAPD x0, x1

// where lightL, lightR ≥ OTHER: lightL = all ones
#define SCAN_HEAVY(lightL, lightR) \
	VCMPPD NOTLESS, OTHER, lightL, lightL \
	VCMPPD NOTLESS, OTHER, lightR, lightR \
	VANDPD lightR, lightL, lightL

// where heavy and score > best: best, bestCut = score, CUT
#define SCAN_TAKE(heavy, score, best, bestCut) \
	VCMPPD    GREATER, best, score, OTHER  \
	VANDPD    heavy, OTHER, OTHER          \
	VBLENDVPD OTHER, score, best, best     \
	VBLENDVPD OTHER, CUT, bestCut, bestCut

// Y9 |= the cells of a bin
#define SCAN_OR(bin) \
	VPOR (bin), Y9, Y9   \
	VPOR 32(bin), Y9, Y9

TEXT ·scanTileAVX2(SB), NOSPLIT, $0-8
	MOVQ         args+0(FP), ARGS
	MOVQ         MINUSINF, AX
	MOVQ         AX, X4
	VPBROADCASTQ X4, BEST0
	VMOVAPD      BEST0, BEST1
	VXORPD       BESTCUT0, BESTCUT0, BESTCUT0
	VXORPD       BESTCUT1, BESTCUT1, BESTCUT1
	VXORPD       G0, G0, G0
	VXORPD       H0, H0, H0
	VXORPD       G1, G1, G1
	VXORPD       H1, H1, H1
	MOVQ         scanArgs_cells(ARGS), CELLS
	MOVQ         scanArgs_wideH(ARGS), WIDEH
	MOVQ         scanArgs_cuts(ARGS), CUTS
	MOVQ         scanArgs_pairs(ARGS), PAIRS
	MOVBLZX      scanArgs_anyMissing(ARGS), MISSING
	XORL         OFFSET, OFFSET
	MOVQ         scanArgs_stride(ARGS), STRIDE
	MOVL         $1, BIN
	XORL         LEFT, LEFT
	TESTL        MISSING, MISSING
	JNZ          scan                               // bin 1 may be a cut even if it is empty

	PCALIGN $64

bin:
	// Empty bins score like the one before and cannot win.
	TESTL $(SKIP-1), CUTS
	JNZ   scan
	VPXOR Y9, Y9, Y9
	SCAN_OR_BINS(SCAN_OR, CELLS)
	TESTQ WIDEH, WIDEH
	JZ    packed
	SCAN_OR_BINS(SCAN_OR, WIDEH)

packed:
	VPTEST Y9, Y9
	JNZ    scan
	LEAQ   (OFFSET)(STRIDE*SKIP), OFFSET
	ADDL   $SKIP, BIN
	SUBQ   $SKIP, CUTS
	JNZ    bin
	JMP    done

scan:
	TESTQ WIDEH, WIDEH
	JNZ   wide
	SCAN_NARROW(0, G0, H0)
	SCAN_NARROW(32, G1, H1)

sums:
	// missing values go right
	MOVQ         BIN, X8
	VPBROADCASTQ X8, CUT

cut:
	SCAN_SCORE(0, G0, H0, SCORE0, Y11, Y12, Y13)
	SCAN_SCORE(32, G1, H1, SCORE1, Y11, Y12, Y13)
	SCAN_LIGHT(0, H0, LIGHTL0, LIGHTR0)
	SCAN_LIGHT(32, H1, LIGHTL1, LIGHTR1)

	// sum over the pairs
	CMPL PAIRS, $1
	JEQ  summed
	SCAN_ADD_SWAPPED(SCORE0)
	SCAN_ADD_SWAPPED(SCORE1)
	SCAN_ADD_SWAPPED(LIGHTL0)
	SCAN_ADD_SWAPPED(LIGHTL1)
	SCAN_ADD_SWAPPED(LIGHTR0)
	SCAN_ADD_SWAPPED(LIGHTR1)
	CMPL PAIRS, $2
	JEQ  summed
	SCAN_ADD_SWAPPED128(SCORE0)
	SCAN_ADD_SWAPPED128(SCORE1)
	SCAN_ADD_SWAPPED128(LIGHTL0)
	SCAN_ADD_SWAPPED128(LIGHTL1)
	SCAN_ADD_SWAPPED128(LIGHTR0)
	SCAN_ADD_SWAPPED128(LIGHTR1)
	CMPL PAIRS, $4
	JEQ  summed
	SCAN_ADD_HALVES(SCORE0, SCORE1)
	SCAN_ADD_HALVES(LIGHTL0, LIGHTL1)
	SCAN_ADD_HALVES(LIGHTR0, LIGHTR1)

summed:
	// if neither side is too light and score > best: best = score, this cut
	VBROADCASTSD scanArgs_minHessian(ARGS), OTHER
	SCAN_HEAVY(LIGHTL0, LIGHTR0)
	SCAN_HEAVY(LIGHTL1, LIGHTR1)
	TESTL        LEFT, LEFT
	JZ           take
	VANDPD       (scanArgs_missing+0)(ARGS), LIGHTL0, LIGHTL0
	VANDPD       (scanArgs_missing+32)(ARGS), LIGHTL1, LIGHTL1

take:
	SCAN_TAKE(LIGHTL0, SCORE0, BEST0, BESTCUT0)
	SCAN_TAKE(LIGHTL1, SCORE1, BEST1, BESTCUT1)

	// once more with missing values left, in the lanes that have any
	TESTL  MISSING, MISSING
	JZ     next
	XORL   $1, LEFT
	JZ     restore
	VADDPD (scanArgs_missingG+0)(ARGS), G0, G0
	VADDPD (scanArgs_missingH+0)(ARGS), H0, H0
	VADDPD (scanArgs_missingG+32)(ARGS), G1, G1
	VADDPD (scanArgs_missingH+32)(ARGS), H1, H1
	VPADDQ scanLeft<>(SB), CUT, CUT
	JMP    cut

restore:
	VSUBPD (scanArgs_missingG+0)(ARGS), G0, G0
	VSUBPD (scanArgs_missingH+0)(ARGS), H0, H0
	VSUBPD (scanArgs_missingG+32)(ARGS), G1, G1
	VSUBPD (scanArgs_missingH+32)(ARGS), H1, H1

next:
	ADDQ STRIDE, OFFSET
	INCL BIN
	DECQ CUTS
	JNZ  bin

done:
	VMOVUPD BEST0, (scanArgs_score+0)(ARGS)
	VMOVUPD BEST1, (scanArgs_score+32)(ARGS)
	VMOVDQU BESTCUT0, (scanArgs_cut+0)(ARGS)
	VMOVDQU BESTCUT1, (scanArgs_cut+32)(ARGS)
	VZEROUPPER
	RET

wide:
	SCAN_WIDE(0, CELLS, G0)
	SCAN_WIDE(32, CELLS, G1)
	SCAN_WIDE(0, WIDEH, H0)
	SCAN_WIDE(32, WIDEH, H1)
	JMP sums

#undef ARGS
#undef CELLS
#undef WIDEH
#undef OFFSET
#undef STRIDE
#undef CUTS
#undef BIN
#undef PAIRS
#undef MISSING
#undef LEFT
#undef SCAN_OR
#undef G0
#undef H0
#undef G1
#undef H1
#undef BEST0
#undef BESTCUT0
#undef BEST1
#undef BESTCUT1
#undef CUT
#undef SCORE0
#undef SCORE1
#undef LIGHTL0
#undef LIGHTR0
#undef LIGHTL1
#undef LIGHTR1
#undef OTHER

// func spillBlocks(wideG, wideH, narrow *int64, blocks int)
//
//	DI, SI  wideG, wideH
//	DX      narrow
//	CX      blocks of eight cells left
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

TEXT ·spillBlocks(SB), NOSPLIT, $0-32
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

// func subtractBlocks(dst, minuend, subtrahend *int64, blocks int)
//
//	DI      dst
//	SI, DX  minuend, subtrahend
//	CX      blocks of eight cells left
TEXT ·subtractBlocks(SB), NOSPLIT, $0-32
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

// Sparse
//
//	SI NEXT_ROW, DX ROWS_END  row numbers to do
//	R8 CELLS                  the row's cells
//	R9 FIRST                  where the entries of each row begin
//	R10 ENTRIES
//	DI HIST                   the histogram
//	AX ENTRY, BX END          the row's entries
//	CX OFFSET                 of an entry's bin
#define NEXT_ROW SI
#define ROWS_END DX
#define CELLS    R8
#define FIRST    R9
#define ENTRIES  R10
#define HIST     DI
#define ENTRY    AX
#define END      BX
#define OFFSET   CX

// what the job in AX says
#define SPARSE_ARGS \
	MOVQ sparseJob_Rows+0(AX), NEXT_ROW \
	MOVQ sparseJob_Rows+8(AX), ROWS_END \
	LEAQ (NEXT_ROW)(ROWS_END*4), ROWS_END \
	MOVQ sparseJob_Cells+0(AX), CELLS     \
	MOVQ sparseJob_First+0(AX), FIRST     \
	MOVQ sparseJob_Entries+0(AX), ENTRIES \
	MOVQ sparseJob_Histogram+0(AX), HIST

// the entries of the next row
#define SPARSE_ROW \
	MOVL (NEXT_ROW), CX       \
	ADDQ $4, NEXT_ROW         \
	MOVL (FIRST)(CX*4), ENTRY \
	MOVL 4(FIRST)(CX*4), END  \
	LEAQ (ENTRIES)(ENTRY*2), ENTRY \
	LEAQ (ENTRIES)(END*2), END

// func sparse1(args *sparseJob)
TEXT ·sparse1(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	SPARSE_ARGS

row:
	CMPQ NEXT_ROW, ROWS_END
	JEQ  done
	SPARSE_ROW
	MOVQ (CELLS), R11 // the row's cell
	ADDQ $8, CELLS

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
	SPARSE_ARGS                  \
	JMP  test                    \
row:                          \
	SPARSE_ROW                   \
	LOAD                         \
	ADDQ $SIZE, CELLS            \
	CMPQ ENTRY, END              \
	JEQ  test                    \
entry:                        \
	MOVWLZX (ENTRY), OFFSET      \
	SHLL    $SHIFT, OFFSET       \
	ADD                          \
	ADDQ    $2, ENTRY            \
	CMPQ    ENTRY, END           \
	JB      entry                \
test:                         \
	CMPQ NEXT_ROW, ROWS_END      \
	JNE  row                     \
	VZEROUPPER                   \
	RET

#define LOAD2 VMOVDQU (CELLS), X0
#define LOAD4 VMOVDQU (CELLS), Y0
#define LOAD8 \
	LOAD4 \
	VMOVDQU 32(CELLS), Y1

#define ADD2 \
	VPADDQ  (HIST)(OFFSET*1), X0, X2 \
	VMOVDQU X2, (HIST)(OFFSET*1)

#define ADD4 \
	VPADDQ  (HIST)(OFFSET*1), Y0, Y2 \
	VMOVDQU Y2, (HIST)(OFFSET*1)

#define ADD8 \
	ADD4                               \
	VPADDQ  32(HIST)(OFFSET*1), Y1, Y3 \
	VMOVDQU Y3, 32(HIST)(OFFSET*1)

// func sparse2(args *sparseJob)
TEXT ·sparse2(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	SPARSE_PAIRS(4, 16, LOAD2, ADD2)

// func sparse4(args *sparseJob)
TEXT ·sparse4(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	SPARSE_PAIRS(5, 32, LOAD4, ADD4)

// func sparse8(args *sparseJob)
TEXT ·sparse8(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), AX
	SPARSE_PAIRS(6, 64, LOAD8, ADD8)

#undef NEXT_ROW
#undef ROWS_END
#undef CELLS
#undef FIRST
#undef ENTRIES
#undef HIST
#undef ENTRY
#undef END
#undef OFFSET

// func sumEight(sums, cells *int64, stride, bins int)
//
// SumBins for eight lanes: sums[0:8] = Σ cells[k·stride + 0:8].
TEXT ·sumEight(SB), NOSPLIT, $0-32
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
