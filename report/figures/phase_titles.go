package figures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A region is where a grid sticks: in the cells of these values of X and Y, but for some exceptions.
type region struct {
	xs, ys     []bool
	exceptions int
}

// titles say for which values of the two parameters the scenario gets stuck. A cell is stuck if half of its runs are.
func (p *Phase) titles() []string {
	all := p.count()
	run, stuck := all.run, all.stuck
	xName, yName := shortNames(p.X.Name, p.Y.Name)
	count := fmt.Sprintf("Stuck in %s of %s", comma(int64(stuck)), counted(int64(run), "case"))
	switch {
	case run == 0 && all.undecided > 0:
		return []string{"Whether it gets stuck shows in none of " + counted(int64(all.undecided), "case"), "No run shows whether it gets stuck"}
	case run == 0:
		return []string{"Nothing was run"}
	case run < all.cells:
		return p.partTitles(all, xName, yName)
	case stuck == 0:
		return []string{"It recovers, whatever " + xName + " and " + yName + " are", "It recovers in every case"}
	case stuck == run:
		return []string{"It gets stuck, whatever " + xName + " and " + yName + " are", "It gets stuck in every case"}
	}
	bounds := p.bounds()
	best, but := bounds, ""
	if core := p.core(bounds); bounds.exceptions > 0 && 16*core.exceptions <= run {
		best, but = core, fmt.Sprintf(", but for %d of %s", core.exceptions, counted(int64(run), "case"))
		if core.exceptions == 0 {
			but = ""
		}
	}
	x, y := p.X.where(xName, best.xs), p.Y.where(yName, best.ys)
	with := strings.Join(filled([]string{x, y}), " and ")
	switch {
	case with == "":
		return []string{count}
	case best.exceptions > 0 && but == "":
		return []string{count + ", all of them with " + with, count}
	case y == "":
		return []string{"Stuck with " + with + ", whatever " + yName + " is" + but, "Stuck with " + with + but, count}
	case x == "":
		return []string{"Stuck with " + with + ", whatever " + xName + " is" + but, "Stuck with " + with + but, count}
	}
	return []string{"Stuck with " + with + but, count}
}

// partTitles are about a grid of which some cells say nothing: no more than is known of the others.
func (p *Phase) partTitles(all counts, xName, yName string) []string {
	known := several(int64(all.run), " that was run", " that were run")
	if all.undecided > 0 {
		known = several(int64(all.run), " that is decided", " that are decided")
	}
	of := counted(int64(all.run), "case") + known + ", of " + comma(int64(all.cells))
	switch all.stuck {
	case 0:
		return []string{"It recovers in the " + of}
	case all.run:
		return []string{"It gets stuck in the " + of}
	}
	count := fmt.Sprintf("Stuck in %s of the %s", comma(int64(all.stuck)), of)
	bounds := p.bounds()
	with := strings.Join(filled([]string{p.X.where(xName, bounds.xs), p.Y.where(yName, bounds.ys)}), " and ")
	if with == "" {
		return []string{count}
	}
	return []string{count + ", all with " + with, count}
}

// counts are the cells of a grid: all, those with decided runs, of these the stuck ones, and those with no other than
// undecided runs.
type counts struct{ cells, run, stuck, undecided int }

func (p *Phase) count() counts {
	c := counts{cells: len(p.X.Values) * len(p.Y.Values)}
	for y := range p.Y.Values {
		for x := range p.X.Values {
			switch cell := p.At(x, y); {
			case cell.sticks():
				c.run, c.stuck = c.run+1, c.stuck+1
			case cell.Runs > 0:
				c.run++
			case cell.Undecided > 0:
				c.undecided++
			}
		}
	}
	return c
}

// each calls f for the cells with decided runs.
func (p *Phase) each(f func(x, y int, c Stuck)) {
	for y := range p.Y.Values {
		for x := range p.X.Values {
			if c := p.At(x, y); c.Runs > 0 {
				f(x, y, c)
			}
		}
	}
}

