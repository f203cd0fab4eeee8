"""Tests of the ids of an answer's calls: Gemini's own ids where usable, else derived ids."""

from __future__ import annotations

from typing import Any

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body, call, only_choice


def ids(*parts: dict[str, Any], **rest: Any) -> list[str]:
    """Return the ids of the calls in an answer with *parts*."""
    message = only_choice(read_answer(body(*parts, **rest), model="m"))["message"]
    return [one["id"] for one in message["tool_calls"]]


def test_missing_ids_are_derived() -> None:
    """Derived ids are unique in an answer and differ between answers. A second reading gives the same ids."""
    first = ids(call(), call(), call(id=""), responseId="r1")

    assert len(set(first)) == 3
    assert all(one.startswith("call_") and len(one) <= 40 for one in first)
    assert first == ids(call(), call(), call(id=""), responseId="r1")
    assert set(first).isdisjoint(ids(call(), responseId="r2"))


def test_id_of_another_call_is_replaced() -> None:
    """A call that Gemini repeats with the same id is one call. Another call with its id gets a new id."""
    assert ids(call("f", {}, id="r"), call("f", {}, id="r")) == ["r"]

    first, second = ids(call("f", {"a": 1}, id="r"), call("f", {"a": 2}, id="r"), call("f", {"a": 2}, id="r"))
    assert first == "r"
    assert second != "r"
