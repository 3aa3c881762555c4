# Each target sets up its own environment; `make demo` and `make test` need nothing but Python 3.11+ and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types house oracle replay bench lock schema clean

$(VENV)/.run: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

# GitHub's own description of its API, against which the tests hold every request and answer; skipped, and said, without npm.
node_modules/.package-lock.json: package-lock.json
	@if command -v npm >/dev/null; then npm ci --ignore-scripts --no-audit --no-fund --loglevel=error; else \
	  echo "npm is not here: requests and answers will not be held against GitHub's description"; fi

lock: ## write the hash-locked requirements anew
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" pyproject.toml --group build -o requirements.txt -q
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --custom-compile-command "make lock" pyproject.toml --group build --group dev -o requirements-dev.txt -q

demo: $(VENV)/.run ## the main job on real recipes
	$(BIN)/python -m tools.demo

test: lint types house node_modules/.package-lock.json ## all tests
	$(BIN)/pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

house: $(VENV)/.dev ## the direction of imports
	$(BIN)/lint-imports

oracle: $(VENV)/.dev ## upstream's own published commands and vLLM's own parser, against ours
	$(BIN)/python -m tools.oracle

replay: $(VENV)/.dev ## upstreams' real histories: how many bumps, and whether one is missing
	$(BIN)/python -m tools.replay_eugr ../shared
	$(BIN)/python -m tools.replay_vllm_project ../shared

bench: $(VENV)/.dev ## speed and memory
	$(BIN)/python -m tools.bench

schema: $(VENV)/.dev ## write the published JSON Schemas anew
	$(BIN)/python -m tools.build_schema

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
