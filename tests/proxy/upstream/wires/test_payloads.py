"""The JSON in an answer: lone surrogates are read; what is no JSON, or nests too deeply, is the provider's fault."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import read_answer
from proxy.upstream.wires.payloads import load_payload
from tests.proxy.upstream.wires.gemini.test_answers import body, call
from tests.proxy.upstream.wires.gemini.test_reading_any_answer import _json


@given(st.binary(max_size=20) | _json.map(lambda value: json.dumps(value).encode()))
def test_any_bytes(text: bytes) -> None:
    """They are JSON, or the provider's fault."""
    try:
        value = load_payload(text)
    except UpstreamFault:
        return

    json.dumps(value, allow_nan=True)


@pytest.mark.parametrize(
    "text", [b"", b"nonsense", b"\xff", b"NaN", b'{"a": Infinity}', b"[" * 100_000, b'"\\ud8"', b"1" * 10_000]
)
def test_bytes_that_are_no_json(text: bytes) -> None:
    """They are told apart from an answer that is none."""
    with pytest.raises(UpstreamFault, match="not JSON"):
        load_payload(text)


def test_half_a_character() -> None:
    """A provider that cuts an emoji in two has answered all the same."""
    payload = json.dumps(body({"text": "\ud83d"}, call(args={"a": "\ud83d"}))).encode()

    message = read_answer(load_payload(payload), model="m")["choices"][0]["message"]

    assert message["content"] == "\ud83d"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"a": "\ud83d"}


def test_what_is_no_json_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of 64 MiB would hold up everything else for seconds."""
    monkeypatch.setattr("proxy.upstream.wires.payloads.json.loads", None)

    with pytest.raises(UpstreamFault, match="not JSON"):
        load_payload(b"<html>nothing</html>")


def test_answer_that_is_nested_too_deeply() -> None:
    """What could not be written out again is the provider's fault, wherever it stands."""
    deep = orjson.dumps(body({"text": "a"})).replace(b'"a"', b"[" * 300 + b"]" * 300)

    with pytest.raises(UpstreamFault, match="nested too deeply"):
        load_payload(deep)
