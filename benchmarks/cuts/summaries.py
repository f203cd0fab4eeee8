"""The stand-in for a summarizing model, and the tokens of its calls.

A model reads the replaced messages as the transcript that the proxy writes. Each tool result has at most 2,000
characters there. The stand-in writes random words under the proxy's headings. Its texts have the lengths of real
summaries, since only lengths matter for the cost.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.sessions import WORDS, measure
from proxy.planning.compact.summary_call import HEADINGS, segment_call
from proxy.planning.compact.transcript import write_transcript
from sanitizers import Message, Messages

SEGMENT_TOKENS = 750
"""The most tokens of the summary of a segment."""

MOST_CHARACTERS = 400_000
"""The most characters of a transcript for a model whose window is large."""

FENCE = "0123456789abcdef"
"""The fence, a text on the lines before and after the transcript. The proxy draws it at random."""

_FEWEST = 0.8
"""The fewest tokens of a summary, as a share of the most: 600 of 750."""


@dataclass(frozen=True)
class CallTokens:
    """The tokens that a summarizing model reads in one call, none of them cached, and those that it writes."""

    read: int
    written: int


class SummaryWriter:
    """Writes the summaries of one session, and counts the tokens of the calls. Every run has the same summaries."""

    def __init__(self) -> None:
        self._rng = random.Random(7)
        self.calls: list[CallTokens] = []

    def answer(self, asked: Iterable[Message], most: int, fewest: int | None = None) -> str:
        """Return a summary for *asked*, of *fewest* (default: 80 % of *most*) to *most* tokens as a message."""
        tokens = self._rng.randint(int(most * _FEWEST) if fewest is None else fewest, most)
        text = _text_of(tokens, self._rng)
        self.calls.append(CallTokens(sum(map(measure, asked)), measure(_message(text))))
        return text

    def summarize(self, messages: Messages, texts: Sequence[str] = ()) -> str:
        """Return a summary of *messages* with the usual length. The model also reads the earlier summaries *texts*."""
        return self.answer(request_for(messages, texts), SEGMENT_TOKENS)


def request_for(messages: Messages, texts: Sequence[str] = ()) -> tuple[Message, ...]:
    """Return the proxy's request for a summary of *messages*, with earlier summaries *texts* before them."""
    transcript = write_transcript(messages, 0, limit_characters=MOST_CHARACTERS)
    return segment_call("\n\n".join([*texts, transcript]), FENCE, SEGMENT_TOKENS).messages


def _message(text: str) -> Message:
    return {"role": "user", "content": text}


def _text_of(tokens: int, rng: random.Random) -> str:
    """Return random words under the headings of a summary.

    As a message, the words have *tokens* tokens or slightly fewer.
    """
    words = [rng.choice(WORDS) for _ in range(tokens)]
    while measure(_message(_under_headings(words))) > tokens:
        words.pop()
    return _under_headings(words)


def _under_headings(words: list[str]) -> str:
    """Return *words* in equal parts under the headings, ten on each line."""
    part = -(-len(words) // len(HEADINGS))
    lines = []
    for number, heading in enumerate(HEADINGS):
        lines.append(f"## {heading}")
        below = words[number * part : (number + 1) * part]
        lines += [" ".join(below[at : at + 10]) for at in range(0, len(below), 10)]
    return "\n".join(lines)
