package main

// #include "shim.h"
import "C"

import (
	"encoding/json"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/internal/forc"
	"github.com/libaoso/aoso/internal/par"
)

//export goaoso_build_info
func goaoso_build_info(buffer *C.char, size C.size_t, needed *C.size_t) C.aoso_status {
	return try(func() error {
		level, err := forc.DefaultLevel()
		if err != nil {
			return err
		}
		info, err := json.Marshal(struct {
			Version string   `json:"version"`
			ABI     int      `json:"abi"`
			Go      string   `json:"go"`
			Level   string   `json:"level"`
			Levels  []string `json:"levels"`
			CPU     string   `json:"cpu"`
			Threads int      `json:"threads"`
		}{
			C.GoString(C.aoso_version_string()), C.AOSO_ABI_VERSION, runtime.Version(),
			level, aoso.Levels(), cpuid.CPU.BrandName, par.Available(),
		})
		if err != nil {
			return err
		}
		return putText(string(info), buffer, size, needed)
	})
}
