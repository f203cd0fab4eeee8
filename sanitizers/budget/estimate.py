"""Estimate the tokens of a message, a history and a request's tools, before any provider has counted them.

An estimate approximates the count of the tokenizer of the model's family. The caller applies calibration
(:mod:`sanitizers.budget.calibration`) and the margin.

Equal messages give equal numbers, whatever was estimated before. The estimate of a history is the sum of its messages'
estimates. Appended text never lowers an estimate. No JSON value raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import mul
from typing import Any

from sanitizers.budget.families import Family
from sanitizers.budget.features import NONE, Counts, features_of
from sanitizers.budget.json_text import json_text
from sanitizers.budget.media import KINDS, media_tokens
from sanitizers.budget.text_cache import TextCache
from sanitizers.messages import Message, Messages
from sanitizers.work_limit import metered

CACHED_TEXTS = 32_768
"""Texts that a family's cache keeps in each of its two generations: at most 7 MB in all."""

MAX_CHARS_PER_TOKEN = 48
"""The most characters that a token is assumed to hold. The counts ignore most spaces and tabs, so this limit gives a
text of spaces its tokens.

Vocabularies have runs of 16 to 128 spaces. The number was chosen within that range.
"""

WHOLE = 1 << 20
STRETCH = 1 << 20
SAMPLE = 1 << 14
"""Sizes in characters: a text's beginning that is read whole, each further stretch, and a stretch's sample.

A text of 30 million characters takes about 0.1 s.
"""

TOOLS_SCALE = 0.9
"""The factor on the tokens of the tools' compact JSON. Providers show tools to the model in a shorter notation.

Medians of recorded calls: OpenAI 0.88, Gemini 0.72 to 0.79, Claude 0.84.
"""

PER_TOOL = 8
"""Tokens that are added for each declared tool."""

_THOUGHTS = ("reasoning", "reasoning_content", "reasoning_details", "thinking_blocks")
"""Fields for a message's reasoning. One message may carry the same reasoning in several of these fields."""

_SELDOM = frozenset({"function_call", "name", "refusal", *_THOUGHTS})
"""Fields that most messages with tool calls do not have."""

_BESIDES_CONTENT = _SELDOM | {"tool_calls"}
"""Fields of a message that a model reads besides its role and content. Ids and unknown fields are not counted."""

_PART_TEXTS = ("text", "thinking", "refusal", "summary")
"""Fields of a content part or a reasoning block that hold its text."""


def count_text(text: str, family: Family) -> float:
    """Return the tokens of *text* alone, without the cache.

    Base64 counts at least ``family.base64`` tokens a byte, since its features look like those of words. After the first
    :data:`WHOLE` characters of a text, only samples are read. The rest is estimated at the highest density read so far.
    Such an estimate is rather too high than too low. A text of this length exceeds nearly every context window.
    """
    if len(text) <= WHOLE:
        return _count_whole(text, family)
    tokens = _count_whole(text[:WHOLE], family)
    densest = tokens / WHOLE
    for start in metered(range(WHOLE, len(text), STRETCH)):
        sample = text[start : start + SAMPLE]
        counted = _count_whole(sample, family)
        rest = min(len(text) - start, STRETCH) - SAMPLE
        if rest > 0:
            densest = max(densest, counted / SAMPLE)
            counted += densest * rest
        tokens += counted
    return tokens


def _count_whole(text: str, family: Family) -> float:
    counts, base64 = features_of(text)
    tokens = _weighed(counts, family)
    if base64 is not NONE:
        letters, _, _, digits, punctuation, *_ = base64
        tokens += max(0.0, family.base64 * (letters + digits + punctuation) - _weighed(base64, family))
    return max(tokens, len(text) / MAX_CHARS_PER_TOKEN)


def _weighed(counts: Counts, family: Family) -> float:
    tokens: float = sum(map(mul, counts, family.weights))
    return tokens * family.scale


@lru_cache(maxsize=32)
def _shared_cache(family: Family) -> TextCache:
    return TextCache(lambda text: count_text(text, family), CACHED_TEXTS)


