"""Tests of reading a command's configuration: its file, its faults and its warnings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proxy.cli.configuration import print_warnings, read_configuration, reload_configuration
from proxy.config import ConfigurationError
from proxy.server.reload.watch_file import FileWatch
from tests.proxy.config.samples import entry, text_of


@pytest.mark.parametrize(
    ("content", "fault"),
    [(None, "No such file or directory"), (b"model_list: 5", "model_list")],
)
def test_unusable_configuration_is_explained_on_standard_error(
    content: bytes | None, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unusable configuration is explained on standard error, and standard output stays empty."""
    path = tmp_path / "config.yaml"
    if content is not None:
        path.write_bytes(content)

    assert read_configuration(str(path)) is None
    shown = capsys.readouterr()
    assert shown.out == ""
    assert fault in shown.err


def test_warnings_are_printed_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings are printed to standard error, and the configuration can still be used."""
    path = tmp_path / "config.yaml"
    path.write_bytes(text_of(litellm_settings={"drop_params": True}))
    loaded = read_configuration(str(path))

    assert loaded is not None
    print_warnings(loaded)
    assert capsys.readouterr().err == "".join(
        f"turnright: warning: {warning}\n" for warning in loaded.warnings
    )
    assert loaded.warnings


def test_pipe_is_not_read_again(tmp_path: Path) -> None:
    """A pipe is not read again at a reload, since a second read may block forever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a file"):
        reload_configuration(str(pipe))

    (tmp_path / "config.yaml").write_bytes(text_of())
    assert reload_configuration(str(tmp_path / "config.yaml")).settings.model_list


def test_strict_is_passed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``strict`` an unset variable is a fault, both at the start and at a reload."""
    path = tmp_path / "config.yaml"
    path.write_bytes(text_of(entry("a", api_key="os.environ/TURNRIGHT_ABSENT"), entry("b")))

    assert read_configuration(str(path)) is not None
    assert reload_configuration(str(path)).warnings
    assert read_configuration(str(path), strict=True) is None
    assert "TURNRIGHT_ABSENT is not set" in capsys.readouterr().err
    with pytest.raises(ConfigurationError, match="TURNRIGHT_ABSENT is not set"):
        reload_configuration(str(path), strict=True)


def test_a_warning_has_its_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A printed warning begins with its file and line."""
    path = tmp_path / "config.yaml"
    path.write_bytes(b"litellm_settings:\n  drop_params: true\n" + text_of())
    loaded = read_configuration(str(path))

    assert loaded is not None
    print_warnings(loaded, str(path))
    assert capsys.readouterr().err.startswith(
        f"turnright: warning: {path}:2: litellm_settings.drop_params: ignored"
    )


def test_files_of_texts_are_read_beside_the_configuration_and_watched(tmp_path: Path) -> None:
    """The watch follows the files of the newest configuration, also where one of them is bad."""
    path = tmp_path / "config.yaml"
    (tmp_path / "a.md").write_text("Be good.")
    watch = FileWatch(str(path))
    path.write_bytes(text_of(general_settings={"instructions": {"file": "a.md"}}))
    loaded = read_configuration(str(path), watch=watch)

    assert loaded is not None
    assert loaded.settings.general_settings.instructions is not None
    assert loaded.settings.general_settings.instructions.text == "Be good."
    assert watch.files == {str(path), str(tmp_path / "a.md")}
    path.write_bytes(text_of(general_settings={"instructions": {"file": "b.md"}}))
    with pytest.raises(ConfigurationError, match="does not exist"):
        reload_configuration(str(path), watch=watch)
    assert watch.files == {str(path), str(tmp_path / "b.md")}
