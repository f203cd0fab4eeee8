"""Tests that every wire keeps the contract in ``proxy.upstream.wires.protocol``.

A new wire is added to ``samples.table`` with its sample.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.core.source import OPENAI_CHAT, SOURCE, AnswerSource, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires import table
from proxy.upstream.wires.protocol import Wire
from proxy.upstream.wires.sse_decoder import SSEDecoder
from proxy.upstream.wires.table import wire_of
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.proxy.upstream.provider import BOTH
from tests.proxy.upstream.wires.samples.sample import WireSample
from tests.proxy.upstream.wires.samples.table import SAMPLES
from tests.proxy.upstream.wires.toy.plugging import plug_in_toy
from tests.support.builders import assistant, system, user

KEY = "sk-ours-5d0f7c1e"
BASE = "http://127.0.0.1:9/base"
TEXTS = ["Be kind.", "Hello.", "Hi.", "Are you well? ✓"]
MESSAGES = [system(TEXTS[0]), user(TEXTS[1]), assistant(TEXTS[2]), user(TEXTS[3])]


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.provider)
def sample(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> WireSample:
    """Return each sample in turn. The toy wire is in the table during the test."""
    plug_in_toy(monkeypatch)
    given: WireSample = request.param
    return given


def sample_deployment(sample: WireSample, base: str | None = BASE, **params: Any) -> Deployment:
    """Return a deployment of the sample's model with the key of this test."""
    return deployment_of(sample.model, api_base=base, api_key=KEY, **params)


def call_of(deployment: Deployment) -> UpstreamCall:
    """Return a call with a small chat."""
    return UpstreamCall(deployment, MESSAGES, {"temperature": 0.5}, LIMITS)


