"""Tests that damaged and random histories are answered, or refused by the proxy, and that nothing is lost silently."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.process.asking import GEMINI_MODELS, OPENAI_MODEL, ask, body, explain
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.strategies import any_histories, damaged_histories, tokens_of
from tests.support.strategies.texts import TOKEN

OUR_REFUSALS = ("illegal_history", "invalid_request")
NOT_OURS_TO_SEE = ("Corrupted thought signature.",)
"""Refusals that the proxy cannot foresee: only the provider knows whether a signature that decodes is genuine."""

NOT_MENDED_YET = (
    "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",  # a call's name, towards OpenAI
)
"""Refusals by OpenAI that the sanitizer could have prevented. Delete a row when it does."""

TOOLS = ("f", "g", "read_file", "grep", "get_weather")

calm = [HealthCheck.too_slow, HealthCheck.data_too_large]
gemini_models = st.sampled_from([f"gemini/{model}" for model in GEMINI_MODELS])


@settings(max_examples=60, deadline=None, suppress_health_check=calm)
@given(model=gemini_models, messages=damaged_histories(), tools=st.booleans(), stream=st.booleans())
def test_damaged_history_is_answered_by_gemini_or_refused_by_us(
    http: httpx.Client,
    served: Served,
    gemini_process: Gemini,
    model: str,
    messages: list[Any],
    tools: bool,
    stream: bool,
) -> None:
    """A history with up to six damages is answered by Gemini or refused by the proxy, but for refusals listed above."""
    check_gemini(http, served, gemini_process, body(model, messages, tools=TOOLS * tools, stream=stream))


@settings(max_examples=40, deadline=None, suppress_health_check=calm)
@given(model=gemini_models, messages=any_histories(), tools=st.booleans(), stream=st.booleans())
def test_random_messages_are_answered_by_gemini_or_refused_by_us(
    http: httpx.Client,
    served: Served,
    gemini_process: Gemini,
    model: str,
    messages: list[Any],
    tools: bool,
    stream: bool,
) -> None:
    """A random list of messages is answered by Gemini or refused by the proxy, but for refusals listed above."""
    check_gemini(http, served, gemini_process, body(model, messages, tools=TOOLS * tools, stream=stream))


@settings(max_examples=30, deadline=None, suppress_health_check=calm)
@given(messages=damaged_histories(), stream=st.booleans())
def test_damaged_history_is_answered_by_openai_or_refused_by_us(
    http: httpx.Client, served: Served, openai_thread: OpenAIEmulator, messages: list[Any], stream: bool
) -> None:
    """A history with up to six damages is answered by OpenAI or refused by the proxy, but for refusals listed above."""
    check_openai(http, served, openai_thread, body(f"openai/{OPENAI_MODEL}", messages, stream=stream))


@settings(max_examples=30, deadline=None, suppress_health_check=calm)
@given(messages=any_histories(), stream=st.booleans())
def test_random_messages_are_answered_by_openai_or_refused_by_us(
    http: httpx.Client, served: Served, openai_thread: OpenAIEmulator, messages: list[Any], stream: bool
) -> None:
    """A random list of messages is answered by OpenAI or refused by the proxy, but for refusals listed above."""
    check_openai(http, served, openai_thread, body(f"openai/{OPENAI_MODEL}", messages, stream=stream))


def check_gemini(http: httpx.Client, served: Served, gemini: Gemini, request: dict[str, Any]) -> None:
    """Send *request* and check the answer against the emulator's journal."""
    gemini.clear()
    check(http, served, request, lambda: [(e["verdict"]["status"], e["body"]) for e in gemini.journal()])


def check_openai(
    http: httpx.Client, served: Served, emulator: OpenAIEmulator, request: dict[str, Any]
) -> None:
    """Send *request* and check the answer against the requests that the emulator recorded."""
    emulator.requests.clear()
    check(http, served, request, lambda: [(record.status, record.body) for record in emulator.requests])


def check(http: httpx.Client, served: Served, request: dict[str, Any], arrivals: Any) -> None:
    """Send *request*.

    Check that the proxy refuses it unsent, or that the answer is whole and nothing was lost silently. A provider may
    refuse it only for a reason listed above.
    """
    answer = ask(http, served, request)
    arrived = arrivals()

    if answer.status == 400 and arrived:
        assert answer.error["code"] == "upstream_error"
        assert [status for status, _ in arrived] in ([400], [400, 400])
        assert answer.error["message"].endswith(NOT_OURS_TO_SEE + NOT_MENDED_YET), answer.text
        return
    if answer.status == 400:
        assert answer.error["code"] in OUR_REFUSALS, answer.text
        return
    assert answer.is_whole, answer.text
    if len(arrived) == 2:  # refused, repaired once by the provider's words, and then taken
        assert [status for status, _ in arrived] == [400, 200]
        assert "repair=" in answer.headers["x-turnright-changes"]
    else:
        assert [status for status, _ in arrived] == [200]
    changes = explain(http, served, request)["changes"]
    assert silently_lost(request["messages"], arrived[-1][1], changes) == []


def silently_lost(messages: list[Any], arrived: Any, changes: list[Any]) -> list[str]:
    """Return the tokens that arrived less often than they occur in messages that no change dropped or replaced."""
    named = {change["index"] for change in changes if change["kind"] in ("dropped", "replaced")}
    kept = [message for index, message in enumerate(messages) if index not in named]
    found = Counter(match[0] for match in TOKEN.finditer(json.dumps(arrived, ensure_ascii=False)))
    return list((Counter(tokens_of(kept)) - found).elements())
