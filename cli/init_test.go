package cli

import (
	"regexp"
	"strings"
	"testing"

	"herdsim/scenarios"
)

// Each line of the example that is off is right when it is on, in place of the line that says the same.
func TestEveryLineOfTheExampleIsRight(t *testing.T) {
	text := strings.ReplaceAll(exampleScenario, "{{name}}", "herd")
	off := regexp.MustCompile(`^( *)# ([a-z_]+): [^ ].*`)
	together := map[string]string{"broker": "messages", "messages": "broker"} // neither goes alone
	lines, tried := strings.Split(text, "\n"), 0
	for i, line := range lines {
		m := off.FindStringSubmatch(line)
		if m == nil || strings.Contains(line, "calls.csv") { // which lies nowhere
			continue
		}
		var changed []string
		nested := false
		for k, other := range lines {
			switch {
			case k == i:
				nested = false
				other = strings.Replace(line, "# ", "", 1)
			case strings.HasPrefix(other, m[1]+m[2]+":"):
				nested = true
				continue
			case nested && strings.HasPrefix(other, m[1]+"  "):
				continue
			case (m[2] == "tiers" || together[m[2]] != "") && strings.Contains(other, "- paced"):
				continue
			case together[m[2]] != "" && strings.HasPrefix(other, "# "+together[m[2]]+":"):
				other = strings.Replace(other, "# ", "", 1)
			default:
				nested = false
			}
			changed = append(changed, other)
		}
		tried++
		if _, err := scenarios.Load(scenarios.Request{Source: "-", Stdin: strings.NewReader(strings.Join(changed, "\n"))}); err != nil {
			t.Errorf("%s\n%v", line, err)
		}
	}
	if tried < 25 {
		t.Errorf("%d lines are off, want every key that is not on", tried)
	}
}
