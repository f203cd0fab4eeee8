"""Tests of requests that their provider gets in the client's own format: their items, and the report of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import UnrepairableHistory
from proxy.core.json_text import write_json
from proxy.core.source import ResponsesRequest
from proxy.ingress.gemini_native.fields import read_fields as read_contents
from proxy.ingress.gemini_native.read_request import to_chat as contents_to_chat
from proxy.ingress.openai_responses.fields import read_fields
from proxy.ingress.openai_responses.read_request import to_chat
from proxy.planning.corrective_note import with_note
from proxy.planning.native_formats import spoken_format
from proxy.planning.native_requests import (
    changes_of_body,
    fields_left_out,
    sends_items,
    with_items,
)
from proxy.planning.plan import Plan, plan_request
from proxy.planning.plan_target import plan_target
from sanitizers import Change
from tests.proxy.planning.compact.memories import memory_of
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import PNG_URL
from tests.support.native_responses import CALL, MESSAGE, THOUGHT
from tests.support.proxied import settings_of

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
USER, LATER = {"role": "user", "content": "Hi."}, {"role": "user", "content": "And?"}
OUTPUT = {"type": "function_call_output", "call_id": "call_abc", "output": "1"}
NOTE = {"role": "user", "content": "Note."}


def asked(body: bytes = BODY) -> ChatRequest:
    """Return the request, with a change that every format needs, and with other indexes as for stored items."""
    fields = read_fields(body, max_nesting=50)
    chat = to_chat(fields, fields.items).chat
    return replace(chat, mended=(OLD_TURNS, *(replace(change, index=7) for change in chat.mended)))


def request_of(*items: Any, is_left: bool = False, **fields: Any) -> ChatRequest:
    """Return the request with *items*, which *is_left* leaves to a provider that stores responses."""
    read = read_fields(write_json({"model": "m", "input": items, **fields}), max_nesting=50)
    return to_chat(read, read.items, is_left_to_provider=is_left).chat


def planned(*items: Any, deployment: Deployment = OPENAI, mode: str = "repair", **fields: Any) -> Plan:
    """Return the plan of a request with *items*. *fields* may have ``is_left`` of :func:`request_of`."""
    sanitize = settings_of({"m": "openai/gpt-4.1"}, sanitize={"mode": mode}).sanitize
    target = plan_target(deployment, sanitize, lambda *_: frozenset())
    return plan_request(request_of(*items, **fields), target)


def native_of(request: ChatRequest) -> ResponsesRequest:
    """Return the native form of *request*."""
    assert request.source is not None
    assert isinstance(request.source.native, ResponsesRequest)
    return request.source.native


def report(chat: ChatRequest, deployment: Any) -> tuple[list[str], tuple[str, ...]]:
    """Return the reasons of the changes, and the names of the parameters that are not sent."""
    plan = (chat, deployment, chat.messages, chat.parameters)
    return [change.reason for change in changes_of_body(*plan)], fields_left_out(DROPPED, *plan)


def test_chat_has_every_change() -> None:
    assert report(asked(), VLLM) == (["old_turns", "server_tool", "server_item"], DROPPED)


def test_own_format_has_only_what_is_left_out_there() -> None:
    """The tool, its call and the unknown field are sent."""
    assert report(asked(), OPENAI) == (["old_turns"], ("stop",))


def test_history_that_the_items_do_not_hold_is_a_chat() -> None:
    chat = asked()
    other = list(chat.messages)

    assert len(changes_of_body(chat, OPENAI, other, chat.parameters)) == 3
    assert fields_left_out(DROPPED, chat, OPENAI, other, chat.parameters) == DROPPED


def test_request_without_a_native_form_keeps_its_changes() -> None:
    chat = replace(asked(), source=None)

    assert changes_of_body(chat, OPENAI, chat.messages, chat.parameters) is chat.mended
    assert fields_left_out(DROPPED, chat, OPENAI, chat.messages, chat.parameters) is DROPPED
    assert spoken_format(chat, OPENAI) is None
    assert with_items(chat, OPENAI, chat.messages, chat.parameters, "repair").request is chat


def test_other_providers_get_no_items() -> None:
    chat = asked()

    assert spoken_format(chat, OPENAI) is not None
    assert spoken_format(chat, VLLM) is None
    assert with_items(chat, VLLM, [*chat.messages, NOTE], chat.parameters, "repair").request is chat


def test_history_without_a_fault_goes_out_as_it_came() -> None:
    plan = planned(USER, THOUGHT, MESSAGE, CALL, OUTPUT)
    native = native_of(plan.request)

    assert plan.changes == ()
    assert native.items is native.read_from
    assert (native.are_own, native.are_mended, native.holds_instructions) == (True, True, False)
    assert sends_items(plan.request, OPENAI, plan.messages, plan.parameters)


def test_repaired_history_goes_out_as_its_items() -> None:
    """The source's messages are those of the plan, so that the wire knows the items for its own."""
    plan = planned(USER, THOUGHT, MESSAGE, CALL, LATER)
    native = native_of(plan.request)

    assert plan.request.source is not None
    assert plan.request.source.messages is plan.messages
    assert native.items[:4] == [USER, THOUGHT, MESSAGE, CALL]
    assert [item.get("type") for item in native.items[4:]] == ["function_call_output", None]
    assert (native.are_own, native.origins) == (False, (0, 1, 2, 3, 3, 4))
    assert [change.step for change in plan.changes] == ["pairing"]


