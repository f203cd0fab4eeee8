"""Tests of embeddings and text completions with OpenAI's own client, on both transports."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.openai_emulator.embeddings import vector_of

EMBEDDERS = ("openai/text-embedding-3-small", "gemini/gemini-embedding-001")
INSTRUCT = "openai/gpt-3.5-turbo-instruct"
CHATTING = "gemini/gemini-3.6-flash"

embedders = pytest.mark.parametrize("model", EMBEDDERS)
writers = pytest.mark.parametrize("model", [INSTRUCT, CHATTING])


@pytest.fixture
async def client(
    served: Served, openai_emulator: OpenAIEmulator, gemini: Gemini
) -> AsyncIterator[AsyncOpenAI]:
    """Return OpenAI's client, without retries of its own. Both providers' journals are empty."""
    async with AsyncOpenAI(base_url=served.base_url, api_key="none", max_retries=0, timeout=30) as client:
        yield client


@embedders
async def test_embeddings_in_both_formats(client: AsyncOpenAI, model: str) -> None:
    """The client asks for base64 by default, and decodes the same vectors from base64 as from numbers."""
    texts = ["one", "two", "one"]
    packed = await client.embeddings.create(model=model, input=texts, dimensions=8)
    plain = await client.embeddings.create(model=model, input=texts, dimensions=8, encoding_format="float")
    text = await client.embeddings.create(model=model, input="two", dimensions=8, encoding_format="base64")

    assert packed.object == "list"
    assert packed.model == model.partition("/")[2]
    assert [one.index for one in packed.data] == [0, 1, 2]
    assert [one.object for one in packed.data] == ["embedding"] * 3
    vectors = [one.embedding for one in plain.data]
    assert [one.embedding for one in packed.data] == vectors
    assert [len(vector) for vector in vectors] == [8, 8, 8]
    assert vectors[0] == vectors[2] != vectors[1]
    assert type(text.data[0].embedding).__name__ == "str"
    assert packed.usage.total_tokens == packed.usage.prompt_tokens


async def test_tokens_are_passed_on(client: AsyncOpenAI, openai_emulator: OpenAIEmulator) -> None:
    """Token ids of one text and of several reach OpenAI unchanged, and each text gets one vector."""
    cases: list[tuple[Any, list[list[int]]]] = [([1, 2, 3], [[1, 2, 3]]), ([[1], [2, 3]], [[1], [2, 3]])]
    for tokens, texts in cases:
        answer = await client.embeddings.create(model=EMBEDDERS[0], input=tokens, encoding_format="float")
        assert [one.embedding for one in answer.data] == [vector_of(text) for text in texts]
        assert openai_emulator.requests[-1].body["input"] == tokens


async def test_tokens_mean_nothing_to_gemini(client: AsyncOpenAI, gemini: Gemini) -> None:
    """Gemini is not asked to embed token ids. The client gets a 400 that says that only texts are accepted."""
    with pytest.raises(openai.BadRequestError) as caught:
        await client.embeddings.create(model=EMBEDDERS[1], input=[1, 2, 3])

    assert caught.value.param == "input"
    assert "takes texts and no tokens" in caught.value.message
    assert gemini.journal() == []


@embedders
async def test_more_texts_than_gemini_takes_are_sent_in_parts(
    client: AsyncOpenAI, gemini: Gemini, model: str
) -> None:
    """More texts than Gemini takes at once are sent in parts. The client gets one answer, in the order of its texts."""
    texts = [f"text {at}" for at in range(230)]
    answer = await client.embeddings.create(model=model, input=texts, dimensions=4)
    last = await client.embeddings.create(model=model, input=texts[-1], dimensions=4)

    assert [one.index for one in answer.data] == list(range(230))
    assert answer.data[-1].embedding == last.data[0].embedding
    if model == EMBEDDERS[1]:
        sizes = [len(entry["body"].get("requests", [0])) for entry in gemini.journal()]
        assert sizes == [100, 100, 30, 1]


@writers
async def test_text_completion_is_the_same_whole_and_streamed(client: AsyncOpenAI, model: str) -> None:
    """A prompt is completed to the same text whole and streamed, with a finish reason."""
    whole = await client.completions.create(model=model, prompt="Once upon a time", max_tokens=50)
    stream = await client.completions.create(
        model=model, prompt="Once upon a time", max_tokens=50, stream=True
    )
    chunks = [chunk async for chunk in stream]

    assert (whole.object, whole.model) == ("text_completion", model.partition("/")[2])
    assert whole.choices[0].text
    assert whole.choices[0].finish_reason == "stop"
    assert whole.usage is not None
    assert whole.usage.completion_tokens > 0
    assert "".join(chunk.choices[0].text for chunk in chunks) == whole.choices[0].text
    reasons: list[Any] = [chunk.choices[0].finish_reason for chunk in chunks]
    assert [reason for reason in reasons if reason] == ["stop"]
    assert {chunk.object for chunk in chunks} == {"text_completion"}
    assert len({chunk.id for chunk in chunks}) == 1
    assert not any(chunk.usage for chunk in chunks)


@writers
async def test_usage_of_a_stream(client: AsyncOpenAI, model: str) -> None:
    """A stream ends with its usage where the client asked for the usage."""
    options: Any = {"include_usage": True}
    stream = await client.completions.create(model=model, prompt="Once", stream=True, stream_options=options)
    chunks = [chunk async for chunk in stream]

    assert [bool(chunk.usage) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1].choices == []


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_every_parameter_of_a_text_arrives(
    client: AsyncOpenAI, openai_emulator: OpenAIEmulator, stream: bool
) -> None:
    """The parameters of a text completion reach OpenAI unchanged, and all choices of several prompts come back.

    A stream of a model with a price is asked for its usage as well.
    """
    fields: Any = {
        "prompt": ["a", "b"],
        "n": 2,
        "best_of": 3,
        "echo": True,
        "suffix": " end",
        "logprobs": 1,
        "max_tokens": 9,
        "temperature": 0.5,
        "top_p": 0.9,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "logit_bias": {"50256": -100},
        "seed": 3,
        "stop": ["x", "y"],
        "user": "u",
    }
    answer: Any = await client.completions.create(model=INSTRUCT, stream=stream, **fields)
    choices = [c async for chunk in answer for c in chunk.choices] if stream else answer.choices

    assert {choice.index for choice in choices} == {0, 1, 2, 3}
    assert "".join(choice.text for choice in choices if choice.index == 2).startswith("b")
    assert choices[0].logprobs.tokens
    sent = dict(openai_emulator.requests[-1].body)
    assert sent.pop("model") == "gpt-3.5-turbo-instruct"
    assert sent.pop("stream", False) is stream
    assert sent.pop("stream_options", None) == ({"include_usage": True} if stream else None)
    assert sent == fields


async def test_prompts_of_tokens_are_sent_to_openai_and_refused_for_chat_models(
    client: AsyncOpenAI, openai_emulator: OpenAIEmulator
) -> None:
    """A prompt of token ids is passed on to OpenAI. For a chat model, token ids and several prompts are refused."""
    await client.completions.create(model=INSTRUCT, prompt=[1, 2])
    assert openai_emulator.requests[-1].body["prompt"] == [1, 2]
    for prompt in ([1, 2], ["a", "b"]):
        with pytest.raises(openai.BadRequestError) as caught:
            await client.completions.create(model=CHATTING, prompt=prompt)
        assert caught.value.param == "prompt"


async def test_text_stream_that_is_cut_ends_with_an_error(
    client: AsyncOpenAI, openai_emulator: OpenAIEmulator
) -> None:
    """A stream that breaks off in the middle ends with an error."""
    openai_emulator.faults.append({"cut_after_chunks": 2})
    stream = await client.completions.create(model=INSTRUCT, prompt="Once", stream=True)
    first = await anext(aiter(stream))

    assert first.choices[0].text
    with pytest.raises(openai.APIError):
        [chunk async for chunk in stream]


@pytest.mark.parametrize("model", [EMBEDDERS[0], INSTRUCT])
async def test_status_and_words_of_a_failing_provider_reach_the_client(
    client: AsyncOpenAI, openai_emulator: OpenAIEmulator, model: str
) -> None:
    """The provider's status and error message reach the client after one call."""
    openai_emulator.faults.append({"status": 503, "message": "Busy."})
    asked: Any
    if model == INSTRUCT:
        asked = client.completions.create(model=model, prompt="Once")
    else:
        asked = client.embeddings.create(model=model, input="a")
    with pytest.raises(openai.InternalServerError) as caught:
        await asked

    body: Any = caught.value.body
    assert (caught.value.status_code, body["message"]) == (503, "Busy.")
    assert len(openai_emulator.requests) == 1


async def test_call_upstream_ends_when_its_client_leaves(client: AsyncOpenAI, gemini: Gemini) -> None:
    """The call to the provider ends when the client closes its stream."""
    gemini.fault(chunk_delay_seconds=0.2)
    stream = await client.completions.create(model=CHATTING, prompt="Once " * 50, stream=True)
    await anext(aiter(stream))
    await stream.close()

    assert gemini.wait_for_ends(1) == ["disconnected"]
