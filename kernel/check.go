package kernel

import "fmt"

// Every kernel of a table checks its job first: see [Checked]. A check takes a
// few nanoseconds, so it looks at lengths and at the last of a list of rows,
// not at what is in the slices. Numbers that a job calls trusted, and bin codes,
// are the caller's duty.

// check keeps the first fault of a job.
type check struct {
	job string
	err error
}

// want notes a fault unless a number is good.
func (c *check) want(good bool, field string, got int, allowed string) {
	if !good {
		c.fail(field, got, allowed)
	}
}

// length notes a fault where a slice of n elements is too short.
func (c *check) length(field string, n, least int) {
	if n < least {
		c.short(field, n, least)
	}
}

func (c *check) short(field string, n, least int) {
	c.fail("len("+field+")", n, fmt.Sprintf("%d or more", least))
}

func (c *check) fail(field string, got any, allowed string) {
	if c.err == nil {
		c.err = fmt.Errorf("kernel: %s: %s is %v, must be %s", c.job, field, got, allowed)
	}
}

// pairs checks the number of pairs of a node, which vectors hold whole.
func (c *check) pairs(field string, m int) {
	c.want(m == 1 || m == 2 || m == 4 || m == 8, field, m, "1, 2, 4 or 8")
}

// class checks a class of a list, whose lanes are those of a row.
func (c *check) class(format string, i int, class int32, stride int) {
	if uint(class) >= uint(stride) {
		c.fail(fmt.Sprintf(format, i), class, fmt.Sprintf("0 to %d", stride-1))
	}
}

// end is one past the greatest of a list of rows, the last.
func end(rows []uint32) int {
	if len(rows) == 0 {
		return 0
	}
	return int(rows[len(rows)-1]) + 1
}

// residuals checks what all kernels read that go over rows of residuals.
func (c *check) residuals(residuals []float32, stride int, rows []uint32) {
	c.want(stride == 8 || stride > 0 && stride%16 == 0, "Stride", stride, "8 or a multiple of 16")
	c.length("Residuals", len(residuals), end(rows)*stride)
}

// weights checks weights by row number. No weights are good weights.
func (c *check) weights(weights []float32, rows []uint32) {
	if weights != nil {
		c.length("Weights", len(weights), end(rows))
	}
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *TotalsJob) Check() error {
	c := check{job: "TotalsJob"}
	c.residuals(j.Residuals, j.Stride, j.Rows)
	c.weights(j.Weights, j.Rows)
	c.length("Gradient", len(j.Gradient), j.Stride)
	c.length("Hessian", len(j.Hessian), j.Stride)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *CrossJob) Check() error {
	c := check{job: "CrossJob"}
	c.residuals(j.Residuals, j.Stride, j.Rows)
	c.weights(j.Weights, j.Rows)
	m := len(j.First)
	c.want(m >= 1 && m <= MaxPairs, "len(First)", m, "1 to 8")
	for i, r := range j.First {
		c.class("First[%d]", i, r, j.Stride)
	}
	c.length("Cross", len(j.Cross), m*j.Stride)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *GradientsJob) Check() error {
	c := check{job: "GradientsJob"}
	c.residuals(j.Residuals, j.Stride, j.Rows)
	c.weights(j.Weights, j.Rows)
	c.pairs("len(Pairs)", len(j.Pairs))
	for i, p := range j.Pairs {
		c.class("Pairs[%d].R", i, p.R, j.Stride)
		c.class("Pairs[%d].S", i, p.S, j.Stride)
	}
	c.length("Gradients", len(j.Gradients), 2*len(j.Pairs)*len(j.Rows))
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *QuantizeJob) Check() error {
	c, n := check{job: "QuantizeJob"}, len(j.Rows)
	c.pairs("Pairs", j.Pairs)
	c.weights(j.Weights, j.Rows)
	c.length("Gradients", len(j.Gradients), 2*j.Pairs*n)
	c.length("Cells", len(j.Cells), j.Pairs*n)
	c.length("KeptRows", len(j.KeptRows), n)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *HistogramJob) Check() error {
	c := check{job: "HistogramJob"}
	c.pairs("Pairs", j.Pairs)
	c.want(uint(j.Count) <= TileLanes, "Count", j.Count, "0 to 8")
	if c.err != nil || len(j.Cells) == 0 {
		return c.err
	}
	n := len(j.Cells) / j.Pairs
	c.want(len(j.Cells) == n*j.Pairs, "len(Cells)", len(j.Cells), "a multiple of Pairs")
	past := j.First + n
	if j.Rows != nil {
		c.want(len(j.Rows) == n, "len(Rows)", len(j.Rows), "len(Cells)/Pairs")
		past = end(j.Rows)
	} else {
		c.want(j.First >= 0, "First", j.First, "0 or more")
	}
	for k := range j.Count {
		if n := len(j.Columns[k]); n < past {
			c.short(fmt.Sprintf("Columns[%d]", k), n, past)
		}
		if n := len(j.Histograms[k]); n < j.Pairs {
			c.short(fmt.Sprintf("Histograms[%d]", k), n, j.Pairs)
		}
	}
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *SparseJob) Check() error {
	c, past := check{job: "SparseJob"}, end(j.Rows)
	c.pairs("Pairs", j.Pairs)
	c.length("Cells", len(j.Cells), j.Pairs*len(j.Rows))
	if past > 0 {
		c.length("First", len(j.First), past+1)
		if c.err == nil {
			c.length("Entries", len(j.Entries), int(j.First[past]))
		}
	}
	return c.err
}

