"""Tests of scripted faults and answers: their validation and their queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxy.emulator.faults import NO_FAULT, FaultQueue, InvalidControl, parse_answers, parse_faults


def test_faults_are_taken_in_order_by_the_models_that_they_name() -> None:
    """Faults are used in order, each as often as its ``times`` says. A fault without a model fits every request."""
    queue = FaultQueue()
    queue.extend(
        parse_faults(
            {
                "faults": [
                    {"model": "models/b", "status": 504},
                    {"times": 2, "status": 503},
                    {"times": 1},
                    {"status": 500},
                ]
            }
        )
    )

    assert [queue.take_for("a").status for _ in range(4)] == [503, 503, None, 500]
    assert [fault.as_json() for fault in queue.items] == [{"model": "b", "times": 1, "status": 504}]
    assert queue.take_for("a") is NO_FAULT
    assert queue.take_for("b").status == 504


@pytest.mark.parametrize(
    ("parse", "given", "message"),
    [
        (parse_faults, [], 'the body must be {"faults": [...]}'),
        (parse_faults, {"faults": {}}, 'the body must be {"faults": [...]}'),
        (parse_faults, {"faults": [1]}, "faults[0]: must be an object"),
        (
            parse_faults,
            {"faults": [{}, {"status": 200}]},
            "faults[1].status: must be a whole number from 400 to 599",
        ),
        (
            parse_faults,
            {"faults": [{"times": 0}]},
            "faults[0].times: must be a whole number from 1 to 1000000",
        ),
        (parse_faults, {"faults": [{"reset": 1}]}, "faults[0].reset: must be true or false"),
        (parse_faults, {"faults": [{"model": ""}]}, "faults[0].model: must be a text that is not empty"),
        (
            parse_faults,
            {"faults": [{"delay_seconds": -1}]},
            "faults[0].delay_seconds: must be a number of seconds from 0 to 3600",
        ),
        (
            parse_faults,
            {"faults": [{"status": 500, "reset": True}]},
            "faults[0]: status and reset exclude each other",
        ),
        (parse_faults, {"faults": [{"message": "x"}]}, "faults[0].message: needs status"),
        (
            parse_faults,
            {"faults": [{"probability": 0.5}]},
            "faults[0].probability: unknown field; known are model, times,",
        ),
        (parse_answers, {"answers": [{}]}, "answers[0].parts: is missing"),
        (
            parse_answers,
            {"answers": [{"parts": "x"}]},
            "answers[0].parts: known are parts (a list), finishReason, finishMessage (texts)",
        ),
        (
            parse_answers,
            {"answers": [{"parts": [{"foo": 1}]}]},
            "answers[0]: Invalid JSON payload received. Unknown name \"foo\" at 'parts[0]': Cannot find field.",
        ),
    ],
)
def test_unusable_entry_is_refused_with_its_field(
    parse: Callable[[Any], object], given: Any, message: str
) -> None:
    """An unusable fault or answer is refused with a text that names the field."""
    with pytest.raises(InvalidControl) as refused:
        parse(given)

    assert str(refused.value).startswith(message)


def test_queue_is_bounded() -> None:
    """The queue holds at most 1,000 entries, and a taken entry makes room for another."""
    queue = FaultQueue()
    queue.extend((NO_FAULT,) * 1000)
    with pytest.raises(InvalidControl, match="more than 1000 entries"):
        queue.extend((NO_FAULT,))

    assert queue.take() is NO_FAULT
    queue.extend((NO_FAULT,))
    assert len(queue.items) == 1000
