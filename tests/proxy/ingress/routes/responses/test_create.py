"""Tests of ``POST /v1/responses`` on a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.sessions.sessions import Sessions
from tests.proxy.ingress.routes.responses.asking import KEYS, PATH, ask, bearer, sent, serving
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults
from tests.support.scripted_upstream import STOP, answer, chunk, say

CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
TOOL = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}


async def test_whole_response_is_complete_and_has_every_key() -> None:
    async with serving() as (proxy, upstream):
        reply = await ask(proxy, instructions="Be brief.")

    assert (reply.status, find_response_faults(reply.json)) == (200, [])
    assert (reply.json["status"], reply.json["store"]) == ("completed", True)
    assert sent(upstream) == [("system", "Be brief."), ("user", "Hello.")]


async def test_stream_follows_the_grammar() -> None:
    async with serving() as (proxy, _):
        reply = await ask(proxy, stream=True)

    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert find_stream_faults(reply.raw) == []


async def test_path_is_served_without_its_prefix_too() -> None:
    async with serving() as (proxy, _):
        assert (await proxy.post({"model": "gpt", "input": "hi"}, "/responses")).status == 200


@pytest.mark.parametrize("stream", [False, True])
async def test_next_turn_has_the_words_of_the_turns_before(stream: bool) -> None:
    """The response is stored before the client gets the last of it. Instructions are not carried over."""
    async with serving() as (proxy, upstream):
        first = await ask(proxy, "One.", instructions="Only now.", stream=stream)
        id_ = _id_in(first, stream)
        second = await ask(proxy, "Two.", previous_response_id=id_)
        third = await ask(proxy, "Three.", previous_response_id=second.json["id"])

    assert third.json["previous_response_id"] == second.json["id"]
    said = [("user", "One."), ("assistant", "Good day."), ("user", "Two."), ("assistant", "Good day.")]
    assert sent(upstream) == [*said, ("user", "Three.")]


async def test_output_of_a_stored_call_finds_its_call() -> None:
    async with serving([answer(None, tool_calls=[CALL])]) as (proxy, upstream):
        first = await ask(proxy, tools=[TOOL])
        [item] = first.json["output"]
        output = {"type": "function_call_output", "call_id": item["call_id"], "output": "42"}
        await ask(proxy, [output], previous_response_id=first.json["id"], tools=[TOOL])

    assert [role for role, _ in sent(upstream)] == ["user", "assistant", "tool"]


async def test_history_that_is_sent_again_beside_its_id_is_not_doubled() -> None:
    async with serving() as (proxy, upstream):
        first = await ask(proxy, [{"role": "user", "content": "One.", "id": "msg_one"}])
        again = [{"role": "user", "content": "One.", "id": "msg_one"}, *first.json["output"]]
        await ask(proxy, [*again, {"role": "user", "content": "Two."}], previous_response_id=first.json["id"])

    assert sent(upstream) == [("user", "One."), ("assistant", "Good day."), ("user", "Two.")]


async def test_reference_is_replaced_by_the_stored_item() -> None:
    """The AI SDK sends references in the place of its last answer."""
    async with serving() as (proxy, upstream):
        first = await ask(proxy, "One.")
        reference = {"type": "item_reference", "id": first.json["output"][0]["id"]}
        await ask(
            proxy, [{"role": "user", "content": "One."}, reference, {"role": "user", "content": "Two."}]
        )

    assert sent(upstream) == [("user", "One."), ("assistant", "Good day."), ("user", "Two.")]


async def test_response_of_another_key_is_as_unknown_as_one_that_never_was() -> None:
    async with serving(general_settings={"keys": KEYS}) as (proxy, upstream):
        own = (await ask(proxy, client="ann")).json["id"]
        refused = [await ask(proxy, client="bob", previous_response_id=id_) for id_ in (own, "resp_none")]

    assert [reply.status for reply in refused] == [400, 400]
    texts = [reply.error["message"].replace(own, "resp_none") for reply in refused]
    assert texts[0] == texts[1]
    assert refused[0].error["code"] == "previous_response_not_found"
    assert refused[0].error["param"] == "previous_response_id"
    assert len(upstream.exchanges) == 1


async def test_response_without_store_is_not_kept() -> None:
    async with serving() as (proxy, _):
        first = await ask(proxy, store=False)
        assert first.json["store"] is False
        assert (await proxy.get(f"{PATH}/{first.json['id']}")).status == 404
        assert (await ask(proxy, previous_response_id=first.json["id"])).status == 400


async def test_nothing_is_stored_where_sessions_are_off() -> None:
    """The answer says so, and the refusal of an id names the setting."""
    async with serving(sessions={"enabled": False}) as (proxy, _):
        first = await ask(proxy)
        assert first.json["store"] is False
        refused = await ask(proxy, previous_response_id=first.json["id"])
    assert "sessions.enabled" in refused.error["message"]


async def test_unknown_reference_is_refused_unless_it_is_a_thought() -> None:
    async with serving() as (proxy, upstream):
        refused = await ask(proxy, [{"type": "item_reference", "id": f"msg_{0:042x}"}])
        passed = await ask(
            proxy, [{"type": "item_reference", "id": "rs_none"}, {"role": "user", "content": "Hi."}]
        )
    assert (refused.status, passed.status) == (404, 200)
    assert "not persisted" in refused.error["message"]
    assert passed.headers["x-turnright-changes"] == "items=1"
    assert sent(upstream) == [("user", "Hi.")]


@pytest.mark.parametrize("method", ["history", "conversation_history"])
async def test_request_is_refused_where_its_conversation_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """An answer without the conversation would be worse than none."""

    async def fail(*_: Any, **__: Any) -> None:
        raise SessionsUnavailable

    monkeypatch.setattr(Sessions, method, fail)
    named = {"history": "previous_response_id", "conversation_history": "conversation"}[method]
    async with serving() as (proxy, upstream):
        refused = await ask(proxy, **{named: "resp_or_conv_1"})
    assert (refused.status, upstream.exchanges) == (503, [])


@pytest.mark.parametrize("stream", [False, True])
async def test_answer_that_cannot_be_stored_says_so(monkeypatch: pytest.MonkeyPatch, stream: bool) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise SessionsUnavailable

    monkeypatch.setattr(Sessions, "keep_response", fail)
    async with serving() as (proxy, _):
        reply = await ask(proxy, stream=stream)
    last = _last_of(reply) if stream else reply.json
    assert (last["status"], last["store"]) == ("completed", False)


async def test_conversation_grows_by_each_response() -> None:
    async with serving() as (proxy, upstream):
        made = await proxy.post({"items": [{"role": "user", "content": "Zero."}]}, "/v1/conversations")
        for words in ("One.", "Two."):
            assert (await ask(proxy, words, conversation=made.json["id"])).status == 200
    assert [content for role, content in sent(upstream) if role == "user"] == ["Zero.", "One.", "Two."]


async def test_old_turns_are_left_out_and_reported() -> None:
    async with serving(sessions={"turns": 2}) as (proxy, upstream):
        reply = await ask(proxy, "0.")
        for number in range(1, 6):
            reply = await ask(proxy, f"{number}.", previous_response_id=reply.json["id"])
    kept = [content for role, content in sent(upstream) if role == "user"]
    assert kept[-1] == "5."
    assert 2 <= len(kept) <= 3
    assert reply.headers["x-turnright-changes"] == "session=1"


async def test_fault_in_an_item_is_named_by_its_place_in_the_request() -> None:
    """Items of the stored conversation do not count."""
    async with serving() as (proxy, _):
        first = await ask(proxy)
        refused = await ask(
            proxy,
            [{"role": "user", "content": "a"}, {"role": "user", "content": 7}],
            previous_response_id=first.json["id"],
        )
    assert (refused.status, refused.error["param"]) == (400, "input[1].content")


async def test_stream_that_breaks_off_ends_with_an_error_and_a_failed_response() -> None:
    async with serving([say("Good "), RuntimeError("broken")]) as (proxy, _):
        reply = await ask(proxy, stream=True)
        id_ = _last_of(reply)["id"]
        kept = await proxy.get(f"{PATH}/{id_}")
    assert find_stream_faults(reply.raw, complete=False) == []
    assert b"event: error" in reply.raw
    assert b"event: response.failed" in reply.raw
    assert kept.status == 404


@pytest.mark.parametrize("stream", [False, True])
async def test_wish_for_a_compaction_gets_one_item_that_later_requests_accept(stream: bool) -> None:
    async with serving(
        [chunk({"role": "assistant"}), say("They met."), STOP] if stream else [answer("They met.")]
    ) as (
        proxy,
        upstream,
    ):
        items = [{"role": "user", "content": "Long."}, {"type": "compaction_trigger"}]
        reply = await ask(proxy, items, stream=stream)
        response = _last_of(reply) if stream else reply.json
        [item] = response["output"]
        await ask(proxy, [item, {"role": "user", "content": "Go on."}])
    if stream:
        assert find_stream_faults(reply.raw) == []
    assert item["type"] == "compaction"
    assert "They met." in str(sent(upstream))


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"background": True}, "background"),
        ({"prompt": "pmpt_1"}, "prompt"),
        ({"input": 7}, "input"),
        ({"temperature": "hot"}, "temperature"),
    ],
)
async def test_faulty_field_is_refused_before_anything_is_sent(fields: dict[str, Any], param: str) -> None:
    async with serving() as (proxy, upstream):
        refused = await ask(proxy, **({"given": fields.pop("input")} if "input" in fields else {}), **fields)
    assert (refused.status, refused.error["param"], upstream.exchanges) == (400, param, [])


async def test_key_is_required_where_keys_are_configured() -> None:
    async with serving(general_settings={"keys": KEYS}) as (proxy, _):
        assert (await ask(proxy)).status == 401
        assert (await proxy.get(f"{PATH}/resp_x")).status == 401
        assert (await proxy.get(f"{PATH}/resp_x", bearer("ann"))).status == 404


def _last_of(reply: Any) -> Any:
    return events_of(reply.raw)[-1]["response"]


def _id_in(reply: Any, stream: bool) -> str:
    return str(_last_of(reply)["id"] if stream else reply.json["id"])
