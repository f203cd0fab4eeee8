"""Tests that an explanation in the terminal is short and has no control characters."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.cli.show_explanation import show_explanation
from proxy.cli.show_messages import printable
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.targets import MODELS
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.state.repairs.repair_key import LearnedRepair, RepairKey
from tests.proxy.inspector.looking import parse, run
from tests.support.builders import assistant, call, tool, user
from tests.support.strategies.hostile import hostile_requests

NASTY = "\x1b[2J\x07\u202e\x9b\r\ud800"


def show(chat: ChatRequest, profile: str = "gemini-2", **sections: Any) -> list[str]:
    """Return the lines that explain what the proxy does with *chat*."""
    dry = run(chat, profile, **sections)
    looked = inspect_request(chat, dry, {})
    explained = {
        **describe_dry_run(dry),
        **{name: looked[name] for name in ("before", "steps", "after", "budget")},
    }
    return list(show_explanation(explained, colours=False))


@given(hostile_requests(), st.sampled_from(sorted(MODELS)))
def test_no_request_moves_the_cursor(body: bytes, profile: str) -> None:
    """Every line of an explanation is printable, for any request."""
    try:
        chat = parse_chat_request(body, max_nesting=100, mends=True)
    except InvalidRequest:
        return
    assert all(line.isprintable() for line in show(chat, profile))


def test_names_from_a_client_are_escaped() -> None:
    """Names of models, tools and parameters from a client are escaped."""
    chat = parse([assistant(NASTY[:-1]), tool(NASTY[:-1], "x")], **{f"p{NASTY[:-1]}": 1})
    lines = show(chat)
    explained = {
        **describe_dry_run(run(chat, "gemini-2")),
        "before": [],
        "steps": [],
        "model": NASTY,
        "deployment": NASTY,
        "refusal": {"message": NASTY, "param": NASTY, "rule": "x"},
        "changes": [{"step": "shape", "kind": "dropped", "index": 0, "reason": "x", "detail": NASTY}],
        "dropped_parameters": [NASTY],
    }
    lines += show_explanation(explained, colours=False)

    assert all(line.isprintable() for line in lines)
    assert printable(NASTY) == "\\x1b[2J\\x07\\u202e\\x9b\\r\\ud800"


def test_long_lists_are_cut() -> None:
    """Long lists are cut, and a rule that is broken often has one line."""
    history = [user("go")]
    for number in range(200):
        history += [assistant(None, [call(f"c{number}", "f", "{")]), user("and?")]

    lines = show(parse(history))

    assert len(lines) < 120
    assert "  and 380 more; --json has all of them" in lines
    assert sum("missing_result: " in line for line in lines) == 1
    assert any(line.endswith("and 194 more are rewritten") for line in lines)


def test_every_part_has_a_cell_in_the_bar() -> None:
    """Every part of a history has a cell in the bar, even if its share of the window is small."""
    lines = show(parse([user("go"), assistant("a"), user("b")]))

    bars = [
        line.partition("[")[2].partition("]")[0]
        for line in lines
        if line.startswith(("  came in ", "  goes out ")) and "[" in line
    ]
    assert [len(bar) for bar in bars] == [60, 60]
    assert all({"g", "c"} <= set(bar) for bar in bars)


def test_learned_repair_of_a_parameter_is_at_no_message() -> None:
    """The step says since when the repair is known and how sure it is."""
    key = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)
    repair = LearnedRepair(key, 0.71, 4.0, 0.0, 1_795_500_000, False, False)
    chat = parse([user("Hello.")], temperature=0.5)
    dry = run(chat, "openai", learned=(repair,))
    explained = {**describe_dry_run(dry), **inspect_request(chat, dry, {})}
    lines = list(show_explanation(explained, colours=False))

    assert "changes (repair=1;learned):" in lines
    assert "    dropped refused_parameter  temperature" in lines
    assert any(
        "temperature, since 2026-11-24, 06:00 UTC, with a confidence of 0.71" in line for line in lines
    )
