"""Tests of the report of a request that its provider gets in the client's own format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.native_requests import changes_of_body, fields_left_out
from sanitizers import Change
from tests.proxy.upstream.deployments import deployment_of

BODY = (
    b'{"model":"m","input":[{"type":"web_search_call","id":"ws_1"},{"role":"user","content":"Hi."}],'
    b'"tools":[{"type":"web_search"}],"client_metadata":{}}'
)
OPENAI, VLLM = (
    deployment_of(model, api_key="sk-ours", **params)
    for model, params in (("openai/gpt-4.1", {}), ("openai/m", {"api_base": "http://localhost:1/v1"}))
)
OLD_TURNS = Change("session", "dropped", 0, "old_turns")
DROPPED = ("client_metadata", "stop")


def asked() -> ChatRequest:
    """Return the request, with a change that every format needs, and with other indexes as for stored items."""
    fields = read_fields(BODY, max_nesting=50)
    chat = to_chat(fields, fields.items).chat
    return replace(chat, mended=(OLD_TURNS, *(replace(change, index=7) for change in chat.mended)))


def report(chat: ChatRequest, deployment: Any) -> tuple[list[str], tuple[str, ...]]:
    """Return the reasons of the changes, and the names of the parameters that are not sent."""
    plan = (chat, deployment, chat.messages, chat.parameters)
    return [change.reason for change in changes_of_body(*plan)], fields_left_out(DROPPED, *plan)


def test_chat_has_every_change() -> None:
    assert report(asked(), VLLM) == (["old_turns", "server_tool", "server_item"], DROPPED)


def test_own_format_has_only_what_is_left_out_there() -> None:
    """The tool, its call and the unknown field are sent."""
    assert report(asked(), OPENAI) == (["old_turns"], ("stop",))


def test_repaired_history_is_a_chat() -> None:
    chat = asked()
    repaired = list(chat.messages)

    assert len(changes_of_body(chat, OPENAI, repaired, chat.parameters)) == 3
    assert fields_left_out(DROPPED, chat, OPENAI, repaired, chat.parameters) == DROPPED


def test_request_without_a_native_form_keeps_its_changes() -> None:
    chat = replace(asked(), source=None)

    assert changes_of_body(chat, OPENAI, chat.messages, chat.parameters) is chat.mended
    assert fields_left_out(DROPPED, chat, OPENAI, chat.messages, chat.parameters) is DROPPED
