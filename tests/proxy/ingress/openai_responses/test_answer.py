"""One request's format writes its answer, whole or streamed, and keeps the finished response."""

from __future__ import annotations

import json
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.source import SOURCE, AnswerSource
from proxy.ingress.openai_responses.write_stream import ResponsesStream
from sanitizers.native import Span
from tests.proxy.ingress.openai_responses.responding import RESPONSE_ID, TOOLS, answers, chunk, whole
from tests.support.responses_grammar import events_of


def test_a_whole_answer_is_kept_as_it_was_written() -> None:
    """The finished response is the one that the client gets."""
    made = answers()
    assert made.finished is None

    body = json.loads(made.write_answer(whole({"content": "Hi."})))

    assert body == json.loads(json.dumps(made.finished))
    assert (body["id"], body["status"]) == (RESPONSE_ID, "completed")
    assert [tool["type"] for tool in body["tools"]] == [tool["type"] for tool in TOOLS]


def test_a_change_of_the_finished_response_reaches_the_client() -> None:
    """A response that could not be stored says so, whole and streamed."""
    made, streamed = answers(), answers()
    answer = whole({"content": "Hi."})
    assert (made.finish(None), streamed.finish(None)) == (None, None)
    writer = streamed.write_stream()
    raw = writer.write_chunk(chunk({"content": "Hi."}, "stop"))

    for finished in (made.finish(answer), streamed.finish(None)):
        assert finished is not None
        finished["store"] = False

    assert json.loads(made.write_answer(dict(answer)))["store"] is False
    assert events_of(raw + writer.write_end())[-1]["response"]["store"] is False


def test_a_native_answer_is_the_providers_with_the_proxys_names() -> None:
    """The finished response is the same, whether it is asked for before the answer is written or not."""
    native: dict[str, Any] = {
        "id": "resp_other",
        "output": [{"type": "reasoning", "id": "rs_1"}],
        "moderation": {},
        "user": None,
    }
    answer = whole({"content": "Hi."})
    early, late = answers(), answers()
    sourced = {**answer, SOURCE: AnswerSource("openai_responses", native)}

    finished = early.finish(sourced)
    written = [json.loads(made.write_native_answer(native, answer)) for made in (early, late)]

    assert written == [finished, finished]
    assert (written[0]["id"], written[0]["model"]) == (RESPONSE_ID, "gemini-x")
    assert (written[0]["output"], written[0]["moderation"]) == (native["output"], {})


def test_a_native_answer_of_another_format_is_not_used() -> None:
    """A source counts in its own format alone."""
    sourced = {**whole({"content": "Hi."}), SOURCE: AnswerSource("toy", {"id": "theirs"})}

    finished = answers().finish(sourced)

    assert finished is not None
    assert finished["output"][0]["content"][0]["text"] == "Hi."


def test_each_attempt_has_a_new_writer() -> None:
    """A writer of a failed attempt leaves nothing behind."""
    made = answers()
    first, second = made.write_stream(), made.write_stream()
    first.write_chunk(chunk({"content": "a"}))
    raw = second.write_chunk(chunk({"content": "b"}, "stop")) + second.write_end()

    assert isinstance(second, ResponsesStream)
    assert [event["sequence_number"] for event in events_of(raw)] == list(range(9))
    assert made.finished is not None
    assert made.finished["output"][0]["content"][0]["text"] == "b"


def test_an_error_names_the_clients_item() -> None:
    """The place of a fault in the history is the item's, in the body and in a stream."""
    spans = (Span(range(2), range(1)), Span(range(2, 4), range(1, 2)))
    error = InvalidRequest("Wrong.", param="messages[1].content")

    assert json.loads(answers(spans=spans).write_error(error))["error"]["param"] == "input[2]"
    assert json.loads(answers(spans=spans, earlier=1).write_error(error))["error"]["param"] == "input[1]"
    raw = answers(spans=spans).write_stream().write_error(error)
    assert [event["param"] for event in events_of(raw) if event["type"] == "error"] == ["input[2]"]
