"""Tests of finding an error's words in the request, which the provider may have quoted."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.request_words import NO_WORDS, RequestWords

WORDS = "maximum context length is 100 tokens"
HOLDING: dict[str, Any] = {
    "as it is": WORDS,
    "capitals": WORDS.upper(),
    "line breaks": WORDS.replace(" ", "\n\n\t"),
    "marks": WORDS.replace(" ", " ** "),
    "no-break spaces": WORDS.replace(" ", "\u00a0"),
    "invisible marks": WORDS.replace(" ", "\u200b \u200b"),
    "letters of another form": WORDS.replace("s", "\u017f").replace("k", "\u212a"),
    "full width": "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in WORDS),
    "among others": ["x", {"content": f"He said: {WORDS}."}],
    "a field's name": {"properties": {WORDS: {"type": "string"}}},
    "a type": {"type": WORDS},
    "in parts": [{"type": "text", "text": "maximum con"}, {"type": "text", "text": WORDS[11:]}],
    "a number apart": ["maximum context length is", 100, "tokens"],
    "JSON in JSON": json.dumps({"x": WORDS.replace(" ", "\n")}),
    "escapes": WORDS.replace("m", "\\u006D"),
    "escapes of escapes": json.dumps(json.dumps(WORDS.replace("m", "\x6d").replace(" ", "\n"))),
    "escaped escapes": WORDS.replace("e", "\\\\u0065"),
    "Python's escapes": WORDS.replace("e", "\\x65"),
    "an address": f"https://example.org/{quote(WORDS)}",
    "punctuation in an address": quote(WORDS.replace(" ", "': ")),
    "escaped punctuation": WORDS.replace(" ", "\\u003A\\x27"),
    "escaped full width": json.dumps("".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in WORDS)),
    "escaped invisible marks": json.dumps({"x": WORDS.replace("m", "m\u200b")}),
}


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
JOINED: dict[str, tuple[Any, ...]] = {
    "parts": ({"type": "text", "text": "maximum con"}, IMAGE, {"type": "text", "text": WORDS[11:]}),
    "escaped parts": (
        {"type": "text", "text": "m\\u0061ximum con"},
        {"type": "image_url", "image_url": {"url": "https://example.org/an%20image"}},
        {"type": "text", "text": "text length is 100 t\\u006fkens"},
    ),
    "texts in a list": ("maximum con", IMAGE, WORDS[11:]),
}


@pytest.mark.parametrize("parts", JOINED.values(), ids=JOINED)
def test_words_across_media_are_found(parts: tuple[Any, ...]) -> None:
    """A provider joins the texts of a message, and leaves out the parts between them."""
    tool = {"role": "tool", "tool_call_id": "call_1", "content": "Done."}
    assert RequestWords([{"role": "user", "content": list(parts)}, tool], {}).contains(WORDS)


@pytest.mark.parametrize(
    "value",
    [{"x": {"code": 429, "retryDelay": {"seconds": 5}}}, '{"code":429, "retryDelay": {"seconds": "5"}}'],
    ids=["object", "text"],
)
def test_a_name_with_its_value_is_found(value: Any) -> None:
    """A name with its value is found in an object and in JSON text.

    A name and a value from different fields do not make a pair.
    """
    words = RequestWords([{"role": "user", "content": [value, {"status": "x", "y": 429}]}], {"z": 401})

    assert words.contains("code429")
    assert words.contains("retryDelayseconds5")
    assert not words.contains("status429")
    assert not words.contains("code401")


@pytest.mark.parametrize("value", HOLDING.values(), ids=HOLDING)
def test_words_are_found_in_any_notation(value: Any) -> None:
    """A provider may unescape, join and respace its quotation."""
    assert RequestWords([{"role": "user", "content": value}], {}).contains(WORDS)


@pytest.mark.parametrize("value", ["maximum length is 100 tokens", "", None, 100, [], {}])
def test_other_words_are_not_found(value: Any) -> None:
    """Other words are not found, and ``NO_WORDS`` contains nothing."""
    assert not RequestWords([{"role": "user", "content": value}], {}).contains(WORDS)
    assert not NO_WORDS.contains(WORDS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(value=_JSON, words=st.text("abc XYZ.-", min_size=3).filter(lambda text: any(map(str.isalpha, text))))
def test_words_are_found_in_any_surroundings(value: Any, words: str) -> None:
    """Any JSON value can be read, and a text among its values is found."""
    assert RequestWords([value, words, value]).contains(words)


@pytest.mark.parametrize(
    "written",
    [
        "one\nsecret",
        json.dumps("one\nsecret")[1:-1],
        json.dumps(json.dumps("one\r\n\tsecret"))[3:-3],
        ascii("one\x00secret")[1:-1],
        quote("one\nsecret"),
        "one\\u000asecret",
        "one\\\\u0073ecret",
    ],
)
def test_words_of_the_request_are_hidden_behind_any_escape(written: str) -> None:
    """The letter of an escape is no part of the word behind it. The provider's own words stay."""
    shown = RequestWords("one\nsecret").without_quotations(f'Wrong key for "{written}".')

    assert "secret" not in shown
    assert "Wrong" in shown
