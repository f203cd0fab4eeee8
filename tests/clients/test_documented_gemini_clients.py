"""Tests that the block for google-genai in ``docs/gemini-clients.md`` works through turnright.

The blocks for gemini-cli are run in ``at_length``.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.clients.running_clients import ENVIRONMENT, existing
from tests.clients.test_documented_clients import MODEL, WORDS, output_of
from tests.clients.test_documented_responses_clients import check_printed
from tests.process.emulators import Gemini
from tests.process.running import ROOT, Served

PAGE = (ROOT / "docs" / "gemini-clients.md").read_text(encoding="utf-8")
ORIGIN = "http://127.0.0.1:4000"


def block_of(heading: str, language: str) -> str:
    """Return the first block of *language* under the *heading* of the page."""
    section = re.split(rf"^#+ {heading}\n", PAGE, flags=re.MULTILINE)[1]
    found = re.search(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_block_of_python_prints_the_answer(served: Served, gemini: Gemini, tmp_path: Path) -> None:
    """The block prints the model's answer, unchanged except for its address."""
    text = block_of("google-genai", "python")
    assert ORIGIN in text
    assert MODEL in text
    gemini.say(WORDS)
    python = existing(ENVIRONMENT / "bin" / "python")

    check_printed(gemini, output_of([python, "-c", text.replace(ORIGIN, served.origin)], tmp_path))
