"""Tests of LiteLLM against the emulator: calls and results, whole and streamed, on three generations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.emulator.conftest import Client

MODELS = ("gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash")
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": name,
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
    for name in ("get_weather", "get_time")
]
# litellm's aiohttp transport and its own models warn when they are collected. The emulator is not the cause.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Item '.*' on TypedDict class:UserWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]


@pytest.fixture
def litellm(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import litellm without its fetch of prices and without settings from the environment."""
    for name, value in {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "HF_HUB_OFFLINE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    import litellm

    return litellm


async def complete(litellm: Any, emulator: Client, name: str, messages: list[Any], *, stream: bool) -> Any:
    """Return the first choice of the answer, which is joined from chunks where it was streamed."""
    answer = await litellm.acompletion(
        model=f"gemini/{name}",
        api_base=f"{emulator.base}/v1beta",
        api_key="x",
        messages=messages,
        tools=TOOLS,
        stream=stream,
        max_retries=0,
        _skip_mcp_handler=True,
    )
    if stream:
        answer = litellm.stream_chunk_builder([chunk async for chunk in answer])
    return answer.choices[0]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("name", MODELS)
async def test_every_request_that_litellm_writes_in_a_tool_round_is_legal(
    litellm: Any, emulator: Client, name: str, stream: bool
) -> None:
    """The emulator refuses neither the first request nor the request with the results of parallel calls."""
    messages: list[Any] = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "get_weather and get_time in Paris"},
    ]
    asked = await complete(litellm, emulator, name, messages, stream=stream)
    calls = asked.message.tool_calls
    messages.append(asked.message.model_dump(exclude_none=True))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "sunny"} for call in calls]
    told = await complete(litellm, emulator, name, messages, stream=stream)

    assert [call.function.name for call in calls] == ["get_weather", "get_time"]
    assert asked.finish_reason == "tool_calls"
    assert told.message.content == 'I read 2 tool results: "sunny" from get_weather, "sunny" from get_time.'
    assert told.finish_reason == "stop"
    assert [entry["verdict"]["message"] for entry in await emulator.journal()] == [None, None]


async def test_broken_history_is_refused_through_litellm(litellm: Any, emulator: Client) -> None:
    """LiteLLM sends a call without its result, and raises the emulator's refusal as ``BadRequestError``."""
    call = {"id": "c1", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "and?"},
    ]

    with pytest.raises(litellm.BadRequestError, match="number of function response parts is equal"):
        await complete(litellm, emulator, MODELS[1], messages, stream=False)
