package oracles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"

	"herdsim/strategies"
	"herdsim/strategies/guards"
)

// TestGRPCReconnect has clients dial a server that is not there, under virtual time. Each draw costs two context switches
// and more, so there are few clients, and from the second wait on their shares of the preset's law are pooled: 12 retries of
// each. Bounds are those of each retry.
func TestGRPCReconnect(t *testing.T) {
	const clients, retries = 600, 13
	e := preset(t, "grpc-go-connection-backoff")
	waits := make([][]time.Duration, retries)
	synctest.Test(t, func(t *testing.T) {
		for range clients {
			for i, wait := range dials(t, retries) {
				waits[i] = append(waits[i], wait)
			}
		}
	})
	sameLaws(t, e.Strategy, waits)
	// As a law of its own: the shares are uniform.
	var shares []time.Duration
	for i, draws := range waits[1:] {
		for _, d := range draws {
			shares = append(shares, time.Duration(share(t, e.Strategy, i+2, d)*float64(time.Second)))
		}
	}
	sameLaw(t, strategies.FullJitter{Base: time.Second, Factor: 1}, 1, shares)
}

// dials has one client try to connect, and returns the waits between its attempts.
func dials(t *testing.T, retries int) (waits []time.Duration) {
	t.Helper()
	var dialled []time.Time
	enough := make(chan struct{})
	cc, err := grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if dialled = append(dialled, time.Now()); len(dialled) == retries+1 {
				close(enough)
			}
			return nil, errFailed
		}))
	if err != nil {
		t.Fatal(err)
	}
	cc.Connect()
	<-enough
	if err := cc.Close(); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	for i := range retries {
		waits = append(waits, dialled[i+1].Sub(dialled[i]))
	}
	return waits
}

// A grpcServer answers each attempt of a call as it is told, through a connection in memory.
type grpcServer struct {
	outcomes []bool // of the call under way: which attempts fail
	pushback string // grpc-retry-pushback-ms of the failures; "" for none
	came     []time.Time
	cc       *grpc.ClientConn
}

// newGRPCServer starts one and connects a client with a service config to it. Both stop with the test.
func newGRPCServer(t *testing.T, config string) *grpcServer {
	t.Helper()
	s := &grpcServer{}
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer(grpc.UnknownServiceHandler(s.handle))
	go func() {
		if err := server.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Error(err)
		}
	}()
	cc, err := grpc.NewClient("passthrough:///memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(config),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	s.cc = cc
	cc.Connect()
	for state := cc.GetState(); state != connectivity.Ready; state = cc.GetState() {
		cc.WaitForStateChange(context.Background(), state)
	}
	t.Cleanup(func() {
		if err := cc.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
	})
	return s
}

// handle reads the request to its end first: an answer that overtakes it resets the stream, and may be lost with it.
func (s *grpcServer) handle(_ any, stream grpc.ServerStream) error {
	for {
		if err := stream.RecvMsg(&emptypb.Empty{}); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	if s.came = append(s.came, time.Now()); s.outcomes[len(s.came)-1] {
		if s.pushback != "" {
			stream.SetTrailer(map[string][]string{"grpc-retry-pushback-ms": {s.pushback}})
		}
		return status.Error(codes.Unavailable, "failed")
	}
	return stream.SendMsg(&emptypb.Empty{})
}

// call makes one call whose attempts fail as is said, and returns when they came.
func (s *grpcServer) call(t *testing.T, outcomes []bool) []time.Time {
	t.Helper()
	s.outcomes, s.came = outcomes, nil
	err := s.cc.Invoke(context.Background(), "/service/method", &emptypb.Empty{}, &emptypb.Empty{})
	if failed := err != nil; failed != outcomes[len(s.came)-1] {
		t.Fatalf("after attempts %v the error is %v", outcomes[:len(s.came)], err)
	}
	return s.came
}

const grpcPolicy = `"methodConfig": [{"name": [{}], "retryPolicy": {
	"maxAttempts": %d, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]
}}]`

// TestGRPCRetryPolicy compares the waits of the policy in gRFC A6. A client never makes more than five attempts, so there
// are four waits; maxAttempts is as in the preset in the end.
func TestGRPCRetryPolicy(t *testing.T) {
	e := preset(t, "grpc-go-retry-policy-a6-example")
	always := []bool{true, true, true, true, true, true, true, true}
	synctest.Test(t, func(t *testing.T) {
		waits := make([][]time.Duration, 4)
		server := newGRPCServer(t, "{"+fmt.Sprintf(grpcPolicy, 8)+"}")
		for range 3000 {
			came := server.call(t, always)
			if len(came) != 5 {
				t.Fatalf("%d attempts, want the 5 that are the most", len(came))
			}
			for i := range waits {
				waits[i] = append(waits[i], came[i+1].Sub(came[i]))
			}
		}
		sameLaws(t, e.Strategy, waits)
	})
	synctest.Test(t, func(t *testing.T) {
		server := newGRPCServer(t, "{"+fmt.Sprintf(grpcPolicy, 4)+"}")
		if n := len(server.call(t, always)); n != e.Limits.MaxAttempts {
			t.Errorf("the library makes %d attempts, the preset %d", n, e.Limits.MaxAttempts)
		}
		// What a server asks for is taken as it is, and there is no jitter in it.
		server.pushback = "2500"
		came := server.call(t, always)
		if wait := came[1].Sub(came[0]); wait != 2500*time.Millisecond || e.IgnoreRetryAfter || e.RetryAfter.Jitter != 0 {
			t.Errorf("a pushback of 2.5s: the library waits %v, the preset ignores it: %t", wait, e.IgnoreRetryAfter)
		}
	})
}

// TestGRPCThrottling makes calls through a client that throttles retries and through ours, in spells of more and of fewer
// failures. gRPC adds up its tokens as binary fractions: a ratio of 1/8 has no rounding in it.
func TestGRPCThrottling(t *testing.T) {
	for _, row := range []struct {
		name  string
		ratio float64
		calls int
	}{{"0.125", 0.125, 2500}, {"0.1", 0.1, 2500}} {
		synctest.Test(t, func(t *testing.T) {
			server := newGRPCServer(t, fmt.Sprintf("{"+grpcPolicy+`, "retryThrottling": {"maxTokens": 10, "tokenRatio": %s}}`, 4, row.name))
			guard := (&guards.RetryThrottling{MaxTokens: 10, TokenRatio: row.ratio}).Make()
			rng := rand.New(rand.NewPCG(10, 11))
			refused := 0
			for i := range row.calls {
				failing := []float64{0.1, 0.8, 0.02}[i/100%3]
				fails, outcomes := make([]bool, 4), make([]strategies.Outcome, 4)
				for k := range fails {
					if fails[k] = rng.Float64() < failing; fails[k] {
						outcomes[k] = strategies.Unavailable
					}
				}
				library, ours := len(server.call(t, fails)), task(guard, 4, outcomes)
				if library != ours {
					t.Fatalf("ratio %s, call %d of outcomes %v: %d attempts, ours %d", row.name, i, outcomes, library, ours)
				}
				if ours < 4 && fails[ours-1] {
					refused++
				}
			}
			if refused < 300 {
				t.Errorf("%d calls were refused a retry: the sequence shows too little", refused)
			}
		})
	}
}
