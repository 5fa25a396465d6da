// Package bench measures the library: training by level of the instruction
// set and number of threads, building datasets, prediction, reading models
// and what a call costs.
//
//	go test -bench . ./bench/...
//
// The names are of the form key=value that benchstat reads; make bench prints
// the levels side by side. The kernels by themselves, with their floors, are
// benchmarked beside them: go test -bench Kernels .
//
// Folder peers has the comparison with other libraries, folder paper the
// tables of the paper.
package bench
