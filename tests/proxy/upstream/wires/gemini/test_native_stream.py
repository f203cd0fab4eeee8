"""Tests of the reader of streams whose events go to a client of Gemini's own API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import GEMINI_NATIVE, SOURCE
from proxy.core.upstream_call import Chunk
from proxy.forwarding.write_events import find_native
from proxy.upstream.wires.gemini.native_stream import NativeStreamReader
from proxy.upstream.wires.gemini.streams import StreamReader

USAGE = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}
CALL = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2ln"}
BARE_CALL = {"functionCall": {"name": "g", "args": {}}}
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def event(*parts: dict[str, Any], index: int = 0, **more: Any) -> dict[str, Any]:
    """Return an event with one candidate. *more* are fields of the candidate, or the usage."""
    usage = {"usageMetadata": more.pop("usage")} if "usage" in more else {}
    candidate = {"index": index, "content": {"role": "model", "parts": [*parts]}, **more}
    return {"responseId": "r", "modelVersion": "gemini-3.6-flash", "candidates": [candidate], **usage}


def say(text: str, **more: Any) -> dict[str, Any]:
    """Return an event with a text."""
    return event({"text": text}, **more)


ENDED = say("c", finishReason="STOP", usage=USAGE)
STREAMS: dict[str, list[dict[str, Any]]] = {
    "texts": [say("a"), say("b"), ENDED],
    "one event": [ENDED],
    "empty last text": [say("a"), say("", finishReason="STOP", usage=USAGE)],
    "counts behind the end": [
        say("a"),
        say("b", finishReason="STOP"),
        {"usageMetadata": USAGE, "modelVersion": "m"},
    ],
    "an end with every event": [say(text, finishReason="STOP", usage=USAGE) for text in "abc"],
    "an end before the last text": [say("a", finishReason="STOP"), say("b")],
    "thoughts": [event({"text": "hm", "thought": True}), say("a"), ENDED],
    "call": [event(CALL), say("", finishReason="STOP", usage=USAGE)],
    "calls with and without arguments": [
        say("a"),
        event(BARE_CALL, CALL, BARE_CALL),
        event(BARE_CALL, finishReason="STOP", usage=USAGE),
    ],
    "call with arguments behind those without": [
        event(BARE_CALL),
        event(BARE_CALL),
        event(BARE_CALL, CALL),
        event(BARE_CALL),
        say("", finishReason="STOP", usage=USAGE),
    ],
    "signature behind the text": [say("a"), event({"text": "", "thoughtSignature": "c2ln"}), ENDED],
    "image": [event(IMAGE), event(IMAGE, finishReason="STOP", usage=USAGE)],
    "two candidates": [
        say("a"),
        say("b", index=1, finishReason="STOP"),
        say("c", finishReason="MAX_TOKENS", usage=USAGE),
    ],
    "code": [event({"executableCode": {"code": "1", "language": "PYTHON"}}), say("1"), ENDED],
    "filtered": [say("a"), event(finishReason="SAFETY")],
    "refused prompt": [{"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE}],
}


def read(events: list[dict[str, Any]]) -> list[Chunk]:
    """Return the chunks of *events*."""
    reader = NativeStreamReader("gemini-3.6-flash")
    chunks = [chunk for one in events for chunk in reader.feed(json.dumps(one).encode())]
    return [*chunks, *reader.close()]


def sources_of(chunks: list[Chunk]) -> list[Any]:
    """Return the events in *chunks*."""
    return [chunk[SOURCE].event for chunk in chunks if SOURCE in chunk]


@pytest.mark.parametrize("events", STREAMS.values(), ids=STREAMS.keys())
def test_every_event_goes_out_once_and_in_order(events: list[dict[str, Any]]) -> None:
    """The chunks have all events as their sources, as they came."""
    assert sources_of(read(events)) == events


@pytest.mark.parametrize("events", STREAMS.values(), ids=STREAMS.keys())
def test_no_event_counts_as_repaired(events: list[dict[str, Any]]) -> None:
    """The normalizer returns each chunk as it came, so that its event is relayed."""
    normalizer = ChunkNormalizer(fallback_id="r", created=1, model="m", include_usage=True)

    for chunk in read(events):
        normalized = normalizer.normalize(chunk)
        if SOURCE in chunk:
            assert find_native(GEMINI_NATIVE, chunk, normalized) is not None
    assert normalizer.finished


@pytest.mark.parametrize("name", [name for name in STREAMS if name not in ("code", "image")])
def test_chat_is_that_of_a_client_of_chats(name: str) -> None:
    """The chunks say together what the chunks of a chat say."""
    chat = StreamReader("gemini-3.6-flash")
    expected = [chunk for one in STREAMS[name] for chunk in chat.feed(one)] + chat.close()

    assert joined(read(STREAMS[name])) == joined(expected)


def joined(chunks: list[Chunk]) -> dict[str, Any]:
    """Return the answer that *chunks* add up to, with the arguments of each call."""
    normalizer = ChunkNormalizer(fallback_id="r", created=1, model="m", include_usage=True)
    said: dict[str, Any] = {}
    for chunk in chunks:
        for choice in (normalizer.normalize(chunk) or {"choices": []})["choices"]:
            index, delta = choice["index"], choice["delta"]
            for name in ("content", "reasoning_content"):
                said[f"{index}.{name}"] = said.get(f"{index}.{name}", "") + (delta.get(name) or "")
            for piece in delta.get("tool_calls") or ():
                place = f"{index}.{piece['index']}"
                function = piece["function"]
                for name in ("name", "arguments"):
                    said[f"{place}.{name}"] = said.get(f"{place}.{name}", "") + function.get(name, "")
                said[f"{place}.extra"] = piece.get("extra_content") or said.get(f"{place}.extra")
            said[f"{index}.extra"] = delta.get("extra_content") or said.get(f"{index}.extra")
            said[f"{index}.reason"] = choice["finish_reason"] or said.get(f"{index}.reason")
    last = normalizer.last_chunk()
    return {**said, "usage": last and last["usage"]}


def test_code_alone_is_an_answer() -> None:
    """Its client gets the parts. A client of chats would get nothing."""
    parts = [
        {"executableCode": {"code": "print(1)", "language": "PYTHON"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
    ]

    [last] = read([event(*parts, finishReason="STOP")])

    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["choices"][0]["delta"]["content"] == "\n```\nprint(1)\n```\n\n```\n1\n```\n"


def test_call_that_is_sent_twice_is_not_relayed_twice() -> None:
    """The chunk goes out in place of its event."""
    call = {"functionCall": {"id": "a", "name": "f", "args": {}}}
    events = [event(call), event(call), say("", finishReason="STOP", usage=USAGE)]

    assert sources_of(read(events)) == [events[0], events[2]]


def test_text_goes_out_before_the_end() -> None:
    """Only the event with the finish reason waits for the end of the stream."""
    reader = NativeStreamReader("m")

    assert sources_of(reader.feed(json.dumps(say("a")).encode())) == [say("a")]
    assert reader.feed(json.dumps(ENDED).encode()) == []
    [last] = reader.close()
    assert last["choices"][0]["finish_reason"] == "stop"
    assert last["choices"][0]["delta"] == {"content": "c"}
    assert last["usage"]["total_tokens"] == 8
    assert reader.close() == []


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ([say("a"), event(finishReason="MALFORMED_FUNCTION_CALL")], Cause.MALFORMED_CALL),
        ([say("a")], Cause.TRUNCATED),
        ([event(finishReason="STOP")], Cause.EMPTY),
        ([], Cause.EMPTY),
    ],
)
def test_broken_stream_has_no_finish_reason(events: list[dict[str, Any]], cause: Cause) -> None:
    """The event with the reason of a failed answer is lost, so that no client takes the answer for complete."""
    reader = NativeStreamReader("m")
    chunks = [chunk for one in events for chunk in reader.feed(json.dumps(one).encode())]

    with pytest.raises(UpstreamFault) as caught:
        reader.close()
    assert caught.value.cause is cause
    assert "finishReason" not in json.dumps(sources_of(chunks))


def test_empty_payload_is_no_event() -> None:
    """An empty line says nothing."""
    assert NativeStreamReader("m").feed(b"") == []
