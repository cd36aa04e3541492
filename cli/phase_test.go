package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// interrupting is stderr that brings one signal, when something is written to it with the words after in it.
type interrupting struct {
	*bench
	after   string
	signals chan os.Signal
	sent    bool
}

func (w *interrupting) Write(p []byte) (int, error) {
	if !w.sent && strings.Contains(string(p), w.after) {
		w.sent = true
		w.signals <- os.Interrupt
	}
	return w.stderr.Write(p)
}

// The second cell never ends, and the signal comes when the bar says that the first has.
func TestInterruptedMapKeepsItsCells(t *testing.T) {
	out := filepath.Join(t.TempDir(), "map")
	b := newBench("phase", "-", "--x", "downstream.outages[0].to=1ms,1h", "--y", "workers=10000", "--set", "downstream.queue=unlimited", "--replicates", "1", "--out", out)
	b.Stdin = strings.NewReader(endless)
	b.terminal = 80
	signals := make(chan os.Signal)
	b.Process.Stderr, b.Signals = &interrupting{bench: b, after: "1 of at most 2 runs", signals: signals}, signals
	b.run(t, ExitInterrupted)
	if !strings.Contains(b.stderr.String(), "herdsim: interrupted; 1 of 2 cells are reported\n") {
		t.Errorf("stderr %q", &b.stderr)
	}
	for _, want := range []string{"1 cell not run", "10000  "} {
		if !strings.Contains(b.stdout.String(), want) {
			t.Errorf("stdout without %q:\n%s", want, &b.stdout)
		}
	}
	table, err := os.ReadFile(filepath.Join(out, "phase.csv"))
	if err != nil || strings.Count(string(table), "\n") != 3 || !strings.HasSuffix(string(table), "1h,workers,10000,0,0,0,0,0,\n") {
		t.Errorf("phase.csv: %v\n%s", err, table)
	}
	result, err := os.ReadFile(filepath.Join(out, "phase.json"))
	if err != nil || !strings.Contains(string(result), `"partial": true`) {
		t.Errorf("phase.json is not partial: %v", err)
	}
}

func TestInterruptBeforeTheFirstCell(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "map")
	b := newBench("phase", "-", "--x", "workers=10000,20000", "--y", "downstream.slots=1", "--out", out)
	b.Stdin = strings.NewReader(endless)
	signals := make(chan os.Signal)
	b.Signals = signals
	b.Process.Terminal = func(any) (int, bool) { signals <- os.Interrupt; return 0, false }
	b.run(t, ExitInterrupted)
	if want := "herdsim: interrupted before a cell was finished; nothing is written\n"; b.stderr.String() != want {
		t.Errorf("stderr %q, want %q", &b.stderr, want)
	}
	if _, err := os.Stat(filepath.Dir(out)); err == nil {
		t.Error("the folder is left behind")
	}
}
