"""Sessions of an agent with planted facts, from a seed.

A session comes in blocks of messages. Each block ends where a client could send a request. A fact stands in one message
alone, and holds a word that no other text holds: its core. The rest of the texts are random words.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from benchmarks.sanitize import History
from benchmarks.sessions import WORDS


class Kind(StrEnum):
    """The kinds of planted facts."""

    PATH = "path"
    ID = "id"
    URL = "URL"
    ERROR = "error code"
    COMMAND = "failed command"
    CONSTRAINT = "user's words"
    NUMBER = "number"
    DECISION = "decision"


LEDGER = frozenset({Kind.PATH, Kind.ID, Kind.URL, Kind.ERROR, Kind.COMMAND, Kind.CONSTRAINT})
"""The kinds that a memory keeps without a model: facts of the ledger, and the user's words."""

PLANTED: dict[Kind, int] = {
    Kind.PATH: 8,
    Kind.ID: 5,
    Kind.URL: 4,
    Kind.ERROR: 4,
    Kind.COMMAND: 4,
    Kind.CONSTRAINT: 6,
    Kind.NUMBER: 5,
    Kind.DECISION: 4,
}
"""The number of facts of each kind in a session, 40 in all."""

FIRST = 16
"""The number of facts in the first block. The other facts are spread over the blocks up to :data:`LAST_BLOCK`."""

LAST_BLOCK = 18

ROUND = 2_000
"""The characters of a usual round of one call and its result."""

_POOL = 24
"""The number of files that the agent works on besides the planted ones."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One planted fact: *value* is the text that has to be kept, and *core* is a word in this text."""

    kind: Kind
    value: str
    core: str


class PlantedSession:
    """One session. :attr:`facts` are those of the blocks that were taken so far."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._calls = 0
        kinds = [kind for kind, count in PLANTED.items() for _ in range(count)]
        self._draw.shuffle(kinds)
        self._planned = [[Fact(kind, *_value(self._draw, kind)) for kind in kinds[:FIRST]]]
        later = [Fact(kind, *_value(self._draw, kind)) for kind in kinds[FIRST:]]
        self._planned += [later[place::LAST_BLOCK] for place in range(LAST_BLOCK)]
        self.facts: list[Fact] = []

    @property
    def cores(self) -> set[str]:
        """The cores of all facts, those of later blocks included."""
        return {fact.core for facts in self._planned for fact in facts}

    def blocks(self, first: int, later: int) -> Iterator[History]:
        """Yield the session's blocks without end: the first has about *first* characters, the others *later*."""
        opening: History = [
            {"role": "system", "content": f"You are a coding agent. {_words(self._draw, 1_200)}"},
            {"role": "user", "content": f"Find out why the nightly job fails. {_words(self._draw, 300)}"},
        ]
        yield opening + self._block(0, first)
        number = 0
        while True:
            number += 1
            yield self._block(number, later)

    def _block(self, number: int, size: int) -> History:
        facts = self._planned[number] if number < len(self._planned) else []
        rounds = max(len(facts), size // ROUND)
        self.facts += facts
        rows: list[Fact | None] = [*facts, *[None] * (rounds - len(facts))]
        self._draw.shuffle(rows)
        each = size // rounds
        return [message for fact in rows for message in self._round(fact, each)]

    def _round(self, fact: Fact | None, size: int) -> History:
        """Return one round of about *size* characters with *fact*."""
        file = f"src/part_{self._draw.randrange(_POOL)}.py"
        if fact is None:
            return self._call("read_file", {"path": file}, _words(self._draw, size))
        return _PLANT[fact.kind](self, fact, size)

    def _call(self, name: str, arguments: dict[str, Any], result: str, said: str | None = None) -> History:
        self._calls += 1
        call_id = f"call_{self._calls:06}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        return [
            {"role": "assistant", "content": said, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": result},
        ]

    def _path(self, fact: Fact, size: int) -> History:
        arguments = {"path": fact.value, "text": _words(self._draw, size // 2)}
        return self._call("edit_file", arguments, f"Edited.\n{_words(self._draw, size // 2)}")

    def _in_result(self, fact: Fact, size: int) -> History:
        line = {
            Kind.ID: f"created the record {fact.value} in 12 ms",
            Kind.URL: f"details: {fact.value}",
            Kind.ERROR: f"error {fact.value}: the value cannot be read",
        }[fact.kind]
        before = self._draw.choice((100, size // 2, size - 100))
        text = f"{_words(self._draw, before)}\n{line}\n{_words(self._draw, size - before)}"
        return self._call("read_log", {"lines": 200}, text)

    def _command(self, fact: Fact, size: int) -> History:
        result = f"{_words(self._draw, size)}\nmake: *** [Makefile:12: deploy] Error 2\nexit code: 2"
        return self._call("bash", {"command": fact.value}, result)

    def _constraint(self, fact: Fact, size: int) -> History:
        return [
            {"role": "assistant", "content": f"This is done so far. {_words(self._draw, size // 2)}"},
            {"role": "user", "content": fact.value},
        ]

    def _in_text(self, fact: Fact, size: int) -> History:
        file = f"src/part_{self._draw.randrange(_POOL)}.py"
        return self._call("read_file", {"path": file}, _words(self._draw, size), said=fact.value)


_Plant = Callable[[PlantedSession, Fact, int], History]

_PLANT: dict[Kind, _Plant] = {
    Kind.PATH: PlantedSession._path,
    Kind.ID: PlantedSession._in_result,
    Kind.URL: PlantedSession._in_result,
    Kind.ERROR: PlantedSession._in_result,
    Kind.COMMAND: PlantedSession._command,
    Kind.CONSTRAINT: PlantedSession._constraint,
    Kind.NUMBER: PlantedSession._in_text,
    Kind.DECISION: PlantedSession._in_text,
}


_LETTERS = str.maketrans("0123456789abcdef", "ABCDEFGHIJKLMNOP")


def _value(draw: random.Random, kind: Kind) -> tuple[str, str]:
    """Return the text and the core of a new fact."""
    word = draw.choice(WORDS)
    tag = f"{draw.getrandbits(32):08x}"
    number = str(draw.randrange(10**6, 10**7))
    match kind:
        case Kind.PATH:
            return f"src/{word}/{tag}/settings.py", tag
        case Kind.ID:
            return (
                f"{tag}-{draw.getrandbits(16):04x}-4{draw.getrandbits(12):03x}-a{draw.getrandbits(12):03x}-"
                + (f"{draw.getrandbits(48):012x}"),
                tag,
            )
        case Kind.URL:
            return f"https://status.example.com/incidents/{tag}", tag
        case Kind.ERROR:
            letters = tag.translate(_LETTERS)
            return f"ERR_{word.upper()}_{letters}", letters
        case Kind.COMMAND:
            return f"make deploy ZONE={tag}", tag
        case Kind.CONSTRAINT:
            return f"Never touch the table zones-{tag}, since another team owns it.", tag
        case Kind.NUMBER:
            return f"The {word} job took {number} ms at the 95th percentile.", number
        case Kind.DECISION:
            return f"We keep the queue {word}-{tag} as the source of truth.", tag


def _words(draw: random.Random, size: int) -> str:
    """Return a text of about *size* characters: random words, ten on each line."""
    words = [draw.choice(WORDS) for _ in range(40)] * (size // 200 + 1)
    words = words[: max(1, size // 5)]
    return "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10))
