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

func main() {}
