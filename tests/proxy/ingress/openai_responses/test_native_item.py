"""An output item of a provider's own stream, while it is open."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.native_item import NativeItem
from proxy.ingress.openai_responses.stream_output import Place, StreamOutput
from tests.support.native_responses import CALL, CUSTOM, MESSAGE, stream_of
from tests.support.responses_grammar import events_of


def opened(item: dict[str, Any], until: str) -> tuple[NativeItem, StreamOutput]:
    """Return *item* as its events up to the first of the type *until* have left it."""
    events = [event for event in stream_of([item]) if "output_index" in event]
    output = StreamOutput("resp_1")
    output.items.append({})
    held = NativeItem(Place(item["id"], 0), events[0]["item"], 0 if "call_id" in item else None)
    for event in events[1:]:
        held.note(event["type"], event)
        if event["type"] == until:
            break
    return held, output


@pytest.mark.parametrize(
    ("item", "until", "kinds"),
    [
        (
            MESSAGE,
            "response.output_text.delta",
            ["output_text.done", "content_part.done", "output_item.done"],
        ),
        (MESSAGE, "response.output_text.done", ["content_part.done", "output_item.done"]),
        (MESSAGE, "response.content_part.done", ["output_item.done"]),
        (
            CALL,
            "response.function_call_arguments.delta",
            ["function_call_arguments.done", "output_item.done"],
        ),
        (CALL, "response.function_call_arguments.done", ["output_item.done"]),
        (
            CUSTOM,
            "response.custom_tool_call_input.delta",
            ["custom_tool_call_input.done", "output_item.done"],
        ),
    ],
)
def test_item_is_ended_in_order_from_where_it_stands(
    item: dict[str, Any], until: str, kinds: list[str]
) -> None:
    held, output = opened(item, until)

    events = events_of(held.close(output, "completed"))
    assert [event["type"] for event in events] == [f"response.{kind}" for kind in kinds]
    assert output.items == [events[-1]["item"]]


def test_whole_text_that_differs_from_its_pieces_does_not_fit() -> None:
    """A repair has left out or changed a piece. Nothing of the item's end fits then."""
    done = "response.function_call_arguments.done"
    held, _ = opened(CALL, done)

    assert held.fits(done, {"arguments": CALL["arguments"]})
    assert held.fits("response.made_up", {})
    assert held.fits_whole(CALL)
    assert not held.fits(done, {"arguments": "other"})
    assert not held.fits("response.made_up", {})
    assert held.is_changed
    other, _ = opened(CALL, done)
    assert not other.fits_whole({**CALL, "arguments": "{}"})


def test_text_goes_on_in_an_open_message_alone() -> None:
    held, output = opened(MESSAGE, "response.output_text.delta")
    call, other = opened(CALL, "response.function_call_arguments.delta")

    events = held.add_text(output, "so")
    assert events is not None
    assert [event["delta"] for event in events_of(events)] == ["so"]
    assert held.as_item("completed")["content"][0]["text"] == "Weso"
    assert held.says_something
    assert call.add_text(other, "so") is None
    assert not call.says_something
