package sim

// ordered is what a heap of small values needs.
type ordered[T any] interface {
	*T
	before(*T) bool
}

// pushHeap adds x to a binary heap whose first element is the least.
func pushHeap[T any, P ordered[T]](h []T, x T) []T {
	h = append(h, x) // compared in place: a pointer to x itself would cost an allocation
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !P(&h[i]).before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	return h
}

// popHeap removes the first element of a heap that is not empty.
func popHeap[T any, P ordered[T]](h []T) (first T, rest []T) {
	first = h[0]
	n := len(h) - 1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && P(&h[c+1]).before(&h[c]) {
			c++
		}
		if !P(&h[c]).before(&h[i]) {
			break
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
	return first, h
}
