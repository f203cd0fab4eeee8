"""Tests that the page for LiteLLM's users agrees with the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from proxy.config.coming_from_litellm import page
from proxy.config.ignored_keys import IGNORED
from proxy.config.refused_keys import GUARDS, MISSING
from proxy.config.refused_values import CALLBACKS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "coming-from-litellm.md"


def test_the_page_is_that_of_the_tables() -> None:
    """The page is the one that ``make docs`` writes from the tables."""
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"


@pytest.mark.parametrize("table", [IGNORED, GUARDS, MISSING])
def test_every_row_is_on_the_page(table: dict[str, dict[str, str]]) -> None:
    """Every row of the tables is on the page, with its key and its reason on one line."""
    lines = page().splitlines()

    for where, rows in table.items():
        for key, reason in rows.items():
            name = f"`{where}`" if where else "the top"
            assert any(
                line.startswith(f"| {name} |") and f"`{key}`" in line and line.endswith(f"| {reason} |")
                for line in lines
            ), (where, key)


def test_every_callback_is_on_the_page() -> None:
    """Every callback's pattern is on the page."""
    assert all(f"`{name}`" in page() for name in CALLBACKS)


def test_the_command_prints_the_page() -> None:
    """The command that ``make docs`` runs prints the page."""
    command = [sys.executable, "-m", "proxy.config.coming_from_litellm"]
    shown = subprocess.run(command, cwd=PAGE.parents[1], capture_output=True, text=True, check=True)

    assert (shown.stdout, shown.stderr) == (page(), "")
