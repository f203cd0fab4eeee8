"""Tests of the stored form of a step."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.sessions.turn_entry import (
    NEAREST,
    Link,
    Position,
    TurnEntry,
    position_values,
    read_before,
    read_items,
    read_position,
    read_turn,
    read_turn_alone,
    turn_values,
)
from proxy.state.sessions.turn_window import Counted
from tests.support.session_stores import said

IDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40)
LINKS = st.builds(Link, IDS, st.integers(0, 2**40), st.integers(0, 2**40), st.integers(0, 2**20))
POSITIONS = st.builds(
    Position,
    st.lists(LINKS, max_size=NEAREST).map(tuple),
    st.none() | IDS,
    st.builds(Counted, st.integers(0, 2**20), st.booleans()),
)
ENTRY = TurnEntry(
    Position((Link("resp_1", 5, 6, 7),), "resp_0", Counted(7, asks=False)),
    Counted(8, asks=True),
    [said("a")],
    (10, 20),
    "resp_1",
    "conv_1",
    "gemini",
    1_800_000_000,
    is_deleted=True,
)


def stored(values: Any) -> Any:
    """Return *values* as they come out of a store."""
    return orjson.loads(orjson.dumps(values))


@given(position=POSITIONS)
def test_position_comes_back(position: Position) -> None:
    """Each link of the chain comes back."""
    assert read_position(stored(position_values(position))) == position


def test_step_comes_back() -> None:
    """Each field comes back. The position can be read apart."""
    values = stored(turn_values(ENTRY))

    assert read_turn(values) == ENTRY
    assert read_turn_alone(values).before == Position()
    assert read_before(values) == ENTRY.before


def test_chain_keeps_the_nearest_steps_and_the_first() -> None:
    """The position behind a step names the newest 64 steps, and the first one of all."""
    position = Position()
    for number in range(100):
        position = position.after(Link(f"resp_{number}", 1, 1, number), Counted(number, asks=False))

    assert [link.id for link in position.links] == [f"resp_{number}" for number in range(99, 35, -1)]
    assert position.root == "resp_0"


@pytest.mark.parametrize("id_", ["a b", "a\nb", " ", "", "a\t"])
def test_id_with_white_space_is_refused(id_: str) -> None:
    """It could not be read back."""
    with pytest.raises(ValueError, match="white space"):
        position_values(Position((Link(id_, 1, 1, 1),)))


@pytest.mark.parametrize("name", sorted(turn_values(ENTRY)))
@pytest.mark.parametrize("value", [None, [], {}, 7, "x", -1, [1], [[1, 2, 3]], True])
def test_other_values_are_refused_or_harmless(name: str, value: Any) -> None:
    """A step of another form raises the one error that readers expect."""
    values = {**turn_values(ENTRY), name: value}
    for read in (read_turn, read_before):
        try:
            read(values)
        except ValueError:
            continue
    missing = {key: each for key, each in values.items() if key != name}
    with pytest.raises(ValueError):  # noqa: PT011 - any
        read_turn(missing)


@pytest.mark.parametrize(
    "values", [None, 7, "x", [], [1], {}, {"links": 7}, {"links": "a b c", "root": None}]
)
def test_other_values_are_no_position(values: Any) -> None:
    """Nothing else than a value error is raised."""
    for read in (read_position, read_turn, read_before):
        with pytest.raises(ValueError):  # noqa: PT011 - any
            read(values)


@pytest.mark.parametrize("values", [None, 7, {}, "x", [1], [None], [[]]])
def test_items_are_a_list_of_objects(values: Any) -> None:
    """Anything else is refused."""
    with pytest.raises(ValueError, match="not a list of items"):
        read_items(values)
