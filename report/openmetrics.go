package report

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"herdsim/sim"
)

// MetricsEpoch is t0 in the time stamps of metrics: 2025-01-01 00:00 UTC, in Unix time.
const MetricsEpoch = 1735689600

// WriteOpenMetrics writes all finished runs as a Prometheus would have scraped them: every so often from t0 to the end of
// the run, and once after it. A scrape sees what happened before it; what is counted by windows it sees when their window
// is over. Entries without a count of executions have no metrics of them.
//
// The format is OpenMetrics 1.0, which demands all samples of a series in a row and all series of a family: so a family is
// worked out for one series after the other, and nothing is kept.
//
// Source: https://github.com/OpenObservability/OpenMetrics, specification/OpenMetrics.md.
func (r *Report) WriteOpenMetrics(w io.Writer, every time.Duration) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, f := range families {
		f.writeHead(out)
		for i := range r.Entries {
			for j, result := range r.Entries[i].Runs {
				if result == nil {
					continue
				}
				s := scraped{report: r, Result: result, every: every}
				if counts := r.Entries[i].Executions; counts != nil {
					s.executions = counts[j]
				}
				labels := label("scenario", r.Setup.Name) + "," + label("strategy", r.Entries[i].Name) + "," + label("replicate", strconv.Itoa(j+1))
				for _, series := range f.series(&s) {
					if err := series.write(out, f, labels, &s); err != nil {
						return err
					}
				}
			}
		}
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

// A family is a metric with all its series.
type family struct {
	name, kind, unit, help string
	series                 func(*scraped) []series
}

// writeHead writes what is said of a family before its samples. A write error stays in the writer.
func (f *family) writeHead(out *bufio.Writer) {
	out.WriteString("# TYPE " + f.name + " " + f.kind + "\n")
	if f.unit != "" {
		out.WriteString("# UNIT " + f.name + " " + f.unit + "\n")
	}
	out.WriteString("# HELP " + f.name + " " + f.help + "\n")
}

// A series is what one set of labels of a family shows: one value a scrape, or, for a histogram, several.
type series struct {
	labels string
	steps  []step // in the order of time; before the first all is 0
}

// A step says what the values of a series are from a scrape on.
type step struct {
	scrape int64
	values []float64
}

// one returns a step of a series with one value.
func one(scrape int64, value float64) step { return step{scrape, []float64{value}} }

// write writes a series scrape by scrape.
func (s *series) write(out *bufio.Writer, f *family, common string, run *scraped) error {
	if s.labels != "" {
		common += "," + s.labels
	}
	names := f.sampleNames(common)
	values, steps := make([]float64, len(names)), s.steps
	var line []byte
	for scrape := range run.scrapes() {
		for len(steps) > 0 && steps[0].scrape <= scrape {
			values, steps = steps[0].values, steps[1:]
		}
		for i, name := range names {
			line = append(append(line[:0], name...), ' ')
			line = strconv.AppendFloat(line, values[i], 'f', -1, 64)
			line = appendStamp(append(line, ' '), time.Duration(scrape)*run.every)
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// sampleNames returns what the lines of one scrape begin with.
func (f *family) sampleNames(labels string) []string {
	switch f.kind {
	case "counter":
		return []string{f.name + "_total{" + labels + "}"}
	case "histogram":
		var names []string
		for _, bound := range sleepBounds {
			names = append(names, f.name+"_bucket{"+labels+","+label("le", formatBound(bound))+"}")
		}
		return append(names, f.name+"_count{"+labels+"}", f.name+"_sum{"+labels+"}")
	}
	return []string{f.name + "{" + labels + "}"}
}

// formatBound writes a bound of a bucket as OpenMetrics wants it: always as a float.
func formatBound(bound float64) string {
	if math.IsInf(bound, 1) {
		return "+Inf"
	}
	text := strconv.FormatFloat(bound, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// appendStamp appends an instant as Unix time in seconds.
func appendStamp(b []byte, t time.Duration) []byte {
	b = strconv.AppendInt(b, MetricsEpoch+int64(t/time.Second), 10)
	if fraction := t % time.Second; fraction > 0 {
		digits := strconv.FormatInt(int64(time.Second+fraction), 10)[1:]
		b = append(append(b, '.'), strings.TrimRight(digits, "0")...)
	}
	return b
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func label(name, value string) string { return name + `="` + labelEscapes.Replace(value) + `"` }

// scraped is a run of which metrics are written.
type scraped struct {
	*sim.Result
	report     *Report
	executions *ExecutionCount // nil for none
	every      time.Duration
}

// scrapes returns how many there are: from t0 to the first that sees everything, and at least two.
func (s *scraped) scrapes() int64 {
	last := s.after(s.EndedAt)
	if n := len(s.Windows); n > 0 {
		last = max(last, s.seen(s.Windows[n-1].Index))
	}
	return max(last, 1) + 1
}

// after returns the first scrape at or after an instant.
func (s *scraped) after(t time.Duration) int64 {
	n := int64(t / s.every)
	if t%s.every > 0 {
		n++
	}
	return n
}

// seen returns the first scrape at or after the end of a window.
func (s *scraped) seen(window int64) int64 {
	if window >= math.MaxInt64/int64(s.Window)-1 {
		return s.after(math.MaxInt64)
	}
	return s.after(time.Duration(window+1) * s.Window)
}
