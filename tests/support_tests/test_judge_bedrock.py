"""Tests of Bedrock's judge: each broken rule is refused with its own text, and similar legal requests pass."""

import json
from pathlib import Path

import pytest

from tests.support.bedrock_emulator import judge_bedrock
from tests.support_tests.bedrock_cases import ACCEPTED, REFUSED

KNOWN = json.loads((Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text("utf-8"))


@pytest.mark.parametrize("case", REFUSED)
def test_bedrock_judge_names_the_fault_in_bedrocks_words(case: str) -> None:
    """The refusal of a broken rule has Bedrock's text in the body, and the error's type in a header."""
    model, body, words = REFUSED[case]

    refusal = judge_bedrock(model, body)

    assert refusal is not None
    assert (refusal.envelope(), refusal.status) == ({"message": words}, 400)
    assert set(refusal.headers()) == {"x-amzn-ErrorType"}


@pytest.mark.parametrize("case", ACCEPTED)
def test_bedrock_judge_takes_what_bedrock_takes(case: str) -> None:
    """The judge accepts requests that Bedrock accepts."""
    model, body = ACCEPTED[case]

    assert judge_bedrock(model, body) is None


def test_bedrock_judge_has_the_texts_of_public_reports() -> None:
    """Two publicly reported texts are among the tested refusals, apart from an index in the texts."""
    given = {words.replace("messages.1", "messages.7") for _, _, words in REFUSED.values()}

    assert [entry["id"] for entry in KNOWN if entry["id"][0] == "b" and entry["expected_error"] in given] == [
        "b02",
        "b03",
    ]
