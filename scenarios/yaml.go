package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// deepest is how deep a scenario may nest. The format itself needs 6.
const deepest = 20

// parseYAML reads one YAML document. It does no more than that: what the nodes mean is for the decoder, so that one
// wrong value does not hide the next.
//
// Anchors, aliases, merge keys and tags are refused: a scenario of a few lines does not need them, and what a reader
// sees is then what is meant. An empty document is nil.
func parseYAML(src *source, text []byte) (root *node, problems Errors) {
	defer func() {
		if r := recover(); r != nil { // a bug of the library must not end the program
			root, problems = nil, Errors{{File: src.name, Message: fmt.Sprintf("the text cannot be read as YAML: %v", r)}}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, Errors{syntaxProblem(src, err)}
	}
	c := converter{src: src}
	if len(document.Content) > 0 {
		root = c.node(document.Content[0], 1)
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case err == io.EOF:
	case err != nil:
		c.problems = append(c.problems, syntaxProblem(src, err))
	default:
		c.report(&second, "a second document begins here", "one scenario a file")
	}
	return root, c.problems
}

// A converter turns the library's nodes into ours.
type converter struct {
	src      *source
	problems Errors
}

func (c *converter) place(n *yaml.Node) place {
	return place{src: c.src, line: n.Line, column: n.Column}
}

func (c *converter) report(n *yaml.Node, message, allowed string) {
	if len(c.problems) >= mostKept {
		return
	}
	c.problems = append(c.problems, problemAt(c.place(n), message, allowed, ""))
}

func (c *converter) node(n *yaml.Node, depth int) *node {
	out := &node{at: c.place(n)}
	if depth > deepest {
		c.report(n, "nested too deep", fmt.Sprintf("at most %d levels", deepest))
		out.broken = true
		return out
	}
	if n.Anchor != "" {
		c.report(n, "the anchor "+quote("&"+n.Anchor)+" is not allowed here", "no anchors and aliases: write the value out")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		c.report(n, "the tag "+quote(n.Tag)+" is not allowed here", "no tags: each key has one type")
		out.broken = true
	}
	switch n.Kind {
	case yaml.AliasNode:
		out.broken = true
		c.report(n, "the alias "+quote("*"+n.Value)+" is not allowed here", "no anchors and aliases: write the value out")
	case yaml.MappingNode:
		out.kind = mapping
		for i := 0; i+1 < len(n.Content); i += 2 {
			out.pairs = append(out.pairs, pair{c.key(n.Content[i], depth+1), c.node(n.Content[i+1], depth+1)})
		}
	case yaml.SequenceNode:
		out.kind = list
		for _, item := range n.Content {
			out.items = append(out.items, c.node(item, depth+1))
		}
	default:
		out.text = n.Value
		out.quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
		out.null = !out.quoted && n.Tag == "!!null"
	}
	return out
}

// key converts the key of a mapping, which has to be a plain word.
func (c *converter) key(n *yaml.Node, depth int) *node {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!merge":
		c.report(n, "the merge key << is not allowed here", "no anchors and aliases: write the values out")
		return &node{at: c.place(n), broken: true}
	case n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode:
		c.report(n, "a key that is no word", "keys are words such as name or workers")
		return &node{at: c.place(n), broken: true}
	}
	return c.node(n, depth)
}

// syntaxProblem turns an error of the library into a problem, and adds the usual cause where it is known.
func syntaxProblem(src *source, err error) Problem {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		return Problem{File: src.name, Message: "not YAML: " + err.Error()}
	}
	at := place{src: src, line: load.Mark.Line, column: load.Mark.Column}
	if at.line > len(src.lines) || at.line > 1 && at.line == len(src.lines) && src.line(at.line) == "" {
		// The end of the file says nothing: show where what was not ended began.
		if load.ContextMark.Line > 0 {
			at.line, at.column = load.ContextMark.Line, load.ContextMark.Column
		}
	}
	return problemAt(at, "not YAML: "+load.Message, syntaxHint(load.Message, src.line(load.Mark.Line), load.Mark.Column), "")
}

func syntaxHint(message, line string, column int) string {
	var char rune
	if runes := []rune(line); column >= 1 && column <= len(runes) {
		char = runes[column-1]
	}
	switch {
	case char == '\t':
		return "indent with spaces, not tabs"
	case strings.Contains(message, "cannot start any token"):
		return fmt.Sprintf("a value that begins with %q has to stand in quotes", char)
	case strings.Contains(message, "mapping values are not allowed"):
		return `a text with ": " in it has to stand in quotes`
	case strings.Contains(message, "expected key"), strings.Contains(message, "block end"):
		return "keys of one map begin in the same column"
	case strings.Contains(message, "expected ',' or"):
		return "a bracket is not closed, or a comma is missing"
	case strings.Contains(message, "incompatible YAML document"):
		return "no %YAML line"
	case strings.Contains(message, "unexpected end of stream"):
		return "a quote is not closed"
	case strings.Contains(message, "unknown anchor"):
		return "no anchors and aliases: write the value out; a text that begins with * has to stand in quotes"
	case strings.Contains(message, "max depth"):
		return fmt.Sprintf("at most %d levels", deepest)
	}
	return ""
}
