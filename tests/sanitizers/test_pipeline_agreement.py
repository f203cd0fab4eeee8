"""The checker agrees with the emulator's judge, which shares no code with the checker.

Litellm converts the messages in between, as in production. Litellm runs in this process without a socket, so that
thousands of histories can be tried.
"""

from __future__ import annotations

import copy
import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.upstream.litellm.messages import litellm_messages
from sanitizers import Unrepairable, find_violations, profile_for, sanitize, validate_messages
from tests.support.gemini_body import as_sent
from tests.support.openai_emulator import judge_openai
from tests.support.strategies import any_histories, damaged_histories, legal_histories

MODELS = ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]

FOREIGN_SIGNATURE = ("Corrupted thought signature.", "Invalid thought signature.")

histories = st.one_of(any_histories(), damaged_histories(), legal_histories())


def gemini_body(messages: list[dict[str, Any]], model: str) -> dict[str, Any]:
    """Return the body that litellm sends for *messages*."""
    factory = importlib.import_module("litellm.llms.vertex_ai.gemini.transformation")
    prepared = litellm_messages(copy.deepcopy(messages), profile_for(model))
    for message in prepared:
        if message["role"] == "developer":  # `completion` maps it before the converter sees it
            message["role"] = "system"
    system, rest = factory._transform_system_message(supports_system_message=True, messages=prepared)
    contents = factory._gemini_convert_messages_with_history(messages=rest, model=model)
    return {"contents": contents, **({"systemInstruction": system} if system else {})}


@pytest.mark.usefixtures("litellm")
@pytest.mark.filterwarnings("ignore")
@given(histories, st.sampled_from(MODELS))
def test_gemini_judge_takes_every_repaired_history(history: list[dict[str, Any]], model: str) -> None:
    """The emulator refuses a sanitized and converted history only for a foreign signature."""
    profile = profile_for(f"gemini/{model}")
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return

    refusal = judge(model, gemini_body(list(as_sent(done.messages, profile)), model))

    if refusal is not None and refusal.message in FOREIGN_SIGNATURE:
        # A signature that decodes and was made elsewhere: without state nobody but the provider can tell.
        assert any(
            "__thought__" in (raw.get("id") or "") for m in history for raw in m.get("tool_calls") or ()
        )
    else:
        assert refusal is None


@given(histories)
def test_openai_judge_takes_every_repaired_history(history: list[dict[str, Any]]) -> None:
    """The judge of OpenAI's rules refuses no sanitized history."""
    try:
        done = sanitize(history, profile_for("openai/gpt-4o"))
    except Unrepairable:
        return

    assert judge_openai(list(done.messages)) is None


@given(histories)
def test_checker_finds_what_the_openai_judge_refuses(history: list[dict[str, Any]]) -> None:
    """A history that the judge refuses has a violation, or cannot be read."""
    if judge_openai(history) is None:
        return
    try:
        validate_messages(history)
    except Unrepairable:
        return

    assert find_violations(history, profile_for("openai/gpt-4o"))
