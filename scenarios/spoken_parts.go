package scenarios

import (
	"fmt"
	"strings"

	"herdsim/downstream"
)

// Spoken names for people, each in a few words, the tiers and the parts of the downstream beside its slots, queue, rate
// limit and outages.
func (s *Scenario) Spoken() []string {
	var out []string
	if len(s.Tiers) > 0 {
		var attempts []string
		for _, t := range s.Tiers {
			attempts = append(attempts, fmt.Sprint(t.Attempts))
		}
		text := "tiers of " + strings.Join(attempts, " × ") + " attempts"
		if s.PassDeadlines {
			text += " (deadlines passed)"
		}
		out = append(out, text)
	}
	c := &s.Downstream
	return append(append(out, spokenAdmission(c)...), spokenService(c)...)
}

// spokenAdmission names what is let in, and in which order.
func spokenAdmission(c *downstream.Config) []string {
	var out []string
	switch c.Order {
	case downstream.LIFO:
		out = append(out, "newest first")
	case downstream.Adaptive:
		out = append(out, "newest first above "+spokenCount(c.LIFOAbove)+" waiting")
	}
	if c.Overflow == downstream.Drop {
		out = append(out, "overflow dropped")
	}
	if c.Concurrency > 0 {
		out = append(out, "at most "+spokenCount(c.Concurrency)+" inside")
	}
	if q := c.QueueTimeout; q != nil {
		text := "queue timeout " + spoken(q.Interval)
		if q.Standing < q.Interval {
			text += " (standing " + spoken(q.Standing) + ")"
		}
		out = append(out, text)
	}
	if r := c.RetryAfter; r != nil {
		delay := spoken(r.Delay)
		if r.Place {
			delay = "place in line"
		}
		if r.Jitter > 0 {
			delay += " × (1 + U[0, " + formatShare(r.Jitter) + "))"
		}
		out = append(out, "Retry-After "+delay)
	}
	return out
}

// spokenService names what makes a service longer, and what ends it.
func spokenService(c *downstream.Config) []string {
	var out []string
	if s := c.Slowdown; s != nil {
		text := "slower by " + formatShare(s.Sigma) + " for each other request in service"
		if s.Kappa > 0 {
			text = "slowdown σ " + formatShare(s.Sigma) + ", κ " + formatShare(s.Kappa)
		}
		out = append(out, text)
	}
	if w := c.WarmUp; w != nil {
		over := spoken(w.Over)
		if w.Requests > 0 {
			over = spokenCount(w.Requests) + " requests"
		}
		out = append(out, "warm-up from "+formatShare(w.From)+" in "+over)
	}
	if r := c.RateLimit; r != nil && r.Ramp.Over > 0 {
		out = append(out, "rate limit ramps up from "+formatShare(r.Ramp.From)+" in "+spoken(r.Ramp.Over))
	}
	if k := c.Cache; k != nil {
		out = append(out, "cache with "+formatShare(k.HitRatio)+" hits")
	}
	if p := c.Pool; p != nil {
		out = append(out, "pool of "+spokenCount(p.Max)+" connections")
	}
	if c.Contention == downstream.OCC {
		out = append(out, "optimistic concurrency on one row")
	}
	if k := c.Crash; k != nil {
		out = append(out, "crashes for "+spoken(k.Down)+" "+strings.Join(spokenCauses(k), " or "))
	}
	return out
}

// spokenCauses says when a downstream breaks.
func spokenCauses(c *downstream.Crash) []string {
	var out []string
	if c.InFlight > 0 {
		out = append(out, "above "+spokenCount(c.InFlight)+" inside")
	}
	if c.Queued > 0 {
		out = append(out, "above "+spokenCount(c.Queued)+" waiting")
	}
	if l := c.Liveness; l.Failures > 0 {
		out = append(out, fmt.Sprintf("after %s failed probes", spokenCount(l.Failures)))
	}
	return out
}

// spokenCount writes a count for people: 5,000.
func spokenCount(n int) string {
	if n < 10_000 && n >= 1000 { // which formatCount leaves whole
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return strings.ReplaceAll(formatCount(uint64(n)), "_", ",")
}
