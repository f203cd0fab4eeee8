"""The stand-in for a summarizing model, and the cost of its calls.

A model reads the replaced messages as a transcript, in which each tool result has at most 2,000 characters. The
stand-in writes random words of the lengths that models write. Only these lengths matter here.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.sessions import WORDS
from sanitizers import Message, Messages

RESULT_CHARACTERS = 2_000
"""The most characters of a tool result in a transcript."""

SEGMENT_TOKENS = (600, 750)
"""The fewest and the most tokens of the summary of a segment."""

META_TOKENS = (1_200, 1_500)
"""The fewest and the most tokens of the summary of several summaries."""

INSTRUCTIONS = 300
"""Tokens of the instructions of a summarizing call."""


@dataclass(frozen=True)
class SummaryCall:
    """One call of a summarizing model: the tokens that the model reads, none of them cached, and those it writes."""

    read: int
    written: int


class SummaryWriter:
    """Writes the summaries of one session, and counts the tokens of the calls.

    The lengths come from *seed*, so that every run has the same summaries.
    """

    def __init__(self, seed: int = 7) -> None:
        self._rng = random.Random(seed)
        self.calls: list[SummaryCall] = []

    def summarize(self, read: int, fewest: int, most: int) -> str:
        """Return a summary of *fewest* to *most* tokens of a transcript of *read* tokens."""
        written = self._rng.randint(fewest, most)
        self.calls.append(SummaryCall(INSTRUCTIONS + read, written))
        return text_of(written, self._rng)


def text_of(tokens: int, rng: random.Random) -> str:
    """Return random words with four times as many characters as *tokens*."""
    words = [rng.choice(WORDS) for _ in range(tokens)]
    return "\n".join(" ".join(words[at : at + 10]) for at in range(0, len(words), 10))[: 4 * tokens]


def transcript_tokens(messages: Messages, texts: Iterable[str] = ()) -> int:
    """Return the tokens of the transcript of *messages*, behind the earlier summaries *texts*."""
    return sum(map(_characters, messages)) // 4 + sum(map(len, texts)) // 4


def _characters(message: Message) -> int:
    content = message.get("content") or ""
    if message["role"] == "tool":
        content = content[:RESULT_CHARACTERS]
    calls = message.get("tool_calls", ())
    return len(message["role"]) + len(content) + sum(len(str(call["function"])) for call in calls)