// bounds returns the smallest region outside of which nothing sticks.
func (p *Phase) bounds() region {
	r := region{xs: make([]bool, len(p.X.Values)), ys: make([]bool, len(p.Y.Values))}
	p.each(func(x, y int, c Stuck) {
		if c.sticks() {
			r.xs[x], r.ys[y] = true, true
		}
	})
	r.exceptions = p.exceptions(r)
	return r
}

// exceptions counts the cells within r that do not stick and those outside that do.
func (p *Phase) exceptions(r region) int {
	n := 0
	p.each(func(x, y int, c Stuck) {
		if (r.xs[x] && r.ys[y]) != c.sticks() {
			n++
		}
	})
	return n
}

// core returns a smaller region than r: without the values at which no more than half of its cells stick.
func (p *Phase) core(r region) region {
	r.xs, r.ys = slices.Clone(r.xs), slices.Clone(r.ys)
	for again := true; again; {
		xs, ys := make([]int, len(r.xs)), make([]int, len(r.ys)) // cells that stick less those that do not
		p.each(func(x, y int, c Stuck) {
			if r.xs[x] && r.ys[y] {
				step := -1
				if c.sticks() {
					step = 1
				}
				xs[x] += step
				ys[y] += step
			}
		})
		again = weed(r.xs, xs) || weed(r.ys, ys)
	}
	r.exceptions = p.exceptions(r)
	return r
}

// weed unmarks the values whose balance is not above 0, and reports whether there were any.
func weed(marked []bool, balance []int) bool {
	found := false
	for i, n := range balance {
		if marked[i] && n <= 0 {
			marked[i], found = false, true
		}
	}
	return found
}

// where writes which values of a are marked: "queue ≥ 75", "order fifo or adaptive"; "" if it is all of them, or none.
func (a Parameter) where(name string, marked []bool) string {
	var words []string
	for i, m := range marked {
		if m {
			words = append(words, a.Values[i])
		}
	}
	n := len(words)
	if n == 0 || n == len(marked) {
		return ""
	}
	first := slices.Index(marked, true)
	gapless := !slices.Contains(marked[first:min(first+n, len(marked))], false)
	order, more, less := a.order(), " ≥ ", " ≤ "
	if order < 0 {
		more, less = less, more
	}
	switch {
	case order == 0 || !gapless:
		return name + " " + strings.Join(words, " or ")
	case first+n == len(marked):
		return name + more + words[0]
	case first == 0:
		return name + less + words[n-1]
	case n > 1:
		return name + " " + words[0] + " to " + words[n-1]
	}
	return name + " " + words[0]
}

// order returns 1 if the values are numbers of one kind that rise, -1 if they fall, else 0.
func (a Parameter) order() int {
	rising, falling := true, true
	before := 0.0
	for i, v := range a.Values {
		x, ok := magnitude(v)
		if !ok {
			return 0
		}
		rising = rising && (i == 0 || x > before)
		falling = falling && (i == 0 || x < before)
		before = x
	}
	switch {
	case rising:
		return 1
	case falling:
		return -1
	}
	return 0
}

// magnitude reads a count, a share, a rate or a duration as they stand in a scenario, to compare it with its like.
func magnitude(s string) (float64, bool) {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "")
	if s == "unlimited" {
		return 1e300, true
	}
	if x, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64); err == nil {
		return x, true
	}
	if count, per, ok := strings.Cut(s, "/"); ok {
		x, err := strconv.ParseFloat(count, 64)
		seconds, known := map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}[per]
		return x / seconds, err == nil && known
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		x, err := strconv.ParseFloat(days, 64)
		return 24 * 3600 * x, err == nil
	}
	d, err := time.ParseDuration(s)
	return d.Seconds(), err == nil
}

// shortNames returns the last parts of two paths, as many as it takes to tell them apart; a part of a few letters, such as
// to, says nothing without the one before.
func shortNames(a, b string) (string, string) {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	short := func(parts []string, n int) string {
		if len(parts[len(parts)-1]) <= 4 {
			n++
		}
		return strings.Join(parts[max(0, len(parts)-n):], ".")
	}
	for n := 1; ; n++ {
		if x, y := short(as, n), short(bs, n); x != y || n >= max(len(as), len(bs)) {
			return x, y
		}
	}
}
