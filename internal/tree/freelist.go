package tree

// take removes the last element of a free list, and returns it; zero: the list is empty.
func take[T any](free *[]T) (last T) {
	if n := len(*free); n > 0 {
		last, *free = (*free)[n-1], (*free)[:n-1]
	}
	return last
}
