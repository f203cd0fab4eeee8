"""Tests the layout of the inspector's page: the first view is complete, no cells overlap, and numbers agree."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support.builders import tool, user
from tests.ui.browsing import NARROW, WIDE
from tests.ui.conftest import Opened
from tests.ui.histories import varied_request
from tests.ui.many_keys import many_keys
from tests.ui.minutes import busy_minutes

MIDDLE = {"width": 1000, "height": 800}
SIZES = pytest.mark.parametrize("viewport", [WIDE, MIDDLE, NARROW], ids=["wide", "middle", "narrow"])
NO_TIME = "\u2013"
LONG = "a-model-that-nobody-has-configured-with-quite-a-long-name/2026-11-23-preview"


def recent_requests() -> dict[str, Any]:
    """Return an answer of ``/ui/api/recent`` with long names, many changes and large numbers."""
    names = ("turns", "tools", "shape", "orphan_drop", "role_merge", "user_prepend", "pairing", "budget")
    entry: dict[str, Any] = {
        "id": "req_0123456789abcdef0123456789abcdef",
        "at": 1_800_000_000.0,
        "route": "/v1/chat/completions",
        "model": "gemini",
        "deployment": "gemini/gemini-2.5-flash-preview-09-2025-with-more",
        "status": 200,
        "outcome": "upstream_unreachable",
        "stream": True,
        "messages": 1_234,
        "changes": ",".join(f"{name}=123" for name in names),
        "attempts": 3,
        "duration_ms": 123_456.7,
        "overhead_ms": 1_234.5,
        "input_tokens": 1_234_567,
        "output_tokens": 123_456,
        "estimate": 1_334_567,
        "estimate_at_most": None,
        "has_body": True,
    }
    refused = {**entry, "model": "unknown", "asked_model": "gemini", "deployment": None}
    unknown = {**refused, "asked_model": LONG, "status": 404, "outcome": "model_not_found"}
    wildcard = {**entry, "model": "gemini/*", "asked_model": "gemini/gemini-2.5-pro"}
    left_out = {**refused, "model": "slow", "asked_model": None, "outcome": "model_unavailable"}
    unread = {**refused, "status": 400, "outcome": "invalid_request"}
    nameless = {**unread, "asked_model": None}
    bounds = {"requests": 200, "mib": 16}
    requests = [entry, unknown, wildcard, left_out, unread, nameless]
    return {"requests": requests, "bounds": bounds, "bodies": True}


@SIZES
def test_first_view_has_address_models_and_rate(read: Opened, viewport: dict[str, int]) -> None:
    """The base URL and the request rate are visible without scrolling, and an example is listed once."""
    reader = read(viewport=viewport, permissions=["clipboard-read", "clipboard-write"])
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.open()
    reader.page.wait_for_selector("#first-chart svg")
    rate = sum(bucket["requests"] for bucket in busy_minutes()["buckets"][-12:])

    assert reader.text("#base-url") == f"{reader.origin}/v1"
    assert reader.copied("Copy", "#base-copy") == f"{reader.origin}/v1"
    assert "No key is asked for" in reader.text("#base-key")
    assert reader.text("#first-chart .now") == f"{rate} in the last minute"
    names = reader.page.locator("#first-models code").all_inner_texts()
    assert names == ["gemini", "small", "claude", "gpt"]
    assert "openai/gpt-4o" in reader.text("#first-models")
    for selector in ("#base-url", "#base-copy button", "#first-chart .now"):
        box = reader.page.locator(selector).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= viewport["height"], selector
    assert reader.page.locator("text=A call without its result").count() == 1
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_many_models_are_not_all_listed(read: Opened) -> None:
    """The first view lists 12 of 40 models, and the number of the others."""
    reader = read()
    deployments = [{"position": 0, "model": "openai/gpt-4o", "profile": "openai", "transport": "direct"}]
    models = [{"name": f"m{number}", "deployments": deployments * 2} for number in range(40)]
    told = {"models": models, "profiles": [], "bodies": False, "version": "0"}
    reader.page.route("**/ui/api/models", lambda route: route.fulfill(json=told))
    reader.open()

    assert reader.page.locator("#first-models code").count() == 12
    assert "and 28 others" in reader.text("#first-models")
    assert "openai/gpt-4o and 1 other" in reader.text("#first-models")


@SIZES
def test_steps_are_one_line(read: Opened, viewport: dict[str, int]) -> None:
    """The repair steps are on one line. A wide window shows all steps, and each window shows the current step."""
    reader = read(viewport=viewport)
    reader.open()
    reader.paste(varied_request())
    reader.step("out")
    tops = "all => [...new Set(all.map(one => one.offsetTop))]"

    assert len(reader.steps()) == 10
    assert len(reader.page.eval_on_selector_all("#stages li", tops)) == 1
    edges = """() => ["#stages", "#stages [aria-current]"].map((one) => {
      const box = document.querySelector(one).getBoundingClientRect();
      return [box.left, box.right];
    })"""
    (left, right), (start, end) = reader.page.evaluate(edges)
    assert left <= start
    assert end <= right + 1
    if viewport == WIDE:
        scroll = (
            "document.getElementById('stages').scrollWidth <= document.getElementById('stages').clientWidth"
        )
        assert reader.page.evaluate(scroll)


@SIZES
def test_columns_never_overlap(read: Opened, viewport: dict[str, int]) -> None:
    """The contents of neighbouring cells never overlap, however long the names are."""
    reader = read(viewport=viewport)
    reader.page.route("**/ui/api/recent", lambda route: route.fulfill(json=recent_requests()))
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=many_keys()))
    reader.open("#tab=recent")
    reader.page.wait_for_selector("#recent-list table")
    assert reader.overlaps("#recent-list tbody tr", "th, td") == []
    reader.tab("live")
    reader.page.wait_for_selector(".by-model")
    assert reader.overlaps(".by-model tbody tr", "th, td") == []
    reader.tab("keys")
    reader.page.wait_for_selector("#keys-list table")
    assert reader.overlaps("#keys-list tbody tr", "th, td") == []
    reader.paste(varied_request())
    reader.tab("models")
    reader.page.wait_for_selector("#panel-models table")
    assert reader.overlaps("#panel-models tbody tr", "th, td") == []
    assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_recent_request_names_the_model_that_was_asked_for(read: Opened) -> None:
    """The list of recent requests shows the requested model, even if the model is not configured."""
    reader = read()
    reader.page.route("**/ui/api/recent", lambda route: route.fulfill(json=recent_requests()))
    reader.open("#tab=recent")
    reader.page.wait_for_selector("#recent-list table")
    names = reader.page.locator("#recent-list tbody tr td:nth-child(2)").all_inner_texts()
    known, unknown, wildcard, left_out, unread, nameless = names

    assert known.startswith("gemini\ngemini/gemini-2.5-flash")
    assert unknown == f"{LONG}\nnot configured · /v1/chat/completions"
    assert wildcard.startswith("gemini/gemini-2.5-pro\ngemini/* · ")
    assert left_out == "slow\nits variable is not set · /v1/chat/completions"
    assert unread == "gemini\n/v1/chat/completions"
    assert nameless == "\N{EN DASH}\n/v1/chat/completions"


@pytest.mark.parametrize("target", ["model:gemini", "model:gpt", "profile:anthropic-strict"])
def test_numbers_of_the_verdict_are_those_of_the_list(read: Opened, target: str) -> None:
    """The verdict, the list of steps and the turns' notes show the same numbers of findings and of changes."""
    reader = read()
    reader.open()
    reader.page.select_option("#target", target)
    reader.paste(varied_request())
    found, changes = (
        int(number) for number in re.findall(r"(\d+) (?:finding|change)", reader.text("#result"))
    )
    notes = "#panel-history .note"

    reader.step("came")
    assert reader.page.locator(notes).count() == found
    assert reader.text('[data-step="came"] .badge').split()[0] == str(found)
    reader.step("out")
    assert reader.page.locator(notes).count() == changes
    assert reader.text('[data-step="out"] .badge').split()[0] == str(changes)
    assert f"{changes} changes" in reader.text("#stage-count")


