package sim

import (
	"unsafe"

	"herdsim/strategies/guards"
)

// MostMemory is about how many bytes the tasks beside the herd may take in a run. One that would need more is cut off.
const MostMemory = 4_000_000_000

// What bounds the memory of a run whose queue or open traffic does not end, to MostMemory. What grows is copied to where
// there is more room, so that in the end a run may take more than three times what it holds.
var bounds = struct {
	requests int // at the downstream at once
	bytes    int // of the tasks beside the herd: of those that wait, and of the entries of all in tables
}{1 << 24, 1 << 30}

const eventBytes = int(unsafe.Sizeof(event{}))

// crowded reports whether there are more tasks beside the herd than a run may hold.
func (e *Engine) crowded() bool {
	return e.open.cron.full || int64(e.herd)+int64(e.open.count) > 1<<31 || e.held() > bounds.bytes
}

// held returns how many bytes the tasks beside the herd take. The herd, whose size is known before, is left out.
func (e *Engine) held() int {
	const (
		timeBytes    = int(unsafe.Sizeof(Time(0)))
		originBytes  = int(unsafe.Sizeof(uint32(0)))
		callBytes    = int(unsafe.Sizeof(guards.Call{}))
		messageBytes = int(unsafe.Sizeof(message{}))
		madeBytes    = 2 * int(unsafe.Sizeof(call{})+unsafe.Sizeof(callMade{})) // in a map, half of which is free
	)
	herd := int(e.herd)
	beside := func(n, perTask int) int { return max(0, n-herd*perTask) }
	return eventBytes*(beside(e.agenda.count, 1)+e.open.waiting()) +
		timeBytes*(beside(len(e.firstSent), 1)+beside(len(e.slept), 1)+beside(len(e.watch.ends), 1)) +
		originBytes*len(e.open.origins) +
		callBytes*beside(len(e.guards.calls), len(e.guards.specs)) +
		messageBytes*beside(len(e.messages.tasks), 1) +
		madeBytes*beside(len(e.tiers.calls), len(e.cfg.Tiers))
}
