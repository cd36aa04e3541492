package sim

import "time"

// A request is what the engine knows of an attempt while the downstream has it, or its answer is on the way.
type request struct {
	sent, arrived Time
	started       Time          // when it left the queue, or needed none; -1 before
	prev          time.Duration // the strategy's last wait
	after         time.Duration // the Retry-After in its answer; -1 for none
	place         uint64        // in the queue
	window        int32         // in which it arrived
	task, attempt uint32
	made          uint32 // generation of this place in the table
	state         state
	outcome       Outcome // of its answer
	abandoned     bool    // its worker has timed out
	timed         bool    // its worker's timeout will go off
	counted       bool    // in the peaks, and may turn out to be part of the failure itself
}

type state uint8

const (
	free state = iota
	queued
	serving
	answering // the answer is on the way
	swallowed // by a hang, or lost in one: no answer will come
	dropped   // for want of room: no answer will come
)

// queuedFor returns how long the request had waited for its slot by now.
func (q *request) queuedFor(now Time) time.Duration {
	switch {
	case q.started >= 0:
		return q.started - q.arrived
	case q.state == queued:
		return now - q.arrived
	}
	return 0
}

// requests is the table of them, in blocks so that it grows without copying; places are used again.
type requests struct {
	blocks [][]request
	count  uint32
	spare  []uint32
}

const (
	noRequest    = ^uint32(0)
	requestBlock = 1 << 10
)

func (q *requests) reset() { q.count, q.spare = 0, q.spare[:0] }

func (q *requests) at(i uint32) *request { return &q.blocks[i/requestBlock][i%requestBlock] }

// live returns how many there are.
func (q *requests) live() int { return int(q.count) - len(q.spare) }

func (q *requests) add(r request) uint32 {
	if n := len(q.spare); n > 0 {
		i := q.spare[n-1]
		q.spare = q.spare[:n-1]
		r.made = q.at(i).made
		*q.at(i) = r
		return i
	}
	i := q.count
	q.count++
	if int(i/requestBlock) == len(q.blocks) {
		q.blocks = append(q.blocks, make([]request, requestBlock))
	}
	*q.at(i) = r
	return i
}

func (q *requests) drop(i uint32) {
	r := q.at(i)
	r.state = free
	r.made++
	q.spare = append(q.spare, i)
}
