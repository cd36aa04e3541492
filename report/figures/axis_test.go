package figures

import (
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/sim"
)

func TestScaleTicks(t *testing.T) {
	for _, c := range []struct {
		s    scale
		want []float64
	}{
		{scale{max: 1000, root: true}, []float64{0, 100, 400, 1000}},
		{scale{max: 799, root: true}, []float64{0, 50, 200, 500}},
		{scale{max: 20000, root: true}, []float64{0, 2000, 10000, 20000}},
		{scale{max: 10, root: true}, []float64{0, 1, 4, 10}},
		{scale{max: 3, root: true}, []float64{0, 1, 2}},
		{scale{max: 1, root: true}, []float64{0, 1}},
		{scale{max: 0.5, root: true}, []float64{0}},
		{scale{max: 1000, root: false}, []float64{0, 250, 500, 750, 1000}},
		{scale{max: 147, root: false}, []float64{0, 50, 100}},
		{scale{max: 7, root: false}, []float64{0, 2, 4, 6}},
		{scale{max: 1, root: false}, []float64{0, 1}},
		{scale{max: 2000, log: true}, []float64{0, 1, 10, 100, 1000}},
		{scale{max: 50_000, log: true}, []float64{0, 1, 100, 10_000}},
		{scale{max: 1e9, log: true}, []float64{0, 1, 1e3, 1e6, 1e9}},
	} {
		if got := c.s.ticks(); !slices.Equal(got, c.want) {
			t.Errorf("ticks of %+v: %v, want %v", c.s, got, c.want)
		}
	}
	if s := (scale{max: 1000, root: true}); s.at(0) != 0 || s.at(-1) != 0 || s.at(250) != 0.5 || s.at(1000) != 1 {
		t.Errorf("square root of 0, 250, 1000 of 1000: %v %v %v", s.at(0), s.at(250), s.at(1000))
	}
}

// Of orders of magnitude each is as high as the next.
func TestLogScale(t *testing.T) {
	s := scale{max: 9999, log: true}
	if s.at(0) != 0 || s.at(99) != 0.5 || s.at(9999) != 1 {
		t.Errorf("0, 99 and 9,999 of 9,999 lie at %v, %v, %v", s.at(0), s.at(99), s.at(9999))
	}
}

func TestTimeAxis(t *testing.T) {
	for _, c := range []struct {
		need         time.Duration
		name, labels string
		end          time.Duration
	}{
		{0, "microseconds since t", "0 0.2 0.4 0.6 0.8 1", time.Microsecond},
		{250 * time.Millisecond, "milliseconds since t", "0 40 80 120 160 200 240", 260 * time.Millisecond},
		{16600 * time.Millisecond, "seconds since t", "0 2 4 6 8 10 12 14 16", 17 * time.Second},
		{31200 * time.Millisecond, "seconds since t", "0 4 8 12 16 20 24 28 32", 32 * time.Second},
		{20 * time.Minute, "minutes since t", "0 5 10 15 20", 20 * time.Minute},
		{time.Hour, "minutes since t", "0 10 20 30 40 50 60", time.Hour},
		{24 * time.Hour, "hours since t", "0 3 6 9 12 15 18 21 24", 24 * time.Hour},
		{41 * 24 * time.Hour, "days since t", "0 5 10 15 20 25 30 35 40", 42*24*time.Hour + 12*time.Hour},
	} {
		a := newTimeAxis(c.need, 9)
		var labels []string
		for _, tick := range a.ticks {
			labels = append(labels, a.label(tick))
		}
		if got := strings.Join(labels, " "); got != c.labels || a.max != c.end || a.name("t") != c.name {
			t.Errorf("axis to %v: %s to %v in %s, want %s to %v in %s", c.need, got, a.max, a.name("t"), c.labels, c.end, c.name)
		}
	}
	if a := newTimeAxis(1<<63-1, 9); a.max <= 0 || len(a.ticks) < 2 || len(a.ticks) > 12 {
		t.Errorf("axis to the longest duration: to %v with %d ticks", a.max, len(a.ticks))
	}
}

