package sim

// watch keeps or passes on the attempts of those tasks that somebody wants to see one by one.
type watch struct {
	trace  func(AttemptRecord)
	herd   uint32
	every  int    // the sample is every so-many-th worker; 0 for no herd
	inv    uint64 // ceil(2^64 / every): divides without dividing
	sample []AttemptRecord
	full   bool
	ends   []Time // of each task's last attempt; only of the sampled if there is no trace
}

const (
	sampleWorkers  = 200
	sampleAttempts = 1 << 18
)

func (w *watch) reset(cfg *Config) {
	*w = watch{trace: cfg.Trace, herd: uint32(cfg.Workers), sample: w.sample[:0]}
	if n := cfg.Workers; n > 0 {
		w.every = (n + sampleWorkers - 1) / sampleWorkers
		w.inv = ^uint64(0)/uint64(w.every) + 1
		if w.trace == nil {
			w.ends = make([]Time, (n+w.every-1)/w.every)
		}
	}
	if w.trace != nil {
		w.ends = make([]Time, cfg.Workers)
	}
}

// sampled reports whether task is in the sample: whether every divides it, by the method of Lemire, Kaser and Kurz,
// "Faster remainder by direct computation", 2019.
func (w *watch) sampled(task uint32) bool {
	return task < w.herd && (w.inv == 0 || uint64(task)*w.inv < w.inv)
}

func (w *watch) wants(task uint32) bool { return w.trace != nil || w.sampled(task) }

// ended completes the record of an attempt that has ended, or will not before the run does, and hands it on.
func (w *watch) ended(task, attempt uint32, r AttemptRecord) {
	r.Task, r.Attempt = int64(task), int64(attempt)
	i := int(task)
	if w.trace == nil {
		i /= w.every
	}
	for i >= len(w.ends) {
		w.ends = append(w.ends, 0) // open tasks
	}
	if attempt > 1 {
		r.Waited = max(0, r.Sent-w.ends[i]) // a tier may go on while the one above has given up
	}
	w.ends[i] = r.End
	if w.sampled(task) {
		if len(w.sample) < sampleAttempts {
			w.sample = append(w.sample, r)
		} else {
			w.full = true
		}
	}
	if w.trace != nil {
		w.trace(r)
	}
}
