"""Tests of requests that only the provider of the Responses API can serve, on a real socket.

Each need is sent to a provider that speaks the format, to Gemini and to a server of chats: with one key, with two keys,
and with ``provider_objects``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from proxy.config import load_settings
from proxy.ingress.openai_responses.ids import make_response_id
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, head, piece, providing, whole
from tests.support.native_responses import CALL, MESSAGE, response, stream_of, write_stream
from tests.support.proxied import Proxied, Reply, proxied
from tests.support.responses_grammar import events_of
from tests.support.seen_requests import SeenRequests

PATH = "/v1/responses"
CLIENTS = {"ann": "sk-ann-0123456789abcdef", "bob": "sk-bob-0123456789abcdef"}
MODELS = {"native": "xai/grok-4", "gemini": "gemini/gemini-3.6-flash", "chat": "hosted_vllm/m"}
CHAT = {
    "id": "c",
    "object": "chat.completion",
    "model": "m",
    "created": 1,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}, "finish_reason": "stop"}],
}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]}


class Need(NamedTuple):
    """Fields of a request, the *param* of their refusal, and whether they name an object at the provider.

    What *can_be_left_out* is left out of a chat, and reported.
    """

    fields: Mapping[str, Any]
    param: str
    names_object: bool = True
    can_be_left_out: bool = False
    code: str = "invalid_request"
    status: int = 400


FILE = {"type": "input_file", "file_id": "file-1"}
NEEDS = {
    "prompt": Need({"prompt": {"id": "pmpt_1"}}, "prompt"),
    "file": Need({"input": [{"role": "user", "content": [FILE]}]}, "input[0].content[0].file_id"),
    "image": Need(
        {"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "file-1"}]}]},
        "input[0].content[0].file_id",
    ),
    "vector_store": Need(
        {"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]},
        "tools[0].vector_store_ids",
        can_be_left_out=True,
    ),
    "container": Need(
        {"tools": [{"type": "code_interpreter", "container": "cntr_1"}]},
        "tools[0].container",
        can_be_left_out=True,
    ),
    "connector": Need(
        {"tools": [{"type": "mcp", "server_label": "m", "connector_id": "connector_gmail"}]},
        "tools[0].connector_id",
        can_be_left_out=True,
    ),
    "used_container": Need(
        {
            "input": [
                {"role": "user", "content": "Go on."},
                {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "cntr_1"},
            ]
        },
        "input[1].container_id",
        can_be_left_out=True,
    ),
    "forced_tool": Need(
        {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
        "tool_choice",
        names_object=False,
    ),
    "compaction": Need(
        {"input": [{"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAx"}]},
        "input[0].encrypted_content",
        names_object=False,
        code="invalid_encrypted_content",
    ),
    "reference": Need(
        {"input": [{"role": "user", "content": "Hi."}, {"type": "item_reference", "id": "msg_theirs"}]},
        "input",
        code="not_found",
        status=404,
    ),
    "response": Need(
        {"previous_response_id": "resp_theirs"},
        "previous_response_id",
        code="previous_response_not_found",
    ),
    "conversation": Need(
        {"conversation": {"id": "conv_theirs"}}, "conversation", code="not_found", status=404
    ),
}


@asynccontextmanager
async def serving(
    *entries: tuple[str, Mapping[str, Any]],
    keys: int = 0,
    answer: Any = None,
    chat_answer: bytes | None = None,
    **sections: Any,
) -> AsyncIterator[tuple[Proxied, SeenRequests]]:
    """Serve the models of *entries*, each a name of :data:`MODELS` with further fields of its entry.

    All are asked at one server, which answers each path in its own format. *answer* replaces its response, or
    returns it for a body, and *chat_answer* replaces its chat.
    """
    provider = SeenRequests()

    async def script(exchange: Exchange) -> None:
        path = exchange.head.split()[1].decode()
        provider.paths.append(path)
        provider.bodies.append(exchange.body)
        if path.endswith("/responses"):
            given = response([MESSAGE]) if answer is None else answer
            given = given(exchange.body) if callable(given) else given
            if isinstance(given, list):
                await exchange.send(head(), piece(write_stream(given)), piece(b""))
            elif isinstance(given, bytes):
                await exchange.send(given)
            else:
                await exchange.send(whole(json.dumps(given).encode()))
        elif chat_answer is not None and "chat" in path:
            await exchange.send(chat_answer)
        else:
            await exchange.send(whole(json.dumps(CHAT if "chat" in path else GEMINI).encode()))

    async with providing(script) as server, asyncio.timeout(60):
        listed = []
        for name, fields in entries:
            params = {"api_base": f"http://127.0.0.1:{server.port}/v1", "api_key": KEY}
            kind = fields.get("kind", name)
            entry = {"model_name": name, "litellm_params": {"model": MODELS[kind], **params}}
            listed.append({**entry, **{key: value for key, value in fields.items() if key != "kind"}})
        file: dict[str, Any] = {"model_list": listed, "router_settings": {"num_retries": 0}}
        if keys:
            file["general_settings"] = {
                "keys": [{"name": name, "key": key} for name, key in [*CLIENTS.items()][:keys]]
            }
        for name, section in sections.items():
            file[name] = {**file.get(name, {}), **section}
        settings = load_settings(json.dumps(file).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, provider


async def ask(proxy: Proxied, model: str, client: str = "ann", **fields: Any) -> Reply:
    """Post a request for a response, with a client's key."""
    given = {"model": model, "input": "Hi.", **fields}
    return await proxy.post(given, PATH, {"Authorization": f"Bearer {CLIENTS[client]}"})


