"""Every sequence of strict chunks becomes a stream that keeps the grammar of the Responses API and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.chunk_violations import find_chunk_violations
from proxy.core.errors import InvalidRequest, Overloaded, UpstreamFault
from proxy.core.json_text import write_json
from proxy.core.upstream_call import Chunk
from sanitizers.native.responses.envelope import unpack_envelope
from sanitizers.native.responses.tools import unwrap_input
from tests.proxy.ingress.openai_responses.responding import answers, chunk, piece, usage_chunk
from tests.support.responses_grammar import events_of, find_stream_faults
from tests.support.strategies.strict_chunks import StrictAnswer, strict_answers

CALLS = ("function_call", "custom_tool_call", "local_shell_call")
START = chunk({"role": "assistant", "content": ""})


def written(chunks: Iterable[Chunk], **facts: Any) -> bytes:
    """Return the whole stream of *chunks*."""
    writer = answers(**facts).write_stream()
    return b"".join(map(writer.write_chunk, chunks)) + writer.write_end()


def kinds(raw: bytes) -> list[str]:
    """Return the types of the events, without `response.`."""
    return [event["type"].removeprefix("response.") for event in events_of(raw)]


def output_of(raw: bytes) -> list[dict[str, Any]]:
    """Return the output in the last event."""
    output: list[dict[str, Any]] = events_of(raw)[-1]["response"]["output"]
    return output


def envelopes(output: list[dict[str, Any]]) -> tuple[str, dict[str, str], list[str]]:
    """Return the thoughts and signatures in the envelopes of *output*."""
    found = [unpack_envelope(item["encrypted_content"]) for item in output if item["type"] == "reasoning"]
    thoughts, texts = "", []
    signatures: dict[str, str] = {}
    for envelope in found:
        assert envelope is not None
        assert envelope.model == "gemini-x"
        thoughts += envelope.thoughts
        signatures.update(envelope.signatures)
        texts += [] if envelope.text_signature is None else [envelope.text_signature]
    return thoughts, signatures, texts


@given(answer=strict_answers(), shows=st.booleans())
def test_any_strict_chunks_become_a_stream_of_the_grammar(answer: StrictAnswer, shows: bool) -> None:
    """The drawn chunks are strict, and their stream has no fault."""
    found = [one.rule for one in find_chunk_violations(answer.chunks)]
    assert set(found) <= {"arguments_no_object"}

    assert find_stream_faults(written(answer.chunks, shows_thoughts=shows)) == []


@given(answer=strict_answers(), shows=st.booleans())
def test_nothing_of_an_answer_is_lost(answer: StrictAnswer, shows: bool) -> None:
    """Texts, thoughts, signatures, calls and usage of the chunks are in the output, each once."""
    raw = written(answer.chunks, shows_thoughts=shows)
    response = events_of(raw)[-1]["response"]
    output = response["output"]
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]

    assert "".join(part.get("text", "") for part in parts) == answer.text
    thoughts, signatures, texts = envelopes(output)
    assert thoughts == answer.thoughts
    assert signatures == answer.signatures
    assert texts == ([] if answer.text_signature is None else [answer.text_signature])
    shown = "".join(
        part["text"] for item in output if item["type"] == "reasoning" for part in item["summary"]
    )
    assert shown == (answer.thoughts if shows else "")
    assert (response["usage"] or {}).get("total_tokens") == (answer.usage or {}).get("total_tokens")
    calls = {item["call_id"]: item for item in output if item["type"] in CALLS}
    for call_id, name, arguments in answer.calls:
        item = calls.pop(call_id, None)
        cut = answer.finish != "tool_calls"
        if item is None:
            assert cut
            assert name in ("ex", "local_shell")
        elif item["type"] == "function_call":
            assert (item.get("namespace"), item["name"]) == (("ns", "g") if name == "ns__g" else (None, name))
            assert item["arguments"].strip() == arguments.strip()
        elif item["type"] == "custom_tool_call":
            assert item["input"].strip() == unwrap_input(arguments.strip()).strip()
    assert calls == {}


@given(answer=strict_answers(), at=st.integers(0, 20), permanent=st.booleans())
def test_an_error_at_any_place_ends_the_stream_once(answer: StrictAnswer, at: int, permanent: bool) -> None:
    """`error` and `response.failed` end a stream that breaks off anywhere, and nothing comes behind them."""
    writer = answers().write_stream()
    raw = b"".join(map(writer.write_chunk, answer.chunks[:at]))
    raw += writer.write_error(InvalidRequest("No.") if permanent else UpstreamFault("Broke off."))
    raw += writer.write_end() + writer.write_error(Overloaded("Busy."))
    raw += b"".join(map(writer.write_chunk, answer.chunks[at:]))

    assert find_stream_faults(raw) == []
    failed = events_of(raw)[-1]["response"]
    assert failed["error"]["code"] == ("invalid_prompt" if permanent else "server_error")
    if answer.finish == "tool_calls":
        assert all(item["type"] not in CALLS or item["status"] == "completed" for item in failed["output"])


@given(answer=strict_answers())
def test_held_chunks_are_written_as_others(answer: StrictAnswer) -> None:
    """Chunks as JSON give the events of the chunks themselves."""
    encoded = answers().write_stream()
    found = b"".join(encoded.write_encoded(write_json(one)) for one in answer.chunks) + encoded.write_end()

    assert found == written(answer.chunks)


@given(answer=strict_answers(), cut=st.integers(0, 20))
def test_an_end_without_a_finish_reason_is_a_failure(answer: StrictAnswer, cut: int) -> None:
    """A writer that is ended too early says so, since a cut answer is no whole one."""
    raw = written(answer.chunks[:cut])

    assert find_stream_faults(raw) == []
    finished = any(choice["finish_reason"] for one in answer.chunks[:cut] for choice in one["choices"])
    assert finished or kinds(raw)[-2:] == ["error", "failed"]


def test_a_text_has_the_whole_sequence() -> None:
    """One text gives the full sequence of events, in which the fast path for deltas makes no difference."""
    raw = written(
        [START, chunk({"content": "Good "}), chunk({"content": "day."}), chunk({}, "stop"), usage_chunk()]
    )

    assert kinds(raw) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event["delta"] for event in events_of(raw) if event["type"].endswith("delta")] == [
        "Good ",
        "day.",
    ]


def test_parallel_calls_are_finished_one_after_the_other() -> None:
    """A call whose arguments are whole ends when the next one begins."""
    chunks = [START, chunk(piece(0, "{}", "f")), chunk(piece(1, '{"a":', "f"))]
    writer = answers().write_stream()
    raw = b"".join(map(writer.write_chunk, chunks))

    assert kinds(raw).count("output_item.done") == 1
    assert kinds(raw)[-2:] == ["output_item.added", "function_call_arguments.delta"]


def test_a_call_waits_for_an_unfinished_one() -> None:
    """A second call is held until the first one's arguments are whole, and then sent at once."""
    writer = answers().write_stream()
    raw = b"".join(
        map(
            writer.write_chunk,
            [START, chunk(piece(0, '{"a":', "f")), chunk(piece(1, '{"b":', "f")), chunk(piece(1, "2"))],
        )
    )
    assert kinds(raw).count("output_item.added") == 1

    freed = writer.write_chunk(chunk(piece(0, "1}")))

    rest = freed + writer.write_chunk(chunk(piece(1, "}"))) + writer.write_chunk(chunk({}, "tool_calls"))
    assert find_stream_faults(raw + rest + writer.write_end()) == []
    assert [event["delta"] for event in events_of(freed) if event["type"].endswith("delta")] == [
        "1}",
        '{"b":2',
    ]


