"""Asks a Claude for the kind of thinking that it has, where the client has named another model.

A request reaches another model than the client knows by an alias, a fallback or a pool. Models up to 4.5 think by a
budget, models from 4.7 on decide themselves, and 4.6 takes both (Anthropic's pages "Extended thinking" and "Adaptive
thinking", 2026-11). Claude Code repeats a refused request with the other kind, and SDKs do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.upstream.dialects.claude_models import Claude
from proxy.upstream.dialects.reasoning import THINKING_BUDGETS
from sanitizers import Change
from sanitizers.native.messages.changed_messages import STEP

REASON = "thinking_kind"
_USUAL_EFFORT = "high"


def suit_thinking(
    fields: Mapping[str, Any], claude: Claude | None
) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return the *fields* of a request that have to change for *claude*, each whole, and the changes.

    None removes a field. An unknown model gets what the client says.
    """
    thinking = fields.get("thinking")
    if claude is None or not isinstance(thinking, dict):
        return {}, ()
    kind = thinking.get("type")
    if kind == "adaptive" and claude.budget:
        return _changed(_with_budget(fields))
    if kind == "enabled" and claude.hides_thoughts:
        adaptive = {name: value for name, value in thinking.items() if name != "budget_tokens"}
        return _changed({"thinking": {**adaptive, "type": "adaptive"}})
    if kind == "disabled" and claude.always_thinks:
        return _changed({"thinking": None})
    return {}, ()


def _with_budget(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields for a budget in place of an effort, which models with budgets do not take beside it."""
    changed: dict[str, Any] = {}
    output = fields.get("output_config")
    effort: Any = _USUAL_EFFORT
    if isinstance(output, dict) and "effort" in output:
        effort = output["effort"]
        changed["output_config"] = {name: held for name, held in output.items() if name != "effort"} or None
    known = effort if isinstance(effort, str) and effort in THINKING_BUDGETS else _USUAL_EFFORT
    changed["thinking"] = {"type": "enabled", "budget_tokens": THINKING_BUDGETS[known]}
    return changed


def _changed(changed: dict[str, Any]) -> tuple[dict[str, Any], tuple[Change, ...]]:
    return changed, tuple(Change(STEP, "replaced", 0, REASON, name) for name in changed)
