"""Tests that a deployment's secrets are masked in a text, in every usual spelling."""

from __future__ import annotations

import json
import re
import string
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from proxy.upstream.masking import mask, secrets_of
from tests.proxy.conftest import OUR_KEY
from tests.proxy.upstream.deployments import deployment_of

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


@pytest.mark.long
@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=30)
@given(key=keys, before=AROUND, after=AROUND)
@example(key=KEY, before="", after="")
def test_every_spelling_is_masked(spelling: str, key: str, before: str, after: str) -> None:
    """The text around the key stays. In base64, the letters that hold only bits of the key are masked."""
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
    """A text without the key and without masks is not changed."""
    assume(not re.search(r"\.{2}|[xX]{4}|(?i:end|start|begin)", text) and key.lower() not in text.lower())
    assert mask(text, [key, "other-secret-of-ours"]) == text


def test_secrets_that_overlap_are_one_mask() -> None:
    """Secrets that overlap or touch in a text become one mask."""
    secrets = ["sk-abcdefgh", "sk-abcdefgh-ijklmnop", "llm.internal.example"]

    masked = mask("sk-abcdefgh-ijklmnop sk-abcdefgh llm.internal.examplesk-abcdefgh", secrets)

    assert masked == "******** ******** ********"


@pytest.mark.parametrize(
    "text",
    [
        "at https://llm.internal.example:8443/v1",
        "at LLM.Internal.Example",
        "lookup llm.internal.example failed",
        "at llm.internal.example:8443",
        "organization org-0123456789",
        "project MY-VERTEX-PROJECT",
        "token-of-ours",
        "sk-ours-5d0f7c1e and SK-OURS-5D0F7C1E",
    ],
)
def test_address_names_and_keys_of_the_deployment_are_masked(text: str) -> None:
    """The address is masked with and without port and path, in upper and lower case."""
    entry: dict[str, Any] = {
        "model": "openai/gpt-4.1",
        "api_base": "https://llm.internal.example:8443/v1",
        "api_key": OUR_KEY,
        "organization": "org-0123456789",
        "vertex_project": "my-vertex-project",
        "aws_region_name": "us-east-1",
        "extra_headers": {"x-team": "token-of-ours"},
    }
    secrets = secrets_of(deployment_of(**entry))

    covered = mask(f"{text} in us-east-1", secrets)
    for held in ("internal", "0123456789", "vertex-project", "token", "5d0f7c1e"):
        assert held not in covered.lower()
    assert covered.endswith("in us-east-1")


@pytest.mark.parametrize(
    ("entry", "text", "covered"),
    [
        ({"api_key": "pass123"}, "key pass123, not pass1234", "key ********, not pass1234"),
        ({"api_base": "http://vllm/v1"}, "lookup VLLM: vllms?", "lookup ********: vllms?"),
        ({"api_base": "http://vllm:8000/v1"}, "at vllm:8000 or vllm", "at ******** or ********"),
        ({"api_key": "sk/OURS+5d0f"}, "key=sk%2FOURS%2B5d0f", "key=********"),
        ({"api_key": "sk/OURS+5d0f"}, "key=sk%2fours%2b5d0f or sk/OURS%2B5d0f", "key=******** or ********"),
        ({"api_key": "none"}, "None of them.", "None of them."),
        ({"api_key": "EMPTY"}, "The answer is empty.", "The answer is empty."),
        ({"api_key": "x"}, "An x.", "An x."),
        ({"extra_headers": {"x-beta": "true"}}, "It is true.", "It is true."),
    ],
)
def test_short_keys_and_hosts_are_masked_as_whole_words(
    entry: dict[str, Any], text: str, covered: str
) -> None:
    """Longer words that contain a short key stay, and placeholders such as ``EMPTY`` are not masked."""
    entry = {"model": "openai/gpt-4.1", "api_key": OUR_KEY, **entry}
    secrets = secrets_of(deployment_of(**entry))

    assert mask(text, secrets) == covered
