package report

// verdictWidth are the cells of the longest verdict and the blanks after it.
const verdictWidth = len("NOT MET") + 2

// verdict returns how an expectation came out, the line with what there is to say about it, and the tone.
func (e *Expected) verdict() (verdict, rest string, t tone) {
	switch {
	case e.Skipped != "":
		return "skipped", e.Line + " (" + e.Skipped + ")", faint
	case e.Met:
		return "met", e.Line, fits
	case e.Detail != "":
		return "NOT MET", e.Line + " (" + e.Detail + ")", overloads
	}
	return "NOT MET", e.Line, overloads
}
