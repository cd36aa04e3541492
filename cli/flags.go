package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"herdsim/report"
)

// A choice is a flag with one of a few values.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }

func (c *choice) Set(value string) error {
	if !slices.Contains(c.allowed, value) {
		return fmt.Errorf("want %s", orList(c.allowed))
	}
	c.value = value
	return nil
}

// choiceFlag adds a flag whose first allowed value is its default.
func choiceFlag(cmd *cobra.Command, name, usage string, allowed ...string) *choice {
	c := &choice{value: allowed[0], allowed: allowed}
	cmd.Flags().Var(c, name, usage)
	completeFlag(cmd, name, allowed)
	return c
}

// choices is a flag with some of a few values, separated by commas, or none of them.
type choices struct {
	values  []string
	allowed []string
}

const none = "none"

func (c *choices) Type() string { return strings.Join(c.allowed, ",") + "|" + none }

func (c *choices) String() string {
	if len(c.values) == 0 {
		return none
	}
	return strings.Join(c.values, ",")
}

func (c *choices) Set(list string) error {
	c.values = nil
	if list == none {
		return nil
	}
	for value := range strings.SplitSeq(list, ",") {
		value = strings.TrimSpace(value)
		if !slices.Contains(c.allowed, value) {
			return fmt.Errorf("want %s, or several of %s with commas", orList(append(slices.Clone(c.allowed), none)), strings.Join(c.allowed, ", "))
		}
		if !slices.Contains(c.values, value) {
			c.values = append(c.values, value)
		}
	}
	return nil
}

// choicesFlag adds a flag whose first allowed value is its default.
func choicesFlag(cmd *cobra.Command, name, usage string, allowed ...string) *choices {
	c := &choices{values: allowed[:1], allowed: allowed}
	cmd.Flags().Var(c, name, usage)
	completeFlag(cmd, name, append(slices.Clone(allowed), strings.Join(allowed, ","), none))
	return c
}

// A wholeNumber is a flag that may be absent: without a value it is nil, not 0.
type wholeNumber struct {
	value       *uint64
	least, most uint64
}

func (n *wholeNumber) Type() string { return "number" }

func (n *wholeNumber) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.FormatUint(*n.value, 10)
}

func (n *wholeNumber) Set(text string) error {
	value, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || value < n.least || value > n.most {
		return fmt.Errorf("want a whole number from %d to %s", n.least, thousands(n.most))
	}
	n.value = &value
	return nil
}

// thousands writes n with commas as far as people count.
func thousands(n uint64) string {
	if n > math.MaxInt64 {
		return strconv.FormatUint(n, 10)
	}
	return report.Count(int64(n))
}

// completeFlag has the shell offer values for a flag.
func completeFlag(cmd *cobra.Command, name string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(fmt.Sprintf("cli: completion of --%s: %v", name, err))
	}
}

// orList writes a, b or c.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

var (
	_ pflag.Value = (*choice)(nil)
	_ pflag.Value = (*choices)(nil)
	_ pflag.Value = (*wholeNumber)(nil)
)
