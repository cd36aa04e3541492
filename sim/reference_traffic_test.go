package sim

import (
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"herdsim/downstream"
)

// What comes at one instant, in this order: the task of an opening.
const (
	arrivalsOpen = iota
	cronOpens
	clientsOpen
)

// startTraffic schedules the first of each kind of open traffic. The instants of arrivals it takes from the engine;
// checkArrivals looks into those.
func (r *reference) startTraffic() {
	instants := &arriving{}
	instants.reset(&r.cfg)
	r.nextArrival(instants)
	if c := r.cfg.Cron; c != nil && c.From < c.To {
		r.scheduleTick(c.From, 0)
	}
	if c := r.cfg.Clients; c != nil {
		for i := range c.Count {
			r.think(int64(i), 0, c.From)
		}
	}
}

func (r *reference) nextArrival(instants *arriving) {
	if instants.next == math.MaxInt64 {
		return
	}
	r.schedule(&planned{at: instants.next, class: openings, task: arrivalsOpen, do: func() {
		at := instants.next
		instants.advance()
		r.nextArrival(instants)
		r.openTask(at, r.cfg.Arrivals.Limits, func() {})
	}})
}

// scheduleTick schedules a tick of cron, at which its jobs are.
func (r *reference) scheduleTick(at Time, n int64) {
	c := r.cfg.Cron
	r.schedule(&planned{at: at, class: openings, task: cronOpens, attempt: -1, do: func() {
		for job := range int64(c.Count) {
			due := later(at, r.spread(n, job))
			r.schedule(&planned{at: due, class: openings, task: cronOpens, attempt: n*int64(c.Count) + job,
				do: func() { r.openTask(due, c.Limits, func() {}) }})
		}
		if next := later(at, c.Every); next < c.To {
			r.scheduleTick(next, n+1)
		}
	}})
}

// spread draws how long after its tick a job calls.
func (r *reference) spread(tick, job int64) time.Duration {
	jobs := newStream(r.cfg.Seed, forCron)
	s := r.cfg.Cron.Spread
	if s.Uniform > 0 {
		return time.Duration(jobs.uniform(uint64(tick), uint64(job)) * float64(s.Uniform))
	}
	if s.Spread == nil {
		return 0
	}
	var src source
	src.seed(jobs, uint64(tick), uint64(job))
	return s.Spread.Draw(&src)
}

// think lets a client think for the n-th time and make a task then.
func (r *reference) think(client, n int64, now Time) {
	c := r.cfg.Clients
	var src source
	src.seed(newStream(r.cfg.Seed, forThink), uint64(client), uint64(n))
	at := later(now, c.Think.Draw(&src))
	if at >= c.To {
		return
	}
	r.schedule(&planned{at: at, class: openings, task: clientsOpen, attempt: client, do: func() {
		r.openTask(at, c.Limits, func() { r.think(client, n+1, r.now) })
	}})
}

func (r *reference) openTask(at Time, own *Limits, after func()) {
	t := &refTask{number: int64(len(r.tasks)), limits: r.cfg.Limits, after: after, succeeded: -1}
	if own != nil {
		t.limits = *own
	}
	r.tasks = append(r.tasks, t)
	r.send(t, at)
}

func (r *reference) deadLetter(t *refTask) {
	t.deadLettered = true
	t.after()
}

// checkArrivals holds the instants at which arrivals come against those that a rate, integrated by numbers alone, gives:
// they may be a nanosecond apart. It looks at the first so many.
func checkArrivals(t rapid.TB, cfg Config, most int) {
	t.Helper()
	if cfg.Arrivals == nil {
		return
	}
	var got arriving
	got.reset(&cfg)
	draws := newStream(cfg.Seed, forArrival)
	f := newFlow(cfg.Arrivals.Phases)
	for n := range most {
		share := 1.0
		switch {
		case !cfg.Arrivals.Even:
			share = -math.Log1p(-draws.uniform(uint64(n), 0))
		case n == 0:
			share = 0
		}
		at := f.next(share)
		if got.next == math.MaxInt64 {
			if !math.IsInf(at, 1) && at < f.end()-1.5 {
				t.Fatalf("arrival %d does not come, want it at %v", n, Time(at))
			}
			return
		}
		if math.Abs(at-float64(got.next)) > 1.5 && !(math.IsInf(at, 1) && float64(got.next) > f.end()-2) {
			t.Fatalf("arrival %d comes at %d ns, want %.2f", n, got.next, at)
		}
		if math.IsInf(at, 1) {
			return
		}
		got.advance()
	}
}

