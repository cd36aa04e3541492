package downstream

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// offer lets request id arrive, and wait if it may.
func offer(s *Server, id uint32, now time.Duration) Verdict {
	v, _ := s.Admit(now)
	if v == Waiting {
		s.Enqueue(id, now)
	}
	return v
}

// offers lets requests arrive at one instant and returns what becomes of each.
func offers(s *Server, n int, now time.Duration) (all []Verdict) {
	for id := range uint32(n) {
		all = append(all, offer(s, id, now))
	}
	return all
}

// started returns a server of a configuration with n requests in it.
func started(cfg Config, n int) *Server {
	s := new(Server)
	s.Reset(cfg)
	offers(s, n, 0)
	return s
}

func wantVerdicts(t *testing.T, got []Verdict, want ...Verdict) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("verdicts %v, want %v", got, want)
		}
	}
}

func TestSlotsThenQueueThenFull(t *testing.T) {
	var s Server
	s.Reset(Config{Slots: 2, Queue: 1})
	wantVerdicts(t, offers(&s, 4, 0), Started, Started, Waiting, Full)
	s.Reset(Config{Slots: 1, Queue: Unlimited})
	wantVerdicts(t, offers(&s, 4, 0), Started, Waiting, Waiting, Waiting)
	if s.Busy() != 1 || s.Queued() != 3 {
		t.Errorf("%d busy, %d queued, want 1, 3", s.Busy(), s.Queued())
	}
}

func TestOldestOrNewestIsServedNext(t *testing.T) {
	for _, test := range []struct {
		order Order
		want  uint32
	}{{FIFO, 1}, {LIFO, 3}} {
		s := started(Config{Slots: 1, Queue: Unlimited, Order: test.order}, 4)
		s.Free()
		if job, ok := s.Take(0); job != (Job{ID: test.want}) || !ok {
			t.Errorf("order %v: Take = %+v, %v, want %d, true", test.order, job, ok, test.want)
		}
		if _, ok := s.Take(0); ok {
			t.Errorf("order %v: a slot that is taken is given away", test.order)
		}
	}
}

func TestWhoLeavesTheQueueIsNotServed(t *testing.T) {
	s := started(Config{Slots: 1, Queue: 3}, 1)
	s.Enqueue(7, 0)
	place := s.Enqueue(8, 0)
	s.Enqueue(9, 0)
	s.Leave(place)
	wantVerdicts(t, offers(s, 2, 0), Waiting, Full)
	s.Free()
	s.Take(0)
	s.Free()
	if job, _ := s.Take(0); job.ID != 9 {
		t.Errorf("request %d is served after 7, want 9", job.ID)
	}
}

func TestOutageIsHalfOpen(t *testing.T) {
	const from, to = 10 * time.Second, 20 * time.Second
	for _, test := range []struct {
		mode Mode
		down Verdict
	}{{Refuse, Refused}, {Hang, Swallowed}} {
		s := started(Config{Slots: 1, Queue: 2, Outages: []Outage{{From: from, To: to, Mode: test.mode}}}, 2)
		if s.NextChange() != from {
			t.Fatalf("the first change is at %v, want %v", s.NextChange(), from)
		}
		if v := offer(s, 2, from-1); v != Waiting {
			t.Errorf("just before: %v, want Waiting", v)
		}
		change := s.Change(s.NextChange())
		lost, mode := change.Lost, change.Mode
		if !lost || mode != test.mode || s.Busy() != 0 {
			t.Errorf("begin: lost %v, mode %v, %d busy; want true, %v, 0", lost, mode, s.Busy(), test.mode)
		}
		var drained []uint32
		for id, ok := s.Drain(); ok; id, ok = s.Drain() {
			drained = append(drained, id)
		}
		if len(drained) != 2 || drained[0] != 1 || drained[1] != 2 {
			t.Errorf("%v were in the queue, want 1 and 2", drained)
		}
		for _, now := range []time.Duration{from, to - 1} {
			if v := offer(s, 3, now); v != test.down {
				t.Errorf("at %v: %v, want %v", now, v, test.down)
			}
		}
		if s.NextChange() != to {
			t.Errorf("it ends at %v, want %v", s.NextChange(), to)
		}
		if lost := s.Change(s.NextChange()).Lost; lost || s.Queued() != 0 {
			t.Errorf("end: lost %v, %d queued; want false, 0", lost, s.Queued())
		}
		if v := offer(s, 4, to); v != Started {
			t.Errorf("at the end: %v, want Started", v)
		}
		if s.NextChange() != math.MaxInt64 {
			t.Errorf("a change comes at %v, want none", s.NextChange())
		}
	}
}

