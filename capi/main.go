// Package main is the C library: every function of include/aoso.h. shim.c
// owns their names and calls the exports of this package, which check what
// they are given and call the public Go API.
package main

/*
#cgo CFLAGS: -std=c11 -O2 -Wall -fvisibility=hidden -I${SRCDIR}/include
#cgo LDFLAGS: -lpthread -Wl,--wrap=pthread_create -Wl,-z,relro -Wl,-z,now
#include "shim.h"
*/
import "C"

func main() {}
