"""Tests of the two formats of a log line, JSON and readable. No value can break a line."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.observability.log_lines import choose_format, json_line, line_format

NOW = datetime(2026, 11, 22, 12, 3, 44, 123456, UTC)
FINISHED: dict[str, Any] = {
    "request_id": "req_0123456789abcdef01234567",
    "route": "/v1/chat/completions",
    "model": "gemini",
    "deployment": "gemini/gemini-3.6-flash",
    "mode": "repair",
    "stream": False,
    "status": 200,
    "outcome": "ok",
    "messages": 3,
    "changes": "pairing=1",
    "dropped_parameters": 0,
    "rounds": "1/25",
    "key": None,
    "attempts": 1,
    "duration_ms": 1234.5,
    "upstream_ms": 1230.0,
    "overhead_ms": 1.25,
    "first_token_ms": None,
    "budget": "est<=30",
    "input_tokens": 1200,
    "output_tokens": 85,
}
ODD = {
    "status": 502,
    "outcome": "upstream_unreachable",
    "model": "a model with a long name",
    "route": "/v1/embeddings",
    "rounds": "20/25;warn",
    "key": "night shift",
    "attempts": 3,
    "dropped_parameters": 2,
    "duration_ms": 61_000.0,
    "overhead_ms": None,
    "first_token_ms": 320.0,
    "input_tokens": None,
    "output_tokens": None,
}


def readable(event: str, fields: dict[str, Any], level: str = "info", *, colours: bool = False) -> str:
    """Return a readable line without its time, which is in the local time zone."""
    line = line_format("readable", colours=colours)(level, event, fields, NOW)
    time, line = line.split("  ", 1)
    assert re.fullmatch(r"(\033\[2m)?\d\d:\d\d:44\.123(\033\[0m)?", time)
    return line


@pytest.mark.parametrize(
    ("configured", "at_terminal", "chosen"),
    [
        ("auto", True, "readable"),
        ("auto", False, "json"),
        ("json", True, "json"),
        ("readable", False, "readable"),
    ],
)
def test_configured_format_wins_over_the_terminal(
    configured: Literal["auto", "json", "readable"], at_terminal: bool, chosen: str
) -> None:
    """Only ``auto`` depends on whether the log goes to a terminal."""
    assert choose_format(configured, at_terminal=at_terminal) == chosen


def test_json_line_has_every_field_in_order() -> None:
    """The name of the event, its level and its time come last."""
    line = line_format("json", colours=True)("info", "request_finished", FINISHED, NOW)

    assert line == json_line("info", "request_finished", FINISHED, NOW)
    assert line.endswith("}\n")
    read = json.loads(line)
    ours = {"event": "request_finished", "level": "info", "timestamp": "2026-11-22T12:03:44.123456Z"}
    assert (read, list(read)) == (FINISHED | ours, [*FINISHED, *ours])


def test_line_of_a_request_has_columns() -> None:
    """Values without a fixed width come after the columns."""
    lines = [readable("request_finished", FINISHED | changed) for changed in ({}, ODD)]

    assert lines == [
        "200  gemini                chat/completions   1234ms    +1.2ms  1x        1200>85  "
        "req_0123456789abcdef01234567  deployment=gemini/gemini-3.6-flash  changes=pairing=1\n",
        "502  'a model with a long name'  embeddings          61.0s        +-  3x            ->-  "
        "upstream_unreachable  req_0123456789abcdef01234567  deployment=gemini/gemini-3.6-flash  "
        "changes=pairing=1  dropped_parameters=2  rounds=20/25;warn  key='night shift'  first_token_ms=320.0\n",
    ]


def test_line_of_a_client_that_left_has_no_status() -> None:
    """The line names the outcome ``client_disconnected``."""
    line = readable("request_finished", FINISHED | {"status": 0, "outcome": "client_disconnected"})

    assert line.startswith("---  gemini ")
    assert "  client_disconnected  " in line


def test_line_of_another_event_names_its_fields() -> None:
    """Fields that are None are left out."""
    line = readable("turn_guard", {"model": "gemini", "key": None, "what": "warning"}, "warning")

    assert line == "warning  turn_guard  model=gemini  what=warning\n"


@pytest.mark.parametrize(
    ("status", "outcome", "colour"),
    [
        (200, "ok", 32),
        (429, "rate_limit_exceeded", 33),
        (503, "overloaded", 31),
        (0, "client_disconnected", 31),
    ],
)
def test_colour_of_a_line_follows_the_status(status: int, outcome: str, colour: int) -> None:
    """Without colours the line is the same."""
    fields = FINISHED | {"status": status, "outcome": outcome}
    line = readable("request_finished", fields, colours=True)

    assert line.startswith(f"\033[{colour}m{status or '---'}\033[0m")
    assert re.sub(r"\033\[\d+m", "", line) == readable("request_finished", fields)
    assert readable("cut_off", {"in_flight": 1}, "warning", colours=True).startswith("\033[33mwarning\033[0m")


@given(
    event=st.sampled_from(["request_finished", "library_log", "ready"]),
    fields=st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(
            (*FINISHED, "logger"), st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text())
        ),
    ),
)
@example(event="request_finished", fields={"output_tokens": "\x1f"})  # a provider's count
def test_value_cannot_break_a_line(event: str, fields: dict[str, Any]) -> None:
    """A value makes no second line and moves no cursor, and every line can be encoded."""
    line = line_format("readable", colours=False)("info", event, fields, NOW)

    assert line.endswith("\n")
    assert line[:-1].isprintable()
    line.encode()
