"""Tests the emulators of Mistral, DeepSeek and chat templates through OpenAI's client: ids, reasoning and errors."""

import re
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.support.builders import assistant, call, tool, user
from tests.support.chat_emulator import DEEPSEEK, MISTRAL, TEMPLATED
from tests.support.emulated import serving
from tests.support.openai_emulator.wire import ChatWire
from tests.support_tests.chat_cases import function

ASKING: Any = user("Call grep and read_file now.")
TOOLS: Any = [function("grep"), function("read_file")]

WIRES = {
    "mistral-large-latest": (MISTRAL, r"[a-zA-Z0-9]{9}"),
    "deepseek-reasoner": (DEEPSEEK, r"call_[0-9a-z_-]+"),
    "mistralai/Devstral-Small-2507": (TEMPLATED, r"chatcmpl-tool-[0-9a-f]{32}"),
}


def connected(base_url: str) -> AsyncOpenAI:
    """Return the real client, connected to an emulator."""
    return AsyncOpenAI(base_url=base_url, api_key="x", max_retries=0)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", WIRES)
async def test_calls_go_back(model: str, stream: bool) -> None:
    """Each answer's calls have new ids in the provider's style, and the emulator accepts these calls in a history."""
    wire, style = WIRES[model]
    async with serving(wire) as emulator, connected(emulator.base_url) as client:
        message = await ask(client, model, [ASKING], stream)
        again = await ask(client, model, [ASKING], stream)

        ids = [entry["id"] for entry in message["tool_calls"]]
        others = [entry["id"] for entry in again["tool_calls"]]
        assert all(re.fullmatch(style, call_id) for call_id in ids + others)
        assert len({*ids, *others}) == 4
        assert isinstance(message.get("reasoning_content"), str) is (model == "deepseek-reasoner")
        history = [ASKING, message, *(tool(call_id) for call_id in ids)]
        after = await ask(client, model, history, stream)
        assert after["content"] == "I have read the tool results."
        assert [record.refusal for record in emulator.requests] == [None, None, None]


async def ask(client: AsyncOpenAI, model: str, messages: Any, stream: bool) -> dict[str, Any]:
    """Return the message of an answer, streamed or not."""
    if not stream:
        answer = await client.chat.completions.create(model=model, messages=messages, tools=TOOLS)
        return answer.choices[0].message.model_dump(exclude_none=True)
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[int, Any] = {}
    chunks = await client.chat.completions.create(model=model, messages=messages, tools=TOOLS, stream=True)
    async for chunk in chunks:
        delta = chunk.choices[0].delta.model_dump(exclude_none=True)
        for name in ("content", "reasoning_content"):
            if delta.get(name):
                message[name] = message.get(name, "") + delta[name]
        for piece in delta.get("tool_calls", ()):
            if "id" in piece:
                calls[piece.pop("index")] = piece
            else:
                calls[piece["index"]]["function"]["arguments"] += piece["function"]["arguments"]
    return {**message, **({"tool_calls": list(calls.values())} if calls else {})}


@pytest.mark.parametrize(
    ("wire", "model", "messages", "caught"),
    [
        (MISTRAL, "mistral-large-latest", [ASKING, assistant("a")], openai.BadRequestError),
        (
            MISTRAL,
            "mistral-large-latest",
            [user("a", name="b")],
            openai.UnprocessableEntityError,
        ),
        (DEEPSEEK, "deepseek-chat", [ASKING, assistant(calls=[call("c")])], openai.BadRequestError),
        (TEMPLATED, "google/gemma-2-9b-it", [ASKING, ASKING], openai.BadRequestError),
        (TEMPLATED, "mistralai/Devstral-Small-2507", [ASKING, ASKING], openai.InternalServerError),
    ],
)
async def test_chat_emulators_refuse_in_their_providers_envelope(
    wire: ChatWire, model: str, messages: Any, caught: type[openai.APIStatusError]
) -> None:
    """An illegal history gets the provider's status and envelope, and the record of the request holds the refusal."""
    async with serving(wire) as emulator, connected(emulator.base_url) as client:
        with pytest.raises(caught) as told:
            await client.chat.completions.create(model=model, messages=messages)

        [record] = emulator.requests
        assert record.refusal is not None
        assert (record.status, told.value.status_code) == (record.refusal.status, record.refusal.status)
        assert told.value.response.json() == record.refusal.envelope()


@pytest.mark.parametrize("wire", [MISTRAL, DEEPSEEK, TEMPLATED])
async def test_scripted_error_has_its_providers_envelope(wire: ChatWire) -> None:
    """A scripted error comes in the provider's envelope, with the scripted headers."""
    async with serving(wire) as emulator, connected(emulator.base_url) as client:
        emulator.faults.append({"status": 429, "message": "Slow down.", "headers": {"Retry-After": "7"}})
        with pytest.raises(openai.RateLimitError) as told:
            await client.chat.completions.create(model="m", messages=[ASKING])

    assert told.value.response.headers["Retry-After"] == "7"
    assert "Slow down." in told.value.response.text
