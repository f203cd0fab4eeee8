"""Tests that the page shows the truth about the mode, the numbers, the deployments and the current request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.builders import tool, user
from tests.ui.conftest import Opened, configure

STRAY = [user("Who?"), tool("x", "stray"), user("Go on.")]
EXACT = "9007199254740993"


@pytest.fixture(scope="module", params=["observe", "off", "strict"])
def modal(request: pytest.FixtureRequest, directory: Path, gemini: Gemini) -> Iterator[tuple[str, Served]]:
    """Run the proxy in each ``sanitize`` mode other than ``repair``, and yield the mode and the process."""
    config = {**configure(gemini.api_base), "sanitize": {"mode": request.param}}
    with serve(directory, config) as process:
        yield request.param, process


@pytest.fixture(scope="module")
def pooled(directory: Path, gemini: Gemini) -> Iterator[Served]:
    """Run a proxy that serves one model with two deployments in one pool. The first deployment answers."""
    config = configure(gemini.api_base, inspector={"bodies": True})
    other = {"model_name": "gemini", "litellm_params": {"model": "openai/gpt-4o", "api_key": "x"}}
    with serve(directory, {**config, "model_list": [*config["model_list"], other]}) as process:
        yield process


def test_the_mode_is_told(read: Opened, modal: tuple[str, Served]) -> None:
    """In modes other than ``repair``, the page shows the repairs as what would happen, and what is done instead."""
    mode, served = modal
    reader = read(served.origin)
    reader.open()
    reader.paste({"model": "gemini", "messages": STRAY})

    assert reader.steps() == ["came", "orphan_drop", "would", *([] if mode == "strict" else ["out"])]
    reader.step("orphan_drop")
    assert f"Mode {mode} does not do this" in reader.text("#stage-what")
    reader.step("would")
    assert "in mode repair" in reader.text("#stage-what")
    assert "3 → 2 messages" in reader.text("#stage-count")
    if mode == "strict":
        assert "refuses the request" in reader.text("#stage-what")
    else:
        reader.step("out")
        assert "0 changes · 3 → 3 messages" in reader.text("#stage-count")
    reader.tab("budget")
    shown = reader.text("#panel-budget")
    assert f"Mode {mode}" in shown
    assert "Would go out" in shown
    assert "Goes out" not in shown


def test_numbers_stay_as_they_are(read: Opened, served: Served) -> None:
    """A number that JavaScript cannot hold is shown, copied and loaded from a recent request as it was written."""
    asked = json.dumps({"model": "gemini", "messages": STRAY, "seed": 1}).replace("1}", EXACT + "}")
    answer = httpx.post(f"{served.base_url}/chat/completions", content=asked, trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text
    reader = read(permissions=["clipboard-read", "clipboard-write"])
    reader.open()
    reader.paste(asked.replace('"gemini"', '"gpt"'))
    reader.tab("send")
    assert EXACT in reader.text("#panel-send pre")

    assert f'"seed":{EXACT}' in reader.copied("Copy the body")
    curl = reader.copied("Copy as curl")
    assert f'"seed":{EXACT}' in curl
    assert '"model":"gpt"' in curl
    reader.tab("recent")
    reader.page.click("#recent-list tbody tr:first-child button")
    reader.page.wait_for_selector("#turns .row")
    assert EXACT in reader.page.input_value("#request")


def test_members_of_a_pool(read: Opened, pooled: Served) -> None:
    """Each deployment of a pool has a row, and a link can select it.

    A recent request shows the deployment that answered it.
    """
    asked = {"model": "gemini", "messages": STRAY}
    answer = httpx.post(f"{pooled.base_url}/chat/completions", json=asked, trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text
    reader = read(pooled.origin)
    reader.open()
    reader.paste(asked)
    reader.tab("models")
    rows = "#panel-models tr:has(.target:text-matches('^gemini · '))"
    reader.page.wait_for_selector(rows)
    assert reader.page.locator(rows).count() == 2
    assert reader.page.locator("#panel-models tr.current").count() == 1
    reader.page.click(f"{rows}:not(.current) button")
    reader.page.wait_for_selector('#result:has-text("openai/gpt-4o")')
    assert reader.page.input_value("#target") == "model@4:gemini"
    assert "model%404%3Agemini" in reader.page.url
    again = read(pooled.origin)
    again.open(reader.page.url.partition("/ui")[2])
    again.paste(asked)
    assert "openai/gpt-4o" in again.text("#result")
    reader.tab("recent")
    reader.page.click("#recent-list tbody tr:first-child button")
    reader.page.wait_for_selector('#result:has-text("gemini-3-strict")')
    assert reader.page.input_value("#target") == ""


def test_verdicts_are_of_the_request_that_is_shown(read: Opened) -> None:
    """Late verdicts of an earlier request are dropped, and the page asks for the verdicts of each request once."""
    reader = read()
    held: list[Any] = []
    asked: list[str] = []
    given_up: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.post_data)
        if "slow" in route.request.post_data:
            held.append(route)
        else:
            route.continue_()

    reader.page.on("requestfailed", lambda one: given_up.append(one.url))
    reader.page.route("**/ui/api/verdicts", answer)
    reader.open()
    reader.paste({"model": "gemini", "messages": [user("slow"), tool("x", "stray")]})
    reader.tab("models")
    reader.page.wait_for_selector("#panel-models .waiting")
    reader.tab("history")
    reader.tab("models")
    assert len(asked) == 1
    reader.tab("history")
    reader.paste({"model": "gemini", "messages": [user("fast")]})
    reader.page.wait_for_selector(".verdict-unchanged")
    assert [url.rpartition("/")[2] for url in given_up] == ["verdicts"]
    reader.tab("models")
    row = '#panel-models tr:has(.target:text-is("gemini"))'
    reader.page.wait_for_selector(row)
    reader.tab("history")
    reader.tab("models")

    assert len(asked) == 2
    assert "Unchanged" in reader.text(row)
    assert len(held) == 1


def test_privacy_follows_the_process(read: Opened) -> None:
    """An open page shows that the process has stopped keeping bodies."""
    reader = read()
    reader.open()
    assert "Bodies are kept" in (reader.page.text_content("#privacy") or "")
    kept = {"requests": [], "bounds": {"requests": 200, "mib": 16}, "bodies": False}
    reader.page.route("**/ui/api/recent", lambda route: route.fulfill(json=kept))
    reader.tab("recent")
    reader.page.wait_for_selector("#recent-list .empty")

    assert "Bodies are not kept" in (reader.page.text_content("#privacy") or "")
    assert "Bodies are not kept" in reader.text("#recent-what")


def test_responses_request_is_shown_and_copied_for_its_own_path(read: Opened, pooled: Served) -> None:
    """Items are shown as the messages that they become. A kept request opens with its own field names."""
    result = {"type": "function_call_output", "call_id": "x", "output": "stray"}
    asked = {"model": "gemini", "input": [{"role": "user", "content": "Who?"}, result]}
    answer = httpx.post(f"{pooled.base_url}/responses", json=asked, trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text
    reader = read(pooled.origin, permissions=["clipboard-read", "clipboard-write"])
    reader.open()
    reader.paste(asked)

    assert reader.steps() == ["came", "orphan_drop", "out"]
    reader.tab("send")
    assert "/v1/responses'" in reader.copied("Copy as curl")
    reader.tab("recent")
    reader.page.click("#recent-list tbody tr:first-child button")
    reader.page.wait_for_selector("#turns .row")
    assert '"input"' in reader.page.input_value("#request")
