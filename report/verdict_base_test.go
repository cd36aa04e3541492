package report

import "testing"

// Where nothing can succeed nothing can recover, and a service that served nobody before the trigger has no level of that
// kind to come back to.
func TestNobodyComesBackToNothing(t *testing.T) {
	run, s := flow(stretch{600, 10, 0, 40, 10}), flowSetup(600)
	at(120, 150)(run, &s)
	s.Poison = 1
	if v := Judge(run, &s, MaxRequests{Arrivals: 4}); v.State != NotApplicable || !v.Hopeless() {
		t.Errorf("all is poison: %s, want that no task can succeed", v.Sentence())
	}
	s.Poison = 0
	if v := Judge(run, &s, MaxRequests{Arrivals: 4}); v.State != Stuck {
		t.Errorf("nobody was ever served: %s, want stuck", v.Sentence())
	}
}
