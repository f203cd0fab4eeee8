"""Uses the inspector's page in a real browser as a user does, and records faults that must not happen."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.process.running import ROOT

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = ROOT / ".venv" / "clients-node" / "node_modules" / "axe-core" / "axe.min.js"

WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def find_chromium() -> str | None:
    """Return the browser's path: ``TURNRIGHT_CHROMIUM``, or the first that is installed."""
    named = os.environ.get("TURNRIGHT_CHROMIUM")
    return named or next(filter(None, map(shutil.which, CHROMIUM)), None)


def find_axe() -> Path | None:
    """Return axe's script: ``TURNRIGHT_AXE``, or the one that ``make`` has fetched from npm."""
    path = Path(os.environ.get("TURNRIGHT_AXE", AXE))
    return path if path.is_file() else None


_OVERLAPS = """([rows, cells]) => [...document.querySelectorAll(rows)].flatMap((row) => {
  const boxes = [...row.querySelectorAll(cells)].filter((cell) => cell.offsetParent).map((cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const parts = [...range.getClientRects()].filter((one) => one.width && one.height);
    // What a cell clips does not lie over its neighbour.
    const clip = cell.querySelector(".clip")?.getBoundingClientRect();
    const clipped = (one) => clip && one.top >= clip.top - 1 && one.bottom <= clip.bottom + 1;
    const right = Math.max(...parts.map((one) => (clipped(one) ? Math.min(one.right, clip.right) : one.right)));
    return { text: cell.innerText, left: Math.min(...parts.map((one) => one.left)), right,
      top: Math.min(...parts.map((one) => one.top)), bottom: Math.max(...parts.map((one) => one.bottom)) };
  }).filter((box) => box.text.trim());
  const meet = (one, other, start, end) => one[start] < other[end] - 0.5 && other[start] < one[end] - 0.5;
  return boxes.flatMap((one, at) => boxes.slice(at + 1).filter((other) =>
    meet(one, other, "left", "right") && meet(one, other, "top", "bottom")
  ).map((other) => `${one.text} / ${other.text}`));
})"""
"""A script that finds cells whose drawn contents overlap. The cells themselves never overlap."""


class Reader:
    """A user of the page, whose actions are methods.

    *faults* holds the browser's errors and warnings, dialogs, and requests to other origins.
    """

    def __init__(self, page: Any, origin: str) -> None:
        self.page, self.origin = page, origin
        self.faults: list[str] = []
        page.on(
            "console",
            lambda said: self.faults.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", self._refuse)
        page.on("request", self._watch)

    def _refuse(self, dialog: Any) -> None:
        self.faults.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def _watch(self, request: Any) -> None:
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.faults.append(f"asked elsewhere: {request.url}")

    def open(self, fragment: str = "") -> None:
        """Open the page anew and wait until the page has loaded its data."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.origin}/ui{fragment}")
        self.page.wait_for_selector("body[data-ready]")

    def copied(self, label: str, within: str = "#panel-send") -> str:
        """Press the button with the text *label*, and return the text that the button copied to the clipboard."""
        self.page.click(f'{within} button:text-is("{label}")')
        self.page.wait_for_selector(f'{within} button:text-is("Copied")')
        self.page.wait_for_selector(f'{within} button:text-is("{label}")')
        text: str = self.page.evaluate("navigator.clipboard.readText()")
        return text

    def paste(self, request: Mapping[str, Any] | list[Any] | str) -> None:
        """Put a request into the field, submit it, and wait until the page shows the result."""
        if not self.page.is_visible("#request"):
            self.page.click("summary")
        self.page.fill("#request", request if isinstance(request, str) else json.dumps(request))
        self.page.click("#look")
        self.page.wait_for_selector("#result[aria-busy=false] > *")

    def tab(self, name: str) -> None:
        """Open a tab by its id."""
        self.page.click(f"#tab-{name}")
        self.page.wait_for_selector(f"#panel-{name}:not([hidden])")

    def steps(self) -> list[str]:
        """Return the keys of all stages that the page shows for a history."""
        found: list[str] = self.page.eval_on_selector_all(
            "#stages [data-step]", "all => all.map(one => one.dataset.step)"
        )
        return found

    def step(self, key: str) -> None:
        """Select one stage and wait until it is the current one."""
        self.page.click(f'#stages [data-step="{key}"]')
        self.page.wait_for_selector(f'#stages [data-step="{key}"][aria-current=step]')

    def text(self, selector: str) -> str:
        """Return the visible text of the element that *selector* matches."""
        shown: str = self.page.inner_text(selector)
        return shown

    def overlaps(self, row: str, cells: str) -> list[str]:
        """Return the pairs of *cells* in each *row* whose contents overlap."""
        found: list[str] = self.page.evaluate(_OVERLAPS, [row, cells])
        return found

    def focused(self) -> str:
        """Return the id of the focused element, or the name of its step, or its row number."""
        found: str = self.page.evaluate(
            "(() => { const one = document.activeElement; "
            "return one.id || one.dataset.step || `row ${one.dataset.row}`; })()"
        )
        return found

    def judge(self, axe: Path) -> list[str]:
        """Return the serious and critical findings of axe."""
        self.page.evaluate(axe.read_text("utf-8"))
        result = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{finding['id']}: {finding['nodes'][0]['target']} {finding['nodes'][0]['failureSummary']}"
            for finding in result["violations"]
            if finding["impact"] in ("serious", "critical")
        ]
