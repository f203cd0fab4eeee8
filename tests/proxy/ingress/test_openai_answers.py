"""Tests of OpenAI's error envelope and stream events, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import Overloaded, ProxyError, UnrepairableHistory
from proxy.ingress.openai_answers import OpenAIStream, write_error

PLAIN = b'{"error":{"message":"Later.","type":"server_error","param":null,"code":"overloaded"}}'
HISTORY: dict[str, Any] = {"violations": [{"rule": "a"}], "changes": [{"step": "b"}]}


@pytest.mark.parametrize(
    ("error", "written"),
    [
        (Overloaded("Later."), PLAIN),
        (
            UnrepairableHistory("No.", param="messages[0]", rule="a"),
            b'{"error":{"message":"No.","type":"invalid_request_error","param":"messages[0]","code":"illegal_history"}}',
        ),
        (
            UnrepairableHistory("No.", **HISTORY),
            b'{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"illegal_history",'
            b'"violations":[{"rule":"a"}],"changes":[{"step":"b"}]}}',
        ),
        (
            UnrepairableHistory("No.", changes=HISTORY["changes"]),
            b'{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"illegal_history",'
            b'"violations":[],"changes":[{"step":"b"}]}}',
        ),
    ],
    ids=["plain", "a history without details", "a history", "changes alone"],
)
def test_error_envelope_has_four_fields_then_details(error: ProxyError, written: bytes) -> None:
    """The last event of a stream has the same envelope."""
    assert write_error(error) == written
    assert OpenAIStream("x").write_error(error) == b"data: " + written + b"\n\n"


def test_each_chunk_is_one_line_and_done_is_the_end() -> None:
    """A stream in OpenAI's format ends with ``[DONE]``."""
    assert OpenAIStream("x").write_chunk({"id": "x"}) == b'data: {"id":"x"}\n\n'
    assert OpenAIStream("x").write_encoded(b'{"id":"x"}') == b'data: {"id":"x"}\n\n'
    assert OpenAIStream("x").write_end() == b"data: [DONE]\n\n"
