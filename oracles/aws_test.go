package oracles

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

var (
	errThrottled = &smithy.GenericAPIError{Code: "ThrottlingException"}
	errTimeout   = &smithy.GenericAPIError{Code: "RequestTimeout"}
)

// legacyRetryCost is what a retry cost until v1.47, DefaultRetryCost, which is still there and deprecated.
const legacyRetryCost = 5

// awsErrors are errors of AWS for outcomes of ours. What makes the SDK wait or pay is their code.
var awsErrors = map[strategies.Outcome]error{
	strategies.Served: nil, strategies.Rejected: errThrottled, strategies.TimedOut: errTimeout, strategies.Unavailable: errTimeout,
}

// TestAWSWaits draws from the SDK with a seeded crypto/rand: nothing is left to chance.
func TestAWSWaits(t *testing.T) {
	dynamo := func(o *retry.StandardOptions) { o.BaseDelay = 25 * time.Millisecond } // service/dynamodb/api_client.go
	for _, row := range []struct {
		preset  string
		backoff func(attempt int, err error) (time.Duration, error)
		err     error
	}{
		{"aws-sdk-go-v2-standard", retry.NewStandard().RetryDelay, errTimeout},
		{"aws-sdk-go-v2-standard-throttle", retry.NewStandard().RetryDelay, errThrottled},
		{"aws-sdk-go-v2-standard-dynamodb", retry.NewStandard(dynamo).RetryDelay, errTimeout},
		{"aws-sdk-go-v2-legacy-pre-1.48", retry.NewExponentialJitterBackoff(retry.DefaultMaxBackoff).BackoffDelay, errTimeout},
	} {
		t.Run(row.preset, func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, 1)
			sameLaws(t, preset(t, row.preset).Strategy, draw(chains, 12, func() func() time.Duration {
				attempt := 0
				return func() time.Duration {
					attempt++
					wait, err := row.backoff(attempt, row.err)
					if err != nil {
						t.Fatal(err)
					}
					return wait
				}
			}))
		})
	}
}

// An awsClient sends operations through the SDK's own loop of attempts.
type awsClient struct {
	attempt *retry.Attempt
}

func newAWSClient(options ...func(*retry.StandardOptions)) awsClient {
	same := func(request any) any { return request }
	return awsClient{retry.NewAttemptMiddleware(retry.NewStandard(options...), same)}
}

// operation makes one, whose attempts end as outcomes says, and returns how many there were.
func (c awsClient) operation(outcomes []strategies.Outcome) (made int) {
	next := middleware.FinalizeHandlerFunc(func(context.Context, middleware.FinalizeInput) (middleware.FinalizeOutput, middleware.Metadata, error) {
		made++
		return middleware.FinalizeOutput{}, middleware.Metadata{}, awsErrors[outcomes[made-1]]
	})
	_, _, _ = c.attempt.HandleFinalize(context.Background(), middleware.FinalizeInput{}, next) // its error is the last outcome's
	return made
}

// task does the same with a guard of ours and a limit of attempts.
func task(g guards.Guard, limit int, outcomes []strategies.Outcome) (made int) {
	call := guards.Call{}
	for _, o := range outcomes {
		if a := g.Admit(0, call, 0.5); a.Verdict != guards.Proceed {
			return made
		}
		made++
		g.Done(0, call, o)
		if o == strategies.Served || made == limit {
			return made
		}
		allowance, ok := g.Allow(0, o)
		if !ok {
			return made
		}
		call = guards.Call{Retry: true, Allowance: allowance}
	}
	return made
}

// guardPreset returns a guard as a real client has it.
func guardPreset(t *testing.T, key, name string) guards.Guard {
	t.Helper()
	i := slices.IndexFunc(guards.Presets(), func(p guards.Preset) bool { return p.Key == key && p.Name == name })
	if i < 0 {
		t.Fatalf("no preset %s of %s", name, key)
	}
	return guards.Presets()[i].Maker.Make()
}

// TestAWSQuota sends 20,000 operations through the SDK and through the preset's limit and quota, in spells of more and of
// fewer failures, so that the bucket runs empty and fills up again.
func TestAWSQuota(t *testing.T) {
	legacy := func(o *retry.StandardOptions) { o.RetryCost = legacyRetryCost } // the cost of a timeout is gone
	for _, row := range []struct {
		guard, preset string
		options       []func(*retry.StandardOptions)
		failures      []strategies.Outcome
	}{
		{"aws", "aws-sdk-go-v2-standard", nil, []strategies.Outcome{strategies.Unavailable, strategies.Rejected, strategies.TimedOut}},
		{"aws-legacy", "aws-sdk-go-v2-legacy-pre-1.48", []func(*retry.StandardOptions){legacy}, []strategies.Outcome{strategies.Unavailable, strategies.Rejected}},
	} {
		t.Run(row.guard, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limit := preset(t, row.preset).Limits.MaxAttempts
				rng := rand.New(rand.NewPCG(3, 4))
				client, guard := newAWSClient(row.options...), guardPreset(t, "retry-quota", row.guard)
				refused := 0
				for i := range 20_000 {
					failing := []float64{0.02, 0.9, 0.3, 0.6}[i/500%4]
					outcomes := make([]strategies.Outcome, limit)
					for k := range outcomes {
						if rng.Float64() < failing {
							outcomes[k] = row.failures[rng.IntN(len(row.failures))]
						}
					}
					library, ours := client.operation(outcomes), task(guard, limit, outcomes)
					if library != ours {
						t.Fatalf("operation %d of outcomes %v: %d attempts, ours %d", i, outcomes, library, ours)
					}
					if ours < limit && outcomes[ours-1] != strategies.Served {
						refused++
					}
				}
				if refused < 1000 {
					t.Errorf("%d operations were refused a retry, of a quota that hardly runs empty", refused)
				}
			})
		})
	}
}

// TestAWSQuotaEmpty counts the retries of a bucket that gets nothing back.
func TestAWSQuotaEmpty(t *testing.T) {
	for _, row := range []struct {
		guard   string
		outcome strategies.Outcome
		cost    uint
		want    int
	}{
		{"aws", strategies.Unavailable, 0, 35},
		{"aws", strategies.TimedOut, 0, 35},
		{"aws", strategies.Rejected, 0, 100},
		{"aws-legacy", strategies.Unavailable, legacyRetryCost, 100},
	} {
		sdk := retry.NewStandard(func(o *retry.StandardOptions) {
			if row.cost > 0 {
				o.RetryCost = row.cost
			}
		})
		guard := guardPreset(t, "retry-quota", row.guard)
		library, ours := 0, 0
		for range 1000 {
			if _, err := sdk.GetRetryToken(context.Background(), awsErrors[row.outcome]); err == nil {
				library++
			}
			if _, ok := guard.Allow(0, row.outcome); ok {
				ours++
			}
		}
		if library != row.want || ours != row.want {
			t.Errorf("%s, %v: %d retries until the bucket is empty, ours %d, want %d", row.guard, row.outcome, library, ours, row.want)
		}
	}
}
