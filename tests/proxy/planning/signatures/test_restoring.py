"""Tests of restoring signatures: which fields are read, and which signatures are sent or withheld."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.emulator.signatures import CORRUPTED
from proxy.planning.repairs import repair_request
from proxy.planning.signatures.client_ids import CallIds
from proxy.planning.signatures.origins import tag_of
from proxy.planning.signatures.restoring import remove_signatures, restore_signatures, signature_keys
from proxy.state.kept_signatures import Signed, StoredSignature, pack, text_key, unpack
from proxy.upstream.signature_carriers import (
    CALL_SIGNATURE_FIELDS,
    MESSAGE_SIGNATURE_FIELDS,
    STAND_IN,
    STAND_INS,
    call_signatures,
    text_signatures,
)
from proxy.upstream.wires.gemini import build_request
from sanitizers import profile_for, sanitize
from sanitizers.gemini_profiles import GEMINI_2, GEMINI_3
from sanitizers.outline import outline_of
from tests.proxy.planning.repairs.asking import refusal
from tests.support.builders import assistant, call, system, text, tool, user
from tests.support.gemini_body import HERE, THERE, as_sent, direct_body

OURS = "T3Vycw=="
THEIRS = "VGhlaXJz"
OWN = {"extra_content": {"google": {"thought_signature": THEIRS}}}
ENTRY = {"type": "reasoning.encrypted", "id": "c1", "data": THEIRS, "format": "google-gemini-v1"}
CARRIERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "google": (OWN, {}),
    "vertex": ({"extra_content": {"vertex": {"thought_signature": THEIRS}}}, {}),
    "litellm": ({"provider_specific_fields": {"thought_signature": THEIRS}}, {}),
    "function": ({"function": {"name": "f", "arguments": "{}", "thought_signature": THEIRS}}, {}),
    "function fields": (
        {
            "function": {
                "name": "f",
                "arguments": "{}",
                "provider_specific_fields": {"thought_signature": THEIRS},
            }
        },
        {},
    ),
    "litellm's id": ({"id": f"c1__thought__{THEIRS}"}, {}),
    "9router's id": ({"id": f"c1_TSIG_{THEIRS}"}, {}),
    "reasoning": ({}, {"reasoning_details": [{"type": "reasoning.summary"}, ENTRY]}),
    "reasoning of an id with a suffix": ({"id": "c1__thought__"}, {"reasoning_details": [ENTRY]}),
}
"""The fields that can carry a signature: for each carrier, fields of the call and fields of its message."""

EACH = pytest.mark.parametrize("carrier", CARRIERS)


def carried(carrier: str, **more: Any) -> list[dict[str, Any]]:
    """Return a history whose call carries a signature."""
    fields, beside = CARRIERS[carrier]
    one = {**call("c1"), **fields, **more}
    return [user("a"), assistant(None, [one], **beside), tool(one["id"])]


def kept_of(one: dict[str, Any], signature: str = OURS, origin: str = HERE) -> dict[str, StoredSignature]:
    """Return a store with the signature of one call, by the call's id."""
    function = one["function"]
    kept = unpack(pack(Signed(one["id"], function["name"], function["arguments"], signature), origin))
    assert kept is not None
    return {one["id"]: kept}


def bare(messages: Any) -> bool:
    """Return True if *messages* hold no signature, except in ids and in `reasoning_details`."""
    return not any(
        list(text_signatures(message))
        or any(list(call_signatures({**one, "id": "c"}, {})) for one in message.get("tool_calls") or ())
        for message in messages
        if message["role"] == "assistant"
    )


@EACH
def test_signature_of_every_carrier_is_restored(carrier: str) -> None:
    """A client's signature is moved to the canonical field, and removed from all other fields.

    The ids of results still match.
    """
    history = carried(carrier)
    before = copy.deepcopy(history)

    messages, counts = restore_signatures(history, {}, HERE)

    assert history == before
    assert counts == {"carried": 1}
    given = history[1]["tool_calls"][0]
    assert messages[1]["tool_calls"] == [call(given["id"], **OWN)]
    assert (messages[0], messages[2]) == (history[0], history[2])
    assert direct_body(history, GEMINI_3, "m")["contents"][1]["parts"] == [
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": THEIRS}
    ]


@EACH
def test_signature_of_another_endpoint_is_withheld(carrier: str) -> None:
    """A signature with another origin is withheld, whichever field carries it. The provider gets a stand-in instead."""
    history = carried(carrier)
    given = history[1]["tool_calls"][0]

    messages, counts = restore_signatures(history, {"c1": _kept(THERE)}, HERE)

    assert counts == {"withheld": 1}
    assert messages[1]["tool_calls"] == [call(given["id"])]
    assert direct_body(history, GEMINI_3, "m", elsewhere=True)["contents"][1]["parts"] == [
        {"functionCall": {"id": "c1", "name": "f", "args": {}}, "thoughtSignature": STAND_IN}
    ]