func checkSumBins(sums, cells []int64) error {
	c, n := check{job: "SumBins"}, len(sums)
	c.want(n > 0, "len(sums)", n, "1 or more")
	if c.err == nil {
		c.want(len(cells)%n == 0, "len(cells)", len(cells), "a multiple of len(sums)")
	}
	return c.err
}

func checkSpill(wideG, wideH, narrow []int64) error {
	c := check{job: "Spill"}
	c.length("wideG", len(wideG), len(narrow))
	c.length("wideH", len(wideH), len(narrow))
	return c.err
}

func checkSubtract(dst, minuend, subtrahend []int64) error {
	c := check{job: "Subtract"}
	c.length("minuend", len(minuend), len(dst))
	c.length("subtrahend", len(subtrahend), len(dst))
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *ScanJob) Check() error {
	c := check{job: "ScanJob"}
	c.pairs("Pairs", j.Pairs)
	c.want(j.Bins >= 1 && j.Bins <= MaxBins+1, "Bins", j.Bins, "1 to 257")
	c.want(j.Stride >= 0 && j.Stride%TileLanes == 0, "Stride", j.Stride, "0 or a multiple of 8")
	cells := (j.Bins-1)*max(j.Stride, TileLanes) + TileLanes
	if j.Tile != nil {
		c.length("Tile", len(j.Tile), cells)
	} else {
		c.length("WideG", len(j.WideG), cells)
		c.length("WideH", len(j.WideH), cells)
	}
	if !(j.MinHessian > 0) {
		c.fail("MinHessian", j.MinHessian, "above 0")
	}
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *PartitionJob) Check() error {
	c, n := check{job: "PartitionJob"}, len(j.Rows)
	c.length("Column", len(j.Column), end(j.Rows))
	c.length("Left", len(j.Left), n)
	c.length("Right", len(j.Right), n)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
// That each row has a class it leaves to the kernel, which panics.
func (j *UpdateJob) Check() error {
	c := check{job: "UpdateJob"}
	c.residuals(j.Residuals, j.Stride, j.Rows)
	c.length("Own", len(j.Own), end(j.Rows))
	c.length("Factors", len(j.Factors), j.Stride)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *CompareJob) Check() error {
	c, n, rows := check{job: "CompareJob"}, len(j.Thresholds), len(j.Values)
	c.want(rows%64 == 0 && rows <= PredictRows, "len(Values)", rows, "a multiple of 64, up to 512")
	c.want(uint(j.MissingLeft) <= uint(n), "MissingLeft", j.MissingLeft, "0 to len(Thresholds)")
	if n > 0 {
		c.length("Right", len(j.Right), (n-1)*PredictWords+rows/64)
	}
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *LeavesJob) Check() error {
	c, trees := check{job: "LeavesJob"}, len(j.FirstCut)-1
	c.want(j.Words >= 1 && j.Words <= PredictWords, "Words", j.Words, "1 to 8")
	c.length("FirstCut", len(j.FirstCut), 1)
	c.want(j.LeafStride >= PredictRows, "LeafStride", j.LeafStride, "512 or more")
	if c.err != nil || trees == 0 {
		return c.err
	}
	most, last := 0, j.FirstCut[0]
	for t, next := range j.FirstCut[1:] {
		if next < last {
			c.fail(fmt.Sprintf("FirstCut[%d]", t+1), next, fmt.Sprintf("%d or more, as the one before it", last))
		}
		most, last = max(most, int(next)-int(last)), next
	}
	c.length("Cuts", len(j.Cuts), int(last))
	c.length("AtLeast", len(j.AtLeast), (most+2)*PredictWords)
	c.length("Leaves", len(j.Leaves), (trees-1)*j.LeafStride+PredictRows)
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddStepsJob) Check() error {
	c := check{job: "AddStepsJob"}
	c.want(j.Classes >= 1, "Classes", j.Classes, "1 or more")
	c.want(j.Stride >= j.Classes, "Stride", j.Stride, "Classes or more")
	c.leaves(j.Leaves, j.LeafStride, len(j.FirstLeaf), j.Rows)
	if len(j.FirstLeaf) > 0 && j.Rows > 0 {
		c.length("Steps", len(j.Steps), j.Classes)
		c.length("Scores", len(j.Scores), (j.Rows-1)*j.Stride+j.Classes)
	}
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddPairsJob) Check() error {
	c := check{job: "AddPairsJob"}
	c.want(j.Pairs >= 1, "Pairs", j.Pairs, "1 or more")
	c.want(j.Stride >= 1, "Stride", j.Stride, "1 or more")
	c.leaves(j.Leaves, j.LeafStride, len(j.FirstLeaf), j.Rows)
	if len(j.FirstLeaf) > 0 && j.Rows > 0 {
		c.length("Steps", len(j.Steps), j.Pairs)
		c.length("Scores", len(j.Scores), j.Rows*j.Stride)
	}
	return c.err
}

// leaves checks the leaf numbers of rows in trees.
func (c *check) leaves(leaves []uint16, stride, trees, rows int) {
	c.want(rows >= 0, "Rows", rows, "0 or more")
	c.want(stride >= rows, "LeafStride", stride, "Rows or more")
	if trees > 0 && rows > 0 {
		c.length("Leaves", len(leaves), (trees-1)*stride+rows)
	}
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *SoftmaxJob) Check() error {
	c := check{job: "SoftmaxJob"}
	c.want(j.Classes >= 1, "Classes", j.Classes, "1 or more")
	if !(j.Temperature >= 0) {
		c.fail("Temperature", j.Temperature, "above 0, or 0 for none")
	}
	if c.err == nil {
		c.want(len(j.Scores)%j.Classes == 0, "len(Scores)", len(j.Scores), "a multiple of Classes")
	}
	return c.err
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *WalkJob) Check() error {
	c, n := check{job: "WalkJob"}, len(j.Depths)
	c.length("Walks", len(j.Walks), n*WalkLanes)
	if n > 0 {
		c.length("Branches", len(j.Branches), 1)
		c.length("Keys", len(j.Keys), 1)
		c.length("Leaves", len(j.Leaves), 1)
	}
	return c.err
}
