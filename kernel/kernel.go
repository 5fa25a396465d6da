// Package kernel is the contract of the inner loops and their plain Go form.
//
// A kernel is a function of one job: a struct of slices and numbers. Each
// level of the instruction set (generic, avx2, avx512, neon) supplies one
// [Funcs] table; [Generic] is this package's own and defines, bit for bit,
// what every other table must return. To make that possible the arithmetic
// of every kernel is pinned down:
//
//   - sums of many rows are integers, which do not depend on the order of the
//     rows: each addend is rounded to a multiple of the job's Unit, a power of
//     two;
//   - a product is rounded before it is added, except to be rounded to whole
//     units, which rounds it once;
//   - divisions and square roots are IEEE, never approximations.
//
// Slices hold what a job needs and no padding. Row numbers rise within a list.
// They use all 32 bits, but the last is below 2³²−1. Where a job fills a slice
// only in part (kept rows, left and right rows), it may write anything to the
// rest. Arrays by pair may hold anything past the job's pairs, and arrays by
// feature past the tile's features.
//
// Preconditions are the same at every level: each job has a Check, which its
// kernel calls first. See [Checked].
//
// # Residuals
//
// The state of boosting is a float32 matrix, a row of Stride lanes per
// training row, and a float32 vector. For a class k other than the row's own
// the matrix holds the probability p_k; for the row's own class y it holds
// −(1 − p_y), computed as the negated sum of the others. The sign bit therefore
// marks the row's own class, the sum of a row is zero, and both
// p(1−p) = |R|(1−|R|) and the pair formulas lose no digits when p comes close
// to one. 1 + R loses all of them when p_y comes close to zero: so the vector
// holds p_y itself, at least [OwnFloor], and updates start from that. Lanes
// past the last class are +0: a class that is impossible everywhere, which the
// single-class gradients of LogitBoost use as their partner.
//
// # Prediction
//
// Prediction takes rows in blocks, 64 rows to a machine word. It makes every
// different test of the trees once a block: is a feature below a threshold
// ([CompareJob]), is its bin code in a set ([MembersJob])? Each tree then needs
// a few AND and OR operations on the results ([LeavesJob]). These are bit
// vectors as in QuickScorer (Lucchese et al., SIGIR 2015), but of rows, not of
// leaves. What remains is to add up steps ([AddStepsJob], [AddPairsJob]; or
// [AddShortJob] and [ScoresJob]) and to turn the sums into probabilities
// ([SoftmaxJob]) or to find the greatest ([BestJob]). A single row walks through
// the trees ([WalkJob]). Scores that rows have before any tree come from a linear
// model ([LinearJob]).
package kernel

const (
	// RowBlock is the number of rows in a block: lists of rows are worked on block
	// by block.
	RowBlock = 1024

	// SpillRows is the largest number of rows one packed histogram cell can
	// hold: 65,536 rows of 16-bit gradients fill its 32-bit halves.
	SpillRows = 1 << 16

	// Lanes is the width of the virtual vector that sums over classes use.
	Lanes = 8

	// TileLanes is the number of cells side by side in a histogram tile. One
	// bin of a tile is 64 bytes: TileLanes/m features of m class pairs each.
	TileLanes = 8

	// MaxPairs is the largest number of class pairs a node can split on.
	MaxPairs = TileLanes

	// MaxBins is the number of bin codes; code 0 is the missing bin.
	MaxBins = 256

	// PredictRows is the largest number of rows that are predicted at once.
	PredictRows = 512

	// PredictWords is the number of words that hold a bit for each of them: row
	// i is bit i mod 64 of word i/64.
	PredictWords = PredictRows / 64

	// FlushBelow is the probability under which an update stores zero:
	// subnormal numbers would slow the late iterations down.
	FlushBelow = 1e-30

	// OwnFloor is the least probability of a row's own class that an update
	// stores: zero would stay zero, and subnormal numbers are slow.
	OwnFloor = 0x1p-100
)

// Blocks returns the number of blocks of n rows.
func Blocks(n int) int { return (n + RowBlock - 1) / RowBlock }

// Block returns the first row of block b of n rows, and the end of the block.
func Block(b, n int) (first, end int) { return b * RowBlock, min((b+1)*RowBlock, n) }

// Pair is a class pair (r, s): a step t adds +t to the score of R and −t to
// that of S. S may be the impossible class past the last, which makes the
// pair a single class.
type Pair struct{ R, S int32 }

