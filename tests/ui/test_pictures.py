"""Tests that draw the documentation's pictures from the page; ``make pictures`` puts the pictures into docs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.process.running import Served
from tests.test_pictures import MAX_OCTETS
from tests.ui.browsing import Reader
from tests.ui.conftest import Opened
from tests.ui.histories import heavy_history, small_request, varied_request
from tests.ui.minutes import busy_minutes

WIDTH, HEIGHT, TALL = 1240, 860, 1070
SCALE = 1.25
COLOURS = 160


def _history(reader: Reader) -> None:
    reader.paste(json.dumps(small_request(), indent=2))
    reader.step("out")
    reader.page.evaluate("scrollTo(0, 0)")


def _words(reader: Reader) -> None:
    reader.paste(json.dumps(varied_request(), indent=2))


def _budget(reader: Reader) -> None:
    reader.paste(json.dumps({"model": "small", "messages": heavy_history()}, indent=2))
    reader.tab("budget")


def _models(reader: Reader) -> None:
    reader.paste(json.dumps(varied_request(), indent=2))
    reader.tab("models")
    reader.page.wait_for_selector("#panel-models table")


def _live(reader: Reader) -> None:
    reader.page.route("**/ui/api/live", lambda route: route.fulfill(json=busy_minutes()))
    reader.tab("live")
    reader.page.wait_for_selector("#panel-live .chart")


SCENES: dict[str, tuple[Callable[[Reader], None], str, int]] = {
    "history": (_history, "light", TALL),
    "words": (_words, "light", HEIGHT),
    "budget": (_budget, "light", HEIGHT),
    "models": (_models, "light", HEIGHT),
    "live": (_live, "dark", HEIGHT),
}


@pytest.mark.parametrize("name", SCENES)
def test_picture_is_drawn_and_small(read: Opened, plain: Served, pictures: Path, name: str) -> None:
    """Every picture is drawn with 160 colours, which shrink its file to a third. The file is below ``MAX_OCTETS``."""
    image: Any = pytest.importorskip("PIL.Image", reason="Pillow is not installed: make pictures")
    prepare, scheme, height = SCENES[name]
    view = {"width": WIDTH, "height": height}
    reader = read(plain.origin, viewport=view, device_scale_factor=SCALE, color_scheme=scheme)
    reader.open()
    prepare(reader)
    reader.page.mouse.move(0, 0)
    reader.page.evaluate("document.activeElement.blur(); document.getElementById('request').scrollTop = 0")
    shot = image.open(io.BytesIO(reader.page.screenshot(animations="disabled"))).convert("RGB")
    path = pictures / f"{name}.png"
    shot.quantize(COLOURS, dither=image.Dither.NONE).save(path, optimize=True)

    assert path.stat().st_size < MAX_OCTETS
