package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"herdsim/broker"
	"herdsim/downstream"
	"herdsim/report"
	"herdsim/sim"
	"herdsim/strategies"
)

// brokering is a work queue and its dead letters, before a service that is away for half a second.
func brokering(poison, healthy int, more ...broker.Queue) sim.Config {
	queue := func(name string) broker.Queue {
		return broker.Queue{Name: name, DeadLetter: 1, MaxLength: broker.None, DeliveryLimit: broker.None}
	}
	work, dlq := queue("work"), queue("dlq")
	dlq.DeadLetter, dlq.Inert = broker.None, true
	return sim.Config{
		Seed: 1, MaxEvents: 1 << 40, Window: 100 * time.Millisecond, Horizon: 20 * time.Second, Workers: poison + healthy,
		Strategy: strategies.FullJitter{Base: 10 * time.Second, Factor: 1},
		Downstream: downstream.Config{Slots: downstream.Unlimited, Service: downstream.Constant{D: 5 * time.Millisecond},
			Outages: []downstream.Outage{{To: 500 * time.Millisecond}}},
		Broker: &sim.Broker{
			Config:   broker.Config{Queues: append([]broker.Queue{work, dlq}, more...), Consumers: 4, Prefetch: 50},
			Delivery: 400 * time.Microsecond, Poison: poison, DLQ: 1, Retry: 2,
		},
	}
}

// waitingIn is brokering of 200 messages with a retry queue, or a delayed exchange.
func waitingIn(delayed bool) sim.Config {
	cfg := brokering(0, 200, broker.Queue{Name: "retry", DeadLetter: 0, MaxLength: broker.None, DeliveryLimit: broker.None, Delayed: delayed})
	cfg.Broker.OnFailure = sim.PublishTTL
	return cfg
}

// starving requeues poison that takes all places.
func starving(poison int) sim.Config {
	cfg := brokering(poison, 100)
	cfg.Downstream.Outages = nil
	cfg.Broker.Consumers, cfg.Broker.Prefetch = 1, 10
	return cfg
}

// dying dead-letters all poison at its first failure.
func dying(poison int) sim.Config {
	cfg := starving(poison)
	cfg.Broker.OnFailure = sim.Nack
	cfg.Limits.MaxAttempts = 1
	return cfg
}

// brokerReport runs configurations, each as a strategy of that name.
func brokerReport(names []string, cfgs ...sim.Config) *report.Report {
	var es []report.Entry
	for i, cfg := range cfgs {
		es = append(es, entry(names[i], "U[0, 10 s)", sim.Run(context.Background(), cfg)))
	}
	r := aReport(es...)
	r.Setup.Capacity, r.Setup.Slots, r.Setup.Consumers, r.Setup.Prefetch = 0, -1, 4, 50
	return r
}

func brokerOddities() map[string]*report.Report {
	levels := waitingIn(false)
	for i := range 14 {
		levels.Broker.Queues = append(levels.Broker.Queues, broker.Queue{Name: fmt.Sprint("level-", i), DeadLetter: 0, MaxLength: broker.None})
	}
	many := brokerReport([]string{"levels"}, levels)
	queues := many.Entries[0].Runs[0].Queues
	for i := range queues {
		queues[i].Entered = max(queues[i].Entered, 1)
	}
	return map[string]*report.Report{
		"broker, one":      brokerReport([]string{"ttl-queue"}, waitingIn(false)),
		"broker, two":      brokerReport([]string{"ttl-queue", "delayed-exchange"}, waitingIn(false), waitingIn(true)),
		"broker, starving": brokerReport([]string{"requeue", "dying"}, starving(10), dying(10)),
		"broker, levels":   many,
	}
}

func TestBrokerTitles(t *testing.T) {
	burst := brokerReport([]string{"ttl-queue"}, waitingIn(false))
	run := burst.Entries[0].Runs[0]
	bursts := 0 // windows with retries: the messages arrive as they leave the queue
	for _, w := range run.Windows {
		if w.Requests > w.Failure {
			bursts++
		}
	}
	if bursts > 15 {
		t.Fatalf("%d bursts; the running maxima of 200 uniform numbers are 5.9 in the mean", bursts)
	}
	late := run.Queues[2].LateMax
	for _, c := range []struct {
		report *report.Report
		want   string
	}{
		{burst, fmt.Sprintf("200 messages leave retry in %d bursts under ttl-queue, up to %s late", bursts, instant(late))},
		{brokerReport([]string{"a", "b"}, waitingIn(false), waitingIn(true)), fmt.Sprintf("200 messages leave retry in %d bursts under a, in ", bursts)},
		{brokerReport([]string{"a", "b"}, starving(10), dying(10)), "100 messages starve under a, where none is served"},
		{brokerReport([]string{"a", "b"}, dying(10), dying(0)), "10 messages become dead letters under a, none under b"},
		{brokerReport([]string{"a", "b"}, dying(1), dying(1)), "1 message becomes a dead letter, whatever the strategy"},
		{brokerReport([]string{"a"}, waitingIn(true)), "Up to 200 messages are in the queues under a"},
	} {
		if _, l := record(brokerQueues, c.report); !strings.HasPrefix(l.title, c.want) {
			t.Errorf("title %q, want %q", l.title, c.want)
		}
	}
}

