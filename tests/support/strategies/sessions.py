"""Strategies for agent sessions with long tool results, parallel calls and interruptions, and their requests.

A session is one legal history. Its requests are the prefixes that a client sends, each ending where the model must
answer. Texts are long enough to be shortened. Each text repeats its token, so that a test can identify a shortened
text.
"""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.support.builders import assistant, call, image, system, text, tool, user
from tests.support.strategies.texts import Numbers

History = list[dict[str, Any]]
TOOLS = ("read", "grep", "shell", "skill")


LENGTHS = (1, 4, 20, 60, 150, 400, 1_500)
WORDS = (1, 3, 20, 60)


@dataclass(frozen=True, slots=True)
class _Round:
    """The plan of one round: the called tools with the lengths of their results, or the length of two messages."""

    results: list[tuple[int, int]]
    words: int
    form: int


def _plan(number: int) -> _Round:
    """Decode a round's plan from one number, because one draw per round keeps long sessions cheap to draw."""
    number, calls = divmod(number, 4)
    number, words = divmod(number, len(WORDS))
    number, form = divmod(number, 6)
    results = []
    for _ in range(calls):
        number, tool_at = divmod(number, len(TOOLS))
        number, length_at = divmod(number, len(LENGTHS))
        results.append((tool_at, LENGTHS[length_at]))
    return _Round(results, WORDS[words], form)


_ROUNDS = st.integers(0, 4 * len(WORDS) * 6 * (len(TOOLS) * len(LENGTHS)) ** 3 - 1).map(_plan)


@st.composite
def sessions(
    draw: st.DrawFn, *, min_rounds: int = 1, max_rounds: int = 20, alternating: bool = False
) -> History:
    """Draw the history of a session of up to *max_rounds*. *alternating* excludes successive user messages."""
    plans = draw(st.lists(_ROUNDS, min_size=min_rounds, max_size=max_rounds))
    numbers = Numbers()
    history: History = [system(_words(numbers, 5))] if draw(st.booleans()) else []
    history.append(user(_words(numbers, draw(st.integers(1, 80)))))
    for plan in plans:
        history += _round(plan, numbers, alternating)
    return history


def requests_of(history: History) -> list[History]:
    """Return every prefix of *history* that a client could have sent, shortest first."""
    ends = [
        at + 1
        for at, message in enumerate(history)
        if message["role"] in ("user", "tool")
        and (at + 1 == len(history) or history[at + 1]["role"] != "tool")
    ]
    return [history[:end] for end in ends]


def _round(plan: _Round, numbers: Numbers, alternating: bool) -> History:
    if not plan.results:
        said = [assistant(_words(numbers, plan.words)), user(_words(numbers, plan.words))]
        return said[plan.form == 5 and not alternating :]
    calls = [
        call(f"c{numbers.next():08d}", TOOLS[name], f'{{"n": {numbers.next()}}}') for name, _ in plan.results
    ]
    spoken = assistant(_words(numbers, plan.words) if plan.form % 2 else None, calls)
    results = [
        tool(entry["id"], _result(numbers, length, plan.form))
        for entry, (_, length) in zip(calls, plan.results, strict=True)
    ]
    return [spoken, *results]


def _words(numbers: Numbers, count: int) -> str:
    return " ".join([numbers.text()] * count)


def _result(numbers: Numbers, count: int, form: int) -> Any:
    """Return a tool result that repeats one token *count* times, in the form number *form*."""
    token = numbers.text()
    if form == 0:
        return "\n".join([f"{token} 日本 🙂👩\u200d👧"] * count)
    if form == 1:
        return [text(f"{token}\r\n" * count), text(_words(numbers, 3)), image()]
    if form == 2:
        return "Error: failed\n" + f"{token}\n" * count
    return " ".join([token] * count) if form == 3 else "\n".join([token] * count)