// TotalsJob sums gradient and Hessian diagonal of every class over rows.
type TotalsJob struct {
	Residuals []float32 // rows × Stride
	Stride    int       // 4, 8 or a multiple of 16
	Rows      []uint32  // row numbers
	Weights   []float32 // by row number; nil: all one
	Unit      float64   // of the sums: w·(r_k − p_k) of every row is less than MostUnits

	Gradient []int64 // out, Stride: m_k = Σ w·(r_k − p_k)
	Hessian  []int64 // out, Stride: h_kk = Σ w·p_k(1 − p_k)
}

// CrossJob sums products of probabilities over rows. p_y = 1 + R_y of the row's
// own class and w·p_r are float32.
type CrossJob struct {
	Residuals []float32
	Stride    int
	Rows      []uint32
	Weights   []float32
	First     []int32 // classes r_1 … r_m, m at most MaxPairs
	Unit      float32 // of the sums: (w·p_r)·p_k is less than MostCrossUnits, unless r = k

	Cross []uint32 // out, m × Stride: −h_rk = Σ (w·p_r)·p_k, modulo 2³²; anything where r = k
}

// PairStats sums up one pair's gradients over rows.
type PairStats struct {
	SumG, SumH, SumAbsG int64 // in units
	MaxAbsG, MaxH       float32
}

// GradientsJob computes the scalar gradients of class pairs. With
// u = R_s − R_r and both scores moving by ±t,
//
//	g = (r_r − p_r) − (r_s − p_s) = u
//	h = p_r + p_s − (p_r − p_s)²  = |R_r| + |R_s| − u²              rows of a third class
//	                              = |R_r| + |R_s| + 2·p_other − u²  rows of class r or s
//
// (paper, equations of section 2.4), both multiplied by the row's weight.
type GradientsJob struct {
	Residuals []float32
	Stride    int
	Rows      []uint32
	Weights   []float32
	Pairs     []Pair  // m pairs
	Unit      float64 // of the sums: |g| and h are less than MostUnits

	Gradients []float32           // out, rows × m × (h, g): where QuantizeJob wants them
	Stats     [MaxPairs]PairStats // out, by pair
}

// QuantizeJob turns gradients into fixed point, one packed integer a pair:
// g·ScaleG rounded to nearest even in the high half, h·ScaleH in the low
// half. It leaves out rows whose |g| and h are, for every pair, below the trim
// bounds times the row's weight: the gradients contain that weight. The caller
// chooses scales that keep |g| ≤ 32767 and 0 ≤ h ≤ 65535.
type QuantizeJob struct {
	Rows           []uint32
	Gradients      []float32 // rows × m × (h, g)
	Pairs          int       // m
	Weights        []float32 // by row number; nil: all one
	ScaleG, ScaleH [MaxPairs]float32
	TrimG, TrimH   [MaxPairs]float32

	Cells      []int64  // out, kept × m; may share the memory of Gradients
	KeptRows   []uint32 // out, may share the memory of Rows
	Kept       int      // out
	SumG, SumH [MaxPairs]int64
}

// HistogramJob adds packed gradients to the histograms of up to eight columns.
type HistogramJob struct {
	Columns    [TileLanes][]uint8 // bin codes by row number; the first Count are used
	Histograms [TileLanes][]int64 // per column, from its first lane: bin b starts at b·TileLanes
	Count      int
	Rows       []uint32 // row numbers; nil: First, First+1, …
	First      int
	Cells      []int64 // rows × m
	Pairs      int     // m: 1, 2, 4 or 8
}

// SparseJob adds packed gradients to the histograms of a group of features
// that are stored row by row, without the bins that most rows have: entry e of
// a row stands for the m cells from e·m on.
type SparseJob struct {
	First     []uint32 // where the entries of each row begin; one more than there are rows
	Entries   []uint16 // none twice in a row
	Histogram []int64
	Rows      []uint32
	Cells     []int64 // rows × m
	Pairs     int     // m: 1, 2, 4 or 8
}

// ScanJob finds the best cut of each feature of a histogram tile. A cut at
// bin b sends bins 1…b left; the missing bin 0 goes right, or left when the
// tile holds missing values and that is better. The score of a cut is
//
//	Σ over pairs of Scale·(G_L²/H_L + G_R²/H_R),  H = max(ΣH + L2, 1),
//
// G and H being counted in quanta. The lowest cut wins a tie.
type ScanJob struct {
	Tile           []int64 // TileLanes packed cells a bin, nodes of at most SpillRows rows
	WideG, WideH   []int64 // in place of Tile for larger nodes
	Stride         int     // cells from one bin to the next, a multiple of TileLanes; 0: TileLanes
	Bins           int     // bins to scan, the missing bin included: 1 … MaxBins + 1
	Pairs          int
	TotalG, TotalH [MaxPairs]int64   // of the node, by pair: what the bins of every feature add up to
	Scale          [MaxPairs]float64 // what G²/H in quanta is worth, by pair
	L2             [MaxPairs]float64 // in quanta of H, by pair
	UnitH          [MaxPairs]float64 // what a quantum of H is worth, by pair
	MinHessian     float64           // least Σ UnitH·ΣH on either side; above zero

	Score       [TileLanes]float64 // out, by feature; −Inf: no cut
	Bin         [TileLanes]int32   // out, by feature
	MissingLeft [TileLanes]bool    // out, by feature
}

