package integration

import (
	"slices"
	"testing"
	"time"
)

// How much later than due a message may come from a classic queue, by what was measured before; here that is the median, for on a
// busy machine a few are late by more. The simulation may be twice as far away: its clients take no time to publish.
const (
	tolerance = 20 * time.Millisecond
	atWorst   = 500 * time.Millisecond
)

// A burst is a run of messages that leave together.
type burst struct {
	from     time.Duration
	messages int
}

// bursts splits attempts at gaps.
func bursts(attempts []attempt, gap time.Duration) (all []burst) {
	for i, a := range attempts {
		if i == 0 || a.at-attempts[i-1].at > gap {
			all = append(all, burst{from: a.at})
		}
		all[len(all)-1].messages++
	}
	return all
}

func tasks(attempts []attempt) (all []int) {
	for _, a := range attempts {
		all = append(all, a.task)
	}
	return all
}

// punctual plays a scenario, at most three times, until its times are within the tolerance. All else has to hold each time.
func punctual(t *testing.T, play func() (late, apart []time.Duration)) {
	t.Helper()
	for try := 1; try <= 3; try++ {
		late, apart := play()
		slices.Sort(late)
		slices.Sort(apart)
		if t.Failed() {
			return
		}
		if first := late[0]; first < -time.Millisecond { // waits are in whole milliseconds there
			t.Errorf("a message comes %v early", -first)
			return
		}
		half, worst, away := late[len(late)/2], late[len(late)-1], apart[len(apart)/2]
		t.Logf("late by %v in the median and %v at worst, %v from the simulation", half, worst, away)
		if half <= tolerance && worst <= atWorst && away <= 2*tolerance {
			return
		}
	}
	t.Errorf("want at most %v, %v and %v in one of three plays", tolerance, atWorst, 2*tolerance)
}

// TestRabbitMQ plays scenarios on one broker, in real time, and beside that in the simulation.
func TestRabbitMQ(t *testing.T) {
	url := rabbitmq(t)
	t.Run("head of line", func(t *testing.T) { headOfLine(t, url) })
	t.Run("ladder", func(t *testing.T) { ladder(t, url) })
	t.Run("requeue", func(t *testing.T) { requeue(t, url) })
}

// In one queue with a wait for each message, both brokers release the same messages at the same instants, in the order in
// which they came, and never one before it is due: full jitter is bursts again.
func headOfLine(t *testing.T, url string) {
	cfg, simulated := simulate(t, "testdata/head-of-line.yaml")
	ours := simulated.of(2)
	punctual(t, func() (late, apart []time.Duration) {
		actual := play(t, url, cfg, &simulated)
		theirs := actual.of(2)
		if len(ours) != 200 || len(theirs) != 200 || len(simulated.attempts) != 400 || len(actual.attempts) != 400 || len(actual.done) != 200 {
			t.Fatalf("%d attempts are simulated, %d made, %d messages are done", len(simulated.attempts), len(actual.attempts), len(actual.done))
		}
		if !slices.Equal(tasks(ours), tasks(theirs)) {
			t.Errorf("messages come back in the order %v, simulated %v", tasks(theirs), tasks(ours))
		}
		var released []attempt // as rule 1 has it: none leaves before those that came before it
		due := time.Duration(0)
		for i, a := range theirs {
			due = max(due, a.published+a.asked)
			released = append(released, attempt{task: a.task, at: due})
			late = append(late, a.at-due)
			apart = append(apart, (a.at - ours[i].at).Abs())
		}
		compareBursts(t, ours, released, 50*time.Millisecond)
		if *update {
			drawPicture(t, ours, theirs)
		}
		return late, apart
	})
}

// compareBursts wants as many messages to leave together, and returns how far the bursts are apart.
func compareBursts(t *testing.T, ours, theirs []attempt, gap time.Duration) (apart []time.Duration) {
	t.Helper()
	a, b := bursts(ours, gap), bursts(theirs, gap)
	same := slices.EqualFunc(a, b, func(x, y burst) bool {
		apart = append(apart, (x.from - y.from).Abs())
		return x.messages == y.messages
	})
	if !same {
		t.Errorf("messages come back in the bursts %v, simulated %v", b, a)
	}
	return apart
}

// A ladder keeps the herd together: the same waves, the same messages in each, the same dead letters.
func ladder(t *testing.T, url string) {
	cfg, simulated := simulate(t, "testdata/ladder.yaml")
	punctual(t, func() (late, apart []time.Duration) {
		actual := play(t, url, cfg, &simulated)
		for number := 1; number <= cfg.Limits.MaxAttempts; number++ {
			theirs := actual.of(number)
			a, b := tasks(simulated.of(number)), tasks(theirs)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) {
				t.Errorf("attempt %d is made by %d messages, simulated %d", number, len(b), len(a))
			}
			for _, x := range theirs {
				if number > 1 {
					late = append(late, x.at-x.published-x.asked)
				}
			}
		}
		if len(actual.done) != 150 || len(simulated.done) != 150 || actual.dead != 50 || simulated.dead != 50 {
			t.Errorf("%d messages are done and %d dead, simulated %d and %d; want 150 and 50", len(actual.done), actual.dead, len(simulated.done), simulated.dead)
		}
		return late, compareBursts(t, simulated.attempts, actual.attempts, 500*time.Millisecond)
	})
}

// Who starves behind a message that never succeeds and is requeued at once (rule 8), and how often it is delivered (rule 9).
func requeue(t *testing.T, url string) {
	for name, c := range map[string]struct {
		set        []string
		done, dead int
		deliveries int // of the poison; 0 for any number
	}{
		"classic, all slots taken":          {nil, 0, 0, 0},
		"classic, a slot is left":           {[]string{"broker.prefetch=10"}, 10, 0, 0},
		"quorum without a limit, all taken": {[]string{"broker.queue=quorum", "broker.delivery_limit=none"}, 10, 0, 0},
		"quorum with a limit of 5":          {[]string{"broker.queue=quorum", "broker.delivery_limit=5"}, 10, 1, 6},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, simulated := simulate(t, "testdata/requeue.yaml", c.set...)
			actual := play(t, url, cfg, &simulated)
			for who, p := range map[string]*played{"simulated": &simulated, "real": actual} {
				deliveries := 0
				for _, a := range p.attempts {
					if a.task == 0 {
						deliveries++
					}
				}
				if len(p.done) != c.done || p.dead != c.dead || deliveries < 2 || c.deliveries > 0 && deliveries != c.deliveries {
					t.Errorf("%s: %d healthy messages are done, %d are dead, the poison was delivered %d times; want %d, %d and %d",
						who, len(p.done), p.dead, deliveries, c.done, c.dead, c.deliveries)
				}
			}
		})
	}
}
