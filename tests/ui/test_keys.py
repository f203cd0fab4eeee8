"""Tests the table of keys on the inspector's page: what it says, and who gets it."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.ui.browsing import Reader
from tests.ui.conftest import KEY, Opened, configure
from tests.ui.many_keys import many_keys, row

CLIENT = "sk-of-a-client"


def give_key(reader: Reader, key: str) -> None:
    """Open the page and give it *key*. The browser logs the first 401 as an error."""
    reader.page.goto(f"{reader.origin}/ui")
    reader.page.wait_for_selector("#key-dialog[open]")
    reader.page.keyboard.type(key)
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_selector("body[data-ready]")
    reader.faults.clear()


def shown(reader: Reader, name: str) -> str:
    """Return the text of the row of the key or team called *name*, with single spaces."""
    return " ".join(reader.text(f'#keys-list tr:has(.target:text-is("{name}"))').split())


def test_master_key_sees_the_spend_of_each_key(read: Opened, directory: Path, gemini: Gemini) -> None:
    """A client's own key has no such view: neither the tab, nor the data under the view's address."""
    keys = [
        {
            "name": "ci",
            "key": CLIENT,
            "team": "blue",
            "max_budget": 5,
            "budget_duration": "1mo",
            "rpm_limit": 9,
        }
    ]
    config = configure(gemini.api_base, master_key=KEY, keys=keys, teams=[{"name": "blue", "max_budget": 7}])
    with serve(directory, config) as served:
        body = {"model": "gemini", "messages": [{"role": "user", "content": "Who are you?"}]}
        answer = httpx.post(
            f"{served.base_url}/chat/completions",
            json=body,
            headers={"Authorization": f"Bearer {CLIENT}"},
            trust_env=False,
            timeout=30,
        )
        cost = float(answer.headers["x-turnright-cost"])
        reader, other = read(served.origin), read(served.origin)
        give_key(reader, KEY)
        reader.tab("keys")
        reader.page.wait_for_selector("#keys-list table")
        give_key(other, CLIENT)
        other_sees = other.page.is_visible("#tab-keys")
        other.page.evaluate("location.hash = '#tab=keys'")
        other.page.wait_for_selector("#keys-list .failure")
        told = other.text("#keys-list")
        other.faults.clear()  # the browser logs the 403 as an error
        ci, blue = shown(reader, "ci"), shown(reader, "blue")

    assert cost > 0
    assert "1 key in 1 team" in reader.text("#keys-what")
    assert "team blue" in ci
    assert [float(sum_) for sum_ in re.findall(r"\$(0\.0\d+)", ci)] == [pytest.approx(cost, rel=0.01)]
    assert "of $5.00" in ci
    assert "9 requests a minute" in ci
    assert "of $7.00" in blue
    assert not other_sees
    assert "master key" in told


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "night-shift",
            ["team blue", "12,345", "98,765,432", "$20.50 in 2026-11", "$0.25 reserved", "$4.25 of $25.00"],
        ),
        ("night-shift", ["anew in 3 days", "60 requests a minute", "200,000 tokens a minute", "8 at once"]),
        ("ci", ["until 2027-01-31", "$0.00421 in 2026-11", "$0.0001 estimated", "no limit", "none"]),
        ("old", ["expired", "in all", "$1.00 of $1.00"]),
        ("hourly", ["$0.53 in 1h", "$0.00 of $0.50", "anew in 2 minutes"]),
        ("green", ["1,000,000 tokens a minute", "no limit"]),
        ("blue", ["$179.50 of $200.00", "in all"]),
    ],
)
def test_a_row_says_what_is_used_and_what_is_left(read: Opened, name: str, words: list[str]) -> None:
    reader = read()
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=many_keys()))
    reader.open("#tab=keys")
    reader.page.wait_for_selector("#keys-list table")
    found = shown(reader, name)

    assert [word for word in words if word not in found] == []
    assert reader.page.locator("#keys-list meter").count() == 4


def test_without_keys_all_requests_are_one_row(read: Opened) -> None:
    reader = read()
    told = {"master": row(None, spend=2.5, requests=9), "keys": [], "teams": []}
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=told))
    reader.open("#tab=keys")
    reader.page.wait_for_selector("#keys-list table")

    assert "No keys are configured" in reader.text("#keys-what")
    assert "$2.50" in shown(reader, "all requests")


def test_refresh_asks_again_and_a_failure_is_told(read: Opened, plain: Served) -> None:
    reader = read(plain.origin)
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=many_keys()))
    reader.open("#tab=keys")
    reader.page.wait_for_selector('#keys-list .target:text-is("ci")')
    new = {**many_keys(), "keys": [row("new")], "teams": []}
    reader.page.route("**/ui/api/keys", lambda route: route.fulfill(json=new))
    reader.page.click("#refresh-keys")
    reader.page.wait_for_selector('#keys-list .target:text-is("new")')
    assert reader.text("#keys-what").startswith("1 key.")

    reader.page.route("**/ui/api/keys", lambda route: route.abort())
    reader.page.click("#refresh-keys")
    reader.page.wait_for_selector("#keys-list .failure")
    assert "cannot be reached" in reader.text("#keys-list")
    reader.faults.clear()  # the browser logs every failed request as an error
