package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	amqp "github.com/rabbitmq/amqp091-go"
)

const rabbitmqServer = "/usr/lib/rabbitmq/bin/rabbitmq-server"

// rabbitmq starts a broker with nothing in it, and returns where it listens.
func rabbitmq(t *testing.T) (url string) {
	t.Helper()
	dir, port, epmdPort := t.TempDir(), freePort(t), freePort(t)
	config := filepath.Join(dir, "rabbitmq.conf")
	if err := os.WriteFile(config, []byte("listeners.tcp.1 = 127.0.0.1:"+port+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(),
		"HOME="+dir, // of the cookie
		"ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT="+epmdPort,
		"RABBITMQ_NODENAME=herdsim@localhost", "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1", "RABBITMQ_NODE_PORT="+port,
		"RABBITMQ_DIST_PORT="+freePort(t), "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
		"RABBITMQ_MNESIA_BASE="+filepath.Join(dir, "mnesia"), "RABBITMQ_LOG_BASE="+filepath.Join(dir, "log"),
		"RABBITMQ_PID_FILE="+filepath.Join(dir, "pid"), "RABBITMQ_CONFIG_FILE="+config,
		"RABBITMQ_CONF_ENV_FILE="+filepath.Join(dir, "none"), "RABBITMQ_ENABLED_PLUGINS_FILE="+filepath.Join(dir, "plugins"))
	// In the foreground, so that the broker does not leave one behind.
	start(t, env, "/usr/bin/epmd", "-address", "127.0.0.1", "-port", epmdPort)
	s := start(t, env, rabbitmqServer)
	s.until(t, "completed start", func() bool { return strings.Contains(s.output.String(), "Starting broker... completed") })
	return "amqp://guest:guest@127.0.0.1:" + port + "/"
}

// dial opens a connection, which is closed at the end of the test.
func dial(t *testing.T, url string) *amqp.Connection {
	t.Helper()
	conn, err := amqp.Dial(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
