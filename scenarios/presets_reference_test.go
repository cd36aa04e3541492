package scenarios

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"herdsim/strategies"
)

// sixDigits is how far off a number of the reference may be by its rounding.
const sixDigits = 5.1e-6

// A cell is the waits before one retry as the reference has them, in seconds.
type cell struct {
	preset         string
	retry          int
	min, mean, max float64
	draws          float64
}

func referenceCells(t *testing.T) []cell {
	file, err := os.Open("testdata/presets/reference.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cells []cell
	for _, r := range records[1:] {
		c := cell{preset: r[0], draws: 20_000}
		if c.preset == "grpc-go-retry-policy-a6-example" {
			c.draws = 3000
		}
		numbers := make([]float64, 4)
		for i := range numbers {
			if numbers[i], err = strconv.ParseFloat(r[i+1], 64); err != nil {
				t.Fatalf("%v: %v", r, err)
			}
		}
		c.retry, c.min, c.mean, c.max = int(numbers[0]), numbers[1], numbers[2], numbers[3]
		cells = append(cells, c)
	}
	return cells
}

// ours are the waits of a population before each of the first retries, in seconds, and their bounds.
type ours struct {
	waits    [][]float64
	min, max []float64
	spread   bool // evenly, without luck of ours: the waits are quantiles
}

// population has 2¹⁵ workers fail eight times. If waits depend on the retry alone their u are spread evenly, else they
// are drawn.
func population(s strategies.Strategy) ours {
	const workers, retries = 1 << 15, 8
	_, uniform := s.(strategies.Uniform)
	out := ours{spread: uniform}
	luck := rand.New(rand.NewPCG(1, 89))
	attempts := make([]strategies.Attempt, workers)
	for _, row := range strategies.Describe(s, retries) {
		waits := make([]float64, workers)
		for i := range attempts {
			a := &attempts[i]
			a.Retry, a.SinceReset, a.Outcome = row.Retry, row.Retry, strategies.Rejected
			u := (float64(i) + 0.5) / workers
			if !uniform {
				u = luck.Float64()
			}
			wait, _ := s.Wait(*a, u)
			a.Previous, a.PreviousU = wait, u
			waits[i] = wait.Seconds()
		}
		out.waits = append(out.waits, waits)
		out.min, out.max = append(out.min, row.Min.Seconds()), append(out.max, row.Max.Seconds())
	}
	return out
}

// TestPresetsAgainstReference compares every cell of the reference with the preset of that name. Our bounds enclose what was
// observed, and are no farther from it than 1 % of their range where so many draws must have come that near; means differ
// by less than 4 standard errors; what is constant is the same.
func TestPresetsAgainstReference(t *testing.T) {
	populations := map[string]ours{}
	for _, c := range referenceCells(t) {
		t.Run(fmt.Sprintf("%s/retry %d", c.preset, c.retry), func(t *testing.T) {
			p, ok := FindPreset(c.preset)
			if !ok {
				t.Fatalf("there is no preset %s", c.preset)
			}
			if _, ok := populations[c.preset]; !ok {
				populations[c.preset] = population(p.Entry.Strategy)
			}
			o, i := populations[c.preset], c.retry-1
			low, high, waits := o.min[i], o.max[i], o.waits[i]
			near := func(a, b float64) bool { return math.Abs(a-b) <= sixDigits*max(math.Abs(a), math.Abs(b))+1e-9 }
			if low > c.min && !near(low, c.min) || high < c.max && !near(high, c.max) {
				t.Errorf("observed %v to %v s, outside of our %v to %v s", c.min, c.max, low, high)
			}
			if low == high {
				if !near(low, c.min) || !near(low, c.mean) || !near(low, c.max) {
					t.Errorf("observed %v, %v, %v s, ours is %v s for all", c.min, c.mean, c.max, low)
				}
				return
			}
			mean, squares, nearLow, nearHigh := 0.0, 0.0, 0.0, 0.0
			edge := (high - low) / 100
			for _, w := range waits {
				mean += w / float64(len(waits))
			}
			for _, w := range waits {
				squares += (w - mean) * (w - mean)
				if w <= low+edge {
					nearLow++
				}
				if w >= high-edge {
					nearHigh++
				}
			}
			// Of 20 expected draws none comes with a chance of 2 × 10⁻⁹.
			expected := c.draws / float64(len(waits))
			if nearLow*expected >= 20 && c.min > low+edge {
				t.Errorf("observed from %v s, ours begin at %v s", c.min, low)
			}
			if nearHigh*expected >= 20 && c.max < high-edge {
				t.Errorf("observed up to %v s, ours end at %v s", c.max, high)
			}
			variance := squares / float64(len(waits))
			se := math.Sqrt(variance / c.draws)
			if !o.spread {
				se = math.Sqrt(variance/c.draws + variance/float64(len(waits)))
			}
			if math.Abs(mean-c.mean) > 4*se+sixDigits*c.mean {
				t.Errorf("observed a mean of %v s, ours is %v s, standard error %v s", c.mean, mean, se)
			}
		})
	}
}

// TestEveryClientHasAPreset: the names of all variants that were looked at, and no other.
func TestEveryClientHasAPreset(t *testing.T) {
	text, err := os.ReadFile("testdata/presets/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range strings.Fields(string(text)) {
		names[name] = true
		if _, ok := FindPreset(name); !ok {
			t.Errorf("there is no preset %s", name)
		}
	}
	groups := map[string]int{}
	for i, p := range Presets() {
		if !names[p.Name] {
			t.Errorf("%s is no name of the list", p.Name)
		}
		if i > 0 && Presets()[i-1].Name == p.Name {
			t.Errorf("%s is there twice", p.Name)
		}
		if p.Title == "" || p.Version == "" || p.Source == "" || p.Entry.Formula == "" {
			t.Errorf("%s: title %q, version %q, source %q, formula %q, want all of them", p.Name, p.Title, p.Version, p.Source, p.Entry.Formula)
		}
		groups[p.Group]++
	}
	if len(groups) != len(PresetGroups) {
		t.Errorf("presets in the groups %v, want some in each of %v", groups, PresetGroups)
	}
}

// TestPresetLimits: attempts of some clients, by the table of their documentation: retries + 1.
func TestPresetLimits(t *testing.T) {
	for name, want := range map[string]Limits{
		"sidekiq-8": {MaxAttempts: 26}, "aws-sdk-go-v2-standard": {MaxAttempts: 3}, "aws-sdk-go-v2-standard-dynamodb": {MaxAttempts: 4},
		"botocore-legacy": {MaxAttempts: 5}, "go-retryablehttp-default": {MaxAttempts: 5}, "envoy-router-retry": {MaxAttempts: 2},
		"istio-default": {MaxAttempts: 3}, "urllib3-default": {MaxAttempts: 11}, "cenkalti-backoff-v5": {MaxElapsed: 15 * time.Minute},
		"kafka-client-retry-backoff": {MaxElapsed: 2 * time.Minute}, "grpc-go-connection-backoff": {}, "tenacity-default-wait-none": {},
	} {
		if p, _ := FindPreset(name); p.Entry.Limits != want {
			t.Errorf("%s has the limits %+v, want %+v", name, p.Entry.Limits, want)
		}
	}
}
