"""Tests that the emulator's judge accepts the requests for sanitized histories, and that no text is lost."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.json_text import write_json
from proxy.emulator import judge
from proxy.emulator.signatures import CORRUPTED, INVALID
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.upstream.wires.gemini import build_request
from sanitizers import Messages, Unrepairable, profile_for, sanitize, validate_messages
from tests.support.gemini_body import restored
from tests.support.strategies import any_histories, damaged_histories, legal_histories, tokens_of
from tests.support.strategies.texts import TOKEN

MODELS = ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]
FOREIGN_SIGNATURE = (CORRUPTED, INVALID)
KNOWN = json.loads((Path(__file__).parents[5] / "proxy" / "conformance" / "known.json").read_text("utf-8"))

histories = st.one_of(any_histories(), damaged_histories(), legal_histories())


def sanitized(history: list[dict[str, Any]], model: str, *, elsewhere: bool = False) -> Messages | None:
    """Return the history as the wire gets it, or None when it cannot be repaired.

    The signatures are restored first. The signature store is empty. With *elsewhere*, the store knows every signature
    as foreign.
    """
    profile = profile_for(f"gemini/{model}")
    try:
        done = sanitize(restored(validate_messages(history), profile, elsewhere=elsewhere), profile)
    except Unrepairable:
        return None
    return None if done.violations else with_stand_ins(done.messages, profile)[0]


@given(histories, st.sampled_from(MODELS))
def test_judge_takes_every_sanitized_history(history: list[dict[str, Any]], model: str) -> None:
    """The judge accepts every sanitized history, except a foreign signature that only Google can recognise."""
    messages = sanitized(history, model)
    withheld = sanitized(history, model, elsewhere=True)
    if messages is None or withheld is None:
        assert messages is withheld is None
        return
    profile = profile_for(f"gemini/{model}")

    assert judge(model, build_request(withheld, {}, profile, model)) is None

    refusal = judge(model, build_request(messages, {}, profile, model))
    assert refusal is None or (refusal.message in FOREIGN_SIGNATURE and "__thought__" in str(history))


@given(histories, st.sampled_from(MODELS))
def test_no_text_is_lost_doubled_or_moved(history: list[dict[str, Any]], model: str) -> None:
    """The body holds all texts of the messages in order, with the system's texts first."""
    messages = sanitized(history, model)
    if messages is None:
        return
    leading = [m for m in messages if m["role"] in ("system", "developer")]
    turns = [m for m in messages if m["role"] not in ("system", "developer")]

    body = build_request(messages, {}, profile_for(f"gemini/{model}"), model)

    texts = [
        part.get("text") or json.dumps(part.get("functionResponse", {}).get("response"), ensure_ascii=False)
        for content in (body.get("systemInstruction", {"parts": []}), *body["contents"])
        for part in content["parts"]
    ]
    assert [match[0] for one in texts for match in TOKEN.finditer(one)] == tokens_of([*leading, *turns])


@given(histories, st.sampled_from(MODELS))
def test_conversion_is_pure(history: list[dict[str, Any]], model: str) -> None:
    """The messages are not changed, and the same messages give the same bytes."""
    messages = sanitized(history, model)
    if messages is None:
        return
    before = copy.deepcopy(list(messages))
    profile = profile_for(f"gemini/{model}")

    first, second = (write_json(build_request(messages, {}, profile, model)) for _ in range(2))

    assert first == second
    assert orjson.loads(first)["contents"]
    assert messages == before


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("entry", [e for e in KNOWN if e["id"].startswith("g")], ids=lambda e: e["id"])
def test_judge_takes_known_histories(entry: dict[str, Any], model: str) -> None:
    """The judge accepts every known history, except those with a foreign signature in valid base64."""
    profile = profile_for(f"gemini/{model}")
    messages, withheld = (sanitized(entry["messages"], model, elsewhere=known) for known in (False, True))
    assert messages is not None
    assert withheld is not None

    refusal = judge(model, build_request(messages, {}, profile, model))

    foreign = entry["class"] == "stale_thought_signature" and profile.call_ids
    assert (refusal and refusal.message) == (CORRUPTED if foreign else None)
    assert judge(model, build_request(withheld, {}, profile, model)) is None
