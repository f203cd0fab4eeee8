"""Tests the inspector's page itself, and its accessibility with axe.

The tests cover tabs, targets, keys, links, the keyboard, both colour schemes, and narrow screens.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.process.running import Served
from tests.support.builders import tool, user
from tests.ui.browsing import NARROW, WIDE
from tests.ui.conftest import KEY, Opened
from tests.ui.histories import BROKEN, HOSTILE, heavy_history, varied_request
from tests.ui.many_keys import many_keys
from tests.ui.minutes import busy_minutes

PAIRING = {"model": "gemini", "messages": BROKEN["pairing"]}
HEAVY = {"model": "small", "messages": heavy_history()}
SHOWN = varied_request()
TABS = ("history", "budget", "models", "send", "recent", "live", "keys")


def ask(served: Served, body: dict[str, Any]) -> None:
    """Send a chat request, which must be answered."""
    answer = httpx.post(f"{served.base_url}/chat/completions", json=body, trust_env=False, timeout=30)
    assert answer.status_code == 200, answer.text


def test_budget_is_a_picture_with_its_numbers(read: Opened) -> None:
    """The budget tab draws two bars, before and after the cut, with the cut part, and names the numbers."""
    reader = read()
    reader.open()
    reader.paste(HEAVY)
    assert "budget" in reader.steps()
    reader.tab("budget")

    assert reader.page.locator("#panel-budget svg[role=img]").count() == 2
    assert reader.page.locator("#panel-budget .part-cut").count() == 1
    drawn = "all => all.map(one => one.textContent).join(' ')"
    shown = reader.text("#panel-budget") + reader.page.eval_on_selector_all("#panel-budget svg text", drawn)
    for words in (
        "Came in",
        "Goes out",
        "Window",
        "12,000",
        "Older rounds 107k",
        "Round dropped",
        "Margin",
        "cut above",
    ):
        assert words in shown


def test_other_models_are_a_table_to_choose_from(read: Opened) -> None:
    """The models tab has a row for each target: configured models and profiles.

    A click on a row shows the history for that target, and puts the target's name into the address.
    """
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": BROKEN["tail"]})
    reader.tab("models")
    reader.page.wait_for_selector("#panel-models table")
    rows = reader.page.locator("#panel-models tbody tr")
    assert rows.count() > 15
    assert "Unchanged" in reader.text('#panel-models tr:has(.target:text-is("gpt"))')
    reader.page.click('#panel-models tr:has(.target:text-is("gpt")) button')
    reader.page.wait_for_selector(".verdict-line .verdict-unchanged")

    assert "target=model%3Agpt" in reader.page.url
    assert reader.page.input_value("#target") == "model:gpt"
    reader.page.select_option("#target", "profile:mistral")
    reader.page.wait_for_selector(".verdict-line .verdict-repaired")


def test_link_reproduces_the_view_without_the_content(read: Opened) -> None:
    """A link reproduces step, layout and target for a reader who pastes the same history. The link holds no content."""
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": [user("A secret."), tool("x", "Another.")]})
    reader.step("orphan_drop")
    reader.page.select_option("#layout", "one")
    reader.page.select_option("#target", "model:gemini")
    address = reader.page.url
    other = read()
    other.open(address.partition("/ui")[2])
    other.paste({"model": "gpt", "messages": [user("A secret."), tool("x", "Another.")]})

    assert "ecret" not in address
    assert other.page.get_attribute("#stages [aria-current]", "data-step") == "orphan_drop"
    assert other.page.input_value("#layout") == "one"
    assert "gemini-3-strict" in other.text("#result")


def test_page_copies_body_command_and_changes(read: Opened) -> None:
    """The page copies the body in the provider's own format, a curl command, and the changes as JSON."""
    reader = read(permissions=["clipboard-read", "clipboard-write"])
    reader.open()
    reader.paste({"model": "gemini", "messages": [user("It's $HOME"), tool("x")]})
    reader.tab("send")

    assert json.loads(reader.copied("Copy the body"))["contents"] == [
        {"role": "user", "parts": [{"text": "It's $HOME"}]}
    ]
    assert [one["step"] for one in json.loads(reader.copied("Copy the changes as JSON"))] == ["orphan_drop"]
    curl = reader.copied("Copy as curl")
    assert f"{reader.origin}/v1/chat/completions" in curl
    assert "<<'TURNRIGHT_BODY'" in curl
    assert "$HOME" in curl


def test_recent_requests_can_be_looked_at(read: Opened, served: Served) -> None:
    """A recent request is in the list.

    Its stored body can be opened. The budget tab then compares the estimate with the provider's token count.
    """
    ask(served, {"model": "gemini", "messages": [user("Who are you?"), tool("x", "stray")]})
    reader = read()
    reader.open("#tab=recent")
    assert "Bodies are kept" in (reader.page.text_content("#privacy") or "")
    reader.page.click("#recent-list tbody tr:first-child button")
    reader.page.wait_for_selector("#turns .row")
    assert "orphan_drop" in reader.steps()
    reader.tab("budget")
    assert "the estimate of" in reader.text("#panel-budget")
    assert "recent" not in reader.page.url


