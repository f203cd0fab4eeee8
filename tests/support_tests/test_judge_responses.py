"""Tests of the judge of responses: each broken rule is refused in OpenAI's words, and legal requests pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.emulated import Asked
from tests.support.responses_emulator import RESPONSES, judge_response_request, owner_of
from tests.support_tests.responses_cases import ACCEPTED, BODIES, MODEL, OWNER, REFUSED, USER, thought


def request(**fields: Any) -> dict[str, Any]:
    """Return a request with *fields*."""
    return {"model": MODEL, "input": "Hello.", "store": False, **fields}


@pytest.mark.parametrize("case", REFUSED)
def test_broken_list_of_items_is_refused_in_openais_words(case: str) -> None:
    items, words, param, code, status = REFUSED[case]

    refusal = judge_response_request(request(input=items), OWNER)

    assert refusal is not None
    error = {"message": words, "type": "invalid_request_error", "param": param, "code": code}
    assert (refusal.envelope(), refusal.status) == ({"error": error}, status)


@pytest.mark.parametrize("case", ACCEPTED)
def test_legal_list_of_items_is_accepted(case: str) -> None:
    assert judge_response_request(request(input=ACCEPTED[case]), OWNER) is None


@pytest.mark.parametrize("case", BODIES)
def test_broken_field_is_refused_in_openais_words(case: str) -> None:
    fields, words, param, code = BODIES[case]

    refusal = judge_response_request(request(**fields))

    assert refusal is not None
    assert refusal.message.startswith(words)
    assert (refusal.param, refusal.code, refusal.status) == (param, code, 400)


def test_tool_of_an_item_may_be_chosen() -> None:
    tool = {"type": "custom", "name": "exec"}
    items = [{"type": "additional_tools", "role": "developer", "tools": [tool]}, USER]

    assert judge_response_request(request(input=items, tool_choice=tool)) is None


def test_body_that_is_no_object_is_refused() -> None:
    refusal = judge_response_request(None)

    assert refusal is not None
    assert refusal.message.startswith("We could not parse the JSON body of your request.")


def test_chat_is_refused() -> None:
    refusal = RESPONSES.judge(Asked({"model": MODEL, "messages": []}, path="/v1/chat/completions"))

    assert refusal is not None
    assert refusal.status == 404
    assert refusal.message == "This model is only supported in v1/responses and not in v1/chat/completions."


@pytest.mark.parametrize(
    ("header", "value", "model", "is_read"),
    [
        ("Authorization", "Bearer ours", MODEL, True),
        ("api-key", "ours", MODEL, True),
        ("Authorization", "Bearer theirs", MODEL, False),
        ("Authorization", "Bearer ours", "gpt-5.7", False),
    ],
)
def test_thought_is_read_by_its_own_account_and_model(
    header: str, value: str, model: str, is_read: bool
) -> None:
    owner = owner_of({"Authorization": "Bearer ours"}, {"model": MODEL})
    items = [USER, thought(owner), {"role": "assistant", "content": "Yes."}]
    body = {"model": model, "input": items}

    refusal = RESPONSES.judge(Asked(body, {header: value}, "/v1/responses"))

    assert (refusal is None) is is_read
