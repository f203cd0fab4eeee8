"""Tests the text of the Dockerfile. ``tests/ops/image`` tests the image that it builds."""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
from pathlib import Path

from proxy import __version__
from tests.ops.deploy.tools import DEPLOY, run_tool

ROOT = DEPLOY.parent
DOCKERFILE = DEPLOY / "Dockerfile"
LOCKS = ("requirements.lock", "requirements-otel.lock")
"""The values that the Dockerfile's argument LOCK may have. The first value is the default."""

STORE_LOCK = "requirements-redis.lock"
"""The packages of the extra ``redis``, which every image has."""


def instructions() -> list[tuple[str, str]]:
    """Return the Dockerfile's instructions in order, each with its text on one line."""
    lines = [line for line in DOCKERFILE.read_text("utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    found = (line.partition(" ") for line in joined.splitlines() if line.strip())
    return [(word, " ".join(rest.split())) for word, _, rest in found]


def texts(word: str) -> list[str]:
    """Return the texts of all instructions of one kind."""
    return [text for found, text in instructions() if found == word]


def test_hadolint_is_silent() -> None:
    """``hadolint`` reports nothing, and no rule is switched off."""
    done = run_tool("hadolint", "--no-color", DOCKERFILE)

    assert (0, "") == (done.returncode, done.stdout + done.stderr)
    assert "hadolint" not in DOCKERFILE.read_text("utf-8")


def test_what_is_installed_is_locked_by_hash() -> None:
    """Each install from an index requires hashes and takes wheels only.

    The project itself is installed without an index.
    """
    installs = [
        command
        for text in texts("RUN")
        for command in text.split("&&")
        if re.search(r"bin/pip .*\b(install|wheel)\b", command)
    ]

    assert len(installs) == 4
    for command in installs:
        words = shlex.split(command)
        assert "--no-deps" in words
        if "--requirement" in words:
            assert {"--require-hashes", "--only-binary"} <= set(words)
        else:
            assert "--no-index" in words


def test_locks_hold_hashes_and_no_addresses() -> None:
    """Every package in the lock files has a fixed version and hashes, and no address of an index."""
    for path in (*(ROOT / lock for lock in (*LOCKS, STORE_LOCK)), DEPLOY / "build.lock"):
        entries = re.split(r"\n(?=\S)", path.read_text("utf-8").strip())
        assert all(re.match(r"[\w.-]+==\S+", entry) and "--hash=sha256:" in entry for entry in entries)
        assert "http" not in re.sub(r"(?m)^[\w.-]+==", "==", "\n".join(entries))


def test_every_image_has_the_client_of_a_shared_store() -> None:
    """The client's packages are installed beside those of LOCK, and none of them is in both locks."""
    installs = [text for text in texts("RUN") if '--requirement "${LOCK}"' in text]
    named = {
        lock: re.findall(r"(?m)^([\w.-]+)==", (ROOT / lock).read_text("utf-8"))
        for lock in (*LOCKS, STORE_LOCK)
    }

    assert [f"--requirement {STORE_LOCK}" in text for text in installs] == [True]
    assert {"hiredis", "redis"} <= set(named[STORE_LOCK])
    assert all(set(named[lock]).isdisjoint(named[STORE_LOCK]) for lock in LOCKS)


def test_the_image_is_told_apart_and_runs_without_a_shell() -> None:
    """The user is a number, the command is a list, the version is the project's, and the stop signal is SIGTERM."""
    labels = dict(re.findall(r'([\w.]+)="([^"]*)"', " ".join(texts("LABEL"))))

    assert texts("USER") == ["65532:65532"]
    assert json.loads(texts("ENTRYPOINT")[0]) == ["turnright"]
    assert json.loads(texts("CMD")[0])[0] == "serve"
    assert texts("STOPSIGNAL") == ["SIGTERM"]
    assert {f"VERSION={__version__}", f"LOCK={LOCKS[0]}"} <= set(texts("ARG"))
    assert labels["org.opencontainers.image.version"] == "${VERSION}"
    assert {"title", "description", "licenses", "revision"} <= {name.rpartition(".")[2] for name in labels}


def test_the_base_is_pinned() -> None:
    """Both stages use one base image, whose default has a full version."""
    [base] = [text for text in texts("ARG") if text.startswith("BASE=")]

    assert re.fullmatch(r"BASE=docker\.io/library/python:3\.\d+\.\d+-slim-[a-z]+", base)
    assert texts("FROM") == ["${BASE} AS build", "${BASE}"]


def test_the_context_holds_what_is_copied_and_nothing_else() -> None:
    """.dockerignore lets in every source of a COPY, and nothing that no COPY uses."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    let_through = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {
        source.replace("${LOCK}", lock)
        for text in texts("COPY")
        if not text.startswith("--from=")
        for source in shlex.split(text)[:-1]
        for lock in LOCKS
    }

    assert rules[0] == "*"
    assert let_through == copied
    assert all((ROOT / Path(path)).exists() for path in copied)
    assert not any(fnmatch.fnmatch(path, rule) for rule in rules[1:] if rule[0] != "!" for path in copied)
