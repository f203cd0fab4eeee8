"""Tests that a provider's own JSON is attached to the canonical answer only for clients of the same format."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.source import OPENAI_CHAT, SOURCE, AnswerSource, Source
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.whole_as_chunks import whole_as_chunks
from proxy.upstream.wires.native_events import attach_body, attach_event, takes_native
from tests.proxy.upstream.deployments import LIMITS, deployment_of
from tests.support.builders import user
from tests.support.scripted_upstream import answer, say

EVENT = {"cites": "https://a.test"}
DEPLOYMENT = deployment_of("openai/m")


def call_of(client: str | None) -> UpstreamCall:
    """Return the call of a client that speaks this format."""
    messages = [user("a")]
    source = None if client is None else Source(client, b"{}", messages)
    return UpstreamCall(DEPLOYMENT, messages, {}, LIMITS, source=source)


@pytest.mark.parametrize(
    ("wire", "client", "takes"),
    [
        ("toy", "toy", True),
        ("toy", OPENAI_CHAT, False),
        ("toy", None, False),
        (None, None, False),
        (None, "toy", False),
        (OPENAI_CHAT, OPENAI_CHAT, False),
    ],
)
def test_client_of_the_same_format_takes_native_events(
    wire: str | None, client: str | None, takes: bool
) -> None:
    """OpenAI's format is the exception, since its chunks are native already."""
    assert takes_native(wire, call_of(client)) == takes


@pytest.mark.parametrize(
    ("chunks", "found"),
    [
        ([say("a")], [{**say("a"), SOURCE: AnswerSource("toy", EVENT)}]),
        ([], [{"choices": [], SOURCE: AnswerSource("toy", EVENT)}]),
        ([say("a"), say("b")], [say("a"), say("b")]),
    ],
    ids=["one chunk", "none", "several"],
)
def test_event_is_attached_to_its_one_chunk(chunks: list[Any], found: list[Any]) -> None:
    """An event with several chunks is attached to none. An event without chunks gets a new chunk without choices."""
    assert attach_event(chunks, "toy", EVENT) == found


def test_native_body_is_no_event_of_a_stream() -> None:
    """The chunks of a whole answer have no source, since the attached body is no event."""
    chunks = whole_as_chunks(attach_body(answer("a"), "toy", {"reply": "a"}))

    assert chunks
    assert not any(SOURCE in chunk for chunk in chunks)
