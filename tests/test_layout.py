"""Tests that the imported packages are those of this tree, and that the lock files are complete."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import proxy
import sanitizers

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DIRECT: list[str] = PROJECT["project"]["dependencies"]
DEVELOPMENT: list[str] = PROJECT["dependency-groups"]["dev"]
TRACING: list[str] = PROJECT["project"]["optional-dependencies"]["otel"]
REDIS: list[str] = PROJECT["project"]["optional-dependencies"]["redis"]
VALKEY_SERVER: list[str] = PROJECT["dependency-groups"]["valkey"]
LOCKS = ("requirements.lock", "requirements-otel.lock", "requirements-dev.lock")
GROUPS: dict[str, list[str]] = {
    group: PROJECT["dependency-groups"][group]
    for group in PROJECT["dependency-groups"]
    if group.startswith("judges")
}
JUDGES = {f"requirements-{group}.lock": wanted for group, wanted in GROUPS.items()}
"""The locks of the judges: one environment, and packages that exclude one another or are only read."""

ALL_LOCKS = (
    *LOCKS,
    *JUDGES,
    "requirements-redis.lock",
    "requirements-valkey.lock",
    "benchmarks/plots.lock",
    "benchmarks/tokenizers.lock",
)


def entries(lock: str) -> dict[str, str]:
    """Return a lock's entries: the name and the whole text of each."""
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return {canonicalize_name(re.split(r"[=\[ ;]", line)[0]): line for line in lines}


@pytest.mark.parametrize("package", [proxy, sanitizers], ids=lambda package: package.__name__)
def test_packages_are_ours(package: Any) -> None:
    """The packages `proxy` and `sanitizers` are this repository's, and no other distribution's."""
    assert Path(package.__file__).parent == ROOT / package.__name__


def test_package_and_project_have_the_same_version() -> None:
    assert proxy.__version__ == PROJECT["project"]["version"]


@pytest.mark.parametrize(
    ("lock", "requirement"),
    [
        *[("requirements.lock", requirement) for requirement in DIRECT],
        *[("requirements-otel.lock", requirement) for requirement in (*DIRECT, *TRACING)],
        *[
            ("requirements-dev.lock", requirement)
            for requirement in (*DIRECT, *TRACING, *REDIS, *DEVELOPMENT)
        ],
        *[("requirements-redis.lock", requirement) for requirement in REDIS],
        *[("requirements-valkey.lock", requirement) for requirement in VALKEY_SERVER],
        *[(lock, requirement) for lock, wanted in JUDGES.items() for requirement in wanted],
    ],
)
def test_lock_satisfies_the_project(lock: str, requirement: str) -> None:
    """Every direct dependency is in the lock, with a version that the project allows."""
    wanted = Requirement(requirement)
    entry = entries(lock)[canonicalize_name(wanted.name)]
    pinned = re.match(r"\S+?==(\S+)", entry)

    assert pinned is not None
    assert wanted.specifier.contains(pinned[1], prereleases=True)


@pytest.mark.parametrize("lock", ALL_LOCKS)
def test_lock_is_pinned_by_hash(lock: str) -> None:
    """Every entry has one exact version and at least one hash."""
    for entry in entries(lock).values():
        assert re.match(r"[A-Za-z0-9._\[\],-]+==[^\s;]+( ;[^-]+)?\s+--hash=sha256:[0-9a-f]{64}", entry), (
            entry[:80]
        )


@pytest.mark.parametrize("lock", ALL_LOCKS)
def test_lock_names_no_place(lock: str) -> None:
    """A lock holds no index, no credentials and no path of the machine that wrote it."""
    text = (ROOT / lock).read_text(encoding="utf-8")

    assert not re.search(
        r"://|--(extra-)?index|--find-links|--trusted-host|file:|/work|/home|/root|/tmp", text
    )


def test_judges_lie_apart_from_all_other_tests() -> None:
    """Every lock of the judges is on disk and in the Makefile, and none of their own packages is in another lock."""
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    parts = {group.removeprefix("judges-") for group in GROUPS} - {"judges"}
    listed = re.findall(r"^(?:MISTRALS|JUDGES_APART) = (.+)$", made, flags=re.MULTILINE)

    assert set(" ".join(listed).split()) - {"$(MISTRALS)"} == parts
    assert {path.name for path in ROOT.glob("requirements-judges*.lock")} == JUDGES.keys()
    only = {"anthropic", "cohere", "google-genai", "mistral-common", "mistralai", "ollama", "trl"}
    for lock in LOCKS:
        assert only.isdisjoint(entries(lock))


def test_runtime_is_part_of_development() -> None:
    """The lock files agree on every version, and the runtime lock has no ``opentelemetry`` package."""
    runtime, tracing, development = (entries(lock) for lock in LOCKS)

    assert runtime.items() < tracing.items() < development.items()
    assert not any(name.startswith("opentelemetry") for name in runtime)


def test_client_of_redis_is_an_extra_with_two_names() -> None:
    """The extras ``redis`` and ``valkey`` are equal, the runtime lock has neither, and the lock files agree."""
    extras = PROJECT["project"]["optional-dependencies"]
    client = entries("requirements-redis.lock")

    assert extras["redis"] == extras["valkey"] == PROJECT["dependency-groups"]["redis"]
    assert client.items() < entries("requirements-dev.lock").items()
    assert {"hiredis", "redis"}.isdisjoint(entries("requirements.lock"))


def test_litellm_is_not_poisoned() -> None:
    """No lock file pins a litellm release that was tampered with (BerriAI/litellm#24512)."""
    for lock in LOCKS:
        assert not re.match(r"litellm==1\.82\.[78]\b", entries(lock)["litellm"])
