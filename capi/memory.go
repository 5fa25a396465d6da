package main

// #include "shim.h"
import "C"

import (
	"os"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/libaoso/aoso"
)

const (
	// bytesAColumn is what the least of columns takes: its name and bins.
	bytesAColumn = 256
	// bytesALabel is what a label takes: itself, its code and the class's.
	bytesALabel = 8 + 4 + 4
	// arena is the steps in which Go takes address space.
	arena = 64 << 20
)

// machineMemory is the memory that the process could have at the most.
var machineMemory = sync.OnceValue(func() float64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 1 << 62
	}
	most := (float64(info.Totalram) + float64(info.Totalswap)) * float64(info.Unit)
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit, err := os.ReadFile(file); err == nil {
			if bytes, err := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64); err == nil {
				most = min(most, bytes)
			}
		}
	}
	return most
})

// left is what the limits of the process, RLIMIT_AS and RLIMIT_DATA, leave
// for more memory, with that which Go has and does not use.
func left() float64 {
	var space, data unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &space) != nil || unix.Getrlimit(unix.RLIMIT_DATA, &data) != nil ||
		space.Cur == unix.RLIM_INFINITY && data.Cur == unix.RLIM_INFINITY {
		return 1 << 62
	}
	text, err := os.ReadFile("/proc/self/statm")
	pages := strings.Fields(string(text))
	if err != nil || len(pages) < 6 {
		return 1 << 62
	}
	after := func(limit uint64, pages string) float64 {
		n, _ := strconv.ParseFloat(pages, 64)
		return float64(limit) - n*float64(os.Getpagesize())
	}
	unused := []runtimemetrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(unused)
	return min(after(space.Cur, pages[0]), after(data.Cur, pages[5])) - arena +
		float64(unused[0].Value.Uint64()) + float64(unused[1].Value.Uint64())
}

// affordable tells whether the process can have so much memory. Go ends it
// when memory runs out, so what cannot be is refused before.
func affordable(name string, bytes float64) error {
	const little = 1 << 20 // which is not worth asking for
	if denied() {
		return outOfMemory("%s takes %.3g GB; a test denies them", name, bytes/1e9)
	}
	if most := machineMemory(); bytes > most {
		return outOfMemory("%s takes %.3g GB; the machine has %.3g GB", name, bytes/1e9, most/1e9)
	}
	if bytes < little || bytes < left() {
		return nil
	}
	runtime.GC()
	if most := left(); bytes > most {
		return outOfMemory("%s takes %.3g GB; the limits of the process (RLIMIT_AS, RLIMIT_DATA) leave %.3g GB", name, bytes/1e9, max(most, 0)/1e9)
	}
	return nil
}

//export goaoso_estimate_memory
func goaoso_estimate_memory(rows, features, classes, validRows C.int64_t, maxBins C.int32_t, params *C.aoso_params, out *C.aoso_memory) C.aoso_status {
	return try(func() error {
		if err := checkOut("out", out); err != nil {
			return err
		}
		p, err := readParams(params)
		if err != nil {
			return err
		}
		for _, n := range []struct {
			name               string
			value, least, most int64
		}{
			{"rows", int64(rows), 1, mostRows},
			{"features", int64(features), 1, min(mostCols, mostValues/int64(max(rows, 1)))},
			{"classes", int64(classes), 1, aoso.MaxClasses},
			{"valid_rows", int64(validRows), 0, min(mostRows, mostValues/int64(max(features, 1)))},
			{"max_bins", int64(maxBins), 0, 255},
		} {
			if err := within(n.name, n.value, n.least, n.most); err != nil {
				return err
			}
		}
		e, err := aoso.Estimate(aoso.Shape{
			Rows: int(rows), Features: int(features), Classes: int(classes), ValidRows: int(validRows), MaxBins: int(maxBins),
		}, p)
		if err != nil {
			return err
		}
		writeStruct(out, C.aoso_memory{
			matrix:     C.int64_t(e.Matrix),
			sparse:     C.int64_t(e.Sparse),
			residuals:  C.int64_t(e.Residuals),
			rows:       C.int64_t(e.Rows),
			histograms: C.int64_t(e.Histograms),
			quantizing: C.int64_t(e.Quantizing),
			total:      C.int64_t(e.Total),
		})
		return nil
	})
}
