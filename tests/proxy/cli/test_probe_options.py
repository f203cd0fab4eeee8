"""Tests of the options of ``turnright probe``."""

from __future__ import annotations

import pytest

from proxy.cli.main import make_parser


def test_defaults() -> None:
    """By default the command asks before it starts, and waits a second between two requests."""
    options = make_parser().parse_args(["probe", "--config", "c.yaml"])

    assert (options.model, options.yes, options.pause, options.report) == (None, False, 1.0, None)


@pytest.mark.parametrize("pause", ["-1", "nan", "3601", "soon"])
def test_pause_is_a_number_of_seconds(pause: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args(["probe", "--config", "c.yaml", "--pause", pause])

    assert ended.value.code == 2
    assert "--pause" in capsys.readouterr().err