def test_provider_is_named_beside_its_words(read: Opened) -> None:
    """Findings and changes name the provider whose words they quote.

    A rule in turnright's own words is not attributed to a provider.
    """
    reader = read()
    reader.open()
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    stray = [user("Who?"), tool("x", "stray"), legacy, {"role": "function", "name": "f", "content": "1"}]
    reader.paste({"model": "gemini", "messages": stray})
    reader.step("came")
    shown = reader.text("#turns")
    assert "OpenAI says: messages with role 'tool'" in shown
    assert "The rule: role 'function' and 'function_call' have no place on this wire" in shown
    reader.step("orphan_drop")
    assert "Without it OpenAI says: messages with role 'tool'" in reader.text("#turns")


def test_sent_body_is_on_the_providers_wire(read: Opened) -> None:
    """For Gemini and Claude, the page shows the path and the body of the provider's own API.

    For a model that is called through litellm, the page names litellm and shows the body in OpenAI's format.
    """
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": [user("Who?")]})
    reader.tab("send")
    assert "Gemini's own format, as it is sent" in reader.text("#send-wire")
    assert "POST …/models/gemini-3.6-flash:generateContent" in reader.text("#send-wire")
    sent = json.loads(reader.text("#panel-send pre"))
    assert sent["contents"] == [{"role": "user", "parts": [{"text": "Who?"}]}]
    reader.page.select_option("#target", "model:claude")
    reader.page.wait_for_selector('#send-wire:has-text("Anthropic\'s Messages API, as it is sent")')
    assert "POST https://api.anthropic.com/v1/messages" in reader.text("#send-wire")
    sent = json.loads(reader.text("#panel-send pre"))
    assert sent["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Who?"}]}]
    reader.page.select_option("#target", "model:gpt")
    reader.page.wait_for_selector('#send-wire:has-text("litellm")')
    assert "openai" in reader.text("#send-wire")
    assert json.loads(reader.text("#panel-send pre"))["messages"] == [{"role": "user", "content": "Who?"}]


def test_live_names_its_windows_and_has_times_by_model(read: Opened) -> None:
    """Every chart of the live tab names its time window.

    Each model is listed with its errors by class, its latency and its time to the first token.
    """
    reader = read()
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.open("#tab=live")
    reader.page.wait_for_selector("#panel-live .chart")
    windows = reader.page.locator("#panel-live .chart .when").all_inner_texts()
    rows = reader.page.locator(".by-model tbody tr").all_inner_texts()

    assert windows == ["in the last minute", *["in the last 10 minutes"] * 5]
    assert "By model, in the last 10 minutes" in reader.text("#panel-live")
    first = " ".join(rows[0].split())
    assert first == "gemini 2,000 Rate limit 33 Timeout 11 1403 ms 95 %: 12.9 s 402 ms 95 %: 1205 ms"
    assert " ".join(rows[2].split()) == f"unknown 3 Model not found 3 {NO_TIME} {NO_TIME}"
