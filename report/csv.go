package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"io"
	"iter"
	"strconv"
	"strings"

	"herdsim/sim"
)

// WriteSummaryCSV writes summary.csv: a header, then a line for each finished run.
func (r *Report) WriteSummaryCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	rows := r.Summary()
	for i := range rows {
		if err := c.Write(rows[i].Cells()); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// WriteRequestsCSV writes requests.csv: for each finished run a line for each window in which something happened.
func (r *Report) WriteRequestsCSV(w io.Writer) error {
	return writeSeries(w, r, requestColumns, requestRows)
}

// WriteCompletionCSV writes completion.csv: for each finished run a line for each window in which a task of the herd was
// served.
func (r *Report) WriteCompletionCSV(w io.Writer) error {
	return writeSeries(w, r, completionColumns, completionRows)
}

// cellAppender is a row of numbers that need no quoting.
type cellAppender[T any] interface {
	*T
	appendCell(b []byte, column int) []byte
}

// writeSeries writes the rows of all finished runs, each with its strategy and replicate before it.
func writeSeries[T any, P cellAppender[T]](
	w io.Writer, r *Report, header []string, rows func(*sim.Result) iter.Seq[T],
) error {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString("strategy,replicate," + strings.Join(header, ",") + "\n")
	var line []byte
	for i := range r.Entries {
		for j, result := range r.Entries[i].Runs {
			if result == nil {
				continue
			}
			prefix := runPrefix(r.Entries[i].Name, j+1)
			for row := range rows(result) {
				line = append(line[:0], prefix...)
				for c := range header {
					line = P(&row).appendCell(append(line, ','), c)
				}
				if _, err := out.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

// runPrefix returns the cells strategy and replicate, quoted where they need it.
func runPrefix(strategy string, replicate int) []byte {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	// A buffer takes everything, and the only field error, a bare line break, is quoted by the writer.
	_ = c.Write([]string{strategy, strconv.Itoa(replicate)})
	c.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
