"""Tests that google-genai raises its own exception for each failure of a provider and of the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.clients.gemini.cases import CLAUDE, GEMINI, GPT
from tests.clients.gemini.gateways import Gateways
from tests.clients.running_clients import run_script

PYTHON, NODE = "gemini.client", "gemini/client.mjs"

Row = tuple[Mapping[str, Any], str, int, str, str | None]


def said(status: int, name: str, told: int, kind: str) -> Row:
    """Return the row of a failure whose words stay."""
    words = f"These are the words of {status}."
    return {"status": status, "message": words}, name, told, kind, words


TOO_LONG = {
    GEMINI: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    GPT: (
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
        "Please reduce the length of the messages."
    ),
    CLAUDE: "prompt is too long: 210000 tokens > 200000 maximum",
}

FAILURES: dict[str, tuple[Row, ...]] = {
    GEMINI: (
        said(400, "ClientError", 400, "INVALID_ARGUMENT"),
        said(404, "ClientError", 404, "NOT_FOUND"),
        said(429, "ClientError", 429, "RESOURCE_EXHAUSTED"),
        said(500, "ServerError", 500, "INTERNAL"),
        said(503, "ServerError", 503, "UNAVAILABLE"),
        said(504, "ServerError", 504, "DEADLINE_EXCEEDED"),
        (
            {"status": 400, "message": TOO_LONG[GEMINI]},
            *("ClientError", 400, "INVALID_ARGUMENT", TOO_LONG[GEMINI]),
        ),
    ),
    GPT: (
        said(429, "ClientError", 429, "RESOURCE_EXHAUSTED"),
        said(503, "ServerError", 503, "UNAVAILABLE"),
        (
            {"status": 400, "message": TOO_LONG[GPT], "code": "context_length_exceeded"},
            *("ClientError", 400, "INVALID_ARGUMENT", None),
        ),
    ),
    CLAUDE: (
        said(400, "ClientError", 400, "INVALID_ARGUMENT"),
        ({"status": 403}, "ClientError", 403, "PERMISSION_DENIED", None),
        said(404, "ClientError", 404, "NOT_FOUND"),
        said(429, "ClientError", 429, "RESOURCE_EXHAUSTED"),
        said(500, "ServerError", 500, "INTERNAL"),
        said(529, "ServerError", 503, "UNAVAILABLE"),
        ({"status": 400, "message": TOO_LONG[CLAUDE]}, "ClientError", 400, "INVALID_ARGUMENT", None),
    ),
}


def class_of(name: str, script: str) -> str:
    """Return the class of an exception. The JavaScript client has one for all."""
    return name if script == PYTHON else "ApiError"


@pytest.mark.each_value
@pytest.mark.parametrize("way", ["whole", "stream"])
@pytest.mark.parametrize("model", FAILURES)
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_each_failure_has_its_class(gemini_gateways: Gateways, script: str, model: str, way: str) -> None:
    """The class, the code, the status and the words are Google's."""
    gateways = gemini_gateways
    gateways.begin()
    for fault, *_ in FAILURES[model]:
        gateways.fail(model, fault)

    told = run_script(script, "errors", gateways.origin, model, way, *["none"] * len(FAILURES[model]))

    assert len(told["errors"]) == len(FAILURES[model])
    for error, (_, name, status, kind, words) in zip(told["errors"], FAILURES[model], strict=True):
        assert error[:3] == [class_of(name, script), status, kind]
        assert (words or "") in error[3]


@pytest.mark.each_value
@pytest.mark.parametrize("way", ["whole", "stream"])
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_a_delay_is_named_twice(gemini_gateways: Gateways, script: str, way: str) -> None:
    """The delay of a 429 is in the details and in the words: gemini-cli waits as long as either says."""
    gateways = gemini_gateways
    gateways.begin()
    gateways.fail(GPT, {"status": 429, "message": "Slow down.", "headers": {"retry-after": "3"}})

    told = run_script(script, "errors", gateways.origin, GPT, way, "none")

    [[_, code, kind, words, delay]] = told["errors"]
    assert (code, kind, delay) == (429, "RESOURCE_EXHAUSTED", "3s")
    assert "Please retry in 3" in words


@pytest.mark.each_value
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_an_unknown_model_is_not_found(gemini_gateways: Gateways, script: str) -> None:
    """The words begin as Google's do."""
    gemini_gateways.begin()

    told = run_script(script, "errors", gemini_gateways.origin, "unknown-model", "whole", "none")

    [[name, status, kind, words, _]] = told["errors"]
    assert (name, status, kind) == (class_of("ClientError", script), 404, "NOT_FOUND")
    assert "unknown-model" in words


@pytest.mark.each_value
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_a_wrong_key_is_refused(gemini_gateways: Gateways, script: str) -> None:
    """The gateway's own refusal has the client's class, and a good key works beside it."""
    general = {"master_key": "sk-good-key-of-tests", "drain_delay": 0, "drain_grace": 2}
    with gemini_gateways.serving(general_settings=general):
        keys = ("sk-bad-key-of-tests", "sk-good-key-of-tests")
        told = run_script(script, "errors", gemini_gateways.origin, CLAUDE, "whole", *keys)

    wrong, right = told["errors"]
    assert wrong[:3] == [class_of("ClientError", script), 401, "UNAUTHENTICATED"]
    assert right is None


@pytest.mark.each_value
@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_a_stream_that_breaks_raises(gemini_gateways: Gateways, script: str, model: str) -> None:
    """google-genai takes a stream without a finish reason for a complete one: only an error in it is seen."""
    gateways = gemini_gateways
    text = "A long text of many words that is cut in the middle of a word. " * 4
    if gateways.in_a_thread(model) is None:
        gateways.gemini.fault(times=1, cut_after_chunks=1)
        gateways.queue(model, text)
    else:
        gateways.fail(model, {"text": text, "items": [{"type": "text", "text": text}], "cut_after_chunks": 6})
    gateways.begin()

    told = run_script(script, "errors", gateways.origin, model, "stream", "none")

    [[name, code, kind, *_]] = told["errors"]
    assert (name, code >= 500) == (class_of("ServerError", script), True)
    assert kind in ("INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED")
