package figures

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"herdsim/report"
)

// A typeface is one of the two faces in use, with the advance widths of its common characters.
//
// Text is set without kerning, in PNG and SVG alike: digits then stay in their columns ("11" is kerned in this
// typeface), and a width is the sum of advances wherever it is measured.
type typeface struct {
	face  font.Face
	ascii [128]float64 // advance in em
}

const (
	ellipsis = "…" // stands for what was left out of a text
	unknown  = '□' // and for a character that the font lacks
)

var (
	regular = newTypeface(liberationsansregular.TTF, xfont.WeightNormal)
	bold    = newTypeface(liberationsansbold.TTF, xfont.WeightBold)
)

func newTypeface(ttf []byte, weight xfont.Weight) *typeface {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Sprintf("figures: bundled font of weight %d: %v", weight, err))
	}
	t := &typeface{face: font.Face{
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight},
		Face: f,
	}}
	for r := range t.ascii {
		t.ascii[r] = t.measure(rune(r))
	}
	return t
}

// has reports whether the font has r.
func (t *typeface) has(r rune) bool {
	var buf sfnt.Buffer
	glyph, err := t.face.Face.GlyphIndex(&buf, r)
	return err == nil && glyph != 0
}

// Missing returns the characters in names of r that the font of the figures lacks, each once: a PNG shows a box for them,
// and an SVG leaves them to the fonts of whoever looks at it.
func Missing(r *report.Report) string {
	var missing []rune
	for _, e := range r.Entries {
		for _, c := range clean(e.Name) + simple(clean(e.Formula)) {
			if c >= 128 && !bold.has(c) && !slices.Contains(missing, c) {
				missing = append(missing, c)
			}
		}
	}
	return string(missing)
}

// measure returns the advance of r in em. A character that the font lacks counts as one em: PNG shows a box instead,
// and in SVG it comes from another font.
func (t *typeface) measure(r rune) float64 {
	var buf sfnt.Buffer
	units := t.face.Face.UnitsPerEm()
	glyph, err := t.face.Face.GlyphIndex(&buf, r)
	if err != nil || glyph == 0 {
		return 1
	}
	adv, err := t.face.Face.GlyphAdvance(&buf, glyph, fixed.Int26_6(units), xfont.HintingNone)
	if err != nil {
		return 0
	}
	return float64(adv) / float64(units)
}

// sized returns the face at a size in points.
func (t *typeface) sized(size float64) font.Face {
	f := t.face
	f.Font.Size = vg.Length(size)
	return f
}

// width returns the width of s in points.
func (t *typeface) width(s string, size float64) float64 {
	w := 0.0
	for _, r := range s {
		if r < 128 {
			w += t.ascii[r]
		} else {
			w += t.measure(r)
		}
	}
	return w * size
}

// raised is an exponent of which the font lacks characters.
var raised = regexp.MustCompile("ⁿ⁺[⁰¹²³⁴-⁹]+")

// simple writes a formula in characters that the font has: 2ⁿ⁺¹ as 2^(n+1), and floors in letters.
func simple(formula string) string {
	plain := strings.NewReplacer("ⁿ", "^(n", "⁺", "+", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5",
		"⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
	formula = raised.ReplaceAllStringFunc(formula, func(s string) string { return plain.Replace(s) + ")" })
	return strings.NewReplacer("⌊", "floor(", "⌋", ")").Replace(formula)
}

// clean returns s with each character that cannot be drawn, or not be written to XML, as a space.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "�"))
}

// fit returns s, shortened in the middle if it is wider than width: both ends of a name tell it from the others.
func (t *typeface) fit(s string, size, width float64) string {
	if t.width(s, size) <= width {
		return s
	}
	rs := []rune(s)
	for n := len(rs) - 1; n > 0; n-- {
		head := (n + 1) / 2
		short := strings.TrimRight(string(rs[:head]), " ") + ellipsis + strings.TrimLeft(string(rs[len(rs)-(n-head):]), " ")
		if t.width(short, size) <= width {
			return short
		}
	}
	return ellipsis
}

// A setting is a number of lines and a size to try.
type setting struct {
	lines int
	size  float64
}

// The settings of names and formulas in a narrow column, from the best.
var (
	nameSettings    = []setting{{1, 12}, {1, 11}, {2, 11}, {2, 10}, {2, 9}, {3, 9}}
	formulaSettings = []setting{{1, 9.5}, {1, 9}, {1, 8.5}, {2, 9}, {2, 8}}
)

// A block is a text set in one or more lines.
type block struct {
	lines []string
	size  float64
}

// set sets s within width by the first setting that holds it all, else by the last and shortened.
func (t *typeface) set(s string, width float64, try ...setting) block {
	for _, x := range try {
		lines := t.wrap(s, x.size, width, x.lines)
		if t.width(lines[len(lines)-1], x.size) <= width {
			return block{lines, x.size}
		}
	}
	last := try[len(try)-1]
	lines := t.wrap(s, last.size, width, last.lines)
	lines[len(lines)-1] = t.fit(lines[len(lines)-1], last.size, width)
	return block{lines, last.size}
}

// wrap breaks s into at most n lines of the given width. The last line may be wider.
func (t *typeface) wrap(s string, size, width float64, n int) []string {
	var lines []string
	for len(lines) < n-1 && t.width(s, size) > width {
		at := t.breakAt(s, size, width)
		lines = append(lines, strings.TrimRight(s[:at], " "))
		s = strings.TrimLeft(s[at:], " ")
	}
	return append(lines, s)
}

// breakAt returns how many bytes of s make the first line. The best break is after a comma outside brackets, then at
// a space outside brackets and not behind an operator, then the same within one bracket, then at any space, then after a
// punctuation mark; it must leave a third of a line.
func (t *typeface) breakAt(s string, size, width float64) int {
	w, last, depth := 0.0, 0, 0
	at := [6]int{} // the last break of each rank
	before := ' '
	for i, r := range s {
		w += t.width(string(r), size)
		if w > width && r != ' ' {
			break
		}
		last = i + len(string(r))
		rank := 0
		switch {
		case strings.ContainsRune("([", r):
			depth++
			rank = 1
		case strings.ContainsRune(")]", r):
			depth--
		case r == ' ' && unicode.IsDigit(before) && unicode.IsLetter(after(s, last)): // 100 ms
			rank = 0
		case r == ' ' && before == ',' && depth <= 0:
			rank = 5
		case r == ' ' && depth <= 1 && !strings.ContainsRune("+×=/", before):
			rank = 4 - max(depth, 0)
		case r == ' ':
			rank = 2
		case strings.ContainsRune("-_/=.", r):
			rank = 1
		}
		at[rank] = last
		before = r
	}
	for best := len(at) - 1; best > 0; best-- {
		if 3*at[best] > last {
			return at[best]
		}
	}
	return max(last, len(string([]rune(s)[:1])))
}

// after returns the character of s at byte i, or a space at its end.
func after(s string, i int) rune {
	for _, r := range s[i:] {
		return r
	}
	return ' '
}

// height is that of the block with its lines 1.15 sizes apart.
func (b block) height() float64 { return b.size * 1.15 * float64(len(b.lines)) }
