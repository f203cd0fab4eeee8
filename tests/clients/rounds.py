"""Five rounds of parallel calls, with the tools' results and the signatures that the emulator issues.

The rounds are written out instead of computed, so that this table shares no mistake with a client or the proxy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.emulator.signatures import sign_call


@dataclass(frozen=True)
class Call:
    """A call that the model makes, and the result that belongs to it."""

    name: str
    args: Mapping[str, Any]
    result: str


@dataclass(frozen=True)
class Round:
    """An answer with parallel calls, which the model may introduce with a text."""

    calls: Sequence[Call]
    text: str = ""

    @property
    def parts(self) -> Iterator[dict[str, Any]]:
        """The answer's parts as Gemini writes them. The emulator adds ids and the first call's signature."""
        if self.text:
            yield {"text": self.text}
        for call in self.calls:
            yield {"functionCall": {"name": call.name, "args": dict(call.args)}}


ROUNDS = (
    Round(
        (
            Call("get_weather", {"city": "Oslo"}, "The weather in Oslo is fine."),
            Call("get_time", {"city": "Oslo", "hours_ahead": 1}, "Oslo, 1 hours ahead."),
        )
    ),
    Round(  # one tool twice: a result is told from the other one by its call alone
        (
            Call("get_weather", {"city": "Lima"}, "The weather in Lima is fine."),
            Call("get_weather", {"city": "Cairo"}, "The weather in Cairo is fine."),
        )
    ),
    Round(
        (
            Call("get_time", {"city": "Lima", "hours_ahead": 2}, "Lima, 2 hours ahead."),
            Call("get_weather", {"city": "Quito"}, "The weather in Quito is fine."),
            Call("get_time", {"city": "Cairo", "hours_ahead": 3}, "Cairo, 3 hours ahead."),
        )
    ),
    Round(
        (
            Call("get_time", {"city": "Oslo", "hours_ahead": 4}, "Oslo, 4 hours ahead."),
            Call("get_time", {"city": "Oslo", "hours_ahead": 5}, "Oslo, 5 hours ahead."),
        ),
        text="Two more times.",
    ),
    Round(  # the first call of the first round once more: the same call, another signature
        (
            Call("get_weather", {"city": "Oslo"}, "The weather in Oslo is fine."),
            Call("get_time", {"city": "Quito", "hours_ahead": 6}, "Quito, 6 hours ahead."),
        )
    ),
)
LAST_WORDS = "That is all I wanted to know."


def issued_signature(number: int, rounds: Sequence[Round] = ROUNDS) -> str:
    """Return the signature that the emulator issues with the round of this *number*, counted from 0."""
    before = sum(len(earlier.calls) for earlier in rounds[:number])
    first = rounds[number].calls[0]
    return sign_call(first.name, first.args, before)
