package downstream

import (
	"math"
	"time"
)

// cache is the state of a Cache: how many of its keys are filled, on average.
type cache struct {
	cfg    *Cache
	filled float64
	at     time.Duration // of filled
}

func (c *cache) reset(cfg *Cache) {
	*c = cache{cfg: cfg}
	if cfg != nil && !cfg.Cold {
		c.filled = float64(cfg.Keys)
	}
}

func (c *cache) empty() { c.filled = 0 }

// share returns which share of the keys is filled now.
func (c *cache) share(now time.Duration) float64 {
	if c.cfg == nil {
		return 1
	}
	if c.cfg.TTL > 0 && now > c.at {
		c.filled *= math.Exp(-float64(now-c.at) / float64(c.cfg.TTL))
	}
	c.at = now
	return c.filled / float64(c.cfg.Keys)
}

// ask looks a request up. missed is how many keys are missing if it is for one of them, else 0.
func (c *cache) ask(now time.Duration, u float64) (hit bool, missed float64) {
	hit = u < c.cfg.HitRatio*c.share(now)
	if hit || u >= c.cfg.HitRatio {
		return hit, 0
	}
	return false, float64(c.cfg.Keys) - c.filled
}

// fill fills the key of a request that found so many missing, unless another has filled it meanwhile: it is one of them,
// each as likely, and so it is still missing with the chance that this is.
func (c *cache) fill(now time.Duration, missed float64) {
	c.share(now)
	keys := float64(c.cfg.Keys)
	c.filled = min(c.filled+min((keys-c.filled)/missed, 1), keys)
}

// pool is the state of a Pool.
type pool struct{ idle int }

func (p *pool) reset(cfg *Pool) {
	p.idle = 0
	if cfg != nil && cfg.Open {
		p.idle = cfg.Max
	}
}

// use takes an idle connection, or a new one.
func (p *pool) use() { p.idle = max(0, p.idle-1) }

// giveBack makes a connection idle.
func (p *pool) giveBack() { p.idle++ }

// lose closes all connections.
func (p *pool) lose() { p.idle = 0 }
