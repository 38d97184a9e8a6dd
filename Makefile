# The commands of this repository; people and CI use the same ones. `make help` lists them.
# All paths are relative: a checkout may live anywhere, also in a folder with a space in its name.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SEEDS ?= 10000

# What only tests need of .ci/packages.
test_packages = chromium clang-format clang-tidy fonts-dejavu-core git libgtest-dev libvalijson-dev nginx openssl postgresql python3-jwcrypto python3-venv redis-server

.DEFAULT_GOAL := help
.PHONY: help go-for-chart go-for-images root-there run run-fleet run-hooks test test-collector test-receivers test-chart test-image test-monitoring test-packages test-reproducible test-simulations stories-told recordings-replayed churn simulate build package packaged image bench call-path bench-hooks bench-peers fuzz tsan fmt tidy install-deps install clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

# Builds what is named, optimised: who runs something waits for no other program.
define release
	@scripts/install-deps .ci/packages --but $(test_packages)
	cmake --preset release
	cmake --build build/release --parallel $(JOBS) --target $(1)
endef

run: ## real MCP servers of both generations and gate in front of them; Ctrl-C ends all (GATE_PORT=8080)
	$(call release,gate gate-stdio gate-up)
	@scripts/run

run-fleet: ## two instances of gate, their store, nginx before them and clients that print what they see (GATE_PORT=8080)
	$(call release,gate)
	@scripts/install-deps redis-server nginx
	@scripts/run-fleet

run-hooks: ## gate-hooks, receivers that fail now and then, and events of all kinds; Ctrl-C ends all (GATE_PORT=8092)
	$(call release,gate-hooks)
	@scripts/run-hooks

test: install-deps ## build with sanitizers and run all tests
	@scripts/npm-deps tests/end_to_end
	@scripts/npm-deps tests/conformance
	@scripts/npm-deps scripts/servers build/npm
	@scripts/python-deps tests/end_to_end/python build/python
	cmake --preset dev
	cmake --build build/dev --parallel $(JOBS)
	@scripts/tidy-changed $(JOBS)
	ctest --test-dir build/dev --output-on-failure --parallel $$((2 * $(JOBS)))
	@$(MAKE) tsan

test-collector: build ## traces to a real OpenTelemetry collector, built from Go modules; needs go, the first time takes minutes
	@scripts/go-build tests/end_to_end/collector build/collector/collector
	@scripts/npm-deps tests/end_to_end
	@node tests/end_to_end/collector.mjs build/release/bin/gate build/collector/collector

test-receivers: build ## the Go receiver of docs/webhooks.md against the program; needs go
	@scripts/npm-deps tests/end_to_end
	@node tests/end_to_end/hooks_receivers.mjs build/release/bin/gate-hooks Go

# What some tests can not do without, said before anything is built.
go-for-chart go-for-images:
	@scripts/go-build --check tests/$(@:go-for-%=%)/judge

root-there:
	@test "$$(id -u)" = 0 || { echo 'make: the tests of images run programs in file systems of their own, as other users: run this as root' >&2; exit 1; }

# What is packaged is tested as packaged: the programs of the preset `package`.
packaged: ## the programs as they are packaged, in build/package/bin/
	@scripts/install-deps .ci/packages --but $(test_packages)
	cmake --preset package
	cmake --build build/package --parallel $(JOBS) --target packaged

image: packaged ## the container images gate, gate-discovery and gate-hooks, in build/images/
	@scripts/install-deps buildah uidmap
	@GATE_BIN=build/package/bin scripts/image

test-image: go-for-images root-there image ## container images: the same bytes again, their parts, run as a container would; needs root and go
	@scripts/install-deps openssl
	@scripts/npm-deps tests/end_to_end
	@scripts/npm-deps tests/images
	@scripts/go-build tests/images/judge build/images/judge
	@GATE_BIN=build/package/bin scripts/image build/images/again
	@node tests/images/image.mjs build/images build/images/again
	@node tests/images/compose.mjs build/package/bin build/images/judge build/images

test-monitoring: packaged ## alerts and dashboard, told to Prometheus's own tool and asked of a real one; a minute
	@scripts/install-deps prometheus redis-server
	@scripts/npm-deps tests/end_to_end
	@node tests/end_to_end/monitoring/promtool.mjs
	@node tests/end_to_end/monitoring/live.mjs build/package/bin

test-simulations: packaged ## stories and replays by the programs as they are packaged; some minutes
	@scripts/npm-deps tests/end_to_end
	@scripts/npm-deps scripts/servers build/npm
	@$(MAKE) --jobs 2 stories-told recordings-replayed

# Side by side, a process each: recordings of a machine that is busy have orders that no replay finds.
stories-told:
	build/package/bin/gate-sim run gateway --seeds 3000 --jobs 1
	build/package/bin/gate-sim run fleet --seeds 600 --jobs 1
	build/package/bin/gate-sim run hooks --seeds 600 --jobs 1
	build/package/bin/gate-sim run shim --seeds 3000 --jobs 1

