"""A row of a step's test table, and the function that runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sanitizers import Profile
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.messages import Entry
from sanitizers.steps import Step

History = list[dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """The input, the expected output, and the changes as ``(kind, index, reason)``.

    An *expected* output of None means that the step returns the same object.
    """

    id: str
    given: History
    expected: History | None
    changes: Sequence[tuple[str, int, str]] = ()
    profile: Profile = GEMINI_3


def check(step: Step, case: Case) -> None:
    """Run only *step* on the case, and compare the messages and changes that the step returns."""
    entries = tuple(Entry(message, index) for index, message in enumerate(case.given))

    after, changes = step(entries, case.profile)

    assert list(case.changes) == [(c.kind, c.index, c.reason) for c in changes]
    if case.expected is None:
        assert after is entries
    else:
        assert case.expected == [entry.message for entry in after]