// AddCutsJob adds the score of every cut of a tile to sums, lane by lane: over the nodes
// that are split by the same test. Pairs are not added up, and no side is too light.
type AddCutsJob struct {
	ScanJob
	Right []float64 // in and out, as Tile: of the cut at a bin, missing values going right
	Left  []float64 // the same with missing values going left; nil: not needed
}

// PartitionJob splits a row list by one column, both halves in order.
type PartitionJob struct {
	Column      []uint8 // bin codes by row number
	Rows        []uint32
	Bin         uint8      // codes 1…Bin go left
	MissingLeft bool       // so does code 0
	Set         *[4]uint64 // codes that go left, code c being bit c mod 64 of word c/64; nil: those of Bin and MissingLeft

	Left, Right []uint32 // out; each as long as Rows; Left may share its memory
	NumLeft     int      // out
}

// UpdateJob multiplies the odds of every class of rows by factors and
// renormalises: p_k ← p_k·f_k / Σ p_j·f_j. The sum over the other classes is
// taken in 16 lanes of float32, class k going to lane k mod 16, added up by
// one fixed tree. That and the odds of the own class may not both be zero.
type UpdateJob struct {
	Residuals []float32
	Own       []float32 // by row number: p_y, the probability of the row's own class
	Stride    int
	Rows      []uint32
	Factors   []float32 // Stride

	SumResidual float64 // out: Σ (1 − p_y), row after row
	MaxResidual float32 // out: the greatest 1 − p_y
}

// CompareJob compares a feature of rows with thresholds. A row goes right where
// its value is not below the threshold. Half as wide, twice as many are compared at
// once.
type CompareJob[T float32 | float64] struct {
	Values      []T // whole words of rows, at most PredictRows; NaN: missing
	Thresholds  []T
	MissingLeft int // missing values go left at the first MissingLeft thresholds, right at the others

	Right []uint64 // out, PredictWords from one threshold to the next; words past the rows' stay as they are
}

// MembersJob looks for the bin codes of rows in sets. A row goes right where its
// code is not in the set.
type MembersJob struct {
	Codes []uint8     // whole words of rows, at most PredictRows
	Sets  [][4]uint64 // as in [PartitionJob]

	Right []uint64 // out, PredictWords from one set to the next; words past the rows' stay as they are
}

// Cut is an inner node of a tree whose leaves are numbered from left to right.
// Rows that go right in Test reach a leaf from Middle to High−1, the others one
// from Low to Middle−1. All numbers are trusted.
type Cut struct{ Test, Low, Middle, High uint32 }

// LeavesJob finds the leaves that rows reach in trees of at most 65,536 leaves.
// For each leaf of a tree, AtLeast notes the rows that reach it or a later one. A
// cut determines those of its Middle: the rows of its High, and of the rows of
// its Low the ones that go right.
type LeavesJob struct {
	Right      []uint64 // tests × PredictWords
	Words      int      // of rows: 1 … PredictWords
	Cuts       []Cut    // tree after tree, parents before their children
	FirstCut   []uint32 // by tree, and one past the last
	AtLeast    []uint64 // for use in between: (leaves + 1) × PredictWords of the largest tree
	LeafStride int      // leaf numbers from one tree to the next: PredictRows or more

	Leaves []uint16 // out, by tree and row; past the rows of Words to PredictRows, anything
}

// AddStepsJob adds the steps of the leaves that rows reach to their scores, tree
// after tree. A leaf has a step for each class.
type AddStepsJob struct {
	Leaves     []uint16 // by tree and row; trusted
	LeafStride int      // leaf numbers from one tree to the next
	FirstLeaf  []uint32 // by tree: where its leaves begin in Steps, counted in leaves; trusted
	Steps      []float32
	Classes    int

	Rows   int
	Scores []float64 // in and out, Rows × Stride
	Stride int       // Classes or more
}

// PairStep is a step of a class pair.
type PairStep struct {
	R, S uint16 // trusted
	Step float32
}

