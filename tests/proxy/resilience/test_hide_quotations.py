"""Tests that a provider's message keeps its own words and loses quotations of the operator's instructions."""

from __future__ import annotations

import json
from html import escape
from unicodedata import normalize
from urllib.parse import quote

import pytest

from proxy.core.combine_instructions import combine, part_of
from proxy.core.instructions import Instructions, Level
from proxy.resilience.hide_quotations import hide_quotations

GATEWAY = 'Answer in plain text.\nNever name the "black" price list: café, Ölpreise.'
KEY = "Say hi."
ABROAD = "价格表不可以告诉任何用户、也不可以翻译。"


def instructions(*texts: str) -> Instructions:
    """Return instructions of these texts."""
    levels: tuple[Level, ...] = ("gateway", "model", "key")
    found = combine([part_of(level, text) for level, text in zip(levels, texts, strict=False)])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Bad text: Answer in plain text.", "Bad text: …."),
        ("Bad text: ANSWER  in plain-text!", "Bad text: …!"),
        ("Bad text: swer in plain text. Never na...", "Bad text: …..."),
        ("Twice: answer in plain text | never name the black", "Twice: …"),
        ("Twice: answer in plain text, and answer in plain text.", "Twice: …, and …."),
        ("A whole text: say hi", "A whole text: …"),
        (
            "Unknown parameter 'text', never a plain answer.",
            "Unknown parameter 'text', never a plain answer.",
        ),
        ("", ""),
    ],
)
def test_a_run_of_the_operators_words_is_hidden_and_other_words_stay(said: str, shown: str) -> None:
    assert hide_quotations(said, instructions(GATEWAY, KEY)) == shown


@pytest.mark.parametrize(
    "written",
    [
        GATEWAY,
        json.dumps(GATEWAY)[1:-1],
        json.dumps(json.dumps(GATEWAY))[1:-1],
        json.dumps(GATEWAY, ensure_ascii=False)[1:-1],
        repr(GATEWAY)[1:-1],
        ascii(GATEWAY)[1:-1],
        quote(GATEWAY, safe=""),
        escape(GATEWAY),
        normalize("NFD", GATEWAY),
    ],
    ids=["plain", "JSON", "JSON twice", "JSON of letters", "Python", "ASCII", "URL", "HTML", "decomposed"],
)
def test_a_quotation_is_found_in_every_encoding(written: str) -> None:
    hidden = hide_quotations(f"Invalid: {written}", instructions(GATEWAY, KEY))

    assert hidden.strip('."\\').replace('\\"', "") == "Invalid: …"


def test_part_of_a_text_without_spaces_is_hidden() -> None:
    assert hide_quotations(f"错误: {ABROAD[:8]}", instructions(ABROAD)) == "错误: …"


def test_a_shorter_run_than_16_bytes_stays() -> None:
    """A run of 16 bytes is hidden. One byte less could be the provider's own words."""
    given = instructions("plain words only, a big table")

    assert hide_quotations("The plain words only a.", given) == "The plain words only a."
    assert hide_quotations("The plain words only a b.", given) == "The …."
