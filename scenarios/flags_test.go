package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"herdsim/downstream"
	"herdsim/strategies"
)

// with loads dirac with what flags change in it.
func with(t *testing.T, r Request) *Scenario {
	t.Helper()
	r.Source = "dirac"
	s, err := Load(r)
	if err != nil {
		t.Fatalf("%+v:\n%v", r, err)
	}
	return s
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		set  []string
		got  func(*Scenario) any
		want any
	}{
		{[]string{"workers=5000"}, func(s *Scenario) any { return s.Workers }, 5000},
		{[]string{"workers=5_000"}, func(s *Scenario) any { return s.Workers }, 5000},
		{[]string{" workers = 5 "}, func(s *Scenario) any { return s.Workers }, 5},
		{[]string{"workers=5", "workers=6"}, func(s *Scenario) any { return s.Workers }, 6},
		{[]string{"downstream.outages[0].to=1s"}, func(s *Scenario) any { return s.Downstream.Outages[0].To }, time.Second},
		{[]string{"downstream.outages[1].from=1s", "downstream.outages[1].to=2s"}, func(s *Scenario) any { return len(s.Downstream.Outages) }, 2},
		{[]string{"downstream.outages[0]=null"}, func(s *Scenario) any { return len(s.Downstream.Outages) }, 0},
		{[]string{"downstream.outages=null"}, func(s *Scenario) any { return len(s.Downstream.Outages) }, 0},
		{[]string{"downstream.outages=[{from: 0s, to: 1s}, {from: 2s, to: 3s}]"}, func(s *Scenario) any { return len(s.Downstream.Outages) }, 2},
		{[]string{"arrivals.rate=80/s"}, func(s *Scenario) any { return s.Arrivals.Phases[0].Rate }, downstream.Rate{Events: 80, Per: time.Second}},
		{[]string{"arrivals.rate=80/s", "arrivals=null"}, func(s *Scenario) any { return s.Arrivals == nil }, true},
		{[]string{"arrivals=~"}, func(s *Scenario) any { return s.Arrivals == nil }, true},
		{[]string{"downstream.service.exponential=50ms"}, func(s *Scenario) any { return s.Downstream.Service }, downstream.Exponential{M: 50 * time.Millisecond}},
		{[]string{"downstream.queue=null"}, func(s *Scenario) any { return s.Downstream.Queue }, 0},
		{[]string{"downstream.slots=null", "downstream.capacity=200/s"}, func(s *Scenario) any { return s.Downstream.Slots }, 20},
		{[]string{"title=Half a second: too long # no comment"}, func(s *Scenario) any { return s.Title }, "Half a second: too long # no comment"},
		{[]string{`title="quoted \u00e4"`}, func(s *Scenario) any { return s.Title }, "quoted ä"},
		{[]string{"title=a=b"}, func(s *Scenario) any { return s.Title }, "a=b"},
		{[]string{"title="}, func(s *Scenario) any { return s.Title }, ""},
		{[]string{"strategies[0].fixed.delay=2s"}, func(s *Scenario) any { return s.Strategies[0].Strategy }, strategies.Fixed{Delay: 2 * time.Second}},
		{[]string{"strategies[6].paced={}"}, func(s *Scenario) any { return s.Strategies[6].Key }, "paced"},
		{[]string{"strategies[7]=immediate", "limits.max_attempts=3"}, func(s *Scenario) any { return s.Strategies[7].Key }, "immediate"},
		{[]string{"expect=null", "strategies=[fixed]"}, func(s *Scenario) any { return len(s.Strategies) }, 1},
	} {
		if got := c.got(with(t, Request{Set: c.set})); got != c.want {
			t.Errorf("--set %s gives %v, want %v", strings.Join(c.set, " --set "), got, c.want)
		}
	}
}

