package scenarios

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every example of the documentation of parts is the piece of a scenario that loads.
func TestExamplesOfPartsLoad(t *testing.T) {
	var blocks [][]string
	for _, page := range []string{"downstream", "broker"} {
		text, err := os.ReadFile("../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, yamlBlock.FindAllStringSubmatch(string(text), -1)...)
	}
	t.Chdir("testdata/accepted") // where the trace is
	if len(blocks) < 17 {
		t.Fatalf("%d examples, want one for each part", len(blocks))
	}
	for _, block := range blocks {
		whole := "name: example\nstrategies: [fixed]\n" + block[1]
		if !regexp.MustCompile(`(?m)^(workers|arrivals|clients|cron):`).MatchString(whole) {
			whole += "workers: 10\n"
		}
		if !strings.Contains(whole, "\ndownstream:") {
			whole += "downstream: {slots: 1}\n"
		}
		if _, err := Load(Request{Source: "-", Stdin: strings.NewReader(whole)}); err != nil {
			t.Errorf("%s\n%v", whole, err)
		}
	}
}

// Every key of the parts is explained.
func TestKeysOfPartsAreExplained(t *testing.T) {
	explained(t, "downstream", [][]Field{
		arrivalsFields, phaseFields, rampFields, sineFields, spikeFields, clientsFields, cronFields, tierFields, verdictFields,
		outageFields, rampUpFields, queueTimeoutFields, placeFields, slowdownFields, warmUpFields, cacheFields, poolFields,
		crashFields, livenessFields,
	})
	explained(t, "broker", [][]Field{messagesFields, brokerFields, alertFields, replayFields, queueFields, publishFields})
}

func explained(t *testing.T, page string, tables [][]Field) {
	t.Helper()
	text, err := os.ReadFile("../docs/" + page + ".md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range tables {
		for _, f := range fields {
			if !regexp.MustCompile("[`{ ]" + f.Key + "[`:,}]").Match(text) {
				t.Errorf("docs/%s.md does not name the key %s", page, f.Key)
			}
		}
	}
}

// Every topology is explained.
func TestTopologiesAreExplained(t *testing.T) {
	text, err := os.ReadFile("../docs/broker.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range brokerFields {
		if f.Key != "topology" {
			continue
		}
		for _, w := range f.Words {
			if !strings.Contains(string(text), "\n| `"+w+"` | ") {
				t.Errorf("docs/broker.md has no line for %s", w)
			}
		}
	}
}