RIGHTS = {
    "one key": (1, {}),
    "no key": (0, {}),
    "two keys": (2, {}),
    "allowed": (2, {"provider_objects": True}),
}


@pytest.mark.parametrize("rights", RIGHTS)
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", NEEDS)
async def test_need_is_served_refused_or_reported(name: str, kind: str, rights: str) -> None:
    """A provider of the format gets the need as it came, unless it names an object that clients would share.

    Nothing goes upstream on a refusal.
    """
    need, (keys, allowed) = NEEDS[name], RIGHTS[rights]
    async with serving((kind, allowed), keys=keys) as (proxy, provider):
        reply = await ask(proxy, kind, **need.fields)

    if kind == "native" and not (rights == "two keys" and need.names_object):
        assert reply.status == 200, reply.raw
        assert provider.paths == ["/v1/responses"]
        sent = provider.asked
        for field, value in need.fields.items():
            assert sent[field] == value
        assert sent["store"] is False
        assert reply.headers.get("x-turnright-changes") is None
    elif kind != "native" and need.can_be_left_out:
        assert reply.status == 200, reply.raw
        assert "items=1" in reply.headers["x-turnright-changes"]
        assert b"_1" not in provider.bodies[0]
    else:
        assert (reply.status, provider.paths) == (need.status, [])
        error = reply.error
        assert (error["param"], error["code"]) == (need.param, need.code)
        assert "provider_objects" in error["message"] or kind != "native" or need.code != "invalid_request"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", ["prompt", "file", "vector_store", "forced_tool", "compaction"])
async def test_refusal_is_that_of_chats_where_the_plan_is_a_chat(name: str, stream: bool) -> None:
    """No item is mended in mode ``off``, so that a thought for another provider makes the request a chat."""
    need = NEEDS[name]
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    given = need.fields.get("input", [{"role": "user", "content": "Hi."}])
    async with serving(("native", {}), sanitize={"mode": "off"}) as (proxy, provider):
        reply = await ask(proxy, "native", **{**need.fields, "input": [*given, thought]}, stream=stream)

    assert (reply.status, provider.paths) == (need.status, [])
    assert (reply.error["param"], reply.error["code"]) == (need.param, need.code)


@pytest.mark.parametrize("mode", ["repair", "strict", "observe", "off"])
@pytest.mark.parametrize("name", ["prompt", "file", "forced_tool", "response"])
async def test_fallback_that_can_serve_the_need_is_asked(name: str, mode: str) -> None:
    need = NEEDS[name]
    chains = {"fallbacks": [{"gemini": ["chat", "native"]}]}
    models: list[tuple[str, Mapping[str, Any]]] = [(kind, {}) for kind in MODELS]
    async with serving(*models, router_settings=chains, sanitize={"mode": mode}) as (proxy, provider):
        reply = await ask(proxy, "gemini", **need.fields)

    assert reply.status == 200, reply.raw
    assert provider.paths == ["/v1/responses"]


@pytest.mark.parametrize("mode", ["repair", "strict"])
@pytest.mark.parametrize("name", ["prompt", "file", "vector_store", "response"])
async def test_deployment_of_the_pool_that_can_serve_the_need_is_asked(name: str, mode: str) -> None:
    """The balancer alone would choose any of them."""
    need = NEEDS[name]
    pool = [("m", {"kind": kind}) for kind in ("gemini", "native", "chat")]
    if need.can_be_left_out:
        pool = pool[1:2]
    async with serving(*pool, sanitize={"mode": mode}) as (proxy, provider):
        replies = [await ask(proxy, "m", **need.fields) for _ in range(4)]

    assert [reply.status for reply in replies] == [200] * 4
    assert set(provider.paths) == {"/v1/responses"}