def test_a_signature_goes_into_the_item_in_front() -> None:
    """The signature of a call that begins stands in the reasoning item before the call, even without thoughts."""
    for thoughts in ([], [chunk({"reasoning_content": "Hm."})]):
        output = output_of(
            written([START, *thoughts, chunk(piece(0, "{}", "f", "c2ln")), chunk({}, "tool_calls")])
        )

        assert [item["type"] for item in output] == ["reasoning", "function_call"]
        assert envelopes(output)[1] == {"call_0": "c2ln"}


def test_a_late_signature_goes_into_an_item_at_the_end() -> None:
    """The signature of a text comes last, and stands in a reasoning item behind the text."""
    signed = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    for thoughts in ([], [chunk({"reasoning_content": "Hm."})]):
        output = output_of(written([START, *thoughts, chunk({"content": "Hi."}), chunk(signed, "stop")]))

        assert [item["type"] for item in output][-2:] == ["message", "reasoning"]
        assert envelopes(output)[2] == ["c2ln"]


def test_thoughts_within_a_text_do_not_split_it() -> None:
    """Thoughts that come between two pieces of a text are held until the next item or the end."""
    said = [{"content": "a"}, {"reasoning_content": "Hm."}, {"content": "b"}]
    output = output_of(written([START, *map(chunk, said), chunk({}, "stop")]))

    assert [item["type"] for item in output] == ["message", "reasoning"]
    assert output[0]["content"][0]["text"] == "ab"


