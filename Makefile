# Everything a developer types. Each target sets up what it needs by itself.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

RUST_SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: help demo test rust-test python-test lint format docs conformance descriptions bench fuzz clean

help: ## Show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(STAMP): requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	@echo "installing development tools into $(VENV)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

# The compiled module, in place, optimised: tests and demo run what users get.
$(VENV)/.built: $(STAMP) $(RUST_SOURCES)
	@echo "building the engine, optimised: this takes a few minutes"
	@mkdir -p build
	@VIRTUAL_ENV=$(abspath $(VENV)) PATH="$(abspath $(BIN)):$$PATH" $(BIN)/maturin develop --release --quiet \
		> build/maturin.log 2>&1 || (cat build/maturin.log; exit 1)
	touch $@

build: $(VENV)/.built ## Build the package into .venv

demo: $(VENV)/.built ## Train, encode, prove the round trip and draw it, on text that Python carries
	$(BIN)/python -m tessella.demo

test: lint rust-test python-test ## Everything CI checks

rust-test:
	cargo test --workspace --exclude tessella-python --quiet

python-test: $(VENV)/.built
	$(BIN)/python -m pytest tests -q

lint: $(STAMP)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check python tests tools benchmarks examples
	$(BIN)/ruff format --check python tests tools benchmarks examples
	$(BIN)/mypy

format: $(STAMP) ## Format Rust and Python
	cargo fmt --all
	$(BIN)/ruff format python tests tools benchmarks examples
	$(BIN)/ruff check --fix python tests tools benchmarks examples

$(VENV)/.docs: requirements-docs.txt $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $@

# The module is needed too: the API pages show what it says of itself.
docs: $(VENV)/.docs $(VENV)/.built ## Build the pages and the API reference into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --clean
	$(BIN)/python tools/check_site.py build/site
	@echo "open build/site/index.html"

conformance: $(VENV)/.built ## Compare every real file with its own library (needs TESSELLA_MODELS, TESSELLA_CORPORA)
	$(BIN)/python -m tests.conformance.compare

descriptions: $(VENV)/.built ## Compare 20,000 random tokenizer descriptions with the reference library
	TESSELLA_DESCRIPTIONS=20000 $(BIN)/python -m pytest tests/python/test_descriptions.py -q -s

bench: $(VENV)/.built ## Measure against the peers, ids checked first
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks.run

fuzz: ## Run every fuzz target for SECONDS_EACH seconds (default 60); needs cargo-fuzz and a nightly toolchain
	fuzz/run.sh $(or $(SECONDS_EACH),60)

clean: ## Remove what was built
	rm -rf target build $(VENV)
