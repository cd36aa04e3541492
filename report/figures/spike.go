package figures

// spike sets two strategies against each other on a linear scale: the spike that backoff keeps together, and what
// jitter makes of it. Without those two it shows the worst and the best; see report.Pair.
var spike = Figure{
	Name:  "spike",
	empty: func(v *view) string { return v.nothingSent() },
	layout: func(v *view) layout {
		rows, story := v.pair()
		pitch := 148.0
		if len(rows) == 1 {
			pitch = 260
		}
		s, h := newStrip(v, rows, pitch, 32, false, func() []string { return v.spikeTitles(rows, story) })
		s.label = true                  // on a linear scale the lower of the two may hardly be seen
		return s.layout(h, len(v.rows)) // it is of two strategies whatever their number: none is missing
	},
}
