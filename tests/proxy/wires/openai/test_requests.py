"""The bytes of OpenAI's request: the history as it came, the top level from the allow-list."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from proxy.config import resolve
from proxy.upstream import Timeouts, UpstreamCall
from proxy.wire import parse_chat_request
from proxy.wires.openai import build_request
from tests.support.builders import user
from tests.support.proxied import settings_of

ODD = (
    b'[ {"role" :\t"user",  "content":"\\u00e9 \\/ \xc3\xa9 \\ud83d\\ude00 \\u0041"\n,"x":[1.0,1e2,-0,1E+3,1.50,'
    b'123456789012345678901234567890,0.1000] } , {"content":null,"role":"assistant","refusal":"n"} ]'
)


def call_of(
    messages: Any = None,
    raw: bytes | None = None,
    parameters: Mapping[str, Any] | None = None,
    **fields: Any,
) -> UpstreamCall:
    """Build a call for `gpt-4.1`."""
    [deployment] = resolve(settings_of({"m": "openai/gpt-4.1"}), "m")
    return UpstreamCall(
        deployment=deployment,
        messages=messages or [user("Rebuilt.")],
        parameters=parameters or {},
        timeouts=Timeouts(1, 1, 1, 1),
        raw_messages=raw,
        **fields,
    )


@pytest.mark.parametrize("stream", [False, True])
def test_raw_messages_are_sent_as_they_came(stream: bool) -> None:
    """Spacing, escapes, key order and number formats of the client's history stay, byte for byte."""
    sent = build_request(call_of(raw=ODD), stream=stream)

    assert b'"messages":' + ODD in sent
    assert b"Rebuilt." not in sent
    assert json.loads(sent)["messages"] == json.loads(ODD)


def test_raw_messages_out_of_a_body() -> None:
    """The reader of requests finds those very bytes, between whatever stands around them."""
    body = b'{ "model" : "m" , "messages" : ' + ODD + b' , "api_base":"http://attacker.test", "seed": 1}'
    request = parse_chat_request(body, max_nesting=50)
    assert request.raw_messages is not None
    call = call_of(request.messages, request.raw_messages, request.parameters)
    sent = build_request(call, stream=False)

    assert request.raw_messages.strip() == ODD
    assert ODD in sent
    assert b"attacker" not in sent
    assert list(json.loads(sent)) == ["model", "messages", "seed"]


def test_changed_messages_are_written_anew() -> None:
    """Without raw bytes the history is that of the call."""
    sent = json.loads(build_request(call_of([user("Mended. \u00e9\U0001f600")]), stream=False))

    assert sent == {"model": "gpt-4.1", "messages": [user("Mended. \u00e9\U0001f600")]}


@pytest.mark.parametrize(
    ("stream", "include_usage", "added"),
    [
        (False, False, {}),
        (False, True, {}),
        (True, False, {"stream": True}),
        (True, True, {"stream": True, "stream_options": {"include_usage": True}}),
    ],
)
def test_stream_switches(stream: bool, include_usage: bool, added: dict[str, Any]) -> None:
    """`stream_options` goes with a stream only, and only when usage was asked for; a whole answer has neither."""
    sent = json.loads(build_request(call_of(include_usage=include_usage), stream=stream))

    assert sent == {"model": "gpt-4.1", "messages": [user("Rebuilt.")], **added}


def test_top_level_is_ours() -> None:
    """The model is the deployment's; beside it stand the call's parameters and those allowed by name."""
    call = call_of(raw=ODD, parameters={"temperature": 0.5}, extra_body={"top_k": 5})
    sent = json.loads(build_request(call, stream=False))

    assert {**sent, "messages": 0} == {"model": "gpt-4.1", "messages": 0, "temperature": 0.5, "top_k": 5}
