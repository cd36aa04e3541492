package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"herdsim/broker"
)

var queueName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,64}$`)

// custom decodes the queues that a scenario writes out.
func (d *decoder) custom(p *object, kind broker.Kind, out *Broker) {
	for _, key := range ofCustom {
		if p.has(key) {
			d.report(p.keys[key], p.path+key+" is there, and "+p.path+"topology is custom", "the same key in an item of "+p.path+"queues")
		}
	}
	if p.values["queues"] == nil && !p.partial {
		d.report(p.at, p.path+"topology is custom, and "+p.path+"queues is missing", p.field("queues").Form)
	}
	if p.values["on_failure"] == nil && !p.partial {
		d.report(p.at, p.path+"topology is custom, and "+p.path+"on_failure is missing", p.field("on_failure").Form)
	}
	all, objects, complete := d.queues(p, kind, out)
	var names []string
	for _, q := range all {
		names = append(names, q.Name)
	}
	if complete {
		d.bindings(p, all, objects, names)
	}
	out.OnFailure = d.onFailure(p, names, complete)
	if out.OnFailure.How == sleeping {
		out.Requeue = p.word("then") == "requeue"
	} else if p.has("then") && p.has("on_failure") && p.sound("on_failure") {
		d.report(p.keys["then"], p.path+"then is there, and "+p.path+"on_failure is "+out.OnFailure.How, "then with on_failure: sleep")
	}
	if len(all) > 0 {
		out.Work, out.Queues = all[0], all[1:]
	}
}

// queues decodes the items of queues; complete if each could be read.
func (d *decoder) queues(p *object, kind broker.Kind, out *Broker) (all []Queue, objects []*object, complete bool) {
	items := p.list("queues")
	complete = len(items) > 0
	seen := map[string]bool{}
	for i, item := range items {
		q := d.object(item, fmt.Sprintf("%squeues[%d].", p.path, i), queueFields, item.at)
		if q == nil {
			complete = false
			continue
		}
		own := kind
		if q.has("kind") {
			own = broker.Kind(max(slices.Index(kinds, q.word("kind")), 0))
		}
		queue := d.queue(q, own, out)
		queue.Name, queue.TTL, queue.DeadLetterTo = q.queueNamed("name"), q.duration("ttl"), q.line("dead_letter_to")
		if queue.Name == "" {
			complete = false
			continue
		}
		if seen[queue.Name] {
			d.report(q.placeOf("name"), q.path+"name is "+quote(queue.Name)+" for the second time", "names that differ")
			complete = false
		}
		seen[queue.Name] = true
		all, objects = append(all, queue), append(objects, q)
	}
	return all, objects, complete
}

// queueNamed returns the name of a queue, or "" if there is none, which was reported.
func (o *object) queueNamed(key string) string {
	text, n := o.scalar(key)
	if n != nil && (!queueName.MatchString(text) || text == none) {
		o.wrong(key, n, "")
		return ""
	}
	return text
}

// bindings checks where the dead letters of custom queues go.
func (d *decoder) bindings(p *object, all []Queue, objects []*object, names []string) {
	for i, q := range all {
		o := objects[i]
		if to := q.DeadLetterTo; to != "" && !slices.Contains(names, to) {
			d.reportNear(o.placeOf("dead_letter_to"), o.path+"dead_letter_to is "+quote(to), "one of "+strings.Join(names, ", ")+", or none", near(to, names))
		}
		if q.Name == deadName && (q.TTL > 0 || q.DeadLetterTo != "") {
			d.report(o.at, o.path+"name is dlq, and it has a ttl or a dead_letter_to", "a dlq without them: what comes there stays")
		}
	}
	if at := slices.Index(names, deadName); at <= 0 {
		d.report(p.placeOf("queues"), p.path+"queues has no dlq behind the work queue", "a queue named dlq, which is not the first")
	}
}

// onFailure decodes what a consumer of a custom topology does.
func (d *decoder) onFailure(p *object, names []string, complete bool) OnFailure {
	n := p.value("on_failure")
	switch {
	case n == nil:
		return OnFailure{}
	case n.kind != mapping:
		return OnFailure{How: p.word("on_failure")}
	}
	f := p.child("on_failure", publishFields)
	if f == nil {
		return OnFailure{}
	}
	out := OnFailure{How: publishing, Queue: f.line("publish"), Waiting: f.word("ttl") == "wait"}
	if complete && f.sound("publish") && !slices.Contains(names, out.Queue) {
		d.reportNear(f.placeOf("publish"), f.path+"publish is "+quote(out.Queue), "one of "+strings.Join(names, ", "), near(out.Queue, names))
	}
	return out
}
