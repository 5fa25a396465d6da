package kernel

import "fmt"

// Every kernel of a table checks its job first: see [Checked]. That is to take a
// nanosecond or two. So a check looks at lengths and at the last of a list of
// rows, which is the greatest, but not at what is in the slices: numbers that a
// job calls trusted, and bin codes, are the caller's duty.

// bad returns the error of a number or a length.
func bad(job, name string, got any, allowed string) error {
	return fmt.Errorf("kernel: %s: %s is %v, must be %s", job, name, got, allowed)
}

// short returns the error of a slice that is shorter than least.
func short(job, name string, n, least int) error {
	return bad(job, "len("+name+")", n, fmt.Sprintf("%d or more", least))
}

func badPairs(job, name string, m int) error { return bad(job, name, m, "1, 2, 4 or 8") }

// goodPairs reports whether vectors hold a node's pairs whole.
func goodPairs(m int) bool { return m == 1 || m == 2 || m == 4 || m == 8 }

func badStride(job string, stride int) error {
	return bad(job, "Stride", stride, "4, 8 or a multiple of 16")
}

func badUnit(job string, unit float64) error { return bad(job, "Unit", unit, "above zero") }

// goodStride reports whether a row of residuals consists of whole vectors.
func goodStride(stride int) bool {
	return stride == 4 || stride == 8 || stride > 0 && stride&15 == 0
}

// Stride returns the lanes of a row of residuals, whole vectors. If padding is true, the row
// has a lane for one more class, which no row belongs to.
func Stride(classes int, padding bool) int {
	if padding {
		classes++
	}
	switch {
	case classes <= 4:
		return 4
	case classes <= 8:
		return 8
	}
	return (classes + 15) / 16 * 16
}

