"""Tests of a request's bytes: the client's own history, and the allowed fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.source import ANTHROPIC_MESSAGES, OPENAI_CHAT, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.upstream.wires.openai import build_request
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user

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
    """Return a call for `gpt-4.1`. Where *body* is given, *messages* must have been read from *body*."""
    if body is not None:
        fields["source"] = Source(OPENAI_CHAT, body, messages)
    return UpstreamCall(
        deployment=deployment_of("openai/gpt-4.1"),
        messages=messages or [user("Rebuilt.")],
        parameters=parameters or {},
        timeouts=LIMITS,
        **fields,
    )


@pytest.mark.parametrize("stream", [False, True])
def test_unchanged_messages_are_sent_byte_for_byte(stream: bool) -> None:
    """Spaces, escapes, key order and number formats stay."""
    sent = build_request(call_of(orjson.loads(ODD), b'{"messages":' + ODD + b"}"), stream=stream)

    assert b'"messages":' + ODD in sent
    assert json.loads(sent)["messages"] == json.loads(ODD)


def test_messages_are_found_in_the_client_s_body() -> None:
    """Fields of the client's body that are not allowed are left out."""
    body = b'{ "model" : "m" , "messages" : ' + ODD + b' , "api_base":"http://attacker.test", "seed": 1}'
    request = parse_chat_request(body, max_nesting=50)
    call = call_of(request.messages, None, request.parameters, source=request.source)
    sent = build_request(call, stream=False)

    assert ODD in sent
    assert b"attacker" not in sent
    assert list(json.loads(sent)) == ["model", "messages", "seed"]


def test_changed_messages_are_written_anew() -> None:
    """The messages of a call without the client's body are written as new JSON."""
    sent = json.loads(build_request(call_of([user("Mended. \u00e9\U0001f600")]), stream=False))

    assert sent == {"model": "gpt-4.1", "messages": [user("Mended. \u00e9\U0001f600")]}


def equal(messages: Any) -> Any:
    """Return another list of the same messages."""
    return list(messages)


def changed(messages: Any) -> Any:
    """Return another list, with another text in its first message."""
    return [{**messages[0], "content": "Mended."}, *messages[1:]]


@pytest.mark.parametrize(
    ("format_", "change"),
    [(OPENAI_CHAT, equal), (OPENAI_CHAT, changed), ("toy", lambda messages: messages)],
    ids=["an equal history", "a changed history", "another format"],
)
def test_body_of_another_history_or_format_is_not_sent(format_: str, change: Callable[[Any], Any]) -> None:
    """The client's bytes are sent only where the messages are the same object, in OpenAI's format."""
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
    """A whole answer holds its usage without stream options."""
    sent = json.loads(build_request(call_of(ask_usage=ask_usage), stream=stream))

    assert sent == {"model": "gpt-4.1", "messages": [user("Rebuilt.")], **added}


def test_history_for_a_provider_without_parts_of_text_is_written_anew() -> None:
    """Untouched bytes would hold the lists that the provider refuses."""
    messages = [user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), user("c")]
    body = orjson.dumps({"messages": messages})
    call = replace(call_of(messages, body), deployment=deployment_of("publicai/some-model"))

    assert orjson.loads(build_request(call, stream=False))["messages"] == [user("ab"), user("c")]
    assert orjson.loads(build_request(call_of(messages, body), stream=False))["messages"] == messages


def test_model_is_named_as_the_provider_names_it() -> None:
    """A model of Fireworks gets an account, and a deployment of Azure loses its family."""
    azure = deployment_of("azure/o_series/mine", api_base="https://h.test", api_version="v1")
    for deployment, model in (
        (deployment_of("fireworks_ai/m"), "accounts/fireworks/models/m"),
        (azure, "mine"),
    ):
        call = replace(call_of(), deployment=deployment)
        assert orjson.loads(build_request(call, stream=False))["model"] == model


def test_top_level_holds_the_deployment_s_model_and_allowed_fields_only() -> None:
    """The body holds the provider's model name, the messages, the parameters and the allowed fields only."""
    call = call_of(
        orjson.loads(ODD),
        b'{"messages":' + ODD + b"}",
        parameters={"temperature": 0.5},
        extra_body={"top_k": 5},
    )
    sent = json.loads(build_request(call, stream=False))

    assert {**sent, "messages": 0} == {"model": "gpt-4.1", "messages": 0, "temperature": 0.5, "top_k": 5}


def sent_for(messages: bytes) -> bytes:
    """Return the bytes of the messages that go upstream for a body with these *messages*."""
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
def test_history_with_a_duplicate_key_is_written_anew(messages: bytes, sent: bytes) -> None:
    """Such a history is written anew, since parsers differ in which of two values with the same key they keep."""
    assert sent_for(messages) == sent


@pytest.mark.parametrize(
    "messages",
    [
        b'[{"role" : "user", "content": "{\\"a\\": 1, \\"a\\": 2} : ::"}]',
        b'[{"role":"user","content":"\\u003c\\u0026 \\u00e9"}]',
        b'[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"n":1e2}]',
    ],
)
def test_keys_within_texts_and_other_objects_are_no_duplicates(messages: bytes) -> None:
    """A history with equal keys only in texts or in different objects is sent byte for byte."""
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
def test_history_is_written_anew_exactly_when_a_key_is_a_duplicate(
    members: list[tuple[str, Any]], ascii_only: bool, colon: str
) -> None:
    """A history with an escaped colon may be written anew too."""

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


@pytest.mark.parametrize(("format_", "joined"), [(ANTHROPIC_MESSAGES, "a\n\nb"), (OPENAI_CHAT, "ab")])
def test_blocks_of_anthropics_clients_do_not_run_together(format_: str, joined: str) -> None:
    """Their blocks are texts of their own. Parts of a chat are joined as litellm joins them."""
    messages = [user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]), user("c")]
    call = replace(
        call_of(messages, source=Source(format_, b"{}", messages)),
        deployment=deployment_of("deepseek/deepseek-chat"),
    )

    sent = json.loads(build_request(call, stream=False))["messages"]
    assert [message["content"] for message in sent] == [joined, "c"]
