package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"herdsim/scenarios"
)

//go:embed init.yaml
var exampleScenario string

var scenarioName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`) // - at the front would make it a flag

func (a *app) initCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write a commented scenario to start from",
		Long: `Init writes NAME.yaml, a commented scenario to start from, and beside it its JSON Schema, which editors complete and
check it by. NAME may have a folder before it; the default is herd. Nothing is overwritten without --force.`,
		Example: `  herdsim init
  herdsim init checkout && herdsim run checkout.yaml`,
		Args:              arguments(0, 1, "one NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: action(func(_ *cobra.Command, args []string) error {
			path := "herd"
			if len(args) > 0 {
				path = args[0]
			}
			return a.writeExample(strings.TrimSuffix(path, ".yaml"), force)
		}),
	}
	cmd.Flags().BoolVarP(&force, "force", "f", false, "overwrite what is there")
	return cmd
}

// writeExample writes path.yaml and the schema.
func (a *app) writeExample(path string, force bool) error {
	dir, name := filepath.Split(path)
	if !scenarioName.MatchString(name) {
		return usage("as in herdsim init checkout", "%q is no name for a scenario; want 1 to 64 of a-z, 0-9 and -, the first no -", name)
	}
	dir = filepath.Clean(dir)
	files := []stagedContent{
		{name + ".yaml", []byte(strings.ReplaceAll(exampleScenario, "{{name}}", name))},
		{schemaFile, scenarios.Schema()},
	}
	if !force {
		for _, f := range files {
			if err := vacant(filepath.Join(dir, f.name), f.data); err != nil {
				return err
			}
		}
	}
	folder, err := openFolder(dir)
	if err != nil {
		return err
	}
	defer folder.discard()
	for _, f := range files {
		if err := folder.stage(f.name, content(f.data)); err != nil {
			return err
		}
	}
	if err := folder.commit(nil); err != nil {
		return err
	}
	file := filepath.Join(dir, name+".yaml")
	fmt.Fprintf(a.stdout, "%s\n", file)
	a.remark("next: herdsim run %s", file)
	return nil
}

type stagedContent struct {
	name string
	data []byte
}

// vacant refuses a path where something is, unless it is the very schema.
func vacant(path string, data []byte) error {
	if _, err := os.Lstat(path); err != nil {
		return nil // if it is not that there is nothing, writing will tell
	}
	if there, err := os.ReadFile(path); err == nil && filepath.Base(path) == schemaFile && bytes.Equal(there, data) {
		return nil
	}
	return &failure{code: ExitFailed, err: fmt.Errorf("%s is there already", path), hint: "--force overwrites it"}
}