func TestBrownOutLosesNothing(t *testing.T) {
	s := started(Config{Slots: 10, Queue: 100, Outages: []Outage{{To: time.Second, Capacity: 0.25}}}, 15)
	if lost := s.Change(s.NextChange()).Lost; lost || s.Busy() != 10 || s.Queued() != 5 {
		t.Fatalf("lost %v, %d busy, %d queued; want false, 10, 5", lost, s.Busy(), s.Queued())
	}
	for busy := 9; busy >= 2; busy-- {
		s.Free()
		if _, ok := s.Take(0); ok {
			t.Fatalf("a slot takes work beside %d others, want at most 2 of 10", busy)
		}
	}
	s.Free()
	if _, ok := s.Take(0); !ok || s.Busy() != 2 {
		t.Errorf("a slot that is open does not take work")
	}
	s.Change(s.NextChange())
	for s.Queued() > 0 {
		if _, ok := s.Take(0); !ok {
			t.Fatalf("%d wait while slots are free", s.Queued())
		}
	}
}

// max(1, floor(slots x share)), in whole per cent without the rounding of floats.
func TestBrownOutFloor(t *testing.T) {
	open := func(slots int, share float64) int {
		s := started(Config{Slots: slots, Outages: []Outage{{To: 1, Capacity: share}}}, 0)
		s.Change(s.NextChange())
		return s.open
	}
	if got := open(100, 0.29); got != 29 {
		t.Errorf("29%% of 100 slots are %d", got)
	}
	if got := open(100_000_000, 0.999999); got != 99_999_900 {
		t.Errorf("99.9999%% of 100,000,000 slots are %d", got)
	}
	for slots := 1; slots <= 500; slots++ {
		for percent := 1; percent < 100; percent++ {
			share, _ := big.NewRat(int64(percent), 100).Float64()
			if got, want := open(slots, share), max(1, slots*percent/100); got != want {
				t.Fatalf("%d%% of %d slots are %d, want %d", percent, slots, got, want)
			}
		}
	}
}

func TestDebtComesBeforeTheQueue(t *testing.T) {
	s := started(Config{Slots: 2, Queue: 1, RejectCost: time.Second}, 6) // three are rejected
	s.Free()
	if job, ok := s.Take(0); job.Debt != 3*time.Second || !ok {
		t.Errorf("Take = %v of debt, %v, want 3s, true", job.Debt, ok)
	}
	if s.Busy() != 2 || s.Queued() != 1 {
		t.Errorf("%d busy, %d queued, want 2, 1: who works debt off serves nobody", s.Busy(), s.Queued())
	}
	s.Free()
	if job, ok := s.Take(0); job != (Job{ID: 2}) || !ok {
		t.Errorf("Take = %+v, %v, want 2, true", job, ok)
	}
}

func TestDebtSaturatesAndEndsWithAnOutage(t *testing.T) {
	s := started(Config{Slots: 1, RejectCost: math.MaxInt64/2 + 1, Outages: []Outage{{From: 1, To: 2}}}, 4)
	s.Free()
	if job, _ := s.Take(0); job.Debt != math.MaxInt64 {
		t.Errorf("a debt of %v, want the longest", job.Debt)
	}
	offer(s, 9, 0)
	s.Change(s.NextChange())
	s.Change(s.NextChange())
	if job, ok := s.Take(2); ok {
		t.Errorf("%v of debt has outlived the outage", job.Debt)
	}
}

