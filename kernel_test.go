package aoso

import (
	"bufio"
	"cmp"
	"flag"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/libaoso/aoso/kernel/kerneltest"
)

func TestLevels(t *testing.T) {
	for _, l := range levels {
		t.Run(l.Level, func(t *testing.T) { kerneltest.Run(t, l) })
	}
}

// TestLevelsExpected fails where a level that this machine should have is
// missing: a level that did not run must not pass.
func TestLevelsExpected(t *testing.T) {
	got := Levels()
	t.Logf("levels on this machine: %s", strings.Join(got, ", "))
	if want := expectedLevels(t); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
}

func expectedLevels(t *testing.T) (names []string) {
	if !pureGo {
		switch runtime.GOARCH {
		case "amd64":
			names = amd64Levels(t)
		case "arm64":
			names = []string{"neon"}
		}
	}
	return append(names, "generic")
}

// amd64Levels asks the operating system, not the library that levels asks.
func amd64Levels(t *testing.T) (names []string) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/cpuinfo to compare with")
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var flags []string
	for s := bufio.NewScanner(f); s.Scan() && flags == nil; {
		if name, list, _ := strings.Cut(s.Text(), ":"); strings.TrimSpace(name) == "flags" {
			flags = strings.Fields(list)
		}
	}
	has := func(wanted ...string) bool {
		return !slices.ContainsFunc(wanted, func(f string) bool { return !slices.Contains(flags, f) })
	}
	if has("avx512f", "avx512bw", "avx512dq", "avx512vl") {
		names = append(names, "avx512")
	}
	if has("avx2") {
		names = append(names, "avx2")
	}
	return names
}

var (
	randomJobs = flag.Uint64("random-jobs", 200, "random `jobs` for each kernel of each level")
	randomSeed = flag.Uint64("random-seed", 0, "`seed` of the first of them; 0: a different one each time")
)

func TestRandomJobs(t *testing.T) {
	first := cmp.Or(*randomSeed, rand.Uint64()>>1)
	ran := uint64(0)
	for _, l := range levels {
		t.Run(l.Level, func(t *testing.T) { ran += kerneltest.Random(t, l, first, *randomJobs) })
	}
	t.Logf("%d random jobs, seeds from %d on", ran, first)
}
