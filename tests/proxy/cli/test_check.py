"""Tests of the exit status and the outputs of ``turnright check``."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.check import run_check
from proxy.core.combine_instructions import digest_of
from tests.proxy.config.samples import entry, text_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a valid configuration file with a setting that is probably a mistake."""
    file = tmp_path / "config.yaml"
    file.write_bytes(text_of(entry(), turns={"max_rounds": 0}))
    return file


def test_result_is_on_standard_output_and_warnings_on_standard_error(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output has the effects on requests as YAML comments, and standard error has the warnings."""
    assert run_check(Namespace(config=str(path), json=False, strict=False)) == 0

    shown = capsys.readouterr()
    assert "# What happens to a request." in shown.out
    assert f"turnright: warning: {path}:6: turns.max_rounds: 0 " in shown.err


def test_json_has_the_warnings_too(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--json`` the warnings are in the JSON object, and standard error is empty."""
    assert run_check(Namespace(config=str(path), json=True, strict=False)) == 0

    shown = capsys.readouterr()
    result: dict[str, Any] = json.loads(shown.out)
    assert result.keys() == {"settings", "models", "store", "faults", "warnings"}
    assert result["faults"] == []
    assert [6] == [
        each["line"] for each in result["warnings"] if each["text"].startswith("turns.max_rounds: 0 ")
    ]
    assert shown.err == ""


def test_configuration_that_cannot_be_served_has_status_2(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that cannot be served has status 2, and its settings are not printed."""
    path.write_bytes(b"model_list: []")

    assert run_check(Namespace(config=str(path), json=False, strict=False)) == 2
    assert capsys.readouterr().out == ""


MIXED = b"""model_list:
- model_name: a
  litellm_params: {model: gemini/a, itpm: 3}
general_settings:
  enable_jwt_auth: true
  alerting: [slack]
"""


def test_faults_do_not_hide_warnings(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run shows faults and warnings in the file's order, each with its file and line."""
    path.write_bytes(MIXED)

    assert run_check(Namespace(config=str(path), json=False, strict=False)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ignored")[0].partition(": decides")[0] for line in lines] == [
        f"turnright: warning: {path}:3: model_list[].litellm_params.itpm",
        f"{path}:5: general_settings.enable_jwt_auth",
        f"turnright: warning: {path}:6: general_settings.alerting",
    ]


def test_json_has_faults_and_warnings(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--json`` faults and warnings are on standard output, with their line numbers."""
    path.write_bytes(MIXED)

    assert run_check(Namespace(config=str(path), json=True, strict=False)) == 2
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    assert result.keys() == {"faults", "warnings"}
    assert [each["line"] for each in result["faults"]] == [5]
    assert [each["line"] for each in result["warnings"]] == [3, 6]
    assert result["faults"][0]["text"].startswith("general_settings.enable_jwt_auth: ")
    assert shown.err == ""


@pytest.mark.parametrize("strict", [False, True])
def test_strict_refuses_an_unset_variable(
    strict: bool, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unset variable is a fault with ``--strict``; otherwise its model is left out with a warning."""
    path.write_bytes(text_of(entry("a", api_key="os.environ/TURNRIGHT_ABSENT"), entry("b")))

    assert run_check(Namespace(config=str(path), json=False, strict=strict)) == (2 if strict else 0)
    shown = capsys.readouterr().err
    assert "the environment variable TURNRIGHT_ABSENT is not set" in shown
    assert ("left out" in shown) is not strict


def test_warnings_about_entries_count_those_of_the_file(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The index of an entry in a warning counts all entries of the file, including an entry that is left out."""
    path.write_bytes(
        text_of(
            entry("a", api_key="os.environ/TURNRIGHT_ABSENT"),
            entry("b", "openai/gpt-4.1"),
            entry("c", "openai/gpt-4.1", weight=1),
            entry("c", "openai/gpt-4o", api_key="k"),
        )
    )

    assert run_check(Namespace(config=str(path), json=False, strict=False)) == 0
    shown = capsys.readouterr().err
    assert shown.count("api_key: is not set") == 2
    assert "model_list[1].litellm_params.api_key: is not set" in shown
    assert "model_list[2].litellm_params.api_key: is not set" in shown
    assert "model_list[3].litellm_params.weight: is not set" in shown


@pytest.mark.parametrize("as_json", [False, True])
def test_instructions_are_shown_by_length_and_digest(
    as_json: bool, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The texts stand in no output, and a file is read beside the configuration."""
    (path.parent / "policy.md").write_text("Never tell of project Nightjar.\n")
    held = {
        "instructions": {"file": "policy.md"},
        "keys": [{"name": "k", "key": "sk-k", "instructions": "Nightjar"}],
    }
    path.write_bytes(text_of(entry(), general_settings=held))

    assert run_check(Namespace(config=str(path), json=as_json, strict=False)) == 0
    shown = capsys.readouterr()
    assert "Nightjar" not in shown.out + shown.err
    assert digest_of("Never tell of project Nightjar.") in shown.out
    assert ("#     every request   31 bytes, digest " in shown.out) is not as_json
