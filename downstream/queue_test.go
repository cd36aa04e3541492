package downstream

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A waiting request, and the place it was given.
type waiting struct {
	id    uint32
	place uint64
}

// The ring gives back what a list would, whoever leaves from the middle.
func TestQueueIsAList(t *testing.T) {
	var q queue // used again, as in an engine
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "more of it")))
		newest := r.IntN(2) == 0
		q.reset(false)
		var list []waiting
		for id := range uint32(400) {
			switch n := len(list); {
			case r.IntN(5) < 3:
				list = append(list, waiting{id, q.push(id, stamp{})})
			case n == 0:
			case r.IntN(2) == 0:
				i := r.IntN(n)
				q.leave(list[i].place)
				list = slices.Delete(list, i, i+1)
			case newest:
				if got, _ := q.pop(true); got != list[n-1].id {
					t.Fatalf("the newest is %d, want %d", got, list[n-1].id)
				}
				list = list[:n-1]
			default:
				if got, _ := q.pop(false); got != list[0].id {
					t.Fatalf("the oldest is %d, want %d", got, list[0].id)
				}
				list = list[1:]
			}
			if q.waiting != len(list) {
				t.Fatalf("%d wait, want %d", q.waiting, len(list))
			}
		}
	})
}

// A queue that is served from one end and abandoned at the other does not grow.
func TestQueueGivesEmptyPlacesBack(t *testing.T) {
	var q queue
	for id := range uint32(100_000) {
		place := q.push(id, stamp{})
		if id%2 == 0 {
			q.leave(place)
		} else {
			q.pop(id%4 == 1)
		}
	}
	if len(q.ring) > 64 || q.head != q.tail {
		t.Errorf("an empty queue has %d places, %d of them in use", len(q.ring), q.tail-q.head)
	}
}
