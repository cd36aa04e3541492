# Nothing but Go is needed, but for integration. Other tools are Go modules at a fixed version, run from source.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 20s
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: build test integration race lint tidy fmt golden bench bench-large fuzz cover help

build: ## the binary ./herdsim
	$(GO) build -trimpath -ldflags '-s -w -X herdsim/cli.release=$(VERSION)' -o herdsim .

test: ## all tests, and those against real libraries, which are a module of their own
	$(GO) test ./...
	cd oracles && $(GO) test ./...

integration: ## runs beside a real Prometheus and a real RabbitMQ; as root it installs Debian's if they are missing
	cd integration && $(GO) test -count=1 ./...

race: ## the same under the race detector, with fewer seeds where tests compare means
	$(GO) test -race -short ./...
	cd oracles && $(GO) test -race ./...

lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	cd oracles && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	cd integration && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...

tidy: ## go mod tidy, in all modules
	$(GO) mod tidy
	cd oracles && $(GO) mod tidy
	cd integration && $(GO) mod tidy

fmt: ## format all source
	gofmt -w .

golden: ## rewrite the golden files of the tests; look at the diff before you commit it
	$(GO) test $$(grep -rl 'flag.Bool("update"' --include='*_test.go' --exclude-dir=integration . | xargs -n1 dirname | sort -u) -update

bench: ## speed on the reference workload, 10^3 to 10^6 workers, and on other shapes
	$(GO) test -run '^$$' -bench 'Reference/^10{3,6}$$|Shapes|Guarded|Broker' ./sim

bench-large: ## the reference workload with 10^7 workers
	$(GO) test -run '^$$' -bench 'Reference/^10{7}$$' ./sim

fuzz: ## every fuzz target for FUZZTIME (20s)
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

cover: ## statement coverage by function, of all tests together
	$(GO) test -coverpkg ./... -coverprofile cover.out ./...
	$(GO) tool cover -func cover.out

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
