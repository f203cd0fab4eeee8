"""Which signatures and ids are sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from proxy.emulator import judge
from proxy.wires.gemini import build_request
from proxy.wires.gemini.signatures import DUMMY
from sanitizers import profile_for, sanitize
from sanitizers.profiles import GEMINI_2, GEMINI_3
from tests.support.builders import assistant, call, tool, user

OURS = "T3Vycw=="
THEIRS = "VGhlaXJz"
CARRIERS: dict[str, dict[str, Any]] = {
    "google": {"extra_content": {"google": {"thought_signature": THEIRS}}},
    "vertex": {"extra_content": {"vertex": {"thought_signature": THEIRS}}},
    "litellm": {"provider_specific_fields": {"thought_signature": THEIRS}},
    "function": {"function": {"name": "f", "arguments": "{}", "thought_signature": THEIRS}},
    "function_fields": {
        "function": {
            "name": "f",
            "arguments": "{}",
            "provider_specific_fields": {"thought_signature": THEIRS},
        }
    },
}


def sent(*calls: dict[str, Any], profile: Any = GEMINI_3, **options: Any) -> list[dict[str, Any]]:
    """Return the parts that the calls become."""
    history = [user("a"), assistant(None, calls), *(tool(one["id"]) for one in calls)]
    body = build_request(history, {}, profile, "m", **options)
    parts: list[dict[str, Any]] = body["contents"][1]["parts"]
    return parts


def test_the_suffix_of_the_id_is_trusted() -> None:
    """It is what we gave out; the id on the wire, on both sides, is the part before it."""
    history = [user("a"), assistant(None, [call(f"c1__thought__{OURS}")]), tool(f"c1__thought__{OURS}")]

    _, model, results = build_request(history, {}, GEMINI_3, "m")["contents"]

    assert model["parts"] == [
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": OURS}
    ]
    assert results["parts"][0]["functionResponse"]["id"] == "c1"


def test_a_result_without_the_suffix_finds_its_call() -> None:
    """Clients strip the suffix on one side only."""
    history = [user("a"), assistant(None, [call(f"c1__thought__{OURS}")]), tool("c1")]

    assert (
        build_request(history, {}, GEMINI_3, "m")["contents"][2]["parts"][0]["functionResponse"]["id"] == "c1"
    )


@pytest.mark.parametrize("carrier", CARRIERS)
def test_other_carriers_need_trust(carrier: str) -> None:
    """What others wrote is sent only when somebody vouches for it."""
    carried = {**call("c1"), **CARRIERS[carrier]}

    assert sent(carried)[0]["thoughtSignature"] == DUMMY
    assert sent(carried, trusted=lambda _: False)[0]["thoughtSignature"] == DUMMY
    assert sent(carried, trusted=lambda signature: signature == THEIRS)[0]["thoughtSignature"] == THEIRS


def test_trust_is_asked_about_the_suffix_too() -> None:
    """So that a caller can have every signature replaced after "Corrupted thought signature."."""
    ours = call(f"c1__thought__{OURS}")

    assert sent(ours, trusted=lambda _: False)[0]["thoughtSignature"] == DUMMY


@pytest.mark.parametrize(
    "signature",
    ["", "EsICCr8CAb4", "dTBoZ0I=RXBzRkNr", "msg_01…", "é", DUMMY, "skip_thought_signature_validator"],
)
def test_unreadable_signatures_and_stand_ins_are_none(signature: str) -> None:
    """Base64 that does not decode is refused by the parser; a stand-in is set where one is needed, not replayed."""
    first, second = sent(call("c1"), call(f"c2__thought__{signature}"), trusted=lambda _: True)

    assert first["thoughtSignature"] == DUMMY
    assert "thoughtSignature" not in second


def test_only_the_first_call_gets_a_stand_in() -> None:
    """Gemini signs the first of parallel calls; a signature of a later one stays where it is."""
    parts = sent(call("c1"), call("c2"), call(f"c3__thought__{OURS}"))

    assert [part.get("thoughtSignature") for part in parts] == [DUMMY, None, OURS]


def test_gemini_2_gets_a_signature_but_no_stand_in() -> None:
    """It may have one and never asks for it."""
    parts = sent(call(f"c1__thought__{OURS}"), call("c2"), profile=GEMINI_2)

    assert [part.get("thoughtSignature") for part in parts] == [OURS, None]


def test_ids_alike_without_their_suffixes_stay_apart() -> None:
    """Two calls of one content never share an id on the wire, and each result follows its own."""
    ids = [f"c1__thought__{OURS}", f"c1__thought__{THEIRS}", "__thought__"]
    history = [user("a"), assistant(None, [call(one) for one in ids]), *(tool(one, one) for one in ids)]

    _, model, results = build_request(history, {}, GEMINI_3, "m")["contents"]

    wire_ids = [part["functionCall"]["id"] for part in model["parts"]]
    assert len(set(wire_ids)) == 3
    assert wire_ids == [part["functionResponse"]["id"] for part in results["parts"]]


KNOWN = json.loads((Path(__file__).parents[3] / "histories" / "known.json").read_text("utf-8"))


@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-3.6-flash", "gemini-3.7-flash"])
@pytest.mark.parametrize(
    "entry", [e for e in KNOWN if e["id"] in ("g65", "g66", "g68")], ids=lambda e: e["id"]
)
def test_known_signatures_do_no_harm(entry: dict[str, Any], model: str) -> None:
    """Joined, cut and foreign signatures of public reports are replaced; even trusted ones have to be base64."""
    profile = profile_for(f"gemini/{model}")
    messages = sanitize(entry["messages"], profile).messages

    assert judge(model, build_request(messages, {}, profile, model)) is None
    if entry["id"] != "g68":  # that one decodes
        assert judge(model, build_request(messages, {}, profile, model, trusted=lambda _: True)) is None