def test_items_of_a_plan_are_written_from_those_that_came() -> None:
    """A later repair begins with the items that its messages were read from."""
    plan = planned(USER, MESSAGE, CALL, LATER)
    again = with_items(plan.request, OPENAI, [*plan.messages, NOTE], plan.parameters, "repair")
    native = native_of(again.request)

    assert native.items[:3] == [USER, MESSAGE, CALL]
    assert native.items[-1] == {"type": "message", **NOTE}
    assert native.read_from == [USER, MESSAGE, CALL, LATER]


def test_note_to_the_model_is_one_more_item() -> None:
    """A retry keeps the thoughts of the conversation."""
    chat, _ = with_note(request_of(USER, THOUGHT, MESSAGE, CALL, OUTPUT), "Note.")
    target = plan_target(OPENAI, settings_of({"m": "openai/gpt-4.1"}).sanitize, lambda *_: frozenset())
    native = native_of(plan_request(chat, target).request)

    assert native.items == [USER, THOUGHT, MESSAGE, CALL, OUTPUT, {"type": "message", **NOTE}]


def test_memory_stands_in_place_of_older_items() -> None:
    """Later turns keep their items."""
    chat = request_of(USER, THOUGHT, MESSAGE, LATER, {**THOUGHT, "id": "rs_2"}, {**CALL}, OUTPUT)
    target = plan_target(OPENAI, settings_of({"m": "openai/gpt-4.1"}).sanitize, lambda *_: frozenset())
    memory = memory_of(0, 2)
    plan = plan_request(chat, target, memory=memory)
    native = native_of(plan.request)

    assert plan.memory is memory
    assert sends_items(plan.request, OPENAI, plan.messages, plan.parameters)
    assert [item.get("type", "message") for item in native.items] == [
        *("message", "message", "reasoning", "function_call", "function_call_output")
    ]
    assert native.items[1:] == [LATER, {**THOUGHT, "id": "rs_2"}, CALL, OUTPUT]


def test_changed_items_are_listed_with_their_indexes() -> None:
    plan = planned(USER, THOUGHT, LATER)

    assert plan.changes == (Change("item_repair", "dropped", 1, "reasoning_alone"),)
    assert native_of(plan.request).items == [USER, LATER]


@pytest.mark.parametrize(("mode", "is_listed"), [("observe", True), ("off", False)])
def test_other_modes_send_the_items_that_came(mode: str, is_listed: bool) -> None:
    plan = planned(USER, THOUGHT, LATER, mode=mode)

    assert native_of(plan.request).items == [USER, THOUGHT, LATER]
    assert bool(plan.changes) is is_listed
    assert sends_items(plan.request, OPENAI, plan.messages, plan.parameters)


def test_mode_observe_sends_what_the_provider_cannot_read_as_a_chat() -> None:
    unsealed = {**THOUGHT, "encrypted_content": None}

    plan = planned(USER, unsealed, MESSAGE, LATER, mode="observe")

    assert not sends_items(plan.request, OPENAI, plan.messages, plan.parameters)


def test_mode_strict_refuses_items_that_would_have_to_be_changed() -> None:
    with pytest.raises(UnrepairableHistory, match="reasoning_alone") as raised:
        planned(USER, THOUGHT, LATER, mode="strict")

    assert raised.value.param == "input"
    assert [change["index"] for change in raised.value.changes] == [1]
    assert planned(USER, THOUGHT, MESSAGE, mode="strict").changes == ()


def test_image_in_an_output_and_a_long_id_stay() -> None:
    """A chat of OpenAI's has neither images in results, nor ids of more than 40 characters."""
    image = {"type": "input_image", "image_url": PNG_URL}
    items = [USER, {**CALL, "call_id": "c" * 64}, {**OUTPUT, "call_id": "c" * 64, "output": [image]}]

    plan = planned(*items)
    assert plan.changes == ()
    assert native_of(plan.request).items == items
    assert {change.step for change in planned(*items, deployment=VLLM).changes} == {"shape", "result_media"}


def test_request_with_a_changed_tool_is_planned_as_a_chat() -> None:
    """Its history is one that a chat can hold."""
    odd = {"type": "function", "name": "f", "parameters": {"type": "array"}}
    plan = planned(USER, CALL, LATER, tools=[odd])

    assert not plan.profile.items
    assert not sends_items(plan.request, OPENAI, plan.messages, plan.parameters)
    assert plan.item_changes == ()


def test_provider_that_stores_responses_gets_its_own_thoughts() -> None:
    unsealed = {**THOUGHT, "encrypted_content": None}
    stores = replace(OPENAI, provider_state=True)
    plan = planned(USER, unsealed, MESSAGE, deployment=stores, is_left=True)

    assert plan.changes == ()
    assert planned(USER, unsealed, MESSAGE, deployment=stores).changes != ()
    assert native_of(plan.request).items == [USER, unsealed, MESSAGE]


def test_tool_that_claude_gets_in_another_form_is_not_reported() -> None:
    """A model without such a tool has it left out. So has a request that litellm carries."""
    body = (
        b'{"contents":[{"parts":[{"text":"Hi."}]}],'
        b'"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleSearch":{}},{"googleMaps":{}}]}'
    )
    chat = contents_to_chat(read_contents(body, model="m", max_nesting=50)).chat
    claude = deployment_of("anthropic/claude-sonnet-4-5", api_key="k")
    by_litellm = replace(claude, transport="litellm")

    def details(deployment: Deployment) -> list[str]:
        changes = changes_of_body(chat, deployment, chat.messages, chat.parameters)
        return [change.detail for change in changes]

    assert details(claude) == ["tools[2]:google_maps"]
    for other in (by_litellm, VLLM):
        assert details(other) == ["tools[1]:google_search", "tools[2]:google_maps"]
