"""Items begin in their order, wait for unfinished ones, and hold up nothing longer than needed."""

from __future__ import annotations

from typing import Any

from proxy.ingress.openai_responses.item_queue import ItemQueue
from proxy.ingress.openai_responses.stream_output import StreamOutput
from tests.proxy.ingress.openai_responses.responding import answers, chunk, piece
from tests.support.counted_steps import count_steps
from tests.support.responses_grammar import events_of


class Reading:
    """A queue, and the types of the items that have begun and ended."""

    def __init__(self) -> None:
        self.queue = ItemQueue(StreamOutput("resp_1"), answers(), "gemini-x")
        self.log: list[str] = []

    def read(self, delta: dict[str, Any], finish: str | None = None) -> list[str]:
        """Read *delta*, and return what began (`+`) and ended (`-`)."""
        raw = self.queue.read_choice(chunk(delta, finish)["choices"][0])
        marks = {"response.output_item.added": "+", "response.output_item.done": "-"}
        found = [
            marks[event["type"]] + event["item"]["type"] for event in events_of(raw) if event["type"] in marks
        ]
        self.log += found
        return found


def test_thoughts_begin_at_once_and_end_with_the_next_item() -> None:
    """A client sees the thinking begin. It ends when the text begins."""
    reading = Reading()

    assert reading.read({"reasoning_content": "Hm."}) == ["+reasoning"]
    assert reading.read({"content": "a"}) == ["-reasoning", "+message"]
    assert reading.queue.open_item is reading.queue.message is not None
    assert reading.read({"content": "b"}, "stop") == ["-message"]
    assert reading.queue.open_item is None


def test_thoughts_stay_open_until_the_call_behind_them_begins() -> None:
    """A signature on a later piece of the call still gets into the item in front."""
    reading = Reading()
    reading.read({"reasoning_content": "Hm."})

    assert reading.read(piece(0, "", "f")) == []
    assert reading.read(piece(0, "", signature="c2ln")) == []
    assert reading.read(piece(0, "{}")) == ["-reasoning", "+function_call"]
    assert reading.read({}, "tool_calls") == ["-function_call"]


def test_a_signature_behind_the_closed_item_waits_for_the_next_call() -> None:
    """A call's late signature stands in front of the next call, or at the end."""
    reading = Reading()
    reading.read(piece(0, "{", "f"))
    reading.read(piece(0, "}", signature="c2ln"))

    assert reading.read(piece(1, "{}", "f")) == [
        "-function_call",
        "+reasoning",
        "-reasoning",
        "+function_call",
    ]
    reading.read(piece(1, "", signature="YWJj"))
    assert reading.read({}, "tool_calls") == ["-function_call", "+reasoning", "-reasoning"]


def test_a_text_behind_an_unfinished_call_waits() -> None:
    """The text goes out when the call is whole, and further texts join it."""
    reading = Reading()
    assert reading.read(piece(0, "{", "f")) == ["+function_call"]
    assert reading.read({"content": "a"}) == []
    assert reading.read({"content": "b"}) == []

    assert reading.read(piece(0, "}")) == ["-function_call", "+message"]
    assert reading.read({"content": "c"}, "tool_calls") == ["-message"]


def test_a_whole_call_ends_with_the_head_of_the_next() -> None:
    """A call does not wait for the next one's arguments."""
    reading = Reading()
    reading.read(piece(0, "{}", "f"))

    assert reading.read(piece(1, "", "ex")) == ["-function_call"]
    assert reading.read(piece(1, '{"input":"a"}')) == ["+custom_tool_call"]


def test_a_call_without_arguments_begins_when_another_follows() -> None:
    """Its name is whole then. It stays open, since its arguments may still come."""
    reading = Reading()
    reading.read(piece(0, "", "f"))

    assert reading.read(piece(1, "{}", "f")) == ["+function_call"]
    assert reading.read({}, "tool_calls") == ["-function_call", "+function_call", "-function_call"]


def test_a_cut_call_of_a_custom_tool_is_left_out() -> None:
    """A part of a patch would be taken for a patch."""
    reading = Reading()
    reading.read({"content": "a"})
    reading.read(piece(0, '{"input":"a', "ex"))

    assert reading.read({}, "length") == []
    assert reading.log == ["+message", "-message"]


def test_many_waiting_calls_cost_no_more_than_their_number() -> None:
    """A thousand calls behind an unfinished one take about twice the steps of five hundred."""

    def steps(calls: int) -> int:
        reading = Reading()
        parts = [piece(0, "{", "f")]
        for at in range(1, calls):
            parts += [piece(at, "{", "f"), piece(at, "}", signature="c2ln")]
        choices = [chunk(delta)["choices"][0] for delta in (*parts, piece(0, "}"))]
        return count_steps(lambda: [reading.queue.read_choice(choice) for choice in choices]).total()

    assert steps(1_000) < 3 * steps(500)
