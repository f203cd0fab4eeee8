"""Tests that stored lessons are read back, and that no stored value is trusted."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.state.lessons import Learned
from proxy.state.sharing.lesson_values import (
    MOST_GENERATION,
    NO_USAGE,
    Factor,
    Window,
    is_of_other_version,
    read_factor,
    read_window,
    says_no_usage,
    write_factor,
    write_window,
)
from sanitizers.budget.calibration import LEAST, MOST

FACTOR = {"v": 1, "generation": 3, "sticky": 1.2, "own": True, "observed": True}
WINDOW = {"v": 1, "window": 8_192, "guessed": False, "inside_text": False}


@given(
    st.builds(Factor, st.integers(1, MOST_GENERATION), st.floats(LEAST, MOST), st.booleans(), st.booleans())
)
def test_a_factor_is_read_as_it_was_written(factor: Factor) -> None:
    assert read_factor(write_factor(factor)) == factor


@given(st.builds(Window, st.builds(Learned, st.integers(1_024, 2**30), st.booleans()), st.booleans()))
def test_a_window_is_read_as_it_was_written(window: Window) -> None:
    assert read_window(write_window(window)) == window


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 2},
        {"v": None},
        {"generation": 0},
        {"generation": True},
        {"generation": 2**53 + 1},
        {"generation": 1.5},
        {"sticky": 0.49},
        {"sticky": 3.01},
        {"sticky": None},
        {"sticky": True},
        {"sticky": "1.2"},
        {"sticky": [1.2]},
        {"own": 1},
        {"own": None},
        {"observed": "yes"},
        {"more": "x" * 256},
    ],
)
def test_a_factor_that_no_deployment_has_is_not_read(changes: dict[str, object]) -> None:
    assert read_factor(orjson.dumps(FACTOR)) is not None
    assert read_factor(orjson.dumps(FACTOR | changes)) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 2},
        {"v": True},
        {"window": 1_023},
        {"window": 2**30 + 1},
        {"window": True},
        {"window": 8_192.0},
        {"window": "8192"},
        {"window": None},
        {"guessed": 0},
        {"inside_text": None},
    ],
)
def test_a_window_that_no_model_has_is_not_read(changes: dict[str, object]) -> None:
    assert read_window(orjson.dumps(WINDOW)) is not None
    assert read_window(orjson.dumps(WINDOW | changes)) is None


@given(st.binary(max_size=300))
def test_garbage_is_no_lesson(value: bytes) -> None:
    assert read_factor(value) is None
    assert read_window(value) is None
    assert not says_no_usage(value)


@pytest.mark.parametrize("value", [b"1", b"[]", b"null", b'"v"', b"[" * 200])
def test_json_without_fields_is_no_lesson(value: bytes) -> None:
    assert read_factor(value) is None
    assert not says_no_usage(value)
    assert not is_of_other_version(value)


def test_only_a_number_says_another_version() -> None:
    """Garbage is replaced by the next write. A value of another version is left to the processes that know it."""
    assert is_of_other_version(orjson.dumps(FACTOR | {"v": 2}))
    for version in (1, True, "2", None):
        assert not is_of_other_version(orjson.dumps(FACTOR | {"v": version}))


def test_a_lack_of_usage_is_read() -> None:
    assert says_no_usage(NO_USAGE)
    assert not says_no_usage(orjson.dumps({"v": 1, "reports_usage": True}))
