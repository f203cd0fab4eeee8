"""Reads ``thinkingConfig`` as a reasoning effort.

The budgets are those that Google's own OpenAI endpoint gives to the efforts (ai.google.dev/gemini-api/docs/openai,
2026-11): 1,024 for ``low``, 8,192 for ``medium`` and 24,576 for ``high``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from proxy.ingress.gemini_native.field_types import read_flag, read_whole, refuse_field
from sanitizers.native.gemini.spellings import both_spellings, enum_word, read_object

THINKING = "thinkingConfig"

_PLACE = f"generationConfig.{THINKING}"
_FIELDS = both_spellings("includeThoughts", "thinkingBudget", "thinkingLevel")
_LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")
"""The words of the enum (google-genai 3.4). Their numbers are not documented, so that they are not taken."""

_LOW, _MEDIUM = 1_024, 8_192
_OWN_CHOICE, _OFF = -1, 0
"""The budgets with which a model decides, and with which it does not think."""


class Thinking(NamedTuple):
    """The *effort* in chat's words, or None for the model's own, and whether the client gets thoughts."""

    effort: str | None = None
    include_thoughts: bool = False


def read_thinking(config: Any) -> Thinking:
    """Return *config*, the value of ``thinkingConfig`` or None, as it was read. A level counts before a budget.

    Raises :class:`proxy.core.errors.InvalidRequest`, with the path in ``param``, for a value of the wrong type.
    """
    if config is None:
        return Thinking()
    if not isinstance(config, dict):
        refuse_field(_PLACE, "must be an object")
    found = read_object(config, _FIELDS, _PLACE)
    shows = read_flag(f"{_PLACE}.includeThoughts", found.get("includeThoughts", False))
    budget = found.get("thinkingBudget")
    number = _OWN_CHOICE if budget is None else read_whole(f"{_PLACE}.thinkingBudget", budget, _OWN_CHOICE)
    level = enum_word(str(found.get("thinkingLevel", _LEVELS[0])), _LEVELS)
    if level is None:
        refuse_field(f"{_PLACE}.thinkingLevel", "must be one of MINIMAL, LOW, MEDIUM, HIGH and XHIGH")
    return Thinking(level.lower() if level != _LEVELS[0] else _effort_of(number), shows)


def _effort_of(budget: int) -> str | None:
    if budget == _OWN_CHOICE:
        return None
    if budget == _OFF:
        return "none"
    if budget <= _LOW:
        return "low"
    return "medium" if budget <= _MEDIUM else "high"
