"""A reasoning item shows thoughts where they were asked for, and carries them in any case."""

from __future__ import annotations

import pytest

from proxy.ingress.openai_responses.open_reasoning import OpenReasoning
from proxy.ingress.openai_responses.stream_output import StreamOutput
from sanitizers.native.responses.envelope import Envelope, unpack_envelope
from tests.support.responses_grammar import events_of


@pytest.mark.parametrize("shows", [True, False])
@pytest.mark.parametrize("waits", [True, False])
def test_thoughts_are_shown_and_carried(shows: bool, waits: bool) -> None:
    """The envelope holds the thoughts and what was signed. Without the wish there are no summary events."""
    item = OpenReasoning(StreamOutput("resp_1"), "gemini-x", shows_thoughts=shows)
    raw = b"" if waits else item.open()
    raw += item.add_thoughts("H") + item.add_thoughts("m.")
    raw += item.open() if waits else b""
    item.signatures["call_0"] = "c2ln"
    item.text_signature = "dGV4dA"
    assert not item.is_closed
    raw += item.close(cut=False)

    assert bool(item.is_closed)
    events = events_of(raw)
    done = events[-1]["item"]
    assert unpack_envelope(done["encrypted_content"]) == Envelope(
        "gemini-x", {"call_0": "c2ln"}, "dGV4dA", "Hm."
    )
    assert done["summary"] == ([{"type": "summary_text", "text": "Hm."}] if shows else [])
    assert "".join(event.get("delta", "") for event in events) == ("Hm." if shows else "")
    assert "encrypted_content" not in events[0]["item"]


def test_an_item_without_thoughts_has_no_summary_events() -> None:
    """An item may carry signatures alone."""
    item = OpenReasoning(StreamOutput("resp_1"), "gemini-x", shows_thoughts=True)

    kinds = [event["type"] for event in events_of(item.open() + item.close(cut=True))]

    assert kinds == ["response.output_item.added", "response.output_item.done"]