async def test_file_in_a_message_that_is_written_anew_is_not_lost() -> None:
    """The message has a text in the place of the file."""
    given = [{"role": "user", "content": [FILE]}, {"role": "user", "content": "What is it?"}]
    async with serving(("native", {}), sanitize={"merge_same_role": True}) as (proxy, provider):
        reply = await ask(proxy, "native", input=given)

    assert provider.paths == [] or provider.asked["input"] == given
    assert provider.paths or (reply.status, reply.error["param"]) == (400, "input[0].content[0].file_id")


@pytest.mark.parametrize("name", ["prompt", "file", "response"])
async def test_operators_instructions_stand_before_what_the_provider_holds(name: str) -> None:
    need = NEEDS[name]
    async with serving(("native", {}), keys=1, general_settings={"instructions": "Be brief."}) as (
        proxy,
        provider,
    ):
        reply = await ask(proxy, "native", **need.fields)

    assert reply.status == 200, reply.raw
    assert b"Be brief." in provider.bodies[0]
    assert b"stored at the provider" not in provider.bodies[0]


async def test_client_gets_the_refusal_of_the_model_that_it_asked() -> None:
    """No fallback can serve the need."""
    chains = {"fallbacks": [{"gemini": ["chat"]}]}
    async with serving(("gemini", {}), ("chat", {}), router_settings=chains) as (proxy, provider):
        reply = await ask(proxy, "gemini", **NEEDS["file"].fields)

    assert (reply.status, reply.error["param"]) == (400, "input[0].content[0].file_id")
    assert provider.paths == []


async def test_entry_that_allows_objects_serves_beside_one_that_does_not() -> None:
    """With two keys, the deployments of a name may differ."""
    pool: list[tuple[str, Mapping[str, Any]]] = [
        ("m", {"kind": "native"}),
        ("m", {"kind": "native", "provider_objects": True}),
    ]
    async with serving(*pool, keys=2) as (proxy, provider):
        replies = [await ask(proxy, "m", **NEEDS["file"].fields) for _ in range(4)]

    assert [reply.status for reply in replies] == [200] * 4
    assert len(provider.paths) == 4


@pytest.mark.parametrize("keys", [0, 2])
async def test_id_that_was_lost_here_never_goes_to_the_provider(keys: int) -> None:
    """The provider's account may have another client's response, and an answer without its history is none."""
    for allowed in ({}, {"provider_objects": True}):
        async with serving(("native", allowed), keys=keys) as (proxy, provider):
            lost = await ask(proxy, "native", previous_response_id=make_response_id("lost"))
            item = {"type": "item_reference", "id": f"msg_{1:042x}"}
            gone = await ask(proxy, "native", input=[item, {"role": "user", "content": "Hi."}])

        assert (lost.status, gone.status, provider.paths) == (400, 404, [])
        assert lost.error["code"] == "previous_response_not_found"


async def test_one_keys_stored_objects_are_unknown_to_another() -> None:
    """Not even a deployment that shares the provider's objects sends an own id."""
    async with serving(("native", {"provider_objects": True}), keys=2) as (proxy, provider):
        first = (await ask(proxy, "native", "ann")).json
        asked = len(provider.paths)
        stolen = await ask(proxy, "native", "bob", previous_response_id=first["id"])

    assert (stolen.status, len(provider.paths)) == (400, asked)
    assert stolen.error["code"] == "previous_response_not_found"


async def test_rest_of_a_conversation_at_the_provider_is_not_repaired() -> None:
    """The call of a lone result is at the provider."""
    output = {"type": "function_call_output", "call_id": "call_theirs", "output": "42"}
    async with serving(("native", {})) as (proxy, provider):
        reply = await ask(proxy, "native", input=[output], previous_response_id="resp_theirs")
        alone = await ask(proxy, "native", previous_response_id="resp_theirs", input=None)

    assert (reply.status, alone.status) == (200, 200)
    assert json.loads(provider.bodies[0])["input"] == [output]
    assert json.loads(provider.bodies[0])["previous_response_id"] == "resp_theirs"
    assert reply.json["store"] is False
    assert reply.json["previous_response_id"] == "resp_theirs"


