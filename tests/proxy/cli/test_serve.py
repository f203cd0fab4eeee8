"""Tests of ``turnright serve`` before it listens."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from proxy.cli.serve import open_closed_streams, run_serve
from tests.proxy.config.samples import text_of


@pytest.mark.parametrize(
    ("content", "host", "fault"),
    [
        (b"model_list: []", "127.0.0.1", "model_list"),
        (text_of(), "0.0.0.0", "general_settings.master_key"),
    ],
)
def test_configuration_that_cannot_be_served_has_status_2(
    content: bytes, host: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A configuration that cannot be served gives status 2, with the fault on standard error."""
    path = tmp_path / "config.yaml"
    path.write_bytes(content)

    assert run_serve(Namespace(config=str(path), host=host, port=0, strict=False)) == 2
    assert fault in capsys.readouterr().err


def test_closed_output_goes_to_the_null_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed output is opened on the null device, since a socket would else get its descriptor."""
    assert not open_closed_streams()
    monkeypatch.setattr(sys, "stdout", None)

    assert open_closed_streams()
    with sys.stdout as opened:
        assert opened.name == "/dev/null"
