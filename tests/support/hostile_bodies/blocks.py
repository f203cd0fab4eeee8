"""Builders of hostile requests of Anthropic's API: many messages, blocks, tools and marks of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sanitizers.native.messages.envelope import SignedCall, pack_signature
from tests.support.hostile_bodies.making import DEEP, Body, Builder, flat, many, nested

MESSAGES_API = "/v1/messages"

_USER = {"role": "user", "content": "Go."}
_ENVELOPE = pack_signature(SignedCall("o", "c0", "c2ln"), "")
_MARK = {"type": "ephemeral"}


def _messages(size: int, message: Callable[[int], dict[str, Any]], *before: dict[str, Any]) -> Body:
    return _request([_USER, *before, *many(size, message)])


def _request(messages: list[Any], **fields: Any) -> Body:
    return {"max_tokens": 64, "messages": messages, **fields}


def _turns(size: int, *blocks: Callable[[int], dict[str, Any]]) -> Body:
    """Return a history whose model says *blocks* in each turn, which the user answers."""
    return _request(
        [_USER, *flat(size, lambda at: [_said(*(one(at) for one in blocks)), _results(_result(at))])]
    )


def _blocks(size: int, block: Callable[[int], dict[str, Any]], *before: dict[str, Any]) -> Body:
    """Return a history with one message of the model, which has many blocks."""
    return _request([_USER, _said(*before, *many(size, block)), _USER])


def _answered(size: int, write: Callable[[list[Any]], list[Any]]) -> Body:
    """Return a history with one message of many calls. *write* makes messages of their results."""
    pairs = many(size, lambda at: [_use(at), _result(at)])
    return _request([_USER, _said(*(use for use, _ in pairs)), *write([result for _, result in pairs])])


def _of_user(size: int, block: Callable[[int], dict[str, Any]]) -> Body:
    return _request([_results(*many(size, block))])


def _tools(size: int, tool: Callable[[int], dict[str, Any]], **fields: Any) -> Body:
    return _request([_USER], tools=many(size, tool), **fields)


def _said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def _results(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def _text(value: str = "a", **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **fields}


def _use(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"c{at}", "name": "f", "input": {}, **fields}


def _result(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"c{at}", "content": "1", **fields}


def _thought(at: int, **fields: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": f"t{at}", "signature": "EqQB", **fields}


def _tool(at: int, **fields: Any) -> dict[str, Any]:
    return {"name": f"f{at}", "input_schema": {"type": "object"}, **fields}


def _search(at: int) -> dict[str, Any]:
    return {"type": "server_tool_use", "id": f"srvtoolu_{at}", "name": "web_search", "input": {"query": "q"}}


def _found(size: int) -> dict[str, Any]:
    links = many(size, lambda at: {"type": "web_search_result", "url": "https://a", "title": f"t{at}"})
    return {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_0", "content": links}


BLOCKS: Mapping[str, Builder] = {
    "messages_of_the_user": lambda size: _messages(size, lambda _: _USER),
    "messages_of_the_model": lambda size: _messages(size, lambda _: _said(_text())),
    "messages_of_the_system": lambda size: _messages(size, lambda _: {"role": "system", "content": "a"}),
    "messages_without_blocks": lambda size: _messages(size, lambda _: _said()),
    "messages_that_are_empty": lambda size: _messages(size, lambda _: {}),
    "texts_of_the_user": lambda size: _of_user(size, lambda _: _text()),
    "texts_that_are_blank": lambda size: _of_user(size, lambda _: _text(" ")),
    "texts_of_the_model": lambda size: _blocks(size, lambda _: _text()),
    "texts_with_citations": lambda size: _blocks(size, lambda _: _text(citations=[{"cited_text": "a"}])),
    "texts_with_marks": lambda size: _of_user(size, lambda _: _text(cache_control=_MARK)),
    "texts_of_system_prompts": lambda size: _request([_USER], system=many(size, lambda _: _text())),
    "texts_of_billing": lambda size: _request(
        [_USER], system=many(size, lambda at: _text(f"x-anthropic-billing-header: {at}"))
    ),
    "uses_of_tools": lambda size: _turns(size, _use),
    "uses_of_tools_without_results": lambda size: _messages(size, lambda at: _said(_use(at))),
    "uses_of_tools_in_one_message": lambda size: _blocks(size, _use),
    "uses_of_tools_with_one_id": lambda size: _blocks(size, lambda _: _use(0, id="?!")),
    "uses_of_tools_with_long_names": lambda size: _blocks(size, lambda at: _use(at, name="n" * 200)),
    "uses_of_tools_with_deep_inputs": lambda size: _turns(
        size, lambda at: _use(at, input=nested(1, DEEP - 8, lambda inner: {"a": inner}))
    ),
    "uses_of_tools_with_texts_for_inputs": lambda size: _turns(size, lambda at: _use(at, input='{"a": [')),
    "uses_of_tools_between_texts": lambda size: _blocks(size, lambda at: _use(at) if at % 2 else _text()),
    "results_without_uses": lambda size: _of_user(size, _result),
    "results_of_one_use": lambda size: _request(
        [_USER, _said(_use(0)), _results(*many(size, lambda _: _result(0)))]
    ),
    "results_behind_texts": lambda size: _request(
        [_USER, *flat(size, lambda at: [_said(_use(at)), _results(_text(), _result(at))])]
    ),
    "results_of_many_blocks": lambda size: _request(
        [_USER, _said(_use(0)), _results(_result(0, content=many(size, lambda _: _text())))]
    ),
    "results_out_of_order": lambda size: _answered(size, lambda results: [_results(*reversed(results))]),
    "results_in_messages_of_their_own": lambda size: _answered(
        size, lambda results: [_results(one) for one in results]
    ),
    "thinking_of_one_turn": lambda size: _blocks(size, _thought),
    "thinking_before_each_use": lambda size: _turns(size, _thought, _use),
    "thinking_between_uses": lambda size: _blocks(size, lambda at: _thought(at) if at % 2 else _use(at)),
    "thinking_without_signatures": lambda size: _turns(size, lambda at: _thought(at, signature=""), _use),
    "thinking_alone": lambda size: _messages(size, lambda at: _said(_thought(at))),
    "thinking_that_is_redacted": lambda size: _turns(
        size, lambda _: {"type": "redacted_thinking", "data": "Em"}, _use
    ),
    "envelopes": lambda size: _turns(size, lambda at: _thought(at, signature=_ENVELOPE), _use),
    "envelopes_of_one_call": lambda size: _blocks(
        size, lambda at: _thought(at, signature=_ENVELOPE), _use(0)
    ),
    "envelopes_that_are_damaged": lambda size: _turns(size, lambda at: _thought(at, signature="tr1_A"), _use),
    "searches_by_the_server": lambda size: _blocks(
        size, lambda at: _search(at) if at % 2 else {**_found(0), "tool_use_id": f"srvtoolu_{at - 1}"}
    ),
    "searches_with_many_links": lambda size: _request([_USER, _said(_search(0), _found(size)), _USER]),
    "searches_with_deep_results": lambda size: _blocks(
        size,
        lambda _: {
            "type": "web_fetch_tool_result",
            "content": nested("a", DEEP - 10, lambda inner: {"content": [inner]}),
        },
    ),
    "blocks_of_unknown_types": lambda size: _blocks(size, lambda at: {"type": f"t{at}"}),
    "blocks_without_types": lambda size: _of_user(size, lambda _: {}),
    "blocks_of_files": lambda size: _of_user(
        size, lambda at: {"type": "document", "source": {"type": "file", "file_id": f"file_{at}"}}
    ),
    "blocks_of_documents": lambda size: _of_user(
        size,
        lambda at: {
            "type": "document",
            "title": f"t{at}",
            "source": {"type": "text", "media_type": "text/plain", "data": "a"},
        },
    ),
    "blocks_of_images": lambda size: _of_user(
        size,
        lambda _: {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
        },
    ),
    "blocks_of_search_results": lambda size: _of_user(
        size, lambda at: {"type": "search_result", "source": "s", "title": f"t{at}", "content": [_text()]}
    ),
    "tools_of_messages": lambda size: _tools(size, _tool),
    "tools_of_messages_with_one_name": lambda size: _tools(size, lambda _: _tool(0)),
    "tools_of_messages_of_the_server": lambda size: _tools(
        size, lambda at: {"type": "web_search_20250305", "name": f"w{at}"}
    ),
    "tools_of_messages_of_the_client": lambda size: _tools(
        size, lambda _: {"type": "bash_20250124", "name": "bash"}
    ),
    "tools_of_messages_with_marks": lambda size: _tools(size, lambda at: _tool(at, cache_control=_MARK)),
    "tools_of_messages_with_examples": lambda size: _tools(
        size, lambda at: _tool(at, input_examples=[{"a": 1}]), tool_choice={"type": "tool", "name": "f0"}
    ),
    "stop_sequences": lambda size: _request([_USER], stop_sequences=many(size, lambda at: f"s{at}")),
    "fields_that_nobody_knows": lambda size: _request([_USER], **{f"x{at}": 1 for at in range(size // 12)}),
    "edits_of_the_context": lambda size: _request(
        [_USER], context_management={"edits": many(size, lambda _: {"type": "clear_thinking_20251015"})}
    ),
}
"""Builders of hostile requests for :data:`MESSAGES_API`, by the name of the family."""
