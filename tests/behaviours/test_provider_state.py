"""Tests of a model whose provider stores responses (``provider_state``), on a real socket."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.behaviours.test_provider_objects import CHAT, PATH, ask, serving
from tests.support.native_responses import CALL, MESSAGE, THOUGHT, response, stream_of
from tests.support.proxied import Reply
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults

STATE = {"provider_state": True}
OUTPUT = {"type": "function_call_output", "call_id": "call_theirs", "output": "42"}
REFERENCE = {"type": "item_reference", "id": "rs_theirs"}


def last_of(reply: Reply, stream: bool) -> Any:
    """Return the response object of a whole answer, or that of a stream's last event."""
    return events_of(reply.raw)[-1]["response"] if stream else reply.json


@pytest.mark.parametrize("stream", [False, True])
async def test_ids_of_the_provider_reach_the_client(stream: bool) -> None:
    """The answer is the provider's own, but for the name of the model."""
    answer: Any = stream_of([THOUGHT, MESSAGE]) if stream else response([THOUGHT, MESSAGE], store=True)
    async with serving(("native", STATE), answer=answer) as (proxy, _):
        reply = await ask(proxy, "native", stream=stream)

    got = last_of(reply, stream)
    assert got == (answer[-1]["response"] if stream else answer)
    assert (find_stream_faults(reply.raw) if stream else find_response_faults(got)) == []
    if stream:
        assert {event["response"]["id"] for event in events_of(reply.raw) if "response" in event} == {
            "resp_theirs"
        }


@pytest.mark.parametrize("store", [None, True, False])
@pytest.mark.parametrize("name", ["previous_response_id", "conversation"])
async def test_names_and_store_go_to_the_provider_as_they_came(name: str, store: bool | None) -> None:
    """Nothing is expanded or repaired here, since the rest of the conversation is at the provider."""
    given: dict[str, Any] = {"input": [OUTPUT, REFERENCE], name: "resp_theirs"}
    if store is not None:
        given["store"] = store
    async with serving(("native", STATE)) as (proxy, provider):
        reply = await ask(proxy, "native", **given)

    assert reply.status == 200, reply.raw
    sent = provider.asked
    assert {key: sent.get(key) for key in given} == given
    assert ("store" in sent) is (store is not None)
    assert "include" not in sent
    assert reply.headers.get("x-turnright-changes") is None


async def test_thought_without_its_content_is_known_to_the_provider() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    given = [{"role": "user", "content": "Hi."}, thought, MESSAGE, {"role": "user", "content": "And?"}]
    async with serving(("native", STATE)) as (proxy, provider):
        reply = await ask(proxy, "native", input=given)

    assert reply.status == 200, reply.raw
    assert provider.asked["input"] == given


@pytest.mark.parametrize("mode", ["repair", "observe"])
async def test_thought_of_another_key_is_never_found_by_its_id(mode: str) -> None:
    """Clients share the account here, and its provider would read the thought of any of them."""
    thought = {"type": "reasoning", "id": "rs_of_bob", "summary": []}
    given = [{"role": "user", "content": "Hi."}, thought, MESSAGE, {"role": "user", "content": "And?"}]
    async with serving(("native", STATE), keys=2, sanitize={"mode": mode}) as (proxy, provider):
        reply = await ask(proxy, "native", input=given)

    assert reply.status == 200, reply.raw
    assert b"rs_of_bob" not in provider.bodies[-1]
    if mode == "repair":
        assert reply.headers["x-turnright-changes"] == "item_repair=2"


async def test_nothing_is_stored_here() -> None:
    """The paths of stored responses say where to ask."""
    async with serving(("native", STATE), ("chat", {})) as (proxy, provider):
        id_ = (await ask(proxy, "native")).json["id"]
        asked = len(provider.paths)
        replies = [
            await proxy.get(f"{PATH}/{id_}"),
            await proxy.get(f"{PATH}/{id_}/input_items"),
            await proxy.request("DELETE", f"{PATH}/{id_}"),
            await proxy.get(f"/v1/conversations/{id_}"),
        ]
        elsewhere = await ask(proxy, "chat", previous_response_id=id_)

    assert [reply.status for reply in replies] == [404] * 4
    assert all("provider_state" in reply.error["message"] for reply in replies)
    assert elsewhere.error["code"] == "previous_response_not_found"
    assert len(provider.paths) == asked


@pytest.mark.parametrize("kind", ["chat", "gemini"])
async def test_fallback_without_the_state_cannot_know_the_history(kind: str) -> None:
    """It answers a request that is whole, and says that nothing is stored."""
    failing = b"HTTP/1.1 500 no\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    chains = {"fallbacks": [{"native": [kind]}]}
    entries: list[tuple[str, dict[str, Any]]] = [("native", STATE), (kind, {})]
    async with serving(*entries, answer=failing, router_settings=chains) as (proxy, provider):
        whole = await ask(proxy, "native")
        rest = await ask(proxy, "native", previous_response_id="resp_theirs")

    assert (whole.status, whole.json["store"]) == (200, False)
    assert whole.json["id"] != CHAT["id"]
    assert len(whole.json["id"]) == 53
    assert rest.status in (400, 500)
    assert [path for path in provider.paths if "responses" not in path] == provider.paths[1:2]


