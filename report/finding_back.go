package report

import (
	"fmt"
	"strings"
)

// mostNames is how many strategies a sentence names; more are counted.
const mostNames = 3

// comesBack says which strategies bring the service back by themselves and which do not, if there are both, each in most of
// its runs; else "".
func (r *Report) comesBack() string {
	var back, down []string
	for i := range r.Entries {
		e := &r.Entries[i]
		yes, no := 0, 0
		for k, run := range e.Runs {
			if run == nil {
				continue
			}
			v := r.Verdict(i, k+1)
			switch v.State {
			case Stuck, Overloaded:
				no++
			case Recovered, NeverDown:
				yes++
			}
		}
		switch {
		case yes > no:
			back = append(back, e.Name)
		case no > yes:
			down = append(down, e.Name)
		}
	}
	if len(back) == 0 || len(down) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s back by %s; %s %s not.", named(back), verb(back, "comes", "come"), verb(back, "itself", "themselves"),
		named(down), verb(down, "does", "do"))
}

// named lists names, or counts them if they are too many.
func named(names []string) string {
	switch n := len(names); {
	case n > mostNames:
		return fmt.Sprintf("%d strategies", n)
	case n == 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

func verb(names []string, one, many string) string {
	if len(names) == 1 {
		return one
	}
	return many
}
