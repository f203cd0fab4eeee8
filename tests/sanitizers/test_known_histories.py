"""The broken histories of public reports, each for the provider that refused it and for its neighbours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.demo.naive_wire import naive_body
from proxy.emulator import judge
from sanitizers import Profile, find_violations, sanitize
from sanitizers.profile_names import profile_for
from sanitizers.profiles import GEMINI_2, GEMINI_3, GEMINI_3_STRICT, OPENAI
from tests.support.openai_emulator import judge_openai

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "histories" / "known.json").read_text("utf-8")
)
GEMINI = [entry for entry in KNOWN if entry["id"].startswith("g")]
OTHERS = [entry for entry in KNOWN if not entry["id"].startswith("g")]

BROKEN_EVERYWHERE = ("g01", "g03", "g05", "g06", "g10", "g16")

LEGAL_IN_OPENAI_FORM = {
    # What broke these was a converter, or a fact that the chat format does not show; the history itself is legal.
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


@pytest.mark.parametrize("profile", [GEMINI_2, GEMINI_3, GEMINI_3_STRICT], ids=lambda p: p.name)
@pytest.mark.parametrize("entry", GEMINI, ids=lambda e: e["id"])
def test_gemini_history_becomes_legal(entry: dict[str, Any], profile: Profile) -> None:
    """Each history of Gemini's comes out without a violation, whichever generation reads it."""
    done = sanitize(entry["messages"], profile)

    assert done.violations == ()


@pytest.mark.parametrize("entry", GEMINI, ids=lambda e: e["id"])
def test_checker_finds_the_fault_in_the_input(entry: dict[str, Any]) -> None:
    """The checker sees what the provider refused, wherever the fault is in the history itself."""
    found = find_violations(entry["messages"], GEMINI_3_STRICT)

    if entry["id"] in LEGAL_IN_OPENAI_FORM and entry["id"] != "g08":
        assert found == ()
    else:
        assert found


@pytest.mark.parametrize("entry", [e for e in KNOWN if e["id"].startswith("o")], ids=lambda e: e["id"])
def test_openai_history_becomes_legal(entry: dict[str, Any]) -> None:
    """Each history of OpenAI's breaks a rule, and none afterwards; an independent judge agrees on both."""
    assert find_violations(entry["messages"], OPENAI)
    assert judge_openai(entry["messages"]) is not None

    done = sanitize(entry["messages"], OPENAI)

    assert done.violations == ()
    assert judge_openai(list(done.messages)) is None


@pytest.mark.parametrize("entry", OTHERS, ids=lambda e: e["id"])
def test_history_of_another_provider_keeps_openai_pairing(entry: dict[str, Any]) -> None:
    """Providers without a row of their own yet get OpenAI's rules: nothing is refused, pairing holds."""
    done = sanitize(entry["messages"], profile_for(f"other/{entry['target'].split()[0]}"))

    assert done.violations == ()


@pytest.mark.parametrize("model", ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"])
@pytest.mark.parametrize(
    "entry",
    [e for e in GEMINI if e["id"] in ("g01", "g03", "g05", "g06", "g10", "g16")],
    ids=lambda e: e["id"],
)
def test_judge_refuses_what_the_checker_finds(entry: dict[str, Any], model: str) -> None:
    """Sent word for word, the history is refused by the emulator's judge, whose code is its own."""
    assert judge(model, naive_body(entry["messages"], [])) is not None
