"""Writes a reasoning effort in the form that a model's generation takes.

Models up to 4.5 get a budget of tokens. From 4.6 on the model chooses the amount of thinking, and the effort guides it
(Anthropic's pages "Extended thinking", "Adaptive thinking" and "Effort", 2026-11).
"""

from __future__ import annotations

from typing import Any

from proxy.upstream.dialects.claude_models import claude_of
from proxy.upstream.dialects.reasoning import THINKING_BUDGETS


def thinking_fields(model: str, effort: str | None) -> dict[str, Any]:
    """Return the fields ``thinking`` and ``output_config`` for *effort*. Without an effort, the model decides.

    The effort ``none`` leaves thinking off at Claude, since it is on only where a request asks for it. Newer models
    refuse the word ``disabled``. Other models with this API get the switch. The text of thoughts is asked for where a
    model would leave it out.
    """
    if effort is None or effort == "default":
        return {}
    claude = claude_of(model)
    if effort == "none":
        return {"thinking": {"type": "disabled"}} if claude is None else {}
    if claude is None or claude.budget:
        return {"thinking": {"type": "enabled", "budget_tokens": THINKING_BUDGETS.get(effort, 4096)}}
    thinking = {"type": "adaptive"}
    if claude.hides_thoughts:
        thinking["display"] = "summarized"
    return {"thinking": thinking, "output_config": {"effort": effort}}