recordings-replayed:
	node tests/end_to_end/replay.mjs build/package/bin/gate build/package/bin/gate-sim

test-chart: go-for-chart packaged ## the Helm chart: linted, rendered, judged by client-go's types and by gate; needs go, the first time takes minutes
	@tests/chart/run build/package/bin/gate

test-packages: go-for-chart go-for-images root-there package ## what is packaged: lintian, manual pages, completions in each shell, installed and purged; simulations, images, chart, monitoring; needs root and go
	@scripts/install-deps scripts/packaging/packages
	@tests/packages/completions.sh
	@tests/packages/run
	@$(MAKE) test-simulations test-monitoring test-image test-chart

test-reproducible: package ## the package once more, in another folder and without a compiler cache: the same bytes
	@tests/packages/reproducible.sh build/packages/gate_*.deb

churn: install-deps ## 10,000 stories of chaos and healing, with sanitizers
	cmake --preset dev -DGATE_CHURN_SEEDS=10000
	cmake --build build/dev --parallel $(JOBS) --target churn_tests
	ctest --test-dir build/dev --output-on-failure --parallel 2 -R '^actors:churn:'

simulate: ## 10,000 stories of each kind by the release build; SEEDS=N for others (make churn: with sanitizers)
	$(call release,gate-sim)
	build/release/bin/gate-sim run gateway --seeds $(SEEDS) --jobs $(JOBS)
	build/release/bin/gate-sim run fleet --seeds $(SEEDS) --jobs $(JOBS)
	build/release/bin/gate-sim run hooks --seeds $(SEEDS) --jobs $(JOBS)
	build/release/bin/gate-sim run shim --seeds $(SEEDS) --jobs $(JOBS)

build: ## the release binaries, in build/release/bin/
	$(call release,all)

package: ## the Debian package, in build/packages/
	@scripts/install-deps .ci/packages --but $(test_packages)
	@scripts/install-deps dpkg-dev file
	@scripts/package

bench: build ## measure gate beside nginx and a direct connection, and single checks; fifteen minutes
	@{ command -v nginx && command -v wrk && command -v valgrind; } >/dev/null || scripts/install-deps simulations/benchmarks/packages
	@scripts/npm-deps simulations/benchmarks/bridges build/bridges
	cmake --build build/release --parallel $(JOBS) --target benchmarks
	@node simulations/benchmarks/run.mjs
	@command -v chromium >/dev/null || scripts/install-deps chromium fonts-dejavu-core
	@scripts/npm-deps tests/end_to_end
	@GATE_TIMING=1 ONLY='first content' node tests/end_to_end/console.mjs build/release/bin/gate

call-path: build ## write anew which functions a call runs through, for the linker (scripts/cmake/call_path.ld)
	@{ command -v nginx && command -v valgrind; } >/dev/null || scripts/install-deps simulations/benchmarks/packages
	cmake --build build/release --parallel $(JOBS) --target bench_upstream bench_gate_unsorted
	@node simulations/benchmarks/call_path.mjs

bench-hooks: build ## measure gate-hooks: events it accepts and delivers a second, a million that wait; five minutes
	@{ command -v nginx && command -v wrk; } >/dev/null || scripts/install-deps simulations/benchmarks/packages
	cmake --build build/release --parallel $(JOBS) --target bench_ledger
	@node simulations/benchmarks/hooks.mjs

bench-peers: build ## measure gate beside other gateways; building one of them takes long the first time
	@{ command -v nginx && command -v wrk && command -v valgrind; } >/dev/null || scripts/install-deps simulations/benchmarks/packages
	@simulations/benchmarks/peers/install build/peers
	cmake --build build/release --parallel $(JOBS) --target benchmarks
	@node simulations/benchmarks/peers.mjs

fuzz: install-deps ## run every fuzzer for FUZZ_SECONDS (60)
	@scripts/install-deps clang libclang-rt-14-dev
	cmake --preset fuzz
	cmake --build build/fuzz --parallel $(JOBS) --target fuzzers
	@scripts/fuzz $(FUZZ_SECONDS)

tsan: install-deps ## what has threads, with ThreadSanitizer; part of `make test`
	@scripts/npm-deps tests/end_to_end
	@scripts/npm-deps scripts/servers build/npm
	cmake --preset tsan
	cmake --build build/tsan --parallel $(JOBS) --target gate gate-stdio gate-hooks transport_tests postgres_tests threads_tests
	ctest --preset tsan

fmt: install-deps ## format all C++ sources in place
	@scripts/sources clang-format -i

tidy: install-deps ## clang-tidy over the rooms; slow
	cmake --preset tidy
	run-clang-tidy -quiet -p build/tidy -j $(JOBS) '/(actors|config|protocol|shim|transport)/'

install-deps: ## install the Debian packages that are missing; needs root or sudo only then
	@scripts/install-deps .ci/packages

install: ## copy what `make build` made to PREFIX (/usr/local): program, library, CMake package
	DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

clean: ## remove everything that was built or downloaded
	rm -rf build tests/end_to_end/node_modules tests/conformance/node_modules
