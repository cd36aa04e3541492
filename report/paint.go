package report

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// paint turns tones into escape codes, or into nothing.
type paint struct {
	color  bool
	styles [strong + 1]lipgloss.Style
}

// newPaint takes colours of the 256 that every terminal with colours has: blue 32 and orange 208, the nearest to those
// of the pictures that are read well on dark and on light ground.
func newPaint(color bool) paint {
	p := paint{color: color}
	p.styles[fits] = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(32))
	p.styles[overloads] = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(208))
	p.styles[faint] = lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(245))
	p.styles[strong] = lipgloss.NewStyle().Bold(true)
	return p
}

func (p *paint) piece(x piece) string {
	if !p.color || x.tone == plain || strings.TrimSpace(x.text) == "" {
		return x.text
	}
	return p.styles[x.tone].Render(x.text)
}

// named splits a line of text so that the words blue and orange of the key show their colours.
func (t *textWriter) named(line string, around tone) []piece {
	if !t.paint.color || around != faint {
		return []piece{{line, around}}
	}
	var pieces []piece
	for _, key := range []piece{{"blue", fits}, {"orange", overloads}} {
		if before, after, found := strings.Cut(line, key.text+" "); found {
			pieces = append(pieces, piece{before, around}, key)
			line = " " + after
		}
	}
	return append(pieces, piece{line, around})
}
