"""Tests of the ``tools`` step, which renames tools in a history without its request."""

from __future__ import annotations

import pytest

from sanitizers import sanitize
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from sanitizers.steps.tools import rename_called_tools
from sanitizers.tool_names import spell_legal
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user

AB = spell_legal("a b")
DOTTED = [user(), assistant(calls=[call("c", "a.b")]), tool("c")]

CASES = [
    Case("legal", [user(), assistant(calls=[call("c")]), tool("c", name="f")], None),
    Case(
        "call and result",
        [user(), assistant(calls=[call("c", "a b"), call("d")]), tool("c", name="a b"), tool("d")],
        [user(), assistant(calls=[call("c", AB), call("d")]), tool("c", name=AB), tool("d")],
        [("replaced", 1, "call_name"), ("replaced", 2, "call_name")],
    ),
    Case(
        "legacy",
        [user(), legacy_call("a b"), legacy_result("a b")],
        [user(), legacy_call(AB), legacy_result(AB)],
        [("replaced", 1, "call_name"), ("replaced", 2, "call_name")],
    ),
    Case("nameless", [user(), assistant(calls=[call("c", ""), call("d", None)]), tool("c", name="")], None),
    Case("a dot at Gemini", DOTTED, None, profile=GEMINI_3),
    Case(
        "a dot at OpenAI",
        DOTTED,
        [user(), assistant(calls=[call("c", spell_legal("a.b"))]), tool("c")],
        [("replaced", 1, "call_name")],
        OPENAI,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_illegal_tool_names_are_changed_everywhere_alike(case: Case) -> None:
    """Legal and empty names stay."""
    check(rename_called_tools, case)


def test_sanitizing_a_history_alone_renames() -> None:
    """A history without its request gets legal names too, and results are still matched to calls by name."""
    history = [
        user(),
        assistant(calls=[call("", "a b"), call("", "c d")]),
        tool("", name="c d"),
        tool("", name="a b"),
    ]

    done = sanitize(history, OPENAI)

    assert done.violations == ()
    assert "tool_name_illegal" in [fault.rule for fault in done.found]
    assert [result.get("name") for result in done.messages[2:]] == [spell_legal("c d"), AB]
