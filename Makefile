# `make help` lists the targets. Everything that is built goes to one folder outside of the repository.
CACHE := $(or $(CANTATA_CACHE),$(HOME)/.cache/cantata)
export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),$(CACHE)/target)

ifeq ($(shell command -v cargo),)
export PATH := $(HOME)/.cargo/bin:$(PATH)
endif

RELEASE_BINARY := $(CARGO_TARGET_DIR)/release/cantata
DEMO_BINARY := $(CARGO_TARGET_DIR)/demo/cantata
DEBUG_BINARY := $(CARGO_TARGET_DIR)/debug/cantata
BENCH := $(CARGO_TARGET_DIR)/release/cantata-bench
CARGO_DENY_VERSION := 0.20.2
CARGO_DENY := $(CACHE)/tools/cargo-deny-$(CARGO_DENY_VERSION)/bin/cargo-deny

# Test binaries that need a real search engine, Kafka or PostgreSQL, and modules of the other binaries that do. Both
# lists are only about where a test runs: every test is in exactly one of `test-unit`, `test-engines` and `test-keycloak`.
ENGINE_TESTS := cluster_day engines import indexing kafka kill postgres relay remote song
ENGINE_MODULES := client::tests database:: song_db::
# Test binaries that need a real Keycloak; they are in `test-keycloak`.
KEYCLOAK_TESTS := keycloak
UNIT_TESTS := $(filter-out $(ENGINE_TESTS) $(KEYCLOAK_TESTS),$(sort $(basename $(notdir $(wildcard crates/*/tests/* demo/tests/*)))))
UNIT_TARGETS := --lib --bins $(addprefix --test ,$(UNIT_TESTS))

# How long `make fuzz` runs each target, and which.
FUZZ_SECONDS := 3600
FUZZ_TARGETS := $(sort $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs))))

# Property tests try the same cases each time; `make test-unit PROPTEST_RNG_SEED=7` tries others.
export PROPTEST_RNG_SEED := $(or $(PROPTEST_RNG_SEED),20)

TEST_PARTS := check-fmt lint docs deny test-unit test-engines test-keycloak test-browser

.PHONY: help own-cache build bench-binary debug-binary demo test check-fmt lint docs deny deny-advisories build-tests test-unit power-loss compare-formats \
	test-engines cluster-day federation-oracle test-upgrade test-keycloak test-browser portal-test portal-test-large portal-measure screenshots test-clients engines fmt graphiql \
	portal portal-api-types bench-metadata bench-search bench-search-large bench-engines bench-portal-day bench-indexing bench-servers bench-federation fuzz-requests \
	lint-packaging fuzz miri

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Clones share the target folder, and cargo tells their files apart by modification time alone: a clone that was not the
# last one to build touches its own files.
own-cache:
	@mkdir -p "$(CARGO_TARGET_DIR)"
	@if [ "$$(cat "$(CARGO_TARGET_DIR)/.workspace" 2>/dev/null)" != "$(CURDIR)" ]; then \
		find crates demo bench -type f -exec touch {} +; \
		printf '%s' "$(CURDIR)" > "$(CARGO_TARGET_DIR)/.workspace"; \
	fi

build: own-cache ## the optimised binary, in $(CARGO_TARGET_DIR)/release/cantata
	cargo build --release --locked -p cantata

# Server and benchmarks in one build: it has the features that the server has alone, so all but the benchmarks is built once.
bench-binary: own-cache
	cargo build --release --locked -p cantata -p cantata-bench

debug-binary: own-cache
	cargo build --locked -p cantata

# Its profile leaves out optimisation but for the search engine: from nothing it is built in 283 s on two cores.
demo: own-cache ## a server with sample data on http://127.0.0.1:5050; ARGS="--fresh --scale 10 --network 3" adds arguments
	@test -x "$(DEMO_BINARY)" || \
		echo 'Compiling Cantata with all its libraries: about five minutes on two cores, only this time. Then the demo starts by itself.'
	cargo build --profile demo --locked -p cantata
	"$(DEMO_BINARY)" demo $(ARGS)

test: ## all checks and tests, and how long each part took; what CI runs
	@set -e; times=; for part in $(TEST_PARTS); do \
		start=$$(date +%s); \
		$(MAKE) --no-print-directory $$part; \
		times="$$times$$part: $$(($$(date +%s) - start)) s\n"; \
	done; printf "$$times"

check-fmt: ## formatting
	cargo fmt --all -- --check

lint: own-cache ## clippy, warnings are errors
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs: own-cache ## rustdoc, warnings are errors
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked

deny: $(CARGO_DENY) ## licences, bans and sources of the dependencies (deny.toml)
	"$(CARGO_DENY)" --locked --log-level error check licenses bans sources

deny-advisories: $(CARGO_DENY) ## published vulnerabilities of the dependencies; needs the network
	"$(CARGO_DENY)" --locked check advisories

# Not optimised: it runs for seconds, and is built in three minutes less.
$(CARGO_DENY):
	CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR="$(CACHE)/tools/build" cargo install cargo-deny \
		--version $(CARGO_DENY_VERSION) --locked --debug --quiet --root "$(CACHE)/tools/cargo-deny-$(CARGO_DENY_VERSION)"
	rm -rf "$(CACHE)/tools/build"

# All test binaries are built at once, with the same features, and before any engine shares the machine with the compiler.
build-tests: own-cache
	cargo test --workspace --locked --no-run

test-unit: build-tests ## tests that need no other server
	cargo test --workspace --locked $(UNIT_TARGETS) -- $(addprefix --skip ,$(ENGINE_MODULES))
	cargo test --workspace --locked --doc --quiet

# `make test` runs a few hundred; here each of the suites gets so many.
power-loss: build-tests ## LOSSES=10000 simulated power losses, and every sync left out in turn
	CANTATA_POWER_LOSSES=$(or $(LOSSES),10000) cargo test --workspace --locked --test power_loss -- --include-ignored --nocapture
	CANTATA_POWER_LOSSES=$(or $(LOSSES),10000) cargo test --workspace --locked --test running -- power_loss
	CANTATA_POWER_LOSSES=$(or $(LOSSES),10000) cargo test --workspace --locked --test disk -- power_loss --include-ignored --nocapture

# `make test` tries 40.
compare-formats: build-tests ## FILTERS=1000 random filters: every format of downloads has the same rows and values
	TABLE_FILTERS=$(or $(FILTERS),1000) cargo test --locked -p cantata-search --test search -- every_format

# Without the optimising compiler of the JVM the engines start in about half the time. The routes of the metadata service
# are tested on both stores.
test-engines: build-tests ## tests on real search engines, Kafka and PostgreSQL; needs a JDK and Maven
	ENGINE_JAVA_OPTS=-XX:TieredStopAtLevel=1 engines/with-engines databases/with-postgres sh -ec '\
		cargo test --workspace --locked $(addprefix --test ,$(ENGINE_TESTS)); \
		cargo test --workspace --locked $(UNIT_TARGETS) -- $(ENGINE_MODULES); \
		CANTATA_TEST_STORE=postgres cargo test --workspace --locked --test routes'

# Part of no other target: `make test-engines` builds it and runs none of it. It starts its own database and its own cluster.
cluster-day: build-tests ## three servers while everything fails in turn; DAY_SECONDS=600 is the whole day, ARGS=on_a_cluster one of two
	CANTATA_DAY_SECONDS=$(or $(DAY_SECONDS),30) ENGINE_JAVA_OPTS=-XX:TieredStopAtLevel=1 \
		cargo test --workspace --locked --test cluster_day -- $(ARGS) --include-ignored --nocapture --test-threads=1

# A commit is built once, into the cache folder.
test-upgrade: build-tests ## an earlier version beside this one on one database: EARLIER=path/to/cantata or EARLIER_COMMIT=v0.1.0
	@test -n "$(EARLIER)$(EARLIER_COMMIT)" || { \
		echo 'make test-upgrade needs an earlier version: EARLIER=path/to/cantata, or EARLIER_COMMIT=v0.1.0 to build it.' >&2; \
		exit 2; \
	}
	@set -e; earlier="$(abspath $(EARLIER))"; \
	if [ -z "$$earlier" ]; then \
		commit=$$(git rev-parse --verify "$(EARLIER_COMMIT)^{commit}"); \
		folder="$(CACHE)/earlier/$$commit"; \
		earlier=$$folder/target/debug/cantata; \
		if [ ! -x "$$earlier" ]; then \
			mkdir -p "$$folder/source"; \
			git archive "$$commit" | tar -x -C "$$folder/source"; \
			(cd "$$folder/source" && CARGO_TARGET_DIR="$$folder/target" cargo build --locked -p cantata); \
		fi; \
	fi; \
	CANTATA_EARLIER_BINARY="$$earlier" databases/with-postgres cargo test --workspace --locked --test cli -- \
		database::a_server_of_an_earlier_version

test-keycloak: build-tests ## sign-in at a real Keycloak, by HTTP and in Chromium; needs a JDK, Maven, npm and openssl
	identity/with-keycloak sh -ec '\
		cargo test --workspace --locked $(addprefix --test ,$(KEYCLOAK_TESTS)); \
		CANTATA_BIN="$(DEBUG_BINARY)" web/portal/test keycloak'

# `make test` splits 2,000 documents, and tries 200 filters.
federation-oracle: build-tests ## five nodes against one index: DOCUMENTS=100000 and FILTERS=10000, one node on OpenSearch
	CANTATA_FEDERATION_DOCUMENTS=$(or $(DOCUMENTS),100000) CANTATA_FEDERATION_FILTERS=$(or $(FILTERS),10000) \
		ENGINES=opensearch engines/with-engines cargo test --locked -p cantata --test engines -- network:: --nocapture

test-browser: portal-test test-clients ## tests in Chromium and of clients; Chromium and R are installed by apt if missing

# Screenshots go to $(CACHE)/portal-screenshots, npm packages to the cache folder as well.
portal-test: debug-binary ## the portal: its sources, its build, and its pages in Chromium
	CANTATA_BIN="$(DEBUG_BINARY)" web/portal/test

portal-test-large: build ## the portal with a million files; takes minutes and some gigabytes
	CANTATA_BIN="$(RELEASE_BINARY)" PORTAL_TEST_SCALE=1130 web/portal/test large

portal-measure: build ## time from a click on a facet to the screen; SCALE=14 is 12,000 files
	CANTATA_BIN="$(RELEASE_BINARY)" PORTAL_TEST_SCALE=$(or $(SCALE),14) web/portal/test measure

screenshots: build ## the pictures of the documentation, docs/images
	CANTATA_BIN="$(RELEASE_BINARY)" PORTAL_SHOTS="$(CURDIR)/docs/images" web/portal/test screenshots

# Screenshots go to $(CACHE)/arranger-components-screenshots.
test-clients: debug-binary ## the Python package; Arranger's published React components and charts in Chromium
	CANTATA_BIN="$(DEBUG_BINARY)" clients/python/test
	CANTATA_BIN="$(DEBUG_BINARY)" clients/arranger-components/test

engines: ## real search engines and Kafka until Ctrl-C; ENGINES="opensearch kafka" chooses
	engines/with-engines

fmt: ## formats the Rust sources
	cargo fmt --all

# What the server embeds is kept in the repository, so that no other target needs npm.
graphiql: ## builds the GraphiQL page into the server's sources
	cd web/graphiql && npm ci && npm run build

portal: ## builds the portal into the server's sources
	cd web/portal && npm ci && npm run build

portal-api-types: debug-binary ## generates the portal's types from the server's OpenAPI document
	cd web/portal && npm ci && CANTATA_BIN="$(DEBUG_BINARY)" npm run api-types

bench-metadata: bench-binary ## benchmarks of the metadata service; ARGS=--quick tries all in two minutes
	databases/with-postgres $(BENCH) metadata $(ARGS)

bench-search: bench-binary ## benchmarks of the search service; ARGS="--documents 50000" or ARGS="--only page,facet"
	$(BENCH) search $(ARGS)

bench-search-large: bench-binary ## ten million documents, 26 GB of disk; ARGS="--documents 1000000,3000000" shows the growth
	$(BENCH) search-large $(ARGS)

bench-engines: bench-binary ## embedded engine, OpenSearch, and the server in front of it; ARGS="--keep" keeps the indexes
	$(BENCH) engines $(ARGS)

bench-portal-day: bench-binary ## 1 to 256 people at a portal; ARGS="--url http://127.0.0.1:5050/files" for your own server
	$(BENCH) portal-day $(ARGS)

bench-indexing: bench-binary ## from a submission to a search; ARGS="--only reindex"
	$(BENCH) indexing $(ARGS)

bench-servers: bench-binary ## 1, 2 and 3 servers on one PostgreSQL; ARGS="--only submit" or ARGS="--quick"
	databases/with-postgres $(BENCH) servers $(ARGS)

bench-federation: bench-binary ## a network of five nodes against the slowest of them; ARGS="--documents 50000"
	$(BENCH) federation $(ARGS)

fuzz-requests: bench-binary ## a million random requests to every route; ARGS="--requests 10000 --seed 2"
	$(BENCH) fuzz $(ARGS)

lint-packaging: ## Dockerfile, compose files and Helm chart; needs python3, and helm or Go
	packaging/lint

# Dependencies have the versions of the product. The corpus is kept in the cache folder; an input that fails is in
# fuzz/artifacts, and becomes a seed once the mistake is fixed.
fuzz: own-cache ## each fuzz target for an hour; FUZZ_SECONDS=60 FUZZ_TARGETS="sqon token"; needs nightly and cargo-fuzz
	@cargo +nightly fuzz --version >/dev/null 2>&1 || { \
		echo 'make fuzz needs the nightly toolchain and cargo-fuzz. Install them with:' >&2; \
		echo '  rustup toolchain install nightly && cargo +nightly install --locked cargo-fuzz' >&2; \
		exit 1; \
	}
	FUZZ_SEEDS="$(CACHE)/fuzz/seeds" cargo test --locked -p cantata-fuzz-targets --test short generated_seeds
	cp Cargo.lock fuzz/Cargo.lock
	@set -e; for target in $(FUZZ_TARGETS); do \
		mkdir -p "$(CACHE)/fuzz/corpus/$$target" "$(CACHE)/fuzz/seeds/$$target"; \
		CARGO_TARGET_DIR="$(CACHE)/fuzz/target" cargo +nightly fuzz run --fuzz-dir fuzz $$target \
			"$(CACHE)/fuzz/corpus/$$target" \
			"$(CACHE)/fuzz/seeds/$$target" $$(ls -d fuzz/seeds/$$target 2>/dev/null) \
			-- -max_total_time=$(FUZZ_SECONDS) -timeout=30 -rss_limit_mb=2048; \
	done

miri: own-cache ## undefined behaviour in what is read in place from segments; needs nightly with miri and rust-src
	@cargo +nightly miri --version >/dev/null 2>&1 || { \
		echo 'make miri needs Miri. Install it with:' >&2; \
		echo '  rustup toolchain install nightly --component miri,rust-src' >&2; \
		exit 1; \
	}
	CARGO_TARGET_DIR="$(CACHE)/miri" cargo +nightly miri test --locked -p cantata-engine-embedded --lib memory_tests
