"""Tests of the judges of Mistral, DeepSeek and chat templates: each broken rule is refused with its own text.

Similar legal requests pass.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.process.asking import function_tool
from tests.support.chat_emulator import judge_deepseek, judge_mistral, judge_templated
from tests.support_tests import chat_cases as cases

KNOWN: dict[str, Any] = {
    entry["id"]: entry
    for entry in json.loads(
        (Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text("utf-8")
    )
}


@pytest.mark.parametrize("case", cases.MISTRAL_REFUSED)
def test_mistral_judge_names_the_fault_in_mistrals_words(case: str) -> None:
    """The refusal of a broken rule has Mistral's text, with Mistral's code or in a list of validation errors."""
    body, words, code = cases.MISTRAL_REFUSED[case]

    refusal = judge_mistral(body)

    assert refusal is not None
    assert (refusal.message, refusal.code) == (words, code)
    envelope = refusal.envelope()
    assert (envelope["object"], envelope["code"]) == ("error", code)
    if refusal.status == 422:
        [entry] = envelope["message"]["detail"]
        assert (entry["msg"], entry["loc"][0]) == (words, "body")
    else:
        assert (envelope["message"], refusal.status) == (words, 400)


@pytest.mark.parametrize("case", cases.MISTRAL_ACCEPTED)
def test_mistral_judge_takes_what_mistral_takes(case: str) -> None:
    """The judge accepts requests that Mistral accepts."""
    assert judge_mistral(cases.MISTRAL_ACCEPTED[case]) is None


@pytest.mark.parametrize("case", cases.DEEPSEEK_REFUSED)
def test_deepseek_judge_names_the_fault_in_deepseeks_words(case: str) -> None:
    """The refusal of a broken rule has DeepSeek's text in DeepSeek's envelope."""
    body, words = cases.DEEPSEEK_REFUSED[case]

    refusal = judge_deepseek(body)

    assert refusal is not None
    kind = "invalid_request_error"
    error = {"message": words, "type": kind, "param": None, "code": kind}
    assert (refusal.envelope(), refusal.status) == ({"error": error}, 400)


@pytest.mark.parametrize("case", cases.DEEPSEEK_ACCEPTED)
def test_deepseek_judge_takes_what_deepseek_takes(case: str) -> None:
    """The judge accepts requests that DeepSeek accepts."""
    assert judge_deepseek(cases.DEEPSEEK_ACCEPTED[case]) is None


@pytest.mark.parametrize("case", cases.TEMPLATED_REFUSED)
def test_template_judge_names_the_fault_in_the_templates_words(case: str) -> None:
    """The refusal of a broken rule has the chat template's text, and the status of the template's server."""
    body, words, status = cases.TEMPLATED_REFUSED[case]

    refusal = judge_templated(body)

    assert refusal is not None
    assert (refusal.message, refusal.status) == (words, status)
    assert json.dumps(words)[1:-1] in json.dumps(refusal.envelope())


@pytest.mark.parametrize("case", cases.TEMPLATED_ACCEPTED)
def test_template_judge_takes_what_the_template_takes(case: str) -> None:
    """The judge accepts requests that the chat template accepts."""
    assert judge_templated(cases.TEMPLATED_ACCEPTED[case]) is None


@pytest.mark.parametrize("name", cases.REPORTED)
def test_known_history_is_refused(name: str) -> None:
    """Each publicly reported history is refused with the report's text and status."""
    entry = KNOWN[name]
    model, [words] = cases.REPORTED[name]
    body = {"model": model, "messages": entry["messages"]}
    if entry.get("tools") and name[0] == "d":
        body["tools"] = [function_tool(tool) for tool in entry["tools"]]
    judges: dict[str, Any] = {"m": judge_mistral, "d": judge_deepseek, "v": judge_templated}

    refusal = judges[name[0]](body)

    assert refusal is not None
    assert refusal.message == words
    assert entry["expected_error"].removeprefix("TemplateError: ") == words
    assert refusal.status == entry["expected_status"]
