package scenarios

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// largestFile bounds a scenario file; a long one has a few kilobytes.
const largestFile = 1 << 20

// parse reads the text of a scenario, YAML or JSON, into nodes. An empty text is nil.
func parse(name string, text []byte) (*node, Errors) {
	if len(text) > largestFile {
		return nil, Errors{{File: name, Message: "the file is larger than 1 MiB", Allowed: "a scenario of at most 1 MiB"}}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if p := textProblem(name, text); p != nil {
		return nil, Errors{*p}
	}
	src := newSource(name, text)
	if isJSON(text) {
		return parseJSON(src, text)
	}
	return parseYAML(src, text)
}

// textProblem reports the first place where text is no text: not UTF-8, or with control characters other than tab and
// line end. A line then is what every editor shows as one.
func textProblem(name string, text []byte) *Problem {
	line, column := 1, 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		message := ""
		switch {
		case r == utf8.RuneError && size == 1:
			message = fmt.Sprintf("the byte 0x%02x is not UTF-8", text[i])
		case r == '\n':
			line, column = line+1, 0
		case r == '\t', r == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			message = fmt.Sprintf("the control character %U is not allowed", r)
		}
		if message != "" {
			return &Problem{File: name, Line: line, Column: column, Message: message, Allowed: "a text file in UTF-8"}
		}
		i, column = i+size, column+1
	}
	return nil
}
