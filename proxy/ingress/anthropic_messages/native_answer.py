"""Puts the client's names into an answer of a provider that speaks the Messages API.

The name of the model is the one that was asked for. The ids and the names of calls are those of the canonical answer.
Everything else stays as the provider wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.core.upstream_call import Answer


def own_message(native: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return *native*, a message or its beginning, with the name of the *model* that was asked for."""
    return {**native, "model": model}


def own_answer(native: Mapping[str, Any], answer: Answer, model: str) -> dict[str, Any]:
    """Return the whole message *native*, whose canonical form is *answer*, with the client's names."""
    calls = iter(answer["choices"][0]["message"].get("tool_calls") or ())
    content = native.get("content")
    own = own_message(native, model)
    if isinstance(content, list):
        own["content"] = [_with_names(block, calls) for block in content]
    return own


def own_block(block: dict[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``tool_use`` *block* with the id and the name of the canonical *call*, or a piece of it."""
    call_id, name = call.get("id"), call["function"].get("name")
    if call_id in (None, block.get("id")) and name in (None, block.get("name")):
        return block
    return {**block, "id": call_id or block.get("id"), "name": name or block.get("name")}


def _with_names(block: Any, calls: Iterator[Mapping[str, Any]]) -> Any:
    if not isinstance(block, dict) or block.get("type") != "tool_use":
        return block
    call = next(calls, None)
    return block if call is None else own_block(block, call)
