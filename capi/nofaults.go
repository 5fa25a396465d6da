//go:build cgo && !faults

package main

import "github.com/libaoso/aoso"

// What the test build adds in faults.go is nothing in the library.

func checkpoint(place)                      {}
func denied() bool                          { return false }
func watched(x aoso.Features) aoso.Features { return x }
