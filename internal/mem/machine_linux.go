package mem

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Machine returns the memory of the machine in bytes, swap included, or the
// limit of the process's cgroup if that is lower.
var Machine = sync.OnceValue(func() float64 {
	total := float64(unlimited)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		total = (float64(info.Totalram) + float64(info.Totalswap)) * float64(info.Unit)
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit := numbers(file); len(limit) > 0 {
			total = min(total, limit[0])
		}
	}
	return total
})

// Left returns how many more bytes the process may use under RLIMIT_AS and
// RLIMIT_DATA. Memory that Go holds but does not use counts as available.
func Left() float64 {
	const arena = 64 << 20 // Go reserves address space in units of this size
	left := float64(unlimited)
	pages := numbers("/proc/self/statm") // field 0: all memory; field 5: data
	for limit, field := range map[int]int{unix.RLIMIT_AS: 0, unix.RLIMIT_DATA: 5} {
		var l unix.Rlimit
		if unix.Getrlimit(limit, &l) == nil && l.Cur < unlimited && field < len(pages) {
			left = min(left, float64(l.Cur)-pages[field]*float64(os.Getpagesize())-arena)
		}
	}
	if left == unlimited {
		return left
	}
	unused := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(unused)
	return max(left+float64(unused[0].Value.Uint64())+float64(unused[1].Value.Uint64()), 0)
}

// numbers returns the numbers at the start of a file.
func numbers(file string) (numbers []float64) {
	text, _ := os.ReadFile(file)
	for _, field := range strings.Fields(string(text)) {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			break
		}
		numbers = append(numbers, v)
	}
	return numbers
}
