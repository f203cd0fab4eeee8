"""The set-up that all tests share: hypothesis profiles, the fast run, and no network for litellm."""

from __future__ import annotations

import functools
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from proxy.upstream.litellm.environment import quiet_litellm
from tests.support.covering_cases import EVERYTHING, cases_to_leave_out
from tests.support.fast_run import (
    Guard,
    cases_to_thin_out,
    imports_a_slow_module,
    is_in_a_fast_room,
    is_slow,
    run_fresh_python,
)
from tests.support.worker_events import send_fewer_events

quiet_litellm()

TESTS = Path(__file__).parent
GUARD = pytest.StashKey[Guard]()

# `usual` is derandomized, so that a failure is everybody's failure. TURNRIGHT_HYPOTHESIS names another profile.
settings.register_profile(
    "usual",
    max_examples=60,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("fast", parent=settings.get_profile("usual"), max_examples=5)
settings.register_profile("deep", parent=settings.get_profile("usual"), max_examples=1_000)
settings.register_profile(
    "soak", parent=settings.get_profile("usual"), max_examples=20_000, derandomize=False
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fast``."""
    parser.addoption("--fast", action="store_true", help="unit tests alone: no process, no client package")


def pytest_configure(config: pytest.Config) -> None:
    """Load the hypothesis profile, and set up the guard of the fast tests."""
    fast = config.getoption("fast")
    settings.load_profile(os.environ.get("TURNRIGHT_HYPOTHESIS", "fast" if fast else "usual"))
    config.stash[GUARD] = Guard(imports=fast)  # otherwise a package may be there already, from another test
    sys.addaudithook(config.stash[GUARD])


@functools.cache
def _is_slow_path(path: Path) -> bool:
    """Tell whether all tests of a folder or file are slow."""
    if not path.is_relative_to(TESTS) or not is_in_a_fast_room(path.relative_to(TESTS)):
        return True
    return path.name.startswith("test_") and path.is_file() and imports_a_slow_module(path.read_text())


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the workers of pytest-xdist send only test results."""
    send_fewer_events(session.config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folders and files of slow tests out of the fast run: their imports alone take seconds."""
    if not config.getoption("fast") or collection_path == TESTS or collection_path in TESTS.parents:
        return None
    return _is_slow_path(collection_path) or None


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Turn the garbage collector off while pytest collects tests, and exempt these objects from later scans.

    None of these objects is garbage before the end, and a scan of the million objects takes half a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the slow tests, and leave them and the long ones out of the fast run.

    Leave cases out that only ``make test-deep`` runs.
    """
    if not EVERYTHING:
        left_out = cases_to_leave_out(items)
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]
    slow = [item for item in items if _is_slow_path(item.path) or _needs_much(item)]
    for item in slow:
        item.add_marker("slow")
    if config.getoption("fast"):
        thinned = cases_to_thin_out([item.nodeid for item in items])
        gone = {
            item
            for item in items
            if item.nodeid in thinned or any(item.get_closest_marker(name) for name in ("slow", "long"))
        }
        config.hook.pytest_deselected(items=[item for item in items if item in gone])
        items[:] = [item for item in items if item not in gone]


def _needs_much(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    return is_slow(item.fixturenames, item.callspec.params if hasattr(item, "callspec") else {})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """Forbid the fixtures of a test that is not slow to start a process."""
    with _watching(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Forbid a test that is not slow to start a process."""
    with _watching(item):
        return (yield)


def _watching(item: pytest.Item) -> AbstractContextManager[None]:
    slow = item.get_closest_marker("slow") is not None
    return nullcontext() if slow else item.config.stash[GUARD].watching()


@pytest.fixture(scope="session")
def litellm() -> Any:
    """Return litellm, whose import takes seconds."""
    return importlib.import_module("litellm")


@pytest.fixture(scope="session")
def fresh_python() -> Callable[..., str]:
    """Return a function that runs a program in a new interpreter and returns its output."""
    return run_fresh_python
