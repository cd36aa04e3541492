package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"herdsim/report"
)

// command runs a program to its end and returns what it says.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// scraped runs a scenario with metrics, loads them into a Prometheus, and returns the address of its API.
func scraped(t *testing.T, herdsim, scenario string, args ...string) (api string) {
	t.Helper()
	dir := t.TempDir()
	metrics, data, config := filepath.Join(dir, "out.om"), filepath.Join(dir, "data"), filepath.Join(dir, "prometheus.yml")
	command(t, ".", herdsim, append([]string{"run", scenario, "--out", "none", "--quiet", "--metrics", metrics, "--scrape", "1s"}, args...)...)
	command(t, ".", "promtool", "tsdb", "create-blocks-from", "openmetrics", metrics, data)
	rules, err := filepath.Abs("../monitoring/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("rule_files: ["+strconv.Quote(rules)+"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:" + freePort(t)
	// What is older than its retention a Prometheus throws away, and t0 is years ago.
	s := start(t, os.Environ(), "prometheus", "--config.file", config, "--storage.tsdb.path", data,
		"--storage.tsdb.retention.time", "100y", "--web.listen-address", address)
	s.until(t, "ready server", func() bool {
		answer, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return "http://" + address + "/api/v1/"
}

// A line is a series of an answer: its labels, and its values by the second since t0.
type line struct {
	labels map[string]string
	values map[int]float64
}

// query asks what comes of an expression at each second from t0 on.
func query(t *testing.T, api, promql string, until time.Duration) (lines []line) {
	t.Helper()
	ask := url.Values{"query": {promql}, "step": {"1"}, "start": {strconv.Itoa(report.MetricsEpoch)},
		"end": {strconv.Itoa(report.MetricsEpoch + int(until.Seconds()))}}
	reply, err := http.Get(api + "query_range?" + ask.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct {
			Result []struct {
				Metric map[string]string
				Values [][2]any
			}
		}
	}
	if err := json.NewDecoder(reply.Body).Decode(&answer); err != nil || answer.Status != "success" {
		t.Fatalf("%s: %v %s", promql, err, answer.Error)
	}
	for _, r := range answer.Data.Result {
		l := line{r.Metric, map[int]float64{}}
		for _, v := range r.Values {
			value, err := strconv.ParseFloat(fmt.Sprint(v[1]), 64)
			if err != nil {
				t.Fatal(err)
			}
			l.values[int(v[0].(float64))-report.MetricsEpoch] = value
		}
		lines = append(lines, l)
	}
	return lines
}

func binary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "herdsim")
	command(t, "..", "go", "build", "-o", path, ".")
	return path
}

// retries is the query by which one sees a herd.
const retries = `sum(rate(worker_job_execution_total{status="retry"}[10s])) by (queue)`

// shape returns how often a line rises from nothing, and in how many seconds it is more than twice as high as 10 s before.
func shape(l line, until time.Duration) (rises, doubled int) {
	for s := 1; s <= int(until.Seconds()); s++ {
		if l.values[s] > 0 && l.values[s-1] == 0 {
			rises++
		}
		if s > 10 && l.values[s] > 2*l.values[s-10] {
			doubled++
		}
	}
	return rises, doubled
}

// A herd without jitter is saw-teeth in the graphs of a Prometheus, and sets off the detector of spikes; with jitter it is a
// slope, and does not.
func TestPrometheusShowsTheShape(t *testing.T) {
	herdsim := binary(t)
	const until = 2 * time.Minute
	spikes := alertOf(t, "RetrySpike")
	for _, c := range []struct {
		strategy string
		jagged   bool
	}{{"exponential(base=1s, cap=32s)", true}, {"full-jitter(base=1s, cap=32s)", false}} {
		api := scraped(t, herdsim, "testdata/herd.yaml", "--strategy", c.strategy)
		lines := query(t, api, retries, until)
		if len(lines) != 1 || lines[0].labels["queue"] != "herd" {
			t.Fatalf("%s: %v, want one line of the herd", c.strategy, lines)
		}
		rises, doubled := shape(lines[0], until)
		if c.jagged && (rises < 3 || doubled == 0) || !c.jagged && (rises != 1 || doubled > 0) {
			t.Errorf("%s: rises %d times from nothing, doubles %d times: %v", c.strategy, rises, doubled, lines[0].values)
		}
		if fires := query(t, api, spikes, until); (len(fires) > 0) != c.jagged {
			t.Errorf("%s: the detector of spikes is on in %v", c.strategy, fires)
		}
	}
}

// alertOf returns the expression of a rule.
func alertOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../monitoring/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?s)- alert: ` + name + `\n\s+expr: >?(.*?)\n\s+(?:for|labels):`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("there is no rule %s", name)
	}
	return string(found[1])
}

func TestRules(t *testing.T) {
	t.Log(command(t, "../monitoring", "promtool", "check", "rules", "rules.yml"))
	t.Log(command(t, "../monitoring", "promtool", "test", "rules", "rules_test.yml"))
}

// Every panel of the dashboard asks for something that is there, in a run with a broker or in one with a breaker.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../monitoring/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	herdsim := binary(t)
	apis := []string{scraped(t, herdsim, "testdata/queues.yaml"), scraped(t, herdsim, "testdata/guarded.yaml")}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr := regexp.MustCompile(`\$\w+`).ReplaceAllString(target.Expr, ".*")
			n := 0
			for _, api := range apis {
				n += len(query(t, api, expr, 20*time.Second))
			}
			if n == 0 {
				t.Errorf("%s: nothing comes of %s", p.Title, expr)
			}
		}
	}
	if len(dashboard.Panels) == 0 {
		t.Error("there are no panels")
	}
}
