"""Histories that break one rule of the checker each, with a similar history that breaks none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sanitizers import find_violations, validate_messages
from sanitizers.profiles import OPENAI, Profile
from tests.support.builders import assistant, call, tool, user

History = list[dict[str, Any]]

GO = user("go")
ASKS = [GO, assistant(calls=[call("a")])]
ASKED = [*ASKS, tool("a")]
TWO = [GO, assistant(calls=[call("a", "f"), call("b", "g")])]


def openai_but(**facts: Any) -> Profile:
    """Return OpenAI's row with other facts."""
    return replace(OPENAI, **facts)


@dataclass(frozen=True)
class Broken:
    """A history that breaks one rule under *profile*, at *index*. *legal* is like it and breaks none."""

    rule: str
    index: int
    history: History
    legal: History
    profile: Profile = OPENAI
    note: str = ""

    @property
    def name(self) -> str:
        """The id of the test."""
        return f"{self.rule} {self.note}".strip()


def asks(id: Any = "a", arguments: Any = "{}", name: Any = "f", **extra: Any) -> History:
    """Return an exchange of one call, whose result has its id."""
    return [GO, assistant(calls=[call(id, name, arguments, **extra)]), tool(id)]


def check(broken: Broken) -> None:
    """Check that the rule is broken alone, at its place, and that the legal history breaks none."""
    validate_messages(broken.history)

    found = find_violations(broken.history, broken.profile)

    assert {broken.rule} == {violation.rule for violation in found}
    assert broken.index == found[0].index  # results that changed places are two
    assert find_violations(broken.legal, broken.profile) == ()
