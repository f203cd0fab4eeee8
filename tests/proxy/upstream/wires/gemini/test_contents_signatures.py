"""Tests of thought signatures and call ids in a request to Gemini."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import build_request
from sanitizers import Profile
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from tests.support.builders import assistant, call, image, text, tool, user

OURS = "T3Vycw=="
THEIRS = "VGhlaXJz"
OWN = {"extra_content": {"google": {"thought_signature": OURS}}}
PROFILES = pytest.mark.parametrize("profile", [GEMINI_2, GEMINI_3], ids=lambda profile: profile.name)


def sent(*calls: dict[str, Any], profile: Profile = GEMINI_3) -> list[dict[str, Any]]:
    """Return the parts of the model's turn that the wire writes for these calls."""
    history = [user("a"), assistant(None, calls), *(tool(one["id"]) for one in calls)]
    parts: list[dict[str, Any]] = build_request(history, {}, profile, "m")["contents"][1]["parts"]
    return parts


@PROFILES
def test_signature_of_a_call_is_sent(profile: Profile) -> None:
    """Models that never require a signature get the signature too."""
    parts = sent(call("c1"), call("c2", **OWN), profile=profile)

    assert [part.get("thoughtSignature") for part in parts] == [None, OURS]


@pytest.mark.parametrize(
    "carrier",
    [
        {"extra_content": {"vertex": {"thought_signature": THEIRS}}},
        {"extra_content": {"google": THEIRS}},
        {"extra_content": THEIRS},
        {"provider_specific_fields": {"thought_signature": THEIRS}},
        {"function": {"name": "f", "arguments": "{}", "thought_signature": THEIRS}},
        {
            "function": {
                "name": "f",
                "arguments": "{}",
                "provider_specific_fields": {"thought_signature": THEIRS},
            }
        },
        {"id": f"c1__thought__{THEIRS}"},
        {"id": f"c1_TSIG_{THEIRS}"},
    ],
    ids=str,
)
def test_signature_in_another_field_is_not_sent(carrier: dict[str, Any]) -> None:
    """A signature outside of ``extra_content.google`` is not sent with its call, nor is a stand-in for it."""
    assert sent({**call("c1"), **carrier}) == [{"functionCall": {"id": "c1", "name": "f", "args": {}}}]


@PROFILES
@pytest.mark.parametrize("content", ["b", [text("b")], [text("a"), text("b")]], ids=str)
def test_the_last_text_has_the_signature_of_a_message(content: Any, profile: Profile) -> None:
    """The message's signature goes to its last text part, and not to the call after the text."""
    history = [user("a"), assistant(content, [call("c1")], **OWN), tool("c1")]

    parts = build_request(history, {}, profile, "m")["contents"][1]["parts"]

    assert [part.get("thoughtSignature") for part in parts] == [*[None] * (len(parts) - 2), OURS, None]


@pytest.mark.parametrize("content", [None, "", [], [text("")]], ids=str)
def test_message_without_a_text_sends_no_signature(content: Any) -> None:
    """A message's signature is sent with its text, so a message without a text sends no signature."""
    history = [user("a"), assistant(content, [call("c1")], **OWN), tool("c1")]

    assert "thoughtSignature" not in str(build_request(history, {}, GEMINI_3, "m"))


def test_user_messages_and_results_send_no_signature() -> None:
    """Signatures in user messages and results are not sent, since only the model signs texts and calls."""
    history = [
        user([text("a"), image()], **OWN),
        assistant(None, [call("c1")]),
        tool("c1", **OWN),
        user("b", **OWN),
    ]

    assert "thoughtSignature" not in str(build_request(history, {}, GEMINI_3, "m"))


@pytest.mark.parametrize("mark", ["__thought__", "_TSIG_"])
def test_ids_are_sent_without_the_signature_s_suffix(mark: str) -> None:
    """The wire removes the suffix from the ids of calls and of results."""
    suffixed = f"c1{mark}{OURS}"
    history = [user("a"), assistant(None, [call(suffixed)]), tool(suffixed)]

    _, model, results = build_request(history, {}, GEMINI_3, "m")["contents"]

    assert model["parts"] == [{"functionCall": {"id": "c1", "name": "f", "args": {}}}]
    assert results["parts"][0]["functionResponse"]["id"] == "c1"


@pytest.mark.parametrize("mark", ["__thought__", "_TSIG_"])
def test_a_result_without_the_suffix_finds_its_call(mark: str) -> None:
    """Some clients strip the suffix from a result's id, but not from the call's."""
    history = [user("a"), assistant(None, [call(f"c1{mark}{OURS}")]), tool("c1")]

    assert (
        build_request(history, {}, GEMINI_3, "m")["contents"][2]["parts"][0]["functionResponse"]["id"] == "c1"
    )


def test_ids_alike_without_their_suffixes_stay_apart() -> None:
    """Ids that differ only in the suffix stay different, and each result has the id of its own call."""
    ids = [f"c1__thought__{OURS}", f"c1__thought__{THEIRS}", "__thought__"]
    history = [user("a"), assistant(None, [call(one) for one in ids]), *(tool(one, one) for one in ids)]

    _, model, results = build_request(history, {}, GEMINI_3, "m")["contents"]

    wire_ids = [part["functionCall"]["id"] for part in model["parts"]]
    assert len(set(wire_ids)) == 3
    assert wire_ids == [part["functionResponse"]["id"] for part in results["parts"]]
