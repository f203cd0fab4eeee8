"""The exit status and the outputs of ``turnright check``."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.check import run_check
from tests.proxy.config.samples import entry, text_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a configuration that is valid but probably a mistake."""
    file = tmp_path / "config.yaml"
    file.write_bytes(text_of(entry(), turns={"max_rounds": 0}))
    return file


def test_result_is_on_standard_output_and_warnings_on_standard_error(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The configuration is on standard output, with its effects as comments.

    Warnings are on standard error.
    """
    assert run_check(Namespace(config=str(path), json=False)) == 0

    shown = capsys.readouterr()
    assert "# What happens to a request." in shown.out
    assert "turnright: warning: turns.max_rounds: 0 " in shown.err


def test_json_has_the_warnings_too(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``json``, the output is one object that includes the warnings, and standard error is empty."""
    assert run_check(Namespace(config=str(path), json=True)) == 0

    shown = capsys.readouterr()
    result: dict[str, Any] = json.loads(shown.out)
    assert result.keys() == {"settings", "models", "warnings"}
    assert any(warning.startswith("turns.max_rounds: 0 ") for warning in result["warnings"])
    assert shown.err == ""


def test_configuration_that_cannot_be_served_has_status_2(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that cannot be served has status 2, and its settings are not printed."""
    path.write_bytes(b"model_list: []")

    assert run_check(Namespace(config=str(path), json=False)) == 2
    assert capsys.readouterr().out == ""
