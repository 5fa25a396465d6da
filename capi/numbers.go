//go:build cgo

package main

const (
	mostRows    = 1<<32 - 1
	mostCols    = 1<<31 - 1
	mostValues  = 1 << 48 // more than an address space holds
	mostThreads = 1 << 12
)

// narrow is an int64 as an int.
func narrow(name string, v int64) (int, error) {
	if int64(int(v)) != v {
		return 0, badArgument(name, v, "what fits a word of this machine")
	}
	return int(v), nil
}

// within checks a number.
func within(name string, v, least, most int64) error {
	if v < least || v > most {
		return badArgument(name, v, "%d to %d", least, most)
	}
	return nil
}

// threads is a number of threads, each of which is started.
func threads(v int64) (int, error) { return int(v), within("num_threads", v, 0, mostThreads) }
