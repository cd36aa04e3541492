package figures

import (
	"image/color"

	"herdsim/sim"
	"herdsim/strategies"
)

// A palette holds the colours of a theme. Colour means outcome, and never strategy, except in the lines of completion.
type palette struct {
	background, ink, soft, faint color.RGBA
	grid, axis                   color.RGBA // lines behind the data; the baseline
	warm                         color.RGBA // text that warns
	band                         color.RGBA // the middle of a range; a breaker that is half-open
	open                         color.RGBA // a breaker that is open

	outcomes [strategies.Outcomes]color.RGBA
	failure  color.RGBA // the failure itself
	lines    [lineColours]color.RGBA
	stuck    ramp // of a probability: blue where a scenario recovers, orange where it does not
}

// lineColours is how many lines can be told apart by colour alone.
const lineColours = 6

// palettes are the themes. Outcomes, the failure itself among them, keep a CIEDE2000 distance of 20 to normal sight and
// of 16 to the three dichromacies, outcomes also from the background, lines of 11; an open breaker of 20 and 14 to all of them and the other states; a test computes it, and that on
// the dark background no outcome has a contrast below 3.
var palettes = map[Theme]*palette{
	Light: {
		background: rgb(0xFFFFFF), ink: rgb(0x1B2430), soft: rgb(0x56616F), faint: rgb(0x6B7683),
		grid: rgb(0xEBEEF2), axis: rgb(0xBFC6CF), warm: rgb(0xB8500F), band: rgb(0x9DC3E3), open: rgb(0x3C006C),
		outcomes: [strategies.Outcomes]color.RGBA{
			strategies.Served:      rgb(0x2878BD),
			strategies.Rejected:    rgb(0xDD6B20),
			strategies.Unavailable: rgb(0xB5121B),
			strategies.TimedOut:    rgb(0x5E0A22),
			strategies.Errored:     rgb(0xF7D154),
			strategies.InFlight:    rgb(0x5C5D63),
		},
		failure: rgb(0xC3CAD3),
		lines:   [lineColours]color.RGBA{rgb(0xB93815), rgb(0xC28500), rgb(0x3F97DA), rgb(0x0A4A8F), rgb(0x128C6B), rgb(0x1B2430)},
		stuck:   ramp{{0, rgb(0x7FB4DC)}, {0.5, rgb(0xF4F5F6)}, {0.75, rgb(0xFBC08B)}, {1, rgb(0xE8762D)}},
	},
	Dark: {
		background: rgb(0x12171E), ink: rgb(0xE8EDF3), soft: rgb(0xA3AEBA), faint: rgb(0x8793A0),
		grid: rgb(0x232B35), axis: rgb(0x4A5563), warm: rgb(0xFFA366), band: rgb(0x2B5C86), open: rgb(0x9030FC),
		outcomes: [strategies.Outcomes]color.RGBA{
			strategies.Served:      rgb(0x4BA3E3),
			strategies.Rejected:    rgb(0xF59B57),
			strategies.Unavailable: rgb(0xD81B12),
			strategies.TimedOut:    rgb(0xA26C6C),
			strategies.Errored:     rgb(0xFFF8B8),
			strategies.InFlight:    rgb(0xC3CDD8),
		},
		failure: rgb(0x4A5563),
		lines:   [lineColours]color.RGBA{rgb(0xEA4B20), rgb(0xEBCB2D), rgb(0x9ABCFE), rgb(0x7B76AE), rgb(0x189173), rgb(0xE8EDF3)},
		stuck:   ramp{{0, rgb(0x2B6CA3)}, {0.5, rgb(0x2A323C)}, {0.75, rgb(0x96501F)}, {1, rgb(0xE8762D)}},
	},
}

// stackOrder is how outcomes lie upon one another, from the baseline up: what was worked on first.
var stackOrder = [strategies.Outcomes]sim.Outcome{
	strategies.Served, strategies.Errored, strategies.Rejected, strategies.Unavailable, strategies.TimedOut, strategies.InFlight,
}

// outcomeWords are the names of outcomes for people.
var outcomeWords = [strategies.Outcomes]string{
	strategies.Served:      "served",
	strategies.Rejected:    "rejected",
	strategies.Unavailable: "unavailable",
	strategies.TimedOut:    "timed out",
	strategies.Errored:     "errored",
	strategies.InFlight:    "in flight",
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF}
}
