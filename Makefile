# `make demo` and `make test` are all one needs: each makes .venv and installs what it wants by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types check format fetch screenshots clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[local]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[local,google,dev]'
	@touch $@

fetch: $(VENV)/.demo
	$(BIN)/evolif models fetch smollm2-135m

demo: fetch
	$(BIN)/evolif demo

test: $(VENV)/.dev
	$(BIN)/evolif models fetch smollm2-135m
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

check: test lint types

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pictures of docs/images, after a change of the review's screen or of the template's words.
screenshots: $(VENV)/.dev
	$(BIN)/python docs/make_screenshots.py

clean:
	rm -rf $(VENV) build dist
