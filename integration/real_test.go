package integration

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"herdsim/broker"
	"herdsim/scenarios"
	"herdsim/sim"
)

// An attempt is a delivery that has come to a handler.
type attempt struct {
	task, number int // from 0; from 1
	at           time.Duration
	asked        time.Duration // the wait that was asked for before it
	published    time.Duration // in the real world: when, for that wait
}

// A played scenario is what came of it, in the simulation or in the real world.
type played struct {
	attempts []attempt // in the order of time
	done     map[int]bool
	dead     int // messages in the queue of dead letters
}

// of returns the attempts of a number.
func (p *played) of(number int) []attempt {
	return slices.DeleteFunc(slices.Clone(p.attempts), func(a attempt) bool { return a.number != number })
}

// simulate plays a scenario of testdata. The waits that its workers chose are those of the real world too.
func simulate(t *testing.T, file string, set ...string) (cfg sim.Config, p played) {
	t.Helper()
	s, err := scenarios.Load(scenarios.Request{Source: file, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	cfg = s.Config(0, 1)
	asked := map[int]time.Duration{}
	cfg.Trace = func(r sim.AttemptRecord) {
		if r.Arrived >= 0 {
			task := int(r.Task)
			p.attempts = append(p.attempts, attempt{task: task, number: int(r.Attempt), at: r.Arrived, asked: asked[task]})
		}
	}
	p.done = map[int]bool{}
	cfg.Executed = func(x sim.Execution) {
		switch x.Then {
		case sim.Done:
			p.done[int(x.Task)] = true
		case sim.Again:
			asked[int(x.Task)] = x.Wait
		}
	}
	res := sim.Run(context.Background(), cfg)
	for _, q := range res.Queues {
		if q.Dead {
			p.dead = q.Ready
		}
	}
	return cfg, p
}

// A real run is one of a scenario's broker, consumers and messages, with a clock that ticks.
type real struct {
	t       *testing.T
	cfg     sim.Config
	waits   map[[2]int]time.Duration // by task and the number of the attempt that they come before
	conn    *amqp.Connection
	t0      time.Time
	mu      sync.Mutex
	played  played
	made    map[int]int
	pending map[int]attempt // published for an attempt to come
	left    int
	over    chan struct{}
}

// play plays a scenario in real time.
func play(t *testing.T, url string, cfg sim.Config, simulated *played) *played {
	t.Helper()
	r := &real{t: t, cfg: cfg, conn: dial(t, url), waits: map[[2]int]time.Duration{}, made: map[int]int{},
		pending: map[int]attempt{}, left: cfg.Workers, over: make(chan struct{})}
	for _, a := range simulated.attempts {
		r.waits[[2]int{a.task, a.number}] = a.asked
	}
	r.played.done = map[int]bool{}
	ch := r.channel()
	r.declare(ch)
	for task := range cfg.Workers {
		r.publish(ch, 0, task, 0)
	}
	r.t0 = time.Now()
	for range cfg.Broker.Consumers {
		r.consume()
	}
	select {
	case <-r.over:
	case <-time.After(cfg.Horizon):
	}
	time.Sleep(100 * time.Millisecond) // what is dead-lettered last arrives
	dead, err := ch.QueueDeclarePassive(cfg.Broker.Queues[cfg.Broker.DLQ].Name, true, false, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.played.dead = dead.Messages
	return &r.played
}

func (r *real) channel() *amqp.Channel {
	ch, err := r.conn.Channel()
	if err != nil {
		r.t.Fatal(err)
	}
	return ch
}

// declare makes the queues of the scenario anew.
func (r *real) declare(ch *amqp.Channel) {
	for _, q := range r.cfg.Broker.Queues {
		args := amqp.Table{"x-queue-type": "classic"}
		if q.Kind == broker.Quorum {
			args["x-queue-type"] = "quorum"
			if q.DeliveryLimit != broker.None {
				args["x-delivery-limit"] = q.DeliveryLimit
			}
		}
		if q.TTL > 0 {
			args["x-message-ttl"] = q.TTL.Milliseconds()
		}
		if q.DeadLetter != broker.None {
			args["x-dead-letter-exchange"] = ""
			args["x-dead-letter-routing-key"] = r.cfg.Broker.Queues[q.DeadLetter].Name
		}
		if _, err := ch.QueueDelete(q.Name, false, false, false); err != nil {
			r.t.Fatal(err)
		}
		if _, err := ch.QueueDeclare(q.Name, true, false, false, false, args); err != nil {
			r.t.Fatal(err)
		}
	}
}

// publish brings a task's message to a queue, with a time to live of its own if that is not 0.
func (r *real) publish(ch *amqp.Channel, queue, task int, ttl time.Duration) {
	message := amqp.Publishing{Body: []byte(strconv.Itoa(task)), DeliveryMode: amqp.Persistent}
	if ttl > 0 {
		message.Expiration = strconv.FormatInt(max(1, ttl.Milliseconds()), 10)
	}
	if err := ch.Publish("", r.cfg.Broker.Queues[queue].Name, false, false, message); err != nil {
		r.t.Error(err)
	}
}

// consume starts a consumer. What it takes after the end of the run is not looked at.
func (r *real) consume() {
	ch := r.channel()
	if err := ch.Qos(r.cfg.Broker.Prefetch, 0, false); err != nil {
		r.t.Fatal(err)
	}
	deliveries, err := ch.Consume(r.cfg.Broker.Queues[0].Name, "", false, false, false, false, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	go func() {
		for d := range deliveries {
			r.handle(ch, d)
		}
	}()
}

// handle makes an attempt: it fails in an outage, and if the message is poisonous.
func (r *real) handle(ch *amqp.Channel, d amqp.Delivery) {
	now := time.Since(r.t0)
	task, err := strconv.Atoi(string(d.Body))
	if err != nil {
		r.t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.pending[task]
	r.made[task]++
	a.task, a.number, a.at = task, r.made[task], now
	r.played.attempts = append(r.played.attempts, a)
	fails := task < r.cfg.Broker.Poison
	for _, o := range r.cfg.Downstream.Outages {
		fails = fails || o.From <= now && now < o.To
	}
	switch most := r.cfg.Limits.MaxAttempts; {
	case !fails:
		r.played.done[task] = true
		r.finish()
	case r.cfg.Broker.OnFailure == sim.Nack:
		r.answer(d.Nack(false, true))
		return
	case most > 0 && a.number >= most:
		r.publish(ch, r.cfg.Broker.DLQ, task, 0)
		r.finish()
	default:
		r.again(ch, task, a.number)
	}
	r.answer(d.Ack(false))
}

// again publishes a message to where it waits.
func (r *real) again(ch *amqp.Channel, task, number int) {
	wait, known := r.waits[[2]int{task, number + 1}]
	if !known {
		r.t.Errorf("message %d fails %d times, which it does not in the simulation", task, number)
	}
	r.pending[task] = attempt{asked: wait, published: time.Since(r.t0)}
	if r.cfg.Broker.OnFailure == sim.PublishTTL {
		r.publish(ch, r.cfg.Broker.Retry, task, wait)
		return
	}
	for _, rung := range r.cfg.Broker.Rungs {
		if rung.Wait >= wait {
			r.publish(ch, rung.Queue, task, 0)
			return
		}
	}
	r.t.Errorf("no rung for a wait of %v", wait)
}

func (r *real) answer(err error) {
	select {
	case <-r.over: // the connection may be closed
	default:
		if err != nil && !r.conn.IsClosed() {
			r.t.Error(err)
		}
	}
}

func (r *real) finish() {
	if r.left--; r.left == 0 {
		close(r.over)
	}
}
