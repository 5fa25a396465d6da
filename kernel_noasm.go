//go:build purego || !(amd64 || arm64)

package aoso

import "github.com/libaoso/aoso/kernel"

func cpuLevels() []*kernel.Funcs { return nil }
