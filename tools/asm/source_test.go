package main

import (
	"os"
	"strings"
	"testing"
)

// TestSources fails where make asm would change a file, or where a kernel has no
// benchmark.
func TestSources(t *testing.T) {
	t.Chdir("../..")
	if err := checkSources(); err != nil {
		t.Error(err)
	}
	benchmarks, err := os.ReadFile("kernel_bench_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, kernel := range kernels() {
		if !strings.Contains(string(benchmarks), `"`+kernel+"/") {
			t.Errorf("kernel_bench_test.go has no benchmark %s/LEVEL", kernel)
		}
	}
}

// TestEditedSources edits the assembly, and expects a message for each edit.
func TestEditedSources(t *testing.T) {
	t.Chdir("../..")
	for _, test := range []struct {
		source            source
		old, new          string // the first old is replaced
		message, message2 string
	}{
		{sources[0], "\tVPADDQ      D, G, G       \\ // G -= d", "\tVPADDQ      D, G, D       \\ // G -= d", "kernel_amd64.s:", "but make asm writes"},
		{sources[0], "//\tTotals   ", "//\tTotal    ", "kernel_amd64.s:", "but make asm writes"},
		{sources[0], "\tADDQ  SI, R", "\tADDQ SI, R", "kernel_amd64.s:", "but make asm writes"},
		{sources[0], "JZ   done", "JZ   2(PC)", "kernel_amd64.s:", "jump to a label"},
		{sources[0], "// Spill\n", "// Total\n", "kernel_amd64.s:", `"// Total" must begin with a kernel: Totals, Cross`},
		{sources[0], "// Spill\n", "// Scan\n", "kernel_amd64.s:", "spill8 must stand in the section of its kernel"},
		{sources[0], "// Spill\n", "// Totals\n", "kernel_amd64.s:", "Totals must come before SumBins"},
		{sources[0], "// func spill8(", "// spill8(", "kernel_amd64.s:", "there must be a comment '// func spill8(arguments)'"},
		{sources[1], "// begin generated: linear\n", "// begin generated: lines\n", "kernel_arm64.s", `has no region "linear"`},
		{sources[1], "// fcvtl v24.2d, v16.2s", "// fcvtl v25.2d, v16.2s", "kernel_arm64.s:", "but make asm writes"},
		{sources[1], "// func spill8(wideG", "// func spill8(wide", "kernel_gen_arm64.go:", "but make asm writes"},
	} {
		text, err := os.ReadFile(test.source.name)
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.Replace(string(text), test.old, test.new, 1)
		if edited == string(text) {
			t.Fatalf("%s has no %q", test.source.name, test.old)
		}
		if err := test.source.check(edited); err == nil || !strings.HasPrefix(err.Error(), test.message) || !strings.Contains(err.Error(), test.message2) {
			t.Errorf("%q: error %v, want %s … %s", test.new, err, test.message, test.message2)
		}
	}
}

// TestWords expects that a generated word is encoded as before, and a new one not
// at all.
func TestWords(t *testing.T) {
	old := "\tWORD $0x4e22d420 // fadd v0.4s, v1.4s, v2.4s\n"
	generated := "\tWORD $0x00000000 // fadd v0.4s, v1.4s, v2.4s\n\tWORD $0x00000000 // fadd v1.4s, v1.4s, v2.4s\n"
	if got, want := keepWords(generated, old), strings.Replace(generated, zero, "4e22d420", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