// The columns hold what the tracks do: as many messages as there are, each in its place, and ages that grow with the time.
func TestShelves(t *testing.T) {
	f := newShelves(newView(brokerReport([]string{"requeue", "dying"}, starving(10), dying(10))))
	starved, died := f.shelves[0].levels, f.shelves[1].levels
	last := len(starved) - 1
	if got, want := starved[last].messages, [places]int{inHand: 10, ready: 100}; got != want {
		t.Errorf("in the end %v, want %v", got, want)
	}
	if got, want := died[last].messages, [places]int{dead: 10}; got != want {
		t.Errorf("in the end %v, want %v", got, want)
	}
	for k := 1; k < len(starved); k++ {
		at := time.Duration(float64(f.axis.max) * float64(k) / float64(len(starved)))
		if at > 20*time.Second-f.v.window {
			break
		}
		if math.Abs(float64(starved[k].oldest-at)) > float64(f.v.window) {
			t.Fatalf("the oldest message is %v old at %v, and has been there from 0 on", starved[k].oldest, at)
		}
	}
	if f.oldest != 20*time.Second-1 { // a window ends before the next begins
		t.Errorf("the oldest message is up to %v old, want the whole run, 20s - 1ns", f.oldest)
	}
	one := newShelves(newView(brokerReport([]string{"ttl-queue"}, waitingIn(false))))
	var names []string
	for _, s := range one.shelves {
		names = append(names, s.row.name)
	}
	if want := []string{"work", "retry"}; !slices.Equal(names, want) {
		t.Errorf("rows %v, want %v: nothing came to the dead letters", names, want)
	}
}

// The strategy whose messages wait behind others is in the raster, whatever its peak.
func TestRasterShowsTheBlocked(t *testing.T) {
	high, low := waitingIn(false), waitingIn(true)
	high.Strategy = strategies.Fixed{Delay: time.Second} // all together, and none behind another
	for _, c := range []struct {
		names []string
		cfgs  []sim.Config
		want  []string
	}{
		{[]string{"low", "high", "late"}, []sim.Config{low, high, waitingIn(false)}, []string{"high", "late", "low"}},
		{[]string{"low", "high"}, []sim.Config{low, high}, []string{"high", "low"}},
		{[]string{"late", "low"}, []sim.Config{waitingIn(false), low}, []string{"late", "low"}},
	} {
		var got []string
		for _, r := range newView(brokerReport(c.names, c.cfgs...)).triple() {
			got = append(got, r.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: panels %v, want %v", c.names, got, c.want)
		}
	}
}

// In a run with a broker nobody is called a worker.
func TestBrokerWords(t *testing.T) {
	for name, r := range brokerOddities() {
		for _, f := range All() {
			if f.Empty(r) != "" {
				continue
			}
			p, _ := record(f, r)
			for _, text := range p.texts {
				for _, word := range []string{"worker", "everyone", "nobody", "gave up"} {
					if strings.Contains(strings.ToLower(text.text), word) {
						t.Errorf("%s of %s: %q", f.Name, name, text.text)
					}
				}
			}
		}
	}
}

// Messages that are dropped are nowhere to be seen, so that they are counted, and no strategy is praised for them.
func TestBrokerTellsWhatIsDropped(t *testing.T) {
	r := brokerReport([]string{"dropping", "served"}, dying(0), dying(0))
	r.Entries[0].Runs[0].Queues[0].Counts.Dropped[broker.NoDeadLetter] = 3
	if ts := texts(brokerQueues, r); !slices.Contains(ts, "3 dropped") || !slices.Contains(ts, "3 messages are dropped under dropping, none under served") {
		t.Errorf("of three that are dropped: %q", ts)
	}
	r = brokerReport([]string{"dying", "dropping", "served"}, dying(3), dying(0), dying(0))
	r.Entries[1].Runs[0].Queues[0].Counts.Dropped[broker.NoDeadLetter] = 3
	if ts := texts(brokerQueues, r); !slices.Contains(ts, "3 messages become dead letters under dying, none under served") {
		t.Errorf("of three that die, and three that are dropped: %q", ts)
	}
}

// The axis goes on until nothing moves any more, however few messages are left by then; where some are left for good, to
// the end of the run.
func TestBrokerShowsTheLastMessage(t *testing.T) {
	retry := broker.Queue{Name: "retry", DeadLetter: 0, MaxLength: broker.None, DeliveryLimit: broker.None, TTL: 4 * time.Second}
	late := brokering(1, 200, retry) // one message fails at 0, 4, 8 and 12 s, long after all others are served
	late.Downstream.Outages, late.Broker.OnFailure, late.Limits.MaxAttempts = nil, sim.Publish, 4
	for name, c := range map[string]struct {
		cfg  sim.Config
		from time.Duration
		want [places]int
	}{
		"late":     {late, 12 * time.Second, [places]int{dead: 1}},
		"starving": {starving(10), 20 * time.Second, [places]int{inHand: 10, ready: 100}},
	} {
		r := brokerReport([]string{name, "other"}, c.cfg, dying(0))
		f := newShelves(newView(r))
		if got := f.shelves[0].levels[levelColumns-1].messages; f.axis.max < c.from || got != c.want {
			t.Errorf("%s: the axis ends at %v with %v, want at least %v and %v", name, f.axis.max, got, c.from, c.want)
		}
	}
}
