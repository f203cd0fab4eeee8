"""Asks a Gemini for the thinking that it has, where it has refused what the client asks for.

By an alias, a fallback or a pool, a request reaches another model than the client knows. gemini-cli asks its helper
models under fixed names. Models of 2.5 think by a budget, and later ones by a level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.resilience.read_error import ProviderError
from sanitizers.changes import Kind
from sanitizers.native.gemini.spellings import key_of

_TWO = ("only one of thinking budget and thinking level",)  # eclipse-peon-ai#115
_LEVEL = ("thinking level is not supported",)  # Roo-Code#10700
_WORD = ("thinking level", "thinking_level")  # vellum-assistant#32687, opencode-gemini-auth#14
_BUDGET = (
    "thinking budget (",  # "The thinking budget (52428) is invalid.": Roo-Code#4399
    "budget 0 is invalid",  # vercel/ai#8027
    "setting thinking_budget to 0",  # pi#3460
)
_NONE = ("thinking_config is not supported", "thinking is not supported")  # Veloera#41
_REFUSED = ("is not supported", "not a supported")

_NEXT = {"minimal": "low", "low": "minimal", "medium": "high", "xhigh": "high"}
"""The level that is nearest to a refused one. Pro models have no ``minimal``, and the first one had no ``medium``."""

_CONFIG = "generationConfig"
_THINKING = "thinkingConfig"


def without_refused_thinking(
    fields: Mapping[str, Any], said: ProviderError
) -> tuple[dict[str, Any], list[tuple[Kind, str, str]]]:
    """Return the *fields* of a request that have to change as *said* requires, each whole, and the changes.

    None removes a field. Without its level or budget, the model thinks as much as it likes.
    """
    key = key_of(fields, _CONFIG)
    config = fields.get(key)
    if not isinstance(config, dict):
        return {}, []
    inner = key_of(config, _THINKING)
    thinking = config.get(inner)
    if not isinstance(thinking, dict):
        return {}, []
    after = _suited(thinking, said)
    if after is thinking:
        return {}, []
    less = {name: value for name, value in {**config, inner: after or None}.items() if value is not None}
    kind: Kind = "replaced" if after else "dropped"
    return {key: less or None}, [(kind, "thinking_kind", f"{key}.{inner}")]


def _suited(thinking: dict[str, Any], said: ProviderError) -> dict[str, Any]:
    level, budget = key_of(thinking, "thinkingLevel"), key_of(thinking, "thinkingBudget")
    if said.says(*_NONE):
        return {}
    if said.says(*_TWO, *_BUDGET):
        return _without(thinking, budget)
    if said.says(*_LEVEL):
        return _without(thinking, level)
    given = thinking.get(level)
    if isinstance(given, str) and said.says(*_WORD) and said.says(*_REFUSED) and given.lower() in said.words:
        nearest = _NEXT.get(given.lower())
        return _without(thinking, level) if nearest is None else {**thinking, level: nearest.upper()}
    return thinking


def _without(thinking: dict[str, Any], name: str) -> dict[str, Any]:
    if name not in thinking:
        return thinking
    return {held: value for held, value in thinking.items() if held != name}
