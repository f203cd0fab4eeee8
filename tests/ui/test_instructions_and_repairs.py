"""Tests that the page shows the operator's instructions and the learned repairs of a request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.builders import user
from tests.ui.conftest import Opened, configure

MASTER, TEAM = "sk-inspector-master", "sk-inspector-team"
TEXT = "Answer like a lighthouse keeper."
KNOWN = [user("What is a lamp?")]


@pytest.fixture(scope="module")
def instructed(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run a proxy with instructions, and teach it in four conversations that a model refuses the temperature."""
    config = configure(
        gemini.api_base,
        master_key=MASTER,
        instructions=TEXT,
        keys=[{"name": "team", "key": TEAM, "instructions": "Be quick."}],
        inspector={"bodies": True},
    )
    with serve(directory, config) as served:
        for number in range(5):
            if number < 4:
                gemini.fault(status=400, message="Unsupported parameter: 'temperature' is not supported.")
            gemini.say("An answer.")
            asked = {"model": "small", "messages": [user(f"Lamp {number}?")], "temperature": 0.5}
            headers = {"Authorization": f"Bearer {MASTER}"}
            url = f"{served.base_url}/chat/completions"
            answer = httpx.post(url, json=asked, headers=headers, trust_env=False, timeout=30)
            assert answer.status_code == 200, answer.text
        yield served


def open_with(read: Opened, served: Served, key: str) -> Any:
    """Open the page and give it *key*."""
    reader = read(served.origin)
    reader.page.goto(f"{served.origin}/ui")
    reader.page.fill("#key-field", key)
    reader.page.click("#key-form button[type=submit]")
    reader.page.wait_for_selector("body[data-ready]")
    reader.faults[:] = [fault for fault in reader.faults if "401" not in fault]
    return reader


@pytest.mark.parametrize(
    ("key", "shown", "hidden"),
    [(MASTER, TEXT, "[instructions of the operator"), (TEAM, "[instructions of the operator", "lighthouse")],
)
def test_instructions_are_a_stage_with_their_text_for_the_master_key_alone(
    read: Opened, instructed: Served, axe: Path, key: str, shown: str, hidden: str
) -> None:
    """Both see the length, the levels and the digest. The sent body has the text or the placeholder too."""
    reader = open_with(read, instructed, key)
    reader.paste({"model": "gemini", "messages": KNOWN})

    assert reader.steps() == ["came", "instructions", "out"]
    assert "It goes out as it came, behind the operator's instructions." in reader.text("#result")
    reader.step("instructions")
    assert "of the gateway" in reader.text("#stage-what")
    row = reader.page.locator("#turns .row:has(.note)")
    assert row.count() == 1
    assert shown in row.inner_text()
    assert "Inserted by Instructions" in row.inner_text()
    assert reader.judge(axe) == []
    for tab, place in (("send", "#panel-send"), ("budget", "#panel-budget"), ("models", "#panel-models")):
        reader.tab(tab)
        reader.page.wait_for_selector(f"{place} :not(.waiting)")
        assert hidden not in reader.page.content()
    reader.tab("send")
    assert shown in reader.text("#panel-send pre")


def test_learned_repair_is_a_stage_with_its_age_and_its_confidence(
    read: Opened, instructed: Served, axe: Path
) -> None:
    """The parameter is beside the messages. A request without it gets no repair."""
    reader = open_with(read, instructed, MASTER)
    reader.paste({"model": "small", "messages": KNOWN, "temperature": 0.5})

    assert reader.steps() == ["came", "instructions", "repair", "out"]
    assert "1 learned repair" in reader.text("#result")
    reader.step("repair")
    told = reader.text("#stage-what")
    assert "Learned for this model: parameter temperature, since 20" in told
    assert "with a confidence of 0.7" in told
    assert "temperature" in reader.text("#beside")
    assert reader.judge(axe) == []
    reader.tab("send")
    assert '"temperature"' not in reader.text("#panel-send pre")
    reader.paste({"model": "small", "messages": KNOWN})
    assert "repair" not in reader.steps()
    assert "learned repair" not in reader.text("#result")


def test_list_of_requests_marks_what_was_learned(read: Opened, instructed: Served) -> None:
    """The refused requests have a repair without the mark. The sums of the live view count both."""
    reader = open_with(read, instructed, MASTER)
    reader.tab("recent")
    reader.page.wait_for_selector("#recent-list tbody tr:nth-child(5)")
    rows = [row.inner_text() for row in reader.page.locator("#recent-list tbody tr").all()]
    reader.tab("live")
    reader.page.wait_for_selector("#panel-live .chart")

    assert ["repair 1 learned" in row for row in rows] == [True, False, False, False, False]
    assert all("repair 1" in row and "instructions 1" in row for row in rows)
    assert "Repair 5" in reader.text("#panel-live")
