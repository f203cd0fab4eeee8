"""Tests that the page shows the memory of a long conversation: what it replaces, its text, its age and its author."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.summarizing_upstream import session
from tests.ui.conftest import Opened, configure

SUMMARY = "## Goal\nMend the failing test.\n## Done\nRead the parts one by one."


@pytest.fixture(scope="module")
def remembered(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run a proxy that has written one summary of the session."""
    config = {
        **configure(gemini.api_base),
        "compaction": {"enabled": True, "model": "gemini", "memory_tokens": 1_000},
    }
    with serve(directory, config) as served:
        gemini.say("An answer.")
        gemini.say(SUMMARY)
        asked = {"model": "small", "messages": session(60)}
        answer = httpx.post(f"{served.base_url}/chat/completions", json=asked, trust_env=False, timeout=30)
        assert answer.status_code == 200, answer.text
        served.running.wait_for_events("summary_written", 1)
        yield served


def test_memory_is_a_stage_with_its_text(read: Opened, remembered: Served) -> None:
    """The stage says which messages are replaced, since when and by which model. The memory's text stands in it."""
    reader = read(remembered.origin)
    reader.open()
    reader.paste({"model": "small", "messages": session(61)})

    assert reader.steps()[:2] == ["came", "compaction"]
    reader.step("compaction")
    told = reader.text("#stage-what")
    assert "replaces the messages 2 to" in told
    assert "by gemini, and is in use since 20" in told
    assert "1 change" in reader.text("#stage-count")
    memory = reader.page.locator("#turns .row:has(.note)")
    assert memory.count() == 1
    assert "Read the parts one by one." in memory.inner_text()
    assert "messages 2-" in memory.inner_text()
    assert "Read the parts one by one." in reader.page.locator("#turns .row").nth(2).inner_text()


def test_other_tabs_of_a_compacted_request_work(read: Opened, remembered: Served, axe: Path) -> None:
    """The budget, the other models and the sent request are shown, and the stage is accessible."""
    reader = read(remembered.origin)
    reader.open()
    reader.paste({"model": "small", "messages": session(61)})
    reader.step("compaction")
    assert reader.judge(axe) == []
    reader.tab("send")
    assert "conversation_memory" in reader.text("#panel-send")
    reader.tab("budget")
    assert "Came in" in reader.text("#panel-budget")
    reader.tab("models")
    reader.page.wait_for_selector("#panel-models table")
    assert "Repaired" in reader.text('#panel-models tr:has(.target:text-is("small"))')


def test_history_without_a_memory_has_no_such_stage(read: Opened, remembered: Served) -> None:
    """Another conversation is shown as before."""
    reader = read(remembered.origin)
    reader.open()
    reader.paste({"model": "small", "messages": [*session(61)[:1], *session(61)[2:]]})

    assert "compaction" not in reader.steps()
