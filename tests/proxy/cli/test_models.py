"""Tests of ``turnright models``: the table and the JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from proxy.cli import main
from tests.proxy.config.samples import text_of

KEY = "sk-0123456789"
ENTRIES: list[dict[str, Any]] = [
    {
        "model_name": "fast",
        "litellm_params": {"model": "gemini/gemini-2.5-pro", "api_key": "os.environ/GEMINI_API_KEY"},
    },
    {
        "model_name": "fast",
        "litellm_params": {"model": "openai/gpt-4.1", "api_base": "http://h:1/v1", "api_key": "k"},
    },
    {"model_name": "mistral/*", "litellm_params": {"model": "mistral/*"}},
    {"model_name": "*", "litellm_params": {"model": "*"}},
    {"model_name": "odd", "litellm_params": {"model": "ollama/no-such-model"}},
    {"model_name": "claude", "litellm_params": {"model": "anthropic/c", "api_key": "os.environ/NOT_THERE"}},
]

ALIASES = {
    "gpt-4": "fast",
    "best": {"model": "mistral/mistral-large-latest", "hidden": True},
    "c": "claude",
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a configuration whose last model has an unset variable."""
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("NOT_THERE", raising=False)
    path = tmp_path / "c.yaml"
    path.write_bytes(text_of(model_list=ENTRIES, router_settings={"model_group_alias": ALIASES}))
    return str(path)


def test_table_has_a_row_for_each_deployment_and_for_what_is_left_out(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table has a row for each deployment and each model left out, and examples for wildcards.

    No value of a key is shown.
    """
    assert main(["models", "--config", path]) == 0

    shown = capsys.readouterr()
    rows = [line.split("  ") for line in shown.out.splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert cells[:7] == [
        ["name", "provider", "host", "window", "key"],
        ["fast", "gemini", "generativelanguage.googleapis.com", "1,048,576", "GEMINI_API_KEY"],
        ["fast", "openai", "h:1", "1,047,576", "in the file"],
        ["mistral/*", "mistral", "api.mistral.ai", "by the name", "not set"],
        ["*", "by the name", "the provider's", "by the name", "the provider's own"],
        ["odd", "ollama", "the provider's", "unknown", "not set"],
        ["claude", "-", "-", "-", "left out: NOT_THERE not set"],
    ]
    assert cells[7][0].startswith("mistral/* takes ")
    assert "such as mistral/" in cells[7][0]
    assert [" ".join(row) for row in cells[8:11]] == [
        "best is another name of mistral/mistral-large-latest. GET /v1/models does not list it.",
        "c is another name of claude.",
        "gpt-4 is another name of fast.",
    ]
    assert KEY not in shown.out + shown.err
    assert f"warning: {path}:" in shown.err
    assert "NOT_THERE" in shown.err


def test_examples_are_models_of_today(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wildcard's example models are no previews, experiments or dated names, and the highest version is first."""
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    assert main(["models"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if " such as " in line]
    assert len(lines) == 2
    for line in lines:
        names = line.partition(" such as ")[2].removesuffix(".").split(", ")
        assert len(names) == 3
        assert not [name for name in names if re.search(r"exp|preview|\d{4}|-\d{3}$", name)]
        versions = [float(found[0]) for name in names if (found := re.search(r"\d+(\.\d+)?", name))]
        assert versions == sorted(versions, reverse=True)
        assert versions[0] > 2.5


def test_json_has_the_rows_with_the_known_models(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON is one document on standard output, with the rows and the known models of wildcards."""
    assert main(["models", "--config", path, "--json"]) == 0

    shown = capsys.readouterr()
    read = json.loads(shown.out)
    assert shown.err == ""
    assert read["models"][0] == {
        "name": "fast",
        "model": "gemini/gemini-2.5-pro",
        "provider": "gemini",
        "host": "generativelanguage.googleapis.com",
        "window": 1_048_576,
        "key": "GEMINI_API_KEY",
    }
    assert read["left_out"] == {"claude": ["NOT_THERE"]}
    assert read["aliases"] == {"gpt-4": "fast", "best": "mistral/mistral-large-latest", "c": "claude"}
    assert read["known"]["*"] == []
    assert len(read["known"]["mistral/*"]) > 10
    assert all(name.startswith("mistral/") for name in read["known"]["mistral/*"])
    assert KEY not in shown.out


def test_environment_is_listed_where_there_is_no_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a file, each provider with a key in the environment is listed as a wildcard."""
    monkeypatch.setenv("GROQ_API_KEY", KEY)

    assert main(["models"]) == 0
    assert "groq/*" in capsys.readouterr().out


def test_configuration_that_cannot_be_used_has_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that cannot be used gives status 2 and no standard output."""
    path = tmp_path / "c.yaml"
    path.write_bytes(b"model_list: []")

    assert main(["models", "--config", str(path)]) == 2
    assert capsys.readouterr().out == ""
