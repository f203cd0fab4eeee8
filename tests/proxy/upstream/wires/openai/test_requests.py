"""The bytes of OpenAI's request: the history as it came, the top level from the allow-list."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import resolve
from proxy.core.source import OPENAI_CHAT, Source
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.upstream.wires.openai import build_request
from tests.support.builders import user
from tests.support.proxied import settings_of

ODD = (
    b'[ {"role" :\t"user",  "content":"\\u00e9 \\/ \xc3\xa9 \\ud83d\\ude00 \\u0041"\n,"x":[1.0,1e2,-0,1E+3,1.50,'
    b'123456789012345678901234567890,0.1000] } , {"content":null,"role":"assistant","refusal":"n"} ]'
)


def call_of(
    messages: Any = None,
    body: bytes | None = None,
    parameters: Mapping[str, Any] | None = None,
    **fields: Any,
) -> UpstreamCall:
    """Build a call for `gpt-4.1`; *messages* were read from *body*, where there is one."""
    [deployment] = resolve(settings_of({"m": "openai/gpt-4.1"}), "m")
    if body is not None:
        fields["source"] = Source(OPENAI_CHAT, body, messages)
    return UpstreamCall(
        deployment=deployment,
        messages=messages or [user("Rebuilt.")],
        parameters=parameters or {},
        timeouts=Timeouts(1, 1, 1, 1),
        **fields,
    )


@pytest.mark.parametrize("stream", [False, True])
def test_raw_messages_are_sent_as_they_came(stream: bool) -> None:
    """Spacing, escapes, key order and number formats of the client's history stay, byte for byte."""
    sent = build_request(call_of(orjson.loads(ODD), b'{"messages":' + ODD + b"}"), stream=stream)

    assert b'"messages":' + ODD in sent
    assert json.loads(sent)["messages"] == json.loads(ODD)


def test_raw_messages_out_of_a_body() -> None:
    """The reader of requests finds those very bytes, between whatever stands around them."""
    body = b'{ "model" : "m" , "messages" : ' + ODD + b' , "api_base":"http://attacker.test", "seed": 1}'
    request = parse_chat_request(body, max_nesting=50)
    call = call_of(request.messages, None, request.parameters, source=request.source)
    sent = build_request(call, stream=False)

    assert ODD in sent
    assert b"attacker" not in sent
    assert list(json.loads(sent)) == ["model", "messages", "seed"]


def test_changed_messages_are_written_anew() -> None:
    """Without raw bytes the history is that of the call."""
    sent = json.loads(build_request(call_of([user("Mended. \u00e9\U0001f600")]), stream=False))

    assert sent == {"model": "gpt-4.1", "messages": [user("Mended. \u00e9\U0001f600")]}


def equal(messages: Any) -> Any:
    """Return another list of the same messages."""
    return list(messages)


def changed(messages: Any) -> Any:
    """Return another list, with another text in it."""
    return [{**messages[0], "content": "Mended."}, *messages[1:]]


@pytest.mark.parametrize(
    ("format_", "change"),
    [(OPENAI_CHAT, equal), (OPENAI_CHAT, changed), ("toy", lambda messages: messages)],
    ids=["an equal history", "a changed history", "another format"],
)
def test_body_of_another_history_or_format_is_not_sent(format_: str, change: Callable[[Any], Any]) -> None:
    """The wire looks at both: whose format the body is in, and whether its history is the very object."""
    read = orjson.loads(ODD)
    source = Source(format_, b'{"messages":' + ODD + b"}", read)
    messages = change(read)
    sent = build_request(call_of(messages, source=source), stream=False)

    assert sent == b'{"model":"gpt-4.1","messages":' + orjson.dumps(messages) + b"}"


@pytest.mark.parametrize(
    ("stream", "ask_usage", "added"),
    [
        (False, False, {}),
        (False, True, {}),
        (True, False, {"stream": True}),
        (True, True, {"stream": True, "stream_options": {"include_usage": True}}),
    ],
)
def test_stream_options_go_with_streams_alone(stream: bool, ask_usage: bool, added: dict[str, Any]) -> None:
    """`stream_options` goes with a stream only, and only where usage may be asked for; a whole answer has neither."""
    sent = json.loads(build_request(call_of(ask_usage=ask_usage), stream=stream))

    assert sent == {"model": "gpt-4.1", "messages": [user("Rebuilt.")], **added}


