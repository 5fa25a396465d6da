package kernel

// Histogram implements [Funcs.Histogram] in plain Go.
func Histogram(j *HistogramJob) {
	m := j.Pairs
	n := len(j.Cells) / m
	c := 0
	if m == 1 {
		for ; c+4 <= j.Count; c += 4 {
			j.fourColumns(c)
		}
	}
	for ; c < j.Count; c++ {
		column, histogram := j.Columns[c], j.Histograms[c]
		for i := range n {
			row := j.First + i
			if j.Rows != nil {
				row = int(j.Rows[i])
			}
			bin := histogram[int(column[row])*TileLanes:][:m]
			for p, cell := range j.Cells[i*m:][:m] {
				bin[p] += cell
			}
		}
	}
}

// fourColumns shares the loads of row and gradient among four columns.
func (j *HistogramJob) fourColumns(c int) {
	c0, c1, c2, c3 := j.Columns[c], j.Columns[c+1], j.Columns[c+2], j.Columns[c+3]
	h0, h1, h2, h3 := j.Histograms[c], j.Histograms[c+1], j.Histograms[c+2], j.Histograms[c+3]
	if j.Rows == nil {
		last := j.First + len(j.Cells)
		c0, c1, c2, c3 = c0[j.First:last], c1[j.First:last], c2[j.First:last], c3[j.First:last]
		for i, cell := range j.Cells {
			h0[int(c0[i])*TileLanes] += cell
			h1[int(c1[i])*TileLanes] += cell
			h2[int(c2[i])*TileLanes] += cell
			h3[int(c3[i])*TileLanes] += cell
		}
		return
	}
	for i, row := range j.Rows[:len(j.Cells)] {
		cell := j.Cells[i]
		h0[int(c0[row])*TileLanes] += cell
		h1[int(c1[row])*TileLanes] += cell
		h2[int(c2[row])*TileLanes] += cell
		h3[int(c3[row])*TileLanes] += cell
	}
}

// Sparse implements [Funcs.Sparse] in plain Go.
func Sparse(j *SparseJob) {
	m := j.Pairs
	for i, row := range j.Rows {
		cells := j.Cells[i*m:][:m]
		for _, entry := range j.Entries[j.First[row]:j.First[row+1]] {
			bin := j.Histogram[int(entry)*m:][:m]
			for p, cell := range cells {
				bin[p] += cell
			}
		}
	}
}

// SumBins implements [Funcs.SumBins] in plain Go.
func SumBins(sums, cells []int64) {
	must(checkSumBins(sums, cells))
	clear(sums)
	for ; len(cells) > 0; cells = cells[len(sums):] {
		for i, cell := range cells[:len(sums)] {
			sums[i] += cell
		}
	}
}

// Spill implements [Funcs.Spill] in plain Go.
func Spill(wideG, wideH, narrow []int64) {
	wideG, wideH = wideG[:len(narrow)], wideH[:len(narrow)]
	for i, cell := range narrow {
		g, h := unpack(cell)
		wideG[i] += g
		wideH[i] += h
	}
	clear(narrow)
}

// Subtract implements [Funcs.Subtract] in plain Go.
func Subtract(dst, minuend, subtrahend []int64) {
	minuend, subtrahend = minuend[:len(dst)], subtrahend[:len(dst)]
	for i := range dst {
		dst[i] = minuend[i] - subtrahend[i]
	}
}

// unpack splits a cell. The low half is never negative, so it borrows nothing
// from the high half.
func unpack(cell int64) (g, h int64) {
	return cell >> 32, cell & (1<<32 - 1)
}
