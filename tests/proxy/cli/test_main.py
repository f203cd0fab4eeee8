"""Tests of the command line: wrong usage, and the function of each command."""

from __future__ import annotations

import importlib

import pytest

from proxy.cli import main
from proxy.cli.main import make_parser


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("serve", "--port", "65536"),
        ("serve", "--port", "many"),
        ("emulate", "--port", "-1"),
        ("check",),
        ("explain", "a", "b"),
    ],
)
def test_wrong_usage_exits_with_2_and_the_fault_on_standard_error(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong usage exits with status 2, and shows the usage and then the fault on standard error.

    The message names no Python function.
    """
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    shown = capsys.readouterr()
    assert (ended.value.code, shown.out) == (2, "")
    assert shown.err.startswith("usage: turnright")
    assert "_port" not in shown.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["serve"],
        ["init"],
        ["demo"],
        ["emulate"],
        ["explain"],
        ["check", "--config", "x"],
        ["models"],
        ["conform", "--base-url", "http://h/v1", "--model", "m"],
        ["completion", "bash"],
    ],
)
def test_each_command_names_its_function(arguments: list[str]) -> None:
    """Each command names a function that can be imported. Only ``serve`` reloads its configuration on SIGHUP."""
    options = make_parser().parse_args(arguments)

    assert callable(getattr(importlib.import_module(options.module), options.function))
    assert options.reloads == (arguments == ["serve"])


def test_address_has_a_default_for_each_server() -> None:
    """By default ``serve`` and ``emulate`` listen on loopback, with a port each."""
    options = [make_parser().parse_args([name]) for name in ("serve", "emulate")]

    assert [(each.host, each.port) for each in options] == [("127.0.0.1", 4000), ("127.0.0.1", 9090)]


def test_interrupted_command_ends_as_in_shells(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt during the import of a command's module gives status 130."""

    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib, "import_module", interrupted)

    assert main(["demo"]) == 130
