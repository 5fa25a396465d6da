package aoso

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
	"unique"
	"unsafe"

	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/modelio"
)

// Labels are the classes of the rows, as text that each class has once, in 8
// bytes a row. Any set of values will do; integers and their decimal strings
// are the same labels. Labels can be sliced and appended to one another.
//
// A model has its classes in order: by value if all are numbers, else by their
// bytes.
type Labels []unique.Handle[string]

// Integer is the type of integer labels.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// IntLabels returns labels given as integers.
func IntLabels[T Integer](y []T) Labels {
	return labelsOf(y, func(v T) string { return fmt.Sprintf("%d", v) })
}

// StringLabels returns labels given as strings, none of them empty.
func StringLabels(y []string) Labels {
	return labelsOf(y, func(s string) string { return s })
}

// FloatLabels returns labels given as numbers. Whole ones are the labels that
// [IntLabels] makes of integers, others their shortest decimals. NaN and the
// infinities are an error, which names the row.
func FloatLabels[T ~float32 | ~float64](y []T) (Labels, error) {
	for i, v := range y {
		if v-v != 0 {
			return nil, badArgument(fmt.Sprintf("labels[%d]", i), v, "finite numbers")
		}
	}
	return labelsOf(y, func(v T) string {
		format, digits, x := byte('f'), -1, float64(v)+0 // of two zeros one
		if x == math.Trunc(x) {
			digits = 0
		} else if math.Abs(x) < 1e-4 {
			format = 'e'
		}
		return strconv.FormatFloat(x, format, digits, 8*int(unsafe.Sizeof(v)))
	}), nil
}

// CodedLabels returns labels given as positions in names: label i is
// names[codes[i]]. A code that is no position is an error, which names the
// row.
func CodedLabels[T Integer](codes []T, names []string) (Labels, error) {
	known := StringLabels(names)
	labels := make(Labels, len(codes))
	for i, code := range codes {
		if code < 0 || uint64(code) >= uint64(len(known)) {
			return nil, badArgument(fmt.Sprintf("codes[%d]", i), code, "at least 0 and below %d, the number of names", len(known))
		}
		labels[i] = known[code]
	}
	return labels, nil
}

func labelsOf[T comparable](y []T, text func(T) string) Labels {
	labels := make(Labels, len(y))
	known := map[T]unique.Handle[string]{}
	for i, v := range y {
		label, ok := known[v]
		if !ok {
			label = unique.Make(text(v))
			known[v] = label
		}
		labels[i] = label
	}
	return labels
}

// Unknown counts the labels that are none of the given classes, such as those of a
// model. Classes are compared as strings: True is not 1.
func (y Labels) Unknown(classes []string) int {
	t := data.NewTarget(y, classes)
	return t.Unknown
}

// checkKnown returns an error if the classes of all rows are unknown, which is a
// mistake: labels True and False, say, for a model of the classes 0 and 1.
func checkKnown(labels Labels, t *data.Target) error {
	if t.Unknown == 0 || t.Unknown < len(labels) {
		return nil
	}
	return unknownLabels(t.Unknown, labels[0].Value(), t.Classes)
}

func unknownLabels(rows int, label string, classes []string) error {
	return badArgument("labels", fmt.Sprintf("%d rows of unknown classes (such as %s)", rows, label), "at least one row of the known classes: %s", listed(classes))
}

// check returns an error unless there is a label in each of this many rows.
func (y Labels) check(rows int) error {
	if len(y) != rows {
		return badArgument("labels", len(y), "%d, one for each row", rows)
	}
	none, empty := unique.Handle[string]{}, unique.Make("")
	for i, label := range y {
		if label == none || label == empty {
			return badArgument("labels", "", "a label in every row, also in row %d", i)
		}
	}
	return nil
}

// classes returns the distinct labels in order: by value if all are numbers, unless they
// are texts all the same, else by their bytes.
func (y Labels) classes(texts bool) ([]string, error) {
	classes := data.Classes(y, texts)
	if len(classes) > modelio.MaxClasses {
		return nil, badArgument("labels", fmt.Sprintf("%d classes", len(classes)), "at most %d classes", modelio.MaxClasses)
	}
	for _, class := range classes {
		if !utf8.ValidString(class) {
			return nil, badArgument("labels", class, "text in UTF-8")
		}
	}
	return classes, nil
}
