"""Tests of the wire that asks for the number of a request's tokens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config.pools import choose_pool
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.upstream.wires.table import count_wire_for
from tests.support.proxied import MODEL, settings_of

LIMITS = Timeouts(1.0, 1.0, 1.0, 1.0)


def call(**parameters: Any) -> UpstreamCall:
    """Return a chat's call to Claude."""
    settings = settings_of({MODEL: {"model": "anthropic/claude-opus-4-8", "api_key": "sk-x"}})
    history = [{"role": "user", "content": "Hi."}]
    return UpstreamCall(choose_pool(MODEL, settings)[0], history, parameters, LIMITS)


def test_request_has_no_field_that_a_count_lacks() -> None:
    asked = call(max_tokens=9, stop=["x"])
    wire = count_wire_for(asked)
    body = json.loads(wire.write_request(asked, stream=False))

    assert wire.url(asked, stream=False) == "https://api.anthropic.com/v1/messages/count_tokens"
    assert wire.headers(asked.deployment)["x-api-key"] == "sk-x"
    assert body.keys() & {"max_tokens", "stop_sequences", "stream"} == set()
    assert (body["model"], body["messages"][0]["role"]) == ("claude-opus-4-8", "user")


def test_number_is_read() -> None:
    asked = call()

    assert count_wire_for(asked).read_answer(b'{"input_tokens":7,"more":1}', asked) == {"input_tokens": 7}


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"input_tokens":"7"}', b'{"input_tokens":-1}', b"no json"])
def test_answer_without_a_number_is_a_fault(body: bytes) -> None:
    asked = call()
    with pytest.raises(UpstreamFault):
        count_wire_for(asked).read_answer(body, asked)