// A flow follows a rate through time by adaptive quadrature and halving.
type flow struct {
	phases []Phase
	cuts   []float64 // where phases begin or end, and steps between
	at     float64   // ns
	left   float64   // of the shares so far, what is not yet reached at that instant
}

func newFlow(phases []Phase) *flow {
	f := &flow{phases: phases}
	for _, p := range phases {
		f.cuts = append(f.cuts, float64(p.From), float64(p.To))
		if step := float64(p.Span) / 7; step > 0 { // fine enough to see every wave
			for x := float64(p.From) + step; x < float64(p.To) && len(f.cuts) < 1<<16; x += step {
				f.cuts = append(f.cuts, x)
			}
		}
	}
	slices.Sort(f.cuts)
	f.at = f.cuts[0]
	return f
}

func (f *flow) end() float64 { return f.cuts[len(f.cuts)-1] }

// rate returns the events per nanosecond at x, of the phases that hold at the instant in.
func (f *flow) rate(x, in float64) (sum float64) {
	perNs := func(r downstream.Rate) float64 { return float64(r.Events) / float64(r.Per) }
	for _, p := range f.phases {
		from, to := float64(p.From), float64(p.To)
		if in < from || in >= to {
			continue
		}
		t := x - from
		switch p.Shape {
		case Ramp:
			sum += perNs(p.Rate) + (perNs(p.End)-perNs(p.Rate))*t/(to-from)
		case Sine:
			sum += max(0, perNs(p.Rate)+perNs(p.End)*math.Sin(2*math.Pi*t/float64(p.Span)))
		case Spike:
			sum += perNs(p.Rate) * math.Exp(-t/float64(p.Span))
		default:
			sum += perNs(p.Rate)
		}
	}
	return sum
}

// next goes on to where the integral of the rate exceeds the share, or to infinity if it does nowhere.
func (f *flow) next(share float64) float64 {
	i, _ := slices.BinarySearch(f.cuts, math.Nextafter(f.at, math.Inf(1)))
	share += f.left
	tiny := 1e-12 * (1 + share)
	for ; i < len(f.cuts); i++ {
		low, high := f.at, f.cuts[i]
		in := low + (high-low)/2
		mass := f.integral(low, high, in)
		if mass <= share+tiny {
			share, f.at = share-mass, high
			continue
		}
		for high-low > 1e-3 && low+(high-low)/2 > low {
			mid := low + (high-low)/2
			if mass := f.integral(low, mid, in); mass <= share {
				low, share = mid, share-mass
			} else {
				high = mid
			}
		}
		f.at, f.left = low, share
		return low
	}
	return math.Inf(1)
}

// integral is Simpson's rule, applied to halves until they agree with the whole.
func (f *flow) integral(a, b, in float64) float64 {
	var halve func(a, b, fa, fm, fb, whole float64, depth int) float64
	halve = func(a, b, fa, fm, fb, whole float64, depth int) float64 {
		m := a + (b-a)/2
		fl, fr := f.rate(a+(m-a)/2, in), f.rate(m+(b-m)/2, in)
		left, right := (m-a)/6*(fa+4*fl+fm), (b-m)/6*(fm+4*fr+fb)
		if off := left + right - whole; depth == 0 || math.Abs(off) <= 1e-12*(1+whole) {
			return left + right + off/15
		}
		return halve(a, m, fa, fl, fm, left, depth-1) + halve(m, b, fm, fr, fb, right, depth-1)
	}
	fa, fm, fb := f.rate(a, in), f.rate(a+(b-a)/2, in), f.rate(b, in)
	return halve(a, b, fa, fm, fb, (b-a)/6*(fa+4*fm+fb), 25)
}
