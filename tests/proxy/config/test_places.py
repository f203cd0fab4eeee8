"""Tests that a fault or warning has its line in the file and the path that the operator wrote."""

from __future__ import annotations

import pytest

from proxy.config.faults import Fault
from proxy.config.places import Places

PLACES = Places(
    {"a": 1, "a[0]": 2, "a[0].b": 3, "a[0].gpt-4.1": 4},
    {("a", 0): ("a", 1), ("a", 1): ("a", 3), ("r", "timeout"): ("l", "request_timeout")},
)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a", 1),
        ("a[0].b", 3),
        ("a[0].b.c[3].d", 3),
        ("a[0].x", 2),
        ("a[0].gpt-4.1", 4),
        ("a[0].gpt-4.1[2]", 4),
        ("a[7].b", 1),
        ("z", None),
        ("z.y[0]", None),
        ("", None),
    ],
)
def test_a_path_has_the_line_of_the_nearest_parent(path: str, line: int | None) -> None:
    """A path that is not in the file has the line of its nearest parent."""
    assert PLACES.line_of(path) == line
    assert PLACES.located(Fault(path, "is missing")).line == line
    assert PLACES.warned(f"{path}: ignored: x") == (f"{path}: ignored: x", line)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a[0]", "a[1]"),
        ("a[0].b: is set", "a[1].b: is set"),
        ("a[1]: is set", "a[3]: is set"),
        ("a[10].b", "a[10].b"),
        ("r.timeout", "l.request_timeout"),
        ("r.timeouts", "r.timeouts"),
        ("the process", "the process"),
    ],
)
def test_a_place_is_the_one_that_was_written(text: str, written: str) -> None:
    """The path of a fault or warning is mapped back to the path in the file, once and only as a whole."""
    assert PLACES.written(text) == written


def test_an_entry_of_the_changed_file_has_its_position_in_the_file() -> None:
    """An entry that moved up, since an earlier entry was left out, keeps its position in the file."""
    places = Places(origins={("model_list", 0): ("model_list", 1), ("model_list", 1, "model"): ("MODEL",)})

    assert [places.position_of(index) for index in (0, 1)] == [1, 1]
