package mem

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Machine is the memory, in bytes, of the machine or of the process's cgroup.
var Machine = sync.OnceValue(func() float64 {
	most := float64(unlimited)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		most = (float64(info.Totalram) + float64(info.Totalswap)) * float64(info.Unit)
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit := numbers(file); len(limit) > 0 {
			most = min(most, limit[0])
		}
	}
	return most
})

// Left is the memory, in bytes, that the limits of the process, RLIMIT_AS and
// RLIMIT_DATA, leave, with what Go has and does not use.
func Left() float64 {
	const arena = 64 << 20 // the steps in which Go takes address space
	left := float64(unlimited)
	pages := numbers("/proc/self/statm") // of all memory …, of data, …
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

// numbers is the numbers in a file, up to what is none.
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
