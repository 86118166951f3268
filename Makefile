# `make demo` and `make test` need Python 3.11 or newer, pip and make; they install into .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
LOWEST_TESTS ?= tests/core tests/convert tests/io tests/data tests/metrics tests/models tests/bench tests/cli

.PHONY: demo test test-full test-lowest lint docs bench tables figures release-check clean

demo: $(VENV)/base.installed ## run the main job on embedded data
	$(BIN)/hyperhedge demo --out demo

test: $(VENV)/test.installed lint ## lint, types, import order, tests, doctests
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not full" --durations=15

test-full: $(VENV)/test.installed lint ## the same with new random cases, the long checks, and coverage
	HYPERHEDGE_TEST_PROFILE=full $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

test-lowest: $(VENV)-lowest/test.installed ## a quick part of the tests, with the lowest versions that pyproject.toml allows
	$(VENV)-lowest/bin/python -m pytest -m "not full" -W default $(LOWEST_TESTS)

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
	$(BIN)/python -m benchmarks.walk
	$(BIN)/python -m benchmarks.whole
	$(BIN)/python -m benchmarks.architectures
	$(BIN)/python -m benchmarks.workers
	for name in real ablations choices; do $(BIN)/hyperhedge bench run experiments/$$name.toml --keep-models build/models/$$name || exit 1; done
	$(BIN)/python -m benchmarks.samplers build/models
	$(BIN)/python -m benchmarks.repeated_samples build/models
	$(BIN)/python -m benchmarks.growth build/models
	$(BIN)/python -m benchmarks.examples build/models

tables: $(VENV)/test.installed ## write the tables of docs/ from the records in results/
	$(BIN)/python -m benchmarks.tables
	$(BIN)/python -m benchmarks.results

figures: $(VENV)/test.installed ## plot the figures of docs/ that show hypergraphs and results
	$(BIN)/python -m benchmarks.paper_figures
	$(BIN)/python -m benchmarks.results --figures

release-check: $(VENV)/test.installed ## build into dist, and try wheel and source distribution in an empty environment
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	HYPERHEDGE_DIST=dist $(BIN)/python -m pytest tests/test_release.py

clean:
	rm -rf $(VENV) $(VENV)-lowest build/site demo dist .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("hyperhedge needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/base.installed: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) --editable .
	touch $@

$(VENV)/test.installed: $(BIN)/python pyproject.toml constraints.txt
	$(INSTALL) --editable '.[dev,peers,ray]'
	touch $@ $(VENV)/base.installed

$(VENV)-lowest/test.installed: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-lowest.txt \
		--editable '.[peers,distributed,ray,tensorboard]' hypothesis mpmath pytest
	touch $@