@EACH
def test_a_stored_signature_wins_over_a_carried_one(carrier: str) -> None:
    """The proxy stores its own copy under the call's id without the suffix.

    The client may have cut or joined the copy that it sends.
    """
    messages, counts = restore_signatures(carried(carrier), kept_of(call("c1")), HERE)

    assert counts == {"restored": 1}
    [restored] = messages[1]["tool_calls"]
    assert restored["extra_content"] == {"google": {"thought_signature": OURS}}
    assert THEIRS not in str({**restored, "id": None})


@pytest.mark.parametrize(
    ("origin", "signed"),
    [(THERE, call("c1")), (HERE, call("c1", "g")), (HERE, call("c1", "f", '{"a": 1}'))],
    ids=["another endpoint", "another name", "other arguments"],
)
def test_a_stored_signature_of_another_call_is_withheld(origin: str, signed: dict[str, Any]) -> None:
    """If the stored signature is for another call, the client's signature is withheld as well."""
    messages, counts = restore_signatures(carried("google"), kept_of(signed, origin=origin), HERE)

    assert counts == {"withheld": 1}
    assert bare(messages)


@pytest.mark.parametrize(
    ("origin", "counted"), [(HERE, {"carried": 1}), (THERE, {"withheld": 1})], ids=["here", "elsewhere"]
)
@EACH
def test_the_proxy_s_ids_hold_the_origin_of_a_call(
    carrier: str, origin: str, counted: dict[str, int]
) -> None:
    """Without a stored signature, the client's signature is sent only to the origin in the id."""
    ours = CallIds("s", tag=tag_of(origin)).id_for(None, 0, 0)
    fields, beside = CARRIERS[carrier]
    given = {**call("c1"), **fields}
    given["id"] = given["id"].replace("c1", ours, 1)
    details = [{**one, "id": ours} if "id" in one else one for one in beside.get("reasoning_details", ())]
    history = [user("a"), assistant(None, [given], reasoning_details=details), tool(given["id"])]

    messages, counts = restore_signatures(history, {}, HERE)

    assert counts == counted
    assert messages[1]["tool_calls"] == [call(given["id"], **(OWN if origin == HERE else {}))]


UNREADABLE = ["", "EsICCr8CAb4", "dTBoZ0I=RXBzRkNr", "msg_01…", "é", "\ud83d", "QUJD\n", *sorted(STAND_INS)]


@pytest.mark.parametrize("signature", UNREADABLE, ids=ascii)
@EACH
def test_unreadable_signatures_and_stand_ins_are_not_signatures(carrier: str, signature: str) -> None:
    """Gemini's parser refuses undecodable base64.

    A client's stand-in is dropped, and a new one is set only where the call needs one.
    """
    history = json.loads(json.dumps(carried(carrier)).replace(THEIRS, json.dumps(signature)[1:-1]))
    history[1]["tool_calls"].insert(0, call("c0"))

    messages, counts = restore_signatures(history, {}, HERE)

    assert counts == {}
    assert bare(messages)
    first, second = direct_body(history, GEMINI_3, "m", elsewhere=False)["contents"][1]["parts"]
    assert first["thoughtSignature"] == STAND_IN
    assert "thoughtSignature" not in second


def test_the_first_possible_signature_counts() -> None:
    """The first carrier with a possible signature wins. A text that cannot be a signature is skipped."""
    both = {"provider_specific_fields": {"thought_signature": OURS}}

    assert brought({**OWN, **both}) == THEIRS
    assert brought({"extra_content": {"google": {"thought_signature": STAND_IN}}, **both}) == OURS
    assert brought({"id": f"c1__thought__{THEIRS}", **both}) == OURS
    assert brought({"id": f"c1__thought__{THEIRS}"}, reasoning_details=[{**ENTRY, "data": OURS}]) == THEIRS


def brought(fields: dict[str, Any], **beside: Any) -> str | None:
    """Return the signature that is sent for a call with *fields*, in a message with the fields *beside*."""
    history = [user("a"), assistant(None, [{**call("c1"), **fields}], **beside)]
    [found] = restore_signatures(history, {}, HERE)[0][1]["tool_calls"]
    extra: dict[str, dict[str, str]] = found.get("extra_content", {})
    return extra.get("google", {}).get("thought_signature")


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({}, True),
        ({"format": None}, True),
        ({"format": "unknown"}, True),
        ({"format": "anthropic-claude-v1"}, False),
        ({"format": "openai-responses-v1"}, False),
        ({"type": "reasoning.text"}, False),
        ({"id": "c2"}, False),
        ({"id": None}, False),
        ({"data": None}, False),
        ({"data": [THEIRS]}, False),
    ],
    ids=str,
)
def test_an_entry_of_reasoning_is_read(change: dict[str, Any], read: bool) -> None:
    """A reasoning entry is read only if it names this call and its format can be Gemini's."""
    assert brought({}, reasoning_details=[{**ENTRY, **change}]) == (THEIRS if read else None)


