package sim

// hasOpen reports whether there is any traffic beside the herd.
func (cfg *Config) hasOpen() bool {
	return cfg.Arrivals != nil || cfg.Cron != nil || cfg.Clients != nil
}

// limits returns those of the herd and of each kind of open traffic, by its kind.
func (cfg *Config) limits() (herd *Limits, open [kinds]*Limits) {
	herd = &cfg.Limits
	open = [kinds]*Limits{herd, herd, herd}
	if a := cfg.Arrivals; a != nil && a.Limits != nil {
		open[ofArrivals] = a.Limits
	}
	if c := cfg.Cron; c != nil && c.Limits != nil {
		open[ofCron] = c.Limits
	}
	if c := cfg.Clients; c != nil && c.Limits != nil {
		open[ofClients] = c.Limits
	}
	return herd, open
}

// unlimited reports whether no task is ever given up, and timeless whether none is for the time that it takes.
func (cfg *Config) unlimited() (unlimited, timeless bool) {
	herd, open := cfg.limits()
	unlimited, timeless = *herd == Limits{}, herd.Span() == 0
	for _, l := range open {
		unlimited = unlimited && *l == Limits{}
		timeless = timeless && l.Span() == 0
	}
	return unlimited, timeless
}

// limitsOf returns those of a task.
func (e *Engine) limitsOf(task uint32) *Limits {
	if task < e.herd {
		return &e.cfg.Limits
	}
	return e.open.limits[e.open.kind(task-e.herd)]
}