// AddPairsJob does the same for leaves of a few class pairs. Each pair adds its
// step to the score of R and then subtracts it from the score of S.
type AddPairsJob struct {
	Leaves     []uint16 // by tree and row; trusted
	LeafStride int      // leaf numbers from one tree to the next
	FirstLeaf  []uint32 // by tree: where its leaves begin in Steps, counted in leaves; trusted
	Steps      []PairStep
	Pairs      int // a leaf

	Rows   int
	Scores []float64 // in and out, Rows × Stride
	Stride int
}

// ShortLanes is what the classes of an [AddShortJob] are a multiple of.
const ShortLanes = 16

// AddShortJob does the same for leaves whose steps are counted in units. It adds up
// the steps of a row in 16 bits, which must hold what they add up to.
type AddShortJob struct {
	Leaves     []uint16 // by tree and row; trusted
	LeafStride int      // leaf numbers from one tree to the next
	FirstLeaf  []uint32 // by tree: where its leaves begin in Steps, counted in leaves; trusted
	Steps      []int16
	Classes    int // a multiple of ShortLanes; the steps of those past the model's are zero

	Rows   int
	Sums   []int32 // in and out, Rows × Stride
	Stride int     // Classes or more
}

// ScoresJob turns sums of units into scores: it adds the first scores, and divides by the temperature.
type ScoresJob struct {
	Sums        []int32 // rows × Stride
	Stride      int     // Classes or more
	Unit        float64
	First       []float64 // by class; not above the greatest float32
	Temperature float64   // 0: none
	Classes     int

	Scores []float64 // out, rows × Classes
}

// BestJob finds the class of the greatest sum of each row, the lowest where some tie.
type BestJob struct {
	Sums    []int32 // rows × Stride
	Stride  int     // Classes or more
	Classes int

	Best []int // out, by row
}

// LinearJob computes linear scores of rows: of each lane its bias and, for one term
// after the other, the product of the row's place and the lane's weight, rounded to
// multiples of [LinearUnit] in the end. A product of two float32s is exact in float64,
// so that a fused multiply-add rounds as the plain operations do. All numbers are finite.
type LinearJob struct {
	Places  []float32 // rows × Terms
	Terms   int
	Weights []float32 // Terms × Stride
	Bias    []float32 // Stride
	Stride  int       // lanes of weights, bias and scores, a multiple of Lanes

	Rows   int
	Scores []float64 // out, Rows × Stride
}

// ProductRows is the number of rows of a ProductsJob, and MostPlace the greatest magnitude of its places: sums of as many
// products fit into an int32.
const (
	ProductRows = 256
	MostPlace   = 2047
)

// ProductsJob adds up the products of the places of each two features, for the covariance that linear scores are fitted
// with: to Sums[j·Features+l], with l ≤ j and up to the next l that follows a multiple of four, the sum over the rows of
// place j times place l.
type ProductsJob struct {
	Places   []int16 // Features × ProductRows; zero for rows that are not there
	Features int     // a multiple of 4
	Sums     []int64 // in and out, Features × Features
}

// SoftmaxJob turns raw scores into class probabilities, row after row. A class
// has e^(f_k − max f), computed by [Exp], or zero where the exponent is below
// [SoftmaxLeast]. All are multiplied by the inverse of their sum. The sum is
// taken in [Lanes] partial sums, class k going to lane k mod Lanes, added up by
// one fixed tree. A row that holds NaN or +Inf, or nothing but −Inf, becomes NaN,
// with the bits of math.NaN.
type SoftmaxJob struct {
	Scores      []float64 // in: scores, rows × Classes; out: probabilities
	Classes     int
	Temperature float64 // above 0: the scores are divided by it first
}

// Branch is a node of the trees that single rows walk. A row whose key in Slot
// is not below Key goes on to Right, any other row to the node before that. A
// leaf has the key 0 and leads to itself; its Slot is its number.
type Branch struct {
	Key         uint64
	Slot, Right uint32
}

// Walk is a way through a tree, from its root on.
type Walk struct{ Root, Tree uint32 }

// WalkLanes is how many walks proceed side by side.
const WalkLanes = 8

// WalkJob lets a row walk through trees. All numbers in its slices are trusted.
type WalkJob struct {
	Branches []Branch
	Keys     []uint64 // of the row, by slot; as many as there are leaf numbers, at least
	Walks    []Walk   // whole lanes
	Depths   []uint32 // by WalkLanes walks: nodes above the deepest leaf

	Leaves []uint16 // out, by tree
}

