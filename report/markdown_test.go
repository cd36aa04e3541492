package report

import (
	"strings"
	"testing"
)

func TestMarkdownFile(t *testing.T) {
	golden(t, "dirac.md", written(t, toyDirac().WriteMarkdown))
}

func TestMarkdownTablesHaveTheirColumns(t *testing.T) {
	all := odd()
	wild := toyDirac()
	wild.Entries[0].Name = "a|b\n|c\\|d`e`"
	all["wild"] = wild
	for name, r := range all {
		table := 0
		for _, line := range strings.Split(string(written(t, r.WriteMarkdown)), "\n") {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			table++
			unescaped := strings.NewReplacer(`\\`, "", `\|`, "").Replace(line)
			if n := strings.Count(unescaped, "|"); n != 5 {
				t.Errorf("%s: %d bars in %s, want 5", name, n, line)
			}
		}
		want := 0
		if n := len(r.digests()); n > 0 {
			want = n + 2
		}
		if table != want {
			t.Errorf("%s: a table of %d lines, want %d", name, table, want)
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	for s, want := range map[string]string{
		"full-jitter":          "full-jitter",
		"a|b":                  `a\|b`,
		"<script>*_`":          "\\<script\\>\\*\\_\\`",
		"[x](y)":               `\[x\](y)`,
		"two\nlines\x1b":       "two?lines?",
		`\|`:                   `\\\|`,
		"exponential(base=1s)": "exponential(base=1s)",
	} {
		if got := escapeMarkdown(s); got != want {
			t.Errorf("escapeMarkdown(%q) = %s, want %s", s, got, want)
		}
	}
}
