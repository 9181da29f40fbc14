# safe-exec. A newcomer needs `make demo` and `make test`; `make help` lists the rest.

# Tools of the checks, pinned in one place.
GOLANGCI    = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEADCODE    = golang.org/x/tools/cmd/deadcode@v0.52.0
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0
GOTESTSUM   = gotest.tools/gotestsum@v1.13.0

# The build information has the version: the tag of the commit. Where git does not
# answer, such as in a clone of another user, the build does without.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)

# The daemon is one static file: nothing on the host can be loaded into it.
TAGS    = netgo,osusergo
STATIC  = -linkmode external -extldflags "-static"
INITBIN = nsjail/initbin/build
SHIM    = nsjail/shim/build
LAUNCH  = nsjail/launcher/build

GO_SOURCES   := $(shell find cgroup cmd httpapi nsjail policy profiles seccomp internal -name '*.go' -not -name '*_test.go' 2>/dev/null)
DATA_SOURCES := $(shell find profiles httpapi nsjail/escape -type f -not -name '*.go' 2>/dev/null)

.PHONY: all build deps help demo test test-one test-times test-full race check lint docs escape escape-battery escape-broker \
	regrtest fuzz chaos bench release clean

all: build

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: deps bin/safe-exec ## Build bin/safe-exec

# Installs what is missing; quiet and quick when nothing is.
deps:
	@./deploy/deps.sh

# Changes with the version, and with the list of the files: one that was removed, or a
# tag that came, leaves no file that is newer.
bin/.version: FORCE
	@mkdir -p bin
	@{ git describe --always --dirty --tags 2>/dev/null; echo $(GO_SOURCES) $(DATA_SOURCES); } >$@.new
	@cmp -s $@.new $@ || mv $@.new $@

FORCE:

bin/safe-exec: bin/.version $(GO_SOURCES) $(DATA_SOURCES) $(INITBIN)/safe-exec-init $(SHIM)/.built $(LAUNCH)/.built go.mod
	go build -trimpath -tags $(TAGS) -buildvcs=$(VCS) -ldflags '-s -w $(STATIC)' -o $@ ./cmd/safe-exec

# The same, but able to leave out layers (escape --ablate), which it does in a
# virtual machine alone. Not for service.
bin/safe-exec-faults: bin/safe-exec $(INITBIN)/safe-exec-init-faults
	go build -trimpath -tags $(TAGS),safeexec_faults -buildvcs=$(VCS) -ldflags '-s -w $(STATIC)' -o $@ ./cmd/safe-exec

# Without cgo: see package child for why it is a program of its own.
$(INITBIN)/safe-exec-init: $(GO_SOURCES) go.mod
	@mkdir -p $(INITBIN)
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o $@ ./cmd/safe-exec-init

# The same, but able to leave out a layer: for tests that must see it missed.
$(INITBIN)/safe-exec-init-faults: $(GO_SOURCES) go.mod
	@mkdir -p $(INITBIN)
	CGO_ENABLED=0 go build -trimpath -tags safeexec_faults -ldflags '-s -w' -o $@ ./cmd/safe-exec-init

