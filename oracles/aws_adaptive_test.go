package oracles

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// TestAWSAdaptive has one client send attempt after attempt through the SDK's adaptive mode and ours, in spells of more and
// of fewer rejections, and asks the SDK a little before the instant of ours, and from then on. The SDK's floats count from 1970 and are good to a fraction
// of a microsecond. Of clients that wait side by side nothing is compared: in the SDK they race for a token, here they come
// in the order of asking.
func TestAWSAdaptive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Where the SDK sleeps it may do so for 0 ns, and forever under a clock that stands still.
		sdk := retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) { o.FailOnNoAttemptTokens = true })
		guard := guardPreset(t, "adaptive-rate", "aws")
		rng, start := rand.New(rand.NewPCG(12, 13)), time.Now()
		held, rejected := 0, 0
		for i := range 20_000 {
			until, asked := time.Since(start), time.Since(start)
			if a := guard.Admit(asked, guards.Call{}, 0.5); a.Verdict == guards.Delay {
				until = a.Until
			}
			if until > asked {
				held++
			}
			if early := until - rounding - asked; early >= 0 {
				time.Sleep(early)
				if _, err := sdk.GetAttemptToken(context.Background()); err == nil {
					t.Fatalf("attempt %d: the library lets it pass within %v, ours holds it back for %v", i, early, until-asked)
				}
			}
			time.Sleep(until - time.Since(start))
			release, err := sdk.GetAttemptToken(context.Background())
			for late := time.Nanosecond; err != nil && late < rounding; late *= 2 {
				time.Sleep(late)
				release, err = sdk.GetAttemptToken(context.Background())
			}
			if err != nil {
				t.Fatalf("attempt %d: ours lets it pass after %v: %v", i, until-asked, err)
			}
			time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Millisecond))))
			o := strategies.Served
			switch u := rng.Float64(); {
			case u < []float64{0.001, 0.1, 0.01}[i/1000%3]:
				o = strategies.Rejected
				rejected++
			case u > 0.9:
				o = strategies.TimedOut
			}
			if err := release(awsErrors[o]); err != nil {
				t.Fatal(err)
			}
			guard.Done(time.Since(start), guards.Call{}, o)
			if rng.IntN(50) == 0 {
				time.Sleep(time.Duration(rng.Int64N(int64(3 * time.Second))))
			}
		}
		if held < 2000 || rejected < 200 {
			t.Errorf("%d attempts were held back, %d rejected: the sequence shows too little", held, rejected)
		}
	})
}