func TestTheLimitComesBeforeTheSlots(t *testing.T) {
	s := started(Config{Slots: 1, RejectCost: time.Second, RateLimit: &RateLimit{Rate: Rate{1, time.Second}, Burst: 2, RetryAfter: true}}, 0)
	wantVerdicts(t, offers(s, 3, 0), Started, Full, Limited) // the token is spent although there is no room
	if v, after := s.Admit(0); v != Limited || after != 2*time.Second {
		t.Errorf("Admit = %v, %v, want Limited, 2s", v, after)
	}
	s.Free()
	if job, _ := s.Take(0); job.Debt != time.Second {
		t.Errorf("a debt of %v, want 1s: the limit costs nothing", job.Debt)
	}
}

func TestTurnsAwayWhenEveryoneIsFull(t *testing.T) {
	full := Config{Slots: 1, Queue: 1}
	for _, test := range []struct {
		name string
		cfg  Config
		n    int
		want bool
	}{
		{"full", full, 2, true},
		{"room in the queue", full, 1, false},
		{"no end of room", Config{Slots: 1, Queue: Unlimited}, 100, false},
		{"a free slot", Config{Slots: 2}, 1, false},
		{"a rate limit", Config{Slots: 1, RateLimit: &RateLimit{Rate: Rate{1, 1}, Burst: 9}}, 2, false},
		{"rejections that cost", Config{Slots: 1, RejectCost: 1}, 2, false},
	} {
		if got := started(test.cfg, test.n).TurnsAway(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	s := started(Config{Slots: 1, Outages: []Outage{{To: 1}}}, 1)
	if s.Change(s.NextChange()); s.TurnsAway() {
		t.Error("an outage refuses, it does not turn away")
	}
}

func TestCapacity(t *testing.T) {
	constant := Constant{100 * time.Millisecond}
	for _, test := range []struct {
		name    string
		cfg     Config
		want    float64
		bounded bool
	}{
		{"slots", Config{Slots: 20, Service: constant}, 200, true},
		{"a lower limit", Config{Slots: 20, Service: constant, RateLimit: &RateLimit{Rate: Rate{12, time.Minute}}}, 0.2, true},
		{"a higher limit", Config{Slots: 20, Service: constant, RateLimit: &RateLimit{Rate: Rate{300, time.Second}}}, 200, true},
		{"a limit alone", Config{Slots: 20, Service: Constant{}, RateLimit: &RateLimit{Rate: Rate{300, time.Second}}}, 300, true},
		{"nothing", Config{Slots: 20, Service: Constant{}}, 0, false},
	} {
		if got, bounded := test.cfg.Capacity(); got != test.want || bounded != test.bounded {
			t.Errorf("%s: %v, %v, want %v, %v", test.name, got, bounded, test.want, test.bounded)
		}
	}
}

func TestRecovery(t *testing.T) {
	const s = time.Second
	for _, test := range []struct {
		name    string
		outages []Outage
		want    time.Duration
	}{
		{"none", nil, 0},
		{"one at t0", []Outage{{To: 5 * s}}, 5 * s},
		{"one later", []Outage{{From: 1, To: 5 * s}}, 0},
		{"two without a gap", []Outage{{To: 5 * s}, {From: 5 * s, To: 7 * s, Mode: Hang}}, 7 * s},
		{"two with a gap", []Outage{{To: 5 * s}, {From: 6 * s, To: 7 * s}}, 5 * s},
		{"a brown-out", []Outage{{To: 5 * s, Capacity: 0.5}}, 0},
		{"a brown-out between", []Outage{{To: 5 * s}, {From: 5 * s, To: 7 * s, Capacity: 0.5}, {From: 7 * s, To: 8 * s}}, 5 * s},
	} {
		if got := (Config{Outages: test.outages}).Recovery(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
