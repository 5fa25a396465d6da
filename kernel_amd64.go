//go:build !purego

package aoso

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/libaoso/aoso/kernel"
)

func cpuLevels() (levels []*kernel.Funcs) {
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL) {
		levels = append(levels, &avx512)
	}
	if cpuid.CPU.Supports(cpuid.AVX2) {
		levels = append(levels, &avx2)
	}
	return levels
}

// A kernel that assembly does not speed up is the reference itself.
var (
	avx512 = withLevel("avx512")
	avx2   = withLevel("avx2")
)

func withLevel(name string) kernel.Funcs {
	f := *kernel.Generic
	f.Level = name
	return f
}
