"""Tests that the block for anthropic's client in ``docs/claude-code.md`` works through turnright.

The block for Claude Code is run in ``at_length``.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.clients.running_clients import ENVIRONMENT, existing
from tests.clients.test_documented_clients import MODEL, WORDS, output_of
from tests.clients.test_documented_responses_clients import check_printed
from tests.process.emulators import Gemini
from tests.process.running import ROOT, Served

PAGE = (ROOT / "docs" / "claude-code.md").read_text(encoding="utf-8")
ORIGIN = "http://127.0.0.1:4000"


def block_of(heading: str, language: str) -> str:
    """Return the first block of *language* under the *heading* of the page."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_block_of_python_prints_the_answer_of_a_message(
    served: Served, gemini: Gemini, tmp_path: Path
) -> None:
    """The block prints the model's answer, unchanged except for its address."""
    text = block_of("SDKs", "python")
    assert ORIGIN in text
    assert MODEL in text
    gemini.say(WORDS)
    python = existing(ENVIRONMENT / "bin" / "python")

    check_printed(gemini, output_of([python, "-c", text.replace(ORIGIN, served.origin)], tmp_path))
