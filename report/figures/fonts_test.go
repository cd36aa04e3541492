package figures

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"herdsim/report"
)

func TestSet(t *testing.T) {
	for _, c := range []struct {
		text string
		try  []setting
		want []string
		size float64
	}{
		{"full-jitter", nameSettings, []string{"full-jitter"}, 12},
		{"½E + U[0, ½E), E = min(32 s, 1 s × 2ⁿ)", formulaSettings, []string{"½E + U[0, ½E),", "E = min(32 s, 1 s × 2ⁿ)"}, 9},
		{"500 ms + floor(place / 20) × 100 ms", formulaSettings, []string{"500 ms + floor(place / 20)", "× 100 ms"}, 9},
		{"min(5 min, 1 s × 2ⁿ × (1 + U[0, 10%)))", formulaSettings, []string{"min(5 min, 1 s × 2ⁿ", "× (1 + U[0, 10%)))"}, 9},
		{"exponential(base=1s, cap=30s)", nameSettings, []string{"exponential(base=1s,", "cap=30s)"}, 11},
		{"", nameSettings, []string{""}, 12},
	} {
		b := regular.set(c.text, nameWidth, c.try...)
		if c.try[0] == nameSettings[0] {
			b = bold.set(c.text, nameWidth, c.try...)
		}
		if !slices.Equal(b.lines, c.want) || b.size != c.size {
			t.Errorf("%q is set as %q at %v pt, want %q at %v", c.text, b.lines, b.size, c.want, c.size)
		}
	}
}

// Whatever the text, no line is wider than its column, and nothing but the middle of the last line is left out.
func TestSetFits(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("W", 64), strings.Repeat("i", 64), strings.Repeat("word ", 12), "指数バックオフ指数バックオフ指数バックオフ指数バックオフ",
		strings.Repeat("(", 64), strings.Repeat("1 s ", 16), longName(7), "   ",
	} {
		b := bold.set(text, nameWidth, nameSettings...)
		all := strings.Join(b.lines, "")
		if len(b.lines) > 3 || !utf8.ValidString(all) {
			t.Errorf("%q is set in %d lines: %q", text, len(b.lines), b.lines)
		}
		for _, l := range b.lines {
			if w := bold.width(l, b.size); w > nameWidth {
				t.Errorf("%q: a line of %v pt, want at most %v", text, w, nameWidth)
			}
		}
		if squeeze := strings.ReplaceAll(text, " ", ""); !strings.Contains(all, ellipsis) && strings.ReplaceAll(all, " ", "") != squeeze {
			t.Errorf("%q became %q", text, all)
		}
	}
}

func TestFit(t *testing.T) {
	name := "exponential-with-jitter-7"
	got := bold.fit(name, 10, 80)
	if !strings.HasPrefix(got, "expo") || !strings.HasSuffix(got, "-7") || bold.width(got, 10) > 80 {
		t.Errorf("%q at %v pt", got, bold.width(got, 10))
	}
	if got := bold.fit("abc", 10, 1); got != ellipsis {
		t.Errorf("%q where nothing fits", got)
	}
}

func TestClean(t *testing.T) {
	if got := clean("a\x00b\nc\u202ed\xffe 2ⁿ"); got != "a b c d\uFFFDe 2ⁿ" {
		t.Errorf("%q", got)
	}
}

func TestSimple(t *testing.T) {
	for _, c := range []struct{ formula, want string }{
		{"1 s × 2ⁿ", "1 s × 2ⁿ"},
		{"min(32 s, 1 s × 2ⁿ⁺¹⁰)", "min(32 s, 1 s × 2^(n+10))"},
		{"500 ms + ⌊place / 20⌋ × 100 ms", "500 ms + floor(place / 20) × 100 ms"},
	} {
		if got := simple(c.formula); got != c.want {
			t.Errorf("%s became %s, want %s", c.formula, got, c.want)
		}
	}
}

// Digits are equally wide, so that numbers stand in columns, and the widths are those of the font.
func TestWidths(t *testing.T) {
	for _, f := range []*typeface{regular, bold} {
		for d := '0'; d <= '9'; d++ {
			if f.ascii[d] != f.ascii['0'] {
				t.Errorf("%c is %v em wide, 0 is %v", d, f.ascii[d], f.ascii['0'])
			}
		}
		// 1139/2048 em in Liberation Sans, as in Arial.
		if got := f.width("00", 2048); got != 2*1139 {
			t.Errorf("two zeros at 2048 pt: %v, want 2278", got)
		}
	}
	for _, r := range "×½ⁿ±·–…µ□↑" {
		if !regular.has(r) {
			t.Errorf("the font lacks %q", r)
		}
	}
}

func TestMissing(t *testing.T) {
	named := func(names ...string) *report.Report {
		r := &report.Report{}
		for _, n := range names {
			r.Entries = append(r.Entries, report.Entry{Name: n, Formula: "U[0, min(32 s, 1 s × 2ⁿ⁺¹)); ⌊x⌋ ± ½E ≤ ∞"})
		}
		return r
	}
	for _, c := range []struct{ name, want string }{{"full-jitter, ä é Ж λ", ""}, {"群a指群", "群指"}, {"🐑\x00", "🐑"}} {
		if got := Missing(named(c.name)); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
	if got := Missing(named("指数", "群指")); got != "指数群" {
		t.Errorf("%q, want each character once", got)
	}
}
