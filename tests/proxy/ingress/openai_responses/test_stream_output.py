"""Events are numbered and framed, and items have places in their order."""

from __future__ import annotations

from proxy.ingress.openai_responses.stream_output import StreamOutput
from tests.support.responses_grammar import events_of


def test_events_have_numbers_and_repeat_their_type() -> None:
    """The numbers begin at 0, and a number that is taken elsewhere is not used again."""
    output = StreamOutput("resp_1")
    first = output.write_event("response.a", {"x": "日本\n\n"})
    output.next_number += 1

    events = events_of(first + output.write_event("error", {}))

    assert events == [
        {"type": "response.a", "sequence_number": 0, "x": "日本\n\n"},
        {"type": "error", "sequence_number": 2},
    ]


def test_items_have_places_in_their_order() -> None:
    """Each item keeps its last state, and its events its id and index."""
    output = StreamOutput("resp_1")
    places = [output.begin_item("message"), output.begin_item("reasoning")]
    raw = output.write_added(places[0], {"id": places[0].id}) + output.write_of(
        places[1], "response.b", {"x": 1}
    )
    raw += output.write_done(places[0], {"id": places[0].id, "done": True})

    assert [place.index for place in places] == [0, 1]
    assert output.items == [{"id": places[0].id, "done": True}, {}]
    assert [event["output_index"] for event in events_of(raw)] == [0, 1, 0]
    assert events_of(raw)[1]["item_id"] == places[1].id
