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