@pytest.mark.parametrize("name", ["response", "conversation", "reference", "prompt", "file", "compaction"])
async def test_tokens_of_what_the_provider_holds_are_not_estimated(name: str) -> None:
    """The estimate would be that of the rest."""
    need = NEEDS[name]
    async with serving(("native", {})) as (proxy, provider):
        given = {"model": "native", "input": "Hi.", **need.fields}
        reply = await proxy.post(given, f"{PATH}/input_tokens")
        shown = await proxy.post(given, "/v1/explain?format=openai_responses")

    assert (reply.status, reply.error["code"], reply.error["param"]) == (need.status, need.code, need.param)
    assert (shown.status, shown.json["refusal"], shown.json["verdict"]) == (200, None, "unchanged")
    assert provider.paths == []


@pytest.mark.parametrize("name", ["vector_store", "forced_tool"])
async def test_tokens_of_tools_that_the_provider_runs_are_no_part_of_the_estimate(name: str) -> None:
    async with serving(("native", {})) as (proxy, _):
        given = {"model": "native", "input": "Hi.", **NEEDS[name].fields}
        reply = await proxy.post(given, f"{PATH}/input_tokens")

    assert reply.status == 200, reply.raw


async def test_instructions_stand_beside_a_prompt_without_input() -> None:
    async with serving(("native", {})) as (proxy, provider):
        reply = await ask(proxy, "native", prompt={"id": "pmpt_1"}, input=None, instructions="Be brief.")

    assert reply.status == 200, reply.raw
    assert "input" not in provider.asked or provider.asked["input"] is None
    assert provider.asked["instructions"] == "Be brief."


@pytest.mark.parametrize("name", ["prompt", "file", "response"])
async def test_summary_of_what_the_provider_holds_is_refused(name: str) -> None:
    """The model of the request would summarize a chat, without the content."""
    need = NEEDS[name]
    async with serving(("native", {})) as (proxy, provider):
        reply = await proxy.post({"model": "native", "input": "Hi.", **need.fields}, f"{PATH}/compact")

    assert (reply.status, reply.error["param"], provider.paths) == (need.status, need.param, [])


@pytest.mark.parametrize("stream", [False, True])
async def test_streams_serve_needs_too(stream: bool) -> None:
    answer = stream_of([MESSAGE]) if stream else response([MESSAGE])
    async with serving(("native", {}), answer=answer) as (proxy, _):
        reply = await ask(proxy, "native", **NEEDS["prompt"].fields, stream=stream)

    last = events_of(reply.raw)[-1]["response"] if stream else reply.json
    assert last["output"] == [MESSAGE]


@pytest.mark.parametrize("stream", [False, True])
async def test_call_of_a_tool_that_the_stored_prompt_declares_is_answered(stream: bool) -> None:
    """Nothing here knows the prompt's tools."""
    answer = stream_of([CALL]) if stream else response([CALL])
    async with serving(("native", {}), answer=answer) as (proxy, provider):
        reply = await ask(proxy, "native", **NEEDS["prompt"].fields, stream=stream)

    last = events_of(reply.raw)[-1]["response"] if stream else reply.json
    assert (last["status"], last["output"]) == ("completed", [CALL])
    assert len(provider.paths) == 1


async def test_repair_that_would_lose_the_need_is_not_made() -> None:
    """A tool that a repair simplifies makes the request a chat, which would be answered without the prompt.

    The repair is learned from requests without a need, and is not made in advance either.
    """
    error = {"message": "Invalid schema for function 'f'.", "code": "invalid_function_parameters"}
    refusing = whole(json.dumps({"error": error}).encode(), status="400 Bad Request")
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": [""]}}}
    odd = {"type": "function", "name": "f", "parameters": schema}

    def answer(body: bytes) -> Any:
        return refusing if b"enum" in body else response([MESSAGE])

    async with serving(("native", {}), answer=answer) as (proxy, provider):
        for turn in range(12):
            assert (await ask(proxy, "native", input=f"Turn {turn}.", tools=[odd])).status == 200
        learned = len(provider.paths)
        replies = [await ask(proxy, "native", tools=[odd], **NEEDS["prompt"].fields) for _ in range(2)]
        after = provider.bodies[learned:]

    assert learned < 24
    assert [reply.status for reply in replies] == [400, 400]
    assert after
    assert all(json.loads(sent)["prompt"] == {"id": "pmpt_1"} for sent in after)
