package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"herdsim/scenarios"
)

// presetWidth is how long a line of text about a preset may get.
const presetWidth = 110

// listPresets prints the presets, group by group.
func (a *app) listPresets() {
	all := scenarios.Presets()
	widest := 0
	for _, p := range all {
		widest = max(widest, utf8.RuneCountInString(p.Name))
	}
	fmt.Fprintf(a.stdout, "\nPresets: what %d real clients do by default, as preset: NAME in a scenario or --strategy 'preset(NAME)'.\n", len(all))
	group := ""
	for _, p := range all {
		if p.Group != group {
			group = p.Group
			fmt.Fprintf(a.stdout, "\n%s\n", group)
		}
		fmt.Fprintf(a.stdout, "  %-*s  %s\n", widest, p.Name, a.plain(p.Title))
	}
}

// describePreset prints what a preset is, where it comes from and what it stands for, with the limits and the like of the
// entry that was asked for.
func (a *app) describePreset(p scenarios.Preset, e scenarios.Entry) {
	fmt.Fprintf(a.stdout, "%s: %s\n", e.Name, a.plain(p.Title))
	a.printFormula(e)
	fmt.Fprintf(a.stdout, "\nversion  %s\nsource   %s\n", a.plain(p.Version), a.plain(p.Source))
	if p.Index != "" {
		fmt.Fprintf(a.stdout, "counts   %s\n", a.plain(p.Index))
	}
	for i, line := range wrap(p.Remarks, presetWidth-9) {
		word := ""
		if i == 0 {
			word = "remarks"
		}
		fmt.Fprintf(a.stdout, "%-7s  %s\n", word, a.plain(line))
	}
	for i, line := range strings.Split(strings.TrimSpace(p.YAML()), "\n") {
		word := ""
		if i == 0 {
			word = "default"
		}
		fmt.Fprintf(a.stdout, "%-7s  %s\n", word, a.plain(line))
	}
}

// wrap cuts a text into lines between words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// presetSpec makes a SPEC of the name of a preset, and leaves everything else as it is.
func presetSpec(spec string) string {
	if _, ok := scenarios.FindPreset(strings.TrimSpace(spec)); ok {
		return "preset(" + strings.TrimSpace(spec) + ", name=" + strings.TrimSpace(spec) + ")"
	}
	return spec
}

// presetNames are the names of all presets.
func presetNames() []string {
	var names []string
	for _, p := range scenarios.Presets() {
		names = append(names, p.Name)
	}
	return names
}
