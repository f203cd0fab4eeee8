"""Tests that the tables of ``docs/claude-code.md`` are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.core.errors import UpstreamFault
from proxy.ingress.anthropic_messages.errors import describe_error, status_of
from proxy.ingress.anthropic_messages.field_types import KNOWN_FIELDS
from proxy.ingress.routes.paths import COUNT_TOKENS, MESSAGES, MODELS
from sanitizers.native.messages.client_tools import CLIENT_TOOLS
from sanitizers.native.messages.tools import SERVER_TOOLS, read_tools
from tests.support.markdown_tables import key_in, rows_under

PAGE = (Path(__file__).parents[1] / "docs" / "claude-code.md").read_text(encoding="utf-8")


def names_in(cell: str) -> list[str]:
    """Return the names in a cell of a table."""
    return re.findall(r"`([^`]+)`", cell)


def test_every_field_is_listed() -> None:
    assert {key_in(row[0]) for row in rows_under(PAGE, "Fields")} == KNOWN_FIELDS | {"model", "messages"}


def test_every_tool_is_listed_in_its_row() -> None:
    rows = [names_in(row[0]) for row in rows_under(PAGE, "Tools")]

    assert rows[0] == ["input_schema"]
    assert all(any(start.startswith(name) for start in CLIENT_TOOLS) for name in rows[1])
    assert {name.removesuffix("_tool") for name in SERVER_TOOLS} == set(rows[2])
    for name in rows[3]:
        assert read_tools([{"type": name}]).needs


@pytest.mark.parametrize("row", [row for row in rows_under(PAGE, "Errors") if row[0].isdigit()], ids=str)
def test_types_of_errors_are_those_of_the_code(row: list[str]) -> None:
    status = int(row[0])
    fault = UpstreamFault("x", upstream_status=status)

    if status != 503:  # turnright's own, since a provider's is a 529
        assert status_of(fault) == status
        assert describe_error(fault)["error"]["type"] == key_in(row[1])


def test_paths_are_served() -> None:
    told = {names_in(row[0])[0] for row in rows_under(PAGE, "Paths")}

    assert {f"POST {MESSAGES}", f"POST {COUNT_TOKENS}", f"GET {MODELS}"} <= told
