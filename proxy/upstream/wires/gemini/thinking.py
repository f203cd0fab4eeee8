"""Writes the reasoning effort as ``thinkingConfig``: a budget of tokens for 2.5, a level from Gemini 3 on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.source import GeminiRequest, MessagesRequest, Source
from proxy.upstream.dialects.gemini_models import always_thinks, knows_minimal, thinks
from sanitizers import Profile
from sanitizers.native.gemini.spellings import key_of

_OFF = ("disable", "none")
_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")
_AS_THE_MODEL_LIKES = ("auto", "default")
"""Efforts that leave the choice to the model. Some clients send them."""

_BUDGETS = MappingProxyType({"low": 1024, "medium": 2048, "high": 4096, "xhigh": 8192, "max": 16384})
"""Budgets in tokens. The numbers are litellm's (``DEFAULT_REASONING_EFFORT_*``)."""

_SMALLEST_BUDGETS = (("gemini-2.5-flash-lite", 512), ("gemini-2.5-pro", 128), ("gemini-2.5-flash", 1))
"""The budgets of ``minimal``, also litellm's.

A model that always thinks gets this budget for ``none`` too. The first prefix that matches applies.
"""


def thinking_config(effort: str, profile: Profile, model: str) -> dict[str, Any]:
    """Return the ``thinkingConfig`` for *effort*, empty if the model decides.

    Raises :class:`InvalidRequest` for an unknown effort.
    """
    if effort in _AS_THE_MODEL_LIKES:
        return {}
    if effort not in (*_OFF, *_EFFORTS):
        names = ", ".join(("none", *_EFFORTS, "default"))
        raise InvalidRequest(f"'reasoning_effort' must be one of: {names}.", param="reasoning_effort")
    shown = {"includeThoughts": effort not in _OFF}
    if profile.call_ids:
        return {"thinkingLevel": _level(effort, model), **shown}
    return {"thinkingBudget": _budget(effort, model), **shown}


def show_thoughts(body: dict[str, Any], source: Source, profile: Profile, model: str) -> None:
    """Ask for the thoughts in *body*, a request to *model*, where the client of *source* wants the model's own effort.

    A client of Anthropic's API asks for thinking without an effort (``adaptive``), and waits for blocks of thinking. A
    client of Gemini's own API asks for thoughts beside any amount of thinking. A chat has no such wish: it asks by an
    effort alone. Thoughts without their text are not asked for.
    """
    native = source.native
    if isinstance(native, MessagesRequest):
        wants_thoughts = _shows_thinking(native.fields.get("thinking"))
    else:
        wants_thoughts = isinstance(native, GeminiRequest) and _includes_thoughts(native.fields)
    if wants_thoughts and thinks(profile, model):
        body.setdefault("generationConfig", {}).setdefault("thinkingConfig", {"includeThoughts": True})


def _shows_thinking(thinking: Any) -> bool:
    if not isinstance(thinking, dict) or thinking.get("type") in (None, "disabled"):
        return False
    return thinking.get("display") != "omitted"


def _includes_thoughts(fields: Mapping[str, Any]) -> bool:
    held: Any = fields
    for name in ("generationConfig", "thinkingConfig", "includeThoughts"):
        held = held.get(key_of(held, name)) if isinstance(held, Mapping) else None
    return held is True


def _level(effort: str, model: str) -> str:
    if effort in ("minimal", *_OFF):
        return "minimal" if knows_minimal(model) else "low"
    return "high" if effort in ("xhigh", "max") else effort


def _budget(effort: str, model: str) -> int:
    if effort in _OFF and not always_thinks(model):
        return 0
    if effort in _BUDGETS:
        return _BUDGETS[effort]
    return next((budget for prefix, budget in _SMALLEST_BUDGETS if model.startswith(prefix)), 128)
