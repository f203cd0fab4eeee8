"""Puts the proxy's own names into a response object of a provider that speaks the Responses API.

The provider was asked with ``store: false`` and with the whole conversation. It knows none of the proxy's ids, so that
the id, ``store``, ``previous_response_id`` and ``conversation`` are those of the client's request. The model's name and
the ids of calls are those of the canonical answer. Everything else stays, also what has no form in a chat.

A provider that stores its responses (``provider_state``) got the client's names, and its own names reach the client.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.core.upstream_call import Answer
from proxy.ingress.openai_responses.answer_context import AnswerContext
from proxy.ingress.openai_responses.echo import RESPONSE_KEYS, ResponseHead

CALLS = frozenset({"apply_patch_call", "custom_tool_call", "function_call", "local_shell_call", "shell_call"})
"""Types of the items that are calls in a canonical answer."""

_OURS = ("store", "previous_response_id")


def own_response(
    context: AnswerContext, native: Mapping[str, Any], model: str, output: Sequence[Any] | None = None
) -> dict[str, Any]:
    """Return the provider's response object *native*, with the names of *context* and the *model*'s name.

    *output* replaces its items. Keys that the provider leaves out are added, since typed clients fail without them.
    """
    if context.relays_ids:
        _take_names(context, native)
    echo = context.head.echo
    named = {"id": context.head.id, "model": model or native.get("model") or echo["model"]}
    named |= {name: echo.get(name) for name in _OURS}
    if echo.get("instructions") is not None:  # a plan may have sent them as an item
        named["instructions"] = echo["instructions"]
    if "conversation" in echo:
        named["conversation"] = echo["conversation"]
    if output is not None:
        named["output"] = list(output)
    response = {**native, **named}
    if len(response) < len(RESPONSE_KEYS) or not response.keys() >= frozenset(RESPONSE_KEYS):
        response |= {name: echo.get(name) for name in RESPONSE_KEYS if name not in response}
    return response


def _take_names(context: AnswerContext, native: Mapping[str, Any]) -> None:
    """Give *context* the names in *native*, so that all parts of the answer have the same ones."""
    given = context.head
    named = {name: native[name] for name in (*_OURS, "conversation") if name in native}
    id_ = native.get("id")
    context.head = ResponseHead(
        id_ if isinstance(id_, str) and id_ else given.id, given.created_at, {**given.echo, **named}
    )


def own_answer(context: AnswerContext, native: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    """Return *native*, a whole response object, whose canonical form is *answer*, with the proxy's names."""
    calls = iter(answer["choices"][0]["message"].get("tool_calls") or ())
    output = [_with_call_id(item, calls) for item in native["output"]]
    return own_response(context, native, answer["model"], output)


def own_item(item: dict[str, Any], call_id: str | None) -> dict[str, Any]:
    """Return *item* with the id *call_id* of its call, if it has one."""
    if call_id is None or item.get("call_id") in (None, call_id):
        return item
    return {**item, "call_id": call_id}


def _with_call_id(item: Any, calls: Any) -> Any:
    if not isinstance(item, dict) or not isinstance(kind := item.get("type"), str) or kind not in CALLS:
        return item
    call = next(calls, None)
    return item if call is None else own_item(item, call["id"])
