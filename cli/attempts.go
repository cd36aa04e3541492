package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"herdsim/experiment"
	"herdsim/report"
	"herdsim/scenarios"
	"herdsim/sim"
)

// attempts gathers attempts.csv. Runs at once write a part each; join puts the parts one after the other, strategies in
// the scenario's order and replicates ascending, so that the file does not depend on which run was first.
type attempts struct {
	folder   *folder
	scenario *scenarios.Scenario

	mu    sync.Mutex
	parts map[[2]int]string // files of the runs that have ended, by strategy and replicate
}

func newAttempts(f *folder, s *scenarios.Scenario) *attempts {
	return &attempts{folder: f, scenario: s, parts: map[[2]int]string{}}
}

// A part is the attempts of one run.
type part struct {
	attempts *attempts
	key      [2]int
	file     *os.File
	out      sticky
	writer   *report.AttemptWriter
	trace    func(sim.AttemptRecord)
}

func (a *attempts) tracer(row, replicate int) (experiment.Tracer, error) {
	file, err := a.folder.temp(fmt.Sprintf("attempts.%d.%d", row+1, replicate))
	if err != nil {
		return nil, a.folder.failed(attemptsFile, err)
	}
	p := &part{attempts: a, key: [2]int{row, replicate}, file: file, out: sticky{w: file}}
	p.writer = report.NewAttemptWriter(&p.out)
	p.trace = p.writer.Trace(a.scenario.Strategies[row].Name, replicate)
	return p, nil
}

func (p *part) Attempt(r sim.AttemptRecord) error {
	p.trace(r)
	if p.out.err != nil {
		return p.attempts.folder.failed(attemptsFile, p.out.err)
	}
	return nil
}

func (p *part) Close(finished bool) error {
	err := p.writer.Close()
	if closing := p.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return p.attempts.folder.failed(attemptsFile, err)
	}
	if finished {
		p.attempts.mu.Lock()
		defer p.attempts.mu.Unlock()
		p.attempts.parts[p.key] = p.file.Name()
	}
	return nil
}

// join writes the parts to w, under one header, and removes each when it is written.
func (a *attempts) join(w io.Writer) error {
	header := true
	for row := range a.scenario.Strategies {
		for replicate := 1; replicate <= a.scenario.Replicates; replicate++ {
			name, finished := a.parts[[2]int{row, replicate}]
			if !finished {
				continue
			}
			if err := appendPart(w, name, header); err != nil {
				return err
			}
			if err := a.folder.removeTemp(name); err != nil {
				return err
			}
			header = false
		}
	}
	return nil
}

func appendPart(w io.Writer, name string, header bool) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 1<<16)
	if !header {
		if _, err := in.ReadString('\n'); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	_, err = io.Copy(w, in)
	return err
}

var _ experiment.Tracer = (*part)(nil)
