# Every target sets up what it needs in .venv; all that must be there before is Python, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help label test check unit oldest core simulate bench clean

help:  ## Show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

label: $(VENV)/ready  ## Serve the labelling app with handwritten digits on http://127.0.0.1:8000
	$(BIN)/tercet label --example digits

simulate: $(VENV)/ready  ## Let the rules of the paper and the default ask a simulated person about Wine
	$(BIN)/tercet simulate

test: check unit  ## Lint, types, layers, tests with coverage

check: $(VENV)/ready  ## Lint, types and layers only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/ready  ## Tests only
	$(BIN)/python tests/browser/chromium.py
	$(BIN)/pytest --numprocesses auto --dist loadfile --cov --cov-report=term

oldest: .venv-oldest/ready  ## Tests with the oldest supported dependencies and metric-learn
	TERCET_NEEDS_METRIC_LEARN=1 .venv-oldest/bin/pytest --numprocesses auto --dist loadfile -W default  # old libraries warn of new companions

core: .venv-core/ready  ## The README's example with the core dependencies only
	.venv-core/bin/python tests/core_only.py

bench: $(VENV)/ready  ## Time everything against its peers, and write docs/performance.md
	$(BIN)/python benchmarks/run.py

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

.venv-oldest/ready: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/pip install --quiet --editable '.[audio,cluster,experiments,fast,images,label,neighbours,postgres,test,video]' --requirement tests/oldest.txt
	touch $@

.venv-core/ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-core
	.venv-core/bin/pip install --quiet --editable .
	touch $@

clean:  ## Remove the environments and caches
	rm -rf .venv .venv-oldest .venv-core .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage simulation reproduction benchmarks/.environments benchmarks/results/quick
