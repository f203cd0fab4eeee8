"""Tests of the formats of clients that providers may be asked in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.core.json_text import write_json
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_CHAT, OPENAI_RESPONSES
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.ingress.gemini_native.read_request import read_request as read_contents_request
from proxy.planning.native_formats import (
    NATIVE_FORMATS,
    rules_in_format,
    speaks_a_format,
    spoken_format,
)
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import ANTHROPIC
from tests.proxy.planning.test_native_requests import asked
from tests.proxy.upstream.deployments import deployment_of

CLAUDE = deployment_of("anthropic/claude-opus-4-8", api_key="k")
GPT = deployment_of("openai/gpt-4.1", api_key="k")
GEMINI = deployment_of("gemini/gemini-3.6-flash", api_key="k")
BODY = write_json({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]})


MISTRAL = deployment_of("mistral/mistral-large-latest", api_key="k")


def contents_request() -> ChatRequest:
    """Return a request of Gemini's own API."""
    body = write_json({"model": "m", "contents": [{"role": "user", "parts": [{"text": "x"}]}]})
    return read_contents_request(body, max_nesting=50)


def messages_request() -> ChatRequest:
    """Return a request of the Messages API."""
    return read_request(BODY, max_nesting=50)


@pytest.mark.parametrize(
    ("request_of", "deployment", "field"),
    [
        (messages_request, CLAUDE, "messages"),
        (messages_request, GPT, None),
        (messages_request, GEMINI, None),
        (asked, GPT, "input"),
        (asked, CLAUDE, None),
        (contents_request, GEMINI, "contents"),
        (contents_request, CLAUDE, None),
    ],
)
def test_format_is_spoken_by_its_own_providers(request_of: Any, deployment: Any, field: str | None) -> None:
    """A request in one format is never sent as one of another, nor through litellm."""
    row = spoken_format(request_of(), deployment)

    assert (row and row.field) == field
    assert spoken_format(request_of(), replace(deployment, transport="litellm")) is None


def test_chat_has_no_format_of_its_own() -> None:
    """OpenAI's chat is the internal form."""
    assert NATIVE_FORMATS.keys() == {ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_RESPONSES}
    assert OPENAI_CHAT not in NATIVE_FORMATS
    assert spoken_format(replace(asked(), source=None), GPT) is None


def test_history_has_the_rules_of_its_format() -> None:
    """Items and blocks have rules of their own."""
    assert NATIVE_FORMATS[OPENAI_RESPONSES].profile_of(OPENAI).items
    assert NATIVE_FORMATS[ANTHROPIC_MESSAGES].profile_of(ANTHROPIC).blocks
    assert NATIVE_FORMATS[GEMINI_NATIVE].profile_of(GEMINI_3).contents


def test_deployments_with_any_format_may_serve_needs() -> None:
    """Mistral's server is asked in no format of a client's."""
    found = [speaks_a_format(deployment) for deployment in (CLAUDE, GPT, GEMINI, MISTRAL)]

    assert found == [True, True, True, False]


def test_media_has_the_rules_of_the_format_that_is_spoken() -> None:
    """Gemini fetches an image of its own client's itself, and not one of a chat's."""
    native, chat = contents_request(), replace(contents_request(), source=None)

    assert rules_in_format(native, GEMINI, GEMINI_3).https_media
    assert rules_in_format(native, MISTRAL, GEMINI_3) is GEMINI_3
    assert rules_in_format(chat, GEMINI, GEMINI_3) is GEMINI_3
    assert rules_in_format(messages_request(), GEMINI, GEMINI_3) is GEMINI_3
