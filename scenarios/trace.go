package scenarios

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"herdsim/downstream"
	"herdsim/sim"
)

const (
	largestTrace = 16 << 20 // bytes
	mostRows     = 1_000_000
	traceHeader  = "t_s,count"
	rateHeader   = "t_s,rate"
)

// parseTrace reads a measured herd: a line t_s,count, then rows of an instant in seconds and how many called from then
// to the instant of the next row. The last row is as wide as the one before it.
func parseTrace(name string, data []byte) ([]sim.Bin, Errors) {
	t := traceParser{src: &source{name: name}, most: maxWorkers}
	t.read(data, traceHeader)
	return t.bins(), t.problems
}

// parseArrivals reads measured traffic up to the horizon: as a herd, or with a line t_s,rate and rows of an instant in
// seconds and the rate per second from then on. A row in which nobody arrived is no phase.
func parseArrivals(name string, data []byte, horizon time.Duration) ([]sim.Phase, Errors) {
	t := traceParser{src: &source{name: name}, most: math.MaxInt}
	t.read(data, traceHeader, rateHeader)
	return t.phases(horizon), t.problems
}

// A traceParser collects the rows of a trace.
type traceParser struct {
	src      *source
	header   string // which of those allowed it has
	from     []time.Duration
	counts   []int
	rates    []downstream.Rate // instead of counts
	total    int
	most     int // of total
	problems Errors
}

// read reads the rows of a file with one of the headers.
func (t *traceParser) read(data []byte, headers ...string) {
	if len(data) > largestTrace {
		t.problems = Errors{{File: t.src.name, Message: "the trace is larger than 16 MiB", Allowed: "a trace of at most 16 MiB"}}
		return
	}
	text := []byte(strings.TrimPrefix(string(data), "\ufeff"))
	if p := textProblem(t.src.name, text); p != nil {
		t.problems = Errors{*p}
		return
	}
	t.src = newSource(t.src.name, text)
	lines := t.src.lines
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > 0 {
		t.header = strings.TrimSpace(lines[0])
	}
	if columns := strings.Join(headers, " or "); !slices.Contains(headers, t.header) {
		t.report(1, 1, "the first line is not "+columns, "a CSV file with the columns "+columns)
		return
	}
	if rows := len(lines) - 1; rows < 2 {
		t.report(len(lines), 1, "the trace has "+map[int]string{0: "no row", 1: "1 row"}[rows], "at least 2, for the last one is as wide as the one before it")
	}
	if len(lines)-1 > mostRows {
		t.report(mostRows+2, 1, fmt.Sprintf("the trace has %d rows", len(lines)-1), "at most "+formatCount(mostRows))
		return
	}
	for i, line := range lines[1:] {
		if t.row(i+2, line); len(t.problems) >= mostShown {
			break
		}
	}
}

func (t *traceParser) report(line, column int, message, allowed string) {
	t.problems = append(t.problems, problemAt(place{src: t.src, line: line, column: column}, message, allowed, ""))
}

func (t *traceParser) row(line int, text string) {
	fields := strings.Split(text, ",")
	if len(fields) != 2 {
		t.report(line, 1, fmt.Sprintf("the row has %d fields", len(fields)), "two: "+t.header)
		return
	}
	at, problem := traceInstant(strings.TrimSpace(fields[0]))
	if problem == "" && len(t.from) > 0 && at <= t.from[len(t.from)-1] {
		problem = "t_s is " + quote(fields[0]) + ", not after the row before"
	}
	if problem != "" {
		t.report(line, 1, problem, "seconds from 0 to 315_360_000, each row later than the one before")
	}
	read := t.count
	if t.header == rateHeader {
		read = t.rate
	}
	if ok := read(line, len([]rune(fields[0]))+2, fields[1]); ok && problem == "" {
		t.from = append(t.from, at)
	}
}

// count reads the second field of a row of t_s,count.
func (t *traceParser) count(line, column int, text string) bool {
	count, ok := parseCount(strings.TrimSpace(text))
	if !ok || count > maxWorkers {
		t.report(line, column, "count is "+quote(text), "a whole number from 0 to 100_000_000")
		return false
	}
	if t.total > t.most-int(count) {
		t.report(line, column, "the counts add up to more than 100_000_000", "a herd of at most 100_000_000 workers")
		return false
	}
	t.total += int(count)
	t.counts = append(t.counts, int(count))
	return true
}

// rate reads the second field of a row of t_s,rate.
func (t *traceParser) rate(line, column int, text string) bool {
	rate, ok := parseRate(strings.TrimSpace(text) + "/s")
	if most, _ := parseRate(maxRate); !ok || rate.PerSecond() > most.PerSecond() {
		t.report(line, column, "rate is "+quote(text), "a plain number of arrivals per second, from 0 to 1_000_000_000")
		return false
	}
	t.rates = append(t.rates, rate)
	return true
}

// traceInstant reads seconds as whole nanoseconds.
func traceInstant(text string) (time.Duration, string) {
	r, ok := decimal(text)
	if !ok {
		return 0, "t_s is " + quote(text) + ", no plain number"
	}
	r.Mul(r, big.NewRat(int64(time.Second), 1))
	switch {
	case r.Cmp(new(big.Rat).SetInt64(int64(longest))) > 0:
		return 0, "t_s is " + quote(text) + ", out of range"
	case !r.IsInt():
		return 0, "t_s is " + quote(text) + ", finer than a nanosecond"
	}
	return time.Duration(r.Num().Int64()), ""
}

// bins returns the rows as intervals, nil if there was a problem.
func (t *traceParser) bins() []sim.Bin {
	if len(t.problems) > 0 {
		return nil
	}
	bins := make([]sim.Bin, len(t.from))
	for i, from := range t.from {
		bins[i] = sim.Bin{From: from, To: t.end(i), Count: t.counts[i]}
	}
	if t.total == 0 {
		t.report(1, 1, "the counts add up to 0", "a herd of at least 1 worker")
		return nil
	}
	return bins
}

// end returns where row i ends.
func (t *traceParser) end(i int) time.Duration {
	if i+1 < len(t.from) {
		return t.from[i+1]
	}
	return later(t.from[i], t.from[i]-t.from[i-1])
}

// phases returns the rows before the horizon as phases of a constant rate, nil if there was a problem.
func (t *traceParser) phases(horizon time.Duration) []sim.Phase {
	if len(t.problems) > 0 {
		return nil
	}
	var phases []sim.Phase
	for i, from := range t.from {
		p := sim.Phase{From: from, To: min(t.end(i), horizon)}
		if t.header == rateHeader {
			p.Rate = t.rates[i]
		} else {
			p.Rate = downstream.Rate{Events: int64(t.counts[i]), Per: t.end(i) - from}
		}
		if p.From < p.To && p.Rate.Events > 0 {
			phases = append(phases, p)
		}
	}
	if len(phases) == 0 {
		t.report(1, 1, "nobody arrives before the horizon of "+formatDuration(horizon), "a trace with an arrival before the horizon")
	}
	return phases
}
