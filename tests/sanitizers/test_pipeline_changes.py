"""Tests that for each kind of change that a step can make there is a violation that makes the steps run.

The pipeline runs the steps only where the checker finds a violation. A change without a violation would be made only in
histories that have some other violation. The kinds of change are read from the sources of the steps, so that a new kind
needs an example here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sanitizers
from proxy.inspector.rule_texts import REASONS
from sanitizers import Profile, find_violations, run_steps, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import (
    ANTHROPIC,
    BEDROCK,
    CHAT_TEMPLATE,
    CHAT_TEMPLATE_MISTRAL,
    COHERE,
    DATABRICKS,
    DEEPSEEK_THINKING,
    MISTRAL,
)
from tests.support.builders import (
    assistant,
    call,
    developer,
    image,
    legacy_call,
    system,
    text,
    tool,
    user,
    without,
)

History = list[dict[str, Any]]

ROOT = Path(sanitizers.__file__).parent
SOURCES = (
    *sorted((ROOT / "steps").rglob("*.py")),
    ROOT / "inline_systems.py",
    ROOT / "merging.py",
    ROOT / "tool_names" / "history.py",
)
"""The source files whose changes the tests read."""

GO, ANSWER, ID = user("go"), assistant("b"), "abcdefgh1"
TWO = assistant(calls=[call("a"), call("b", "g")])
CUSTOM = {"id": "a", "type": "custom", "custom": {"name": "f", "input": "x"}}


def asks(asked: dict[str, Any], result: dict[str, Any] | None = None) -> History:
    """Return an exchange with one call, and with *result* or a plain result that has the call's id."""
    return [GO, assistant(calls=[asked]), result or tool(asked.get("id"))]


INLINE = ANTHROPIC.over_messages(is_claude=True, takes_systems=True)

EXAMPLES: dict[str, tuple[Profile, History]] = {
    "arguments": (OPENAI, asks(call("a", arguments={}))),
    "assistant_run": (GEMINI_3, [GO, ANSWER, ANSWER]),
    "blank_result": (BEDROCK, asks(call("a"), tool("a", ""))),
    "call_id_illegal": (ANTHROPIC, asks(call("a.b"))),
    "call_id_missing": (OPENAI, asks(call(""), tool(""))),
    "call_id_repeated": (OPENAI, [GO, assistant(calls=[call("a"), call("a", "g")]), tool("a"), tool("a")]),
    "call_id_too_long": (OPENAI, asks(call("x" * 41))),
    "call_name": (OPENAI, asks(call("a", "f.g"))),
    "call_type": (OPENAI, asks(without(call("a"), "type"))),
    "call_unreadable": (OPENAI, [GO, assistant("b", calls=[call("a", "")])]),
    "custom_call": (GEMINI_3, asks(CUSTOM)),
    "developer_role": (ANTHROPIC, [developer(), GO]),
    "empty_content": (OPENAI, [GO, assistant([], refusal="no")]),
    "empty_message": (OPENAI, [GO, user(None)]),
    "empty_name": (CHAT_TEMPLATE_MISTRAL, asks(call(ID), tool(ID, name=""))),
    "empty_text": (GEMINI_3, [user([text("a"), text("")])]),
    "empty_tool_calls": (OPENAI, [GO, assistant("b", tool_calls=[])]),
    "file_id": (
        GEMINI_3,
        [user([{"type": "file", "file": {"file_id": "f", "file_data": "data:text/plain;base64,YQ=="}}])],
    ),
    "identical_call": (
        GEMINI_2,
        [GO, assistant(calls=[call("a"), call("b")]), tool("a"), tool("b")],
    ),
    "late_result": (OPENAI, [GO, assistant(calls=[call("a")]), user("wait"), tool("a")]),
    "left_out": (GEMINI_3, [user([text("a"), image("https://a.b/c.png")]), ANSWER, GO]),
    "legacy_function": (OPENAI, [GO, legacy_call(), tool("a")]),
    "media_encoding": (GEMINI_3, [user([image("data:image/png;base64,YWJj\n")])]),
    "media_in_result": (OPENAI, asks(call("a"), tool("a", [text("a"), image()]))),
    "media_type": (GEMINI_3, [user([image("data:image/jpg;base64,YWJj")])]),
    "misplaced_calls": (OPENAI, [user("a", tool_calls=[call("a")])]),
    "missing_result": (OPENAI, [GO, assistant(calls=[call("a")]), user("well?")]),
    "model_first": (GEMINI_3, [ANSWER, GO]),
    "orphaned_result": (OPENAI, [GO, tool("a")]),
    "parallel_calls": (DATABRICKS, [GO, TWO, tool("a"), tool("b")]),
    "reasoning_content": (DEEPSEEK_THINKING, [GO, ANSWER, GO]),
    "refusal_as_text": (OPENAI, asks(call("a"), tool("a", [{"type": "refusal", "refusal": "no"}]))),
    "refused_field": (COHERE, asks(call("a", index=0))),
    "refused_part": (OPENAI, [system([text("a"), image()]), GO]),
    "result_content": (OPENAI, asks(call("a"), tool("a", {"x": 1}))),
    "result_id": (OPENAI, asks(call("a"), tool("b"))),
    "result_order": (GEMINI_3, [GO, TWO, tool("b"), tool("a")]),
    "signature_unreadable": (GEMINI_3, asks(call("a__thought__?"))),
    "superseded_result": (OPENAI, [*asks(call("a")), tool("a", "new")]),
    "system_after_start": (ANTHROPIC, [GO, ANSWER, system(), GO]),
    "system_only": (GEMINI_3, [system()]),
    "system_misplaced": (INLINE, [GO, ANSWER, system(), GO]),
    "system_run": (CHAT_TEMPLATE, [system(), system(), GO]),
    "system_unsupported": (GEMMA, [system(), GO]),
    "text_beside_calls": (BEDROCK, [GO, assistant("b", calls=[call("a")]), tool("a")]),
    "trailing_call": (OPENAI, [GO, assistant(calls=[call("a")])]),
    "trailing_model_turn": (GEMINI_3_STRICT, [GO, ANSWER]),
    "thought_unsigned": (INLINE, [GO, assistant("b", thinking_blocks=[{"type": "thinking"}]), GO]),
    "trailing_space": (ANTHROPIC, [GO, assistant("b ")]),
    "user_after_result": (MISTRAL, [*asks(call(ID)), GO]),
    "user_run": (CHAT_TEMPLATE, [GO, GO]),
}
"""A history for each reason of a change, with a profile under which the steps make this change."""

