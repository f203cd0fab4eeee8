"""Tests of the circuit around a store."""

from __future__ import annotations

from proxy.state.external.store_circuit import StoreCircuit


def closed() -> StoreCircuit:
    """Return a circuit whose store has answered a ping."""
    circuit = StoreCircuit()
    circuit.close()
    return circuit


def test_store_is_not_used_before_its_first_answer() -> None:
    """A new circuit is open until a ping was answered."""
    circuit = StoreCircuit()
    before = circuit.is_open, circuit.is_doubtful

    circuit.close()

    assert before == (True, True)
    assert (circuit.is_open, circuit.is_doubtful) == (False, False)


def test_third_failure_in_a_row_opens() -> None:
    """An answer between failures ends the row. Only the failure that opens the circuit returns True."""
    circuit = closed()
    for now in range(20):
        circuit.succeed(now / 100)

    assert not circuit.fail(1.0, 1.0)
    assert not circuit.fail(1.1, 1.1)
    circuit.succeed(1.2)
    assert [
        circuit.fail(1.3, 1.3),
        circuit.fail(1.4, 1.4),
        circuit.fail(1.5, 1.5),
        circuit.fail(1.6, 1.6),
    ] == [
        False,
        False,
        True,
        False,
    ]
    assert circuit.is_open


def test_more_than_half_of_five_open() -> None:
    """Three of five operations are more than half. The operations of more than ten seconds ago do not count."""
    circuit = closed()
    for now in (0.0, 1.0):
        circuit.fail(now, now)
        circuit.succeed(now)
    assert circuit.fail(2.0, 2.0)

    circuit = closed()
    for now in (0.0, 1.0):
        circuit.fail(now, now)
        circuit.succeed(now)
    assert not circuit.fail(30.0, 30.0)


def test_answers_of_requests_do_not_close() -> None:
    """Only a ping closes an open circuit. It begins with empty counts."""
    circuit = closed()
    for _ in range(3):
        circuit.fail(0.0, 0.0)
    circuit.succeed(0.1)
    assert circuit.is_open

    circuit.close()
    assert not circuit.fail(0.2, 0.2)
    assert circuit.is_doubtful


def test_operations_that_fail_together_count_once() -> None:
    """A busy moment that makes ten replies late is one failure. Later operations count again."""
    circuit = closed()
    for number in range(10):
        circuit.fail(1.0 + number / 100, 0.9)
    assert not circuit.is_open

    assert [circuit.fail(1.2, 1.1), circuit.fail(1.4, 1.3)] == [False, True]
