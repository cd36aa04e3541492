package scenarios

import (
	"strings"
	"testing"
)

// tim-kos/node-retry#3: a factor of 0.5 gave waits in falling order, and was then hidden by sorting them, which turns
// random waits into order statistics. Here it is no factor.
func TestFallingFactorIsRefused(t *testing.T) {
	for _, spec := range []string{"exponential(factor=0.5)", "full-jitter(factor=0.5)", "compounding(factor=0.5)", "preset(node-retry-default, factor=0.5)"} {
		_, err := Load(Request{Source: "dirac", Strategies: []string{spec}})
		if err == nil || !strings.Contains(err.Error(), `factor is "0.5", out of range; a number from 1 to 1000`) {
			t.Errorf("%s: %v, want an error that names the factor and what is allowed", spec, err)
		}
	}
}
