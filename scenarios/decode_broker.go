package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"herdsim/broker"
)

// messages decodes the backlog of a broker.
func (d *decoder) messages(o *object) Messages {
	m := o.child("messages", messagesFields)
	if m == nil {
		return Messages{}
	}
	before := len(d.problems)
	count, _ := m.count("count")
	poison, _ := m.count("poison")
	d.backlogFaulty = len(d.problems) > before || len(m.keys) < len(m.seen)
	return Messages{int(count), int(poison)}
}

// broker decodes a message broker, nil for none.
func (d *decoder) broker(o *object, horizon time.Duration) *Broker {
	if !o.has("broker") {
		return nil
	}
	p := o.child("broker", brokerFields)
	if p == nil {
		return nil
	}
	prefetch, _ := p.count("prefetch")
	out := &Broker{
		Era:        broker.Era(max(slices.Index(eras, p.word("era")), 0)),
		Prefetch:   int(prefetch),
		Sequential: p.word("handler") == "sequential",
		Delivery:   p.duration("delivery"),
		Fresh:      p.word("headers") == "fresh",
		Crash:      p.flag("crash"),
		AckTimeout: p.duration("ack_timeout"),
		Tick:       p.duration("tick"),
		Alert:      d.alert(p),
		Replay:     d.replay(p, horizon),
		Topology:   p.word("topology"),
	}
	d.topology(p, out)
	return out
}

func (d *decoder) alert(p *object) int {
	if !p.has("alert") {
		return broker.None
	}
	a := p.child("alert", alertFields)
	if a == nil {
		return broker.None
	}
	depth, _ := a.count("depth")
	return int(depth)
}

func (d *decoder) replay(p *object, horizon time.Duration) *Replay {
	if !p.has("replay") {
		return nil
	}
	r := p.child("replay", replayFields)
	if r == nil {
		return nil
	}
	out := &Replay{At: r.duration("at"), Rate: r.rate("rate"), Reset: r.flag("reset_count")}
	if r.sound("at") && out.At >= horizon {
		d.report(r.placeOf("at"), r.path+"at is "+formatDuration(out.At)+" and the horizon is "+formatDuration(horizon), "at before the horizon")
	}
	return out
}

// keysOf are the keys that only some topologies have.
var keysOf = map[string][]string{
	"then": {sleeping, custom}, "ttl": {fixedTTL}, "rungs": {ladder}, "min": {delayedRetry}, "max": {delayedRetry},
	"queues": {custom}, "on_failure": {custom},
}

// ofCustom are the keys of the work queue, which a custom topology writes in its queues.
var ofCustom = []string{"delivery_limit", "max_length", "overflow", "dead_letter"}

// topology decodes what belongs to a topology, and refuses what does not.
func (d *decoder) topology(p *object, out *Broker) {
	kind := broker.Kind(max(slices.Index(kinds, p.word("queue")), 0))
	if !p.sound("topology") {
		d.queue(p, kind, out) // what is wrong with that is wrong with any
		return
	}
	for _, f := range p.fields {
		if of := keysOf[f.Key]; p.has(f.Key) && of != nil && !slices.Contains(of, out.Topology) {
			d.report(p.keys[f.Key], fmt.Sprintf("%s%s is there, and %stopology is %s", p.path, f.Key, p.path, out.Topology), "it belongs to "+strings.Join(of, " and "))
		}
	}
	if out.Topology != custom {
		out.Work = d.queue(p, kind, out)
	}
	switch out.Topology {
	case sleeping:
		out.Requeue = p.word("then") == "requeue"
	case fixedTTL:
		out.TTL = p.needed("ttl", out.Topology)
	case ladder:
		out.Rungs = d.rungs(p)
	case delayedExchange:
		d.exchange(p, out)
	case delayedRetry:
		d.delayedRetry(p, out)
	case custom:
		d.custom(p, kind, out)
	}
	d.counting(p, out)
}

// needed returns a duration that a topology has to be given.
func (o *object) needed(key, topology string) time.Duration {
	if o.values[key] == nil && !o.partial {
		o.d.report(o.at, fmt.Sprintf("%stopology is %s, and %s%s is missing", o.path, topology, o.path, key), o.field(key).allowed())
	}
	return o.duration(key)
}

