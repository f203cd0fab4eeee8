"""Tests of which answers are unusable: empty from Gemini, with only reasoning, without choices, or filtered."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.forwarding.chat.answer_whole import check_answer
from proxy.forwarding.fallback_chain import FallbackChain
from tests.support.proxied import settings_of

GEMINI, OTHER = "gemini/gemini-3.6-flash", "openai/gpt-4o"


def call_to(model: str) -> UpstreamCall:
    """Return a call to *model*."""
    [deployment] = resolve(settings_of({"m": model}), "m")
    return UpstreamCall(deployment, [], {}, Timeouts(connect_s=1, first_byte_s=1, idle_s=1, total_s=1))


def saying(finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """Return an answer with *message* and *finish_reason*."""
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


@pytest.mark.parametrize("model", [GEMINI, OTHER])
@pytest.mark.parametrize("answer", [saying(content="Yes."), saying("length", content="")])
def test_answer_with_text_or_a_cut_is_delivered(model: str, answer: dict[str, Any]) -> None:
    """An answer that was cut is delivered even without text, since its finish reason tells the client."""
    check_answer(answer, call_to(model))


def test_empty_answer_is_delivered_except_from_gemini() -> None:
    """An empty answer is delivered, since a model may have nothing to add.

    An empty answer of Gemini is a known fault, and is not kept for the client.
    """
    check_answer(saying(content=""), call_to(OTHER))
    with pytest.raises(AnswerUnusable) as fault:
        check_answer(saying(content=""), call_to(GEMINI))

    assert (fault.value.cause, fault.value.answer) == (Cause.EMPTY, None)


@pytest.mark.parametrize(("model", "kept"), [(GEMINI, False), (OTHER, True)])
def test_answer_with_reasoning_alone_is_unusable(model: str, kept: bool) -> None:
    """An answer with only reasoning is kept in case that no better answer comes, except from Gemini."""
    answer = saying(content="", reasoning_content="Hm.")
    with pytest.raises(AnswerUnusable) as fault:
        check_answer(answer, call_to(model))

    assert fault.value.cause is Cause.THINKING_ONLY
    assert fault.value.answer is (answer if kept else None)


@pytest.mark.parametrize("model", [GEMINI, OTHER])
def test_answer_without_choices_is_unusable(model: str) -> None:
    """An answer without choices is unusable, and is not kept for the client."""
    with pytest.raises(AnswerUnusable) as fault:
        check_answer({"choices": []}, call_to(model))

    assert (fault.value.cause, fault.value.answer) == (Cause.EMPTY, None)


@pytest.mark.parametrize("model", [GEMINI, OTHER])
def test_filtered_answer_is_unusable_only_where_another_model_is_named_for_it(model: str) -> None:
    """Without a content policy fallback a filtered answer is delivered, and its finish reason tells the client."""
    answer = saying("content_filter", content="")
    models = {"m": model, "other": "openai/other"}
    plain = FallbackChain("m", settings_of(models, router_settings={"fallbacks": [{"m": ["other"]}]}))
    named = settings_of(models, router_settings={"content_policy_fallbacks": [{"m": ["other"]}]})
    check_answer(answer, call_to(model), plain)
    check_answer(answer, call_to(model), FallbackChain("other", named))
    with pytest.raises(AnswerUnusable) as fault:
        check_answer(answer, call_to(model), FallbackChain("m", named))

    assert (fault.value.cause, fault.value.answer) == (Cause.CONTENT_FILTER, answer)
