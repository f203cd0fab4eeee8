"""Tests of litellm's table, which is read as data."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import msgspec
import pytest

from proxy.config.litellm_table import litellm_rows

TABLE = "model_prices_and_context_window_backup.json"


@pytest.fixture(autouse=True)
def read_anew() -> Iterator[None]:
    """Read the table anew in each test, and the real table afterwards."""
    litellm_rows.cache_clear()
    yield
    litellm_rows.cache_clear()


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let *folder* stand for the package of litellm."""
    spec = ModuleSpec("litellm", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)


def test_a_row_is_the_text_of_the_file() -> None:
    row = litellm_rows()["gpt-4o"]

    assert bytes(row).startswith(b"{")
    assert msgspec.json.decode(row)["litellm_provider"] == "openai"
    assert len(litellm_rows()) > 4_000


def test_the_table_is_read_once() -> None:
    assert litellm_rows() is litellm_rows()


@pytest.mark.parametrize("text", [None, b"", b"[]", b'{"a": ', b"\xff"])
def test_a_file_that_cannot_be_read_has_no_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes | None
) -> None:
    if text is not None:
        (tmp_path / TABLE).write_bytes(text)
    install(tmp_path, monkeypatch)

    assert litellm_rows() == {}


def test_an_installation_without_litellm_has_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert litellm_rows() == {}


def test_litellm_itself_is_not_imported() -> None:
    """An import costs seconds and 165 MB."""
    code = (
        "import sys; from proxy.config.litellm_table import litellm_rows; "
        "assert litellm_rows(); sys.exit('litellm' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
