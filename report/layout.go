package report

import (
	"charm.land/lipgloss/v2"
)

const (
	margin       = 2   // blanks before each line
	gap          = 2   // blanks before each column of numbers
	minSparkline = 24  // columns
	maxSparkline = 120 // columns
	minName      = 12  // cells to which a longer name is cut before a column of numbers is given up
	leastWidth   = 60  // cells of the narrowest report
	labelName    = 14  // cells that the labels of the tall plots take of the names' room
	wideEnough   = 80  // cells from which the middle number and the tall plots are shown
)

// A layout is how the cells of a line are shared out.
type layout struct {
	width   int // of the whole line
	name    int
	spark   int // columns that fit; a short run takes fewer
	numbers []numberColumn
}

// A variant is a choice of number columns and how many columns of sparkline it must leave.
type variant struct {
	numbers []numberColumn
	spark   int
}

// chooseLayout takes the first of the variants that leaves room for names, of at least leastName cells, and sparklines;
// the last of them if none does.
func chooseLayout(width, leastName int, names []string, variants []variant) layout {
	longest := leastName
	for _, n := range names {
		longest = max(longest, lipgloss.Width(n))
	}
	var l layout
	for _, v := range variants {
		l = layout{width: width, numbers: v.numbers}
		room := width - margin - 1 - 1 // a blank after the name, a mark after the sparkline
		for i := range v.numbers {
			room -= gap + v.numbers[i].width()
		}
		l.name = min(longest, max(14, width/4))
		l.name = max(min(l.name, room-minSparkline), min(longest, minName))
		l.spark = min(room-l.name, maxSparkline)
		if l.spark >= v.spark {
			return l
		}
	}
	// Numbers beyond all measure: the name gives way.
	l.name = max(1, l.name-(minSparkline-l.spark))
	l.spark = minSparkline
	return l
}

// variants returns the columns of numbers to try, best first: with ranges, without that of the middle one, without any,
// and then without the middle one. What a number is worth without its range nobody knows, so sparklines give way first.
func (r *Report) variants(ds []digest, width int) []variant {
	ranges, medians := r.numberColumns(ds, true), r.numberColumns(ds, false)
	narrow := []variant{
		{[]numberColumn{ranges[0], ranges[2]}, minSparkline},
		{[]numberColumn{medians[0], medians[2]}, minSparkline},
	}
	if width < wideEnough {
		return narrow
	}
	return append([]variant{
		{ranges, minSparkline},
		{[]numberColumn{ranges[0], medians[1], ranges[2]}, minSparkline},
		{medians, minSparkline},
	}, narrow...)
}
