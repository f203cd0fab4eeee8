"""Fits the reasoning effort to the model, and resolves conflicts between reasoning and other parameters."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from proxy.upstream.dialects.dialect import EFFORTS
from proxy.upstream.dialects.fitting import Fitting
from proxy.upstream.dialects.tools import kind_of_choice
from sanitizers import Message, Messages

_NAME = "reasoning_effort"

THINKING_BUDGETS = MappingProxyType(
    {"minimal": 1024, "low": 1024, "medium": 2048, "high": 4096, "xhigh": 8192, "max": 16384}
)
"""The budget in tokens that litellm derives from an effort for Claude (run on 1.105.3), least first."""

_THINKING_TYPES = frozenset({"redacted_thinking", "thinking"})

_LEAST_TOP_P = 0.95
"""The least ``top_p`` that extended thinking takes (Anthropic's page: "top_p values between 1 and 0.95")."""


def fit_effort(fitting: Fitting) -> None:
    """Set ``reasoning_effort`` to an effort that the model knows, and drop what reasoning excludes."""
    effort, efforts = fitting.value(_NAME), fitting.dialect.efforts
    if effort is not None and efforts is not None:
        if effort == "default" and effort not in efforts:
            fitting.drop(_NAME, "default")  # the model's own effort, as without the parameter
        elif effort not in efforts:
            _put_nearest(fitting, effort, efforts)
        elif effort == "none" and fitting.dialect.always_reasons:
            fitting.record_change("replaced", "always_reasons", _NAME)
    if fitting.dialect.thinking == "budget":
        _fit_thinking(fitting)
    elif fitting.dialect.thinking == "adaptive":
        _drop_effort_of_forced_call(fitting)
    elif fitting.dialect.thinking == "always":
        _drop_forced_choice(fitting)


def nearest_effort(effort: str, efforts: tuple[str, ...]) -> str | None:
    """Return the member of *efforts* nearest to *effort*, or None if there is none.

    Of two equally near members, the greater is returned. ``none`` is never the nearest. A client that asks for little
    reasoning does not ask for no reasoning.
    """
    known = [known for known in efforts if known != "none"]
    wanted = EFFORTS.index(effort)
    return min(known, key=lambda one: (abs(EFFORTS.index(one) - wanted), -EFFORTS.index(one)), default=None)


def _put_nearest(fitting: Fitting, effort: str, efforts: tuple[str, ...]) -> None:
    nearest = nearest_effort(effort, efforts)
    if nearest is None:
        fitting.drop(_NAME, "not_available")
    else:
        fitting.replace(_NAME, nearest, "nearest_effort")


def _fit_thinking(fitting: Fitting) -> None:
    """Drop what Claude's extended thinking excludes, or the effort where the request excludes thinking.

    A forced tool call, a limit and the history take precedence over the effort. Sources: "Thinking may not be enabled
    when tool_choice forces tool use." (mastra#7507), "budget_tokens must be less than max_tokens" (llm.js#30). A
    thinking Claude refuses ``top_k`` and any temperature but 1 (GoModel#83).
    """
    effort = fitting.value(_NAME)
    if effort in (None, "none"):
        return
    if _drop_effort_of_forced_call(fitting):
        return
    if lacks_thinking_blocks(fitting.messages):
        fitting.drop(_NAME, "thinking_blocks_missing")
        return
    limit = fitting.value("max_completion_tokens") or fitting.value("max_tokens")
    if limit is not None and THINKING_BUDGETS[effort] >= limit:
        fits = [known for known, budget in THINKING_BUDGETS.items() if budget < limit and known != "minimal"]
        if not fits:
            fitting.drop(_NAME, "no_room_to_think")
            return
        fitting.replace(_NAME, fits[-1], "no_room_to_think")
    if fitting.value("temperature") not in (None, 1):
        fitting.drop("temperature", "thinking")
    if (top_p := fitting.value("top_p")) is not None and top_p < _LEAST_TOP_P:
        fitting.drop("top_p", "thinking")
    if fitting.value("top_k") is not None:
        fitting.drop("top_k", "thinking")


def _drop_effort_of_forced_call(fitting: Fitting) -> bool:
    """Drop the effort where the request forces a tool call, and tell whether it did."""
    choice = fitting.value("tool_choice")
    if fitting.value(_NAME) in (None, "none") or choice is None:
        return False
    is_forced = kind_of_choice(choice) in ("named", "required")
    if is_forced:
        fitting.drop(_NAME, "forced_tool")
    return is_forced


def _drop_forced_choice(fitting: Fitting) -> None:
    """Drop a choice that forces a tool call unless the effort is ``none``. A thinking model refuses it (eino#994)."""
    choice = fitting.value("tool_choice")
    resting = fitting.value(_NAME) == "none"
    if choice is not None and not resting and kind_of_choice(choice) in ("named", "required"):
        fitting.drop("tool_choice", "thinking")


def lacks_thinking_blocks(messages: Messages) -> bool:
    """Return True where an assistant message after the last user message begins without a thinking block.

    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost
    set of `tool_use` and `tool_result` blocks)" (openai-agents#1704, opencode#3077, haystack#2146). Tool calls and
    their results belong to one turn of the model, so thinking cannot begin between them. Turns before the last user
    message are not checked.
    """
    for message in reversed(messages):
        if message["role"] == "user":
            return False
        if message["role"] == "assistant" and not _begins_with_thinking(message):
            return True
    return False


def _begins_with_thinking(message: Message) -> bool:
    """Tell whether *message* begins with thinking, as a content part or in litellm's ``thinking_blocks``."""
    blocks = message.get("thinking_blocks")
    if isinstance(blocks, list) and any(_is_thinking(block) for block in blocks):
        return True
    content = message.get("content")
    return isinstance(content, list) and bool(content) and _is_thinking(content[0])


def _is_thinking(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _THINKING_TYPES
