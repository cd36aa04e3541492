package report

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The columns of every CSV file are documented, and no others.
func TestDocsNameEveryColumn(t *testing.T) {
	text, err := os.ReadFile("../docs/files.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]string{
		"requests.csv":   append([]string{"strategy", "replicate"}, requestColumns...),
		"completion.csv": append([]string{"strategy", "replicate"}, completionColumns...),
		"load.csv":       append([]string{"strategy", "replicate"}, loadColumns...),
		"queues.csv":     append([]string{"strategy", "replicate"}, queueLineColumns...),
		"attempts.csv":   strings.Split(strings.TrimSpace(attemptsHeader), ","),
	} {
		_, section, _ := strings.Cut(string(text), "\n## "+file+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		var got []string
		for line := range strings.Lines(section) {
			cells := strings.Split(line, "|")
			if len(cells) < 3 || !strings.HasPrefix(line, "| `") {
				continue
			}
			for name := range strings.SplitSeq(cells[1], ",") {
				got = append(got, strings.Trim(name, " `"))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("docs/files.md has %v for %s, want %v", got, file, want)
		}
	}
}

// Every metric is documented, under the name that its samples have, and no others.
func TestDocsNameEveryMetric(t *testing.T) {
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasPrefix(line, "| `") {
			got = append(got, strings.Trim(cells[1], " `")+" "+strings.TrimSpace(cells[2]))
		}
	}
	for _, f := range families {
		name := f.name
		if f.kind == "counter" {
			name += "_total"
		}
		want = append(want, name+" "+f.kind)
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/metrics.md has %q, want %q", got, want)
	}
}

// The dashboard and the rules read no metric that a run does not write.
func TestMonitoringReadsWhatIsWritten(t *testing.T) {
	known := map[string]bool{}
	for _, f := range families {
		switch f.kind {
		case "counter":
			known[f.name+"_total"] = true
		case "histogram":
			known[f.name+"_bucket"] = true
		default:
			known[f.name] = true
		}
	}
	for _, file := range []string{"dashboard.json", "rules.yml", "rules_test.yml"} {
		text, err := os.ReadFile("../monitoring/" + file)
		if err != nil {
			t.Fatal(err)
		}
		names := regexp.MustCompile(`\b(?:worker|downstream)_\w+`).FindAllString(string(text), -1)
		if len(names) == 0 {
			t.Errorf("%s reads nothing", file)
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s reads %s", file, name)
			}
		}
	}
}
