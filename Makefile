# `make` measures and prints the matrix, `make test` runs the tests; both set up what they need in .venv first.
# What to measure can be narrowed: make run ARGS="--runtime node@22 --at /mnt/share"

ARGS ?=
TESTS ?= -n auto
PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
PYTHON := py -3
else
BIN := .venv/bin
endif

.PHONY: run test lint bench filesystems docs clean

run: .venv/ready
	@$(BIN)/python -m harness run $(ARGS)

test: .venv/ready
	@$(BIN)/python -m pytest $(TESTS)

lint: .venv/ready
	@$(BIN)/python -m ruff check . && $(BIN)/python -m ruff format --check . && $(BIN)/python -m mypy

bench: .venv/ready
	@$(BIN)/python -m harness.benchmark

filesystems: .venv/ready
	@$(BIN)/python -m harness filesystems $(ARGS)

docs: .venv/ready
	@$(BIN)/python docs/refresh.py

clean:
	rm -rf .venv

.venv/ready: pyproject.toml harness/bootstrap.py
	@$(PYTHON) harness/bootstrap.py .venv
	@touch $@