def test_live_is_polled_while_somebody_looks(read: Opened, served: Served) -> None:
    """The page polls the live data on the live tab, less often at the first view, and never on the budget tab."""
    reader = read()
    asked: list[str] = []
    reader.page.on("request", lambda one: asked.append(one.url) if one.url.endswith("/api/live") else None)
    reader.open("#tab=live")
    reader.page.wait_for_selector("#panel-live .chart")
    reader.page.wait_for_timeout(2600)
    seen = len(asked)
    reader.tab("budget")
    reader.page.wait_for_timeout(2600)
    elsewhere = len(asked)
    reader.tab("history")
    reader.page.wait_for_timeout(2600)

    assert 1 <= seen <= 2
    assert elsewhere == seen
    assert len(asked) == seen + 1


def test_charts_tell_what_is_new_to_them(read: Opened) -> None:
    """The charts name error classes and repair steps, and sum up the rare ones as ``Others``.

    Each chart has a text for screen readers.
    """
    reader = read()
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.open("#tab=live")
    reader.page.wait_for_selector("#panel-live .chart")
    shown = reader.text("#panel-live")

    assert "7 in flight" in shown
    for words in ("Rate limit 33", "Timeout 11", "Others", "Orphan drop"):
        assert words in shown
    labels = reader.page.eval_on_selector_all("#panel-live svg", "all => all.map(one => one.ariaLabel)")
    assert len(labels) == 6
    assert all("in the last 10 minutes" in label for label in labels)


def test_key_is_asked_for_and_kept_in_the_tab_alone(read: Opened, locked: Served) -> None:
    """A wrong key is reported. A right key is used from then on, and only sessionStorage holds it."""
    reader = read(locked.origin)
    reader.page.goto(f"{locked.origin}/ui")
    reader.page.wait_for_selector("#key-dialog[open]")
    reader.page.keyboard.type("wrong")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_selector('#key-fault:has-text("not accepted")')
    reader.page.keyboard.type(KEY)
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_selector("body[data-ready]")
    reader.paste(PAIRING)

    assert "Bodies are not kept" in (reader.page.text_content("#privacy") or "")
    assert "pairing" in reader.steps()
    stored = "[JSON.stringify(localStorage), document.cookie, location.href, JSON.stringify(sessionStorage)]"
    local, cookie, address, session = reader.page.evaluate(stored)
    assert KEY not in local + cookie + address
    assert KEY in session
    assert all("401" in fault for fault in reader.faults)
    reader.faults.clear()  # the browser logs every 401 as an error


def test_cancelled_key_leaves_a_word(read: Opened, locked: Served) -> None:
    """A reader who cancels the key's dialog sees that a key is needed, and a button that asks again."""
    reader = read(locked.origin)
    reader.page.goto(f"{locked.origin}/ui")
    reader.page.wait_for_selector("#key-dialog[open]")
    reader.page.keyboard.press("Escape")
    reader.page.wait_for_selector("#start-state .failure")

    assert "A key is needed" in reader.text("#start-state")
    reader.page.click("#start-state button")
    reader.page.wait_for_selector("#key-dialog[open]")
    reader.faults.clear()  # the browser logs every 401 as an error


def test_process_that_is_gone_is_told(read: Opened) -> None:
    """The page reports a process that cannot be reached."""
    reader = read()
    reader.open()
    reader.page.route("**/ui/api/look", lambda route: route.abort())
    reader.paste(PAIRING)

    assert "cannot be reached" in reader.text("#result")
    reader.faults.clear()  # the browser logs every failed request as an error


def test_keyboard_alone_is_enough(read: Opened) -> None:
    """The keyboard alone reaches the skip link, the field, the steps, the turns and the tabs, with a visible focus."""
    reader = read()
    reader.open()
    press = reader.page.keyboard.press
    press("Tab")
    assert reader.focused() == "skip"
    reader.page.focus("#request")
    reader.page.keyboard.insert_text(json.dumps(PAIRING))
    press("Control+Enter")
    reader.page.wait_for_selector("#turns .row")
    reader.page.focus("#tab-history")
    press("Tab")
    press("Tab")
    assert reader.focused() == "came"
    press("ArrowRight")
    assert reader.focused() == "pairing"
    assert reader.page.get_attribute("#stages [aria-current]", "data-step") == "pairing"
    press("End")
    assert reader.focused() == "out"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert reader.page.evaluate(outline) == "solid"
    reader.page.focus("#turns")
    press("ArrowDown")
    assert reader.focused() == "row 0"
    seen = ""
    for _ in range(3):
        press("n")
        seen += reader.text("#turns .row:focus")
    assert "missing_result" in seen
    assert reader.page.evaluate(outline) == "solid"
    reader.page.focus("#tab-history")
    press("ArrowRight")
    assert reader.focused() == "tab-budget"
    assert reader.page.is_visible("#panel-budget")
    press("ArrowLeft")
    press("ArrowLeft")
    assert reader.focused() == "tab-keys"


