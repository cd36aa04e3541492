package scenarios

import "herdsim/downstream"

func encodeDownstream(c downstream.Config) fileDownstream {
	f := fileDownstream{
		Slots:           encodeUnlimited(c.Slots),
		Service:         encodeLaw(c.Service),
		Queue:           encodeUnlimited(c.Queue),
		Overflow:        "reject",
		Order:           map[downstream.Order]wordText{downstream.FIFO: "fifo", downstream.LIFO: "lifo", downstream.Adaptive: "adaptive"}[c.Order],
		LIFOAbove:       uint64(c.LIFOAbove),
		Concurrency:     encodeCountIfAny(c.Concurrency),
		QueueTimeout:    encodeQueueTimeout(c.QueueTimeout),
		CancelAbandoned: c.CancelAbandoned,
		RejectCost:      encodeDuration(c.RejectCost),
		RetryAfter:      encodePlace(c.RetryAfter),
		Slowdown:        wordText(none),
		WarmUp:          wordText(none),
		Cache:           wordText(none),
		Pool:            wordText(none),
		Crash:           encodeCrash(c.Crash),
		Contention:      none,
		RateLimit:       encodeRateLimit(c.RateLimit),
		Outages:         []fileOutage{},
	}
	if c.Overflow == downstream.Drop {
		f.Overflow = "drop"
	}
	if s := c.Slowdown; s != nil {
		f.Slowdown = fileSlowdown{encodeShare(s.Sigma), encodeShare(s.Kappa)}
	}
	if w := c.WarmUp; w != nil {
		f.WarmUp = fileWarmUp{encodeShare(w.From), encodeIfAny(w.Over), uint64(w.Requests), w.Cold}
	}
	if k := c.Cache; k != nil {
		out := fileCache{encodeShare(k.HitRatio), encodeDuration(k.Hit), uint64(k.Keys), encodeOptional(k.TTL), "served", k.Cold}
		if k.FillAnswered {
			out.Fill = "answered"
		}
		f.Cache = out
	}
	if p := c.Pool; p != nil {
		f.Pool = filePool{uint64(p.Max), encodeLaw(p.Handshake), p.Open}
	}
	if c.Contention == downstream.OCC {
		f.Contention = "occ"
	}
	for _, o := range c.Outages {
		f.Outages = append(f.Outages, fileOutage{
			From: encodeDuration(o.From), To: encodeDuration(o.To), Mode: encodeMode(o.Mode), Capacity: encodeShare(o.Capacity),
		})
	}
	return f
}

func encodeUnlimited(n int) any {
	if n == downstream.Unlimited {
		return wordText(unlimited)
	}
	return uint64(n)
}

// encodeCountIfAny writes a count of which 0 means that there is none.
func encodeCountIfAny(n int) any {
	if n == 0 {
		return wordText(none)
	}
	return uint64(n)
}

func encodeMode(m downstream.Mode) wordText {
	return map[downstream.Mode]wordText{downstream.Refuse: "refuse", downstream.Hang: "hang", downstream.Slow: "slow", downstream.Stall: "stall"}[m]
}

func encodeRateLimit(r *downstream.RateLimit) any {
	if r == nil {
		return wordText(none)
	}
	f := fileRateLimit{Rate: encodeRate(r.Rate), Burst: uint64(r.Burst), RetryAfter: r.RetryAfter, Ramp: wordText(none)}
	if r.Ramp.Over > 0 {
		f.Ramp = fileRampUp{encodeShare(r.Ramp.From), encodeDuration(r.Ramp.Over)}
	}
	return f
}

func encodeQueueTimeout(q *downstream.QueueTimeout) any {
	switch {
	case q == nil:
		return wordText(none)
	case q.Standing == q.Interval:
		return encodeDuration(q.Interval)
	}
	return fileQueueTimeout{encodeDuration(q.Standing), encodeDuration(q.Interval)}
}

func encodePlace(r *downstream.RetryAfter) any {
	if r == nil {
		return wordText(none)
	}
	delay := encodeDuration(r.Delay)
	if r.Place {
		delay = inLine
	}
	if r.Jitter == 0 {
		return delay
	}
	return filePlace{delay, encodeShare(r.Jitter)}
}

func encodeCrash(c *downstream.Crash) any {
	if c == nil {
		return wordText(none)
	}
	f := fileCrash{encodeCountIfAny(c.InFlight), encodeCountIfAny(c.Queued), wordText(none), encodeDuration(c.Down), encodeMode(c.Mode)}
	if l := c.Liveness; l != (downstream.Liveness{}) {
		f.Liveness = fileLiveness{encodeDuration(l.Every), encodeDuration(l.Timeout), uint64(l.Failures)}
	}
	return f
}
