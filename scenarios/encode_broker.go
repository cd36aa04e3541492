package scenarios

import "herdsim/broker"

func encodeMessages(s *Scenario) *fileMessages {
	if s.Broker == nil {
		return nil
	}
	return &fileMessages{uint64(s.Messages.Count), uint64(s.Messages.Poison)}
}

// encodeBroker writes a broker; nil is none.
func encodeBroker(b *Broker) any {
	if b == nil {
		return wordText(none)
	}
	return encodeOwnBroker(b)
}

// encodeOwnBroker writes a broker that is left out if there is none of one's own.
func encodeOwnBroker(b *Broker) *fileBroker {
	f := &fileBroker{
		Era:        wordText(eras[b.Era]),
		Prefetch:   encodeLimit(b.Prefetch, 0, unlimited),
		Handler:    pick(b.Sequential, "sequential", "concurrent"),
		Delivery:   encodeDuration(b.Delivery),
		Topology:   wordText(b.Topology),
		TTL:        encodeIfAny(b.TTL),
		Min:        encodeIfAny(b.Min),
		Max:        encodeIfAny(b.Max),
		Count:      pick(b.CountDeath, "x-death", "header"),
		Headers:    pick(b.Fresh, "fresh", "copied"),
		Crash:      b.Crash,
		AckTimeout: encodeOptional(b.AckTimeout),
		Tick:       encodeDuration(b.Tick),
		Alert:      wordText(none),
		Replay:     wordText(none),
	}
	if b.Topology == custom {
		for _, q := range append([]Queue{b.Work}, b.Queues...) {
			f.Queues = append(f.Queues, encodeQueue(q))
		}
		f.OnFailure = encodeOnFailure(b.OnFailure)
	} else {
		q := encodeQueue(b.Work)
		f.Queue, f.DeliveryLimit, f.MaxLength, f.Overflow, f.DeadLetter = q.Kind, q.DeliveryLimit, q.MaxLength, q.Overflow, q.DeadLetter
	}
	if b.sleeps() {
		f.Then = pick(b.Requeue, "requeue", "dead-letter")
	}
	for _, r := range b.Rungs {
		f.Rungs = append(f.Rungs, encodeDuration(r))
	}
	if b.Alert != broker.None {
		f.Alert = fileAlert{uint64(b.Alert)}
	}
	if r := b.Replay; r != nil {
		out := fileReplay{encodeDuration(r.At), none, r.Reset}
		if r.Rate.Events > 0 {
			out.Rate = encodeRate(r.Rate)
		}
		f.Replay = out
	}
	return f
}

func encodeQueue(q Queue) fileQueue {
	f := fileQueue{
		Name:          q.Name,
		Kind:          wordText(kinds[q.Kind]),
		TTL:           encodeOptional(q.TTL),
		DeadLetterTo:  none,
		MaxLength:     encodeLimit(q.MaxLength, broker.None, none),
		Overflow:      wordText(overflows[q.Overflow]),
		DeliveryLimit: encodeLimit(q.DeliveryLimit, broker.None, none),
		DeadLetter:    pick(q.AtLeastOnce, "at-least-once", "at-most-once"),
	}
	if q.DeadLetterTo != "" {
		f.DeadLetterTo = wordText(q.DeadLetterTo)
	}
	return f
}

func encodeOnFailure(o OnFailure) any {
	if o.How != publishing {
		return wordText(o.How)
	}
	return filePublish{o.Queue, pick(o.Waiting, "wait", none)}
}

// encodeLimit writes a number, or the word for the one that means that there is none.
func encodeLimit(n, without int, word wordText) any {
	if n == without {
		return word
	}
	return uint64(n)
}

func pick(which bool, yes, no wordText) wordText {
	if which {
		return yes
	}
	return no
}
