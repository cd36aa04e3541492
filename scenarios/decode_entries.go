package scenarios

import (
	"time"

	"herdsim/downstream"
	"herdsim/sim"
)

// anyNetwork stands for a scenario of which nothing is known but that time passes.
var anyNetwork = downstream.Constant{D: time.Millisecond}

var pollFields = []Field{
	{Key: "every", Kind: Duration, Required: true, Min: "1us", Doc: "how long each process sleeps between looks, on average"},
	{Key: "jitter", Kind: Share, Default: "0%", Doc: "the sleep is this share longer or shorter, at random"},
	{Key: "processes", Kind: Count, Default: "1", Min: "1", Max: "1_000_000", Doc: "how many look, each for itself"},
}

var retryAfterFields = []Field{
	{Key: "max", Kind: Duration, Default: none, Min: "1ns", Words: []string{none}, Doc: "longer ones are cut to it"},
	{Key: "jitter", Kind: Share, Default: "0%", Doc: "the wait is longer by up to this share of it, at random"},
}

// poll decodes the scheduler that finds due retries; the zero Poll if there is none.
func (d *decoder) poll(own *object, horizon time.Duration) sim.Poll {
	if !own.has("poll") {
		return sim.Poll{}
	}
	p := own.child("poll", pollFields)
	if p == nil {
		return sim.Poll{}
	}
	processes, _ := p.count("processes")
	out := sim.Poll{Every: p.duration("every"), Jitter: p.share("jitter"), Processes: int(processes)}
	if p.sound("every", "processes") && float64(horizon)/float64(out.Every)*float64(out.Processes) > mostLooks {
		d.report(own.placeOf("poll"), own.path+"poll looks more than "+formatCount(mostLooks)+" times within the horizon of "+formatDuration(horizon),
			"a longer every, fewer processes or a shorter horizon")
	}
	return out
}

// mostLooks bounds the looks of a poller in a run, which an engine keeps: some 160 MB.
const mostLooks = 20_000_000

// retryAfter decodes what the entry makes of a Retry-After.
func (d *decoder) retryAfter(own *object, e *Entry) {
	n := own.value("retry_after")
	if n == nil || n.kind != mapping {
		e.IgnoreRetryAfter = own.word("retry_after") == "ignore"
		return
	}
	if r := own.child("retry_after", retryAfterFields); r != nil {
		e.RetryAfter = sim.RetryAfter{Most: r.duration("max"), Jitter: r.share("jitter")}
	}
}
