package kerneltest

import (
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// partitionShapes use classes for the number of bins.
func partitionShapes() (shapes []shape) {
	for _, rows := range rowCounts {
		for _, bins := range []int{1, 2, 16, 255, 256} {
			for range min(16, 1+40000/(rows+1)) {
				shapes = append(shapes, shape{rows: rows, classes: bins})
			}
		}
	}
	return shapes
}

func partition(d dice, s shape) call {
	rows, total := d.rows(s.rows)
	lead := d.lead(total, 1)
	shifted(rows, lead)
	column := d.codes(total, s.classes)
	bin := uint8(pick(d, 0, 1, s.classes-1, d.IntN(s.classes), d.IntN(256), 255))
	missingLeft, sameRows := d.yes(), d.yes()
	var set [][4]uint64
	if d.yes() {
		set = [][4]uint64{d.set()}
	}
	return func(f *kernel.Funcs, m *memory) {
		job := kernel.PartitionJob{
			Column:      inputAfter(m, "Column", lead, column),
			Bin:         bin,
			MissingLeft: missingLeft,
			Set:         unsafe.SliceData(input(m, "Set", set)),
			Right:       output[uint32](m, "Right", len(rows)),
		}
		if sameRows {
			job.Left = inout(m, "Left", rows)
			job.Rows = job.Left
		} else {
			job.Rows = input(m, "Rows", rows)
			job.Left = output[uint32](m, "Left", len(rows))
		}
		f.Partition(&job)
		m.define("Left", job.NumLeft)
		m.define("Right", len(rows)-job.NumLeft)
		result(m, "NumLeft", job.NumLeft)
	}
}
