"""Tests of Anthropic's judge: each broken rule is refused with its own text, and similar legal requests pass."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.anthropic_emulator import cache_marks, judge_anthropic
from tests.support.anthropic_emulator.terms import judge_headers
from tests.support_tests.anthropic_cases import ACCEPTED, MARK, REFUSED, TOOL, body, text, user

KNOWN = json.loads((Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text("utf-8"))


@pytest.mark.parametrize("case", REFUSED)
def test_anthropic_judge_names_the_fault_in_anthropics_words(case: str) -> None:
    """The refusal of a broken rule has Anthropic's text in Anthropic's envelope."""
    asked, words = REFUSED[case]

    refusal = judge_anthropic(asked)

    assert refusal is not None
    kind = "not_found_error" if case == "unknown model" else "invalid_request_error"
    envelope = refusal.envelope()
    assert envelope["error"] == {"type": kind, "message": words}
    assert (envelope["type"], refusal.status) == ("error", 404 if case == "unknown model" else 400)


@pytest.mark.parametrize("case", ACCEPTED)
def test_anthropic_judge_takes_what_anthropic_takes(case: str) -> None:
    """The judge accepts requests that Anthropic accepts."""
    assert judge_anthropic(ACCEPTED[case]) is None


@pytest.mark.parametrize("entry", [e for e in KNOWN if e["id"].startswith("a")], ids=lambda e: e["id"])
def test_anthropic_judge_has_the_texts_of_public_reports(entry: dict[str, Any]) -> None:
    """Each publicly reported text is among the tested refusals, apart from an index in the text."""
    words = [given.partition("messages.")[2].lstrip("0123456789") or given for _, given in REFUSED.values()]
    reported = entry["expected_error"]
    told = reported.partition("messages.")[2].lstrip("0123456789") or reported
    assert any(_shape(told) == _shape(given) for given in words)


def test_anthropic_judge_asks_for_key_and_version() -> None:
    """The refusal of a request without a key or version names the missing header. The headers' case does not matter."""
    refused = [judge_headers(headers) for headers in ({}, {"X-Api-Key": "k"})]

    assert [(refusal.message, refusal.status) for refusal in refused if refusal] == [
        ("x-api-key header is required", 401),
        ("anthropic-version: header is required", 400),
    ]
    assert judge_headers({"X-Api-Key": "k", "Anthropic-Version": "2023-06-01"}) is None


def test_places_of_cache_marks_are_read() -> None:
    """``cache_marks`` returns the paths of all blocks and tools of a request that have ``cache_control``."""
    marked = text("a", cache_control=MARK)
    result = {"type": "tool_result", "tool_use_id": "t", "content": [marked]}

    asked = body([user(text("b"), marked, result)], system=[marked], tools=[{**TOOL, "cache_control": MARK}])

    assert cache_marks(asked) == [
        "tools.0",
        "system.0",
        "messages.0.content.1",
        "messages.0.content.2.content.0",
    ]


def _shape(words: str) -> str:
    return words.replace("toolu_01", "a").replace("https://docs.claude.com", "https://docs.anthropic.com")