async def test_fallback_of_the_same_format_without_the_state_is_not_asked_for_the_history() -> None:
    failing = b"HTTP/1.1 500 no\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    chains = {"fallbacks": [{"native": ["other"]}]}
    entries: list[tuple[str, dict[str, Any]]] = [("native", STATE), ("other", {"kind": "native"})]
    async with serving(*entries, answer=failing, router_settings=chains) as (proxy, provider):
        reply = await ask(proxy, "native", previous_response_id="resp_theirs")

    assert reply.status in (400, 500)
    assert len(provider.paths) == 1


@pytest.mark.parametrize("allowed", [False, True])
async def test_stored_responses_are_for_one_key_unless_the_entry_shares_them(allowed: bool) -> None:
    """The provider does not tell one key's responses from another's."""
    async with serving(("native", {**STATE, "provider_objects": allowed}), keys=2) as (proxy, provider):
        id_ = (await ask(proxy, "native", "ann")).json["id"]
        reply = await ask(proxy, "native", "bob", previous_response_id=id_)

    assert (reply.status, len(provider.paths)) == ((200, 2) if allowed else (400, 1))
    if not allowed:
        assert reply.error["code"] == "previous_response_not_found"


async def test_unknown_id_of_the_provider_is_a_refusal() -> None:
    """The words are the provider's. The request is not repeated without its history."""
    body = json.dumps(
        {
            "error": {
                "message": "Previous response with id 'resp_gone' not found.",
                "type": "invalid_request_error",
                "param": "previous_response_id",
                "code": "previous_response_not_found",
            }
        }
    ).encode()
    refusing = b"HTTP/1.1 400 no\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )
    async with serving(("native", STATE), answer=refusing) as (proxy, provider):
        reply = await ask(proxy, "native", input=[OUTPUT], previous_response_id="resp_gone")

    assert (reply.status, len(provider.paths)) == (400, 1)
    assert "resp_gone" in reply.error["message"]
    assert (reply.error["code"], reply.error["param"]) == (
        "previous_response_not_found",
        "previous_response_id",
    )


@pytest.mark.parametrize("stream", [False, True])
async def test_answer_that_a_repair_changed_keeps_the_providers_names(stream: bool) -> None:
    """The client continues by the id, whoever wrote the rest of the answer."""
    tool = {
        "type": "function",
        "name": "f",
        "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}},
    }
    broken = {**CALL, "arguments": '{"x":1'}
    answer = stream_of([broken]) if stream else response([broken])
    async with serving(("native", STATE), answer=answer) as (proxy, _):
        reply = await ask(proxy, "native", tools=[tool], stream=stream)

    got = last_of(reply, stream)
    assert got["id"] == "resp_theirs"


async def test_chats_of_such_a_model_are_as_ever() -> None:
    async with serving(("native", STATE)) as (proxy, _):
        given = {"model": "native", "messages": [{"role": "user", "content": "Hi."}]}
        reply = await proxy.post(given, "/v1/chat/completions")

    assert reply.status == 200, reply.raw


@pytest.mark.parametrize(
    "given", [[REFERENCE], [REFERENCE, {"type": "compaction", "encrypted_content": "gAAAA"}]]
)
async def test_stored_thoughts_are_for_one_key_too(given: list[Any]) -> None:
    """A model could be asked to repeat another client's thoughts."""
    items = [*given, {"role": "user", "content": "What did you think?"}]
    async with serving(("native", STATE), keys=2) as (proxy, provider):
        reply = await ask(proxy, "native", input=items)

    assert (reply.status, provider.paths) == (400, [])
    assert "provider_objects" in reply.error["message"]


async def test_fallback_with_the_state_stores_nothing_for_a_model_without_it() -> None:
    """The client continues by the proxy's id, and the thoughts come encrypted."""
    failing = b"HTTP/1.1 500 no\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    chains = {"fallbacks": [{"chat": ["native"]}]}
    entries: list[tuple[str, dict[str, Any]]] = [("chat", {}), ("native", STATE)]
    async with serving(*entries, chat_answer=failing, router_settings=chains) as (proxy, provider):
        first = await ask(proxy, "chat")
        second = await ask(proxy, "chat", previous_response_id=first.json["id"])

    assert (first.status, second.status) == (200, 200)
    assert len(first.json["id"]) == 53
    assert [json.loads(body)["store"] for body in provider.bodies[1::2]] == [False, False]
    assert json.loads(provider.bodies[3])["input"][1] == MESSAGE


async def test_thought_beside_the_name_of_a_response_is_known_too() -> None:
    """Nothing of such a request is mended here."""
    given = [{"type": "reasoning", "id": "rs_1", "summary": []}, OUTPUT]
    async with serving(("native", STATE)) as (proxy, provider):
        reply = await ask(proxy, "native", input=given, previous_response_id="resp_theirs")

    assert reply.status == 200, reply.raw
    assert provider.asked["input"] == given
