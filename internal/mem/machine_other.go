//go:build !linux

package mem

// Machine is the memory, in bytes, of the machine: not known here.
func Machine() float64 { return unlimited }

// Left is the memory, in bytes, that the limits of the process leave: not
// known here.
func Left() float64 { return unlimited }
