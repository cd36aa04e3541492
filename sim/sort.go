package sim

import "math/bits"

// sort puts the run in order. It is mostly a handful of events; a long one lies on a single instant, mostly in order
// already, because equal waits come out in the order they went in.
func (g *agenda) sort() {
	g.sorted = true
	run := g.run
	if len(run) <= runMost {
		insertionSort(run)
		return
	}
	for i := 1; i < len(run); i++ {
		if run[i].before(&run[i-1]) {
			g.run, g.spare = radixSort(run, g.spare)
			return
		}
	}
}

func insertionSort(run []event) {
	for i := 1; i < len(run); i++ {
		e := run[i]
		j := i
		for j > 0 && e.before(&run[j-1]) {
			run[j] = run[j-1]
			j--
		}
		run[j] = e
	}
}

// radixSort sorts events of one instant by (task, attempt), bytes from the lowest, and returns the sorted slice and the
// other one.
func radixSort(run, spare []event) (sorted, other []event) {
	if cap(spare) < len(run) {
		spare = make([]event, len(run))
	}
	spare = spare[:len(run)]
	var tasks, attempts uint32 // the bits in which any two events differ
	for i := range run {
		tasks |= run[i].task ^ run[0].task
		attempts |= run[i].attempt ^ run[0].attempt
	}
	differ := uint64(tasks)<<32 | uint64(attempts)
	for shift := 0; shift < bits.Len64(differ); shift += 8 {
		if differ>>shift&0xff == 0 {
			continue
		}
		var starts [257]int
		for i := range run {
			starts[run[i].rank()>>shift&0xff+1]++
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		for i := range run {
			digit := run[i].rank() >> shift & 0xff
			spare[starts[digit]] = run[i]
			starts[digit]++
		}
		run, spare = spare, run
	}
	return run, spare
}

// rank orders the events of one instant.
func (e *event) rank() uint64 { return uint64(e.task)<<32 | uint64(e.attempt) }
