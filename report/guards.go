package report

import (
	"bufio"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"herdsim/sim"
)

// A Guard is what one guard did in a run, all its instances together.
type Guard struct {
	Name       string       `json:"name"`
	Scope      string       `json:"scope"`      // shared, or worker if each worker and each client has its own
	Instances  int64        `json:"instances"`  // how many there are
	Opened     int64        `json:"opened"`     // how often a breaker opened
	Suppressed int64        `json:"suppressed"` // calls put off
	Delayed    int64        `json:"delayed"`    // calls sent later
	Refused    int64        `json:"refused"`    // tasks given up because a retry was refused
	Track      []GuardState `json:"track"`
}

// A GuardState is the state of a guard at the end of a window in which it has changed: shares of its instances, of which
// at most about 100 are looked at.
type GuardState struct {
	T        Seconds `json:"t_s"` // end of the window
	Open     float64 `json:"open"`
	HalfOpen float64 `json:"half_open"`
	Level    float64 `json:"level"` // what is left of a budget, or the chance to be let through; their mean
}

var guardColumns = []string{"t_s", "open", "half_open", "level"}

// appendCell appends column i of the state.
func (g *GuardState) appendCell(b []byte, i int) []byte {
	if i == 0 {
		return appendSeconds(b, g.T.D)
	}
	return strconv.AppendFloat(b, [...]float64{g.Open, g.HalfOpen, g.Level}[i-1], 'f', -1, 64)
}

// newGuard returns what a guard did, without its track.
func newGuard(g *sim.GuardResult) Guard {
	out := Guard{
		Name: g.Name, Scope: "worker", Instances: int64(g.Instances),
		Opened: g.Opened, Suppressed: g.Suppressed, Delayed: g.Delayed, Refused: g.Refused,
	}
	if g.Shared {
		out.Scope = "shared"
	}
	return out
}

// guardStates returns the track of a guard.
func guardStates(r *sim.Result, g *sim.GuardResult) iter.Seq[GuardState] {
	return func(yield func(GuardState) bool) {
		for _, p := range g.Track {
			if !yield(GuardState{seconds(sim.Time(p.Window+1) * r.Window), p.Open, p.HalfOpen, p.Level}) {
				return
			}
		}
	}
}

// writeGuards writes the guards of a run, each with a line for each state.
func writeGuards(out *bufio.Writer, r *sim.Result) error {
	if len(r.Guards) == 0 {
		_, err := out.WriteString("[]")
		return err
	}
	before := "["
	for i := range r.Guards {
		head, err := marshal(newGuard(&r.Guards[i]), "")
		if err != nil {
			return err
		}
		out.WriteString(before + "\n        ")
		out.WriteString(strings.TrimSuffix(string(head), "null}"))
		if err := writeRows(out, guardColumns, guardStates(r, &r.Guards[i])); err != nil {
			return err
		}
		out.WriteByte('}')
		before = ","
	}
	_, err := out.WriteString("\n      ]")
	return err
}

// check checks what was read of a guard.
func (g *Guard) check() error {
	if g.Name == "" || g.Scope != "shared" && g.Scope != "worker" {
		return fmt.Errorf("scope: %q of the guard %q; allowed: shared, worker", g.Scope, g.Name)
	}
	if min(g.Instances, g.Opened, g.Suppressed, g.Delayed, g.Refused) < 0 {
		return fmt.Errorf("a count of the guard %q is negative", g.Name)
	}
	for i, s := range g.Track {
		for _, share := range []float64{s.Open, s.HalfOpen, s.Level} {
			if !(share >= 0 && share <= 1) {
				return fmt.Errorf("track[%d]: %v; allowed: a share from 0 to 1", i, share)
			}
		}
		if !s.T.OK || i > 0 && s.T.D <= g.Track[i-1].T.D {
			return fmt.Errorf("track[%d].t_s: %s; allowed: later than the one before", i, s.T)
		}
	}
	return nil
}

// guardTotals returns the sums over all guards of a run.
func guardTotals(r *sim.Result) (suppressed, opened, refused int64) {
	for i := range r.Guards {
		g := &r.Guards[i]
		suppressed, opened, refused = suppressed+g.Suppressed, opened+g.Opened, refused+g.Refused
	}
	return suppressed, opened, refused
}

// guardNote says what the guards of a run did, "" if they did nothing: "breaker opened 3 times, 12,431 calls put off".
func guardNote(r *sim.Result) string {
	var parts []string
	for i := range r.Guards {
		g := &r.Guards[i]
		var did []string
		if g.Opened > 0 {
			did = append(did, "opened "+plural(float64(g.Opened), "time"))
		}
		if g.Suppressed > 0 {
			did = append(did, plural(float64(g.Suppressed), "call")+" put off")
		}
		if g.Delayed > 0 {
			did = append(did, plural(float64(g.Delayed), "call")+" sent later")
		}
		if g.Refused > 0 {
			did = append(did, plural(float64(g.Refused), "task")+map[bool]string{true: " was", false: " were"}[g.Refused == 1]+" refused a retry")
		}
		if len(did) == 0 {
			continue
		}
		name := g.Name
		if g.Instances > 1 {
			name = Count(int64(g.Instances)) + " × " + name
		}
		parts = append(parts, name+": "+strings.Join(did, ", "))
	}
	return strings.Join(parts, "; ")
}
