// Command levels prints a line for each instruction-set level that exists on
// this architecture but that this CPU does not support. The tests did not run
// the kernels of these levels.
package main

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/libaoso/aoso"
)

// extensions lists the levels of each architecture with the CPU extension that
// they need.
var extensions = map[string][][2]string{
	"amd64": {{"avx512", "AVX-512"}, {"avx2", "AVX2"}},
	"arm64": {{"neon", "NEON"}},
}

func main() {
	for _, level := range extensions[runtime.GOARCH] {
		if !slices.Contains(aoso.Levels(), level[0]) {
			fmt.Printf("make test: %s not run here (this CPU has no %s)\n", level[0], level[1])
		}
	}
}
