# SPDX-License-Identifier: Apache-2.0
# Thin names for the project's commands. `make setup` is implied by all others and does nothing when
# nothing changed; it leaves the command at .venv/bin/kumi.

PYTHON ?= python3
KUMI := .venv/bin/kumi
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); if [ $$n -gt 4 ]; then echo 4; else echo $$n; fi)

.PHONY: help setup setup-demo setup-test demo test test-long bench figures lint formal synth docs dist clean

help:
	@echo "make demo     build and boot a small cluster, and let ordinary Linux programs use it"
	@echo "make test     every test"
	@echo "make test-long  tests of many sizes at full size, and seeded faults; docs/figures/test-long.md"
	@echo "make bench    every bench, quick figures (kumi bench NAME for one)"
	@echo "make figures  tables in the pages again, from docs/figures"
	@echo "make lint     style and types of all languages"
	@echo "make formal   proofs"
	@echo "make synth    cost and clock rate of the published blocks"
	@echo "make docs     the documentation as a site, in build/site"
	@echo "make dist     a wheel in dist/ with engine, RTL, registers and examples"
	@echo "make setup    only install what the demo needs; setup-test: what everything needs"
	@echo "make clean    remove what was built here (not .venv)"

setup setup-demo:
	@$(PYTHON) scripts/setup.py demo

setup-test:
	@$(PYTHON) scripts/setup.py test

demo: setup-demo
	@$(KUMI) demo $(ARGS)

test: setup-test
	.venv/bin/python -m pytest -n $(JOBS) --dist loadfile $(ARGS) tests

test-long: setup-test
	.venv/bin/python -m pytest -n $(JOBS) --dist loadfile --long --publish-long $(ARGS) tests

bench: setup-test
	@$(KUMI) bench --all --quick $(ARGS)

lint: setup-test
	@.venv/bin/python -m kumihimo.dev lint $(ARGS)

formal: setup-test
	@.venv/bin/python -m kumihimo.dev formal $(ARGS)

figures: setup-test
	@.venv/bin/python -m kumihimo.bench.table

synth: setup-test
	@$(KUMI) synth --all $(ARGS)

docs: setup-test
	@.venv/bin/python -m kumihimo.dev pages
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet
	@echo "build/site/index.html"

dist: setup
	@PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/python -m pip --disable-pip-version-check wheel -q \
	  --no-deps --no-build-isolation -w dist .
	@ls -1 dist/*.whl

clean:
	rm -rf build kumi-out .pytest_cache .mypy_cache .ruff_cache
