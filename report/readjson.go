package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// ReadJSON reads a result.json and checks it: its format version, that every summary has all its columns, that counts
// are not negative and add up, that times ascend and shares grow. The error names the place. Fields it does not know are
// passed over.
func ReadJSON(r io.Reader) (*Document, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var version struct {
		FormatVersion int `json:"format_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, place(text, err)
	}
	if version.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("format_version: %d; allowed: %d", version.FormatVersion, FormatVersion)
	}
	if !utf8.Valid(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	var doc struct {
		Document
		Runs []json.RawMessage `json:"runs"` // hides that of Document, so that an error can say which run it is in
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, place(text, err)
	}
	d := &doc.Document
	d.Runs = make([]Run, len(doc.Runs))
	seen := map[string]bool{}
	for i, run := range doc.Runs {
		if err := json.Unmarshal(run, &d.Runs[i]); err != nil {
			return nil, fmt.Errorf("runs[%d]: %w", i, err)
		}
		if err := d.Runs[i].check(); err != nil {
			return nil, fmt.Errorf("runs[%d].%w", i, err)
		}
		s := &d.Runs[i].Summary
		key := fmt.Sprintf("%q replicate %d", s.Strategy, s.Replicate)
		if seen[key] {
			return nil, fmt.Errorf("runs[%d]: %s is there twice", i, key)
		}
		seen[key] = true
	}
	return d, nil
}

// place adds the line and column to an error of encoding/json that has an offset.
func place(text []byte, err error) error {
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return err
	}
	before := string(text[:offset])
	column := offset - int64(strings.LastIndexByte(before, '\n')) - 1
	return fmt.Errorf("line %d, column %d: %w", 1+strings.Count(before, "\n"), column, err)
}

// UnmarshalJSON reads a row that has every column.
func (r *Row) UnmarshalJSON(b []byte) error {
	var present map[string]json.RawMessage
	if err := json.Unmarshal(b, &present); err != nil {
		return err
	}
	for _, name := range columns {
		if _, ok := present[name]; !ok {
			return fmt.Errorf("summary: %s is missing", name)
		}
	}
	type plain Row // without this method
	return json.Unmarshal(b, (*plain)(r))
}

func (r *Run) check() error {
	if err := r.Summary.check(); err != nil {
		return fmt.Errorf("summary.%w", err)
	}
	for i := range r.Requests {
		q := &r.Requests[i]
		place := fmt.Sprintf("requests[%d]", i)
		for j, n := range q.counts() {
			if n < 0 {
				return fmt.Errorf("%s.%s: %d; allowed: at least 0", place, requestColumns[j+2], n)
			}
		}
		if !q.T.OK || !q.Window.OK || q.Window.D <= 0 {
			return fmt.Errorf("%s: t_s or window_s is missing or zero", place)
		}
		if i > 0 && q.T.D <= r.Requests[i-1].T.D {
			return fmt.Errorf("%s.t_s: %s; allowed: later than the window before, %s", place, q.T, r.Requests[i-1].T)
		}
		known := []int64{q.Served, q.Rejected, q.Unavailable, q.TimedOut, q.Errored} // the rest is in flight
		if rest, ok := subtract(q.Requests, known...); !ok || rest < 0 {
			return fmt.Errorf("%s.requests: %d is less than its outcomes", place, q.Requests)
		}
		if q.Failure > q.Requests {
			return fmt.Errorf("%s.failure_itself: %d; allowed: at most the requests, %d", place, q.Failure, q.Requests)
		}
	}
	for i := range r.Load {
		var before *LoadRow
		if i > 0 {
			before = &r.Load[i-1]
		}
		if err := r.Load[i].check(before); err != nil {
			return fmt.Errorf("load[%d].%w", i, err)
		}
	}
	if err := checkCrashes(r.Crashes); err != nil {
		return err
	}
	if err := r.Verdict.check(); err != nil {
		return fmt.Errorf("verdict.%w", err)
	}
	for i := range r.Guards {
		if err := r.Guards[i].check(); err != nil {
			return fmt.Errorf("guards[%d].%w", i, err)
		}
	}
	for i := range r.Queues {
		if err := r.Queues[i].check(); err != nil {
			return fmt.Errorf("queues[%d].%w", i, err)
		}
	}
	for i, c := range r.Completion {
		if !c.T.OK || !(c.Share > 0 && c.Share <= 1) {
			return fmt.Errorf("completion[%d]: %q, %v; allowed: a time, a share above 0 and at most 1", i, c.T, c.Share)
		}
		if i > 0 && (c.T.D <= r.Completion[i-1].T.D || c.Share <= r.Completion[i-1].Share) {
			return fmt.Errorf("completion[%d]: time and share must be above those before", i)
		}
	}
	return nil
}

func (r *Row) check() error {
	if r.Strategy == "" {
		return errors.New("strategy is empty")
	}
	if r.Replicate < 1 {
		return fmt.Errorf("replicate: %d; allowed: at least 1", r.Replicate)
	}
	i := 0
	for _, v := range reflect.ValueOf(r).Elem().Fields() {
		if n, ok := v.Interface().(int64); ok && n < 0 {
			return fmt.Errorf("%s: %d; allowed: at least 0", columns[i], n)
		}
		i++
	}
	if rest, ok := subtract(r.Tasks, r.Succeeded, r.DeadLettered, r.Unfinished); !ok || rest != 0 {
		return fmt.Errorf("tasks: %d is not the sum of succeeded, dead_lettered and unfinished", r.Tasks)
	}
	outcomes := []int64{r.Served, r.Rejected, r.Unavailable, r.TimedOut, r.Errored, r.InFlight}
	if rest, ok := subtract(r.Attempts, outcomes...); !ok || rest != 0 {
		return fmt.Errorf("attempts: %d is not the sum of its outcomes", r.Attempts)
	}
	if r.CutOff != (r.Unfinished > 0) {
		return fmt.Errorf("cut_off: %t; with %d unfinished tasks it is %t", r.CutOff, r.Unfinished, !r.CutOff)
	}
	return nil
}

// subtract takes parts >= 0 away from sum >= 0; not ok once less than nothing is left, so nothing overflows.
func subtract(sum int64, parts ...int64) (rest int64, ok bool) {
	for _, p := range parts {
		if sum -= p; sum < 0 {
			return sum, false
		}
	}
	return sum, true
}
