"""Tests histories in the inspector's page: pasted, dropped, read step by step, and hostile ones that must not run."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.support.builders import assistant, call, image, text, tool, user
from tests.ui.browsing import NARROW
from tests.ui.conftest import Opened
from tests.ui.histories import BROKEN, HOSTILE, KNOWN, long_history


@pytest.mark.parametrize("step", BROKEN)
def test_each_step_shows_what_it_changed(read: Opened, step: str) -> None:
    """The page lists a step that changed the history.

    The view of this step marks a turn with the rule and the reason.
    """
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": BROKEN[step]})
    assert step in reader.steps()
    reader.step(step)

    notes = reader.page.query_selector_all("#turns .note, #beside .note")
    assert notes
    assert all(note.query_selector("code") and note.query_selector(".why") for note in notes)
    assert reader.page.query_selector("#turns .row:not(.row-same) .card .state")


def test_every_known_history_can_be_walked_through(read: Opened) -> None:
    """For each known history of a real client, every stage of the repair shows at least one turn."""
    reader = read()
    reader.open()
    for known in KNOWN:
        reader.paste({"model": "gemini", "messages": known["messages"]})
        for key in reader.steps():
            reader.step(key)
            assert reader.page.query_selector("#turns .row"), (known["id"], key)


def test_findings_stand_at_their_turn_in_the_providers_words(read: Opened) -> None:
    """The view of the received history marks the turn that a provider would refuse.

    The view quotes the provider's error text and names the source of the quotation.
    """
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": BROKEN["orphan_drop"]})

    row = reader.page.locator('#turns .row[aria-label^="messages[1]"]')
    assert row.get_attribute("class") == "row row-faulty"
    assert "orphaned_result" in row.inner_text()
    assert "must be a response to a preceeding message" in row.locator("q").inner_text()
    assert row.locator("cite").inner_text().strip() == "autogen#3178"


def test_calls_are_tied_to_their_results(read: Opened) -> None:
    """Calls and results are linked by number, colour and line.

    The page names a call without a result and a result without a call.
    """
    messages = [
        user(),
        assistant(calls=[call("a"), call("b", "g"), call("lost")]),
        tool("b"),
        tool("a"),
        tool("nobody"),
        user(),
    ]
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": messages})

    def row(index: int) -> str:
        return f'#turns .row[aria-label^="messages[{index}]"]'

    assert "answers call 2" in reader.text(row(2))
    assert "answers call 1" in reader.text(row(3))
    assert "answers no call" in reader.text(row(4))
    assert "no result" in reader.text(f"{row(1)} .call:nth-of-type(4)")
    assert reader.page.locator(f"{row(1)} .part-start").count() == 2
    assert reader.page.locator(f"{row(2)} .part-end.hue-1").count() == 1
    assert reader.page.locator(f"{row(2)} .part-through.hue-0").count() == 1


def test_signatures_and_media_are_told_as_facts(read: Opened) -> None:
    """The page shows the place and size of signatures and images, and never their bytes."""
    signed = call("a", extra_content={"google": {"thought_signature": "U0lHTkVE" * 100}})
    media = [text("See:"), image(), image("https://elsewhere.invalid/x.png")]
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": [user(media), assistant(calls=[signed]), tool("a"), user()]})

    shown = reader.text("#turns")
    assert "800 characters · tool_calls[0].extra_content.google.thought_signature" in shown
    assert "image/png · 70 B" in shown
    assert "https://elsewhere.invalid/x.png (not fetched)" in shown
    assert "U0lHTkVE" not in shown
    assert reader.page.locator("#turns img").count() == 0


def test_hostile_history_runs_nothing(read: Opened) -> None:
    """Markup, handlers and addresses of a history stay text in every stage and every tab."""
    reader = read()
    reader.open()
    reader.paste(json.dumps(HOSTILE))
    for key in reader.steps():
        reader.step(key)
        assert "<script>globalThis.ran" in reader.text("#turns")
    for tab in ("budget", "models", "send", "recent", "live"):
        reader.tab(tab)
        reader.page.wait_for_timeout(200)

    assert reader.page.evaluate("globalThis.ran") is None
    assert reader.page.locator("main :is(script, img, iframe, style, a, object, embed)").count() == 0


def test_refusal_stands_at_its_message(read: Opened) -> None:
    """A refusal by turnright is shown at the top, and at the message that the refusal names.

    The page shows no outgoing request.
    """
    reader = read()
    reader.open()
    reader.paste({"model": "gemini", "messages": [user(), user([image("data:image/svg+xml,x")])]})

    assert "nothing is sent" in reader.text("#result")
    assert "turnright refuses it" in reader.text('#turns .row[aria-label^="messages[1]"]')
    assert "As it goes out" not in reader.text("#stages")


def test_example_is_there_to_begin_with(read: Opened) -> None:
    """A press on the first example shows a history with its steps."""
    reader = read()
    reader.open()
    reader.page.click("#examples button >> nth=0")
    reader.page.wait_for_selector("#turns .row")

    assert "pairing" in reader.steps()
    assert "weather" in reader.page.input_value("#request")


def test_hostile_target_in_the_address_runs_nothing(read: Opened) -> None:
    """Markup in the address's fragment does not run, and an unknown target is reported.

    This protects users, since anybody can write such a link.
    """
    reader = read()
    reader.open("#tab=models&target=model:%3Cimg%20src=x%20onerror=ran=1%3E&step=%22%3E%3Cscript%3E&recent=")
    reader.paste(BROKEN["tail"])

    assert "Not known here." in reader.text("#result")
    assert reader.page.evaluate("globalThis.ran") is None
    assert [fault for fault in reader.faults if "404" not in fault] == []
    reader.faults.clear()  # the browser logs every 404 as an error


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "Paste a request"),
        ('{"messages": [', "This is not JSON"),
        ('{"messages": "no"}', "neither a list of messages"),
        ("3", "neither a list of messages"),
    ],
)
def test_what_is_no_request_is_told_beside_the_field(read: Opened, given: str, said: str) -> None:
    """Text in the field that is no request causes an error message, and the field is marked as invalid."""
    reader = read()
    reader.open()
    reader.page.fill("#request", given)
    reader.page.click("#look")

    assert said in reader.text("#request-fault")
    assert reader.page.get_attribute("#request", "aria-invalid") == "true"


def test_file_can_be_opened_and_dropped(read: Opened, tmp_path: Path) -> None:
    """The page shows the history of a request file that is chosen, or dropped on the page."""
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "gemini", "messages": BROKEN["pairing"]}))
    reader = read()
    reader.open()
    reader.page.set_input_files("#file", path)
    reader.page.wait_for_selector("#turns .row")
    reader.page.click("summary")
    reader.page.click("#clear")
    reader.page.wait_for_selector("#history-none:not([hidden])")
    dropped = reader.page.evaluate_handle(
        "text => { const held = new DataTransfer();"
        "held.items.add(new File([text], 'request.json', {type: 'application/json'})); return held; }",
        path.read_text(),
    )
    reader.page.dispatch_event("body", "drop", {"dataTransfer": dropped})
    reader.page.wait_for_selector("#turns .row")

    assert "pairing" in reader.steps()


@pytest.mark.parametrize("viewport", [None, NARROW], ids=["wide", "narrow"])
def test_ten_thousand_messages_do_not_freeze_it(
    read: Opened, tmp_path: Path, viewport: dict[str, int] | None
) -> None:
    """A history of 10,000 messages shows few rows at a time, and no task blocks the page for long."""
    path = tmp_path / "long.json"
    path.write_text(json.dumps({"model": "gemini", "messages": long_history(10_000)}))
    reader = read(**({"viewport": viewport} if viewport else {}))
    reader.open()
    reader.page.evaluate(
        "globalThis.longest = 0; new PerformanceObserver(list => { for (const one of list.getEntries()) "
        "longest = Math.max(longest, one.duration); }).observe({type: 'longtask'})"
    )
    began = time.monotonic()
    reader.page.set_input_files("#file", path)
    reader.page.wait_for_selector("#turns .row", timeout=60_000)
    seconds = time.monotonic() - began
    assert "messages[0]" in reader.text("#turns")
    gaps = reader.page.evaluate(_SCROLL)
    rows = []
    for _ in range(3):
        for share in (0.3, 0.9, 0.1, 1):
            reader.page.evaluate("share => scrollTo(0, document.body.scrollHeight * share)", share)
            reader.page.wait_for_timeout(60)
            rows.append(reader.page.locator("#turns .row").count())
    reader.page.focus("#turns .row >> nth=0")
    reader.page.keyboard.press("End")
    assert "messages[9999]" in reader.text("#turns .row:focus")
    reader.page.keyboard.press("Home")
    assert "messages[0]" in reader.text("#turns .row:focus")
    reader.step("orphan_drop")
    assert "nobody asked for this" in reader.text("#turns .row-removed >> nth=0")
    reader.page.click("#next-change")
    assert "row" in reader.focused()

    assert max(rows) < 120
    assert min(rows) > 0
    assert reader.page.evaluate("longest") < 2000  # milliseconds, with room for a busy machine
    assert max(gaps) < 1000
    assert seconds < 20


_SCROLL = """() => new Promise(done => {
  const gaps = []; let last = performance.now();
  const step = now => {
    gaps.push(now - last); last = now;
    if (gaps.length === 60) return done(gaps);
    scrollTo(0, document.body.scrollHeight * gaps.length / 60);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""
"""A script that scrolls from the top to the bottom, and resolves to the milliseconds between frames."""
