"""Tests of reading the files that a configuration names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proxy.cli.named_files import NamedFiles


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration with a file beside it."""
    (tmp_path / "config.yaml").write_text("")
    (tmp_path / "policy.md").write_text("Be good.")
    return tmp_path / "config.yaml"


def test_a_relative_path_begins_at_the_configurations_folder(
    config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The working folder does not matter, also where the configuration itself has a relative path."""
    assert NamedFiles(str(config)).read("policy.md", 99) == b"Be good."
    monkeypatch.chdir(tmp_path.parent)
    relative = NamedFiles(os.path.relpath(config))
    monkeypatch.chdir("/")
    assert relative.read("policy.md", 99) == b"Be good."
    assert relative.read(str(config.parent / "policy.md"), 99) == b"Be good."


@pytest.mark.parametrize("is_pipe", [False, True])
def test_without_a_file_a_path_begins_at_the_working_folder(
    config: Path, is_pipe: bool, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A pipe, as in ``--config <(…)``, has no folder of its own."""
    monkeypatch.chdir(config.parent)
    pipe = tmp_path_factory.mktemp("elsewhere") / "pipe"
    os.mkfifo(pipe)

    assert NamedFiles(str(pipe) if is_pipe else None).read("policy.md", 99) == b"Be good."


def test_no_more_is_read_than_asked_for(config: Path) -> None:
    """A huge file does not fill the memory."""
    assert NamedFiles(str(config)).read("policy.md", 2) == b"Be"


def test_each_file_is_noted_before_it_is_read(config: Path) -> None:
    """A change during the read is a change for the watch. A missing file is noted too, since it may come back."""
    noted: list[str] = []
    files = NamedFiles(str(config), noted.append)
    for name in ("policy.md", "absent"):
        try:
            files.read(name, 99)
        except FileNotFoundError:
            assert name == "absent"

    assert noted == files.paths == [str(config.parent / name) for name in ("policy.md", "absent")]


def test_a_folder_and_a_pipe_are_no_files(config: Path) -> None:
    """Reading a pipe could block for ever."""
    os.mkfifo(config.parent / "pipe")
    with pytest.raises(IsADirectoryError):
        NamedFiles(str(config)).read(".", 99)
    with pytest.raises(OSError, match="it is not a file"):
        NamedFiles(str(config)).read("pipe", 99)