def test_a_name_in_pieces_is_joined_before_the_call_begins() -> None:
    """The tool decides the type of the item, so that the call begins with its whole name."""
    first, rest = piece(0, "", "e"), piece(0, "")
    rest["tool_calls"][0]["function"]["name"] = "x"
    output = output_of(
        written([START, chunk(first), chunk(rest), chunk(piece(0, '{"input":"a"}')), chunk({}, "tool_calls")])
    )

    assert [(item["type"], item["name"], item["input"]) for item in output] == [
        ("custom_tool_call", "ex", "a")
    ]


@pytest.mark.parametrize(
    ("finish", "why"), [("length", "max_output_tokens"), ("content_filter", "content_filter")]
)
def test_a_cut_call_does_not_end(finish: str, why: str) -> None:
    """Some clients run each call that ends (codex), so a call with cut arguments has no done event."""
    raw = written([START, chunk(piece(0, '{"a":', "f")), chunk({}, finish)])
    response = events_of(raw)[-1]["response"]

    assert not any(kind.endswith("done") for kind in kinds(raw))
    assert (response["status"], response["incomplete_details"]) == ("incomplete", {"reason": why})
    assert [(item["status"], item["arguments"]) for item in response["output"]] == [("incomplete", '{"a":')]


def test_a_cut_text_is_incomplete_and_ends() -> None:
    """The text so far ends as an incomplete item, since codex reads items that ended alone."""
    raw = written([START, chunk({"content": "Once"}), chunk({}, "length")])

    assert kinds(raw)[-2:] == ["output_item.done", "incomplete"]
    assert output_of(raw)[0]["status"] == "incomplete"


def test_a_silent_answer_fails() -> None:
    """An answer without text and call fails: as completed, agents would end their task or ask again and again."""
    for said in ({}, {"reasoning_content": "Hm."}):
        raw = written([START, chunk(said), chunk({}, "stop")])

        assert kinds(raw)[-2:] == ["error", "failed"]
        assert find_stream_faults(raw) == []


def test_a_finished_response_is_there_before_its_event() -> None:
    """The response can be stored before the last event, which is then the stored object."""
    made = answers(clock=lambda: 1_760_000_009.5)
    writer = made.write_stream()
    for one in (START, chunk({"content": "Hi."}), chunk({}, "stop")):
        writer.write_chunk(one)
    assert made.finished is None
    writer.write_chunk(usage_chunk())

    stored = json.loads(json.dumps(made.finished))

    assert stored == writer.finish() == events_of(writer.write_end())[-1]["response"]
    assert (stored["completed_at"], stored["usage"]["total_tokens"]) == (1_760_000_009, 7)


def test_a_finished_response_needs_no_usage() -> None:
    """A provider may report no usage. The response is then finished on demand, without made-up counts."""
    made = answers()
    writer = made.write_stream()
    for one in (START, chunk({"content": "Hi."}), chunk({}, "stop")):
        writer.write_chunk(one)

    found = writer.finish()

    assert found is not None
    assert found is made.finished
    assert found["usage"] is None


def test_an_error_after_the_finish_replaces_the_finished_response() -> None:
    """An answer that could not be stored fails, although it was complete."""
    made = answers()
    writer = made.write_stream()
    raw = b"".join(
        map(writer.write_chunk, (START, chunk({"content": "Hi."}), chunk({}, "stop"), usage_chunk()))
    )
    raw += writer.write_error(Overloaded("Busy."))

    assert find_stream_faults(raw) == []
    assert made.finished is not None
    assert made.finished["status"] == "failed"


def test_an_error_before_any_chunk_begins_the_stream() -> None:
    """The events of a failure begin with `created` if the client has got comments alone."""
    raw = answers().write_stream().write_error(Overloaded("Busy.", headers={"Retry-After": "7"}))

    assert kinds(raw) == ["created", "in_progress", "error", "failed"]
    assert find_stream_faults(raw) == []
    assert events_of(raw)[-1]["response"]["error"] == {
        "code": "rate_limit_exceeded",
        "message": "Busy. Please try again in 7s.",
    }


