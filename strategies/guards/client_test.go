package guards_test

import (
	"testing"
	"time"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

const (
	second = time.Second
	served = strategies.Served
	failed = strategies.Unavailable
)

// preset returns a guard as a real client has it.
func preset(t testing.TB, key, name string) guards.Guard {
	t.Helper()
	for _, p := range guards.Presets() {
		if p.Key == key && p.Name == name {
			return p.Maker.Make()
		}
	}
	t.Fatalf("no preset %s of %s", name, key)
	return nil
}

// A client makes calls through one guard.
type client struct {
	t     testing.TB
	guard guards.Guard
}

// send has a first attempt admitted.
func (c client) send(at time.Duration) guards.Call { return c.sendCall(at, guards.Call{}) }

func (c client) sendCall(at time.Duration, call guards.Call) guards.Call {
	c.t.Helper()
	a := c.guard.Admit(at, call, 0.5)
	if a.Verdict != guards.Proceed {
		c.t.Fatalf("at %v: %v until %v, want the call to proceed", at, a.Verdict, a.Until)
	}
	call.Ticket = a.Ticket
	return call
}

// call has a first attempt admitted, which ends at once.
func (c client) call(at time.Duration, o strategies.Outcome) {
	c.t.Helper()
	c.guard.Done(at, c.send(at), o)
}

// putOff has an attempt put off until some instant.
func (c client) putOff(at, until time.Duration) {
	c.t.Helper()
	if a := c.guard.Admit(at, guards.Call{}, 0.5); a.Verdict != guards.PutOff || a.Until != until {
		c.t.Errorf("at %v: %+v, want a put-off until %v", at, a, until)
	}
}

func (c client) phase(at time.Duration, want guards.Phase) {
	c.t.Helper()
	if s := c.guard.State(at); s.Phase != want {
		c.t.Errorf("at %v: phase %v, want %v", at, s.Phase, want)
	}
}

// retries lets one task fail again and again at one instant, and returns how many retries it is allowed, at most most.
func (c client) retries(at time.Duration, o strategies.Outcome, most int) int {
	c.t.Helper()
	call := c.send(at)
	for n := range most {
		c.guard.Done(at, call, o)
		allowance, ok := c.guard.Allow(at, o)
		if !ok {
			return n
		}
		call = c.sendCall(at, guards.Call{Retry: true, Allowance: allowance})
	}
	return most
}
