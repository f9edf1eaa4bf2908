# TCAB_CONTAINER_REGISTRY is empty here: images are built on this machine, never pulled.
export TCAB_CONTAINER_REGISTRY ?=

# The two that matter: `make demo` does the main job, `make test` passes the tests.
.PHONY: demo test dev setup engine test-tools lint lock clean

demo: setup
	@scripts/demo.sh

test: setup engine test-tools
	@.venv/bin/python -m pytest $(PYTEST)

dev: setup engine
	@.venv/bin/python -m tcab_dagster.dev

setup:
	@scripts/setup.sh

# A container engine, and the run images built where they are missing or out of date.
engine: setup
	@scripts/ensure-engine.sh

test-tools:
	@scripts/test-tools.sh

lint: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

# Hashes and no registry's name: see pyproject.toml for what is wanted and why.
lock: setup
	UV_PYTHON_DOWNLOADS=never .venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
		--generate-hashes --all-extras --no-emit-index-url --custom-compile-command 'make lock' \
		pyproject.toml -o requirements.lock
	cd containers/validator && UV_PYTHON_DOWNLOADS=never $(CURDIR)/.venv/bin/uv pip compile --quiet \
		--python-version 3.11 --python-platform linux --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements.in -o requirements.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
