// Package hash makes numbers that look random and depend on nothing but their
// arguments, in place of draws that depend on an order.
package hash

// Mix is a number that looks random, another for every x (S. Vigna's splitmix64).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Row is a number that looks random, another for every row.
func Row(seed uint64, row int) uint64 { return Mix(seed + uint64(row)*0x9e3779b97f4a7c15) }
