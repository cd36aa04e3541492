// Package integration holds herdsim against the real things, in tests only: a Prometheus that loads what a run wrote, and a
// RabbitMQ that plays the same scenarios in real time. It is a module of its own, so that neither the binary nor who builds
// it depends on their clients.
//
// It needs Debian's packages prometheus and rabbitmq-server (3.10), and installs them if it may. Each server is one of its
// own, on the loopback interface, with ports that are free and a folder of its own, and is gone when the tests are: what
// the system runs is left alone.
//
// When a dependency of the main module changes, run make tidy.
package integration
