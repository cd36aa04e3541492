package integration

import (
	"bytes"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// freePort returns a port of the loopback interface that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// A server is a process, with all that it starts.
type server struct {
	cmd    *exec.Cmd
	output logged
	ended  chan struct{}
}

// logged keeps what a server says.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a server, which is stopped at the end of the test, or of the tests, however those end.
func start(t *testing.T, env []string, name string, args ...string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	s.cmd.Env = env
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	s.cmd.WaitDelay = 5 * time.Second
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // whose death, which is that of the tests, the server is told of
		err := s.cmd.Start()
		started <- err
		if err == nil {
			_ = s.cmd.Wait() // how it ends is no matter
			close(s.ended)
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// stop asks the server to end, and ends it if it does not.
func (s *server) stop() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.ended
}

// until waits for something that a server is to do.
func (s *server) until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		if done() {
			return
		}
		select {
		case <-s.ended:
			t.Fatalf("%s ended before %s:\n%s", s.cmd.Path, what, &s.output)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: no %s within a minute:\n%s", s.cmd.Path, what, &s.output)
		}
	}
}
