"""Tests that anthropic's clients raise their own exception for each failure of a provider and of the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.clients.messages.cases import CLAUDE, GEMINI, GPT, VERSIONS
from tests.clients.messages.gateways import Gateways
from tests.clients.running_clients import run_script

PYTHON, NODE = "messages.client", "messages/client.mjs"
TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"
GEMINI_TOO_LONG = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
GPT_TOO_LONG = (
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. "
    "Please reduce the length of the messages."
)

Row = tuple[Mapping[str, Any], str, int, str, str | None]


def said(status: int, name: str, told: int, kind: str) -> Row:
    """Return the row of a failure whose words stay."""
    words = f"These are the words of {status}."
    return {"status": status, "message": words}, name, told, kind, words


FAILURES: dict[str, tuple[Row, ...]] = {
    CLAUDE: (
        said(400, "BadRequestError", 400, "invalid_request_error"),
        ({"status": 401}, "AuthenticationError", 401, "authentication_error", None),
        said(402, "PaymentRequiredError", 402, "billing_error"),
        ({"status": 403}, "PermissionDeniedError", 403, "permission_error", None),
        said(404, "NotFoundError", 404, "not_found_error"),
        said(413, "ContentTooLargeError", 413, "request_too_large"),
        said(429, "RateLimitError", 429, "rate_limit_error"),
        said(500, "InternalServerError", 500, "api_error"),
        said(504, "GatewayTimeoutError", 504, "timeout_error"),
        said(529, "OverloadedError", 529, "overloaded_error"),
        ({"status": 400, "message": TOO_LONG}, "BadRequestError", 400, "invalid_request_error", TOO_LONG),
    ),
    GEMINI: (
        said(400, "BadRequestError", 400, "invalid_request_error"),
        said(413, "ContentTooLargeError", 413, "request_too_large"),
        said(429, "RateLimitError", 429, "rate_limit_error"),
        said(500, "InternalServerError", 500, "api_error"),
        said(503, "OverloadedError", 529, "overloaded_error"),
        (
            {"status": 400, "message": GEMINI_TOO_LONG},
            "BadRequestError",
            400,
            "invalid_request_error",
            "prompt is too long: 1200000 tokens > 1048576 maximum",
        ),
    ),
    GPT: (
        said(429, "RateLimitError", 429, "rate_limit_error"),
        said(503, "OverloadedError", 529, "overloaded_error"),
        (
            {"status": 400, "message": GPT_TOO_LONG, "code": "context_length_exceeded"},
            "BadRequestError",
            400,
            "invalid_request_error",
            "prompt is too long: 130000 tokens > 128000 maximum",
        ),
    ),
}
OLDER_NAMES = {
    "PaymentRequiredError": "APIError",
    "ContentTooLargeError": "APIError",
    "GatewayTimeoutError": "InternalServerError",
    "OverloadedError": "InternalServerError",
}
"""The class for the same status in the TypeScript client of the first API version, which has fewer."""


@pytest.mark.each_value
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["whole", "stream"])
@pytest.mark.parametrize("model", FAILURES)
@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_each_failure_has_its_class(
    messages_gateways: Gateways, script: str, model: str, way: str, version: str
) -> None:
    """The class, the status, the type and the words are Anthropic's, and the request's id is there."""
    gateways = messages_gateways
    gateways.begin()
    for fault, *_ in FAILURES[model]:
        gateways.fail(model, fault)

    told = run_script(
        script, "errors", gateways.origin, model, way, version, *["none"] * len(FAILURES[model])
    )

    assert len(told["errors"]) == len(FAILURES[model])
    for error, (_, name, status, kind, words) in zip(told["errors"], FAILURES[model], strict=True):
        is_older = script == NODE and version == VERSIONS[0]
        expected = OLDER_NAMES.get(name, name) if is_older else name
        assert error == [expected, status, kind, words or error[3], True]


@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_an_unknown_model_is_not_found(messages_gateways: Gateways, script: str) -> None:
    """The words begin as Claude Code expects them of a wrong model."""
    messages_gateways.begin()

    told = run_script(
        script, "errors", messages_gateways.origin, "claude-unknown", "whole", VERSIONS[1], "none"
    )

    [[name, status, kind, words, has_id]] = told["errors"]
    assert (name, status, kind, has_id) == ("NotFoundError", 404, "not_found_error", True)
    assert words.startswith("model: ")


@pytest.mark.parametrize("script", [PYTHON, NODE])
def test_a_wrong_key_is_refused_in_its_class(messages_gateways: Gateways, script: str) -> None:
    """The gateway's own refusal is an authentication error, and a good key works beside it."""
    with messages_gateways.serving(
        general_settings={"master_key": "sk-good-key-of-tests", "drain_delay": 0, "drain_grace": 2}
    ):
        keys = ("sk-bad-key-of-tests", "sk-good-key-of-tests")
        told = run_script(script, "errors", messages_gateways.origin, CLAUDE, "whole", VERSIONS[1], *keys)

    wrong, right = told["errors"]
    assert [wrong[0], *wrong[1:3], wrong[4]] == ["AuthenticationError", 401, "authentication_error", True]
    assert right is None
