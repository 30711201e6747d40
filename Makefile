# Everything a developer types. Each target sets up what it needs by itself.

PYTHON ?= python3
# Processes that run the Python tests side by side.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
# Runs a command with a line that tells what is done and for how long; what it prints goes into a file.
STEP = $(PYTHON) tools/step.py
# What small changes are rebuilt from costs a tenth of a build, and a build with it is another one than without: whoever works on the
# engine sets CARGO_INCREMENTAL=1.
export CARGO_INCREMENTAL ?= 0
WITH_VENV := env VIRTUAL_ENV=$(abspath $(VENV)) PATH="$(abspath $(BIN)):$$PATH"
# Cargo in maturin's environment and with its features: one set of artefacts for the module, the tests of the crates and the lints.
CARGO_ALL := $(WITH_VENV) $(BIN)/python tools/as_maturin.py cargo
ALL := --workspace --profile quick --features pyo3/extension-module
BINDING := --package tessella-python --profile quick --features pyo3/extension-module

RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: help build demo test browser rust-test python-test lint lint-python lint-rust format docs conformance descriptions bench bench-full measured fuzz miri clean

help: ## Show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

# Each stamp is a set of packages: see requirements/. The engine is compiled meanwhile, by the call that maturin makes of cargo, so that
# maturin finds it made: all crates at once leave no core idle.
$(VENV)/.build: requirements/build.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip $(VENV)
	@export SIDE_BY_SIDE=1; $(STEP) "compiling the engine" build/cargo.log $(CARGO_ALL) rustc --profile quick --lib \
			--manifest-path crates/tessella-python/Cargo.toml --features pyo3/extension-module -- -C strip=symbols & engine=$$!; \
		$(STEP) "making the environment $(VENV)" build/venv.log $(BIN)/python -m ensurepip --upgrade --default-pip && \
		$(STEP) "installing what building needs" build/install-build.log $(PIP) -r requirements/build.txt; \
		status=$$?; wait $$engine && exit $$status
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.build
	@$(STEP) "installing the checkers and the peers that tests compare with" build/install-test.log \
		$(PIP) -r requirements/test.txt
	@touch $@

$(VENV)/.browser: requirements/browser.txt $(VENV)/.build
	@$(STEP) "installing what drives a browser" build/install-browser.log $(PIP) -r requirements/browser.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.build
	@$(STEP) "installing what the site is built with" build/install-docs.log $(PIP) -r requirements/docs.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt requirements/bench-next.txt $(VENV)/.build
	@$(STEP) "installing the peers that are measured" build/install-bench.log $(PIP) -r requirements/bench.txt
	@$(STEP) "installing the one whose name another has" build/install-bench-next.log \
		$(PIP) --no-deps --target build/peers/tokenizers_1 -r requirements/bench-next.txt
	@touch $@

# The compiled module, in place. A module that was built otherwise would be imported in its stead.
$(VENV)/.built: $(VENV)/.build $(RUST_SOURCES)
	@rm -f python/tessella/_tessella.*.so python/tessella/_tessella.*.pyd
	@$(STEP) "building the engine" build/maturin.log $(WITH_VENV) maturin develop --profile quick
	@touch $@

build: $(VENV)/.built ## Build the package into .venv

demo: $(VENV)/.built ## Train, encode, prove the round trip, explain, on text that Python carries
	@$(BIN)/python -m tessella.demo

# Installing and reading Python leaves a core to what reads and tests the crates.
test: $(VENV)/.build ## Everything CI checks
	@export SIDE_BY_SIDE=1; $(MAKE) --no-print-directory lint-python & python=$$!; \
		$(MAKE) --no-print-directory lint-rust rust-test; crates=$$?; wait $$python && exit $$crates
	@$(MAKE) --no-print-directory python-test

browser: $(VENV)/.browser ## Bring a Chromium and its driver, with which `make test` looks at pages too
	@$(STEP) "looking for a Chromium" build/browser.log $(BIN)/python tools/browser.py

