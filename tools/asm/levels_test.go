package main

import (
	"strings"
	"testing"
)

func TestLevelsTable(t *testing.T) {
	const lines = `goos: linux
BenchmarkKernels/Floor/ReadModifyWrite-2  	 100	 0.5 ns/row*feature
BenchmarkKernels/Scan/avx512/784x256/pairs4-2  	     1	         1.0 ns/bin
BenchmarkKernels/Scan/avx2/784x256/pairs4-2  	     1	         5 ns/bin
BenchmarkKernels/Scan/avx2/784x256/pairs4-2  	     1	         4 ns/bin
BenchmarkKernels/Scan/generic/784x256/pairs4-2  	     1	         40 ns/bin
BenchmarkKernels/Spill/avx2  	     1	         2 ns/bin
BenchmarkKernels/Spill/generic  	     1	         3 ns/bin
`
	var b strings.Builder
	if err := writeLevels(&b, lines); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := `kernel unit avx512 avx2 neon generic
Scan/784x256/pairs4 ns/bin 1 4 - 40 <- avx2 takes 4.00 x avx512
Spill ns/bin - 2 - 3 <- avx2 is only 1.50 x generic`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	if writeLevels(&b, "PASS\n") == nil {
		t.Error("no error for a file without benchmarks")
	}
}
