"""Tests that the data of the corpus agrees with the checker and with itself."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

from proxy.conformance.case import Case
from proxy.conformance.corpus import BASELINE, FILES, load_corpus, load_file
from sanitizers import find_violations
from sanitizers.invariants import RULES
from sanitizers.profile_names import profile_for
from sanitizers.validation import validate_messages

CORPUS = load_corpus()
KNOWN, FOR_RULES = map(load_file, FILES)
CHECKED = [case for case in FOR_RULES if case.rule in (None, *RULES)]
"""Cases without a rule, and cases whose rule the checker has.

The corpus may hold rules that the checker does not have yet.
"""

NEWER_RULES = {"call_type", "result_name_empty"}
"""The names of providers' rules that have a case in the corpus."""


OF_ONE_WIRE = {"system_misplaced", "thought_unsigned"}
"""Rules of Anthropic's own wire. A model's name alone does not choose them."""


def broken(case: Case) -> set[str]:
    """Return the rules that a history breaks at its target."""
    return {violation.rule for violation in find_violations(list(case.messages), profile_for(case.target))}


def texts_of(case: Case) -> str:
    """Return the history as JSON, in which each text can be found."""
    return orjson.dumps(case.messages).decode()


def test_ids_are_unique_and_plain() -> None:
    """No two cases have the same id. An id has only lower-case letters, digits, ``_`` and ``-``."""
    ids = [case.id for case in CORPUS]

    assert len(set(ids)) == len(ids) == len(KNOWN) + len(FOR_RULES)
    assert [one for one in ids if not re.fullmatch(r"[a-z0-9_-]+", one)] == []


def test_document_has_the_number_of_histories() -> None:
    """The document names the number of cases in the corpus.

    After a change, the gateways must be measured again (``make conform-peers``).
    """
    text = (Path(__file__).parents[3] / "docs" / "conformance.md").read_text("utf-8")

    assert set(re.findall(r"\bof (?:the )?(\d+) histories|\| \d+ of (\d+) \|", text)) == {
        (str(len(CORPUS)), ""),
        ("", str(len(CORPUS))),
    }


def test_baseline_comes_first_and_breaks_no_rule() -> None:
    """The baseline is the first case, and has no rule that its history breaks."""
    assert CORPUS[0].id == BASELINE
    assert CORPUS[0].rule is None


def test_every_rule_of_the_checker_has_a_history() -> None:
    assert (set(RULES) - OF_ONE_WIRE) | NEWER_RULES == {case.rule for case in FOR_RULES if case.rule}


@pytest.mark.parametrize("case", CHECKED, ids=lambda case: case.id)
def test_history_breaks_exactly_its_rule_at_its_target(case: Case) -> None:
    """The checker finds the named rule in the history, and no other one."""
    validate_messages(list(case.messages))

    assert broken(case) == ({case.rule} if case.rule else set())


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.id)
def test_known_history_breaks_its_rule_at_its_target(case: Case) -> None:
    """A known history breaks its rule, and perhaps others. A known history without a rule breaks none."""
    found = broken(case)

    assert case.rule in found if case.rule else found == set()


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.id)
def test_known_history_names_its_report(case: Case) -> None:
    assert case.source.startswith("https://")


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.id)
def test_what_must_arrive_is_in_the_history(case: Case) -> None:
    """Each required text and result is a text of the history, and none is blank."""
    held = texts_of(case)

    assert all(orjson.dumps(text).decode()[1:-1] in held and text.strip() for text in case.texts)
    assert all(
        orjson.dumps(line).decode()[1:-1] in held for text in case.results for line in text.split("\n")
    )


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.id)
def test_users_words_must_arrive(case: Case) -> None:
    """Every text that a user wrote and that is not blank is among the texts that must arrive."""
    for message in case.messages:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for part in parts:
            if message["role"] == "user" and part["type"] == "text" and (part["text"] or "").strip():
                assert part["text"] in case.texts
