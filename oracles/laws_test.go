package oracles

import (
	"math"
	"slices"
	"testing"
	"time"

	"herdsim/scenarios"
	"herdsim/strategies"
)

// falseAlarm is the chance that one comparison fails although both sides are the same.
const falseAlarm = 1e-9

// chains is how many clients are drawn where a draw costs little. Distances above 2.4 % are found with it.
const chains = 20_000

// preset returns what a scenario gets that names a preset.
func preset(t *testing.T, name string) scenarios.Entry {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: "dirac", Set: []string{"network=1ms"}, Strategies: []string{"preset(" + name + ")"}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Strategies[0]
}

// quantile returns our wait before a retry, counted from 1, at u.
func quantile(t *testing.T, s strategies.Strategy, retry int, u float64) time.Duration {
	t.Helper()
	wait, again := s.Wait(strategies.Attempt{Retry: retry, SinceReset: retry, Outcome: strategies.Unavailable}, u)
	if !again {
		t.Fatalf("the preset gives up before retry %d", retry)
	}
	return wait
}

const justBelowOne = 1 - 1.0/(1<<53)

// draw returns the first waits of many clients, by retry. Each call of client makes a new one, which says its next wait.
func draw(clients, retries int, client func() (next func() time.Duration)) [][]time.Duration {
	waits := make([][]time.Duration, retries)
	for range clients {
		next := client()
		for i := range waits {
			waits[i] = append(waits[i], next())
		}
	}
	return waits
}

// sameLaws compares the waits of a library, by retry, with those of a preset.
func sameLaws(t *testing.T, s strategies.Strategy, waits [][]time.Duration) {
	t.Helper()
	for i, draws := range waits {
		sameLaw(t, s, i+1, draws)
	}
}

// sameLaw compares draws of a library with the wait of a preset before a retry. Both may be off by what it makes to round
// each of some float products to nanoseconds.
func sameLaw(t *testing.T, s strategies.Strategy, retry int, draws []time.Duration) {
	t.Helper()
	least, most := quantile(t, s, retry, 0), quantile(t, s, retry, justBelowOne)
	low, high := slices.Min(draws), slices.Max(draws)
	if least == most {
		if low != least || high != least {
			t.Errorf("retry %d: the library waits %v to %v, the preset %v", retry, low, high, least)
		}
		return
	}
	slack := 2*time.Nanosecond + most/1e9
	if low < least-slack || high > most+slack {
		t.Errorf("retry %d: the library waits %v to %v, the preset %v to %v", retry, low, high, least, most)
	}
	// Draws that are as many fall below and above these quantiles for sure.
	edge := math.Log(2/falseAlarm) / float64(len(draws))
	if q := quantile(t, s, retry, edge); low > q {
		t.Errorf("retry %d: the least of %d waits of the library is %v, of the preset below %v", retry, len(draws), low, q)
	}
	if q := quantile(t, s, retry, 1-edge); high < q {
		t.Errorf("retry %d: the largest of %d waits of the library is %v, of the preset above %v", retry, len(draws), high, q)
	}
	if apart, at := distance(t, s, retry, draws); apart > bound(len(draws)) {
		t.Errorf("retry %d: the distributions are %.3f apart at %v, with %d draws at most %.3f is luck", retry, apart, at, len(draws), bound(len(draws)))
	}
}

// bound is how far the distribution of so many draws may be from its law: 2 exp(-2 n bound²) = falseAlarm.
func bound(n int) float64 { return math.Sqrt(math.Log(2/falseAlarm) / 2 / float64(n)) }

// share returns the chance that our wait is at most d: the largest u whose wait is.
func share(t *testing.T, s strategies.Strategy, retry int, d time.Duration) float64 {
	if quantile(t, s, retry, justBelowOne) <= d {
		return 1
	}
	low, high := 0.0, 1.0
	for range 40 {
		if u := (low + high) / 2; quantile(t, s, retry, u) <= d {
			low = u
		} else {
			high = u
		}
	}
	return low
}

// distance returns the largest difference between the distribution of draws and our law, and the wait where it is. It
// looks at a thousand of the draws.
func distance(t *testing.T, s strategies.Strategy, retry int, draws []time.Duration) (apart float64, at time.Duration) {
	sorted := slices.Sorted(slices.Values(draws))
	n := len(sorted)
	for i := 0; i < n; i += max(1, n/1000) {
		for i+1 < n && sorted[i+1] == sorted[i] {
			i++ // equal draws are one step
		}
		if diff := math.Abs(float64(i+1)/float64(n) - share(t, s, retry, sorted[i])); diff > apart {
			apart, at = diff, sorted[i]
		}
	}
	return apart, at
}

// TestDistance shows that the comparison finds what is a little wrong: without that it would show nothing.
func TestDistance(t *testing.T) {
	s := strategies.FullJitter{Base: time.Second, Factor: 2}
	draws := make([]time.Duration, chains)
	for i := range draws {
		draws[i] = quantile(t, s, 1, (float64(i)+0.5)/chains)
	}
	for _, row := range []struct {
		name  string
		s     strategies.Strategy
		apart float64
	}{
		{"the same", s, 0},
		{"3 % longer", strategies.FullJitter{Base: 1030 * time.Millisecond, Factor: 2}, 0.029},
		{"an atom of 5 %", strategies.Exponential{
			Base: time.Second, Factor: 1, Cap: 950 * time.Millisecond, Clamp: strategies.ClampAfter, Jitter: strategies.Jitter{Kind: strategies.JitterFull},
		}, 0.05},
	} {
		apart, _ := distance(t, row.s, 1, draws)
		if math.Abs(apart-row.apart) > 2e-3 || row.apart > 0 && apart < bound(len(draws)) {
			t.Errorf("%s: %.4f apart, want %.4f", row.name, apart, row.apart)
		}
	}
}
