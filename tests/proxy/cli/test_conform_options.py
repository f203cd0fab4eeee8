"""Tests of the options of ``turnright conform``."""

from __future__ import annotations

import pytest

from proxy.cli.main import make_parser

GIVEN = ("conform", "--base-url", "http://h/v1", "--model", "m")


def test_defaults() -> None:
    """By default the emulator listens on loopback, and the command waits for Enter."""
    options = make_parser().parse_args(GIVEN)

    assert (options.emulator_host, options.emulator_port) == ("127.0.0.1", 9090)
    assert (options.key_env, options.yes, options.json) == ("TURNRIGHT_CONFORM_KEY", False, False)
    assert (options.wait, options.timeout) == (60.0, 30.0)


@pytest.mark.parametrize("name", ["--base-url", "--model"])
def test_gateway_and_model_are_required(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = GIVEN.index(name)

    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args([*GIVEN[:at], *GIVEN[at + 2 :]])

    assert ended.value.code == 2
    assert name in capsys.readouterr().err
