"""Tests that the broken histories of public reports, written as items, are repaired, and lose no text unnamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sanitizers import Profile, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3_STRICT
from sanitizers.native.responses import project
from sanitizers.profiles import OPENAI
from tests.sanitizers.native.responses.building import NO_TOOLS, as_items
from tests.support.strategies import texts_of

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[4] / "proxy" / "conformance" / "known.json").read_text("utf-8")
)


@pytest.mark.parametrize("profile", [OPENAI, GEMINI_2, GEMINI_3_STRICT], ids=lambda p: p.name)
@pytest.mark.parametrize("entry", KNOWN, ids=lambda e: e["id"])
def test_known_history_becomes_legal(entry: dict[str, Any], profile: Profile) -> None:
    """Each reported history becomes legal when a client writes it as items."""
    done = project(as_items(entry["messages"]), NO_TOOLS)

    assert done.changes == ()
    assert sanitize(done.messages, profile).violations == ()


@pytest.mark.parametrize("entry", KNOWN, ids=lambda e: e["id"])
def test_known_history_keeps_its_texts(entry: dict[str, Any]) -> None:
    """The projection keeps each text of a reported history."""
    kept = json.dumps(project(as_items(entry["messages"]), NO_TOOLS).messages, ensure_ascii=False)

    assert [
        text for text in texts_of(entry["messages"]) if json.dumps(text, ensure_ascii=False)[1:-1] not in kept
    ] == []
