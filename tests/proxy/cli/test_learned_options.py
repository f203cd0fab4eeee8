"""Tests of the options of ``turnright learned``."""

from __future__ import annotations

import pytest

from proxy.cli.main import make_parser


def test_defaults() -> None:
    """By default the command lists the repairs of the process at the address where ``serve`` listens by default."""
    options = make_parser().parse_args(["learned"])
    serve = make_parser().parse_args(["serve", "--config", "c.yaml"])

    assert (options.action, options.id) == ("list", None)
    assert options.url == f"http://127.0.0.1:{serve.port}"
    assert (options.key_env, options.json) == ("TURNRIGHT_MASTER_KEY", False)


def test_a_repair_is_named_behind_the_action() -> None:
    options = make_parser().parse_args(["learned", "forget", "0123456789ab", "--url", "http://h:1"])

    assert (options.action, options.id, options.url) == ("forget", "0123456789ab", "http://h:1")


@pytest.mark.parametrize("words", [["drop"], ["list", "a", "b"], ["--port", "1"]])
def test_other_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        make_parser().parse_args(["learned", *words])

    assert ended.value.code == 2
    assert words[-1] in capsys.readouterr().err
