"""Tests of the options of ``turnright sessions``."""

from __future__ import annotations

import pytest

from proxy.cli.main import make_parser


def test_defaults() -> None:
    """The process is asked at the address where ``serve`` listens by default."""
    options = make_parser().parse_args(["sessions", "purge", "--key", "ci"])

    assert (options.action, options.key, options.url) == ("purge", "ci", "http://127.0.0.1:4000")
    assert (options.key_env, options.json) == ("TURNRIGHT_MASTER_KEY", False)


@pytest.mark.parametrize("words", [[], ["purge"], ["--key", "ci"], ["list", "--key", "ci"], ["purge", "ci"]])
def test_action_and_key_are_required(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is deleted by default."""
    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args(["sessions", *words])

    assert ended.value.code == 2
    assert "sessions" in capsys.readouterr().err
