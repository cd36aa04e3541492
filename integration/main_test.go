package integration

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"testing"
)

var update = flag.Bool("update", false, "draw the picture of the docs again")

// What the tests need, by package. RabbitMQ's own script, and not the one in the path, which goes on as another user.
var needed = map[string][]string{
	"prometheus":      {"/usr/bin/prometheus", "/usr/bin/promtool"},
	"rabbitmq-server": {rabbitmqServer, "/usr/bin/epmd"},
}

func TestMain(m *testing.M) {
	flag.Parse()
	if err := install(); err != nil {
		fmt.Fprintln(os.Stderr, "integration:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// missing returns the packages of which something is not there.
func missing() (packages []string) {
	for name, files := range needed {
		for _, file := range files {
			if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
				packages = append(packages, name)
				break
			}
		}
	}
	return packages
}

// install installs what is missing, and stops the services that Debian starts with it.
func install() error {
	packages := missing()
	if len(packages) == 0 {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("these Debian packages are missing, and only root can install them: %v", packages)
	}
	for _, args := range [][]string{{"update", "-qq"}, append([]string{"install", "-qq", "-y", "--no-install-recommends"}, packages...)} {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("missing %v: apt-get %v: %w\n%s", packages, args, err, out)
		}
	}
	for _, name := range packages {
		// It may not have been started: then there is nothing to stop.
		_ = exec.Command("invoke-rc.d", name, "stop").Run()
	}
	if left := missing(); len(left) > 0 {
		return fmt.Errorf("%v were installed, and are not where they should be: %v", left, needed)
	}
	return nil
}
