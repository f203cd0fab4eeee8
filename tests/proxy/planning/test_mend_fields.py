"""Tests of fields of a Messages request that Anthropic would refuse."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.mend_fields import called_names, lower_budget, mend_fields, without_thinking
from tests.sanitizers.native.messages.building import MARK, answered, assistant, said, used, user

THINKING = {"type": "enabled", "budget_tokens": 2000}
EDIT, CLEARING = {"type": "clear_tool_uses_20250919"}, {"type": "clear_thinking_20251015", "keep": "all"}


def mended(
    fields: dict[str, Any], limit: int = 4000, betas: str = "", *, drops: bool = False
) -> dict[str, Any]:
    """Return the fields that change, after a check that each has a change of its own."""
    changed, changes = mend_fields(fields, {"max_tokens": limit}, betas, drops_thinking=drops)
    assert [change.detail for change in changes] == [*changed]
    return changed


@pytest.mark.parametrize(
    ("fields", "limit", "betas", "changed"),
    [
        ({"thinking": THINKING, "max_tokens": 4000}, 4000, "", {}),
        (
            {"thinking": THINKING, "max_tokens": 2000},
            2000,
            "",
            {"thinking": {**THINKING, "budget_tokens": 1999}},
        ),
        ({"thinking": THINKING, "max_tokens": 1024}, 1024, "", {"thinking": None}),
        ({"thinking": THINKING, "max_tokens": 2000}, 2000, "interleaved-thinking-2025-05-14", {}),
        ({"thinking": THINKING, "max_tokens": 0}, 1, "", {}),
        ({"thinking": {"type": "adaptive"}, "max_tokens": 1}, 1, "", {}),
        ({"max_tokens": 1}, 1, "", {}),
    ],
)
def test_budget_is_kept_below_the_limit(
    fields: dict[str, Any], limit: int, betas: str, changed: dict[str, Any]
) -> None:
    """A budget needs 1,024 tokens. A request that only warms the cache is left alone."""
    assert mended(fields, limit, betas) == changed


@pytest.mark.parametrize(
    ("management", "after"),
    [
        ({"edits": [CLEARING, EDIT]}, {"context_management": {"edits": [EDIT]}}),
        ({"edits": [CLEARING]}, {"context_management": None}),
        ({"edits": [EDIT, "odd"]}, {}),
        ({"edits": None}, {}),
        (None, {}),
    ],
)
def test_edits_of_thinking_go_with_it(management: Any, after: dict[str, Any]) -> None:
    """Anthropic refuses to clear the thinking of a request that asks for none."""
    fields = {"thinking": THINKING, "max_tokens": 4000, "context_management": management}

    assert mended(fields, drops=True) == {"thinking": None, **after}
    assert without_thinking(fields) == {"thinking": None, **after}
    assert mended(fields) == {}


@pytest.mark.parametrize(
    ("tools", "system", "left"),
    [(2, 2, None), (4, 0, None), (5, 0, (4, 0)), (3, 2, (2, 2)), (2, 6, (0, 4)), (0, 5, (0, 4))],
)
def test_oldest_marks_go(tools: int, system: int, left: tuple[int, int] | None) -> None:
    """Tools come before ``system`` in a prompt, so that their marks are older."""
    fields = {
        "tools": [{"name": f"{at}", **MARK} for at in range(tools)],
        "system": [said(f"{at}", **MARK) for at in range(system)],
    }
    after = {**fields, **mended(fields)}
    marks = tuple(sum("cache_control" in entry for entry in after[name]) for name in ("tools", "system"))

    assert marks == ((tools, system) if left is None else left)


def test_budget_is_lowered_for_a_refusal() -> None:
    """Without a limit, nothing is known to be too much."""
    fields = {"thinking": THINKING, "max_tokens": 1500}

    assert lower_budget(fields, 1500) == {"thinking": {**THINKING, "budget_tokens": 1499}}
    assert lower_budget(fields, None) == {}


def test_names_of_calls_are_named_once() -> None:
    messages = [
        user("go"),
        assistant(used("toolu_1", "f"), used("toolu_2", "g")),
        user(answered("toolu_1"), answered("toolu_2")),
        assistant(said("x"), used("toolu_3", "f")),
    ]
    assert called_names(messages) == ("f", "g")


@pytest.mark.parametrize(
    ("system", "changed"),
    [
        ([said("a"), said(" \n", **MARK), said("")], {"system": [said("a")]}),
        ([said("")], {"system": None}),
        ([said("a"), said("b", **MARK)], {}),
        ([], {}),
        ("", {}),
    ],
)
def test_blank_texts_of_the_system_prompt_go(system: Any, changed: dict[str, Any]) -> None:
    """Anthropic refuses a text block that says nothing, and takes an empty prompt."""
    assert mended({"system": system}) == changed


@pytest.mark.parametrize(
    ("stops", "changed"),
    [
        (["a", "b"], {}),
        ([], {}),
        (["", "a", " \n"], {"stop_sequences": ["a"]}),
        ([" "], {"stop_sequences": None}),
    ],
)
def test_blank_stop_sequences_go(stops: list[str], changed: dict[str, Any]) -> None:
    """Anthropic refuses them."""
    assert mended({"stop_sequences": stops, "max_tokens": 9}) == changed
