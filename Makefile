# Everything that is built goes to one folder outside of the repository.
CACHE := $(or $(CANTATA_CACHE),$(HOME)/.cache/cantata)
export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),$(CACHE)/target)

ifeq ($(shell command -v cargo),)
export PATH := $(HOME)/.cargo/bin:$(PATH)
endif

.PHONY: own-cache debug-binary build demo test check-fmt lint docs unit engines bench-metadata bench-search bench-search-large bench-engines bench-indexing fmt graphiql portal browser portal-test portal-test-large portal-measure screenshots test-clients lint-packaging

# Clones share the folder, and cargo tells their files apart by time alone: a clone that takes over touches its own.
own-cache:
	@mkdir -p "$(CARGO_TARGET_DIR)"
	@if [ "$$(cat "$(CARGO_TARGET_DIR)/.workspace" 2>/dev/null)" != "$(CURDIR)" ]; then \
		find crates demo bench -type f -exec touch {} +; \
		printf '%s' "$(CURDIR)" > "$(CARGO_TARGET_DIR)/.workspace"; \
	fi

# The binary for daily use: $(CARGO_TARGET_DIR)/release/cantata
build: own-cache
	cargo build --release --locked -p cantata

# A server with sample data on http://127.0.0.1:5050; ARGS="--fresh --scale 10" adds arguments.
demo: build
	"$(CARGO_TARGET_DIR)/release/cantata" demo $(ARGS)

# Everything that must hold before a change is taken; licences and the rules of the house are tests of crates/cli.
test: check-fmt lint docs unit browser

check-fmt:
	cargo fmt --all -- --check

lint: own-cache
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs: own-cache
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked

# Built before the engines start, so that they do not share the machine with the compiler. Without the optimising
# compiler of the JVM they start in about half the time. The routes of the metadata service are tested on both stores.
unit: own-cache
	cargo test --workspace --locked --no-run
	ENGINE_JAVA_OPTS=-XX:TieredStopAtLevel=1 engines/with-engines databases/with-postgres sh -ec '\
		cargo test --workspace --locked; \
		CANTATA_TEST_STORE=postgres cargo test --workspace --locked --test routes'

# Real search engines until Ctrl-C; prints the variables with which another shell uses them.
# ENGINES="opensearch elasticsearch" chooses.
engines:
	engines/with-engines

bench-metadata: build
	databases/with-postgres cargo run --release --locked -p cantata-bench -- metadata

# ARGS="--documents 50000" or ARGS="--only page,facet" measures less.
bench-search: build
	cargo run --release --locked -p cantata-bench -- search $(ARGS)

# Ten million documents: 26 GB of disk and twelve minutes, and not for CI.
bench-search-large: build
	cargo run --release --locked -p cantata-bench -- search-large $(ARGS)

# The embedded engine, a real OpenSearch node, and the server over it. ARGS="--keep" uses the indexes of the last run.
bench-engines: build
	cargo run --release --locked -p cantata-bench -- engines $(ARGS)

# From a submission to a search. ARGS="--only reindex" measures less.
bench-indexing: build
	cargo run --release --locked -p cantata-bench -- indexing $(ARGS)

fmt:
	cargo fmt --all

# GraphiQL as the server carries it; the result is kept in the repository, so that no other target needs npm.
graphiql:
	cd web/graphiql && npm ci && npm run build

# The portal as the server carries it; kept in the repository like GraphiQL.
portal:
	cd web/portal && npm ci && npm run build

# What browsers show; installs Chromium by apt if there is none, and packages of npm into the cache folder.
browser: portal-test test-clients

debug-binary: own-cache
	cargo build --locked -p cantata

# The portal: its sources, that the server carries what they build, and its pages in Chromium against a server with sample
# data; screenshots go to $(CACHE)/portal-screenshots.
portal-test: debug-binary
	CANTATA_BIN="$(CARGO_TARGET_DIR)/debug/cantata" web/portal/test

# How long a page takes to show what a click on a facet led to; SCALE=14 is 12,000 files, and not for CI.
portal-measure: build
	CANTATA_BIN="$(CARGO_TARGET_DIR)/release/cantata" PORTAL_TEST_SCALE=$(or $(SCALE),14) web/portal/test measure

# The same with a million files behind it, which takes minutes to fill the server, and some gigabytes.
portal-test-large: build
	CANTATA_BIN="$(CARGO_TARGET_DIR)/release/cantata" PORTAL_TEST_SCALE=1130 web/portal/test large

# The pictures of the documentation, docs/images.
screenshots: build
	CANTATA_BIN="$(CARGO_TARGET_DIR)/release/cantata" PORTAL_SHOTS="$(CURDIR)/docs/images" web/portal/test screenshots

# Arranger's published React components and charts in Chromium against a server with sample data; screenshots go to
# $(CACHE)/arranger-components-screenshots.
test-clients: debug-binary
	CANTATA_BIN="$(CARGO_TARGET_DIR)/debug/cantata" clients/arranger-components/test

# The Dockerfile, the compose files and the Helm chart; installs its tools from PyPI, and builds helm with Go if it is missing.
lint-packaging:
	packaging/lint