$(SHIM)/.built: $(wildcard nsjail/shim/src/*) nsjail/shim/Makefile
	$(MAKE) -s -C nsjail/shim
	@touch $@

$(LAUNCH)/.built: $(wildcard nsjail/launcher/src/*) $(wildcard nsjail/shim/src/*) nsjail/launcher/Makefile
	$(MAKE) -s -C nsjail/launcher
	@touch $@

demo: build ## Start a daemon, run programs, and stop it
	@./deploy/demo.sh

# Tests take the binary that was just built.
test test-one test-full escape-broker chaos: export SAFEEXEC_BINARY = $(CURDIR)/bin/safe-exec

# The checks run vet. No symbols: nobody debugs these binaries, and they link in half the
# time. No paths: a clone in another directory finds what was built in the first.
TESTFLAGS = -count=1 -vet=off -trimpath -ldflags '-s -w' -tags $(TAGS)

# gotestsum lists the tests that were skipped, which go test does not.
GOTEST = go run $(GOTESTSUM) --format standard-quiet -- -timeout 30m $(TESTFLAGS)

# More packages and tests at once than there are processors, since tests wait most
# of the time; the longest packages first.
test: build $(INITBIN)/safe-exec-init-faults ## Run the tests of the gate
	$(GOTEST) -p 4 -parallel 4 ./cmd/safe-exec ./profiles ./nsjail ./...
	$(GOTEST),safeexec_faults -run OfAFork ./nsjail
	./deploy/test-clients.sh

test-one: build $(INITBIN)/safe-exec-init-faults ## Run PKG=./policy, or its tests that match RUN=TestX
	$(GOTEST) -run '$(value RUN)' $(or $(PKG),$(error want PKG=./package))

test-times: build $(INITBIN)/safe-exec-init-faults ## Print what each package's tests take, one by one on an idle host
	@mkdir -p bin && rm -f bin/times
	TIMES=$(CURDIR)/bin/times $(GOTEST) -p 1 -parallel 4 -exec $(CURDIR)/.ci/timed ./...
	@sort -t, -k2.12rn bin/times

test-full: ## Run the longer forms of the tests, the battery, chaos and the virtual machine: hours
	$(MAKE) test
	$(GOTEST) -parallel 4 ./nsjail ./profiles -args -all-modes
	$(MAKE) escape SEVERITIES=C,H,M,L
	$(MAKE) chaos KILLS=100 LOAD=10m
	$(MAKE) vmtest-full

# Packages whose tests start no jail.
RACE = ./policy ./seccomp/... ./nsjail/wire ./nsjail/host ./nsjail/lease ./nsjail/landlock ./nsjail/posture \
	./httpapi/... ./internal/link ./internal/vmtest/... ./internal/benchmark ./internal/syscalldoc \
	./internal/strictyaml ./internal/archtest

race: build ## Run the packages whose tests start no jail under the race detector
	$(GOTEST) -race -p 4 -parallel 8 $(RACE)

check: build ## Run the static checks of the gate
	./.ci/check

lint: ## Run golangci-lint: format, vet, staticcheck and more
	go run $(GOLANGCI) run --build-tags $(TAGS) ./...

# What is written from other files; tests fail when it is not up to date.
docs: ## Write the documents that are made from other files
	go run ./internal/syscalldoc > docs/syscalls.md.tmp
	mv docs/syscalls.md.tmp docs/syscalls.md

# Jails that were made in each way. The gate leaves out severities M and L: some of
# their controls want an idle machine.
SEVERITIES = C,H
escape: escape-battery escape-broker ## Attack the jails and the broker by every technique of SEVERITIES

escape-battery: build
	@mkdir -p bin
	@for run in cold:$(SEVERITIES) fork:$(SEVERITIES) warm:C; do mode=$${run%:*}; \
	bin/safe-exec escape --parallel 4 --severity $${run#*:} --start-mode $$mode --html bin/escape-$$mode.html >bin/escape-$$mode.txt; status=$$?; \
	echo "$$mode: $$(grep -aE '^[0-9]' bin/escape-$$mode.txt | tail -n 1)"; \
	grep -avE '^(held|killed|not reached|works|VERDICT|everything that was asked held|[0-9]|  [a-z ]*: |$$)' bin/escape-$$mode.txt; \
	[ $$status -eq 0 ] || exit $$status; done

# The broker in an attacker's hands, and requests that the executor must refuse it.
# The tests have these too; here their verdicts are counted.
escape-broker: build
	@mkdir -p bin
	@go test -v $(TESTFLAGS) -run '$(HOSTILE_BROKER)' ./internal/broker ./internal/link ./cmd/safe-exec >bin/escape-broker.txt 2>&1; status=$$?; \
	sed -n 's/.*VERDICT //p' bin/escape-broker.txt | grep -v '^held'; \
	echo "broker: $$(grep -c 'VERDICT held' bin/escape-broker.txt) held, $$(grep -c 'VERDICT [^h]' bin/escape-broker.txt) not"; \
	[ $$status -eq 0 ] || { cat bin/escape-broker.txt; exit $$status; }

HOSTILE_BROKER = ABroker|AHostileBroker|TenThousandRequests|WhoseWordCounts

# CPython's own tests of the allowed modules, bare and in a jail, compared test
# by test; takes minutes. REGRTEST="test_json test_re" picks modules.
regrtest: build ## Compare CPython's own tests in a jail with a bare run: minutes
	@./deploy/deps.sh regrtest
	go run -tags $(TAGS) ./internal/regrtest/run $(REGRTEST)

# Programs from a grammar and mutated attacks, before an oracle of what they got
# hold of: FUZZTIME for each of the four ways; the link of the daemon's two
# processes from both ends; and the reader of YAML. `make test` has their seeds.
FUZZTIME = 1m
fuzz: build ## Fuzz each parser and the import policy for FUZZTIME
	for way in GeneratedPython MutatedPython GeneratedJavaScript MutatedJavaScript; do \
	go test -tags $(TAGS) -run '^$$' -fuzz "^Fuzz$$way\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./profiles || exit 1; done
	for side in Server Client; do \
	go test -run '^$$' -fuzz "^Fuzz$$side\$$" -fuzztime $(FUZZTIME) ./internal/link || exit 1; done
	go test -run '^$$' -fuzz '^FuzzUnmarshal$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./internal/strictyaml

# What `make test` does for seconds, for as long as it takes to believe it: a daemon
# that is killed at random instants, and one hour among hostile programs.
KILLS = 300
LOAD = 1h
chaos: build ## Kill a daemon KILLS times, and load one for LOAD
	go test -v -timeout 4h $(TESTFLAGS) -run 'TestNoAcceptedJobIsLost|TestHostileProgramsHurt' ./cmd/safe-exec -args -chaos-kills $(KILLS) -chaos-load $(LOAD)

bench: build ## Measure starts and throughput against bare interpreters
	bin/safe-exec bench

# A release is a tagged commit without changes, and has an entry in CHANGELOG.md.
release: ## Build a release, and check that this commit is one
	@rm -f bin/safe-exec && $(MAKE) -s build
	@tag=$$(git describe --exact-match --tags) && git diff --quiet HEAD && grep -q "^## $${tag#v} " CHANGELOG.md && \
	bin/safe-exec version | grep "^safe-exec $$tag," || \
	{ echo "no release: want a tag on this commit, no changes, an entry in CHANGELOG.md, and a build of it" >&2; exit 1; }

clean: ## Remove what was built
	rm -rf bin $(INITBIN) $(SHIM) $(LAUNCH)

-include internal/vmtest/vmtest.mk
