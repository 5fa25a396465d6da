package aoso

import (
	"os"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/libaoso/aoso/kernel"
)

// levels holds the kernel tables that this CPU can run, the fastest first.
var levels = append(cpuLevels(), kernel.Generic)

// Levels returns the names of the instruction-set levels that this CPU can
// run, the fastest first: of "avx512", "avx2", "neon" and "generic". A model
// is the same at every level.
func Levels() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.Level
	}
	return names
}

// kernels returns the table of a level. Without a level, the environment variable
// AOSO_LEVEL names it; if that is not set either, it is the fastest.
func kernels(level string) (*kernel.Funcs, error) {
	name := "level"
	if level == "" {
		level, name = os.Getenv("AOSO_LEVEL"), "AOSO_LEVEL"
	}
	if level == "" {
		return levels[0], nil
	}
	for _, l := range levels {
		if l.Level == level {
			return l, nil
		}
	}
	return nil, badArgument(name, level, "%s on this CPU", strings.Join(Levels(), ", "))
}

func defaultLevel() (string, error) {
	k, err := kernels("")
	if err != nil {
		return "", err
	}
	return k.Level, nil
}

// predictionBytes returns the most memory for the steps of trees that predict
// together: a quarter of the second-level cache.
func predictionBytes() int {
	const common = 512 << 10
	l2 := cpuid.CPU.Cache.L2
	if l2 <= 0 {
		l2 = common
	}
	return l2 / 4
}

// cacheBytes returns the most memory for histograms that are filled together: two
// thirds of the first-level cache. The rest is for the rows.
func cacheBytes() int {
	const common = 48 << 10
	l1 := cpuid.CPU.Cache.L1D
	if l1 <= 0 {
		l1 = common
	}
	return l1 / 3 * 2
}