def read_stream(wire: Wire, deployment: Deployment, pieces: Iterable[bytes]) -> tuple[str, list[str]]:
    """Return the text and the finish reasons of a stream that comes in *pieces*, as the transport reads it."""
    reader, decoder, chunks = wire.read_stream(call_of(deployment)), SSEDecoder(), []
    for received in (*pieces, b""):
        for payload in decoder.feed(received) if received else decoder.close():
            chunks += reader.feed(payload)
    chunks += reader.close()
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    reasons = [choice["finish_reason"] for choice in choices if choice["finish_reason"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices), reasons


def test_every_row_of_the_table_has_a_sample() -> None:
    """A wire without a sample would not be tested here."""
    assert [sample.provider for sample in SAMPLES] == [*table.WIRES, "toy"]


@BOTH
def test_request_is_json_with_the_messages_in_their_order(sample: WireSample, stream: bool) -> None:
    """The request holds each message's text once."""
    deployment = sample_deployment(sample)
    body = wire_of(deployment).write_request(call_of(deployment), stream=stream)

    assert sample.read_texts(json.loads(body)) == TEXTS


@BOTH
def test_key_is_in_its_header_and_nowhere_else(sample: WireSample, stream: bool) -> None:
    """The key is only in its header, since proxies log URLs and a body may be stored."""
    deployment = sample_deployment(sample)
    wire, call = wire_of(deployment), call_of(deployment)
    headers = wire.headers(deployment)

    assert headers[sample.key_header] == sample.key_prefix + KEY
    assert [name for name, value in headers.items() if KEY in value] == [sample.key_header]
    assert KEY not in wire.url(call, stream=stream)
    assert KEY.encode() not in wire.write_request(call, stream=stream)


@BOTH
def test_url_is_below_the_address_of_the_deployment(sample: WireSample, stream: bool) -> None:
    """The URL is below the deployment's address, so that the key goes to no other host."""
    deployment = sample_deployment(sample)

    assert wire_of(deployment).url(call_of(deployment), stream=stream).startswith(f"{BASE}/")


def test_header_of_the_deployment_is_sent_in_place_of_the_wire_s(sample: WireSample) -> None:
    """The operator's spelling counts, and no header is sent twice."""
    spelled = sample.key_header.upper()
    headers = wire_of(deployment := sample_deployment(sample, extra_headers={spelled: "theirs"})).headers(
        deployment
    )

    assert [(name, value) for name, value in headers.items() if name.lower() == spelled.lower()] == [
        (spelled, "theirs")
    ]
    assert headers["Content-Type"] == "application/json"


def test_answer_is_read_into_the_canonical_form(sample: WireSample) -> None:
    """The answer is a ``chat.completion`` with one choice."""
    deployment = sample_deployment(sample)
    answer = wire_of(deployment).read_answer(sample.answer, call_of(deployment))
    [choice] = answer["choices"]

    assert answer["object"] == "chat.completion"
    assert (choice["index"], choice["finish_reason"]) == (0, "stop")
    assert (choice["message"]["role"], choice["message"]["content"]) == ("assistant", "Good day.")


def test_stream_is_the_same_for_any_cut_of_its_bytes(sample: WireSample) -> None:
    """The bytes are cut in two at each place, and byte by byte."""
    deployment = sample_deployment(sample)
    wire, stream = wire_of(deployment), sample.stream
    cuts = [[stream[:at], stream[at:]] for at in range(1, len(stream))]
    cuts += [[stream], [stream[at : at + 1] for at in range(len(stream))]]

    for pieces in cuts:
        assert read_stream(wire, deployment, pieces) == ("Good day.", ["stop"])


def test_stream_may_end_only_when_its_choices_have_ended(sample: WireSample) -> None:
    """After the last choice has ended, the transport waits only a short time, in place of the idle limit."""
    reader = wire_of(deployment := sample_deployment(sample)).read_stream(call_of(deployment))
    first, *later = SSEDecoder().feed(sample.stream)

    reader.feed(first)
    assert not reader.may_end(1)
    for payload in later:
        reader.feed(payload)
    assert reader.may_end(1)
    assert reader.is_over()


def test_truncated_stream_raises(sample: WireSample) -> None:
    """A stream that is cut within or after its first event is an error."""
    deployment = sample_deployment(sample)
    end_of_first = sample.stream.index(b"\n\n") + 2

    for cut in range(1, end_of_first + 1):
        with pytest.raises(UpstreamFault) as caught:
            read_stream(wire_of(deployment), deployment, [sample.stream[:cut]])
        assert cut < end_of_first or caught.value.cause is Cause.TRUNCATED


def test_message_of_an_error_body_is_returned(sample: WireSample) -> None:
    """The client gets the provider's message."""
    assert wire_of(sample_deployment(sample)).read_error(400, sample.refusal) == "Too many tokens."


def test_error_in_place_of_an_answer_raises_with_its_message(sample: WireSample) -> None:
    """Some providers send an error with the status 200."""
    deployment = sample_deployment(sample)

    with pytest.raises(UpstreamFault, match=r"^Too many tokens\.$"):
        wire_of(deployment).read_answer(sample.refusal, call_of(deployment))


def test_error_in_a_stream_raises_with_its_message(sample: WireSample) -> None:
    """An error in a stream is a fault with the provider's message, even after a first chunk."""
    reader = wire_of(deployment := sample_deployment(sample)).read_stream(call_of(deployment))
    reader.feed(SSEDecoder().feed(sample.stream)[0])

    with pytest.raises(UpstreamFault, match=r"^Too many tokens\.$"):
        reader.feed(sample.refusal)


@pytest.mark.parametrize("body", [b"<html>", b"{", b"\xff"])
def test_body_that_is_no_json_raises(sample: WireSample, body: bytes) -> None:
    """A proxy on the way may send a page, or cut the body."""
    deployment = sample_deployment(sample)

    with pytest.raises(UpstreamFault):
        wire_of(deployment).read_answer(body, call_of(deployment))


@pytest.mark.parametrize("client", [None, OPENAI_CHAT, "own", "other"])
def test_source_is_attached_for_a_client_of_the_wire_s_own_format_alone(
    sample: WireSample, client: str | None
) -> None:
    """For a client of the wire's own format, every event and every whole answer has its source.

    OpenAI's format has no sources.
    """
    deployment = sample_deployment(sample)
    wire, call = wire_of(deployment), call_of(deployment)
    if client is not None:
        name = (wire.format or "none") if client == "own" else client
        call = replace(call, source=Source(name, b"{}", call.messages))
    native = client == "own" and wire.format not in (None, OPENAI_CHAT)
    reader = wire.read_stream(call)
    events = SSEDecoder().feed(sample.stream)
    answer = wire.read_answer(sample.answer, call)
    chunks = [chunk for event in events for chunk in reader.feed(event)] + reader.close()
    found = [holder[SOURCE] for holder in (answer, *chunks) if SOURCE in holder]

    wanted = [sample.answer, *events] if native else []
    assert found == [AnswerSource(wire.format or "", json.loads(body)) for body in wanted]


def test_unsupported_parameter_is_named_and_no_other(sample: WireSample) -> None:
    """The rules are those of the provider's own address."""
    deployment = sample_deployment(sample, base=None)
    parameters = {"temperature": 0.5, sample.unsupported: 1}

    assert wire_of(deployment).unsupported(deployment, parameters) == {sample.unsupported}
