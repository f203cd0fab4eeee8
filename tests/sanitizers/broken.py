"""Cases for the checker: a history that breaks one rule, with a similar history that breaks none."""

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
    """Return OpenAI's profile with these fields changed."""
    return replace(OPENAI, **facts)


@dataclass(frozen=True)
class Broken:
    """A history that breaks one rule under *profile*, at *index*. *legal* is a similar history that breaks no rule."""

    rule: str
    index: int
    history: History
    legal: History
    profile: Profile = OPENAI
    note: str = ""

    @property
    def name(self) -> str:
        """The rule and the note, as the id of the test."""
        return f"{self.rule} {self.note}".strip()


def asks(id: Any = "a", arguments: Any = "{}", name: Any = "f", **extra: Any) -> History:
    """Return an exchange with one call, and with a result that has the call's id."""
    return [GO, assistant(calls=[call(id, name, arguments, **extra)]), tool(id)]


def check(broken: Broken) -> None:
    """Check that the history breaks only its rule, at *index*, and that the legal history breaks none."""
    validate_messages(broken.history)

    found = find_violations(broken.history, broken.profile)

    assert {broken.rule} == {violation.rule for violation in found}
    assert broken.index == found[0].index  # results that changed places are two
    assert find_violations(broken.legal, broken.profile) == ()
