# `make demo` and `make test` need Python 3.11 or newer, pip and make; they install into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-full lint docs bench tables figures clean

demo: $(VENV)/base.installed ## run the main job on embedded data
	$(BIN)/hyperhedge demo --out demo

test: $(VENV)/test.installed lint ## lint, types, import order, tests, doctests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not full" --durations=15

test-full: $(VENV)/test.installed lint ## the same with new random cases, the long checks, and coverage
	HYPERHEDGE_TEST_PROFILE=full $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

lint: $(VENV)/test.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo

docs: $(VENV)/test.installed ## build the site into build/site; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going --nitpicky --quiet docs build/site

bench: $(VENV)/test.installed ## measure, and keep the records in results/
	$(BIN)/python -m benchmarks.files
	$(BIN)/python -m benchmarks.data
	$(BIN)/python -m benchmarks.configuration
	$(BIN)/python -m benchmarks.metrics
	$(BIN)/python -m benchmarks.four_way
	$(BIN)/python -m benchmarks.process
	$(BIN)/python -m benchmarks.theory
	$(BIN)/python -m benchmarks.training
	$(BIN)/python -m benchmarks.architectures
	$(BIN)/python -m benchmarks.workers
	$(BIN)/hyperhedge bench run --keep-models build/models
	$(BIN)/python -m benchmarks.samplers build/models
	$(BIN)/python -m benchmarks.redraws build/models
	$(BIN)/python -m benchmarks.growth build/models
	$(BIN)/python -m benchmarks.drawn build/models

tables: $(VENV)/test.installed ## write the tables of docs/ from the records in results/
	$(BIN)/python -m benchmarks.tables
	$(BIN)/hyperhedge bench tables

figures: $(VENV)/test.installed ## draw the pictures of docs/drawing.md and docs/method.md
	$(BIN)/python -m benchmarks.paper_figures

clean:
	rm -rf $(VENV) build/site demo .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("hyperhedge needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/base.installed: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

$(VENV)/test.installed: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[dev,peers,ray]'
	touch $@ $(VENV)/base.installed
