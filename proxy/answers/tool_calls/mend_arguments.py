"""Mends the notation of arguments that are not a JSON object, where their meaning is certain.

Tolerant parsers always return something. They complete arguments that were cut off, choose between two objects, and
drop text that they cannot read. json-repair 0.64 removes the line break at the end of a text. In a command, that makes
a different command.

This module corrects only notation: a trailing comma, a missing comma before a key, quotes, raw control characters, and
bare keys. Python's True, False and None are notation too. Apart from commas, every token of the text is in the result
once, and nothing is added. For worse faults the model is asked again.
"""

from __future__ import annotations

import json
import math
import re
from types import MappingProxyType
from typing import Any

import orjson

from proxy.answers.tool_calls.work_limit import WorkLimit, WorkLimitExceeded

LARGEST = 64 * 1024
"""The longest text that is mended, in characters."""

_CHARACTERS_A_STEP = 64
_TOKENS_A_STEP = 4
_INNER_CHARACTERS_A_STEP = 16

DEEPEST = 64
"""The deepest nesting that is mended. The parser recurses."""

_TOKEN = re.compile(r"""\s+|[{}\[\]:,]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,{}\[\]:"']+""", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][\w.-]*")
_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_IN_DOUBLE_QUOTES = MappingProxyType({"\\'": "'", '"': '\\"'})
_WORDS = MappingProxyType({"True": "true", "False": "false", "None": "null"})
_CLOSING = MappingProxyType({"{": "}", "[": "]"})


def mend_notation(text: str, limit: WorkLimit | None = None) -> dict[str, Any] | None:
    """Return the object that *text* means, or None where that is not certain.

    The function also returns None where the steps of *limit* run out.
    """
    limit = limit or WorkLimit()
    if len(text) > LARGEST or limit.left < 0:
        return None
    try:
        limit.spend(len(text) // _CHARACTERS_A_STEP)
        tokens = _tokens_of(text, limit)
        if tokens is None or not _is_one_object(tokens):
            return None
        value = _DECODER.decode(_joined(tokens))
    except (WorkLimitExceeded, ValueError):
        return None
    return value if isinstance(value, dict) else None


def unwrap_encoded(text: str, limit: WorkLimit | None = None) -> str | None:
    """Return the inner text of *text*, an object that was encoded twice (autogen#4878). None for other texts.

    The inner text is not serialized again, since that would change a number of 20 digits.
    """
    limit = limit or WorkLimit()
    if not text.lstrip().startswith('"') or len(text) > LARGEST or limit.left < 0:
        return None
    try:
        limit.spend(len(text) // _INNER_CHARACTERS_A_STEP)
        inner = orjson.loads(text)
        if not isinstance(inner, str) or not isinstance(orjson.loads(inner), dict):
            return None
        _DECODER.decode(inner)
    except (RecursionError, WorkLimitExceeded, ValueError):
        return None
    return inner


def _tokens_of(text: str, limit: WorkLimit) -> list[str] | None:
    """Return the tokens of *text* in JSON's notation, or None for an unclosed quote."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        at = found.end()
        token = found[0]
        if token == ":" and tokens and _KEY.fullmatch(tokens[-1]):
            tokens[-1] = f'"{tokens[-1]}"'
        if not token.isspace():
            tokens.append(_in_double_quotes(token) if token[0] == "'" else token)
            if len(tokens) % _TOKENS_A_STEP == 0:
                limit.spend(0)
    return [_WORDS.get(token, token) for token in tokens]


def _in_double_quotes(text: str) -> str:
    inner = _ESCAPE_OR_QUOTE.sub(lambda part: _IN_DOUBLE_QUOTES.get(part[0], part[0]), text[1:-1])
    return f'"{inner}"'


def _is_one_object(tokens: list[str]) -> bool:
    """Return True where *tokens* are one object: the last token closes the first, and every bracket matches."""
    closing: list[str] = []
    for at, token in enumerate(tokens):
        if token in _CLOSING:
            closing.append(_CLOSING[token])
        elif token in ("}", "]") and (not closing or closing.pop() != token):
            return False
        if not closing:
            return at == len(tokens) - 1 and token == "}"
        if len(closing) > DEEPEST:
            return False
    return False


def _joined(tokens: list[str]) -> str:
    """Return *tokens* as one text, without trailing commas, and with a comma before every key but the first.

    The JSON parser, which reads the result, refuses all other faults.
    """
    parts: list[str] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        behind = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "," and behind in ("}", "]") and before not in ("{", "[", ",", ":"):
            continue
        if behind == ":" and before not in ("{", ","):
            parts.append(",")
        parts.append(token)
    return " ".join(parts)


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of *pairs*. Raises :class:`ValueError` for a repeated key."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _finite(text: str) -> float:
    """Return the number that *text* is. Raises :class:`ValueError` for infinity and NaN, which JSON does not have."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_object_of, parse_float=_finite, parse_constant=_finite
)
