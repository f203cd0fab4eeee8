"""Tests of a call whose arguments come in pieces: what is sent on, and where the next call begins."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.answers.partial_call import PartialCall
from tests.proxy.answers.test_object_end import OBJECTS, cut


@settings(max_examples=100)
@given(OBJECTS, st.lists(st.integers(0, 200)))
def test_an_object_is_sent_on_as_it_came(value: dict[str, Any], places: list[int]) -> None:
    """Every piece of one JSON object is sent on unchanged, and belongs to the same call.

    An empty object may be withheld until the call ends.
    """
    written = json.dumps(value)
    call = PartialCall(None, None)
    passed = ""
    for piece in cut(written, places):
        fresh, rest = call.add_text(piece, again=False)
        passed += fresh
        assert rest == ""
    passed += call.finish(cut_off=False)

    assert passed == written == call.text()
    assert call.whole_arguments() == written


@settings(max_examples=100)
@given(OBJECTS, OBJECTS, st.lists(st.integers(0, 400)))
def test_an_object_behind_an_object_begins_a_call(
    one: dict[str, Any], other: dict[str, Any], places: list[int]
) -> None:
    """A second JSON object after the first begins another call, for any split.

    An empty first object may count as a placeholder, which is no call.
    """
    first, second = json.dumps(one), json.dumps(other)
    calls = [PartialCall(None, None)]
    for piece in cut(f"{first} {second}", places):
        _, rest = calls[-1].add_text(piece, again=False)
        while rest:
            calls.append(PartialCall(None, None))
            _, rest = calls[-1].add_text(rest, again=False)

    found = [call.text().strip() for call in calls]
    assert found in ([first, second], [second])
    assert len(found) == 2 or one == {}
