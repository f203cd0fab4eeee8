"""Writes a whole answer as a response object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.core.upstream_call import Answer
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import write_usage
from proxy.ingress.openai_responses.finish_response import finished
from proxy.ingress.openai_responses.ids import ItemIds
from proxy.ingress.openai_responses.output_items import (
    CallNames,
    call_item,
    message_item,
    name_call,
    read_citations,
    read_logprobs,
    reasoning_item,
    refusal_part,
    text_part,
)
from sanitizers.messages import parse_arguments
from sanitizers.native.responses.envelope import Envelope, pack_envelope


def make_finished(context: AnswerContext, answer: Answer) -> dict[str, Any]:
    """Return *answer*, a canonical chat completion, as a finished response. It reads the first choice."""
    choice = answer["choices"][0]
    output = _read_output(context, answer["model"], choice)
    usage = write_usage(answer.get("usage"))
    head = context.head_for(answer["model"], answer["created"])
    return finished(head, output, choice["finish_reason"], usage, context.completed_at(head.created_at))


def _read_output(context: AnswerContext, model: str, choice: Mapping[str, Any]) -> list[dict[str, Any]]:
    message, ids = choice["message"], ItemIds(context.head.id)
    cut = choice["finish_reason"] in CUT_OFF
    calls = _read_calls(message, ids, context)
    items: list[dict[str, Any]] = []
    if (envelope := _read_envelope(message, model)) is not None:
        shown = envelope.thoughts if context.shows_thoughts else ""
        items.append(reasoning_item(ids.item_id("reasoning", 0), shown, pack_envelope(envelope)))
    if parts := _read_parts(message, choice if context.shows_logprobs else {}):
        status = "incomplete" if cut and not calls else "completed"
        items.append(message_item(ids.item_id("message", len(items)), parts, status))
    for names, arguments in calls:
        is_cut = cut and parse_arguments(arguments) is None
        if is_cut and not names.is_function:
            continue  # its client would take a part of the input for the whole
        item_id = ids.item_id(names.item_type, len(items))
        items.append(call_item(item_id, names, arguments, "incomplete" if is_cut else "completed"))
    return items


def _read_parts(message: Mapping[str, Any], choice: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = []
    if text := message.get("content"):
        citations = read_citations(message.get("annotations"))
        parts.append(text_part(text, citations, read_logprobs(choice.get("logprobs"))))
    if refusal := message.get("refusal"):
        parts.append(refusal_part(refusal))
    return parts


def _read_calls(
    message: Mapping[str, Any], ids: ItemIds, context: AnswerContext
) -> list[tuple[CallNames, str]]:
    """Return the names and the arguments of each call in *message*."""
    calls = [
        (name_call(call["id"], call["function"]["name"], context.table), call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    if legacy := message.get("function_call"):
        names = name_call(ids.legacy_call_id(), legacy.get("name") or "", context.table)
        calls.append((names, legacy.get("arguments") or ""))
    return calls


def _read_envelope(message: Mapping[str, Any], model: str) -> Envelope | None:
    """Return the thoughts and signatures of *message*, or None where it has none."""
    signatures = {
        call["id"]: call["extra_content"]["google"]["thought_signature"]
        for call in message.get("tool_calls") or ()
        if "extra_content" in call
    }
    extra = message.get("extra_content")
    text_signature = None if extra is None else extra["google"]["thought_signature"]
    thoughts = message.get("reasoning_content") or ""
    if not signatures and text_signature is None and not thoughts:
        return None
    return Envelope(model, signatures, text_signature, thoughts)
