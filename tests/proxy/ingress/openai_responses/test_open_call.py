"""A call begins when its name is whole, and ends when its arguments are."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.open_call import OpenCall
from proxy.ingress.openai_responses.stream_output import StreamOutput
from sanitizers.native.responses.tools import read_tools
from tests.proxy.ingress.openai_responses.responding import TOOLS
from tests.support.responses_grammar import events_of

TABLE = read_tools(TOOLS, ())


def new_call() -> OpenCall:
    """Return a call without name and arguments."""
    return OpenCall(StreamOutput("resp_1"), "call_0", TABLE)


def deltas(raw: bytes) -> list[str]:
    """Return the deltas among the events."""
    return [event["delta"] for event in events_of(raw) if "delta" in event]


def test_a_function_can_begin_with_its_first_argument() -> None:
    """Before its arguments, further pieces of the name may come."""
    made = new_call()
    made.add("f", "")
    could_open = made.can_open
    made.add("", '{"a":')

    assert (could_open, made.can_open, made.may_close) == (False, True, False)
    assert deltas(made.open()) == ['{"a":']
    assert deltas(made.add("", "1} ")) == ["1}"]
    assert made.may_close
    assert made.add("", " garbage") == b""
    assert events_of(made.close(cut=False))[-1]["item"]["arguments"] == '{"a":1}'


@pytest.mark.parametrize("name", ["ex", "shell", "local_shell", "apply_patch"])
def test_another_tool_can_begin_when_it_is_whole(name: str) -> None:
    """Its input has another form than JSON, so that pieces of JSON are no events."""
    made = new_call()
    made.add(name, '{"input":')
    could_open = made.can_open
    made.add("", '"a"}')

    assert (could_open, made.can_open) == (False, True)
    raw = made.open() + made.close(cut=True)

    kinds = [event["type"].rpartition(".")[2] for event in events_of(raw)]
    assert kinds == (["added", "delta", "done", "done"] if name == "ex" else ["added", "done"])
    assert deltas(raw) == (["a"] if name == "ex" else [])


def test_a_custom_call_without_input_has_no_delta() -> None:
    """Empty deltas are no events."""
    made = new_call()
    made.add("ex", '{"input":""}')

    assert deltas(made.open() + made.close(cut=False)) == []


@pytest.mark.parametrize(
    ("name", "arguments", "deliverable"),
    [
        ("f", '{"a"', True),
        ("undeclared", "", True),
        ("ns__g", "", True),
        ("ex", "", False),
        ("shell", '{"a"', False),
    ],
)
def test_a_cut_call_of_a_function_alone_is_delivered(name: str, arguments: str, deliverable: bool) -> None:
    """The client of another tool would take a part of the input for the whole."""
    made = new_call()
    made.add(name, arguments)

    assert made.is_deliverable_cut == deliverable
    assert not made.is_whole


def test_a_cut_function_has_no_end_and_is_incomplete() -> None:
    """The item in the output holds the arguments so far."""
    output = StreamOutput("resp_1")
    made = OpenCall(output, "call_0", TABLE)
    made.add("ns__g", '{"a"')
    made.open()

    assert made.close(cut=True) == b""

    item: Any = output.items[0]
    assert (item["status"], item["arguments"], item["namespace"]) == ("incomplete", '{"a"', "ns")
