"""Tests that the tables of ``docs/gemini-clients.md`` are those of the code, and that its configuration is valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from proxy.config import load_settings, resolve
from proxy.core.errors import UpstreamFault
from proxy.ingress.gemini_native.errors import describe_error, overflow_message, status_of
from proxy.ingress.gemini_native.field_types import FIELDS
from proxy.ingress.gemini_native.generation_config import read_settings
from proxy.ingress.routes.gemini_paths import GEMINI_METHODS
from sanitizers.native.gemini.tool_choice import read_tool_choice
from sanitizers.native.gemini.tools import COMMON_TOOLS, read_tools
from sanitizers.native.gemini.violations import RULES
from tests.support.markdown_tables import key_in, rows_under

PAGE = (Path(__file__).parents[1] / "docs" / "gemini-clients.md").read_text(encoding="utf-8")
DECLARED = [{"functionDeclarations": [{"name": "f"}]}]


def names_in(cell: str) -> list[str]:
    """Return the names in a cell of a table."""
    return re.findall(r"`([^`]+)`", cell)


def block_of(heading: str, language: str) -> str:
    """Return the first block of *language* under the *heading* of the page."""
    found = re.search(rf"^#+ {heading}\n.*?^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_every_field_is_listed() -> None:
    assert {key_in(row[0]) for row in rows_under(PAGE, "Fields")} == set(FIELDS.values())


def test_every_setting_of_a_chat_is_listed() -> None:
    """Those that are not listed are left out and reported, as the page says."""
    told = {key_in(row[0]) for row in rows_under(PAGE, "Settings")}
    numbers = dict.fromkeys(("candidateCount", "maxOutputTokens", "seed", "temperature", "topK", "topP"), 2)
    numbers |= dict.fromkeys(("presencePenalty", "frequencyPenalty"), 1)
    read = read_settings({**numbers, "stopSequences": ["x"], "responseLogprobs": True})

    assert len(read.parameters) == 10
    assert {*numbers, "stopSequences", "responseLogprobs"} <= told
    left_out: dict[str, Any] = {"speechConfig": {}, "mediaResolution": "x"}
    assert left_out.keys().isdisjoint(told)
    assert {change.detail for change in read_settings(left_out).changes} == {
        f"generationConfig.{name}" for name in left_out
    }


def test_every_tool_is_listed_in_its_row() -> None:
    rows = [names_in(row[0]) for row in rows_under(PAGE, "Tools")]
    claudes = {
        name: names_in(row[1])[0] for row in rows_under(PAGE, "Tools")[1:4] for name in names_in(row[0])
    }

    assert rows[0] == ["functionDeclarations"]
    assert claudes == COMMON_TOOLS
    for name in rows[4]:
        assert all(need.can_be_left_out for need in read_tools([{name: {}}, *DECLARED]).needs), name
    for name in rows[5]:
        assert read_tools([{name: [] if name == "mcpServers" else {}}, *DECLARED]).needs


def test_modes_of_calling_are_those_of_the_code() -> None:
    section = PAGE.split("| `functionCallingConfig.mode` |")[1].split("\n\n")[0]
    tools = read_tools(DECLARED)

    for names, choice in re.findall(r"^\| (.*?) \| `(\w+)`", section, re.MULTILINE):
        for mode in names_in(names):
            assert read_tool_choice({"functionCallingConfig": {"mode": mode}}, tools).choice == choice


@pytest.mark.parametrize("row", [row for row in rows_under(PAGE, "Errors") if row[0].isdigit()], ids=str)
def test_names_of_errors_are_those_of_the_code(row: list[str]) -> None:
    status = int(row[0])
    fault = UpstreamFault("x", upstream_status=status)

    assert status_of(fault) == status
    assert describe_error(fault)["error"]["status"] == key_in(row[1])


def test_words_of_an_overflow_are_those_of_the_code() -> None:
    assert overflow_message(1, 2).replace("1", "N").replace("2", "M") in PAGE


def test_methods_are_listed() -> None:
    told = {names_in(row[0])[0] for row in rows_under(PAGE, "Paths")}

    assert {f"POST {method}" for method in GEMINI_METHODS} < told


def test_rules_of_contents_exist() -> None:
    rows = rows_under(PAGE, "What Gemini gets")

    assert {names_in(rows[0][0])[0], names_in(rows[-1][1])[0]} <= RULES.keys()


def test_configuration_answers_for_each_fixed_name_of_gemini_cli() -> None:
    """The names are those of gemini-cli 0.61.0."""
    given = block_of("One model for all names", "yaml").encode()
    settings = load_settings(given, {"ANTHROPIC_API_KEY": "x", "GEMINI_API_KEY": "x"}).settings

    for name in ("gemini-3.5-flash-lite", "gemini-3.8-flash", "gemini-3-flash-preview"):
        assert [one.model for one in resolve(settings, name)] == ["gemini/gemini-3.6-flash"]
    assert resolve(settings, "claude-opus-4-8")


def test_each_name_goes_to_its_own_model_by_the_other_wildcard() -> None:
    """The star stands for the part of the name that the wildcard covers."""
    block = block_of("One model for all names", "yaml")
    [other] = re.findall(r"^Put `model: (\S+)` in the place of the last model", PAGE, re.MULTILINE)
    text = block.replace("model: gemini/gemini-3.6-flash", f"model: {other}")
    settings = load_settings(
        text.encode(), environ={"GEMINI_API_KEY": "a", "ANTHROPIC_API_KEY": "b"}
    ).settings
    assert [one.model for one in resolve(settings, "gemini-2.5-pro")] == ["gemini/gemini-2.5-pro"]
