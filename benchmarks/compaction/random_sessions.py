"""Random sessions of clients that continue, edit, rewind and branch their histories, from a seed.

All branches of a session have the same system message and the same first user message. The histories keep the rules of
OpenAI's format: each call has one result, behind the message that makes the call.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from benchmarks.sanitize import History
from benchmarks.sessions import WORDS
from tests.support.builders import assistant, call, image, system, text, tool, user


class Way(StrEnum):
    """The ways in which a request goes to two replicas: to one of them, to both in turn, or to both at once."""

    ONE = "one"
    BOTH = "both"
    RACE = "race"


@dataclass(frozen=True, slots=True)
class Step:
    """One request. *extends* is True where the messages begin with all messages of the branch's previous request."""

    branch: int
    messages: History
    way: Way
    replica: int
    extends: bool


@dataclass
class Branch:
    """One history of a session. *ends* are the lengths at which the history could be sent."""

    history: History
    ends: list[int] = field(default_factory=list)
    extends: bool = False


_WAYS = (Way.ONE, Way.ONE, Way.ONE, Way.BOTH, Way.RACE)
_MOST_BRANCHES = 4


class RandomSession:
    """One random session of *requests* requests."""

    def __init__(self, seed: int, requests: int) -> None:
        self._draw = random.Random(seed)
        self._requests = requests
        self._calls = 0
        opening = [
            system(f"You are agent {seed}. {self._text(120)}"),
            user(f"Begin {seed}. {self._text(80)}"),
        ]
        self._branches = [Branch(opening, [len(opening)])]

    def steps(self) -> Iterator[Step]:
        """Yield the requests of the session in order."""
        for _ in range(self._requests):
            at = self._draw.randrange(len(self._branches))
            kind = self._draw.random()
            if kind < 0.07 and len(self._branches) < _MOST_BRANCHES:
                at = self._fork(at)
            branch = self._branches[at]
            if kind > 0.9:
                self._edit(branch)
            elif kind > 0.83:
                self._rewind(branch)
            if kind < 0.78 or kind > 0.83:
                self._continue(branch)
            yield Step(
                at,
                list(branch.history),
                self._draw.choice(_WAYS),
                self._draw.randrange(2),
                branch.extends,
            )
            branch.extends = True

    def _fork(self, at: int) -> int:
        """Add a branch that shares a beginning with branch *at*, and return the new branch's index."""
        origin = self._branches[at]
        kept = self._draw.randint(1, len(origin.ends))
        ends = origin.ends[:kept]
        self._branches.append(Branch(list(origin.history[: ends[-1]]), ends))
        return len(self._branches) - 1

    def _rewind(self, branch: Branch) -> None:
        kept = self._draw.randint(1, len(branch.ends))
        branch.ends = branch.ends[:kept]
        branch.history = list(branch.history[: branch.ends[-1]])
        branch.extends = False

    def _edit(self, branch: Branch) -> None:
        """Change the text of one message, as a client does that clears old results or corrects the user."""
        places = [
            at for at, message in enumerate(branch.history) if at and isinstance(message.get("content"), str)
        ]
        at = self._draw.choice(places)
        branch.history = list(branch.history)
        branch.history[at] = {**branch.history[at], "content": f"[edited] {self._text(40)}"}
        branch.extends = False

    def _continue(self, branch: Branch) -> None:
        history = list(branch.history)
        for _ in range(self._draw.randint(1, 6)):
            history += self._turn()
            branch.ends.append(len(history))
        branch.history = history

    def _turn(self) -> History:
        kind = self._draw.random()
        if kind < 0.2:
            asked: History = [assistant(self._text(200)), user(self._text(200))]
            if kind < 0.03:
                asked[-1]["content"] = [text(self._text(40)), image()]
            return asked
        if kind < 0.23:
            return [
                assistant(self._text(60)),
                system(f"Mode {self._draw.randrange(100)}."),
                user(self._text(60)),
            ]
        calls = []
        for _ in range(self._draw.choice((1, 1, 2, 3))):
            self._calls += 1
            file = f"src/{self._draw.choice(WORDS)}_{self._draw.randrange(1000)}.py"
            calls.append(call(f"call_{self._calls}", "read", f'{{"path": "{file}"}}'))
        said = self._text(60) if kind < 0.5 else None
        return [assistant(said, calls), *(tool(made["id"], self._text(420)) for made in calls)]

    def _text(self, most: int) -> str:
        words = [self._draw.choice(WORDS) for _ in range(self._draw.randint(2, most // 6))]
        return f"{self._draw.randrange(10**6)} {' '.join(words)}"
