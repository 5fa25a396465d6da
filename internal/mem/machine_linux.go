package mem

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Machine is the memory, in bytes, that the process could have at the most:
// that of the machine or of its cgroup, or what its limits leave.
var Machine = sync.OnceValue(func() float64 {
	most := float64(unlimited)
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		most = (float64(info.Totalram) + float64(info.Totalswap)) * float64(info.Unit)
	}
	if limit := numbers("/sys/fs/cgroup/memory.max"); len(limit) > 0 {
		most = min(most, limit[0])
	}
	// Much of the address space is taken when Go has started; of the rest, what
	// Go has once had stays taken, so about half can be in use.
	pages := numbers("/proc/self/statm") // of all memory …, of data, …
	for limit, field := range map[int]int{unix.RLIMIT_AS: 0, unix.RLIMIT_DATA: 5} {
		var l unix.Rlimit
		if unix.Getrlimit(limit, &l) == nil && l.Cur < unlimited && field < len(pages) {
			most = min(most, max(0, float64(l.Cur)-pages[field]*float64(os.Getpagesize()))/2)
		}
	}
	return most
})

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
