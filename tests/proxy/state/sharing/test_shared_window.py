"""Tests of the rules by which one learned window is published, believed and dropped."""

from __future__ import annotations

import pytest

from proxy.state.lessons import Learned
from proxy.state.sharing.lesson_values import Window, write_window
from proxy.state.sharing.shared_window import MARK, SharedWindow
from proxy.state.spaces import WINDOWS
from tests.proxy.state.flaky_memory import FlakyMemory
from tests.proxy.state.lesson_replicas import Clock

SMALL, LARGE = Window(Learned(8_000)), Window(Learned(16_000))
M = b"this store"


class Holder:
    """Notes what a process believes."""

    def __init__(self) -> None:
        self.believed: tuple[Window, float] | None = None

    def adopt_window(self, window: Window, now: float, until: float) -> None:
        """Believe *window*."""
        self.believed = window, until

    def drop_window(self, now: float) -> None:
        """Forget the window."""
        self.believed = None


@pytest.fixture
def holder() -> Holder:
    """Return a holder that believes nothing."""
    return Holder()


@pytest.fixture
def window(holder: Holder) -> SharedWindow:
    """Return a window that was seen once, when the store had none."""
    window = SharedWindow("key", "a", holder)
    assert window.see(None, 0.0, M)
    return window


def waits(window: SharedWindow) -> bool:
    """Return True where a change waits to be written."""
    return window.has_writes


async def store_at(clock: Clock) -> FlakyMemory:
    """Return a store that was marked."""
    store = FlakyMemory(clock)
    await store.put(WINDOWS, {MARK: M}, tenant="a")
    return store


def test_a_window_is_believed_for_an_hour_from_its_first_sight(window: SharedWindow, holder: Holder) -> None:
    window.see(write_window(SMALL), 10.0, M)
    assert holder.believed == (SMALL, 3_610.0)


def test_a_window_that_is_gone_from_the_store_is_dropped(window: SharedWindow, holder: Holder) -> None:
    window.see(write_window(SMALL), 10.0, M)
    window.see(None, 15.0, M)
    assert holder.believed is None


@pytest.mark.parametrize("mark", [None, b"another store"])
def test_a_window_is_kept_while_the_store_is_down_or_new(
    window: SharedWindow, holder: Holder, mark: bytes | None
) -> None:
    window.see(write_window(SMALL), 10.0, M)
    window.see(None, 15.0, mark)
    window.see(None, 20.0, M)
    assert holder.believed is not None


def test_a_window_that_was_learned_here_is_kept_for_ten_seconds(window: SharedWindow, holder: Holder) -> None:
    """Its write may be on the way. The window of another process does not replace it either."""
    window.publish(SMALL, 100.0)
    holder.believed = SMALL, 3_700.0
    window.see(write_window(LARGE), 109.9, M)
    window.see(None, 109.9, M)
    assert holder.believed == (SMALL, 3_700.0)
    window.see(write_window(LARGE), 110.0, M)
    assert holder.believed == (LARGE, 3_710.0)


def test_the_window_of_this_process_keeps_its_own_end(window: SharedWindow, holder: Holder) -> None:
    window.publish(SMALL, 100.0)
    window.see(write_window(SMALL), 500.0, M)
    assert holder.believed == (SMALL, 3_700.0)


async def test_a_window_is_written_with_the_rest_of_its_hour(window: SharedWindow) -> None:
    clock = Clock(100.0)
    store = await store_at(clock)
    window.publish(SMALL, 100.0)
    store.down = True
    await window.write(store, 100.0)
    assert waits(window)
    store.down = False
    clock.now = 3_000.0
    await window.write(store, 3_000.0)
    assert not waits(window)
    clock.now = 3_699.0
    assert await store.get(WINDOWS, ["key"], tenant="a") == {"key": write_window(SMALL)}
    clock.now = 3_700.0
    assert await store.get(WINDOWS, ["key"], tenant="a") == {}


async def test_an_old_window_is_not_written(window: SharedWindow) -> None:
    store = await store_at(Clock())
    window.publish(SMALL, 100.0)
    await window.write(store, 3_700.0)
    assert await store.get(WINDOWS, ["key"], tenant="a") == {}
    assert not waits(window)


@pytest.mark.parametrize(("answered", "left"), [(8_000, True), (8_001, False)])
async def test_a_larger_answer_deletes_the_window(window: SharedWindow, answered: int, left: bool) -> None:
    store = await store_at(Clock())
    await store.put(WINDOWS, {"key": write_window(SMALL)}, tenant="a")
    window.see(write_window(SMALL), 10.0, M)
    assert window.disprove(answered) != left
    await window.write(store, 10.0)
    assert ("key" in await store.get(WINDOWS, ["key"], tenant="a")) == left


async def test_an_answer_deletes_no_larger_window(window: SharedWindow) -> None:
    """Another process may have learned a larger window since."""
    store = await store_at(Clock())
    window.see(write_window(SMALL), 10.0, M)
    await store.put(WINDOWS, {"key": write_window(LARGE)}, tenant="a")
    window.disprove(9_000)
    await window.write(store, 10.0)
    assert "key" in await store.get(WINDOWS, ["key"], tenant="a")


def test_a_disproved_window_is_not_believed_again_before_it_is_deleted(
    window: SharedWindow, holder: Holder
) -> None:
    window.see(write_window(SMALL), 10.0, M)
    window.disprove(9_000)
    holder.believed = None
    window.see(write_window(SMALL), 11.0, M)
    assert holder.believed is None


async def test_a_deletion_waits_for_a_store_that_answers(window: SharedWindow) -> None:
    store = await store_at(Clock())
    await store.put(WINDOWS, {"key": write_window(SMALL)}, tenant="a")
    window.see(write_window(SMALL), 10.0, M)
    window.disprove(9_000)
    store.down = True
    await window.write(store, 10.0)
    assert waits(window)
    store.down = False
    await window.write(store, 10.0)
    assert not waits(window)


def test_a_replaced_window_is_not_written_any_more(window: SharedWindow) -> None:
    window.publish(SMALL, 100.0)
    window.see(write_window(LARGE), 110.0, M)
    assert not waits(window)
