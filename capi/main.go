// Package main is the C library: all functions of include/aoso.h. shim.c
// defines them and calls the exports of this package. The exports check their
// arguments and call the public Go API.
package main

/*
#cgo CFLAGS: -std=c11 -O2 -Wall -fvisibility=hidden -I${SRCDIR}/include
#cgo LDFLAGS: -lpthread -Wl,--wrap=pthread_create -Wl,-z,relro -Wl,-z,now
#include "shim.h"
*/
import "C"

import (
	"os"
	"runtime/debug"
)

func main() {}

// Training makes large temporary arrays if there are many classes. Collecting them earlier costs hardly any time: 2,000 classes then
// need 1.4 instead of 1.5 GB.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(40)
	}
}
