"""Tests that texts and tables are rendered literally, unwrapped, and coloured only on request."""

from __future__ import annotations

import pytest
from rich.text import Text

from proxy.cli.render_lines import render_lines, two_columns

LITERAL = "[bold]x[/bold] :smile: http://a.example 12 'text' None"
LONG = "word " * 5_000 + "end"


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("line", [LITERAL, LONG, "", "漢字 ✅"], ids=["markup", "long", "empty", "wide"])
def test_a_string_is_shown_as_it_is(line: str, colours: bool) -> None:
    """A string is shown literally, including markup and emoji codes. Highlighting and line breaks are not added."""
    assert list(render_lines([line, line], colours=colours)) == [line, line]


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("value", [LITERAL, LONG], ids=["markup", "long"])
def test_a_table_is_neither_wrapped_nor_padded_at_its_end(value: str, colours: bool) -> None:
    """Each row of a table is one line, with names padded to one width."""
    table = two_columns([("name", value), ("a longer name", "b"), ("c", "")], width=10, indent=2)

    assert list(render_lines([table], colours=colours)) == [
        f"  name          {value}",
        "  a longer name b",
        "  c",
    ]


def test_colours_are_the_callers_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller decides about colours; environment variables do not."""
    text = Text.assemble(("red", "red"), " and ", ("bold", "bold"))
    for name, value in (("NO_COLOR", "1"), ("FORCE_COLOR", ""), ("TERM", "dumb"), ("COLUMNS", "10")):
        monkeypatch.setenv(name, value)
    coloured = list(render_lines([text, LONG], colours=True))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR")
    plain = list(render_lines([text, LONG]))

    assert coloured == ["\x1b[31mred\x1b[0m and \x1b[1mbold\x1b[0m", LONG]
    assert plain == ["red and bold", LONG]
