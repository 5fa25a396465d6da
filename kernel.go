package aoso

import "github.com/libaoso/aoso/kernel"

// kernels is the table of kernels for this CPU.
func kernels() *kernel.Funcs { return kernel.Generic }