// end returns one past the last and greatest of a list of rows.
func end(rows []uint32) int {
	if len(rows) == 0 {
		return 0
	}
	return int(rows[len(rows)-1]) + 1
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *TotalsJob) Check() error {
	switch past := end(j.Rows); {
	case !goodStride(j.Stride):
		return badStride("TotalsJob", j.Stride)
	case len(j.Residuals) < past*j.Stride:
		return short("TotalsJob", "Residuals", len(j.Residuals), past*j.Stride)
	case j.Weights != nil && len(j.Weights) < past:
		return short("TotalsJob", "Weights", len(j.Weights), past)
	case !(j.Unit > 0):
		return badUnit("TotalsJob", j.Unit)
	case len(j.Gradient) < j.Stride:
		return short("TotalsJob", "Gradient", len(j.Gradient), j.Stride)
	case len(j.Hessian) < j.Stride:
		return short("TotalsJob", "Hessian", len(j.Hessian), j.Stride)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *CrossJob) Check() error {
	switch m, past := len(j.First), end(j.Rows); {
	case !goodStride(j.Stride):
		return badStride("CrossJob", j.Stride)
	case len(j.Residuals) < past*j.Stride:
		return short("CrossJob", "Residuals", len(j.Residuals), past*j.Stride)
	case j.Weights != nil && len(j.Weights) < past:
		return short("CrossJob", "Weights", len(j.Weights), past)
	case m == 0 || m > MaxPairs:
		return bad("CrossJob", "len(First)", m, "1 to 8")
	case !(j.Unit > 0):
		return badUnit("CrossJob", float64(j.Unit))
	case len(j.Cross) < m*j.Stride:
		return short("CrossJob", "Cross", len(j.Cross), m*j.Stride)
	}
	for i, r := range j.First {
		if uint(r) >= uint(j.Stride) {
			return badClass("CrossJob", fmt.Sprintf("First[%d]", i), r, j.Stride)
		}
	}
	return nil
}

func badClass(job, name string, class int32, stride int) error {
	return bad(job, name, class, fmt.Sprintf("0 to %d", stride-1))
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *GradientsJob) Check() error {
	switch m, past := len(j.Pairs), end(j.Rows); {
	case !goodStride(j.Stride):
		return badStride("GradientsJob", j.Stride)
	case len(j.Residuals) < past*j.Stride:
		return short("GradientsJob", "Residuals", len(j.Residuals), past*j.Stride)
	case j.Weights != nil && len(j.Weights) < past:
		return short("GradientsJob", "Weights", len(j.Weights), past)
	case !goodPairs(m):
		return badPairs("GradientsJob", "len(Pairs)", m)
	case !(j.Unit > 0):
		return badUnit("GradientsJob", j.Unit)
	case len(j.Gradients) < 2*m*len(j.Rows):
		return short("GradientsJob", "Gradients", len(j.Gradients), 2*m*len(j.Rows))
	}
	for i, p := range j.Pairs {
		switch {
		case uint(p.R) >= uint(j.Stride):
			return badClass("GradientsJob", fmt.Sprintf("Pairs[%d].R", i), p.R, j.Stride)
		case uint(p.S) >= uint(j.Stride):
			return badClass("GradientsJob", fmt.Sprintf("Pairs[%d].S", i), p.S, j.Stride)
		}
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *QuantizeJob) Check() error {
	switch m, n := j.Pairs, len(j.Rows); {
	case !goodPairs(m):
		return badPairs("QuantizeJob", "Pairs", m)
	case j.Weights != nil && len(j.Weights) < end(j.Rows):
		return short("QuantizeJob", "Weights", len(j.Weights), end(j.Rows))
	case len(j.Gradients) < 2*m*n:
		return short("QuantizeJob", "Gradients", len(j.Gradients), 2*m*n)
	case len(j.Cells) < m*n:
		return short("QuantizeJob", "Cells", len(j.Cells), m*n)
	case len(j.KeptRows) < n:
		return short("QuantizeJob", "KeptRows", len(j.KeptRows), n)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *HistogramJob) Check() error {
	n, past := len(j.Cells), end(j.Rows)
	switch {
	case !goodPairs(j.Pairs):
		return badPairs("HistogramJob", "Pairs", j.Pairs)
	case uint(j.Count) > TileLanes:
		return bad("HistogramJob", "Count", j.Count, "0 to 8")
	case n&(j.Pairs-1) != 0:
		return bad("HistogramJob", "len(Cells)", n, fmt.Sprintf("a multiple of %d, the pairs", j.Pairs))
	case j.Rows != nil && len(j.Rows)*j.Pairs != n:
		return bad("HistogramJob", "len(Rows)", len(j.Rows), fmt.Sprintf("%d, the rows of Cells", n/j.Pairs))
	case j.Rows == nil && j.First < 0:
		return bad("HistogramJob", "First", j.First, "0 or more")
	case j.Rows == nil:
		past = j.First + n/j.Pairs
	}
	if n == 0 {
		return nil
	}
	for k := range j.Columns[:j.Count] {
		if n := len(j.Columns[k]); n < past {
			return short("HistogramJob", fmt.Sprintf("Columns[%d]", k), n, past)
		}
		if n := len(j.Histograms[k]); n < j.Pairs {
			return short("HistogramJob", fmt.Sprintf("Histograms[%d]", k), n, j.Pairs)
		}
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *SparseJob) Check() error {
	switch past := end(j.Rows); {
	case !goodPairs(j.Pairs):
		return badPairs("SparseJob", "Pairs", j.Pairs)
	case len(j.Cells) < j.Pairs*len(j.Rows):
		return short("SparseJob", "Cells", len(j.Cells), j.Pairs*len(j.Rows))
	case past == 0:
		return nil
	case len(j.First) < past+1:
		return short("SparseJob", "First", len(j.First), past+1)
	case len(j.Entries) < int(j.First[past]):
		return short("SparseJob", "Entries", len(j.Entries), int(j.First[past]))
	}
	return nil
}

// checkSumBins is called by the reference, not by tables: a division takes too
// long. Kernels, which need that of len(cells) by len(sums) anyway, leave what
// it does not divide to the reference.
func checkSumBins(sums, cells []int64) error {
	switch {
	case len(sums) == 0:
		return short("SumBins", "sums", 0, 1)
	case len(cells)%len(sums) != 0:
		return bad("SumBins", "len(cells)", len(cells), fmt.Sprintf("a multiple of %d, the sums", len(sums)))
	}
	return nil
}

func checkSpill(wideG, wideH, narrow []int64) error {
	switch {
	case len(wideG) < len(narrow):
		return short("Spill", "wideG", len(wideG), len(narrow))
	case len(wideH) < len(narrow):
		return short("Spill", "wideH", len(wideH), len(narrow))
	}
	return nil
}

func checkSubtract(dst, minuend, subtrahend []int64) error {
	switch {
	case len(minuend) < len(dst):
		return short("Subtract", "minuend", len(minuend), len(dst))
	case len(subtrahend) < len(dst):
		return short("Subtract", "subtrahend", len(subtrahend), len(dst))
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *ScanJob) Check() error {
	if err := j.checkTile(); err != nil {
		return err
	}
	if !(j.MinHessian > 0) {
		return bad("ScanJob", "MinHessian", j.MinHessian, "above 0")
	}
	return nil
}

// cells returns the number of cells from the first bin to the last.
func (j *ScanJob) cells() int { return (j.Bins-1)*max(j.Stride, TileLanes) + TileLanes }

// checkTile returns an error that names what is wrong with the tile; nil: nothing.
func (j *ScanJob) checkTile() error {
	switch cells := j.cells(); {
	case !goodPairs(j.Pairs):
		return badPairs("ScanJob", "Pairs", j.Pairs)
	case j.Bins < 1 || j.Bins > MaxBins+1:
		return bad("ScanJob", "Bins", j.Bins, "1 to 257")
	case j.Stride < 0 || j.Stride&(TileLanes-1) != 0:
		return bad("ScanJob", "Stride", j.Stride, "0 or a multiple of 8")
	case j.Tile != nil && len(j.Tile) < cells:
		return short("ScanJob", "Tile", len(j.Tile), cells)
	case j.Tile == nil && len(j.WideG) < cells:
		return short("ScanJob", "WideG", len(j.WideG), cells)
	case j.Tile == nil && len(j.WideH) < cells:
		return short("ScanJob", "WideH", len(j.WideH), cells)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddCutsJob) Check() error {
	if err := j.checkTile(); err != nil {
		return err
	}
	switch cells := j.cells(); {
	case len(j.Right) < cells:
		return short("AddCutsJob", "Right", len(j.Right), cells)
	case j.Left != nil && len(j.Left) < cells:
		return short("AddCutsJob", "Left", len(j.Left), cells)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *PartitionJob) Check() error {
	switch n := len(j.Rows); {
	case len(j.Column) < end(j.Rows):
		return short("PartitionJob", "Column", len(j.Column), end(j.Rows))
	case len(j.Left) < n:
		return short("PartitionJob", "Left", len(j.Left), n)
	case len(j.Right) < n:
		return short("PartitionJob", "Right", len(j.Right), n)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing. A
// row without a class it leaves to the kernel, which panics with [ErrNoClass].
func (j *UpdateJob) Check() error {
	switch past := end(j.Rows); {
	case !goodStride(j.Stride):
		return badStride("UpdateJob", j.Stride)
	case len(j.Residuals) < past*j.Stride:
		return short("UpdateJob", "Residuals", len(j.Residuals), past*j.Stride)
	case len(j.Own) < past:
		return short("UpdateJob", "Own", len(j.Own), past)
	case len(j.Factors) < j.Stride:
		return short("UpdateJob", "Factors", len(j.Factors), j.Stride)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *CompareJob[T]) Check() error {
	switch n, rows := len(j.Thresholds), len(j.Values); {
	case rows&63 != 0 || rows > PredictRows:
		return bad("CompareJob", "len(Values)", rows, "a multiple of 64, up to 512")
	case uint(j.MissingLeft) > uint(n):
		return bad("CompareJob", "MissingLeft", j.MissingLeft, fmt.Sprintf("0 to %d, the thresholds", n))
	case n > 0 && len(j.Right) < (n-1)*PredictWords+rows/64:
		return short("CompareJob", "Right", len(j.Right), (n-1)*PredictWords+rows/64)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *MembersJob) Check() error {
	switch n, rows := len(j.Sets), len(j.Codes); {
	case rows&63 != 0 || rows > PredictRows:
		return bad("MembersJob", "len(Codes)", rows, "a multiple of 64, up to 512")
	case n > 0 && len(j.Right) < (n-1)*PredictWords+rows/64:
		return short("MembersJob", "Right", len(j.Right), (n-1)*PredictWords+rows/64)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *LeavesJob) Check() error {
	switch {
	case j.Words < 1 || j.Words > PredictWords:
		return bad("LeavesJob", "Words", j.Words, "1 to 8")
	case len(j.FirstCut) == 0:
		return short("LeavesJob", "FirstCut", 0, 1)
	case j.LeafStride < PredictRows:
		return bad("LeavesJob", "LeafStride", j.LeafStride, "512 or more")
	case len(j.FirstCut) == 1:
		return nil
	}
	most, last := 0, j.FirstCut[0]
	for t, next := range j.FirstCut[1:] {
		if next < last {
			return bad("LeavesJob", fmt.Sprintf("FirstCut[%d]", t+1), next, fmt.Sprintf("%d or more, as the one before it", last))
		}
		most, last = max(most, int(next-last)), next
	}
	sets, leaves := (most+2)*PredictWords, (len(j.FirstCut)-2)*j.LeafStride+PredictRows
	switch {
	case len(j.Cuts) < int(last):
		return short("LeavesJob", "Cuts", len(j.Cuts), int(last))
	case len(j.AtLeast) < sets:
		return short("LeavesJob", "AtLeast", len(j.AtLeast), sets)
	case len(j.Leaves) < leaves:
		return short("LeavesJob", "Leaves", len(j.Leaves), leaves)
	}
	return nil
}

// checkReached checks the leaves that rows reach in trees.
func checkReached(job string, rows, leafStride, trees int, leaves []uint16) error {
	switch {
	case rows < 0:
		return bad(job, "Rows", rows, "0 or more")
	case leafStride < rows:
		return bad(job, "LeafStride", leafStride, fmt.Sprintf("%d or more, the rows", rows))
	case trees > 0 && rows > 0 && len(leaves) < (trees-1)*leafStride+rows:
		return short(job, "Leaves", len(leaves), (trees-1)*leafStride+rows)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddStepsJob) Check() error {
	if err := checkStride("AddStepsJob", j.Classes, j.Stride); err != nil {
		return err
	}
	trees := len(j.FirstLeaf)
	err := checkReached("AddStepsJob", j.Rows, j.LeafStride, trees, j.Leaves)
	switch {
	case err != nil || trees == 0 || j.Rows == 0:
		return err
	case len(j.Steps) < j.Classes:
		return short("AddStepsJob", "Steps", len(j.Steps), j.Classes)
	case len(j.Scores) < (j.Rows-1)*j.Stride+j.Classes:
		return short("AddStepsJob", "Scores", len(j.Scores), (j.Rows-1)*j.Stride+j.Classes)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddShortJob) Check() error {
	if j.Classes < ShortLanes || j.Classes%ShortLanes != 0 {
		return bad("AddShortJob", "Classes", j.Classes, fmt.Sprintf("a multiple of %d", ShortLanes))
	}
	if j.Stride < j.Classes {
		return bad("AddShortJob", "Stride", j.Stride, fmt.Sprintf("%d or more, the classes", j.Classes))
	}
	trees := len(j.FirstLeaf)
	err := checkReached("AddShortJob", j.Rows, j.LeafStride, trees, j.Leaves)
	switch {
	case err != nil || trees == 0 || j.Rows == 0:
		return err
	case len(j.Steps) < j.Classes:
		return short("AddShortJob", "Steps", len(j.Steps), j.Classes)
	case len(j.Sums) < (j.Rows-1)*j.Stride+j.Classes:
		return short("AddShortJob", "Sums", len(j.Sums), (j.Rows-1)*j.Stride+j.Classes)
	}
	return nil
}

// checkStride checks the layout of rows that have a number for each class.
func checkStride(job string, classes, stride int) error {
	switch {
	case classes < 1:
		return bad(job, "Classes", classes, "1 or more")
	case stride < classes:
		return bad(job, "Stride", stride, fmt.Sprintf("%d or more, the classes", classes))
	}
	return nil
}

// checkSums checks that sums holds the given number of rows.
func checkSums(job string, sums []int32, rows, classes, stride int) error {
	if least := (rows-1)*stride + classes; rows > 0 && len(sums) < least {
		return short(job, "Sums", len(sums), least)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *ScoresJob) Check() error {
	if err := checkStride("ScoresJob", j.Classes, j.Stride); err != nil {
		return err
	}
	if len(j.Scores)%j.Classes != 0 {
		return bad("ScoresJob", "len(Scores)", len(j.Scores), fmt.Sprintf("a multiple of %d, the classes", j.Classes))
	}
	if len(j.First) < j.Classes {
		return short("ScoresJob", "First", len(j.First), j.Classes)
	}
	return checkSums("ScoresJob", j.Sums, len(j.Scores)/j.Classes, j.Classes, j.Stride)
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *BestJob) Check() error {
	if err := checkStride("BestJob", j.Classes, j.Stride); err != nil {
		return err
	}
	return checkSums("BestJob", j.Sums, len(j.Best), j.Classes, j.Stride)
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *LinearJob) Check() error {
	switch {
	case j.Terms < 0:
		return bad("LinearJob", "Terms", j.Terms, "0 or more")
	case j.Stride < Lanes || j.Stride%Lanes != 0:
		return bad("LinearJob", "Stride", j.Stride, fmt.Sprintf("a multiple of %d", Lanes))
	case j.Rows < 0:
		return bad("LinearJob", "Rows", j.Rows, "0 or more")
	case j.Rows == 0:
		return nil
	case len(j.Places) < j.Rows*j.Terms:
		return short("LinearJob", "Places", len(j.Places), j.Rows*j.Terms)
	case len(j.Weights) < j.Terms*j.Stride:
		return short("LinearJob", "Weights", len(j.Weights), j.Terms*j.Stride)
	case len(j.Bias) < j.Stride:
		return short("LinearJob", "Bias", len(j.Bias), j.Stride)
	case len(j.Scores) < j.Rows*j.Stride:
		return short("LinearJob", "Scores", len(j.Scores), j.Rows*j.Stride)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *ProductsJob) Check() error {
	switch {
	case j.Features < 0 || j.Features%4 != 0:
		return bad("ProductsJob", "Features", j.Features, "a multiple of 4")
	case len(j.Places) < j.Features*ProductRows:
		return short("ProductsJob", "Places", len(j.Places), j.Features*ProductRows)
	case len(j.Sums) < j.Features*j.Features:
		return short("ProductsJob", "Sums", len(j.Sums), j.Features*j.Features)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *AddPairsJob) Check() error {
	switch {
	case j.Pairs < 1:
		return bad("AddPairsJob", "Pairs", j.Pairs, "1 or more")
	case j.Stride < 1:
		return bad("AddPairsJob", "Stride", j.Stride, "1 or more")
	}
	trees := len(j.FirstLeaf)
	err := checkReached("AddPairsJob", j.Rows, j.LeafStride, trees, j.Leaves)
	switch {
	case err != nil || trees == 0 || j.Rows == 0:
		return err
	case len(j.Steps) < j.Pairs:
		return short("AddPairsJob", "Steps", len(j.Steps), j.Pairs)
	case len(j.Scores) < j.Rows*j.Stride:
		return short("AddPairsJob", "Scores", len(j.Scores), j.Rows*j.Stride)
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *SoftmaxJob) Check() error {
	switch {
	case j.Classes < 1:
		return bad("SoftmaxJob", "Classes", j.Classes, "1 or more")
	case len(j.Scores)%j.Classes != 0:
		return bad("SoftmaxJob", "len(Scores)", len(j.Scores), fmt.Sprintf("a multiple of %d, the classes", j.Classes))
	case !(j.Temperature >= 0):
		return bad("SoftmaxJob", "Temperature", j.Temperature, "above 0, or 0 for none")
	}
	return nil
}

// Check returns an error that names what is wrong with the job; nil: nothing.
func (j *WalkJob) Check() error {
	switch n := len(j.Depths); {
	case len(j.Walks) < n*WalkLanes:
		return short("WalkJob", "Walks", len(j.Walks), n*WalkLanes)
	case n == 0:
		return nil
	case len(j.Branches) == 0:
		return short("WalkJob", "Branches", 0, 1)
	case len(j.Keys) == 0:
		return short("WalkJob", "Keys", 0, 1)
	case len(j.Leaves) == 0:
		return short("WalkJob", "Leaves", 0, 1)
	}
	return nil
}
