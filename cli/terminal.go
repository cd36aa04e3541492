package cli

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// defaultWidth is that of text where there is no terminal to ask.
const defaultWidth = 100

// Terminal reports whether a stream is a terminal, and how wide it is, 0 if it does not say.
func Terminal(stream any) (columns int, is bool) {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns = 0
	}
	return columns, true
}

// width returns the columns of stdout.
func (a *app) width() int {
	if columns, is := a.Terminal(a.Stdout); is && columns > 0 {
		return columns
	}
	return defaultWidth
}

// env returns an environment variable, "" if it is not set.
func (a *app) env(name string) string {
	value, _ := a.LookupEnv(name)
	return value
}

// colour says whether stdout gets escape codes. auto: on a terminal that knows them, unless NO_COLOR is set and not
// empty (no-color.org).
func (a *app) colour(mode string) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	_, terminal := a.Terminal(a.Stdout)
	return terminal && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// utf8 says whether the locale's characters are those of Unicode: the first of LC_ALL, LC_CTYPE and LANG that is set
// and not empty decides, as POSIX has it.
func (a *app) utf8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := a.env(name); locale != "" {
			locale = strings.ToLower(locale)
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return false
}
