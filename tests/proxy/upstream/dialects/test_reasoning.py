"""Tests of the reasoning effort: the nearest effort that the model knows, and what excludes an effort."""

from __future__ import annotations

import pytest

from proxy.upstream.dialects import Dialect
from proxy.upstream.dialects.reasoning import nearest_effort
from proxy.upstream.dialects.table import COMPATIBLE
from tests.proxy.upstream.dialects.fitted import (
    CALLED,
    CLAUDE,
    NAMED,
    TOOL,
    V4,
    Row,
    changes_of,
    check_rule,
    fit,
)

EFFORTS_GIVEN: list[Row] = [
    (
        V4,
        {"reasoning_effort": "max"},
        {"reasoning_effort": "high"},
        "replaced nearest_effort reasoning_effort",
    ),
    (V4, {"reasoning_effort": "default"}, {}, "dropped default reasoning_effort"),
    (COMPATIBLE, {"reasoning_effort": "default"}, {"reasoning_effort": "default"}, ""),
    (
        Dialect("none", efforts=("none",)),
        {"reasoning_effort": "low"},
        {},
        "dropped not_available reasoning_effort",
    ),
    (
        Dialect("least", efforts=("none", "low"), always_reasons=True),
        {"reasoning_effort": "none"},
        {"reasoning_effort": "none"},
        "replaced always_reasons reasoning_effort",
    ),
    (
        CLAUDE,
        {"reasoning_effort": "max", "max_completion_tokens": 4096},
        {"reasoning_effort": "medium", "max_completion_tokens": 4096},
        "replaced no_room_to_think reasoning_effort",
    ),
    (
        CLAUDE,
        {"reasoning_effort": "minimal", "max_tokens": 1024},
        {"max_tokens": 1024},
        "dropped no_room_to_think reasoning_effort",
    ),
    (
        CLAUDE,
        {"reasoning_effort": "low", "max_tokens": 1025},
        {"reasoning_effort": "low", "max_tokens": 1025},
        "",
    ),
    (
        CLAUDE,
        {"reasoning_effort": "low", "temperature": 0, "top_p": 0.9, "top_k": 1},
        {"reasoning_effort": "low"},
        "dropped thinking temperature, dropped thinking top_p, dropped thinking top_k",
    ),
    (CLAUDE, {"reasoning_effort": "low", "temperature": 1, "top_p": 0.95}, {}, ""),
    (CLAUDE, {"reasoning_effort": "none", "temperature": 0}, {}, ""),
    (
        CLAUDE,
        {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": NAMED, "temperature": 0},
        {"tools": [TOOL], "tool_choice": NAMED, "temperature": 0},
        "dropped forced_tool reasoning_effort",
    ),
    (CLAUDE, {"reasoning_effort": "low", "tools": [TOOL], "tool_choice": "auto"}, {}, ""),
    (V4, {"tools": [TOOL], "tool_choice": "required"}, {"tools": [TOOL]}, "dropped thinking tool_choice"),
    (V4, {"tools": [TOOL], "tool_choice": "required", "reasoning_effort": "none"}, {}, ""),
]


@pytest.mark.parametrize("row", EFFORTS_GIVEN)
def test_the_effort_is_one_that_the_model_takes(row: Row) -> None:
    """Either the parameter or the effort is dropped if thinking excludes the parameter."""
    check_rule(*row)


def test_effort_is_dropped_where_thinking_blocks_are_missing() -> None:
    """A round of tools that began without thinking continues without it. The next turn thinks again."""
    fitted = fit(CLAUDE, CALLED[:3], reasoning_effort="low", temperature=0)

    assert fitted.parameters == {"temperature": 0}
    assert changes_of(fitted) == "dropped thinking_blocks_missing reasoning_effort"
    assert fit(CLAUDE, CALLED, reasoning_effort="low").changes == ()


@pytest.mark.parametrize(
    ("effort", "efforts", "nearest"),
    [
        ("none", ("low", "high"), "low"),
        ("minimal", ("none", "low"), "low"),
        ("medium", ("low", "high"), "high"),
        ("xhigh", ("none", "high", "max"), "max"),
        ("max", ("none", "minimal"), "minimal"),
        ("low", ("none",), None),
    ],
)
def test_nearest_effort_is_the_greater_of_two_and_never_none(
    effort: str, efforts: tuple[str, ...], nearest: str | None
) -> None:
    """A client that asks for little reasoning does not ask for none."""
    assert nearest_effort(effort, efforts) == nearest