func TestStrategyFlag(t *testing.T) {
	for _, c := range []struct {
		spec string
		want Entry // what the SPEC decides of it
	}{
		{"full-jitter", Entry{Name: "full-jitter", Strategy: strategies.FullJitter{Base: time.Second, Factor: 2}}},
		{"paced", Entry{Name: "paced"}},
		{"paced()", Entry{Name: "paced()"}},
		{" exponential( base = 1s,cap=30s ) ", Entry{Name: "exponential( base = 1s,cap=30s )",
			Strategy: strategies.Exponential{Base: time.Second, Factor: 2, Cap: 30 * time.Second}}},
		{"exponential(name=ours, jitter=+10%, first_wait=5s, retry_after=ignore)", Entry{Name: "ours", FirstWait: 5 * time.Second, IgnoreRetryAfter: true,
			Strategy: strategies.Exponential{Base: time.Second, Factor: 2, Jitter: strategies.Jitter{Kind: strategies.JitterAbove, Share: 0.1}}}},
		{`fixed(name="a, (b)", limits.max_attempts=5)`, Entry{Name: "a, (b)", Limits: Limits{MaxAttempts: 5}, Strategy: strategies.Fixed{Delay: time.Second}}},
		{"fixed(name=a,limits={max_attempts: 5, max_elapsed: 1m})", Entry{Name: "a", Limits: Limits{MaxAttempts: 5, MaxElapsed: time.Minute}, Strategy: strategies.Fixed{Delay: time.Second}}},
		{"schedule(delays=[1s, 1m])", Entry{Name: "schedule(delays=[1s, 1m])", Strategy: strategies.Schedule{Delays: []time.Duration{time.Second, time.Minute}}}},
		{"immediate(name=i, limits.max_attempts=1)", Entry{Name: "i", Limits: Limits{MaxAttempts: 1}, Strategy: strategies.Immediate{}}},
	} {
		s := with(t, Request{Strategies: []string{c.spec}})
		got := s.Strategies[0]
		got.Key, got.Formula = "", ""
		if diff := cmp.Diff(c.want, got); diff != "" || len(s.Strategies) != 1 {
			t.Errorf("--strategy %q (-want +got):\n%s", c.spec, diff)
		}
	}
}

func TestSeedAndReplicates(t *testing.T) {
	seed, replicates := uint64(1<<63), 5
	s := with(t, Request{Set: []string{"seed=7", "replicates=7"}, Seed: &seed, Replicates: &replicates})
	if s.Seed != seed || s.Replicates != replicates {
		t.Errorf("seed %d, replicates %d, want %d, %d: a flag of its own wins", s.Seed, s.Replicates, seed, replicates)
	}
}

// A line of expect that names a strategy which a flag took out is skipped, one that names nothing is an error.
func TestExpectOfARemovedStrategy(t *testing.T) {
	for _, r := range []Request{
		{Strategies: []string{"full-jitter"}},
		{Set: []string{"strategies[1]=null"}},
		{Set: []string{"strategies[1].name=other"}},
	} {
		s := with(t, r)
		if len(s.Expect) != 1 || len(s.Skipped) != 1 || !strings.Contains(s.Skipped[0].Skipped, `"exponential"`) {
			t.Errorf("%+v: expect %v, skipped %v, want one each", r, s.Expect, s.Skipped)
		}
		if strings.Contains(string(s.YAML()), "exponential.completion") {
			t.Errorf("%+v: what is written still has the line", r)
		}
	}
}

