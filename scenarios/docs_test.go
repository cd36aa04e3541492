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
	text, err := os.ReadFile("../docs/downstream.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("testdata/accepted") // where the trace is
	blocks := yamlBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 15 {
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
	text, err := os.ReadFile("../docs/downstream.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range [][]Field{
		arrivalsFields, phaseFields, rampFields, sineFields, spikeFields, clientsFields, cronFields, tierFields, verdictFields,
		outageFields, rampUpFields, queueTimeoutFields, placeFields, slowdownFields, warmUpFields, cacheFields, poolFields,
		crashFields, livenessFields,
	} {
		for _, f := range fields {
			if !regexp.MustCompile("[`{ ]" + f.Key + "[`:,}]").Match(text) {
				t.Errorf("docs/downstream.md does not name the key %s", f.Key)
			}
		}
	}
}