class Estimator:
    """Estimates for one *family*.

    *text_tokens* returns the tokens of a text. The default is :func:`count_text` with a cache that all estimators of
    the family share. The number must not be negative, nor fall when a text grows.
    """

    __slots__ = ("_media", "_overheads", "_tokens", "family")

    def __init__(self, family: Family, text_tokens: Callable[[str], float] | None = None) -> None:
        self.family = family
        self._tokens = _shared_cache(family) if text_tokens is None else text_tokens
        self._overheads = family.overheads
        self._media = family.media

    def request_tokens(self, messages: Messages, tools: Any = None, response_format: Any = None) -> int:
        """Return the tokens of a whole request: its messages, tools and format, and what the provider adds once."""
        return (
            self._overheads.per_request
            + sum(map(self.message_tokens, metered(messages)))
            + (self.tools_tokens(tools) if tools else 0)
            + (self.format_tokens(response_format) if response_format else 0)
        )

    def history_tokens(self, messages: Iterable[Message]) -> int:
        """Return the tokens of *messages*: the sum of :meth:`message_tokens`."""
        return sum(map(self.message_tokens, metered(messages)))

    def message_tokens(self, message: Message | Any) -> int:
        """Return the tokens of one message, with those that the provider adds for each message.

        Texts, calls with their arguments, names, reasoning and media are counted, and ids are not. A value that is no
        message counts as its JSON.
        """
        if not isinstance(message, dict):
            return self._rounded(self._overheads.per_message + self._value(message))
        content = message.get("content")
        tokens: float = self._overheads.per_message
        if content.__class__ is str:
            tokens += self._tokens(content)
        elif content is not None:
            tokens += self._content(content)
        role = message.get("role")
        if role == "tool" or role == "function":
            tokens += self._overheads.per_result
        if not _BESIDES_CONTENT.isdisjoint(message):
            tokens += self._besides_content(message)
        return int(tokens + 0.5)  # as `_rounded`, without a call for each message

    def tools_tokens(self, tools: Any) -> int:
        """Return the tokens of a request's ``tools`` or ``functions``, which are 0 without any."""
        if not tools:
            return 0
        number = len(tools) if isinstance(tools, list) else 1
        text = TOOLS_SCALE * self._tokens(json_text(tools))
        return self._rounded(text + PER_TOOL * number + self._overheads.with_tools)

    def format_tokens(self, response_format: Any) -> int:
        """Return the tokens of the JSON schema in a request's ``response_format``, which are 0 without one."""
        schema = response_format.get("json_schema") if isinstance(response_format, dict) else None
        return self._rounded(self._tokens(json_text(schema))) if schema else 0

    @staticmethod
    def _rounded(tokens: float) -> int:
        return int(tokens + 0.5)

    def _content(self, content: Any) -> float:
        if not isinstance(content, list):
            return self._value(content)
        return sum(map(self._part, content))

    def _part(self, part: Any) -> float:
        """Return the tokens of one content part: media by its kind, text by its text, anything else as JSON."""
        if not isinstance(part, dict):
            return self._value(part)
        kind = part.get("type")
        text = part.get("text")
        if kind == "text" and isinstance(text, str):
            return self._tokens(text)
        if isinstance(kind, str):
            if kind in KINDS:
                return media_tokens(part, self._media)
            if kind in _PART_TEXTS:
                return self._block(part)
        return self._value(part)

    def _value(self, value: Any) -> float:
        """Return the tokens of a value where a text is expected: of the text, or of the value's JSON."""
        return self._tokens(value if isinstance(value, str) else json_text(value))

    def _besides_content(self, message: Message) -> float:
        tokens = 0.0
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                tokens += self._call(call)
        if _SELDOM.isdisjoint(message):
            return tokens
        legacy = message.get("function_call")
        if legacy is not None:
            tokens += self._overheads.per_call + self._function(legacy)
        for field in ("name", "refusal"):
            value = message.get(field)
            if value is not None:
                tokens += self._value(value)
        return tokens + max(self._thoughts(message.get(field)) for field in _THOUGHTS)

    def _call(self, call: Any) -> float:
        """Return the tokens of one entry of ``tool_calls``."""
        function = call
        if isinstance(call, dict):
            function = call.get("function")
            if function is None:
                function = call.get("custom")
        return self._overheads.per_call + self._function(function)

    def _function(self, function: Any) -> float:
        if not isinstance(function, dict):
            return 0.0 if function is None else self._value(function)
        tokens = 0.0
        for field in ("name", "arguments", "input"):
            value = function.get(field)
            if value.__class__ is str:
                tokens += self._tokens(value)
            elif value is not None:
                tokens += self._value(value)
        return tokens

    def _thoughts(self, thoughts: Any) -> float:
        """Return the tokens of a reasoning field: a text, or a list of blocks, whose signatures are not counted."""
        if thoughts is None:
            return 0.0
        if isinstance(thoughts, list):
            return sum(map(self._block, thoughts))
        return self._value(thoughts)

    def _block(self, block: Any) -> float:
        if not isinstance(block, dict):
            return self._value(block)
        return sum(self._value(block[field]) for field in _PART_TEXTS if block.get(field) is not None)