// What is wrong with flags, all of it in one golden file: each block is a command line with what Load says.
func TestRejectedFlags(t *testing.T) {
	var b strings.Builder
	try := func(r Request) {
		r.Source = "dirac"
		for _, s := range r.Set {
			fmt.Fprintf(&b, "--set %q ", s)
		}
		for _, s := range r.Strategies {
			fmt.Fprintf(&b, "--strategy %q ", s)
		}
		_, err := Load(r)
		var problems Errors
		if !errors.As(err, &problems) {
			t.Errorf("%+v gives %v, want Errors", r, err)
			return
		}
		for _, p := range problems {
			if !strings.HasPrefix(p.File, "--") {
				t.Errorf("%+v: the place is %s, want the flag", r, p.File)
			}
		}
		b.WriteString("\n" + problems.Error() + "\n\n")
	}
	for _, set := range []string{
		"workers", "workers=", "=5", "workers=abc", "wrokers=5", "workers.size=5", "downstream.outages.to=1s", "workers[0]=5",
		"downstream.outages[5].to=1s", "downstream.outages[1].to=1s", "downstream.outages[1]=null", "downstream[0]=1", "a..b=5",
		"downstream.outages[-1].to=1s", "downstream.outages[9999999].to=1s", "arivals=null", "workers=null", "name=null",
		"downstream=null", "strategies=null", "downstream.outages=[{from: 0s", "title='x", "title=\x1b[31m", "title=\xff",
		"downstream.outages=[&a {from: 0s, to: 1s}]", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v=1", "strategies[0]=fxed",
		"window=100", "horizon=0s", "arrivals.rate=5", "limits={max_attempts: -1}", "strategies[1].name=fixed",
	} {
		try(Request{Set: []string{set}})
	}
	for _, spec := range []string{
		"", "()", "fulljitter", "full-jitter(", "full-jitter)", "full-jitter(base)", "full-jitter(base=1)", "full-jitter(bse=1s)",
		"full-jitter(base=1s, base=2s)", "full-jitter(base=1s,)", "full-jitter(base=1s", "schedule", "schedule(delays=[1s)",
		"schedule(delays=1s)", "exponential(base=10s, cap=1s)", "immediate", "fixed(delay=0s)", "fixed(name=)", "fixed(delay=)",
		"fixed(name=\"x)", "fixed(delay=1s) and more", "exponential(base=1s, cap=30s, jitter=10%, clamp=both, first_exponent=1, factor=3)",
		"fixed(start={trace: nowhere.csv})", "fixed(limits.max=5)", "preset(sidekick-8)", "preset(sidekiq)",
		"preset()", "preset", "preset(sidekiq-8, delay=1s)", "preset(sidekiq-8, grain=none, rounding=up)", "sidekiq-8",
	} {
		try(Request{Strategies: []string{spec}})
	}
	try(Request{Strategies: []string{"fixed", "full-jitter", "fixed"}})
	try(Request{Set: []string{"workers=x", "window=1"}, Strategies: []string{"fixed(delay=1)", "linear(base=1)"}})
	golden(t, "testdata/flags.txt", b.String())
}

func TestSources(t *testing.T) {
	const text = "name: %s\nworkers: 1\ndownstream: {slots: 1}\nstrategies: [fixed]\n"
	t.Chdir(t.TempDir())
	write := func(path, name string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(strings.Replace(text, "%s", name, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func(source, want string) {
		t.Helper()
		s, err := Load(Request{Source: source, Stdin: strings.NewReader(strings.Replace(text, "%s", "from-stdin", 1))})
		if err != nil || s.Name != want {
			t.Errorf("Load(%q) = %+v, %v, want %s", source, s, err, want)
		}
	}
	load("dirac", "dirac")
	if err := os.Mkdir("dirac", 0o755); err != nil {
		t.Fatal(err)
	}
	load("dirac", "dirac") // a folder, such as one of results, hides nothing
	write("dirac.yaml", "beside")
	load("dirac", "dirac")
	load("dirac.yaml", "beside")
	load(filepath.Join(".", "dirac.yaml"), "beside")
	write("plain", "without-ending")
	load("plain", "without-ending")
	load("-", "from-stdin")
}

func TestUnreadableSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("large.yaml", make([]byte, largestFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder.yaml", 0o755); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"":             `"": no such file, and no built-in scenario`,
		"dirca":        `did you mean "dirac"?`,
		"nowhere.yaml": "nowhere.yaml: cannot open: no such file or directory",
		"./nowhere":    "./nowhere: cannot open: no such file or directory",
		"folder.yaml":  "folder.yaml: is a folder",
		"large.yaml":   "large.yaml: the file is larger than 1 MiB",
		"-":            "stdin: there is no standard input",
	} {
		_, err := Load(Request{Source: source})
		var problems Errors
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q) gives %v, want %q", source, err, want)
		}
	}
}
