//go:build !linux

package mem

// Machine returns the memory of the machine in bytes. It is unknown on this
// system.
func Machine() float64 { return unlimited }

// Left returns how many more bytes the process may use. It is unknown on this
// system.
func Left() float64 { return unlimited }
