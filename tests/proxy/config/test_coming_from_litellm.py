"""The page for LiteLLM's users says what the code does."""

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
    """``make docs`` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == page(), "run make docs"


@pytest.mark.parametrize("table", [IGNORED, GUARDS, MISSING])
def test_every_row_is_on_the_page(table: dict[str, dict[str, str]]) -> None:
    """Its key and its reason stand in one line."""
    lines = page().splitlines()

    for where, rows in table.items():
        for key, reason in rows.items():
            name = f"`{where}`" if where else "the top"
            assert any(
                line.startswith(f"| {name} |") and f"`{key}`" in line and line.endswith(f"| {reason} |")
                for line in lines
            ), (where, key)


def test_every_callback_is_on_the_page() -> None:
    """Its pattern stands in the last table."""
    assert all(f"`{name}`" in page() for name in CALLBACKS)


def test_the_command_prints_the_page() -> None:
    """``make docs`` runs it."""
    command = [sys.executable, "-m", "proxy.config.coming_from_litellm"]
    shown = subprocess.run(command, cwd=PAGE.parents[1], capture_output=True, text=True, check=True)

    assert (shown.stdout, shown.stderr) == (page(), "")
