package kernel

// Partition implements [Funcs.Partition] in plain Go.
func Partition(j *PartitionJob) {
	if j.Set != nil {
		partitionBySet(j)
		return
	}
	left, right := j.Left[:len(j.Rows)], j.Right[:len(j.Rows)]
	// Shifted by one, the missing code 0 becomes 255, and no Bin reaches it.
	shift := uint8(1)
	if j.MissingLeft {
		shift = 0
	}
	end := int(j.Bin) + 1 - int(shift)
	nl, nr := 0, 0
	for _, row := range j.Rows {
		// Both stores happen, one of them counts: no branch to mispredict.
		left[nl], right[nr] = row, row
		var goesLeft int
		if int(j.Column[row]-shift) < end {
			goesLeft = 1
		}
		nl += goesLeft
		nr += 1 - goesLeft
	}
	j.NumLeft = nl
}

func partitionBySet(j *PartitionJob) {
	left, right := j.Left[:len(j.Rows)], j.Right[:len(j.Rows)]
	set := *j.Set
	nl, nr := 0, 0
	for _, row := range j.Rows {
		left[nl], right[nr] = row, row
		code := j.Column[row]
		goesLeft := int(set[code/64] >> (code % 64) & 1)
		nl += goesLeft
		nr += 1 - goesLeft
	}
	j.NumLeft = nl
}