def test_single_keys_work_anywhere_until_they_are_switched_off(read: Opened) -> None:
    """Single keys select views, steps, changes and the field, and a list names these keys.

    The keys do nothing while somebody writes in a field, or after the user has switched the keys off.
    """
    reader = read()
    reader.open()
    press = reader.page.keyboard.press
    press("/")
    assert reader.focused() == "request"
    press("5")
    assert reader.page.input_value("#request") == "5"
    reader.paste(SHOWN)
    press("l")
    press("l")
    current = "#stages [aria-current]"
    assert reader.page.get_attribute(current, "data-step") == reader.steps()[2]
    press("h")
    assert reader.page.get_attribute(current, "data-step") == reader.steps()[1]
    press("n")
    assert reader.page.locator("#turns .row:focus").count() == 1
    press("ArrowRight")
    assert reader.page.get_attribute(current, "data-step") == reader.steps()[2]
    assert reader.page.locator("#turns .row:focus").count() == 1
    press("2")
    assert reader.page.is_visible("#panel-budget")
    press("?")
    listed = reader.text("#shortcuts[open]")
    for words in ("to the change before", "to the step before", "look at it", "to a view"):
        assert words in listed
    reader.page.uncheck("#shortcuts-single")
    press("Escape")
    reader.page.wait_for_selector("#shortcuts", state="hidden")
    press("6")
    assert reader.page.is_visible("#panel-budget")
    reader.open()
    press("6")
    assert not reader.page.is_visible("#panel-live")


def test_steps_can_be_walked_by_buttons(read: Opened) -> None:
    """Buttons go from the first step to the last and back. At either end the button is disabled."""
    reader = read()
    reader.open()
    reader.paste(SHOWN)
    keys = reader.steps()
    assert reader.page.is_disabled("#previous-step")
    for key in keys[1:]:
        reader.page.click("#next-step")
        assert reader.page.get_attribute("#stages [aria-current]", "data-step") == key
        assert reader.page.locator("#turns .row:not(.row-same):not(.gap)").first.is_visible()
    assert reader.page.is_disabled("#next-step")
    reader.page.click("#previous-step")
    assert reader.page.get_attribute("#stages [aria-current]", "data-step") == keys[-2]


def test_request_can_be_folded_away(read: Opened) -> None:
    """When a result is shown, the request's field is hidden, and the result uses the whole width.

    The target can still be chosen, and a key brings the request's field back.
    """
    reader = read()
    reader.open()
    width = "document.getElementById('main').clientWidth"
    before = reader.page.evaluate(width)
    reader.paste(SHOWN)
    assert reader.page.evaluate(width) > before + 200
    assert not reader.page.is_visible("#request")
    assert f"{len(SHOWN['messages'])} messages" in reader.text("#source-facts")
    reader.page.select_option("#target", "model:gpt")
    reader.page.wait_for_selector('#result:has-text("openai/gpt-4o")')
    assert not reader.page.is_visible("#request")
    reader.page.keyboard.press("Escape")
    reader.page.evaluate("document.activeElement.blur()")
    reader.page.keyboard.press("/")
    assert reader.focused() == "request"
    assert reader.page.evaluate(width) == before


def test_colours_can_be_chosen(read: Opened) -> None:
    """The page starts with the system's colour scheme.

    The reader's choice replaces it, also after a reload.
    """
    reader = read(color_scheme="dark")
    reader.open()
    back = "getComputedStyle(document.body).backgroundColor"
    dark = reader.page.evaluate(back)
    reader.page.click("#theme")
    light = reader.page.evaluate(back)
    reader.open()

    assert dark == "rgb(20, 23, 28)"
    assert light == "rgb(246, 247, 249)"
    assert reader.page.evaluate(back) == light


@pytest.mark.each_value
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing_serious(
    read: Opened, served: Served, axe: Path, pictures: Path, scheme: str, viewport: dict[str, int]
) -> None:
    """``axe`` finds nothing serious in any tab, empty or filled, in each scheme and width.

    Nothing is wider than the window.
    """
    reader = read(color_scheme=scheme, viewport=viewport)
    size = "wide" if viewport == WIDE else "narrow"

    def look(name: str) -> None:
        reader.page.screenshot(path=pictures / f"{name}-{size}-{scheme}.png", full_page=name != "live")
        assert reader.judge(axe) == [], name
        assert reader.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name

    ask(served, SHOWN)
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=many_keys()))
    reader.open()
    look("empty")
    reader.page.evaluate("document.getElementById('shortcuts').showModal()")
    look("shortcuts")
    reader.page.keyboard.press("Escape")
    reader.paste(HOSTILE)
    look("refused")
    reader.paste(SHOWN)
    for key in ("came", "pairing", "out"):
        reader.step(key)
        look(key)
    reader.paste(HEAVY)
    for tab in TABS[1:]:
        reader.tab(tab)
        reader.page.wait_for_selector(_FILLED[tab])
        look(tab)


_FILLED = {
    "budget": "#panel-budget table",
    "models": "#panel-models table",
    "send": "#panel-send pre",
    "recent": "#recent-list :is(table, .empty)",
    "live": "#panel-live .chart",
    "keys": "#keys-list table",
}
