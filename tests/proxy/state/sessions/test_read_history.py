"""Tests of reading a chain: the number of look-ups, bounds, and windows that are those of the whole list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from proxy.state.sessions import read_history as module
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.read_history import Window
from proxy.state.sessions.session_errors import HistoryTooLong
from proxy.state.sessions.sessions import Sessions
from proxy.state.sessions.turn_window import count_turns, dropped_turns
from tests.proxy.state.sessions.test_turn_window import newest_turns
from tests.support.session_stores import (
    LIMITS,
    MAX_BYTES,
    keep_chain,
    memory_sessions,
    record,
    said,
    texts,
    user,
)

ITEMS = st.sampled_from([user("u"), said("a"), {"type": "message", "role": "system", "content": "s"}])


class CountedRecords(MemoryRecords):
    """Values in memory, with the number of look-ups."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.lookups = 0

    @override
    async def get(self, tenant: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        self.lookups += 1
        return await super().get(tenant, keys)


async def test_look_ups_grow_by_the_64_steps_that_each_step_names() -> None:
    """A short chain takes two look-ups, and each 64 further steps one more."""
    store = CountedRecords()
    sessions = Sessions(store, MAX_BYTES)
    await keep_chain(sessions, "blue", 200)
    for number, lookups in ((0, 2), (1, 2), (62, 2), (63, 2), (64, 3), (127, 3), (130, 4), (199, 5)):
        store.lookups = 0
        history = await sessions.history("blue", f"resp_{number}")
        assert history is not None
        assert len(history.items) == 2 * (number + 1)
        assert store.lookups <= lookups, number
    store.lookups = 0
    window = await sessions.history("blue", "resp_199", Window(20, [user("new")]))
    assert window is not None
    assert store.lookups <= 3


async def test_chain_of_any_length_is_continued_with_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a window a chain beyond the bound is refused, and one of the bound is read."""
    monkeypatch.setattr(module, "MOST_STEPS", 100)
    sessions = memory_sessions()
    await keep_chain(sessions, "blue", 150)

    assert await sessions.history("blue", "resp_99") is not None
    with pytest.raises(HistoryTooLong):
        await sessions.history("blue", "resp_100")
    window = await sessions.history("blue", "resp_149", Window(20, [user("new")]))
    assert window is not None
    assert texts(window.items)[0] == "q121"


@settings(deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.lists(ITEMS, max_size=4), st.lists(ITEMS, max_size=3)), min_size=1, max_size=25
    ),
    new=st.lists(ITEMS, max_size=3),
    turns=st.integers(0, 6),
)
async def test_window_of_a_chain_is_that_of_the_whole_list(
    steps: list[tuple[list[Any], list[Any]]], new: list[Any], turns: int
) -> None:
    """However items are spread over responses, the same turns are kept and dropped.

    Instructions count as leading where they stand in the first response, before the first user message.
    """
    sessions = memory_sessions()
    whole = list[Any]()
    for number, (given_items, output) in enumerate(steps):
        parent = number - 1 if number else None
        made = record(number, parent, input=given_items, output=output)
        assert await sessions.keep_response("blue", made)
        whole += [*given_items, *output]
    history = await sessions.history("blue", f"resp_{len(steps) - 1}", Window(turns, new))
    total = count_turns([*whole, *new]).turns

    assert history is not None
    assert history.dropped_turns == dropped_turns(total, turns)
    assert history.position.counted == count_turns(whole)
    if not history.dropped_turns:
        assert history.items == whole
        return
    expected = newest_turns([*whole, *new], turns)
    expected = expected[: len(expected) - len(new)] if new else expected
    kept = [item for item in history.items if item.get("role") != "system"]
    assert kept == [item for item in expected if item.get("role") != "system"]


async def test_items_get_ids_that_do_not_depend_on_the_reader() -> None:
    """An id belongs to the step and the place in it, also where the chain goes on."""
    sessions = memory_sessions()
    await keep_chain(sessions, "blue", 3)
    short = await sessions.history("blue", "resp_1", Window(gives_ids=True))
    long = await sessions.history("blue", "resp_2", Window(gives_ids=True))
    own = await sessions.find_input("blue", "resp_1")

    assert short is not None
    assert long is not None
    assert own is not None
    assert long.items[:4] == short.items
    assert own[0] == short.items[2]
    assert len({item["id"] for item in long.items}) == 6


async def test_first_response_that_is_gone_makes_a_window_unknown() -> None:
    """The instructions at the beginning are a part of each window."""
    sessions = memory_sessions()
    await keep_chain(sessions, "blue", 100)
    await sessions.delete_response("blue", "resp_50")
    assert await sessions.history("blue", "resp_99", Window(20)) is not None
    await sessions.delete_response("blue", "resp_0")

    assert await sessions.history("blue", "resp_99", Window(20)) is None
