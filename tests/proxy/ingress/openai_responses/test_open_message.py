"""A message has parts of text and refusal. What comes before it begins is written then."""

from __future__ import annotations

from proxy.ingress.openai_responses.open_message import OpenMessage
from proxy.ingress.openai_responses.stream_output import StreamOutput
from tests.support.responses_grammar import events_of

CITED = {"type": "url_citation", "url": "u"}
TOKEN = {"token": "a", "logprob": -1, "bytes": [], "top_logprobs": []}


def fill(message: OpenMessage) -> bytes:
    """Add texts, a refusal, annotations and log probabilities to *message*."""
    raw = message.add_text("a", [TOKEN]) + message.add_text("b") + message.add_annotations([CITED])
    message.add_logprobs([TOKEN])
    raw += message.add_refusal("No") + message.add_refusal(".") + message.add_annotations([CITED])
    message.add_logprobs([TOKEN])
    return raw + message.add_text("c")


def test_a_message_that_waits_has_the_events_of_an_open_one() -> None:
    """The order of what is added and of the opening makes no difference."""
    waiting, live = OpenMessage(StreamOutput("resp_1")), OpenMessage(StreamOutput("resp_1"))

    assert fill(waiting) == b""
    held = waiting.open() + waiting.close(cut=False)

    assert live.open() + fill(live) + live.close(cut=False) == held
    parts = events_of(held)[-1]["item"]["content"]
    assert [part.get("text", part.get("refusal")) for part in parts] == ["ab", "No.", "c"]
    assert [part.get("annotations") for part in parts] == [[CITED], None, []]
    assert [part.get("logprobs") for part in parts] == [[TOKEN, TOKEN], None, []]


def test_the_short_way_writes_what_the_long_one_does() -> None:
    """A plain text in an open part has the same event in both ways."""
    messages = OpenMessage(StreamOutput("resp_1")), OpenMessage(StreamOutput("resp_1"))
    for message in messages:
        assert message.delta_head == b""
        message.open()
        message.add_text("a")
        assert message.delta_head
    long, short = messages

    assert long.add_text('b"\n\ud83d') == short.add_plain('b"\n\ud83d')
    assert long.close(cut=True) == short.close(cut=True)


def test_a_cut_message_is_incomplete() -> None:
    """The status of a message says whether it was cut."""
    message = OpenMessage(StreamOutput("resp_1"))
    message.open()
    message.add_text("a")

    assert events_of(message.close(cut=True))[-1]["item"]["status"] == "incomplete"
    assert message.as_item("completed")["status"] == "completed"