// Funcs is one level's table of kernels.
type Funcs struct {
	Level     string
	Totals    func(*TotalsJob)
	Cross     func(*CrossJob)
	Gradients func(*GradientsJob)
	Quantize  func(*QuantizeJob)
	Histogram func(*HistogramJob)
	Sparse    func(*SparseJob)
	SumBins   func(sums, cells []int64)              // sums[i] = Σ cells[i + k·len(sums)]
	Spill     func(wideG, wideH, narrow []int64)     // wide += narrow; narrow = 0
	Subtract  func(dst, minuend, subtrahend []int64) // dst may be either
	Scan      func(*ScanJob)
	AddCuts   func(*AddCutsJob)
	Partition func(*PartitionJob)
	Update    func(*UpdateJob)
	Compare   func(*CompareJob[float64])
	Compare32 func(*CompareJob[float32])
	Members   func(*MembersJob)
	Leaves    func(*LeavesJob)
	AddSteps  func(*AddStepsJob)
	AddPairs  func(*AddPairsJob)
	AddShort  func(*AddShortJob)
	Scores    func(*ScoresJob)
	Best      func(*BestJob)
	Linear    func(*LinearJob)
	Products  func(*ProductsJob)
	Softmax   func(*SoftmaxJob)
	Walk      func(*WalkJob)
}

// Generic is the plain Go table, the definition of every kernel's result.
var Generic = Checked(Funcs{
	Level:     "generic",
	Totals:    Totals,
	Cross:     Cross,
	Gradients: Gradients,
	Quantize:  Quantize,
	Histogram: Histogram,
	Sparse:    Sparse,
	SumBins:   SumBins,
	Spill:     Spill,
	Subtract:  Subtract,
	Scan:      Scan,
	AddCuts:   AddCuts,
	Partition: Partition,
	Update:    Update,
	Compare:   Compare[float64],
	Compare32: Compare[float32],
	Members:   Members,
	Leaves:    Leaves,
	AddSteps:  AddSteps,
	AddPairs:  AddPairs,
	AddShort:  AddShort,
	Scores:    Scores,
	Best:      Best,
	Linear:    Linear,
	Products:  Products,
	Softmax:   Softmax,
	Walk:      WalkTrees,
})

// Checked returns a table of the kernels of f with checks of their jobs: each panics
// with the error of the job's Check before it touches anything.
func Checked(f Funcs) *Funcs {
	return &Funcs{
		Level:     f.Level,
		Totals:    checked((*TotalsJob).Check, f.Totals),
		Cross:     checked((*CrossJob).Check, f.Cross),
		Gradients: checked((*GradientsJob).Check, f.Gradients),
		Quantize:  checked((*QuantizeJob).Check, f.Quantize),
		Histogram: checked((*HistogramJob).Check, f.Histogram),
		Sparse:    checked((*SparseJob).Check, f.Sparse),
		SumBins:   f.SumBins, // checks for itself
		Spill: func(wideG, wideH, narrow []int64) {
			must(checkSpill(wideG, wideH, narrow))
			f.Spill(wideG, wideH, narrow)
		},
		Subtract: func(dst, minuend, subtrahend []int64) {
			must(checkSubtract(dst, minuend, subtrahend))
			f.Subtract(dst, minuend, subtrahend)
		},
		Scan:      checked((*ScanJob).Check, f.Scan),
		AddCuts:   checked((*AddCutsJob).Check, f.AddCuts),
		Partition: checked((*PartitionJob).Check, f.Partition),
		Update:    checked((*UpdateJob).Check, f.Update),
		Compare:   checked((*CompareJob[float64]).Check, f.Compare),
		Compare32: checked((*CompareJob[float32]).Check, f.Compare32),
		Members:   checked((*MembersJob).Check, f.Members),
		Leaves:    checked((*LeavesJob).Check, f.Leaves),
		AddSteps:  checked((*AddStepsJob).Check, f.AddSteps),
		AddPairs:  checked((*AddPairsJob).Check, f.AddPairs),
		AddShort:  checked((*AddShortJob).Check, f.AddShort),
		Scores:    checked((*ScoresJob).Check, f.Scores),
		Best:      checked((*BestJob).Check, f.Best),
		Linear:    checked((*LinearJob).Check, f.Linear),
		Products:  checked((*ProductsJob).Check, f.Products),
		Softmax:   checked((*SoftmaxJob).Check, f.Softmax),
		Walk:      checked((*WalkJob).Check, f.Walk),
	}
}

func checked[J any](check func(*J) error, kernel func(*J)) func(*J) {
	return func(j *J) {
		must(check(j))
		kernel(j)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// sumLanes adds up the partial sums of a virtual vector in the order of a fixed tree.
func sumLanes(v *[Lanes]float64) float64 {
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}
