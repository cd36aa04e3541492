package report

import (
	"bufio"
	"io"
	"strconv"

	"herdsim/sim"
)

const attemptsHeader = "strategy,replicate,worker,attempt,t_s,outcome,end_s,waited_s,queued_s\n"

// An AttemptWriter writes attempts.csv while the runs go on: a line for each attempt, in the order in which they end.
// It keeps the first write error for Close and drops what comes after it. It must not be used by two runs at once.
type AttemptWriter struct {
	out  *bufio.Writer
	line []byte
	err  error
}

// NewAttemptWriter starts attempts.csv on w with its header.
func NewAttemptWriter(w io.Writer) *AttemptWriter {
	a := &AttemptWriter{out: bufio.NewWriterSize(w, 1<<16)}
	_, a.err = a.out.WriteString(attemptsHeader)
	return a
}

// Trace returns the function to set as sim.Config.Trace for one run; replicate counts from 1.
func (a *AttemptWriter) Trace(strategy string, replicate int) func(sim.AttemptRecord) {
	prefix := runPrefix(strategy, replicate)
	return func(r sim.AttemptRecord) {
		if a.err != nil {
			return
		}
		b := append(a.line[:0], prefix...)
		b = strconv.AppendInt(append(b, ','), r.Task, 10)
		b = strconv.AppendInt(append(b, ','), r.Attempt, 10)
		b = appendSeconds(append(b, ','), r.Sent)
		b = append(append(b, ','), r.Outcome.String()...)
		b = append(b, ',')
		if r.End >= 0 { // else in flight when the run ended
			b = appendSeconds(b, r.End)
		}
		b = appendSeconds(append(b, ','), r.Waited)
		b = appendSeconds(append(b, ','), r.Queued)
		a.line = append(b, '\n')
		_, a.err = a.out.Write(a.line)
	}
}

// Close writes what is still in memory and returns the first write error. It does not close the underlying writer.
func (a *AttemptWriter) Close() error {
	if a.err == nil {
		a.err = a.out.Flush()
	}
	return a.err
}