// queue decodes what queues are limited by; o is an item of queues, or a broker with its work queue.
func (d *decoder) queue(o *object, kind broker.Kind, b *Broker) Queue {
	most, unlimited := o.count("max_length")
	q := Queue{
		Kind: kind, MaxLength: int(most), DeliveryLimit: broker.None, AtLeastOnce: o.word("dead_letter") == guarantees[1],
		Overflow: broker.Overflow(max(slices.Index(overflows, o.word("overflow")), 0)),
	}
	if unlimited == none {
		q.MaxLength = broker.None
	}
	switch limit, word := o.count("delivery_limit"); {
	case word == byEra && kind == broker.Quorum:
		q.DeliveryLimit = b.Era.DefaultDeliveryLimit()
	case word == "" && kind == broker.Quorum:
		q.DeliveryLimit = int(limit)
	case word == "" && o.sound("delivery_limit"):
		d.report(o.placeOf("delivery_limit"), fmt.Sprintf("%sdelivery_limit is %s, and the queue is classic", o.path, formatCount(limit)), "a quorum queue: classic queues do not count deliveries")
	}
	if !o.sound("overflow", "dead_letter") {
		return q
	}
	switch {
	case kind == broker.Quorum && q.Overflow == broker.RejectPublishDLX:
		d.report(o.placeOf("overflow"), o.path+"overflow is reject-publish-dlx, and the queue is quorum", "a classic queue, or one of drop-head, reject-publish")
	case q.Overflow != broker.DropHead && q.MaxLength == broker.None && !q.AtLeastOnce && o.sound("max_length") && !o.partial:
		d.report(o.placeOf("overflow"), fmt.Sprintf("%soverflow is %s, and %smax_length is none", o.path, overflows[q.Overflow], o.path),
			"a max_length, without which there is always room, or dead_letter: at-least-once")
	}
	if q.AtLeastOnce && (kind != broker.Quorum || q.Overflow != broker.RejectPublish) {
		d.report(o.placeOf("dead_letter"), fmt.Sprintf("%sdead_letter is at-least-once, and the queue is %s with overflow %s", o.path, kinds[kind], overflows[q.Overflow]),
			"a quorum queue with overflow: reject-publish")
	}
	return q
}

func (d *decoder) rungs(p *object) []time.Duration {
	if p.values["rungs"] == nil && !p.partial {
		d.report(p.at, p.path+"topology is ladder, and "+p.path+"rungs is missing", p.field("rungs").Form)
		return nil
	}
	rungs := p.durations("rungs")
	for i, r := range rungs {
		switch {
		case r < time.Millisecond:
			d.report(p.placeOf("rungs"), fmt.Sprintf("%srungs[%d] is %s", p.path, i, formatDuration(r)), "at least 1ms")
		case i > 0 && r <= rungs[i-1]:
			d.report(p.placeOf("rungs"), fmt.Sprintf("%srungs[%d] is %s, and the one before it %s", p.path, i, formatDuration(r), formatDuration(rungs[i-1])), "ascending rungs")
		}
	}
	return rungs
}

func (d *decoder) exchange(p *object, out *Broker) {
	if out.Era >= broker.Era4_3 {
		d.report(p.placeOf("topology"), p.path+"topology is delayed-exchange, and "+p.path+"era is 4.3", "an era up to 4.0: the plugin is archived and does not run on 4.3")
	}
}

func (d *decoder) delayedRetry(p *object, out *Broker) {
	out.Min, out.Max = p.needed("min", out.Topology), p.needed("max", out.Topology)
	if p.sound("min", "max") && out.Max < out.Min && out.Max > 0 {
		d.report(p.placeOf("max"), p.path+"max is "+formatDuration(out.Max)+", below the min of "+formatDuration(out.Min), "max at least min")
	}
	if p.sound("era", "queue") && (out.Era < broker.Era4_3 || out.Work.Kind != broker.Quorum) {
		d.report(p.placeOf("topology"), fmt.Sprintf("%stopology is delayed-retry, and %sera is %s with a %s queue", p.path, p.path, eras[out.Era], kinds[out.Work.Kind]),
			"era: \"4.3\" and queue: quorum, which alone have it")
	}
}

