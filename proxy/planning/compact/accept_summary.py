"""Checks a summarizing model's answer, and returns the text that may become memory.

A text that is wrong stays in the memory for the rest of the conversation. So a doubtful answer is rejected: the next
attempt costs little, and the history is still whole. An error text or a refusal never becomes memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from proxy.planning.compact.summary_call import HEADINGS, without_fence
from proxy.planning.compact.transcript import encodable
from sanitizers.budget import Size
from sanitizers.budget.safe_cut import safe_cut
from sanitizers.messages import is_part_list

Answer: TypeAlias = dict[str, Any]
"""A whole answer, as ``proxy.answers.normalize_answer`` returns it."""

MOST_BYTES = 64 * 1024
"""The most bytes of an answer's text. A longer text is rejected before its tokens are counted."""

FRAME = "conversation_memory"
"""The name of the tag around the memory message.

A summary must not hold this tag, so that it can neither end the memory nor begin another.
"""

FEWEST_HEADINGS = 2
"""The fewest different headings that a summary must have.

A text with fewer is rejected. Such a text is probably a refusal, an error or an answer to the user.
"""

Reason: TypeAlias = Literal[
    "cut_off",
    "empty",
    "filtered",
    "has_call",
    "no_headings",
    "not_finished",
    "not_smaller",
    "refused",
    "too_large",
]
"""The reasons for a rejection, which the log shows: a closed set, so that nothing of an answer's text can get there."""


@dataclass(frozen=True, slots=True)
class SummaryLimits:
    """The limits of one summary in tokens.

    *most_tokens* is the most that the summary may have. An accepted summary has less than half of *segment_tokens*. For
    a part of a history, *segment_tokens* are the tokens of its messages. For a summary of summaries, the caller sets
    the number. *size* returns the tokens of a message.
    """

    most_tokens: int
    segment_tokens: int
    size: Size


@dataclass(frozen=True, slots=True)
class Accepted:
    """A text that may become memory, with its tokens as the content of one message."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that must not become memory, with the reason."""

    reason: Reason


def accept_summary(answer: Answer, limits: SummaryLimits, *, fence: str = "") -> Accepted | Rejected:
    """Return the summary in *answer*, or the reason why there is none. Never raises for any JSON value.

    The answer must have ended with ``stop``, hold no call, and have at least two of the fixed headings. Text before the
    first heading is dropped. A text of more than ``most_tokens`` is cut at a heading, else at a line, else anywhere.
    The result has less than half of ``segment_tokens``. *fence* is the random token that enclosed the data in the
    request. It is removed from the summary.
    """
    said = _text_of(answer)
    if isinstance(said, Rejected):
        return said
    text = _without_wrappers(said)
    if not text:
        return Rejected("empty")
    starts = _heading_starts(text)
    if len(set(starts.values())) < FEWEST_HEADINGS:
        return Rejected("no_headings")
    text = without_fence(_TAG.sub("&lt;", text[min(starts) :]), fence)
    text = _fitted(text, limits)
    tokens = _tokens(text, limits.size)
    if not text or 2 * tokens >= limits.segment_tokens:
        return Rejected("not_smaller")
    return Accepted(text, tokens)


def _text_of(answer: Answer) -> str | Rejected:
    """Return the text of the first choice, or the reason why the answer is not one finished text."""
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Rejected("empty")
    reason = choice.get("finish_reason")
    if message.get("tool_calls") or message.get("function_call") or reason in ("tool_calls", "function_call"):
        return Rejected("has_call")
    if reason == "content_filter":
        return Rejected("filtered")
    if reason == "length":
        return Rejected("cut_off")
    if reason != "stop":
        return Rejected("not_finished")
    if message.get("refusal"):
        return Rejected("refused")
    content = message.get("content")
    if isinstance(content, list) and is_part_list(content):  # some reasoning models answer in parts
        content = "".join(part["text"] for part in content if _is_text(part))
    if not isinstance(content, str):
        return Rejected("empty")
    if len(content.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return Rejected("too_large")
    return encodable(content)


def _is_text(part: dict[str, Any]) -> bool:
    return part["type"] == "text" and isinstance(part.get("text"), str)


_TAG = re.compile(rf"<(?=\s{{0,8}}/?\s{{0,8}}{FRAME})", re.IGNORECASE)

_THOUGHT = re.compile(r"\s*+<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE_LINE = re.compile(r"(`{3,8}|~{3,8})[\w-]{0,20}[ \t]{0,8}\n")

_HEADING = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]{0,4})?(?:\d{1,2}[.)][ \t]{0,4})?(?:\*\*|__)?[ \t]?"
    rf"({'|'.join(HEADINGS)})"
    r"[ \t]?(?:(?:\*\*|__)[ \t]?:?|:(?:\*\*|__)?|(?=[ \t]{0,8}\r?$))",
    re.IGNORECASE | re.MULTILINE,
)
"""One of the headings at a line's start, as models write them: ``## Goal``, ``**Goal**:``, ``1. Goal: text``."""


def _heading_starts(text: str) -> dict[int, str]:
    """Return the headings in *text*, in small letters, by the indexes at which their lines start."""
    return {match.start(): match[1].lower() for match in _HEADING.finditer(text)}


def _without_wrappers(text: str) -> str:
    """Return *text* without the model's thinking at its start, and without a code fence around the whole text."""
    text = _without_thinking(text).strip()
    match = _FENCE_LINE.match(text)
    if match and text.endswith(match[1]) and len(text) >= match.end() + len(match[1]):
        text = text[match.end() : -len(match[1])].strip()
    return text


def _without_thinking(text: str) -> str:
    """Return *text* without the model's thinking at its start, such as ``<think>…</think>``.

    The chat templates of some models write the opening tag themselves, so that the answer holds only the closing tag.
    """
    start = 0
    while match := _THOUGHT.match(text, start):
        end = _THOUGHT_END.search(text, match.end())
        if end is None:
            return ""
        start = end.end()
    if start == 0 and (end := _THOUGHT_END.search(text)) and not _HEADING.search(text, 0, end.start()):
        start = end.end()
    return text[start:]


def _fitted(text: str, limits: SummaryLimits) -> str:
    """Return *text*, or its longest beginning of at most ``most_tokens`` tokens that ends before a heading.

    Where such a beginning has less than half of ``most_tokens``, the text is cut at a line. Where not even one line
    fits, the text is cut anywhere.
    """
    if _tokens(text, limits.size) <= limits.most_tokens:
        return text.rstrip()
    by_heading = _longest(text, list(_heading_starts(text))[1:], limits)
    if 2 * _tokens(by_heading, limits.size) >= limits.most_tokens:
        return by_heading
    by_line = _longest(text, [match.start() for match in re.finditer("\n", text)], limits)
    if by_line:
        return by_line
    return _longest(text, range(1, len(text)), limits)


def _longest(text: str, ends: Sequence[int], limits: SummaryLimits) -> str:
    """Return the longest beginning of *text* of at most ``most_tokens`` that stops at one of *ends*, by bisection."""
    best = ""
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high) // 2
        kept = text[: safe_cut(text, ends[middle], forward=False)].rstrip()
        if _tokens(kept, limits.size) <= limits.most_tokens:
            best, low = kept, middle + 1
        else:
            high = middle
    return best


def _tokens(text: str, size: Size) -> int:
    return size({"role": "user", "content": text})
