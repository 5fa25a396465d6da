package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

var benchLine = regexp.MustCompile(`^BenchmarkKernels/(\w+)/(generic|avx2|avx512|neon)((?:/\S+?)?)(?:-\d+)?\s+\d+\s+(\S+) (ns/\S+)`)

// compareLevels prints the output of BenchmarkKernels, read from a file, as a
// table with the levels side by side. Each time is the fastest of its runs.
func compareLevels(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return writeLevels(os.Stdout, string(text))
}

func writeLevels(w io.Writer, text string) error {
	times := map[string]map[string]float64{} // by kernel and level
	var kernels []string
	for line := range strings.SplitSeq(text, "\n") {
		m := benchLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		t, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		kernel, level := m[1]+m[3]+"\t"+m[5], m[2]
		if times[kernel] == nil {
			times[kernel] = map[string]float64{}
			kernels = append(kernels, kernel)
		}
		if least, ok := times[kernel][level]; !ok || t < least {
			times[kernel][level] = t
		}
	}
	if len(kernels) == 0 {
		return fmt.Errorf("the file has no results of BenchmarkKernels")
	}
	slices.Sort(kernels)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	levels := []string{"avx512", "avx2", "neon", "generic"}
	fmt.Fprintf(table, "kernel\tunit\t%s\t\n", strings.Join(levels, "\t"))
	for _, kernel := range kernels {
		fmt.Fprint(table, kernel)
		for _, level := range levels {
			if t, ok := times[kernel][level]; ok {
				fmt.Fprintf(table, "\t%.3g", t)
			} else {
				fmt.Fprint(table, "\t-")
			}
		}
		fmt.Fprintf(table, "\t %s\n", mark(times[kernel]))
	}
	return table.Flush()
}

// mark returns a remark if AVX2 is slow compared with the other levels.
func mark(times map[string]float64) string {
	avx2, ok := times["avx2"]
	if !ok {
		return ""
	}
	var marks []string
	if generic, ok := times["generic"]; ok && generic < 2*avx2 {
		marks = append(marks, fmt.Sprintf("<- avx2 is only %.2f x generic", generic/avx2))
	}
	if avx512, ok := times["avx512"]; ok && avx2 > 3*avx512 {
		marks = append(marks, fmt.Sprintf("<- avx2 takes %.2f x avx512", avx2/avx512))
	}
	return strings.Join(marks, " ")
}
