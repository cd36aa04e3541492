package cli

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	long, many := strings.Repeat("one two three four ", 6), strings.Repeat("one two three four\n", 6)
	for _, c := range []struct{ name, text, want string }{
		{"what fits stays", "a  b\n\n  c\n", "a  b\n\n  c\n"},
		{"below the last column", "name  one two three four five\n", "name  one two three\n      four five\n"},
		{"a line by itself", "one two three four five\nsix seven\n\nend\n", "one two three four\nfive\nsix seven\n\nend\n"},
		{"a paragraph flows on", long + "five\nsix seven\n\nend\n", many + "five six seven\n\nend\n"},
		{"a paragraph before columns", long + "five\n  six\n", many + "five\n  six\n"},
		{"a word that is too long", "one abcdefghijklmnopqrstuvwxyz two\n", "one\nabcdefghijklmnopqrstuvwxyz\ntwo\n"},
		{"without an end", "one two three four five", "one two three four\nfive"},
	} {
		if got := fold(c.text, 20); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// On a terminal of 80 columns nothing is wider, and through a pipe nothing changes.
func TestListsFitTheTerminal(t *testing.T) {
	for _, args := range [][]string{{"scenarios"}, {"strategies"}, {"strategies", "show", "sidekiq-8"}, {"strategies", "guards", "breaker"}, {"--help"}, {"why", "--help"}} {
		var whole, folded string
		for _, columns := range []int{0, 80} {
			var out, errs strings.Builder
			p := &Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false }}
			p.Terminal = func(any) (int, bool) { return columns, columns > 0 }
			if code := Main(p); code != 0 {
				t.Fatalf("%v: %s", args, errs.String())
			}
			if whole, folded = folded, out.String(); columns == 0 {
				continue
			}
			for line := range strings.Lines(folded) {
				if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > columns {
					t.Errorf("%v: %q is wider than %d", args, line, columns)
				}
			}
		}
		if strings.Join(strings.Fields(whole), " ") != strings.Join(strings.Fields(folded), " ") {
			t.Errorf("%v: the words are not those of a pipe", args)
		}
	}
}
