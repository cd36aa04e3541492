package strategies

import "time"

// Longest returns the longest wait of s at any retry up to 2²⁰, as far as asking for it tells: at the ends and the middle
// of u, before each of the first 64 retries and before every power of two, each after the longest wait so far. That is a
// bound for every strategy of this package; it serves to size things, not to prove anything about other strategies.
func Longest(s Strategy) time.Duration {
	if known, ok := s.(interface{ longest() time.Duration }); ok {
		return known.longest()
	}
	if known, ok := s.(Bounded); ok {
		return known.LongestWait()
	}
	var longest time.Duration
	ask := func(a Attempt) (here time.Duration) {
		for _, a.PreviousU = range []float64{0, topU} {
			for _, u := range []float64{0, 0.5, topU} {
				if wait, again := s.Wait(a, u); again {
					here = max(here, wait)
				}
			}
		}
		longest = max(longest, here)
		return here
	}
	a := Attempt{Outcome: Rejected}
	for retry := 1; retry <= 1<<20; {
		a.Retry, a.SinceReset = retry, retry
		a.Previous = ask(a)
		a.Slept = plus(a.Slept, a.Previous)
		a.Now, a.Elapsed = a.Slept, a.Slept
		if retry < 64 {
			retry++
		} else {
			retry *= 2
		}
	}
	return longest
}

// longest returns the longest wait of all entries, which need not be the last.
func (s Schedule) longest() time.Duration {
	var longest time.Duration
	for n := range s.Delays {
		longest = max(longest, s.Law(n).At(topU))
	}
	return longest
}

// longest returns the cap, or NoBound, if waits can grow at all.
func (s Decorrelated) longest() time.Duration {
	first, exact := s.Law(0), time.Duration(0)
	if s.First.Is {
		exact = s.First.law(s.Cap).At(0)
	}
	if first.Width > 0 {
		return max(first.Cap, exact)
	}
	return max(first.At(topU), exact)
}
