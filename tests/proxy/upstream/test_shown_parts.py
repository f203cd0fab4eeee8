"""Tests that parts of a secret next to a provider's own mask are masked, in time linear in the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.upstream.masking import mask
from proxy.upstream.shown_parts import _PartIndex
from tests.proxy.upstream.test_masking import KEY, LETTERS


def runs_of(text: str, size: int) -> set[str]:
    """Return all runs of *size* characters in *text*."""
    return {text[at : at + size] for at in range(len(text) - size + 1)}


MASKS = [
    "****",
    "*",
    "...",
    "\u2026",
    "\u2022\u2022\u2022",
    "[redacted]",
    "<hidden>",
    "XXXXXX",
    "####",
    "*" * 60,
]


PATTERN = r"[*\u2022\u2026]+|\.{2,}|[xX]{4,}|#{3,}|\[redacted\]|<hidden>"


@pytest.mark.long
@pytest.mark.parametrize("sign", MASKS)
@settings(max_examples=40)
@given(
    key=st.text(LETTERS + "-_", min_size=12, max_size=60),
    shown=st.tuples(st.integers(0, 12), st.integers(0, 12)),
    between=st.sampled_from(["", " ", "'"]),
    around=st.tuples(st.text(LETTERS + " .*:", max_size=12), st.text(LETTERS + " .*:", max_size=12)),
)
def test_no_part_is_left_beside_a_mask(
    sign: str, key: str, shown: tuple[int, int], between: str, around: tuple[str, str]
) -> None:
    """Next to a mask, no run of four characters from the key's first 16 or last 16 characters is left."""
    first, last = key[: shown[0]], key[len(key) - shown[1] :]
    masked = mask(f"{around[0]} {first}{between}{sign}{between}{last} {around[1]}", [key]).lower()

    runs = runs_of(key[:16].lower(), 4) | runs_of(key[-16:].lower(), 4)
    for found in re.finditer(PATTERN, masked):
        assert masked[max(0, found.start() - 4) : found.start()] not in runs
        assert masked[found.end() : found.end() + 4] not in runs


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Incorrect API key provided: sk-pr****T1vW4. See", "Incorrect API key provided: ********. See"),
        ("key sk-proj-********************vW4.", "key ********."),
        ("key sk-********vW4.", "key ********."),
        ("key sk-...1vW4 is", "key ******** is"),
        ("key sk-proj-aB3... is", "key ******** is"),
        ("key SK-PROJ-AB3*** is", "key ******** is"),
        ("key aB3dE6****T1vW4", "key ********"),
        ("the key ending in 1vW4 is", "the key ******** is"),
        ("it begins with sk-proj-aB3d.", "it ********."),
        ("key=sk-proj-aB3d****&x=1", "key=********&x=1"),
        # and what is no part of it
        ("Wait... then try again", "Wait... then try again"),
        ("**Note**: 2 * 3 = 6 **proper**", "**Note**: 2 * 3 = 6 **proper**"),
        ("sk-proj keys are new; aB3d", "sk-proj keys are new; aB3d"),
        ("ending in tears", "ending in tears"),
        ("xxxx-large", "xxxx-large"),
        ("key sk-other****abcd", "key sk-other****abcd"),
    ],
)
def test_parts_are_masked_as_providers_show_them(text: str, masked: str) -> None:
    """Parts of the key are masked where providers show them. Ordinary words and parts of other keys stay."""
    assert mask(text, [KEY]) == masked


@pytest.mark.parametrize(
    "text", ["*a", "sk-proj-****", "sk-proj-", "x", ".", "* ", KEY, "ends with ", "sk-p*"]
)
def test_steps_grow_linearly_with_the_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of twice the length takes at most about twice the steps."""
    steps = 0
    original = _PartIndex._size

    def count(self: _PartIndex, given: str, at: int) -> int:
        nonlocal steps
        steps += 1
        return original(self, given, at)

    monkeypatch.setattr(_PartIndex, "_size", count)
    taken = []
    for size in (10_000, 20_000):
        steps = 0
        mask(text * (size // len(text)), [KEY])
        taken.append(steps)

    assert taken[1] <= 2.1 * taken[0] + 10
    assert taken[1] <= 6 * 20_000
