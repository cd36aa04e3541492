package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// isJSON says whether text is a JSON map. JSON is YAML but for some escapes of its strings, so it has a reader of its
// own; what is nearly JSON goes to the YAML reader, which says where it is wrong.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && text[0] == '{' && json.Valid(text)
}

// parseJSON reads valid JSON into nodes.
func parseJSON(src *source, text []byte) (*node, Errors) {
	r := jsonReader{src: src, text: text, decoder: json.NewDecoder(bytes.NewReader(text)), line: 1, column: 1}
	r.decoder.UseNumber()
	root := r.value(r.next(), 1)
	return root, r.problems
}

// A jsonReader walks the tokens of valid JSON.
type jsonReader struct {
	src          *source
	text         []byte
	decoder      *json.Decoder
	offset       int // up to where lines are counted
	line, column int // of offset
	at           place
	problems     Errors
}

// next returns the next token, and sets at to its place.
func (r *jsonReader) next() json.Token {
	start := int(r.decoder.InputOffset())
	for start < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[start]) >= 0 {
		start++
	}
	for r.offset < start {
		c, size := utf8.DecodeRune(r.text[r.offset:])
		r.column++
		if c == '\n' {
			r.line, r.column = r.line+1, 1
		}
		r.offset += size
	}
	r.at = place{src: r.src, line: r.line, column: r.column}
	token, _ := r.decoder.Token() // the text is valid
	return token
}

func (r *jsonReader) value(token json.Token, depth int) *node {
	n := &node{at: r.at}
	if depth == deepest+1 {
		n.broken = true
		r.problems = append(r.problems, problemAt(n.at, "nested too deep", fmt.Sprintf("at most %d levels", deepest), ""))
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			n.kind = mapping
			for r.decoder.More() {
				key := r.value(r.next(), depth+1)
				n.pairs = append(n.pairs, pair{key, r.value(r.next(), depth+1)})
			}
		} else {
			n.kind = list
			for r.decoder.More() {
				n.items = append(n.items, r.value(r.next(), depth+1))
			}
		}
		r.next()
	case string:
		n.text, n.quoted = t, true
	case json.Number:
		n.text = t.String()
	case bool:
		n.text = fmt.Sprint(t)
	default:
		n.text, n.null = "null", true
	}
	return n
}
