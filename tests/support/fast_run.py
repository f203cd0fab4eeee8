"""Decides what ``pytest --fast`` runs: only unit tests, which start no process and import no client package.

Long tests, which have a marker, and most cases of long tables are left out too.

A test's fixtures, parameters or file imports decide whether it is slow, so nobody marks tests by hand. Starting a
process during a test that is not slow is an error. `make test` checks this rule too, since the guard is always active.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

ROOMS = ("proxy", "sanitizers")
"""The folders of unit tests. Files that lie directly in ``tests/`` belong to the fast run as well."""

SLOW_FIXTURES = frozenset({"fresh_python", "litellm"})
"""Fixtures that start a process or import a client package."""

SLOW_IMPORT = re.compile(r"^(?:from|import) (?:litellm|openai|subprocess|tiktoken)\b", re.MULTILINE)
"""Matches the imports that make a file's tests slow: processes, client packages and large vocabularies."""

_MOST_CASES = 20
"""The most cases of one test that the fast run does not thin out."""

_THINNED_TO = 3

CLIENT_PACKAGES = frozenset({"litellm", "openai"})
"""Packages whose import takes seconds."""

STARTS = frozenset({"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"})
"""Audit events that Python raises when a process starts."""


class NotFastError(AssertionError):
    """Raised if a test that is not slow does what only slow tests may do."""


class Guard:
    """An audit hook that raises on forbidden events inside the context of :meth:`watching`.

    Application code may catch the exception. The guard therefore also keeps a list of breaches.
    """

    def __init__(self, *, imports: bool) -> None:
        """Forbid starting processes, and with *imports* the import of a client package too."""
        self._imports = imports
        self._active = False
        self.breaches: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """See :func:`sys.addaudithook`."""
        if not self._active:
            return
        if event in STARTS:
            self._breach(f"{event}: a fast test starts a process")
        elif event == "import" and self._imports and _top(arguments[0]) in CLIENT_PACKAGES:
            self._breach(f"a fast test imports {arguments[0]}")

    def _breach(self, words: str) -> None:
        self.breaches.append(words)
        raise NotFastError(f"{words}; see tests/support/fast_run.py")

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Raise on forbidden events inside the context.

        Raise again at the context's end if there was a forbidden event.
        """
        self.breaches.clear()
        self._active = True
        try:
            yield
        finally:
            self._active = False
        if self.breaches:
            raise NotFastError(f"{self.breaches[0]}; see tests/support/fast_run.py")


def is_in_a_fast_room(path: PurePath) -> bool:
    """Tell whether a file or folder, whose path is relative to ``tests/``, belongs to the fast run."""
    return path.parts[0] in ROOMS or (len(path.parts) == 1 and path.suffix == ".py")


def imports_a_slow_module(source: str) -> bool:
    """Tell whether a test file's source has an import that makes its tests slow.

    The fast run does not even import such a file.
    """
    return SLOW_IMPORT.search(source) is not None


def is_slow(fixtures: Iterable[str], parameters: Mapping[str, Any]) -> bool:
    """Tell by a test's fixtures whether the test needs a process or a client package.

    *fixtures* are the names of all fixtures of the test and *parameters* the values of its case. A test with the
    fixture ``transport`` is slow unless its case is the direct transport, since the fixture's default is litellm.
    """
    names = set(fixtures)
    return bool(names & SLOW_FIXTURES) or (
        "transport" in names and parameters.get("transport", "litellm") == "litellm"
    )


def cases_to_thin_out(names: Sequence[str]) -> set[str]:
    """Return the ids of cases that the fast run leaves out of long tables. *names* are in the order of collection.

    Of a test with more than 20 cases it runs each third. All cases belong to ``make test``.
    """
    of_tests: dict[str, list[str]] = {}
    for name in names:
        of_tests.setdefault(name.partition("[")[0], []).append(name)
    return {
        name
        for cases in of_tests.values()
        if len(cases) > _MOST_CASES
        for number, name in enumerate(cases)
        if number % _THINNED_TO
    }


def _top(name: str) -> str:
    return name.partition(".")[0]


def run_fresh_python(program: str, *arguments: str) -> str:
    """Run *program* in a new interpreter and return its standard output. The interpreter must end with status 0.

    Warnings are off, because warnings of imported packages do not matter here. The timeout is 60 seconds.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout
