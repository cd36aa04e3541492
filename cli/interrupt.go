package cli

import (
	"context"
	"os"
	"sync"
)

// interrupts turn a signal into a cancelled context where a command can stop in good order, and end the process at once
// where it cannot, or at the second signal.
type interrupts struct {
	mu      sync.Mutex
	cancel  func()   // of the command that can stop in good order
	cleanup []func() // removes what an ended process would leave behind
}

// watch acts on signals until the function that it returns is called.
func (i *interrupts) watch(signals <-chan os.Signal, exit func(int)) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-signals:
				if !i.interrupt() {
					i.cleanUp()
					exit(ExitInterrupted)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// interrupt asks the command to stop in good order; false if it was asked before, or cannot.
func (i *interrupts) interrupt() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cancel == nil {
		return false
	}
	i.cancel()
	i.cancel = nil
	return true
}

// interruptible returns a context that the first signal cancels.
func (i *interrupts) interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
	return ctx, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cancel = nil
		cancel()
	}
}

// atExit has f called when the process ends before its time.
func (i *interrupts) atExit(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cleanup = append(i.cleanup, f)
}

func (i *interrupts) cleanUp() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, f := range i.cleanup {
		f()
	}
	i.cleanup = nil
}