rust-test: $(VENV)/.build
	@$(STEP) "building the tests of the crates" build/rust-test.log $(CARGO_ALL) test $(ALL) --no-run
	$(CARGO_ALL) test $(ALL) --quiet

python-test: $(VENV)/.built $(VENV)/.test
	$(BIN)/python -m pytest tests -q -n $(JOBS) --dist worksteal

lint: lint-python lint-rust

lint-python: $(VENV)/.test
	$(BIN)/ruff check python tests tools benchmarks examples
	$(BIN)/ruff format --check python tests tools benchmarks examples
	@$(STEP) "checking types" build/mypy.log $(BIN)/mypy

lint-rust: $(VENV)/.build
	cargo fmt --all --check
	@$(STEP) "reading the crates with clippy" build/clippy.log $(CARGO_ALL) clippy $(ALL) --all-targets -- -D warnings
	@$(STEP) "reading the binding for the stable ABI" build/stable.log $(CARGO_ALL) clippy $(BINDING),pyo3/abi3-py310 -- -D warnings
	@$(STEP) "reading the binding for Python 3.14t" build/threaded.log $(PYTHON) tools/for_python.py 3.14t cargo clippy $(BINDING) -- -D warnings

format: $(VENV)/.test ## Format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format python tests tools benchmarks examples
	$(BIN)/ruff check --fix python tests tools benchmarks examples

# The module is needed too: the API pages show what it says of itself.
docs: $(VENV)/.docs $(VENV)/.built ## Build the pages and the API reference into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --clean
	$(BIN)/python tools/check_site.py build/site
	@echo "open build/site/index.html"

conformance: $(VENV)/.built $(VENV)/.test ## Compare every real file with its own library (needs TESSELLA_MODELS, TESSELLA_CORPORA)
	$(BIN)/python -m tests.conformance.compare

descriptions: $(VENV)/.built $(VENV)/.test ## Compare 20,000 random tokenizer descriptions with the reference library
	TESSELLA_DESCRIPTIONS=20000 $(BIN)/python -m pytest tests/python/test_descriptions.py -q -s

# Figures are taken from what users install: the release build, which takes the place of the lighter one.
bench: DEFINITION := quick
bench-full: DEFINITION := full
bench: measured ## Measure against the peers in five minutes, ids checked first
bench-full: measured ## Measure all there is to measure, in hours

measured: $(VENV)/.built $(VENV)/.bench
	@$(STEP) "building the engine with whole-program optimisation" build/maturin-release.log \
		$(WITH_VENV) maturin develop --release
	$(BIN)/python -m benchmarks.run --definition $(DEFINITION)

fuzz: ## Run every fuzz target for SECONDS_EACH seconds (default 60); needs cargo-fuzz and a nightly toolchain
	fuzz/run.sh $(or $(SECONDS_EACH),60)

# Tests of the rooms with unsafe code, interpreted: to read or write out of bounds, before anything was written or while it is borrowed
# elsewhere, and races are errors then. With these instructions a test goes through all levels of x86-64, one after the other. It is a
# part of what the tests do otherwise (`or_interpreted`), in two processes of which each has a core.
ifeq ($(shell uname -m),x86_64)
MIRI_FEATURES := -C target-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vbmi,+avx512vbmi2,+avx512vpopcntdq
endif
MIRI = MIRIFLAGS="-Zmiri-strict-provenance -Zmiri-symbolic-alignment-check -Zmiri-disable-isolation" RUSTFLAGS="$(MIRI_FEATURES)" \
	cargo +nightly miri test --package tessella-core --lib

# About half of the time; all others of the room go to the first process, so that none is forgotten.
MIRI_SECOND := lanes::t lanes::u lanes::v lanes::w

miri: ## Interpret the tests of the rooms with unsafe code; needs a nightly toolchain with miri and rust-src
	$(MIRI) --no-run
	@$(MIRI) -- lanes:: $(addprefix --skip ,$(MIRI_SECOND)) & first=$$!; \
		$(MIRI) -- flat:: hash:: text:: threads:: $(MIRI_SECOND); then=$$?; wait $$first && exit $$then

clean: ## Remove what was built
	rm -rf target build $(VENV)
