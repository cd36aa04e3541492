package sim

// blockage is how long consumers keep messages waiting with nothing to show for it.
type blockage struct {
	useful  int // deliveries in the hands of handlers that may succeed: neither slept over nor poison
	blocked bool
	since   Time
}

// takeUp counts a delivery that a handler begins with.
func (e *Engine) takeUp(task uint32) {
	if m := e.messages.of(task); !e.poisoned(task) && !m.useful {
		m.useful = true
		e.messages.useful++
	}
}

// letGo counts a delivery that no handler works on any longer.
func (b *messages) letGo(m *message) {
	if m.useful {
		m.useful = false
		b.useful--
	}
}

// noteBlocked adds up the time in which messages are ready, and so all consumers full, with nothing but deliveries that are
// slept over, or poison.
func (e *Engine) noteBlocked(now Time) {
	b := &e.messages
	if b.blocked {
		e.res.Blocked += now - b.since
	}
	_, ready := b.broker.Oldest(0)
	b.blocked, b.since = ready && b.useful == 0, now
}

// finishMessages counts the messages that nobody has begun with.
func (e *Engine) finishMessages() {
	b := &e.messages
	if !b.on() {
		return
	}
	e.noteBlocked(e.res.EndedAt)
	for i := range b.tasks {
		if m := &b.tasks[i]; m.attempt == 0 && (m.state == queuedUp || m.state == backlogged) {
			e.res.Starved++
		}
	}
}
