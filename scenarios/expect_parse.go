package scenarios

import (
	"fmt"
	"regexp"
	"strings"
)

// An expectFault is what is wrong with a line of expect, and where.
type expectFault struct {
	at                           int // in characters from 0
	message, allowed, suggestion string
}

func (f *expectFault) Error() string {
	p := Problem{File: "expect", Message: f.message, Allowed: f.allowed, Suggestion: f.suggestion}
	return p.String()
}

// longestLine bounds a line of expect.
const longestLine = 1000

var (
	referencePattern = regexp.MustCompile(`^([a-z0-9][a-z0-9-]*)\.([a-zA-Z_][a-zA-Z0-9_]*)`)
	columnPattern    = regexp.MustCompile(`^\.([a-zA-Z_][a-zA-Z0-9_]*)`)
	valuePattern     = regexp.MustCompile(`^[0-9.][0-9a-zA-Zµμ_.]*%?`)
	operatorPattern  = regexp.MustCompile(`^(<=|>=|==|<|>)`)
	wordPattern      = regexp.MustCompile(`^[\pL\pN_.%-]+`)
)

// An expectParser reads a line from left to right, up to the first fault.
type expectParser struct {
	line  string
	pos   int // in bytes
	depth int
	fault *expectFault // the first; behind it the rest of the line counts as read
}

// parseExpectation reads one line. Its error is an *expectFault.
//
//	line    = sum ("<" | "<=" | ">" | ">=" | "==") sum
//	sum     = product { ("+" | "-") product }
//	product = factor { ("*" | "/") factor }
//	factor  = number | duration | percentage | name "." column | "(" sum ")" | "-" factor
//
// The two sides of a comparison, of + and of - are both times, or both numbers.
func parseExpectation(line string) (e Expectation, err error) {
	p := &expectParser{line: line}
	if len(line) > longestLine {
		p.fail("the line is too long", fmt.Sprintf("at most %d characters", longestLine), "")
	}
	e.Line = line
	e.left = p.sum()
	p.space()
	if e.op = operatorPattern.FindString(p.rest()); e.op == "" {
		suggestion := map[bool]string{true: "=="}[strings.HasPrefix(p.rest(), "=")]
		p.fail(p.found()+" where a comparison is due", "one of < <= > >= ==", suggestion)
	}
	p.pos += len(e.op)
	at := p.start()
	e.right = p.sum()
	p.mismatch(at, e.op, e.left, e.right)
	if p.space(); p.rest() != "" {
		p.fail(p.found()+" after the end", "one comparison a line", "")
	}
	if p.fault != nil {
		return Expectation{Line: line}, p.fault
	}
	return e, nil
}

func (p *expectParser) rest() string { return p.line[p.pos:] }

func (p *expectParser) space() {
	p.pos = len(p.line) - len(strings.TrimLeft(p.rest(), " \t"))
}

// start returns where the next value begins.
func (p *expectParser) start() int {
	p.space()
	return p.pos
}

// found names what stands at the position.
func (p *expectParser) found() string {
	if p.rest() == "" {
		return "the line ends"
	}
	if word := wordPattern.FindString(p.rest()); word != "" {
		return quote(word)
	}
	for _, r := range p.rest() {
		return quote(string(r))
	}
	return ""
}

// fail notes what is wrong at the position, and gives the rest of the line up.
func (p *expectParser) fail(message, allowed, suggestion string) expression {
	if p.fault == nil {
		p.fault = &expectFault{len([]rune(p.line[:p.pos])), message, allowed, suggestion}
	}
	p.pos = len(p.line)
	return constant{}
}

// accept takes one of the characters, after spaces.
func (p *expectParser) accept(chars string) (byte, bool) {
	p.space()
	if p.rest() == "" || strings.IndexByte(chars, p.rest()[0]) < 0 {
		return 0, false
	}
	p.pos++
	return p.line[p.pos-1], true
}

func (p *expectParser) sum() expression {
	x := p.product()
	for {
		op, ok := p.accept("+-")
		if !ok {
			return x
		}
		at := p.start()
		y := p.product()
		p.mismatch(at, string(op), x, y)
		x = binary{op, x, y}
	}
}

func (p *expectParser) product() expression {
	x := p.factor()
	for {
		op, ok := p.accept("*/")
		if !ok {
			return x
		}
		x = binary{op, x, p.factor()}
	}
}

func (p *expectParser) factor() expression {
	if p.depth++; p.depth > 50 {
		return p.fail("nested too deep", "at most 50 brackets and signs", "")
	}
	defer func() { p.depth-- }()
	if _, ok := p.accept("("); ok {
		x := p.sum()
		if _, ok := p.accept(")"); !ok {
			p.fail(p.found()+" where a bracket has to close", ")", "")
		}
		return x
	}
	if _, ok := p.accept("-"); ok {
		return binary{'-', constant{}, p.factor()}
	}
	if strings.HasPrefix(p.rest(), `"`) {
		return p.quoted()
	}
	if m := referencePattern.FindStringSubmatch(p.rest()); m != nil {
		return p.reference(m[1], m[2], len(m[0]))
	}
	if text := valuePattern.FindString(p.rest()); text != "" {
		return p.number(text)
	}
	allowed := "a number, a duration, a percentage, or a column of a strategy such as full-jitter.completion"
	if word := wordPattern.FindString(p.rest()); strings.ContainsAny(word, "%._") || strings.Contains(word, "-") {
		allowed += "; a name with other characters than a-z, 0-9 and - stands in double quotes"
	}
	return p.fail(p.found()+" where a value is due", allowed, "")
}

// quoted reads "a name".column; \" and \\ in it stand for " and \.
func (p *expectParser) quoted() expression {
	var name strings.Builder
	i := p.pos + 1
	for ; i < len(p.line) && p.line[i] != '"'; i++ {
		if p.line[i] == '\\' && i+1 < len(p.line) {
			i++
		}
		name.WriteByte(p.line[i])
	}
	if i == len(p.line) {
		return p.fail("the quotes are not closed", `"name".column`, "")
	}
	m := columnPattern.FindStringSubmatch(p.line[i+1:])
	if m == nil {
		return p.fail("a name without a column", `"name".column, as "`+name.String()+`".completion`, "")
	}
	return p.reference(name.String(), m[1], i+1+len(m[0])-p.pos)
}

// reference checks the column; the strategies are not known here.
func (p *expectParser) reference(name, short string, length int) expression {
	full, ok := column(short)
	if !ok {
		p.pos += length - len(short)
		return p.fail("there is no column "+quote(short), "one of "+strings.Join(judged(), ", "), near(short, judged()))
	}
	r := reference{name, full, len([]rune(p.line[:p.pos]))}
	p.pos += length
	return r
}

func (p *expectParser) number(text string) expression {
	plain := strings.ReplaceAll(text, "_", "")
	if v, ok := parseShare(plain); ok {
		p.pos += len(text)
		return constant{v: v}
	}
	if d, fault := parseDuration(text); fault == durationOK {
		p.pos += len(text)
		return constant{v: d.Seconds(), time: true}
	}
	return p.fail(quote(text)+" is no value", "a number such as 10 or 0.5, a duration such as 1.5s, or a percentage such as 5%", "")
}
