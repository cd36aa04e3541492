package scenarios

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"herdsim/sim"
)

const (
	largestTrace = 16 << 20 // bytes
	mostRows     = 1_000_000
	traceHeader  = "t_s,count"
)

// parseTrace reads a measured herd: a line t_s,count, then rows of an instant in seconds and how many called from then
// to the instant of the next row. The last row is as wide as the one before it.
func parseTrace(name string, data []byte) ([]sim.Bin, Errors) {
	if len(data) > largestTrace {
		return nil, Errors{{File: name, Message: "the trace is larger than 16 MiB", Allowed: "a trace of at most 16 MiB"}}
	}
	text := []byte(strings.TrimPrefix(string(data), "\ufeff"))
	if p := textProblem(name, text); p != nil {
		return nil, Errors{*p}
	}
	t := traceParser{src: newSource(name, text)}
	lines := t.src.lines
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != traceHeader {
		t.report(1, 1, "the first line is not "+traceHeader, "a CSV file with the columns "+traceHeader)
		return nil, t.problems
	}
	if rows := len(lines) - 1; rows < 2 {
		t.report(len(lines), 1, "the trace has "+map[int]string{0: "no row", 1: "1 row"}[rows], "at least 2, for the last one is as wide as the one before it")
	}
	if len(lines)-1 > mostRows {
		t.report(mostRows+2, 1, fmt.Sprintf("the trace has %d rows", len(lines)-1), "at most "+formatCount(mostRows))
		return nil, t.problems
	}
	for i, line := range lines[1:] {
		if t.row(i+2, line); len(t.problems) >= mostShown {
			break
		}
	}
	return t.bins(), t.problems
}

// A traceParser collects the rows of a trace.
type traceParser struct {
	src      *source
	from     []time.Duration
	counts   []int
	total    int
	problems Errors
}

func (t *traceParser) report(line, column int, message, allowed string) {
	t.problems = append(t.problems, problemAt(place{src: t.src, line: line, column: column}, message, allowed, ""))
}

func (t *traceParser) row(line int, text string) {
	fields := strings.Split(text, ",")
	if len(fields) != 2 {
		t.report(line, 1, fmt.Sprintf("the row has %d fields", len(fields)), "two: "+traceHeader)
		return
	}
	at, problem := traceInstant(strings.TrimSpace(fields[0]))
	if problem == "" && len(t.from) > 0 && at <= t.from[len(t.from)-1] {
		problem = "t_s is " + quote(fields[0]) + ", not after the row before"
	}
	if problem != "" {
		t.report(line, 1, problem, "seconds from 0 to 315_360_000, each row later than the one before")
	}
	column := len([]rune(fields[0])) + 2
	count, ok := parseCount(strings.TrimSpace(fields[1]))
	if !ok || count > maxWorkers {
		t.report(line, column, "count is "+quote(fields[1]), "a whole number from 0 to 100_000_000")
		return
	}
	if t.total+int(count) > maxWorkers {
		t.report(line, column, "the counts add up to more than 100_000_000", "a herd of at most 100_000_000 workers")
		return
	}
	if problem != "" {
		return
	}
	t.total += int(count)
	t.from = append(t.from, at)
	t.counts = append(t.counts, int(count))
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
		to := from
		if i+1 < len(t.from) {
			to = t.from[i+1]
		} else {
			to += from - t.from[i-1]
		}
		bins[i] = sim.Bin{From: from, To: to, Count: t.counts[i]}
	}
	if t.total == 0 {
		t.report(1, 1, "the counts add up to 0", "a herd of at least 1 worker")
		return nil
	}
	return bins
}