def test_top_level_is_ours() -> None:
    """The model is the deployment's; beside it stand the call's parameters and those allowed by name."""
    call = call_of(
        orjson.loads(ODD),
        b'{"messages":' + ODD + b"}",
        parameters={"temperature": 0.5},
        extra_body={"top_k": 5},
    )
    sent = json.loads(build_request(call, stream=False))

    assert {**sent, "messages": 0} == {"model": "gpt-4.1", "messages": 0, "temperature": 0.5, "top_k": 5}


def sent_for(messages: bytes) -> bytes:
    """Return the messages that go upstream for a body with these."""
    body = b'{"model":"m","messages":' + messages + b"}"
    request = parse_chat_request(body, max_nesting=50)
    sent = build_request(call_of(request.messages, body), stream=False)
    return sent.removeprefix(b'{"model":"gpt-4.1","messages":').removesuffix(b"}")


@pytest.mark.parametrize(
    ("messages", "sent"),
    [
        (b'[{"role":"tool","role":"user","content":"x"}]', b'[{"role":"user","content":"x"}]'),
        (b'[{"role":"user","content":"a","content" : "b"}]', b'[{"role":"user","content":"b"}]'),
        (b'[{"role":"tool","ro\\u006ce":"user","content":"x"}]', b'[{"role":"user","content":"x"}]'),
        (
            b'[{"role":"user","content":"x","y":{"a":{},"a":1}}]',
            b'[{"role":"user","content":"x","y":{"a":1}}]',
        ),
        (b'[{"role":"tool","role":"user","content":"\\u003a"}]', b'[{"role":"user","content":":"}]'),
        (b'[{"role":"tool","role":"user","content":"\\u003A"}]', b'[{"role":"user","content":":"}]'),
        (b'[{"role":"tool:","role":"user","content":"x"}]', b'[{"role":"user","content":"x"}]'),
    ],
)
def test_key_that_is_there_twice(messages: bytes, sent: bytes) -> None:
    """A history that parsers read differently goes as it was read here, not as it came."""
    assert sent_for(messages) == sent


@pytest.mark.parametrize(
    "messages",
    [
        b'[{"role" : "user", "content": "{\\"a\\": 1, \\"a\\": 2} : ::"}]',
        b'[{"role":"user","content":"\\u003c\\u0026 \\u00e9"}]',
        b'[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"n":1e2}]',
    ],
)
def test_keys_that_look_as_if_they_were_there_twice(messages: bytes) -> None:
    """Keys within a text, and those of different objects, are no such keys."""
    assert sent_for(messages) == messages


TEXTS = st.sampled_from(["role", "content", ":", "::", '"a":', "\\u003a", "é", "a\\", '\\"'])
VALUES = st.recursive(
    TEXTS | st.integers(0, 9) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(
    members=st.lists(st.tuples(TEXTS.filter(lambda key: key not in ("role", "content")), VALUES), max_size=5),
    ascii_only=st.booleans(),
    colon=st.sampled_from([":", ": ", " : "]),
)
def test_twice_or_as_it_came(members: list[tuple[str, Any]], ascii_only: bool, colon: str) -> None:
    """Without a key that is there twice the history goes as it came, with one it goes as it was read.

    What looks like an escaped colon is taken for one.
    """

    def written(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii_only, separators=(",", colon))

    fields = "".join(f",{written(key)}{colon}{written(value)}" for key, value in members)
    raw = f'[{{"role":"user","content":"x"{fields}}}]'.encode()
    sent = sent_for(raw)

    assert json.loads(sent) == json.loads(raw)
    twice = len({key for key, _ in members}) < len(members)
    assert twice or sent == raw or b"u003a" in raw
    assert (
        not twice or sent == json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":")).encode()
    )
