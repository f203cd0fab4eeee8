"""Which connection goes when there are too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.connection_table import HEAD_S, Closing, ConnectionTable, Reason

MANY = [f"address {number}" for number in range(100)]


def filled(maximum: int, *, waiting: int = 0, idle: int = 0, busy: int = 0) -> ConnectionTable[str]:
    """Return a table with connections w0.., i0.., b0.., each from an address of its own, opened in that order."""
    table = ConnectionTable[str](maximum)
    names = [f"{kind}{n}" for kind, count in (("w", waiting), ("i", idle), ("b", busy)) for n in range(count)]
    for address, name in zip(MANY, names, strict=False):
        assert table.open(name, address, 0.0) is None
        if name[0] != "w":
            table.begin_request(name)
        if name[0] == "i":
            table.end_request(name)
    return table


def test_there_is_room() -> None:
    """Nothing is closed below the maximum."""
    assert filled(8, waiting=7).open("new", "here", 0.0) is None


def test_oldest_waiting_goes_first() -> None:
    """Before any that is idle, however long."""
    table = filled(6, idle=3, waiting=3)

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)
    assert table.open("newer", "there", 1.0) == Closing("w1", Reason.MAXIMUM)
    assert len(table) == 6


def test_a_head_that_is_not_read_yet_is_spared() -> None:
    """It came with a batch of others; where all have sent something, the oldest goes."""
    table = filled(6, waiting=6)
    table.has_unread = {"w0", "w1"}.__contains__
    assert table.open("new", "here", 1.0) == Closing("w2", Reason.MAXIMUM)

    table.has_unread = lambda _: True
    assert table.open("newer", "there", 1.0) == Closing("w0", Reason.MAXIMUM)


def test_longest_idle_goes_where_none_waits() -> None:
    """Idle since its last request: one that was used again is young."""
    table = filled(4, idle=3, busy=1)
    table.begin_request("i0")
    table.end_request("i0")

    assert table.open("new", "here", 1.0) == Closing("i1", Reason.IDLE)


def test_new_one_goes_where_all_are_busy() -> None:
    """A request in flight is never cut off for a newcomer."""
    table = filled(4, busy=4)

    assert table.open("new", "here", 1.0) == Closing("new", Reason.REFUSED)
    table.end_request("b2")
    assert table.open("newer", "here", 1.0) == Closing("b2", Reason.IDLE)


def test_one_address_has_a_quarter() -> None:
    """Of those that wait, although there is room; its own oldest goes, and nobody else's."""
    table = filled(8, waiting=1)
    assert [table.open(name, "flood", 1.0) for name in "abc"] == [None, None, Closing("a", Reason.ADDRESS)]

    table.begin_request("b")
    assert table.open("d", "flood", 1.0) is None
    assert table.open("e", "flood", 1.0) == Closing("c", Reason.ADDRESS)


def test_refused_requests_do_not_count_as_accepted() -> None:
    """Whoever sends a bad key may stay longer than one who sends nothing, and goes no later."""
    table = filled(2, waiting=2)
    table.note_head("w0")

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)


def test_head_has_to_come_in_time() -> None:
    """Whatever came of it so far; a request that was accepted, or refused, ends the wait."""
    table = filled(8, waiting=4)
    table.note_head("w1")
    table.begin_request("w2")
    table.remove("w3")

    assert table.overdue(HEAD_S - 0.1) == []
    assert table.next_deadline() == HEAD_S
    assert table.overdue(HEAD_S) == [Closing("w0", Reason.SLOW_HEAD)]
    assert table.next_deadline() is None
    assert len(table) == 2


def test_descriptors_run_out() -> None:
    """Those that wait go first, then idle ones; busy ones never."""
    table = filled(8, waiting=2, idle=1, busy=1)

    assert [closing.key for closing in table.shed(10)] == ["w0", "w1", "i0"]
    assert table.shed(10) == []


def test_maximum_may_change() -> None:
    """Connections that are too many go one by one as new ones come."""
    table = filled(8, waiting=4)
    table.resize(4)

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)
    assert table.maximum == 4


def test_what_is_unknown_changes_nothing() -> None:
    """A connection that was closed may still end its request."""
    table = filled(2, waiting=1)
    table.remove("w0")
    for note in (table.begin_request, table.end_request, table.note_head, table.remove):
        note("w0")

    assert len(table) == 0
    assert table.shed(1) == []


NAMES = st.integers(0, 30)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("open"), NAMES),
        st.tuples(st.just("begin_request"), NAMES),
        st.tuples(st.just("end_request"), NAMES),
        st.tuples(st.just("note_head"), NAMES),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("overdue"), NAMES),
    ),
    max_size=200,
)


@given(steps=STEPS, maximum=st.integers(4, 12))
def test_never_too_many(steps: list[tuple[str, int]], maximum: int) -> None:
    """Whatever happens: not more than there may be, and no busy connection is closed."""
    table = ConnectionTable[int](maximum)
    open_ones: set[int] = set()
    busy: set[int] = set()
    for time, (step, name) in enumerate(steps):
        closed: list[Closing[int]] = []
        if step == "open":
            if name in open_ones:
                continue
            closing = table.open(name, f"from {name % 3}", float(time))
            open_ones.add(name)
            closed = [closing] if closing else []
        elif step == "overdue":
            closed = table.overdue(float(time))
        else:
            getattr(table, step)(name)
            if name in open_ones and step == "begin_request":
                busy.add(name)
            elif step in ("end_request", "remove"):
                busy.discard(name)
                open_ones -= {name} if step == "remove" else set()
        for one in closed:
            assert one.key not in busy
            open_ones.discard(one.key)
        assert len(table) == len(open_ones) <= maximum