TOGETHER = {
    "call_id_illegal": {"result_id"},
    "call_id_missing": {"result_id"},
    "call_id_repeated": {"result_id"},
    "call_id_too_long": {"result_id"},
    "signature_unreadable": {"result_id"},
}
"""By reason, the further changes that its example leads to, such as the new id of a result after that of its call."""


def reasons_in(path: Path) -> Iterator[str]:
    """Yield the reasons of the changes that the module at *path* makes.

    If the reason is not a constant at that place, every text of the module that is a known reason counts. If a text is
    an f-string (``f"{role}_run"``), every known reason with its ending counts.
    """
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    endings = tuple(_ending(node) for node in nodes if isinstance(node, ast.JoinedStr))
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        place = {"Change": 3, "MessageChange": 1}.get(node.func.id)
        if place is None:
            continue
        reason = node.args[place]
        if isinstance(reason, ast.Constant):
            yield str(reason.value)
        else:
            yield from (name for name in REASONS if name in texts or name.endswith(endings))


def _ending(text: ast.JoinedStr) -> str:
    """Return the fixed ending of a composed reason, or a text that no reason ends with."""
    ending = text.values[-1]
    return str(ending.value) if isinstance(ending, ast.Constant) else "\0"


def test_every_kind_of_change_has_an_example() -> None:
    """The reasons of the examples are exactly the reasons that the sources of the steps make changes with."""
    assert {reason for path in SOURCES for reason in reasons_in(path)} == EXAMPLES.keys()


@pytest.mark.parametrize("reason", EXAMPLES)
def test_a_violation_makes_each_change(reason: str) -> None:
    """The steps make only this change and its companions. The checker finds a violation before, and none afterwards."""
    profile, history = EXAMPLES[reason]

    _, made = run_steps(history, profile)
    done = sanitize(history, profile)

    assert {change.reason for change in made} == {reason} | TOGETHER.get(reason, set())
    assert find_violations(history, profile) == done.found != ()
    assert set(done.changes) == set(made)
    assert done.violations == ()
