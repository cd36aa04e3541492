package strategies_test

import (
	"fmt"
	"time"

	"herdsim/strategies"
)

// A strategy is a value and a wait a function of one uniform number, so any random source will do, or none: these are
// the shortest, the median and the longest wait before the first four retries.
func ExampleFullJitter() {
	s := strategies.FullJitter{Base: time.Second, Factor: 2, Cap: 5 * time.Second}
	for retry := 1; retry <= 4; retry++ {
		a := strategies.Attempt{Retry: retry, SinceReset: retry, Outcome: strategies.Rejected}
		shortest, _ := s.Wait(a, 0)
		median, _ := s.Wait(a, 0.5)
		longest, _ := s.Wait(a, 1-1.0/(1<<53))
		fmt.Println(retry, shortest, median, longest)
	}
	// Output:
	// 1 0s 500ms 1s
	// 2 0s 1s 2s
	// 3 0s 2s 4s
	// 4 0s 2.5s 5s
}

// Where the cap comes after the jitter, workers meet again: from the fourth retry on a part of them waits 8 s exactly,
// from the fifth on all do.
func ExampleDescribe() {
	s := strategies.Exponential{
		Base: time.Second, Factor: 2, Cap: 8 * time.Second,
		Jitter: strategies.Jitter{Kind: strategies.JitterAround, Share: 0.2}, Clamp: strategies.ClampAfter,
	}
	for _, w := range strategies.Describe(s, 5) {
		fmt.Printf("%d: %v to %v, mean %v, %.0f%% at the cap\n", w.Retry, w.Min, w.Max, w.Mean, 100*w.AtCapShare)
	}
	// Output:
	// 1: 800ms to 1.2s, mean 1s, 0% at the cap
	// 2: 1.6s to 2.4s, mean 2s, 0% at the cap
	// 3: 3.2s to 4.8s, mean 4s, 0% at the cap
	// 4: 6.4s to 8s, mean 7.6s, 50% at the cap
	// 5: 8s to 8s, mean 8s, 100% at the cap
}

// Quadratic waits Unit, 4 Unit, 9 Unit and so on, and gives up after Most retries.
type Quadratic struct {
	Unit time.Duration
	Most int
}

func (s Quadratic) Wait(a strategies.Attempt, _ float64) (time.Duration, bool) {
	n := time.Duration(min(a.SinceReset, s.Most)) // so that the square stays small
	return s.Unit * n * n, a.Retry <= s.Most
}

// A strategy of one's own is one method. The other two promise that it reads nothing but the retry's number, which
// makes it cheap to simulate and its statistics exact.
func (Quadratic) ReadsPrevious() bool { return false }
func (Quadratic) ReadsSlept() bool    { return false }

func ExampleStrategy() {
	for _, w := range strategies.Describe(Quadratic{Unit: time.Second, Most: 3}, 12) {
		fmt.Println(w.Retry, w.Mean)
	}
	fmt.Println("longest", strategies.Longest(Quadratic{Unit: time.Second, Most: 3}))
	// Output:
	// 1 1s
	// 2 4s
	// 3 9s
	// longest 9s
}

// Fibonacci stands for a library's backoff: an object that is asked for one wait after the other.
type Fibonacci struct{ last, next time.Duration }

func (f *Fibonacci) NextBackOff() time.Duration {
	f.last, f.next = f.next, f.last+f.next
	return f.last
}

// Kept keeps such an object for each worker, and takes a new one where a worker begins anew. A plain strategy is a value
// that any number of runs may share; this one has state, and serves one run at a time.
type Kept struct {
	New func() *Fibonacci
	of  map[int]*Fibonacci
}

func (k *Kept) Wait(a strategies.Attempt, _ float64) (time.Duration, bool) {
	if a.SinceReset == 1 {
		if k.of == nil {
			k.of = map[int]*Fibonacci{}
		}
		k.of[a.Worker] = k.New()
	}
	return k.of[a.Worker].NextBackOff(), true
}

// Objects with state of their own are plugged in by an adapter. The two workers do not disturb each other.
func ExampleStrategy_stateful() {
	s := &Kept{New: func() *Fibonacci { return &Fibonacci{next: time.Second} }}
	for retry := 1; retry <= 5; retry++ {
		first, _ := s.Wait(strategies.Attempt{Worker: 0, Retry: retry, SinceReset: retry}, 0)
		second, _ := s.Wait(strategies.Attempt{Worker: 1, Retry: retry, SinceReset: (retry-1)%3 + 1}, 0)
		fmt.Println(retry, first, second)
	}
	// Output:
	// 1 1s 1s
	// 2 1s 1s
	// 3 2s 2s
	// 4 3s 1s
	// 5 5s 1s
}

// What a herd asks that keeps failing: ten workers, with full jitter, in each second of the first four.
func ExampleDensity() {
	s := strategies.FullJitter{Base: time.Second, Factor: 2, Cap: 32 * time.Second}
	for i, perSecond := range strategies.Density(s, time.Second, 4*time.Second) {
		fmt.Printf("from %d s: %.2f requests\n", i, 10*perSecond)
	}
	// Output:
	// from 0 s: 12.71 requests
	// from 1 s: 6.34 requests
	// from 2 s: 5.13 requests
	// from 3 s: 3.17 requests
}
