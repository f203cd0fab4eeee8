"""Tests that a deployment's parameters, body fields, headers and ``stream`` reach the provider."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import chat, proxied, settings_of


async def asked(params: dict[str, Any], **fields: Any) -> tuple[Any, Any]:
    """Send one chat with *fields* to a deployment with *params*. Return the provider's request and the answer."""
    async with serving_openai() as provider:
        models = {
            "gemini": {"model": "openai/gpt-4.1", "api_base": provider.base_url, "api_key": "k", **params}
        }
        settings = settings_of(models)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat(**fields))
        assert reply.status == 200
        (received,) = provider.requests
        return received, reply


async def test_default_parameter_is_sent_where_the_request_has_none() -> None:
    """The request's own value goes before the deployment's default."""
    received, _ = await asked({"temperature": 0.25, "max_tokens": 99}, max_tokens=5)

    assert (received.body["temperature"], received.body["max_tokens"]) == (0.25, 5)


async def test_extra_body_and_headers_reach_the_provider() -> None:
    """``headers`` and ``extra_headers`` mean the same."""
    received, _ = await asked(
        {
            "extra_body": {"provider": {"order": ["a"]}},
            "headers": {"X-One": "1"},
            "extra_headers": {"X-Two": "2"},
        }
    )

    assert received.body["provider"] == {"order": ["a"]}
    assert (received.headers["X-One"], received.headers["X-Two"]) == ("1", "2")


@pytest.mark.parametrize("way", [True, False])
@pytest.mark.parametrize("wanted", [True, False])
async def test_client_gets_the_answer_in_the_way_that_it_asked_for(way: bool, wanted: bool) -> None:
    """A deployment's ``stream`` decides only whether the provider streams, not whether the client gets a stream."""
    received, reply = await asked({"stream": way}, stream=wanted)

    assert received.body.get("stream", False) is way
    if wanted:
        assert reply.events[-1] == "[DONE]"
        choices = [choice for event in reply.events[:-1] for choice in event["choices"]]
        text = "".join(choice["delta"].get("content") or "" for choice in choices)
    else:
        text = reply.json["choices"][0]["message"]["content"]
        assert reply.json["choices"][0]["finish_reason"] == "stop"
    assert "You wrote 6 characters." in text