ODD: list[Any] = [None, True, 7, 0.5, "x", [], ["x"], [[]], {}, {"x": 1}]


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    "path", [*CALL_SIGNATURE_FIELDS, *MESSAGE_SIGNATURE_FIELDS, ("reasoning_details",)], ids=".".join
)
def test_hostile_carriers_hold_no_signature(path: tuple[str, ...], value: Any) -> None:
    """A carrier with a value of the wrong type holds no signature, and raises no error."""
    for depth in range(1, len(path) + 1):
        wrong: Any = value
        for name in reversed(path[:depth]):
            wrong = {name: wrong}
        if "function" in wrong:
            if not isinstance(wrong["function"], dict):
                continue
            wrong["function"] |= {"name": "f", "arguments": "{}"}
        history = [user("a"), assistant("b", [{**call("c1"), **wrong}], **wrong), tool("c1")]

        _, counts = restore_signatures(history, {}, HERE)

        assert counts["carried"] == counts["restored"] == 0
        remove_signatures(history)
        signature_keys(history)


@pytest.mark.parametrize("name", ["type", "format", "id", "data"])
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_hostile_reasoning_holds_no_signature(name: str, value: Any) -> None:
    """A reasoning entry with a value of the wrong type holds no signature.

    Only the format may be None, since the entry may then be Gemini's.
    """
    if (name, value) != ("format", None):
        assert brought({}, reasoning_details=[value, {**ENTRY, name: value}]) is None


def test_a_history_without_signatures_is_the_same_object() -> None:
    """A history whose signatures are all in the canonical field is returned as the same object."""
    history = [system("s"), user("a"), assistant("b"), assistant("c", [call("c1"), call("c2", **OWN)])]
    history += [tool("c1"), tool("c2"), user("d", extra_content=OWN["extra_content"])]

    messages, counts = restore_signatures(history, {}, HERE)

    assert messages is history
    assert counts == {"carried": 1}


def test_restoring_moves_signatures_alone() -> None:
    """Other fields of calls and messages stay."""
    fields = {"provider_specific_fields": {"thought_signature": THEIRS, "x": 1}, "y": 2}
    beside = {"extra_content": {"google": {"thought_signature": THEIRS, "z": 3}}}
    history = [user("a"), assistant("b", [call("c1", **fields)], **beside), tool("c1")]

    messages, counts = restore_signatures(history, {}, HERE)

    assert messages[1] == assistant(
        "b",
        [call("c1", provider_specific_fields={"x": 1}, y=2, **OWN)],
        extra_content={"google": {"z": 3}},
    )
    assert counts == {"carried": 1, "withheld": 1}


ON_TEXTS: list[dict[str, Any]] = [
    {"extra_content": {"google": {"thought_signature": THEIRS}}},
    {"extra_content": {"vertex": {"thought_signature": THEIRS}}},
    {"provider_specific_fields": {"thought_signature": THEIRS}},
    {"provider_specific_fields": {"thought_signatures": ["", THEIRS]}},
]


@pytest.mark.parametrize("profile", [GEMINI_2, GEMINI_3], ids=lambda profile: profile.name)
@pytest.mark.parametrize("carrier", ON_TEXTS, ids=str)
def test_a_text_s_signature_is_sent_to_its_known_origin(carrier: dict[str, Any], profile: Any) -> None:
    """A text's signature is never required.

    A signature of unknown origin is therefore withheld, and removed from every field.
    """
    history = [user("a"), assistant([text("b"), text("c")], **carrier), user("d")]
    expected = {HERE: (OWN, {"carried": 1}), THERE: ({}, {"withheld": 1}), None: ({}, {"withheld": 1})}

    for origin, (extra, counted) in expected.items():
        kept = {} if origin is None else {text_key(THEIRS): _kept(origin)}
        messages, counts = restore_signatures(history, kept, HERE)

        assert messages == [history[0], assistant([text("b"), text("c")], **extra), history[2]]
        assert counts == counted
        parts = build_request(messages, {}, profile, "m")["contents"][1]["parts"]
        assert [part.get("thoughtSignature") for part in parts] == [None, THEIRS if extra else None]


def test_store_keys_are_ids_and_digests() -> None:
    """The keys are the ids of calls without suffixes, and digests of the client's signatures."""
    details = {"reasoning_details": [ENTRY]}
    history = [
        user("a", **OWN),
        assistant("b", [call(f"c1__thought__{OURS}"), call("c2", **OWN)], **details),
        tool("c1"),
        tool("c2"),
        assistant("c", **OWN),
        assistant("d"),
    ]

    assert set(signature_keys(history)) == {"c1", "c2", text_key(OURS), text_key(THEIRS)}


