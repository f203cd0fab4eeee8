"""Writes what a choice says as the parts of a candidate: thoughts, text, and whole calls.

A call has its id always, also where the model that answered has none: clients that send it back then find their call.
Gemini's signature stands on its call, or on the text of an answer without calls. Claude's thoughts stand on the first
call, in an envelope: gemini-cli returns no other signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.ingress.call_input import read_input
from proxy.ingress.gemini_native.answer_context import AnswerContext
from sanitizers.messages import parse_arguments

Part = dict[str, Any]


def write_thought(text: str) -> Part:
    """Return a thought as a part."""
    return {"text": text, "thought": True}


def write_calls(
    context: AnswerContext,
    calls: Sequence[Mapping[str, Any]],
    blocks: Sequence[dict[str, Any]],
    *,
    is_cut: bool,
) -> list[Part]:
    """Return *calls*, which are canonical and whole, as parts. *blocks* are Claude's thoughts before them.

    Where the answer *is_cut*, a call whose arguments are no object is left out. The client would run a part of its
    input for the whole.
    """
    parts: list[Part] = []
    for call in calls:
        function = call["function"]
        arguments = function["arguments"]
        if is_cut and arguments.strip() and parse_arguments(arguments) is None:
            continue
        written = {"id": call["id"], "name": function["name"], "args": read_input(arguments)}
        part: Part = {"functionCall": written}
        signature = signature_of(call)
        if signature is None and blocks and not parts:
            signature = context.seal_thoughts(blocks, call["id"])
        if signature is not None:
            part["thoughtSignature"] = signature
        parts.append(part)
    return parts


def signature_of(signed: Mapping[str, Any]) -> str | None:
    """Return Gemini's signature on a canonical call, a message or a delta, or None."""
    extra = signed.get("extra_content")
    if extra is None:
        return None
    signature: str = extra["google"]["thought_signature"]
    return signature
