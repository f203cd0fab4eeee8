"""Tests of the items of a stream."""

from __future__ import annotations

from typing import Any

from proxy.upstream.wires.openai_responses.positions import Positions

ADDED, DELTA, DONE = (
    {"type": f"response.{name}", "output_index": 0}
    for name in ("output_item.added", "x.delta", "output_item.done")
)


def test_events_of_an_item_have_one_id() -> None:
    """Some servers give each event another id (litellm#30071)."""
    positions = Positions()
    added: dict[str, Any] = {**ADDED, "item": {"id": "msg_1"}}

    assert positions.mend(added) is added
    assert positions.mend({**DELTA, "item_id": "other"}) == {**DELTA, "item_id": "msg_1"}
    assert positions.mend({**DONE, "item": {"id": "third"}})["item"]["id"] == "msg_1"
    same: dict[str, Any] = {**DELTA, "item_id": "msg_1"}
    assert positions.mend(same) is same


def test_last_event_without_output_gets_the_ended_items() -> None:
    """ChatGPT's back end sends an empty output (litellm#41009)."""
    positions = Positions()
    for index in (1, 0):
        positions.mend({**DONE, "output_index": index, "item": {"id": f"msg_{index}"}})

    filled = positions.fill({"type": "response.completed", "response": {"output": []}})
    assert [item["id"] for item in filled["response"]["output"]] == ["msg_0", "msg_1"]
    whole = {"type": "response.completed", "response": {"output": [{"id": "a"}]}}
    assert positions.fill(whole) is whole


def test_calls_are_numbered_in_the_order_in_which_they_begin() -> None:
    positions = Positions()

    assert [positions.begin_call({"output_index": at}) for at in (3, 5, 3)] == [0, 1, 0]
    assert positions.call_at({"output_index": 5}) == 1
    assert positions.call_at({"output_index": 4}) is None
