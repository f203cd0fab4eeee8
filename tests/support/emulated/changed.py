"""An emulated provider with one rule changed: it lacks one of its own rules, or has a further rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from tests.support.emulated.wire import Asked, Refused, Wire

WORDS = "This is not supported."


@dataclass(frozen=True, slots=True)
class Change:
    """One changed rule.

    A refusal whose message contains *without* becomes an acceptance. A body for which *also* is true is refused.
    """

    without: str | None = None
    also: Callable[[Any], bool] = lambda _: False


class _Changed:
    """A wire (a provider's emulated format and rules) whose judge has one rule changed.

    Everything else is the wire's own.
    """

    def __init__(self, wire: Wire, change: Change) -> None:
        self._wire = wire
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    def judge(self, asked: Asked) -> Refused | None:
        """Return the wire's judgement of *asked*, with the one rule changed."""
        change = self._change
        refusal = self._wire.judge(asked)
        if refusal is not None and change.without is not None and change.without in refusal.message:
            return None
        if refusal is None and change.also(asked.body):
            return self._wire.scripted(400, WORDS, None, None)
        return refusal


def changed(wire: Wire, change: Change) -> Wire:
    """Return *wire* with one rule changed."""
    return cast("Wire", _Changed(wire, change))
