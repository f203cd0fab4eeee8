"""An error's body is unwrapped in few steps, for any structure."""

from __future__ import annotations

import ast
import json
from collections import deque
from collections.abc import Iterable
from typing import Any

import pytest
from typing_extensions import override

from proxy.core.failures import Evidence
from proxy.resilience import unwrap_error as unwrapping
from proxy.resilience.read_error import read_error
from proxy.resilience.request_words import RequestWords
from proxy.resilience.unwrap_error import unwrap_error

WIDE = {
    "a list of objects": b"[" + b"{}," * 50_000 + b"{}]",
    "a list within an error": b'{"error":{"details":[' + b'{"msg":"no"},' * 20_000 + b"1]}}",
    "a wide object": b"{" + b",".join(b'"f%d":1' % at for at in range(20_000)) + b"}",
    "lists of lists": b"[" + b"[[],[],[]]," * 20_000 + b"[]]",
}


class Counted(deque[Any]):
    """A queue that counts its added values."""

    put = 0

    @override
    def extend(self, iterable: Iterable[Any], /) -> None:
        added = list(iterable)
        Counted.put += len(added)
        super().extend(added)


@pytest.mark.parametrize("body", WIDE.values(), ids=WIDE)
def test_only_values_that_are_read_are_queued(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    """Of a long list or a wide object, at most 2,000 values are queued."""
    monkeypatch.setattr(unwrapping, "deque", Counted)
    monkeypatch.setattr(Counted, "put", 0)
    unwrap_error(body)

    assert 0 < Counted.put <= 2_000


@pytest.mark.parametrize(
    ("text", "evaluated"),
    [
        ('b\'{"error": {"message": "it\\\'s off"}}\'', 1),
        ("b'{" + "'+b'" * 1_000 + "'", 0),
        ("b'{" + "' b'" * 1_000 + "'", 0),
        ("b'{'*1000000+b'", 0),
        ("b'{}", 0),
    ],
    ids=["one literal", "sums", "neighbours", "a product", "open"],
)
def test_one_literal_is_evaluated(monkeypatch: pytest.MonkeyPatch, text: str, evaluated: int) -> None:
    """Only a single literal is evaluated, as the ``repr`` of bytes is.

    An expression of many literals could take long.
    """
    asked: list[str] = []
    evaluate = ast.literal_eval

    def watched(literal: str) -> Any:
        asked.append(literal)
        return evaluate(literal)

    monkeypatch.setattr(ast, "literal_eval", watched)
    unwrapped = unwrap_error(text.encode())

    assert len(asked) == evaluated
    assert bool(unwrapped.objects) == bool(evaluated)


def test_quotas_are_texts_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only texts and numbers are searched for quotas, so nested objects are not searched once for each level."""
    searched: list[int] = []

    def watched(text: str, request: RequestWords) -> bool:
        searched.append(len(text))
        return False

    monkeypatch.setattr("proxy.resilience.read_error._says_long", watched)
    body = b'{"quotaId":' * 300 + b'"PerDay"' + b"}" * 300
    said = read_error(429, Evidence(429, {}, body), now=0.0)

    assert said.quota == "short"
    assert sum(searched) <= len(body)


def mistral_error(*loc: Any) -> bytes:
    """Return Mistral's refusal of an unknown field (eca#231)."""
    detail = {
        "type": "extra_forbidden",
        "loc": list(loc),
        "msg": "Extra inputs are not permitted",
        "input": {},
    }
    return json.dumps({"object": "error", "message": {"detail": [detail]}, "code": None}).encode()


def test_place_of_a_nested_fault_is_read() -> None:
    """The words and the place of each entry in ``message.detail`` are texts of the error."""
    texts = unwrap_error(mistral_error("body", "stream_options", "include_usage")).texts

    assert set(texts) == {"Extra inputs are not permitted", "at body.stream_options.include_usage"}


def test_client_s_text_in_a_place_is_not_read() -> None:
    """The path ends before a piece that is no name of a field."""
    texts = unwrap_error(mistral_error("body", "Rate limit: 5 per day")).texts

    assert set(texts) == {"Extra inputs are not permitted", "at body"}


@pytest.mark.parametrize(("words", "refuses"), [((), True), (("stream_options",), False)])
def test_nested_place_tells_that_usage_is_refused(words: tuple[str, ...], refuses: bool) -> None:
    """A place that holds words of the request does not tell that usage is refused."""
    evidence = Evidence(422, {}, mistral_error("body", "stream_options"))

    error = read_error(422, evidence, now=0.0, request=RequestWords(*words))

    assert error.refuses_usage is refuses
