package report

import (
	"errors"
	"fmt"
	"slices"

	"herdsim/sim"
)

// A Judgement is the verdict of a run in result.json.
type Judgement struct {
	State      string        `json:"state"`
	Sentence   string        `json:"sentence"`
	Recovered  Truth         `json:"recovered"`
	At         Seconds       `json:"recovered_s"`
	Relapses   int64         `json:"relapses"`
	Trigger    *Interval     `json:"trigger"` // null if there was none
	Base       Number        `json:"base_share"`
	Width      Seconds       `json:"piece_s"` // null without open traffic
	End        *EndOfRun     `json:"end"`     // null where there are no pieces
	Loops      []Sustained   `json:"loops"`
	Conditions JudgedSetup   `json:"conditions"`
	Pieces     []JudgedPiece `json:"pieces"`
}

// An Interval is a half-open span of time; its end is null if it had not ended when the run did.
type Interval struct {
	From Seconds `json:"from_s"`
	To   Seconds `json:"to_s"`
}

func interval(s sim.Span) Interval { return Interval{seconds(s.From), Seconds{s.To, s.To >= 0}} }

// EndOfRun are the numbers of the last two pieces.
type EndOfRun struct {
	Interval
	Offered         float64 `json:"offered_per_s"`
	GoodputShare    Number  `json:"goodput_share"`
	AttemptsPerTask Number  `json:"attempts_per_task"`
	WastedShare     Number  `json:"wasted_share"`
}

// A Sustained is a Loop; what is not of its kind is null.
type Sustained struct {
	Kind    string  `json:"kind"`
	Share   Number  `json:"share"`
	Rate    Number  `json:"requests_per_s"`
	Crashes Number  `json:"crashes"`
	Period  Seconds `json:"period_s"`
}

// A JudgedSetup are the Conditions, and whether each holds.
type JudgedSetup struct {
	Load        float64 `json:"load_per_s"`
	MaxRequests int64   `json:"max_requests"`   // of the tasks that may ask most; 0 for no limit
	Asked       Number  `json:"asked_per_s"`    // if all tasks ask as often as they may; null without a limit
	Capacity    Number  `json:"capacity_per_s"` // null without a bound
	Amplified   bool    `json:"amplified"`
	Cold        Number  `json:"cold_capacity_per_s"` // while it is cold; null where it cannot be
	StaysCold   bool    `json:"stays_cold"`
	Holds       int64   `json:"holds"`      // -1 for no limit
	Patience    Seconds `json:"patience_s"` // null for ever
	Sheds       string  `json:"sheds"`
	Outwaits    bool    `json:"outwaits"`
}

// A JudgedPiece is a Piece.
type JudgedPiece struct {
	Interval
	Offered  float64 `json:"offered"`
	Goodput  int64   `json:"goodput"`
	Requests int64   `json:"requests"`
	Wasted   int64   `json:"wasted"`
	Crashed  bool    `json:"crashed"`
	Good     bool    `json:"good"`
}

// judgement returns what result.json says of v.
func (v *Verdict) judgement() Judgement {
	j := Judgement{
		State: v.State.String(), Sentence: v.Sentence(), Relapses: int64(v.Relapses), Base: number(v.Base),
		Width: Seconds{v.Width, v.Width > 0}, Recovered: v.recovered(), At: v.recoveredAt(),
		Loops: []Sustained{}, Pieces: []JudgedPiece{},
	}
	if v.Trigger.From >= 0 {
		trigger := interval(v.Trigger)
		j.Trigger = &trigger
	}
	if e := &v.End; e.To > 0 {
		j.End = &EndOfRun{interval(sim.Span{From: e.From, To: e.To}), e.OfferedRate(), e.GoodputShare(), e.AttemptsPerTask(),
			e.WastedShare()}
	}
	for _, l := range v.Loops {
		s := Sustained{Kind: l.Kind.String()}
		switch l.Kind {
		case CrashCycle:
			s.Crashes, s.Period = number(float64(l.Count)), seconds(l.Period)
		case Retries:
			s.Rate = number(l.Rate)
		default:
			s.Share = number(l.Share)
		}
		j.Loops = append(j.Loops, s)
	}
	c := &v.Conditions
	j.Conditions = JudgedSetup{
		Load: c.Load, MaxRequests: c.maxRequests(), Asked: number(c.Asked), Capacity: Number{c.Capacity, c.Capacity > 0}, Amplified: c.Amplified(),
		Cold: Number{c.Cold, c.Cold > 0}, StaysCold: c.StaysCold(),
		Holds: int64(c.Holds), Patience: Seconds{c.Patience, c.Patience > 0}, Sheds: c.Sheds, Outwaits: c.Outwaits(),
	}
	for _, p := range v.Pieces {
		j.Pieces = append(j.Pieces, JudgedPiece{
			interval(sim.Span{From: p.From, To: p.To}), p.Offered, p.Goodput, p.Requests, p.Wasted, p.Crashed, p.Good})
	}
	return j
}

// recovered returns the cell of summary.csv.
func (v *Verdict) recovered() Truth {
	yes, ok := v.Recovered()
	return Truth{yes, ok}
}

// recoveredAt returns the cell of summary.csv: 0 for a run that was never down, none for one that did not recover.
func (v *Verdict) recoveredAt() Seconds {
	yes, _ := v.Recovered()
	return Seconds{v.At, yes}
}

// check checks what was read of a verdict.
func (j *Judgement) check() error {
	if !slices.Contains(stateNames[:], j.State) {
		return fmt.Errorf("state: %q; allowed: %q", j.State, stateNames)
	}
	if j.At.OK != (j.Recovered.OK && j.Recovered.Value) {
		return errors.New("recovered_s: it is there if recovered is true, and null else")
	}
	if j.Relapses < 0 {
		return fmt.Errorf("relapses: %d; allowed: at least 0", j.Relapses)
	}
	for i, l := range j.Loops {
		if !slices.Contains(loopNames[:], l.Kind) {
			return fmt.Errorf("loops[%d].kind: %q; allowed: %q", i, l.Kind, loopNames)
		}
	}
	for i, p := range j.Pieces {
		if min(p.Goodput, p.Requests, p.Wasted) < 0 || !(p.Offered >= 0) {
			return fmt.Errorf("pieces[%d]: a number is negative", i)
		}
		if !p.From.OK || !p.To.OK || p.From.D >= p.To.D || i > 0 && p.From.D != j.Pieces[i-1].To.D {
			return fmt.Errorf("pieces[%d]: it must begin where the one before ends, and end later", i)
		}
	}
	return nil
}

// checkCrashes checks the crashes of a run.
func checkCrashes(crashes []Interval) error {
	for i, c := range crashes {
		last := i == len(crashes)-1
		if !c.From.OK || c.To.OK && c.To.D < c.From.D || !c.To.OK && !last || i > 0 && c.From.D < crashes[i-1].To.D {
			return fmt.Errorf("crashes[%d]: it must begin after the one before has ended, and end later", i)
		}
	}
	return nil
}

// check checks what was read of a window.
func (l *LoadRow) check(before *LoadRow) error {
	for i, n := range l.counts() {
		if n < 0 {
			return fmt.Errorf("%s: %d; allowed: at least 0", loadColumns[i+2], n)
		}
	}
	for i, share := range l.shares() {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("%s: %v; allowed: a share from 0 to 1", loadColumns[i+2+len(l.counts())], share)
		}
	}
	if !l.T.OK || before != nil && l.T.D <= before.T.D {
		return fmt.Errorf("t_s: %s; allowed: later than the window before", l.T)
	}
	return nil
}
