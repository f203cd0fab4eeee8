"""Writes a whole answer as a message: thoughts first, then the text, then the calls.

Each signed call has a thinking block before it with its signature, or the thoughts have it where the call follows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.core.upstream_call import Answer
from proxy.ingress.anthropic_messages.answer_context import AnswerContext
from proxy.ingress.anthropic_messages.stop_reasons import describe_stop
from proxy.ingress.anthropic_messages.usage import write_usage
from proxy.ingress.call_input import read_input
from sanitizers.messages import parse_arguments


def make_message(context: AnswerContext, answer: Answer) -> dict[str, Any]:
    """Return *answer*, a canonical chat completion, as a message. It reads the first choice."""
    choice = answer["choices"][0]
    message, reason = choice["message"], choice["finish_reason"]
    content = _write_blocks(context, message, is_cut=reason in CUT_OFF)
    if not content and reason in ("stop", "tool_calls"):
        content.append({"type": "text", "text": " "})  # some clients wait for content
    said = len(message.get("content") or "")
    usage = write_usage(answer.get("usage"), context.numbers().requested, said)
    return {
        "id": context.message_id,
        "type": "message",
        "role": "assistant",
        "model": context.model,
        "content": content,
        **describe_stop(reason),
        "usage": usage,
    }


def _write_blocks(
    context: AnswerContext, message: Mapping[str, Any], *, is_cut: bool
) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    thoughts = message.get("reasoning_content")
    if thoughts and context.thinking.has_blocks:
        shown = thoughts if context.thinking.shows_text else ""
        blocks.append(_thinking(shown, context.seal_thoughts()))
    text = (message.get("content") or "") + (message.get("refusal") or "")
    if text.strip():
        blocks.append({"type": "text", "text": text})
    calls = message.get("tool_calls") or ()
    if legacy := message.get("function_call"):
        function = {name: legacy.get(name) or "" for name in ("name", "arguments")}
        calls = [*calls, {"id": context.legacy_call_id, "function": function}]
    for call in calls:
        arguments = call["function"]["arguments"]
        if is_cut and arguments.strip() and parse_arguments(arguments) is None:
            continue  # the client would run a part of the input for the whole
        extra = call.get("extra_content")
        if extra is not None and context.thinking.has_blocks:
            sealed = context.seal_call(call["id"], extra["google"]["thought_signature"])
            if blocks and blocks[-1]["type"] == "thinking":
                blocks[-1]["signature"] = sealed
            else:
                blocks.append(_thinking("", sealed))
        name = call["function"]["name"]
        blocks.append({"type": "tool_use", "id": call["id"], "name": name, "input": read_input(arguments)})
    return blocks


def _thinking(thoughts: str, signature: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": thoughts, "signature": signature}
