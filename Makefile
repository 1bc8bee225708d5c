# Two commands do everything on a fresh machine with Python 3.11+, git and make:
#   make demo    sets itself up and reviews the sample repository
#   make test    sets itself up and runs the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
export PIP_CONSTRAINT :=
unexport PYTHONDONTWRITEBYTECODE  # else every worker compiles all tests again: 15 seconds each
# Many tests wait for a watcher, a terminal or another process: two at once for each processor. The slow ones stand
# together in a few folders, so a worker that is done takes over from one that is not.
WORKERS := $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))' 2>/dev/null || echo 2)

.PHONY: help demo test test-slow coverage lint format types contracts check bench build golden pictures cast upgrade clean

help:
	@echo "make demo        set up, build the sample repository, review it"
	@echo "make test        set up, run the tests"
	@echo "make test-slow   the long forms of some of them: storms, every way a disk can fail"
	@echo "make coverage    the tests again, with the branches they take in each room"
	@echo "make check       format, lint, types, contracts, tests: all that CI runs"
	@echo "make bench       measure, print a table of ratios, store it in benchmarks/results"
	@echo "make build       a wheel and a source archive in dist/"
	@echo "make golden      rewrite the expected outputs, screens and docs/transcript.md"
	@echo "make pictures    redraw the screens in the README"
	@echo "make cast        record the tour of the demo, as docs/pictures/tour.cast"

demo: $(VENV)/.runtime
	@$(BIN)/handoff-tui demo

test: $(VENV)/.development
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow" $(ARGS)

test-slow: $(VENV)/.development
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow $(ARGS)
	$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile thorough tests/property

coverage: $(VENV)/.development
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not slow" --cov --cov-report= $(ARGS)
	$(BIN)/python -m tests.architecture.branch_coverage

lint: $(VENV)/.development
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: $(VENV)/.development
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/.development
	$(BIN)/mypy

contracts: $(VENV)/.development
	$(BIN)/lint-imports

check: lint types contracts test

bench: $(VENV)/.development
	$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev,bench]'
	$(BIN)/python -m benchmarks $(ARGS)

build: $(VENV)/.development
	$(BIN)/python -m build --no-isolation

golden: $(VENV)/.development
	HANDOFF_TUI_WRITE_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden tests/functional

pictures: $(VENV)/.development
	$(BIN)/python -m tests.support.desk_pictures

cast: $(VENV)/.development
	$(BIN)/python -m tests.support.desk_cast

upgrade: clean $(VENV)/.python
	$(PIP) install hatchling editables
	$(PIP) install --upgrade --no-build-isolation -e '.[dev,bench]'
	@echo '# Every dependency, pinned by name and version. `make upgrade` rewrites this file.' > constraints.txt
	$(PIP) freeze --exclude-editable >> constraints.txt

clean:
	rm -rf $(VENV) build dist

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "handoff-tui needs Python 3.11 or newer; this is `$(PYTHON) --version`. Try: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.python pyproject.toml constraints.txt
	@echo "setting up (once) ..."
	$(PIP) install -c constraints.txt hatchling editables
	$(PIP) install -c constraints.txt --no-build-isolation -e .
	@$(BIN)/python -m compileall -q src  # as pip does for a package that is not editable: the first start is fast too
	@touch $@

$(VENV)/.development: $(VENV)/.runtime
	$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
