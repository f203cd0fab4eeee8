"""Tests that media are estimated by their kind and size, never by the letters of their base64."""

from __future__ import annotations

from base64 import b64encode

import pytest

from sanitizers.budget.estimate import Estimator
from sanitizers.budget.families import (
    CLAUDE_3,
    CLAUDE_48,
    FAMILIES,
    GEMINI,
    O200K,
    O200K_4O_MINI,
    O200K_MINI,
    O200K_NANO,
    Family,
)
from tests.support.builders import image, tool, user


def png(width: int, height: int) -> str:
    """Return a data URL that begins as a PNG of this size."""
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big")
    return "data:image/png;base64," + b64encode(header + bytes(60_000)).decode()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_an_image_never_counts_as_its_base64(family: Family) -> None:
    """An image's cost does not depend on the size of its data URL."""
    small, large = (user([image("data:image/jpeg;base64," + "Zm9v" * n)]) for n in (10, 1_000_000))
    estimator = Estimator(family)
    assert estimator.message_tokens(small) == estimator.message_tokens(large)
    assert family.media.image == estimator.message_tokens(large) - family.overheads.per_message


def test_an_image_in_low_detail_has_a_fixed_cost() -> None:
    """An image in low detail costs 85 tokens at OpenAI, and 2,833 with gpt-4o-mini."""
    low = {"type": "image_url", "image_url": {"url": "https://x.test/a.png", "detail": "low"}}
    assert 88 == Estimator(O200K).message_tokens(user([low]))
    assert 2_836 == Estimator(O200K_4O_MINI).message_tokens(user([low]))


@pytest.mark.parametrize(
    ("family", "size", "tokens"),
    [
        (CLAUDE_3, (750, 100), 101),
        (CLAUDE_3, (4_000, 4_000), 1_600),
        (CLAUDE_48, (2_000, 1_500), 4_001),
        (GEMINI, (100, 100), 1_120),
        (O200K, (1_024, 1_024), 765),
        (O200K, (2_048, 4_096), 1_105),
        (O200K, (512, 512), 255),
        (O200K, (8_192, 1_024), 765),
        (O200K, (0, 0), 255),
        (O200K_4O_MINI, (1_024, 1_024), 25_501),
        (O200K_4O_MINI, (300, 200), 8_500),
        (O200K_MINI, (640, 320), 325),
        (O200K_MINI, (4_000, 4_000), 2_489),
        (O200K_NANO, (4_000, 4_000), 3_779),
    ],
)
def test_an_image_costs_by_the_pixels_in_its_png_header(
    family: Family, size: tuple[int, int], tokens: int
) -> None:
    """Claude counts an image's pixels. OpenAI counts its tiles or patches."""
    message = user([image(png(*size))])
    assert tokens == Estimator(family).message_tokens(message) - family.overheads.per_message


def test_an_image_in_anthropics_form_costs_the_same() -> None:
    """Anthropic's form has the image's bytes in a ``source``."""
    data = png(750, 100).partition(",")[2]
    source = {"type": "base64", "media_type": "image/png", "data": data}
    part = {"type": "image", "source": source}
    assert 4 + 101 == Estimator(CLAUDE_3).message_tokens(user([part]))


def test_recordings_and_documents_cost_by_their_bytes() -> None:
    """Compressed audio has 32 tokens a second at Gemini.

    The number of a document's pages is unknown, so its bytes are counted.
    """
    estimator = Estimator(GEMINI)
    sound = {"type": "input_audio", "input_audio": {"data": "A" * 1_280_000, "format": "mp3"}}
    raw = {"type": "input_audio", "input_audio": {"data": "A" * 1_280_000, "format": "wav"}}
    paper = {"type": "file", "file": {"file_data": "data:application/pdf;base64," + "A" * 1_280_000}}
    listing = {"type": "file", "file": {"file_data": "data:text/plain;base64," + "A" * 4_000}}
    named = {"type": "file", "file": {"file_id": "file-1"}}
    sizes = [estimator.message_tokens(user([part])) for part in (sound, raw, paper, listing, named)]
    assert [1_922, 642, 5_762, 902, 5_001] == sizes


def test_base64_in_a_text_is_text() -> None:
    """The model reads every letter of base64 that stands in a text."""
    url = png(10, 10)
    assert Estimator(O200K).message_tokens(tool("c1", url)) > len(url) * 0.7