@EACH
def test_models_that_sign_nothing_get_no_signature(carrier: str) -> None:
    """Only Gemini reads signatures, so other models get none in any field or id. Calls and results still match."""
    history = carried(carrier)
    history[1] |= OWN

    messages, counts = remove_signatures(history)

    assert bare(messages)
    assert THEIRS not in str(messages)
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] == "c1"
    assert counts == {"withheld": 1}
    assert remove_signatures(messages)[0] is messages


KNOWN = json.loads((Path(__file__).parents[4] / "proxy" / "conformance" / "known.json").read_text("utf-8"))


@pytest.mark.parametrize("model", ["gemini-3-pro-preview", "gemini-3.6-flash", "gemini-3.7-flash"])
@pytest.mark.parametrize(
    "entry", [e for e in KNOWN if e["id"] in ("g65", "g66", "g68")], ids=lambda e: e["id"]
)
def test_signatures_of_public_reports_do_no_harm(entry: dict[str, Any], model: str) -> None:
    """Joined and cut signatures are replaced at once.

    A foreign signature in valid base64 is replaced after a refusal.
    """
    profile = profile_for(f"gemini/{model}")
    messages = as_sent(sanitize(entry["messages"], profile).messages, profile)

    refused = judge(model, build_request(messages, {}, profile, model))

    if entry["id"] != "g68":  # this one decodes
        assert refused is None
        return
    assert refused is not None
    assert refused.message == CORRUPTED
    done = repair_request(messages, {}, profile, refusal(refused.message))
    assert done is not None
    assert judge(model, build_request(done.messages, {}, profile, model)) is None


def _kept(origin: str) -> StoredSignature:
    return StoredSignature(signature="", origin=origin, as_written="", as_meant="")


SIGNED_CALLS = [
    call(f"call_{tag_of(HERE)}{'a' * 19}", **OWN),
    call(f"call_{tag_of(THERE)}{'a' * 19}", **OWN),
    call("c7", extra_content={"google": {"thought_signature": "é"}}),
    call("c8", extra_content={"google": {"thought_signature": STAND_IN}}),
    call("c9", extra_content={"google": {"thought_signature": THEIRS}, "vertex": {}}),
]
"""Calls with a signature that stays, one that is left out, two that are none, and one beside another field."""


@given(
    st.lists(
        st.lists(st.sampled_from([call("c1"), call("c4", **OWN), *SIGNED_CALLS]), min_size=1, max_size=2).map(
            lambda calls: assistant(None, calls)
        ),
        max_size=3,
    )
)
def test_result_with_an_empty_store_is_that_of_a_store_of_other_calls(turns: list[Any]) -> None:
    """All usual signatures are read together without a store. The result is the same."""
    history = [user("a"), *turns]
    restored, counts = restore_signatures(history, {}, HERE, outline_of(history))
    expected, known = restore_signatures(history, {"another": _kept(THERE)}, HERE)

    assert (restored, dict(counts)) == (expected, dict(known))
    assert (restored is history) == (expected is history)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(ON_TEXTS).map(lambda carrier: assistant("b", **carrier)),
            st.lists(
                st.sampled_from(["c1", "c2", f"c3__thought__{OURS}"]), min_size=1, max_size=2, unique=True
            ).map(lambda ids: assistant(None, [call(id) for id in ids])),
            st.lists(
                st.sampled_from([call("c4", **OWN), call("c5", index=0), call("c6"), *SIGNED_CALLS]),
                min_size=1,
                max_size=2,
            ).map(lambda calls: assistant("b", calls)),
            st.sampled_from([tool("c1"), tool(f"c3__thought__{OURS}"), user("a"), assistant("b")]),
        ),
        max_size=6,
    ),
    st.sets(st.sampled_from(["c1", "c2", "c3", text_key(OURS), text_key(THEIRS)])),
)
def test_result_with_an_outline_is_the_same(history: list[Any], known: set[str]) -> None:
    """With an outline, messages that can neither hold nor get a signature are skipped. The result is the same."""
    kept = dict.fromkeys(sorted(known), _kept(HERE))
    outline = outline_of(history)

    assert restore_signatures(history, kept, HERE, outline) == restore_signatures(history, kept, HERE)
    assert remove_signatures(history, outline) == remove_signatures(history)
    assert set(signature_keys(history, outline)) == set(signature_keys(history))
    assert len(signature_keys(history, outline)) <= len(signature_keys(history))
    if restore_signatures(history, kept, HERE)[0] is history:
        assert restore_signatures(history, kept, HERE, outline)[0] is history
