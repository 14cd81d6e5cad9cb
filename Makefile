# `make demo` and `make test` are all one needs: each makes .venv and installs what it wants by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Python keeps what it compiles beside the environment, whatever the machine's settings: hundreds of tests start it.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache

.PHONY: demo weights compiled test test-slow test-apart ci-parts lint types check format fetch screenshots docs reference clean

# Not quiet: the lines of pip say what is downloaded, and that something happens.
PIP := $(BIN)/python -m pip install --disable-pip-version-check

$(BIN)/python:
	@echo "Creating a Python environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	@echo "Installing evolif and what runs a small local model into $(VENV), once; half a minute on a fast connection"
	@$(PIP) --editable '.[local]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing evolif with the tools of its tests into $(VENV), once"
	@$(PIP) --editable '.[local,google,dev]'
	@touch $@

$(VENV)/.docs: $(VENV)/.dev
	@echo "Installing what makes the documentation into $(VENV), once"
	@$(PIP) --editable '.[docs]'
	@touch $@

fetch: $(VENV)/.demo
	$(BIN)/evolif models fetch smollm2-135m

demo: fetch
	$(BIN)/evolif demo

# As many processes as there are cores, at most 8; `make test PYTEST_FLAGS="-n0 -x"` runs in one.
PYTEST_FLAGS ?= -n auto --maxprocesses 8 --dist worksteal
PYTEST := $(BIN)/python -m pytest $(PYTEST_FLAGS)

# The weights of the small real model, which some tests ask.
weights: $(VENV)/.dev
	$(BIN)/evolif models fetch smollm2-135m

# Every feature, in a minute or two.
test: weights
	$(PYTEST)

# What `make test` leaves out: the slow tests, and more examples of each property.
test-slow: weights
	$(PYTEST) -m "slow or hypothesis" --hypothesis-profile thorough

# The tests as Python compiles them, once: otherwise each process that runs them compiles all of them.
compiled: $(VENV)/.dev
	$(BIN)/python -m pytest -n 0 --collect-only --quiet >$(VENV)/collected.txt

# What some tests skip without, as far as this machine lets it be installed: Ray, Inspect, and as root a browser.
ci-parts: $(VENV)/.dev
	.ci/parts $(BIN)/python

# verifiers, datasets, Inspect and a trainer, each in an environment of its own; skipped, with a word, where one cannot be
# installed. `make test-apart APART=datasets` drives one.
test-apart:
	.ci/apart $(PYTHON) $(VENV) $(APART)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

check: test test-slow lint types

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pictures of docs/images, after a change of the review's screen or of the template's words.
screenshots: $(VENV)/.dev
	$(BIN)/python docs/make_screenshots.py

# The site, into site/: it reads from a folder, without a server and without network.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The pages that are made from the program, after a change of flags or of what is printed.
reference: $(VENV)/.docs
	$(BIN)/python docs/make_cli_reference.py
	$(BIN)/python docs/make_board_schema.py
	$(BIN)/python docs/make_console.py
	$(BIN)/python docs/make_notebooks.py

clean:
	rm -rf $(VENV) $(VENV)-* build dist site
