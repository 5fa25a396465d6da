//go:build !linux

package mem

// Machine is the memory, in bytes, that the process could have at the most:
// not known here.
func Machine() float64 { return unlimited }