func TestLogAxis(t *testing.T) {
	for _, c := range []struct {
		from, to time.Duration
		labels   string
	}{
		{600 * time.Millisecond, 9 * time.Second, "500 ms 1 s 2 s 5 s"},
		{600 * time.Millisecond, 80 * time.Second, "500 ms 1 s 2 s 5 s 10 s 20 s 1 min"},
		{600 * time.Millisecond, 3 * time.Hour, "100 ms 1 s 10 s 1 min 10 min 1 h"},
		{0, time.Microsecond, "1 µs 2 µs"},
		{time.Second, 41 * 24 * time.Hour, "1 s 10 s 1 min 10 min 1 h 10 h 1 d 10 d"},
	} {
		a := newLogAxis(c.from, c.to)
		var labels []string
		for _, tick := range a.ticks {
			labels = append(labels, a.label(tick))
			if x := a.at(tick); x < -1e-9 || x > 1+1e-9 || a.from(x)-tick > tick/1000 || tick-a.from(x) > tick/1000 {
				t.Errorf("tick %v is at %v, where %v is", tick, x, a.from(x))
			}
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("axis from %v to %v: %s, want %s", c.from, c.to, got, c.labels)
		}
	}
}

// A figure shows what matters: it cuts off one row in four if the others gain, and every second if they gain much.
func TestExtent(t *testing.T) {
	ends := func(seconds ...float64) []fate {
		var fs []fate
		for _, s := range seconds {
			fs = append(fs, with(steady, func(f *fate) { f.served = f.served[:0:0]; f.requests = int64(s * 10) }))
		}
		return fs
	}
	for _, c := range []struct {
		name string
		ends []float64 // of each row, in seconds
		want float64
	}{
		{"dirac: the last spike of exponential is cut", []float64{5.1, 31.1, 16.3, 6.9, 14.9, 11.3, 5.6}, 16.3},
		{"two rows: both whole", []float64{31.1, 14.9}, 31.1},
		{"two rows: 100 times as long", []float64{1000, 9}, 9},
		{"no gain", []float64{20, 19, 18, 17}, 20},
		{"one row", []float64{300}, 300},
		{"nearly whole", []float64{12, 10, 10, 10, 1}, 12},
		{"most never end", []float64{3600, 3600, 3600, 10}, 3600},
	} {
		v := viewOf(200, ends(c.ends...)...)
		for i := range v.rows {
			v.rows[i].Windows[0].Index = int64(c.ends[i]*10) - 1
			v.rows[i].FirstRetry = -1
		}
		v.Recovery = 0
		if got := v.extent(v.rows).Seconds(); got != c.want {
			t.Errorf("%s: %v s, want %v", c.name, got, c.want)
		}
	}
}

// No wave above ten times the capacity is cut off because it is small beside all requests.
func TestExtentReachesTheLastWave(t *testing.T) {
	for requests, want := range map[int64]float64{200: 0.5, 201: 90} {
		v := viewOf(200, steady)
		v.rows[0].FirstRetry, v.Recovery = -1, 0
		v.rows[0].Windows = []sim.Window{{Index: 0, Requests: 100_000}, {Index: 899, Requests: requests}}
		if got := v.extent(v.rows).Seconds(); got != want {
			t.Errorf("a wave of %d requests: %v s, want %v", requests, got, want)
		}
	}
}

// Beside open traffic, the picture ends when the herd is served and the load is calm.
func TestExtentOpenTraffic(t *testing.T) {
	m := dirac(everySecond).run()
	for i := int64(60); i < 36_000; i++ {
		m.Windows = append(m.Windows, m.Windows[len(m.Windows)-1])
		m.Windows[len(m.Windows)-1].Index = i
		m.Windows[len(m.Windows)-1].Requests = 8
	}
	r := aReport(entry("fixed", "", m))
	r.Setup.OpenRate = 80
	v := newView(r)
	if got := v.extent(v.rows); got != m.Completions[999]+m.Completions[999]/4 {
		t.Errorf("%v, want a quarter more than %v", got, m.Completions[999])
	}
	m.Windows[len(m.Windows)-1].Requests = 41 // still overloaded
	if got := v.extent(v.rows); got < 59*time.Minute {
		t.Errorf("%v, want the whole hour", got)
	}
}
