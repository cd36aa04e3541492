package downstream

import (
	"math"
	"time"
)

// line is what a server tells those it has no room for.
type line struct {
	cfg      *RetryAfter
	step     float64       // time between places, in ns
	promised float64       // the place that was told last
	delay    time.Duration // what is told, without places
}

func (l *line) reset(cfg Config) {
	*l = line{cfg: cfg.RetryAfter}
	if l.cfg == nil {
		return
	}
	l.delay = l.cfg.Delay
	if capacity, bounded := cfg.Capacity(); bounded && l.cfg.Place {
		l.step = float64(time.Second) / capacity
	}
}

// ask returns what one who is turned away now is asked to wait; 0 for nothing.
func (l *line) ask(now time.Duration) time.Duration {
	switch {
	case l.cfg == nil:
		return 0
	case !l.cfg.Place:
		return l.delay
	}
	l.promised = max(l.promised, float64(now)) + l.step
	return round(math.Ceil(l.promised - float64(now)))
}
