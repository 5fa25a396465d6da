//go:build !purego

package aoso

import "github.com/libaoso/aoso/kernel"

func cpuLevels() []*kernel.Funcs { return nil }
