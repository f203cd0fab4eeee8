"""Tests of which connection is closed when there are too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.connection_table import HEAD_S, Closing, ConnectionTable, Reason

MANY = [f"address {number}" for number in range(100)]


def filled(maximum: int, *, waiting: int = 0, idle: int = 0, busy: int = 0) -> ConnectionTable[str]:
    """Return a table with the connections w0.., i0.., b0.., in that order, each from its own address."""
    table = ConnectionTable[str](maximum)
    names = [f"{kind}{n}" for kind, count in (("w", waiting), ("i", idle), ("b", busy)) for n in range(count)]
    for address, name in zip(MANY, names, strict=False):
        assert table.open(name, address, 0.0) is None
        if name[0] != "w":
            table.begin_request(name)
        if name[0] == "i":
            table.end_request(name)
    return table


def test_no_connection_is_closed_below_the_maximum() -> None:
    """Below the maximum a new connection closes no other."""
    assert filled(8, waiting=7).open("new", "here", 0.0) is None


def test_oldest_waiting_connection_is_closed_first() -> None:
    """The oldest connection that waits for its first request is closed before idle connections."""
    table = filled(6, idle=3, waiting=3)

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)
    assert table.open("newer", "there", 1.0) == Closing("w1", Reason.MAXIMUM)
    assert len(table) == 6


def test_connection_with_unread_data_is_not_closed_first() -> None:
    """A waiting connection with unread data is closed only if all waiting connections have unread data."""
    table = filled(6, waiting=6)
    table.has_unread = {"w0", "w1"}.__contains__
    assert table.open("new", "here", 1.0) == Closing("w2", Reason.MAXIMUM)

    table.has_unread = lambda _: True
    assert table.open("newer", "there", 1.0) == Closing("w0", Reason.MAXIMUM)


def test_longest_idle_connection_is_closed_if_none_waits() -> None:
    """Without waiting connections, the connection that has been idle for longest is closed."""
    table = filled(4, idle=3, busy=1)
    table.begin_request("i0")
    table.end_request("i0")

    assert table.open("new", "here", 1.0) == Closing("i1", Reason.IDLE)


def test_new_connection_is_closed_if_all_are_busy() -> None:
    """If all connections are busy, the new connection is closed."""
    table = filled(4, busy=4)

    assert table.open("new", "here", 1.0) == Closing("new", Reason.REFUSED)
    table.end_request("b2")
    assert table.open("newer", "here", 1.0) == Closing("b2", Reason.IDLE)


def test_one_address_may_have_a_quarter_waiting() -> None:
    """An address with more waiting connections than a quarter of the maximum loses its oldest waiting one."""
    table = filled(8, waiting=1)
    assert [table.open(name, "flood", 1.0) for name in "abc"] == [None, None, Closing("a", Reason.ADDRESS)]

    table.begin_request("b")
    assert table.open("d", "flood", 1.0) is None
    assert table.open("e", "flood", 1.0) == Closing("c", Reason.ADDRESS)


def test_refused_requests_do_not_count_as_accepted() -> None:
    """A connection with only refused requests is still closed first."""
    table = filled(2, waiting=2)
    table.note_head("w0")

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)


def test_connection_without_a_head_in_time_is_closed() -> None:
    """A connection that sends no complete request head in time is closed. Even a refused head ends the wait."""
    table = filled(8, waiting=4)
    table.note_head("w1")
    table.begin_request("w2")
    table.remove("w3")

    assert table.overdue(HEAD_S - 0.1) == []
    assert table.next_deadline() == HEAD_S
    assert table.overdue(HEAD_S) == [Closing("w0", Reason.SLOW_HEAD)]
    assert table.next_deadline() is None
    assert len(table) == 2


def test_waiting_connections_are_shed_before_idle_ones() -> None:
    """Waiting connections are shed first, then idle connections, and busy connections never."""
    table = filled(8, waiting=2, idle=1, busy=1)

    assert [closing.key for closing in table.shed(10)] == ["w0", "w1", "i0"]
    assert table.shed(10) == []


def test_lower_maximum_closes_connections_one_by_one() -> None:
    """After the maximum was lowered, each new connection closes one other."""
    table = filled(8, waiting=4)
    table.resize(4)

    assert table.open("new", "here", 1.0) == Closing("w0", Reason.MAXIMUM)
    assert table.maximum == 4


def test_events_of_a_removed_connection_are_ignored() -> None:
    """Events of a removed connection are ignored."""
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
def test_table_is_bounded_and_closes_no_busy_connection(steps: list[tuple[str, int]], maximum: int) -> None:
    """For any order of events, the table never exceeds its maximum and closes no busy connection."""
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
