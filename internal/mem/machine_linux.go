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
	if bytes, ok := firstNumber("/sys/fs/cgroup/memory.max"); ok {
		most = min(most, bytes)
	}
	// Much of the address space is taken when Go has started.
	pages, _ := firstNumber("/proc/self/statm")
	for _, limit := range []int{unix.RLIMIT_AS, unix.RLIMIT_DATA} {
		var l unix.Rlimit
		if unix.Getrlimit(limit, &l) == nil && l.Cur < unlimited {
			most = min(most, max(0, float64(l.Cur)-pages*float64(os.Getpagesize())))
		}
	}
	return most
})

// firstNumber is the number that a file begins with.
func firstNumber(file string) (float64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(fields[0], 64)
	return v, err == nil
}
