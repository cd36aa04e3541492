package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"runtime"

	"herdsim/sim"
)

// FormatVersion is that of result.json. It grows when a reader of the old form could go wrong with the new one; new
// fields alone do not change it.
const FormatVersion = 1

// A Document is result.json: all that the CSV files hold but the attempts, and what led to it.
type Document struct {
	FormatVersion int             `json:"format_version"`
	Version       string          `json:"herdsim_version"`
	GOOS          string          `json:"goos"`
	GOARCH        string          `json:"goarch"`
	Partial       bool            `json:"partial"`      // interrupted: some runs are missing
	Expectations  []Expected      `json:"expectations"` // null if partial
	Scenario      json.RawMessage `json:"scenario"`     // whole, with defaults
	Runs          []Run           `json:"runs"`
}

// A Run is one strategy and replicate of a Document.
type Run struct {
	Summary    Row             `json:"summary"`
	End        string          `json:"end"` // what ended it: last event, horizon, max_events, windows, queue, tasks
	EndedAt    Seconds         `json:"ended_at_s"`
	Requests   []RequestRow    `json:"requests"`
	Completion []CompletionRow `json:"completion"`
	Load       []LoadRow       `json:"load"` // empty where load.csv is not written
	Crashes    []Interval      `json:"crashes"`
	Verdict    Judgement       `json:"verdict"`
	Guards     []Guard         `json:"guards"`
	Queues     []Queue         `json:"queues"` // of the broker
}

// endNames are what result.json calls that which ended a run.
var endNames = map[sim.CutOff]string{
	sim.NotCutOff: "last event", sim.AtHorizon: "horizon", sim.AtMaxEvents: "max_events", sim.AtMaxWindows: "windows",
	sim.AtMaxRequests: "queue", sim.AtMaxTasks: "tasks", sim.Cancelled: "interrupted",
}

// WriteJSON writes result.json: the same bytes for the same report on one platform. Each run's summary, each window and
// each completion is a line of its own; missing and infinite values are null.
func (r *Report) WriteJSON(w io.Writer) error {
	head, err := marshal(Document{
		FormatVersion: FormatVersion, Version: r.Version, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Partial: r.Partial, Expectations: r.Expected, Scenario: r.Scenario,
	}, "  ")
	if err != nil {
		return fmt.Errorf("scenario: %w", err)
	}
	head, ok := bytes.CutSuffix(head, []byte("\"runs\": null\n}"))
	if !ok {
		panic("report: runs are not the last field of a Document")
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(head)
	out.WriteString("\"runs\": [")
	first := true
	for i := range r.Entries {
		e := &r.Entries[i]
		for j, result := range e.Runs {
			if result == nil {
				continue
			}
			if !first {
				out.WriteByte(',')
			}
			first = false
			if err := r.writeRun(out, i, j, result); err != nil {
				return err
			}
		}
	}
	if !first {
		out.WriteString("\n  ")
	}
	out.WriteString("]\n}\n")
	return out.Flush()
}

func (r *Report) writeRun(out *bufio.Writer, entry, run int, result *sim.Result) error {
	summary, err := marshal(newRow(&r.Setup, &r.Entries[entry], run, result), "")
	if err != nil {
		return err
	}
	out.WriteString("\n    {\n      \"summary\": ")
	out.Write(summary)
	fmt.Fprintf(out, ",\n      \"end\": %q,\n      \"ended_at_s\": %s", endNames[result.End], ExactSeconds(result.EndedAt))
	out.WriteString(",\n      \"requests\": ")
	if err := writeRows(out, requestColumns, requestRows(result)); err != nil {
		return err
	}
	out.WriteString(",\n      \"completion\": ")
	if err := writeRows(out, completionColumns, completionRows(result)); err != nil {
		return err
	}
	out.WriteString(",\n      \"load\": ")
	load := loadRows(result)
	if !r.HasLoad() {
		load = func(func(LoadRow) bool) {}
	}
	if err := writeRows(out, loadColumns, load); err != nil {
		return err
	}
	crashes := []Interval{}
	for _, c := range result.Crashes {
		crashes = append(crashes, interval(c))
	}
	v := r.Verdict(entry, run+1)
	for _, part := range []struct {
		name  string
		value any
	}{{"crashes", crashes}, {"verdict", v.judgement()}} {
		text, err := marshal(part.value, "")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, ",\n      %q: %s", part.name, text)
	}
	out.WriteString(",\n      \"guards\": ")
	if err := writeGuards(out, result); err != nil {
		return err
	}
	out.WriteString(",\n      \"queues\": ")
	if err := writeQueues(out, result); err != nil {
		return err
	}
	_, err = out.WriteString("\n    }")
	return err
}

// writeRows writes an array of objects, one a line.
func writeRows[T any, P cellAppender[T]](out *bufio.Writer, columns []string, rows iter.Seq[T]) error {
	var line []byte
	before := "[\n        {"
	for row := range rows {
		line = append(line[:0], before...)
		for i, name := range columns {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(append(line, '"'), name...), '"', ':')
			line = P(&row).appendCell(line, i)
		}
		if _, err := out.Write(append(line, '}')); err != nil {
			return err
		}
		before = ",\n        {"
	}
	end := "\n      ]"
	if line == nil {
		end = "[]"
	}
	_, err := out.WriteString(end)
	return err
}

// marshal encodes v and leaves < > & as they are, for people read the file too.
func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