def test_logprobs_and_citations_are_events_of_the_text() -> None:
    """Log probabilities come where they were asked for, and citations are flat."""
    token = {
        "token": "Hi",
        "logprob": -0.5,
        "bytes": None,
        "top_logprobs": [{"token": "Ho", "logprob": -1, "bytes": [1]}],
    }
    cited = {
        "type": "url_citation",
        "url_citation": {"start_index": 0, "end_index": 2, "url": "u", "title": "t"},
    }
    chunks = [
        START,
        chunk({"content": "Hi"}, logprobs={"content": [token]}),
        chunk({"annotations": [cited]}),
        chunk({}, "stop", logprobs={"content": [token]}),
    ]

    part = output_of(written(chunks, include={"message.output_text.logprobs"}))[0]["content"][0]
    plain = output_of(written(chunks))[0]["content"][0]

    assert [one["bytes"] for one in part["logprobs"]] == [[], []]
    assert part["logprobs"][0]["top_logprobs"] == [{"token": "Ho", "logprob": -1, "bytes": [1]}]
    assert plain["logprobs"] == []
    assert plain["annotations"] == [
        {"type": "url_citation", "start_index": 0, "end_index": 2, "url": "u", "title": "t"}
    ]
    assert find_stream_faults(written(chunks, include={"message.output_text.logprobs"})) == []


def test_a_call_in_the_older_form_is_a_function_call() -> None:
    """A provider may answer with `function_call`, which has no id."""
    legacy = [{"function_call": {"name": "f"}}, {"function_call": {"arguments": "{}"}}]
    output = output_of(written([START, *map(chunk, legacy), chunk({}, "function_call")]))

    assert [(item["type"], item["name"], item["arguments"]) for item in output] == [
        ("function_call", "f", "{}")
    ]
    assert output[0]["call_id"].startswith("call_")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"sequence_number":3', b'"sequence_number":4'),
        (b'"delta":"Good "', b'"delta":"Bad "'),
        (b'"output_index":0', b'"output_index":1'),
        (b'"item_id":"msg_', b'"item_id":"msg_x'),
        (b'"status":"completed"', b'"status":"in_progress"'),
        (b'"top_p":1.0,', b""),
        (b"event: response.completed", b"event: response.completed\nid: 1"),
    ],
)
def test_the_grammar_notices_damage(old: bytes, new: bytes) -> None:
    """Each damage to a good stream is found."""
    raw = written(
        [START, chunk({"content": "Good "}), chunk({"content": "day."}), chunk({}, "stop"), usage_chunk()]
    )
    assert old in raw
    damaged = raw.replace(old, new, 1)

    try:
        assert find_stream_faults(damaged) != []
    except AssertionError:
        return


@pytest.mark.parametrize("left_out", range(10))
def test_the_grammar_notices_a_missing_event(left_out: int) -> None:
    """A stream without any one of its events has a fault, even with its numbers mended."""
    raw = written(
        [START, chunk({"content": "Good "}), chunk({"content": "day."}), chunk({}, "stop"), usage_chunk()]
    )
    kept = [event for at, event in enumerate(events_of(raw)) if at != left_out]
    mended = [{**event, "sequence_number": at} for at, event in enumerate(kept)]

    again = b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), write_json(e)) for e in mended)

    assert find_stream_faults(again) != []


def test_the_short_way_leaves_out_nothing() -> None:
    """A text with a finish reason or log probabilities, in an open message, is more than a text."""
    token = {"token": "b", "logprob": -0.5}
    chunks = [
        START,
        chunk({"content": "a"}),
        chunk({"content": "b"}, logprobs={"content": [token]}),
        chunk({"content": "c"}, "length"),
    ]

    raw = written(chunks, include={"message.output_text.logprobs"})

    part = output_of(raw)[0]["content"][0]
    assert (part["text"], [one["token"] for one in part["logprobs"]]) == ("abc", ["b"])
    assert kinds(raw)[-1] == "incomplete"


def test_further_choices_are_left_out() -> None:
    """The API has one answer. A provider's second choice does not get into it."""
    second = {"index": 1, "delta": {"content": "x"}, "finish_reason": None}
    first, open_text = chunk({"content": "a"}), chunk({"content": "b"})
    first["choices"].append(second)
    open_text["choices"] = [second]
    last = {**chunk(), "choices": [{**second, "delta": {}, "finish_reason": "stop"}]}

    raw = written([START, first, open_text, last, chunk({}, "stop")])

    assert output_of(raw)[0]["content"][0]["text"] == "a"
    assert find_stream_faults(raw) == []
