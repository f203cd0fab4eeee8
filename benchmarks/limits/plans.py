"""Requests at random, from a seed: formats, models, lengths, faults of the provider, and clients that leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from benchmarks.limits.asking import (
    CHAT,
    COMPLETIONS,
    CONTENTS,
    EMBEDDINGS,
    MESSAGES,
    RESPONSES,
    STREAMED,
    Ask,
)
from benchmarks.limits.provider import (
    ANTHROPIC,
    BUSY,
    CUT,
    EMBEDDING,
    EMPTY,
    GEMINI,
    OPENAI,
    BillingProvider,
    Plan,
)

LEAVE_SHARE = 0.05
"""The share of the requests whose clients leave in the midst of a stream."""

_ROUTES = (
    (OPENAI, CHAT), (OPENAI, CHAT), (OPENAI, RESPONSES), (OPENAI, MESSAGES), (ANTHROPIC, MESSAGES), (ANTHROPIC, CHAT),
    (GEMINI, CONTENTS), (GEMINI, CHAT), (OPENAI, COMPLETIONS), (EMBEDDING, EMBEDDINGS),
)  # fmt: skip
_STREAMED_ROUTES = tuple(route for route in _ROUTES if route[1] in STREAMED)
_ON_THE_WAY = 2
"""Pieces that a client does not wait for, since a gateway may hold some back."""

_BUSY, _EMPTY, _CUT = 0.03, 0.02, 0.01
"""The shares of the requests whose first call meets each of the provider's faults."""


def random_asks(
    provider: BillingProvider, keys: Sequence[str], requests: int, draw: Random, first: int = 1
) -> Iterator[Ask]:
    """Yield *requests* requests of *keys*, and set the provider's plan for each."""
    for number in range(first, first + requests):
        leaves = draw.random() < LEAVE_SHARE
        key = draw.choice(keys)
        ask, plan = _leaving(number, key, draw) if leaves else _staying(number, key, draw)
        provider.plans[number] = plan
        yield ask


def _leaving(number: int, key: str, draw: Random) -> tuple[Ask, Plan]:
    """Return a stream in small pieces. The provider stands still in the midst of it, and then the client leaves."""
    model, spoken = draw.choice(_STREAMED_ROUTES)
    pieces = draw.randrange(10, 60)
    plan = Plan(80, piece_words=1, pace_s=0.004, held_after=pieces, reasoning=_reasoning(model, draw))
    ask = Ask(
        number,
        key,
        model,
        spoken,
        stream=True,
        prompt_words=draw.randrange(50, 300),
        most_output=160,
        leave_after=pieces - _ON_THE_WAY,
    )
    return ask, plan


def _staying(number: int, key: str, draw: Random) -> tuple[Ask, Plan]:
    model, spoken = draw.choice(_ROUTES)
    stream = spoken in STREAMED and draw.random() < 0.5
    prompt_words, output = draw.randrange(20, 200), draw.randrange(20, 80)
    plan = Plan(output=output, pace_s=0.01, reasoning=_reasoning(model, draw))
    if draw.random() < 0.3:
        plan.cached = draw.randrange(prompt_words // 2)
        plan.written = draw.randrange(prompt_words // 4) if model == ANTHROPIC else 0
    chance = draw.random()
    if chance < _BUSY:
        plan.faults.append(BUSY)
    elif chance < _BUSY + _EMPTY and not stream:
        plan.faults.append(EMPTY)
    elif chance < _BUSY + _CUT and stream:
        plan.faults.append(CUT)
    most = 160 if draw.random() < 0.6 else None
    ask = Ask(number, key, model, spoken, stream=stream, prompt_words=prompt_words, most_output=most)
    return ask, plan


def _reasoning(model: str, draw: Random) -> int:
    return 4 * draw.randrange(1, 10) if model == OPENAI and draw.random() < 0.3 else 0
