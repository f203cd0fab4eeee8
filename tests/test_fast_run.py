"""Tests that the fast run leaves out tests with processes or client packages, and that its guard works."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any

import pytest

from tests.conftest import GUARD
from tests.support.fast_run import (
    Guard,
    NotFastError,
    cases_to_thin_out,
    imports_a_slow_module,
    is_in_a_fast_room,
    is_slow,
)


@pytest.mark.parametrize(
    ("fixtures", "parameters", "slow"),
    [
        (["settings", "proxy"], {}, False),
        (["fresh_python"], {}, True),
        (["litellm"], {}, True),
        (["real", "transport"], {}, True),
        (["real", "transport"], {"transport": "litellm"}, True),
        (["real", "transport"], {"transport": "direct"}, False),
    ],
)
def test_fixtures_and_parameters_decide_what_is_slow(
    fixtures: list[str], parameters: Mapping[str, Any], slow: bool
) -> None:
    """A test with the fixture ``transport`` is slow unless its case is the direct transport."""
    assert is_slow(fixtures, parameters) is slow


@pytest.mark.parametrize(
    ("source", "slow"),
    [
        ("import os\nimport subprocess\n", True),
        ("import openai as client\n", True),
        ("from openai.types.chat import ChatCompletion\n", True),
        ("import os\n\nMODEL = 'openai/gpt-4.1'\n", False),
        ("import openai_free\n", False),
        ("def litellm_price():\n    import litellm\n", False),
    ],
)
def test_top_imports_decide_that_a_file_is_slow(source: str, slow: bool) -> None:
    """Only imports at the top of a file count; the guard catches imports inside tests and fixtures."""
    assert imports_a_slow_module(source) is slow


@pytest.mark.parametrize(
    ("path", "fast"),
    [
        ("proxy", True),
        ("proxy/core/test_errors.py", True),
        ("test_layout.py", True),
        ("process", False),
        ("support_tests/test_builders.py", False),
        ("benchmarks", False),
        ("process/test_cli.py", False),
        ("clients/test_five_rounds.py", False),
        ("ui/test_page.py", False),
    ],
)
def test_folders_decide_what_the_fast_run_collects(path: str, fast: bool) -> None:
    """The fast run does not even import a folder whose tests all need processes."""
    assert is_in_a_fast_room(PurePath(path)) is fast


def _run() -> None:
    os.system("true")


def _spawn() -> None:
    os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {})


def _run_from_asyncio() -> None:
    asyncio.run(asyncio.create_subprocess_exec(sys.executable, "-c", ""))


@pytest.mark.parametrize("start", [_run, _spawn, _run_from_asyncio])
def test_fast_test_cannot_start_a_process(start: Callable[[], None], pytestconfig: pytest.Config) -> None:
    """The guard of the whole run raises when this test, which is fast, starts a process."""
    guard = pytestconfig.stash[GUARD]

    with pytest.raises(NotFastError):
        start()

    assert guard.breaches
    guard.breaches.clear()  # otherwise this test fails at its end, as it should


def test_breach_that_was_caught_is_raised_at_the_end() -> None:
    """Application code that catches every exception cannot hide a breach from the guard."""
    guard = Guard(imports=False)

    with pytest.raises(NotFastError), guard.watching(), suppress(Exception):
        guard("os.fork", ())


@pytest.mark.parametrize("name", ["litellm", "litellm.types.utils", "openai._client"])
def test_guard_forbids_the_import_of_client_packages_in_the_fast_run(name: str) -> None:
    """Only the fast run forbids these imports, because in other runs a package may be imported already."""
    strict, lenient = Guard(imports=True), Guard(imports=False)

    with lenient.watching():
        lenient("import", (name,))
    with strict.watching():
        strict("import", ("json",))
    with pytest.raises(NotFastError), strict.watching():
        strict("import", (name,))


@pytest.mark.parametrize(("cases", "left"), [(1, 1), (20, 20), (21, 7), (100, 34)])
def test_each_third_case_of_a_long_table_is_left(cases: int, left: int) -> None:
    names = [f"tests/test_a.py::test_a[{number}]" for number in range(cases)]
    names += ["tests/test_a.py::test_b", "tests/test_a.py::test_c[0]"]
    gone = cases_to_thin_out(names)

    assert len(names) - len(gone) == left + 2
    assert names[0] not in gone
