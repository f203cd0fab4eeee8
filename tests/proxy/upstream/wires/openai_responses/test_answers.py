"""Tests of whole responses as chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.upstream.wires.openai_responses.answers import read_response
from proxy.upstream.wires.openai_responses.output import CallNames
from tests.support.native_responses import CALL, ITEMS, MESSAGE, SEARCH, THOUGHT, response

BARE = CallNames(None)


def test_response_is_read_as_a_chat_completion() -> None:
    answer = read_response(response(ITEMS), BARE)

    assert (answer["id"], answer["model"], answer["created"]) == ("resp_theirs", "grok-4", 1_760_000_001)
    assert answer["usage"]["total_tokens"] == 15


def test_answer_names_the_service_tier_that_decides_its_price() -> None:
    assert read_response(response([MESSAGE], service_tier="flex"), BARE)["service_tier"] == "flex"
    assert "service_tier" not in read_response(response([MESSAGE], service_tier=None), BARE)


def test_answer_has_log_probabilities_where_they_were_asked_for() -> None:
    token = {"token": "a", "logprob": -0.1, "bytes": [97], "top_logprobs": []}
    part = {"type": "output_text", "text": "a", "logprobs": [token]}
    [choice] = read_response(response([{**MESSAGE, "content": [part]}]), BARE)["choices"]
    [plain] = read_response(response([MESSAGE]), BARE)["choices"]

    assert choice["logprobs"] == {"content": [token], "refusal": None}
    assert "logprobs" not in plain


def test_messages_are_apart_where_the_client_has_chats() -> None:
    [choice] = read_response(response([MESSAGE, MESSAGE]), BARE, "\n\n")["choices"]

    assert choice["message"]["content"] == "Well. ✓\n\nWell. ✓"


@pytest.mark.parametrize(
    ("output", "fields", "reason"),
    [
        ([MESSAGE], {}, "stop"),
        ([MESSAGE, CALL], {}, "tool_calls"),
        (
            [MESSAGE],
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
        ),
        (
            [MESSAGE],
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            "content_filter",
        ),
        ([MESSAGE], {"status": "incomplete", "incomplete_details": None}, "length"),
    ],
)
def test_status_says_the_finish_reason(output: list[Any], fields: dict[str, Any], reason: str) -> None:
    assert read_response(response(output, **fields), BARE)["choices"][0]["finish_reason"] == reason


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ([], Cause.NOT_AN_ANSWER),
        ({}, Cause.NOT_AN_ANSWER),
        ({"choices": []}, Cause.NOT_AN_ANSWER),
        (response([], "in_progress"), Cause.TRUNCATED),
        (response([MESSAGE], "cancelled"), Cause.TRUNCATED),
        (response([], "failed", error={"code": "server_error", "message": "Wrong."}), Cause.REFUSED),
        ({"error": {"message": "Wrong.", "code": 400}}, Cause.REFUSED),
    ],
)
def test_what_is_no_finished_response_is_a_fault(body: Any, cause: Cause) -> None:
    with pytest.raises(UpstreamFault) as raised:
        read_response(body, BARE)

    assert raised.value.cause is cause


SILENT = {**THOUGHT, "summary": []}


@pytest.mark.parametrize(("output", "cause"), [([SILENT], Cause.THINKING_ONLY), ([], Cause.EMPTY)])
def test_response_without_words_and_calls_is_unusable(output: list[Any], cause: Cause) -> None:
    """Codex takes it for the end of its task. An answer that a limit has cut off is no fault."""
    with pytest.raises(AnswerUnusable) as refused:
        read_response(response(output), BARE)
    assert refused.value.cause is cause

    [cut] = read_response(response(output, status="incomplete"), BARE)["choices"]
    assert cut["finish_reason"] == "length"


def test_response_of_a_tool_that_the_provider_runs_is_an_answer() -> None:
    """A picture or a search may be all that was asked for."""
    [choice] = read_response(response([SILENT, SEARCH]), BARE)["choices"]

    assert choice["finish_reason"] == "stop"
