package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the README with what the commands print")

// Each console block of a document is a command and what it prints on a terminal of 100 columns that shows no colour.
var consoleBlock = regexp.MustCompile("(?s)```console\n\\$ (herdsim [^\n]*)\n(.*?)```\n")

func TestREADMEShowsWhatTheCommandsPrint(t *testing.T) { showsWhatIsPrinted(t, "../README.md") }

// docs/why.md begins with the scenario that its commands play.
func TestWhyIsDocumentedByExample(t *testing.T) { showsWhatIsPrinted(t, "../docs/why.md") }

var yamlBlock = regexp.MustCompile("(?s)```yaml\nname: ([a-z0-9-]+)\n.*?```\n")

// showsWhatIsPrinted runs the commands of a document where its scenarios are files of their names.
func showsWhatIsPrinted(t *testing.T, document string) {
	path, err := filepath.Abs(document)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
		scenario := bytes.TrimSuffix(bytes.TrimPrefix(block[0], []byte("```yaml\n")), []byte("```\n"))
		if err := os.WriteFile(string(block[1])+".yaml", scenario, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	blocks := 0
	shown := consoleBlock.ReplaceAllFunc(text, func(block []byte) []byte {
		blocks++
		command := string(consoleBlock.FindSubmatch(block)[1])
		return []byte("```console\n$ " + command + "\n" + printed(t, shellWords(command)[1:]) + "```\n")
	})
	if blocks == 0 {
		t.Fatalf("%s has no console block", document)
	}
	if *update {
		if err := os.WriteFile(path, shown, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), string(shown)); diff != "" {
		t.Errorf("%s is not what the commands print (-update rewrites it):\n%s", document, diff)
	}
}

// The pictures at the top of the README are those of the default scenario.
func TestREADMEShowsThePicturesOfTheDefaultScenario(t *testing.T) {
	docs, err := filepath.Abs("../docs")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for theme, name := range map[string]string{"light": "overview.png", "dark": "overview-dark.png"} {
		printed(t, []string{"run", "--theme", theme})
		drawn, err := os.ReadFile("out/dirac/overview.png")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(docs, name)
		if *update {
			if err := os.WriteFile(path, drawn, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if shown, err := os.ReadFile(path); err != nil || !bytes.Equal(shown, drawn) {
			t.Errorf("docs/%s is not what herdsim run draws (-update rewrites it): %v", name, err)
		}
	}
}

// printed runs a command in memory and returns what it writes to stdout, without spaces at the ends of lines.
func printed(t *testing.T, args []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(&Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		LookupEnv: func(name string) (string, bool) {
			value, set := map[string]string{"LANG": "C.UTF-8", "NO_COLOR": "1"}[name]
			return value, set
		},
		Terminal: func(any) (int, bool) { return 0, false }, // as through a pipe, which is 100 columns wide
		Exit:     func(int) {},
	})
	if code != ExitDone {
		t.Fatalf("herdsim %q: exit code %d\n%s", args, code, stderr.String())
	}
	lines := strings.Split(stdout.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

// shellWords splits a command line at spaces outside single quotes.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	return words
}
