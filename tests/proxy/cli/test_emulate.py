"""Tests of ``turnright emulate`` where its address is taken."""

from __future__ import annotations

import socket
from argparse import Namespace

import pytest

from proxy.cli import emulate


def test_address_that_is_taken_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A taken address ends the command with status 1 and a reason on standard error."""
    monkeypatch.setattr(emulate, "configure_logs", lambda: None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status = emulate.run_emulate(Namespace(host="127.0.0.1", port=taken.getsockname()[1]))

    shown = capsys.readouterr()
    assert (status, shown.out) == (1, "")
    assert shown.err.startswith("turnright: cannot listen: ")