// counting decodes how retries are counted. Where a consumer dead-letters, the broker alone can write into a message.
func (d *decoder) counting(p *object, out *Broker) {
	out.CountDeath = p.word("count") == "x-death"
	if !p.has("count") {
		out.CountDeath = out.Topology == fixedTTL || out.OnFailure.How == "dead-letter"
	}
	never := []string{requeueing, sleeping, delayedExchange, delayedRetry}
	if out.CountDeath && slices.Contains(never, out.Topology) {
		d.report(p.placeOf("count"), p.path+"count is x-death, and "+p.path+"topology is "+out.Topology, "count: header; x-death counts what expires in a queue, and there nothing does")
	}
}

// brokered refuses what does not go with a broker, and a broker's keys without one.
func (d *decoder) brokered(o *object, s *Scenario) {
	if s.Broker == nil {
		if at, written := o.keys["messages"]; written && o.has("messages") && !o.has("broker") {
			d.report(at, "messages is there, and there is no broker", "broker: {topology: …}, or workers alone")
		}
		return
	}
	for _, key := range []string{"guards", "tiers", "clients"} {
		if n := o.value(key); n != nil && !(n.kind == list && len(n.items) == 0) {
			d.report(o.keys[key], "there are a broker and "+key, "a broker without "+key)
		}
	}
	if s.Network != nil {
		d.report(o.keys["network"], "there are a broker and a network", "a broker without a network: broker.delivery is how long a message takes")
	}
	if s.Limits.Deadline > 0 {
		d.report(o.keys["limits"], "there are a broker and limits.deadline", "max_attempts or max_elapsed: nobody takes a message back that waits in a queue")
	}
	if n := o.values["workers"]; s.Workers > maxConsumers && o.sound("workers") {
		d.report(n.at, "workers is "+formatCount(uint64(s.Workers))+", and with a broker they are its consumers", "at most "+formatCount(maxConsumers))
	}
	if s.Messages.Poison > s.Messages.Count && s.Start.File == "" {
		d.report(o.placeOf("messages"), fmt.Sprintf("messages.poison is %s, and messages.count is %s", formatCount(uint64(s.Messages.Poison)), formatCount(uint64(s.Messages.Count))), "poison at most count")
	}
}

// ownBroker returns the broker of an entry: its own, or the scenario's.
func (d *decoder) ownBroker(own *object, s *Scenario) *Broker {
	if !own.has("broker") {
		return s.Broker
	}
	b := d.broker(own, s.Horizon)
	if s.Broker == nil && b != nil {
		d.report(own.keys["broker"], own.path+"broker is there, and the scenario has none", "a broker of the scenario, instead of which the entry has its own")
		return nil
	}
	return b
}

// brokeredEntry refuses an entry that does not go with a broker.
func (d *decoder) brokeredEntry(at place, path string, e Entry) {
	switch {
	case e.Broker == nil:
	case e.Key == pacedKey:
		d.report(at, path+" is paced, and there is a broker", "any other strategy: nobody but the broker brings a message back")
	case len(e.Guards) > 0:
		d.report(at, path+" has guards, and there is a broker", "a broker without guards")
	case e.Poll.Every > 0:
		d.report(at, path+" has a poll, and there is a broker", "a broker without a poll: it delivers what is due")
	case e.Limits.Deadline > 0:
		d.report(at, path+" has limits.deadline, and there is a broker", "max_attempts or max_elapsed: nobody takes a message back that waits in a queue")
	}
}

// brokeredHerd checks that there are consumers, and messages for them.
func (d *decoder) brokeredHerd(o *object, s *Scenario) {
	if s.Workers == 0 && o.sound("workers") && !o.partial {
		at := o.at
		if n := o.values["workers"]; n != nil {
			at = n.at
		}
		d.report(at, "there are a broker and no workers", "workers: its consumers, at least 1")
	}
	traced := s.Start.File != ""
	switch m := o.values["messages"]; {
	case d.backlogFaulty:
	case traced && s.Messages.Count > 0:
		d.report(o.placeOf("messages"), "messages.count and a start trace are both there", "the trace says how many there are")
	case !traced && s.Messages.Count == 0 && !s.open() && !o.partial && o.sound("arrivals", "cron", "start") && (m == nil || m.kind == mapping):
		d.report(o.placeOf("messages"), "there are a broker and no messages", "messages.count above 0, arrivals or cron")
	}
}
