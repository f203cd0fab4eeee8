"""Tests that a command keeps its exit status unless standard output cannot be written."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from proxy.cli.print_result import can_encode, print_result, takes_colours


def test_character_that_the_terminal_lacks_becomes_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    """A character that the terminal lacks becomes an escape, and the status stays."""
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))

    assert print_result("é \ud83d", 1) == 1
    assert written.getvalue() == b"\\xe9 \\ud83d\n"
    assert (can_encode("e"), can_encode("é")) == (True, False)


def test_closed_output_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A closed standard output gives status 2 and a message on standard error."""
    monkeypatch.setattr("sys.stdout", None)

    assert print_result("x", 0) == 2
    assert capsys.readouterr().err == "turnright: standard output: it is closed\n"
    assert can_encode("é")
    assert not takes_colours()


def test_full_disk_is_a_fault(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A full disk gives status 2 and a message on standard error."""
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert print_result("x", 0) == 2
        monkeypatch.undo()

    assert capsys.readouterr().err == "turnright: standard output: No space left on device\n"


def test_reader_that_leaves_early_does_not_change_the_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader that leaves early, such as ``head``, does not change the status."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert print_result("x", 1) == 1
        monkeypatch.undo()

    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("variables", "colours"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_are_for_terminals(
    variables: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colours are for terminals, unless ``TERM`` is ``dumb`` or ``NO_COLOR`` is not empty (no-color.org)."""
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **variables}.items():
        monkeypatch.setenv(name, value)
    terminal = io.StringIO()
    monkeypatch.setattr("sys.stdout", terminal)
    assert not takes_colours()

    monkeypatch.setattr(terminal, "isatty", lambda: True)
    assert takes_colours() is colours
