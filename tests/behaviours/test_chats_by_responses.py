"""Tests that chat clients reach models which answer in the Responses API alone, and clients of that API as well.

The provider judges each request as OpenAI does, and refuses chats. It stands at an address of this process, so that the
operator says which models it is: xAI's by litellm's table, and any other by ``model_info.mode``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from openai import AsyncOpenAI, BadRequestError
from pydantic import BaseModel

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.emulated import Emulator
from tests.support.proxied import MODEL, Proxied, proxied, settings_of
from tests.support.responses_emulator import serving_responses

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Says the weather.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}
TIME: dict[str, Any] = {"type": "function", "function": {"name": "get_time"}}
TOOLS: Any = [WEATHER, TIME]
HELLO: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}]
CALL_BOTH: Any = [{"role": "user", "content": "Call get_weather and get_time."}]
LISTED = ("xai/grok-4.20-multi-agent", None)
SAID = ("openai/gpt-9-codex", "responses")
UNKNOWN = ("openai/gpt-9-codex", None)


class City(BaseModel):
    """A structured answer."""

    name: str


@asynccontextmanager
async def asking(
    model: tuple[str, str | None] = SAID, **params: Any
) -> AsyncIterator[tuple[AsyncOpenAI, Emulator, Proxied]]:
    """Serve the proxy in front of a provider without chats. *model* is its name, and the mode that the entry says."""
    name, mode = model
    async with serving_responses() as provider, asyncio.timeout(60):
        entry: dict[str, Any] = {
            "model_name": MODEL,
            "litellm_params": {"model": name, "api_base": provider.base_url, "api_key": "k", **params},
        }
        if mode is not None:
            entry["model_info"] = {"mode": mode}
        settings = settings_of(model_list=[entry])
        async with (
            proxied(settings, SelectingUpstream.for_settings(settings)) as proxy,
            AsyncOpenAI(base_url=f"{proxy.origin}/v1", api_key="none", max_retries=0) as client,
        ):
            yield client, provider, proxy


def asked(provider: Emulator) -> dict[str, Any]:
    """Return the body of the provider's last request, which it has accepted."""
    last = provider.requests[-1]
    assert last.refusal is None
    assert last.path == "/v1/responses"
    body: dict[str, Any] = last.body
    return body


@pytest.mark.parametrize("model", [LISTED, SAID])
async def test_chat_is_asked_as_a_response_and_answered_as_a_chat(model: tuple[str, str | None]) -> None:
    async with asking(model) as (client, provider, _):
        whole = await client.chat.completions.create(
            model=MODEL, messages=HELLO, max_tokens=5, stop=["x"], seed=1, verbosity="low", user="u"
        )
        body = asked(provider)

    assert whole.object == "chat.completion"
    assert whole.choices[0].finish_reason == "stop"
    assert (whole.choices[0].message.content or "").startswith("You wrote")
    assert whole.usage is not None
    assert whole.usage.prompt_tokens > 0
    assert body == {
        "model": model[0].partition("/")[2],
        "input": [
            {"type": "message", "role": "system", "content": "Be brief."},
            {"type": "message", "role": "user", "content": "Hello."},
        ],
        "max_output_tokens": 16,
        "text": {"verbosity": "low"},
        "user": "u",
        "store": False,
    }


async def test_name_of_a_participant_and_a_small_limit_are_reported() -> None:
    async with asking() as (client, provider, _):
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=[{"role": "user", "content": "Hi.", "name": "bo"}], max_tokens=5, stop="x"
        )
        body = asked(provider)

    assert raw.headers["x-turnright-changes"] == "dialect=1,parameters=1"
    assert body["input"] == [{"type": "message", "role": "user", "content": "Hi."}]


async def test_several_answers_are_refused() -> None:
    async with asking() as (client, provider, _):
        with pytest.raises(BadRequestError, match="'n' must be 1 at most"):
            await client.chat.completions.create(model=MODEL, messages=HELLO, n=2)

    assert not provider.requests


