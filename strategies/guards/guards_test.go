package guards_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// maker returns the parameters of a preset.
func maker(t testing.TB, key, name string) guards.Maker {
	t.Helper()
	for _, p := range guards.Presets() {
		if p.Key == key && p.Name == name {
			return p.Maker
		}
	}
	t.Fatalf("no preset %s of %s", name, key)
	return nil
}

// makers are the guards that properties are checked of.
func makers() []guards.Maker {
	out := []guards.Maker{&guards.ConcurrencyLimit{Limit: 2}, &guards.TokenBucket{Tokens: 1, Per: time.Second, Burst: 1, All: true}}
	for _, p := range guards.Presets() {
		out = append(out, p.Maker)
	}
	return out
}

// Whatever a caller that keeps the rules does: levels are shares, nobody is put off or delayed into the past, a guard
// opens more often only, and asking for its state changes nothing.
func TestAnyCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.SampledFrom(makers()).Draw(t, "guard").Make()
		var now time.Duration
		var due, flying []guards.Call
		opened := int64(0)
		take := func(from *[]guards.Call) guards.Call {
			i := rapid.IntRange(0, len(*from)-1).Draw(t, "which")
			c := (*from)[i]
			*from = append((*from)[:i:i], (*from)[i+1:]...)
			return c
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "later")) * time.Duration(rapid.SampledFrom([]int{0, 0, 1, 20}).Draw(t, "how"))
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what < 2 || len(due)+len(flying) == 0:
				due = append(due, guards.Call{})
			case what < 7 && len(due) > 0:
				c := take(&due)
				a := g.Admit(now, c, rapid.Float64Range(0, 0.999).Draw(t, "u"))
				switch a.Verdict {
				case guards.Proceed:
					c.Ticket, c.Reserved = a.Ticket, false
					if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
						g.Cancel(now, c)
						due = append(due, c)
					} else {
						flying = append(flying, c)
					}
				case guards.Refuse:
					g.Drop(now, c)
				default:
					if a.Until < now {
						t.Fatalf("at %v: %+v", now, a)
					}
					c.Reserved = a.Verdict == guards.Delay
					due = append(due, c)
				}
			case len(due) > 0 && what == 7:
				g.Drop(now, take(&due))
			case len(flying) > 0:
				o := strategies.Outcome(rapid.IntRange(0, 4).Draw(t, "outcome"))
				g.Done(now, take(&flying), o)
				if allowance, ok := g.Allow(now, o); ok && o != strategies.Served {
					due = append(due, guards.Call{Retry: true, Allowance: allowance})
				} else if ok {
					g.Drop(now, guards.Call{Retry: true, Allowance: allowance})
				}
			}
			s := g.State(now)
			if g.State(now + time.Hour); s != g.State(now) {
				t.Fatalf("at %v: asking for the state has changed it", now)
			}
			if !(s.Level >= 0 && s.Level <= 1) || s.Opened < opened {
				t.Fatalf("at %v: state %+v, had opened %d times", now, s, opened)
			}
			opened = s.Opened
		}
	})
}

// A guard that has seen no call is as the engine takes it for: closed, with all there is.
func TestFreshGuards(t *testing.T) {
	for _, m := range makers() {
		if s := m.Make().State(0); s != (guards.State{Level: 1}) {
			t.Errorf("%T: %+v, want a closed guard that is full", m, s)
		}
	}
}

// Deciding allocates nothing, once a guard has its window.
func TestNothingIsAllocated(t *testing.T) {
	for _, m := range makers() {
		g := m.Make()
		var now time.Duration
		step := func() {
			now += 10 * time.Millisecond
			if a := g.Admit(now, guards.Call{}, 0.5); a.Verdict == guards.Proceed {
				o := strategies.Outcome(now / (10 * time.Millisecond) % 3)
				g.Done(now, guards.Call{Ticket: a.Ticket}, o)
				if allowance, ok := g.Allow(now, o); ok {
					g.Drop(now, guards.Call{Retry: true, Allowance: allowance})
				}
			}
			g.State(now)
		}
		for range 1000 {
			step()
		}
		if n := testing.AllocsPerRun(1000, step); n > 0 {
			t.Errorf("%T: %v allocations a call", m, n)
		}
	}
}

func TestPresetsAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range guards.Presets() {
		if name := p.Key + " " + p.Name; seen[name] || p.Source == "" {
			t.Errorf("preset %s is there twice, or has no source", name)
		} else {
			seen[name] = true
		}
	}
}
