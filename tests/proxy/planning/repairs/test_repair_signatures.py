"""Tests that every field loses its refused signature, and that the ids of results still match."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from proxy.emulator import signatures
from proxy.upstream.signature_carriers import STAND_IN
from proxy.upstream.wires.gemini import build_request
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import judged, repaired
from tests.support.builders import assistant, call, tool, user
from tests.support.gemini_body import as_sent

WORDS = "Corrupted thought signature."
THEIRS = base64.b64encode(b"theirs").decode()
STOOD_IN = {"extra_content": {"google": {"thought_signature": STAND_IN}}}
SIGNED: dict[str, Any] = {"thought_signature": THEIRS}
FUNCTION = {"name": "f", "arguments": "{}"}


@pytest.mark.parametrize(
    "carrier",
    [
        {"provider_specific_fields": SIGNED},
        {"extra_content": {"google": SIGNED}},
        {"extra_content": {"vertex": SIGNED}},
        {"function": {**FUNCTION, **SIGNED}},
        {"function": {**FUNCTION, "provider_specific_fields": SIGNED}},
    ],
    ids=str,
)
def test_signature_of_a_call_is_removed_from_every_carrier(carrier: dict[str, Any]) -> None:
    """The call stays.

    For Gemini 3, a stand-in replaces the signature where Gemini's OpenAI endpoint reads signatures.
    """
    history = [user("t1§"), assistant(None, [{**call("c1"), **carrier}]), tool("c1")]

    for profile, extra in ((GEMINI_3, STOOD_IN), (OPENAI, {})):
        done = repaired(WORDS, history, profile=profile)

        assert done is not None
        assert done.messages == [user("t1§"), assistant(None, [call("c1", **extra)]), tool("c1")]
        assert [change.reason for change in done.changes] == ["signature"]


@pytest.mark.parametrize(
    "carrier",
    [
        {"extra_content": {"google": SIGNED}},
        {"extra_content": {"vertex": SIGNED}},
        {"provider_specific_fields": SIGNED},
        {"provider_specific_fields": {"thought_signatures": [THEIRS]}},
    ],
    ids=str,
)
def test_signature_of_a_message_is_removed_from_every_carrier(carrier: dict[str, Any]) -> None:
    """The refused signature may belong to a text, and a text needs no signature."""
    history = [user("t1§"), assistant("t2§", **carrier), user("t3§")]

    for profile in (GEMINI_3, OPENAI):
        done = repaired(WORDS, history, profile=profile)

        assert done is not None
        assert done.messages == [user("t1§"), assistant("t2§"), user("t3§")]
        assert [change.reason for change in done.changes] == ["signature"]


def test_other_fields_beside_a_signature_stay() -> None:
    """Only the signature is removed from its container, also in messages."""
    fields = {"google": {**SIGNED, "kept": 1}, "other": 2}
    history = [user("t1§"), assistant("t2§", extra_content=fields), user("t3§")]

    done = repaired(WORDS, history)

    assert done is not None
    assert done.messages[1]["extra_content"] == {"google": {"kept": 1}, "other": 2}


def test_ids_without_their_suffixes_stay_pairs() -> None:
    """Ids that differ only in their suffixes stay different. A result may have lost its suffix before."""
    first, second = f"c1__thought__{THEIRS}", f"c1__thought__{THEIRS}=="
    turn = [assistant(None, [call(first), call(second, "g")]), tool(first), tool(second)]
    again = [assistant(None, [call(f"c2__thought__{THEIRS}")]), tool("c2")]

    done = repaired(WORDS, [user("t1§"), *turn, *again])

    assert done is not None
    ids = [one["id"] for message in done.messages for one in message.get("tool_calls") or ()]
    assert ids == [message["tool_call_id"] for message in done.messages if message["role"] == "tool"]
    assert len(set(ids)) == 3
    assert (ids[0], ids[2]) == ("c1", "c2")


def test_parallel_and_sequential_calls_get_one_stand_in_a_turn() -> None:
    """Gemini signs the first call of each model turn."""
    history = [
        user("t1§"),
        assistant(None, [call(f"c1__thought__{THEIRS}"), call("c2", "g")]),
        tool(f"c1__thought__{THEIRS}"),
        tool("c2"),
        assistant(None, [call("c3")]),
        tool("c3"),
    ]

    sent = list(as_sent(history, GEMINI_3))
    refused = judged("gemini-3-pro-preview", sent, {}, GEMINI_3)
    done = repaired(WORDS, sent, profile=GEMINI_3)

    assert refused is not None
    assert refused.message == signatures.CORRUPTED
    assert done is not None
    calls = [one for message in done.messages for one in message.get("tool_calls") or ()]
    assert ["extra_content" in one for one in calls] == [True, False, True]
    parts = [
        part
        for content in build_request(done.messages, {}, GEMINI_3, "m")["contents"]
        for part in content["parts"]
    ]
    assert [part.get("thoughtSignature") for part in parts if "functionCall" in part] == [
        STAND_IN,
        None,
        STAND_IN,
    ]


def test_history_without_signatures_is_not_repaired() -> None:
    """A history without signatures has no invalid signature. A stand-in is not a signature."""
    history = [user("t1§"), assistant(None, [call("c1")]), tool("c1")]

    assert repaired(WORDS, list(as_sent(history, GEMINI_3)), profile=GEMINI_3) is None
