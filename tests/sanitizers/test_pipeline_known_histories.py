"""Tests that broken histories of public reports are repaired, for the refusing provider and ``PROVIDER_PROFILES``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.cli.comparison.naive_wire import naive_body
from proxy.emulator import judge
from sanitizers import Profile, Unrepairable, find_violations, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profile_names import profile_for
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from tests.support.openai_emulator import judge_openai
from tests.support.strategies import indexed_texts_of, texts_of

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text("utf-8")
)
GEMINI = [entry for entry in KNOWN if entry["id"].startswith("g")]
OTHERS = [entry for entry in KNOWN if not entry["id"].startswith("g")]

BROKEN_EVERYWHERE = ("g01", "g03", "g05", "g06", "g10", "g16")

LEGAL_IN_OPENAI_FORM = {
    # A converter broke these, or a fact that the chat format does not show. The history itself is legal.
    "g08": "user, user is legal since 2024-11",
    "g11": "a converter split the results",
    "g13": "a converter split the results",
    "g15": "a converter split the results",
    "g23": "user, user is legal since 2024-11",
    "g35": "media alone is legal since 2.0",
    "g38": "a converter chose the role",
    "g46": "a converter mixed text into the results' content",
    "g48": "media inside results: a dialect",
    "g50": "a converter mixed text into the results' content",
    "g51": "a converter mixed text into the results' content",
    "g55": "an id used again; a converter kept one flat map",
    "g56": "media inside results: a dialect",
    "g58": "ids on a surface without the field",
    "g60": "a tool's name",
    "g61": "two tools of one name",
    "g63": "a signature was lost",
    "g65": "a signature is unreadable",
    "g66": "a signature is unreadable",
    "g68": "a signature is stale",
}

LEGAL_IN_CHAT_FORM = {
    "a05": "thinking is on: a parameter of the request, not of the history",
    "b02": "a converter made two user turns of the results and the user's text",
    "c01": "version 1 of the API, which is not spoken, refused a user's turn behind results",
}
"""Histories of the other providers that are legal, since the reported fault is outside the history."""


@pytest.mark.parametrize("profile", [GEMINI_2, GEMINI_3, GEMINI_3_STRICT], ids=lambda p: p.name)
@pytest.mark.parametrize("entry", GEMINI, ids=lambda e: e["id"])
def test_gemini_history_becomes_legal(entry: dict[str, Any], profile: Profile) -> None:
    """Each reported history of Gemini becomes legal for every generation of Gemini from 2 on."""
    done = sanitize(entry["messages"], profile)

    assert done.violations == ()


@pytest.mark.parametrize("entry", GEMINI, ids=lambda e: e["id"])
def test_checker_finds_the_fault_in_the_input(entry: dict[str, Any]) -> None:
    """The checker finds every reported fault that lies in the history itself."""
    found = find_violations(entry["messages"], GEMINI_3_STRICT)

    if entry["id"] in LEGAL_IN_OPENAI_FORM and entry["id"] != "g08":
        assert found == ()
    else:
        assert found


@pytest.mark.parametrize("entry", [e for e in KNOWN if e["id"].startswith("o")], ids=lambda e: e["id"])
def test_openai_history_becomes_legal(entry: dict[str, Any]) -> None:
    """Each reported history of OpenAI breaks a rule before the repair, and no rule afterwards.

    An independent judge agrees.
    """
    assert find_violations(entry["messages"], OPENAI)
    assert judge_openai(entry["messages"]) is not None

    done = sanitize(entry["messages"], OPENAI)

    assert done.violations == ()
    assert judge_openai(list(done.messages)) is None


@pytest.mark.parametrize("entry", OTHERS, ids=lambda e: e["id"])
def test_checker_finds_what_the_provider_refused(entry: dict[str, Any]) -> None:
    """By the profile of its ``target`` model, each history breaks the rule that its entry names.

    Histories whose fault is outside the history (``LEGAL_IN_CHAT_FORM``) break no rule.
    """
    profile = profile_for(entry["target"])

    found = {violation.rule for violation in find_violations(entry["messages"], profile)}

    if entry["id"] in LEGAL_IN_CHAT_FORM:
        assert found == set()
    else:
        assert entry["rule"] in found


@pytest.mark.parametrize("entry", OTHERS, ids=lambda e: e["id"])
def test_history_of_another_provider_becomes_legal(entry: dict[str, Any]) -> None:
    """Each history becomes legal.

    Its texts stay, or a change names their message, and a second pass changes nothing.
    """
    profile = profile_for(entry["target"])

    done = sanitize(entry["messages"], profile)

    assert find_violations(done.messages, profile) == done.violations == ()
    assert sanitize(done.messages, profile).messages is done.messages
    assert bool(done.changes) == (entry["id"] not in LEGAL_IN_CHAT_FORM)
    named = {change.index for change in done.changes if change.kind != "inserted"}
    kept = "\n".join(texts_of(list(done.messages)))
    for index, text in indexed_texts_of(entry["messages"]):
        assert text in kept or index in named


@pytest.mark.parametrize("entry", KNOWN, ids=lambda e: e["id"])
def test_every_history_becomes_legal_everywhere(entry: dict[str, Any]) -> None:
    """A history that one provider refused is repaired for each of ``PROVIDER_PROFILES``.

    One history's image may be refused.
    """
    for profile in PROVIDER_PROFILES:
        if entry["id"] == "g35" and "image_url" in profile.refused_media:
            with pytest.raises(Unrepairable):
                sanitize(entry["messages"], profile)
        else:
            assert sanitize(entry["messages"], profile).violations == (), profile.name


def test_every_history_of_another_provider_names_its_rule() -> None:
    """``LEGAL_IN_CHAT_FORM`` has the reason for each history whose data names no rule."""
    assert {entry["id"] for entry in OTHERS if entry["rule"] is None} == set(LEGAL_IN_CHAT_FORM)


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"])
@pytest.mark.parametrize(
    "entry",
    [entry for entry in GEMINI if entry["id"] in BROKEN_EVERYWHERE],
    ids=lambda e: e["id"],
)
def test_judge_refuses_what_the_checker_finds(entry: dict[str, Any], model: str) -> None:
    """The emulator's judge refuses these histories without repair. The judge shares no code with the checker."""
    assert judge(model, naive_body(entry["messages"], [])) is not None
