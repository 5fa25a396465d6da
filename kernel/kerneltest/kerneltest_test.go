package kerneltest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/libaoso/aoso/kernel"
)

// TestSuite gives the suite wrong kernels: none may pass.
func TestSuite(t *testing.T) {
	for _, wrong := range []struct {
		kernel, message string
		table           kernel.Funcs
	}{
		{"Totals", "Gradient[0] = ", kernel.Funcs{Totals: func(j *kernel.TotalsJob) {
			kernel.Totals(j)
			j.Gradient[0] = -j.Gradient[0]
		}}},
		{"Totals", "access outside Rows: ", kernel.Funcs{Totals: func(j *kernel.TotalsJob) {
			kernel.Totals(j)
			sink = *past(j.Rows)
		}}},
		{"Totals", "write to input Rows: ", kernel.Funcs{Totals: func(j *kernel.TotalsJob) {
			kernel.Totals(j)
			if len(j.Rows) > 0 {
				j.Rows[0] = 0
			}
		}}},
		{"Quantize", "write outside Cells: ", kernel.Funcs{Quantize: func(j *kernel.QuantizeJob) {
			kernel.Quantize(j)
			*past(j.Cells)++
		}}},
		{"Quantize", "0 values of Cells, want ", kernel.Funcs{Quantize: func(j *kernel.QuantizeJob) {
			kernel.Quantize(j)
			j.Kept = 0
		}}},
		{"Scan", "Bin[0] = ", kernel.Funcs{Scan: func(j *kernel.ScanJob) {
			kernel.Scan(j)
			j.Bin[0]++
		}}},
		{"Partition", "panic: ", kernel.Funcs{Partition: func(j *kernel.PartitionJob) {
			panic("wrong")
		}}},
	} {
		messages := failures(wrong.kernel, &wrong.table)
		if !slices.ContainsFunc(messages, func(m string) bool { return strings.HasPrefix(m, wrong.message) }) {
			t.Errorf("%s: no failure %q, but %q", wrong.kernel, wrong.message, messages)
		}
	}
}

// TestEveryKernel looks for kernels that the suite leaves out.
func TestEveryKernel(t *testing.T) {
	table := reflect.TypeFor[kernel.Funcs]()
	for i := range table.NumField() {
		field := table.Field(i)
		tested := slices.ContainsFunc(suites, func(s suite) bool { return s.name == field.Name })
		if field.Type.Kind() == reflect.Func && !tested {
			t.Errorf("%s has no test", field.Name)
		}
	}
}

// TestRefusals gives the suite a table that does not check, and looks for
// kernels without bad jobs.
func TestRefusals(t *testing.T) {
	jobs := map[string]int{}
	for _, r := range allRefusals() {
		jobs[r.kernel]++
		unchecked := kernel.Funcs{Softmax: func(*kernel.SoftmaxJob) {}}
		if r.kernel == "Softmax" && (r.refuse(&unchecked) == "") != (r.message == "") {
			t.Errorf("a kernel that does not check passes %q", r.message)
		}
	}
	for _, s := range suites {
		if jobs[s.name] < 2 {
			t.Errorf("%s: no bad jobs", s.name)
		}
	}
}

// failures returns the suite's messages on small jobs.
func failures(name string, f *kernel.Funcs) (messages []string) {
	for _, s := range suites {
		if s.name != name {
			continue
		}
		for i, shape := range s.shapes() {
			if shape.rows > 20 {
				break
			}
			if m := try(f, s.trial(newDice(uint64(i), 0xa050), shape), uint64(i)); m != "" {
				messages = append(messages, m)
			}
		}
	}
	return messages
}

var sink uint32

// past returns the first element after a slice.
func past[T any](s []T) *T {
	var zero T
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), len(s)*int(unsafe.Sizeof(zero))))
}
