"""The format without a request's facts writes errors and complete answers."""

from __future__ import annotations

import json

from proxy.core.errors import Overloaded
from proxy.ingress.openai_responses.format import OPENAI_RESPONSES
from tests.proxy.ingress.openai_responses.responding import chunk, whole
from tests.support.responses_grammar import events_of, find_response_faults, find_stream_faults


def test_answers_have_an_id_of_their_own_and_the_answers_time() -> None:
    """No two answers share an id."""
    bodies = [json.loads(OPENAI_RESPONSES.write_answer(whole({"content": "Hi."}))) for _ in range(2)]
    native = json.loads(OPENAI_RESPONSES.write_native_answer({}, whole({"content": "Hi."})))

    assert len({body["id"] for body in (*bodies, native)}) == 3
    assert [body["created_at"] for body in bodies] == [1_760_000_000] * 2
    assert all(find_response_faults(body) == [] for body in bodies)


def test_a_stream_is_complete() -> None:
    """A stream keeps the grammar, and has the time and model of its chunks."""
    writer = OPENAI_RESPONSES.write_stream()
    raw = writer.write_chunk(chunk({"content": "Hi."}, "stop")) + writer.write_end()

    assert find_stream_faults(raw) == []
    first = events_of(raw)[0]["response"]
    assert (first["created_at"], first["model"]) == (1_760_000_000, "gemini-x")


def test_an_error_has_the_envelope_of_openai() -> None:
    """HTTP errors have chat's form."""
    error = json.loads(OPENAI_RESPONSES.write_error(Overloaded("Busy.")))["error"]

    assert error == {"message": "Busy.", "type": "server_error", "param": None, "code": "overloaded"}


def test_a_comment_keeps_the_stream_alive() -> None:
    """An event before `created` would break both of OpenAI's SDKs."""
    assert events_of(OPENAI_RESPONSES.keep_alive) == []
    assert OPENAI_RESPONSES.keep_alive.startswith(b":")
