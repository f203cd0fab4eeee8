"""Tests that an error in the body of a 200 keeps Google's message and status, however it is wrapped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.table import wire_of
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.wires.gemini.test_answers import body
from tests.support.builders import user

BUSY = {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}
WRAPPED = {"error": {"code": 503, "message": json.dumps({"error": {"message": "The model is overloaded."}})}}

WRAPPINGS: dict[str, Any] = {
    "object": {"error": BUSY},
    "array": [{"error": BUSY}],
    "bare status": BUSY,
    "bare status in an array": [BUSY],
    "behind an answer": [body({"text": "a"}), {"error": BUSY}],
    "by its name": {"error": {**BUSY, "code": None}},
    "by its name, with a code that is none": {"error": {**BUSY, "code": 14}},
    "code in quotes": {"error": {**BUSY, "code": "503", "status": None}},
    "status outside, words inside": WRAPPED,
}
EACH = pytest.mark.parametrize("value", WRAPPINGS.values(), ids=WRAPPINGS.keys())
DEPLOYMENT = deployment_of("gemini/gemini-3.6-flash")
CALL = UpstreamCall(DEPLOYMENT, [user("a")], {}, LIMITS)


@EACH
def test_wrapped_error_in_a_stream_keeps_message_and_status(value: Any) -> None:
    reader = wire_of(DEPLOYMENT).read_stream(CALL)
    reader.feed(json.dumps(body({"text": "a"}, reason=None)).encode())

    with pytest.raises(UpstreamFault, match=r"^The model is overloaded\.$") as caught:
        reader.feed(json.dumps(value).encode())

    assert caught.value.http_status == 503


@EACH
def test_wrapped_error_in_a_whole_answer_keeps_message_and_status(value: Any) -> None:
    """The error arrives in the body of a 200."""
    with pytest.raises(UpstreamFault, match=r"^The model is overloaded\.$") as caught:
        wire_of(DEPLOYMENT).read_answer(json.dumps(value).encode(), CALL)

    assert caught.value.http_status == 503


def test_error_without_a_message_gives_its_name_and_status() -> None:
    """An error without a message gives its name and status, so that the client learns the kind of error."""
    with pytest.raises(UpstreamFault, match=r"^RESOURCE_EXHAUSTED \(status 429\)$"):
        wire_of(DEPLOYMENT).read_answer(b'{"error": {"status": "RESOURCE_EXHAUSTED"}}', CALL)


@pytest.mark.parametrize("value", [[], [body({"text": "a"})], [[]], "x", None, 5])
def test_other_json_in_place_of_an_answer_is_a_fault(value: Any) -> None:
    """An array is not an answer, even where it holds one."""
    with pytest.raises(UpstreamFault, match="not Gemini's"):
        wire_of(DEPLOYMENT).read_answer(json.dumps(value).encode(), CALL)
