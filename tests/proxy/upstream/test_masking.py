"""No spelling of a secret, and no part of one beside a mask, is left in a provider's words."""

from __future__ import annotations

import json
import re
import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from proxy.upstream.masking import mask
from proxy.upstream.shown_parts import _PartIndex

KEY = "sk-proj-aB3dE6gH9jK2mN5pQ8sT1vW4"
LETTERS = string.ascii_letters + string.digits
keys = st.one_of(
    st.text(LETTERS + "-_", min_size=12, max_size=60),
    st.text(LETTERS + "-_", min_size=12, max_size=60).map("sk-".__add__),
    st.text(LETTERS + '-_/+=.&"\\é ', min_size=12, max_size=40),
)

SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": lambda key: key.translate(str.maketrans(string.ascii_lowercase, string.ascii_uppercase)),
    "percent": lambda key: quote(key, safe=""),
    "path": quote,
    "json": lambda key: json.dumps(key)[1:-1],
    "json with slashes": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "html": escape,
    "base64": lambda key: b64encode(key.encode()).decode(),
    "unpadded": lambda key: b64encode(key.encode()).decode().rstrip("="),
    "url-safe": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "basic": lambda key: b64encode(f"user:{key}".encode()).decode(),
    "basic of a longer name": lambda key: b64encode(f"longer:{key}".encode()).decode(),
    "within base64": lambda key: urlsafe_b64encode(f'{{"key": "{key}", "more": 1}}'.encode()).decode(),
    "base64 in an address": lambda key: quote(b64encode(f"me:{key}".encode()).decode(), safe=""),
}


def runs_of(text: str, size: int) -> set[str]:
    """Return all runs of so many characters."""
    return {text[at : at + size] for at in range(len(text) - size + 1)}


AROUND = st.text("\u00e0\u00df\u0130\U0001f600;| ", max_size=12)


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=30)
@given(key=keys, before=AROUND, after=AROUND)
@example(key=KEY, before="", after="")
def test_every_spelling_is_masked(spelling: str, key: str, before: str, after: str) -> None:
    """What stands around it stays. Of base64 every letter goes that holds nothing but bits of the key."""
    key = key.strip()
    assume(len(key) >= 12)
    text = f"{before}|{SPELLINGS[spelling](key)}|{after}"
    masked = mask(text, [key])

    assert masked.startswith(f"{before}|")
    assert masked.endswith(f"|{after}")
    assert masked.count("********") == 1
    if any(word in spelling for word in ("base64", "basic", "padded", "url-safe")):
        letters = len(key.encode()) * 8 // 6 - 1
        assert len(masked) <= len(text) - letters + 8
    else:
        assert masked == f"{before}|********|{after}"


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
    """No run of four or more of its characters from either end, however many were shown."""
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
def test_parts_beside_masks(text: str, masked: str) -> None:
    """As providers show keys; ordinary words and others' keys stay."""
    assert mask(text, [KEY]) == masked


@given(st.text(LETTERS + " .,:'\"()é\n", max_size=200), keys)
def test_ordinary_words_stay(text: str, key: str) -> None:
    """A text without masks loses nothing but the key."""
    assume(not re.search(r"\.{2}|[xX]{4}|(?i:end|start|begin)", text) and key.lower() not in text.lower())
    assert mask(text, [key, "other-secret-of-ours"]) == text


def test_secrets_that_overlap_are_one_mask() -> None:
    """One may begin as another does, or stand within it; what touches is one mask."""
    secrets = ["sk-abcdefgh", "sk-abcdefgh-ijklmnop", "llm.internal.example"]

    masked = mask("sk-abcdefgh-ijklmnop sk-abcdefgh llm.internal.examplesk-abcdefgh", secrets)

    assert masked == "******** ******** ********"


@pytest.mark.parametrize(
    "text", ["*a", "sk-proj-****", "sk-proj-", "x", ".", "* ", KEY, "ends with ", "sk-p*"]
)
def test_the_work_is_linear(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the text takes twice the steps, and a step is bounded by the secret."""
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