@pytest.mark.parametrize("model", [LISTED, SAID])
async def test_streamed_chat_has_all_that_a_chat_has(model: tuple[str, str | None]) -> None:
    async with asking(model) as (client, provider, _):
        stream = await client.chat.completions.create(
            model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        body = asked(provider)

    choices = [choice for chunk in chunks for choice in chunk.choices]
    assert choices[0].delta.role == "assistant"
    assert "".join(choice.delta.content or "" for choice in choices).startswith("You wrote")
    assert [choice.finish_reason for choice in choices if choice.finish_reason] == ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens > 0
    assert body["stream"] is True
    assert "stream_options" not in body


@pytest.mark.parametrize("streamed", [False, True])
async def test_tool_loop_with_parallel_calls_goes_on(streamed: bool) -> None:
    """Calls come with places, ids and whole arguments. Their results go back as items."""
    async with asking() as (client, provider, _):
        if streamed:
            async with client.chat.completions.stream(
                model=MODEL, messages=CALL_BOTH, tools=TOOLS[:1]
            ) as events:
                first = await events.get_final_completion()
        else:
            first = await client.chat.completions.create(  # type: ignore[assignment]
                model=MODEL, messages=CALL_BOTH, tools=TOOLS, tool_choice="required"
            )
        message = first.choices[0].message
        calls = message.tool_calls or []
        history = [
            *CALL_BOTH,
            {"role": "assistant", "content": None, "tool_calls": [call.model_dump() for call in calls]},
            *({"role": "tool", "tool_call_id": call.id, "content": "sunny"} for call in calls),
        ]
        tools = asked(provider)["tools"]
        second = await client.chat.completions.create(model=MODEL, messages=history, tools=TOOLS)
        items = asked(provider)["input"]

    assert first.choices[0].finish_reason == "tool_calls"
    names = ["get_weather"] if streamed else ["get_weather", "get_time"]
    functions = [call.model_dump()["function"] for call in calls]
    assert [function["name"] for function in functions] == names
    assert json.loads(functions[0]["arguments"]) == {"city": "some city"}
    assert [tool["strict"] for tool in tools] == [True, False][: len(tools)]
    assert [item["type"] for item in items[1:]] == ["function_call"] * len(names) + [
        "function_call_output"
    ] * len(names)
    assert second.choices[0].message.content == "I have read the tool results."


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("none", "none"),
        (
            {"type": "function", "function": {"name": "get_time"}},
            {"type": "function", "name": "get_time"},
        ),
    ],
)
async def test_tool_choice_has_the_flat_form(choice: Any, sent: Any) -> None:
    async with asking() as (client, provider, _):
        answer = await client.chat.completions.create(
            model=MODEL, messages=CALL_BOTH, tools=TOOLS, tool_choice=choice, parallel_tool_calls=False
        )
        body = asked(provider)

    calls = answer.choices[0].message.tool_calls or []
    called = [call.model_dump()["function"]["name"] for call in calls]
    assert (body["tool_choice"], body["parallel_tool_calls"]) == (sent, False)
    assert called == ([] if choice == "none" else ["get_time"])


async def test_structured_answer_is_parsed() -> None:
    async with asking() as (client, provider, _):
        provider.faults.append({"text": '{"name": "Bern"}'})
        parsed = await client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=City)
        form = asked(provider)["text"]["format"]

    assert parsed.choices[0].message.parsed == City(name="Bern")
    assert (form["type"], form["name"], form["strict"]) == ("json_schema", "City", True)
    assert form["schema"]["properties"]["name"]["type"] == "string"


async def test_images_and_files_go_out_as_parts() -> None:
    png = "data:image/png;base64,iVBORw0KGgo="
    content: Any = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": png, "detail": "low"}},
        {
            "type": "file",
            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg=="},
        },
    ]
    async with asking() as (client, provider, _):
        await client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
        [item] = asked(provider)["input"]

    assert [part["type"] for part in item["content"]] == ["input_text", "input_image", "input_file"]
    assert item["content"][1] == {"type": "input_image", "image_url": png, "detail": "low"}


async def test_client_of_the_same_api_is_served_natively() -> None:
    """The client's own bytes go out, and its thoughts come back encrypted by the provider."""
    async with asking() as (client, provider, _):
        given: Any = {"model": MODEL, "input": [{"role": "user", "content": "Hello."}], "truncation": "auto"}
        answer = await client.responses.create(**given)
        body = asked(provider)

    assert answer.output_text.startswith("You wrote")
    assert body["truncation"] == "auto"
    assert body["input"] == given["input"]


async def test_unknown_model_without_chats_is_asked_again_and_then_at_once() -> None:
    """The provider's 404 says that the model has no chats. Four conversations teach it for all later ones."""
    async with asking(UNKNOWN) as (client, provider, proxy):
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL, messages=HELLO, stop=["x"], max_tokens=3
        )
        paths = [request.path for request in provider.requests]
        body = asked(provider)
        for number in range(6):
            provider.requests.clear()
            said = [{"role": "user", "content": f"Conversation {number}."}]
            await proxy.post({"model": MODEL, "messages": said})
        later = [request.path for request in provider.requests]

    assert raw.headers["x-turnright-changes"] == "repair=3"
    assert paths == ["/v1/chat/completions", "/v1/responses"]
    assert (body["max_output_tokens"], "stop" in body) == (16, False)
    assert later == ["/v1/responses"]


@pytest.mark.parametrize(
    ("effort", "tools", "path"),
    [
        (None, [TIME], "/v1/responses"),
        ("low", [TIME], "/v1/responses"),
        ("none", [TIME], "/v1/chat/completions"),
        ("low", None, "/v1/chat/completions"),
    ],
)
async def test_tools_of_a_model_that_reasons_take_the_responses_api(
    effort: str | None, tools: Any, path: str
) -> None:
    """From GPT-5.4 on, OpenAI's and Azure's chats refuse functions while the model reasons."""
    async with serving_responses() as provider, asyncio.timeout(60):
        base = provider.base_url.removesuffix("/v1")
        params = {"model": "azure/gpt-5.5", "api_base": base, "api_key": "k", "api_version": "v1"}
        settings = settings_of({MODEL: params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            body = {
                "model": MODEL,
                "messages": HELLO,
                "reasoning_effort": effort,
                "tools": tools,
                "max_tokens": 5,
            }
            given = {name: value for name, value in body.items() if value is not None}
            await proxy.post(given)
        first = provider.requests[0]

    assert first.path == f"/openai{path}"
    if path == "/v1/responses":
        assert first.refusal is None
        assert first.body["max_output_tokens"] == 16
