"""Tests of the rules for Gemini's contents. Each rule is broken at least once."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Profile
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.native.gemini.violations import RULES, find_content_violations
from sanitizers.work_limit import WorkLimit, WorkLimitExceeded, limited_by
from tests.sanitizers.native.gemini.building import SIGNED, answered, called, model, said, user

ASKED = user(said())
CALLED, ANSWERED = model(called("f", "a")), user(answered("f", "a"))
NESTED = user(
    {"functionResponse": {"name": "f", "id": "a", "response": {}, "parts": [{"inlineData": {}}]}},
)

BROKEN: list[tuple[str, list[dict[str, Any]], int]] = [
    (
        "args_not_an_object",
        [ASKED, model({"functionCall": {"name": "f", "args": 7}}), user(answered("f"))],
        1,
    ),
    (
        "args_not_an_object",
        [ASKED, model({"functionCall": {"name": "f", "args": None}}), user(answered("f"))],
        1,
    ),
    ("call_id_repeated", [ASKED, model(called("f", "a"), called("f", "a"))], 1),
    ("data_missing", [user(said(), {"thoughtSignature": "x"})], 0),
    ("data_repeated", [user({"text": "a", "inlineData": {}})], 0),
    ("empty_text", [user(said(), said(""))], 0),
    ("first_not_user", [CALLED, ANSWERED], 0),
    ("misplaced_call", [user(called("f"))], 0),
    ("misplaced_response", [ASKED, CALLED, model(answered("f", "a"))], 2),
    ("mixed_responses", [ASKED, CALLED, user(answered("f", "a"), said())], 2),
    ("model_last", [ASKED, model(said())], 1),
    ("model_run", [ASKED, model(said()), CALLED, ANSWERED], 2),
    ("name_missing", [ASKED, model(called(""))], 1),
    ("nested_media", [ASKED, CALLED, NESTED], 2),
    ("no_contents", [], 0),
    ("nothing_said", [ASKED, model({"text": "a", "thought": True}), ASKED], 1),
    ("nothing_said", [ASKED, model({"inlineData": {}, "thought": True}), ASKED], 1),
    ("parts_missing", [ASKED, model(), ASKED], 1),
    ("response_count", [ASKED, model(called("f"), called("g")), user(answered("f"))], 1),
    ("response_count", [ASKED, CALLED], 1),
    ("response_mismatch", [ASKED, CALLED, user(answered("f"))], 2),
    ("response_mismatch", [ASKED, CALLED, user(answered("g", "a"))], 2),
    ("response_mismatch", [ASKED, model(called("f"), called("g")), user(answered("g"), answered("f"))], 2),
    ("response_not_an_object", [ASKED, CALLED, user({"functionResponse": {"name": "f", "id": "a"}})], 2),
    ("response_orphaned", [ASKED, CALLED, ANSWERED, ANSWERED], 3),
    ("sealed_signature", [ASKED, model({**said(), "thoughtSignature": "tr1_AAAA"})], 1),
    ("sealed_signature", [ASKED, model({**said(), "thought_signature": "tr1/AAAA"})], 1),
    ("unknown_role", [ASKED, {"role": "system", "parts": [said()]}], 1),
    ("unknown_role", [ASKED, {"parts": [said()]}], 1),
    ("user_run", [ASKED, ASKED], 1),
]


@pytest.mark.parametrize(("rule", "native", "index"), BROKEN)
def test_broken_rule_is_found_in_its_place(rule: str, native: list[dict[str, Any]], index: int) -> None:
    """Each list is checked with a profile that has the rule."""
    profile = {"nested_media": GEMINI_2, "user_run": GEMINI_1}.get(rule, GEMINI_3_STRICT)
    found = {(violation.rule, violation.index) for violation in find_content_violations(native, profile)}

    assert (rule, index) in found


def test_every_rule_is_broken_once() -> None:
    """The table ``BROKEN`` has all rules and no other."""
    assert {rule for rule, _, _ in BROKEN} == RULES.keys()


@pytest.mark.parametrize(
    ("native", "profile"),
    [
        ([{"parts": [said()]}], GEMINI_3_STRICT),
        ([ASKED, ASKED], GEMINI_3_STRICT),
        ([ASKED, model(said()), model(said()), ASKED], GEMINI_3_STRICT),
        ([ASKED, model(said())], GEMINI_3),
        ([ASKED, CALLED, NESTED], GEMINI_3),
        ([user(said(), {"text": "", "thoughtSignature": SIGNED})], GEMINI_3),
        ([ASKED, CALLED, ANSWERED, ASKED], GEMINI_1),
        (
            [
                ASKED,
                model(called("f", "a"), called("g", "b")),
                user(answered("g", "b"), answered("f", "a")),
            ],
            GEMINI_2,
        ),
        ([ASKED, model(called("f"), called("f")), user(answered("f"), answered("f"))], GEMINI_2),
    ],
)
def test_list_that_the_models_take_breaks_no_rule(native: list[dict[str, Any]], profile: Profile) -> None:
    """The profile says what its models accept."""
    assert find_content_violations(native, profile) == ()


def test_oldest_models_refuse_each_run_of_the_models_contents() -> None:
    """Later models refuse such a run with a call alone (gemini-cli#11814, zuisong/gemini-openai-proxy#83)."""
    found = find_content_violations([ASKED, model(said()), model(said()), ASKED], GEMINI_1)

    assert [(violation.rule, violation.index) for violation in found] == [("model_run", 2)]


def test_work_limit_ends_the_check() -> None:
    """The check of each part takes a step of the work limit."""
    with limited_by(WorkLimit(50)), pytest.raises(WorkLimitExceeded):
        find_content_violations([user(*[said()] * 100)], GEMINI_3)


def test_data_of_an_unknown_kind_breaks_no_rule() -> None:
    """Gemini may know it by now."""
    assert find_content_violations([user({"newKind": {"a": 1}})], GEMINI_3_STRICT) == ()
