// Package bench measures the library: training by level of the instruction
// set and number of threads, building datasets, and prediction.
//
//	go test -bench . ./bench/...
//
// Its results go into benchstat; the kernels by themselves, with their floors,
// are benchmarked beside them: go test -bench Kernels .
package bench
