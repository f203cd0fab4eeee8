"""Tests that calls get their signatures back when a client reorders, splits or shortens the history.

The tests play rounds of tool calls as a client would. The emulator's signed answers pass the wire and the normalizer.
The client keeps a part of each answer. The client's history then passes restoring, sanitizing, stand-ins and the wire.
The emulator's judge refuses a missing, a foreign and a misplaced signature.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.emulator import judge
from proxy.emulator.signatures import sign_call, sign_text
from proxy.planning.signatures.client_ids import CallIds, ids_in
from proxy.planning.signatures.origins import tag_of
from proxy.planning.signatures.restoring import remove_signatures, restore_signatures
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.state.kept_signatures import Signed, StoredSignature, pack, text_key, unpack
from proxy.upstream.signature_carriers import STAND_INS
from proxy.upstream.wires.gemini import StreamReader, build_request, read_answer
from sanitizers import find_violations, profile_for, sanitize
from sanitizers.profiles import OPENAI

MODEL = "gemini-3.6-flash"
PROFILE = profile_for(f"gemini/{MODEL}")
HERE = "here gemini-3"
THERE = "there gemini-3"

Message = dict[str, Any]
History = list[Message]


@dataclass
class Loop:
    """A client's loop: its history, the proxy's store, and the signature of each signed call by id."""

    history: History
    kept: dict[str, StoredSignature] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)

    def take(self, signed: list[Signed], origin: str = HERE) -> None:
        """Store the signatures of an answer."""
        for one in signed:
            found = unpack(pack(one, origin))
            assert found is not None
            self.kept[one.id or text_key(one.signature)] = found

    def send(self) -> tuple[list[dict[str, Any]], dict[str, int]]:
        """Send the history to the emulator's judge. Return the function call parts and the counts."""
        restored, counts = restore_signatures(self.history, self.kept, HERE)
        messages, stand_ins = with_stand_ins(sanitize(restored, PROFILE).messages, PROFILE)
        body = build_request(messages, {}, PROFILE, MODEL)
        refusal = judge(MODEL, body)
        assert refusal is None, refusal
        parts = [part for content in body["contents"] for part in content["parts"] if "functionCall" in part]
        return parts, {**counts, "replaced": stand_ins}


def answer(number: int, count: int, place: str) -> list[dict[str, Any]]:
    """Return the parts of an answer with *count* calls. *place* is where the signature stands."""
    calls = [
        {"functionCall": {"name": "fg"[at % 2], "args": {"n": number, "at": at, "x": 1.5}}}
        for at in range(count)
    ]
    first: dict[str, Any] = calls[0]
    function = first["functionCall"]
    signature = sign_call(function["name"], function["args"], number)
    if place == "call":
        return [{**first, "thoughtSignature": signature}, *calls[1:]]
    holder = {"text": "", "thoughtSignature": signature}
    return [*calls, holder] if place == "behind" else [holder, *calls]


def play(rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message], origin: str = HERE) -> Loop:
    """Return the loop after *rounds* of (number of calls, place of the signature, streamed).

    *keep* returns the part of an answer that the client keeps.
    """
    loop = Loop([{"role": "user", "content": "go"}])
    for number, (count, place, streamed) in enumerate(rounds):
        parts = answer(number, count, place)
        seen = list(loop.history)
        ids = CallIds(f"seed {number}", tag=tag_of(origin), taken=lambda seen=seen: ids_in(seen))  # type: ignore[misc]
        message, signed = (streamed_message if streamed else whole_message)(parts, ids)
        loop.take(signed, origin)
        loop.history.append(keep(message))
        loop.history += [
            {"role": "tool", "tool_call_id": call["id"], "content": f"{number} {call['id']}"}
            for call in message["tool_calls"]
        ]
        for call in message["tool_calls"][:1]:
            args = {"n": number, "at": 0, "x": 1.5}
            loop.signatures[call["id"]] = sign_call(call["function"]["name"], args, number)
    return loop


def whole_message(parts: list[dict[str, Any]], ids: CallIds) -> tuple[Message, list[Signed]]:
    """Return a client's message of an answer that is not streamed, and its signatures."""
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    done, findings = normalize_answer(
        read_answer(body, model=MODEL), fallback_id="c", created=1, model="m", ids=ids
    )
    message: Message = done["choices"][0]["message"]
    return message, findings.signed


def streamed_message(parts: list[dict[str, Any]], ids: CallIds) -> tuple[Message, list[Signed]]:
    """Return a client's message of a stream with one part per event, and its signatures."""
    reader = StreamReader(MODEL)
    normalizer = ChunkNormalizer(fallback_id="c", created=1, model="m", include_usage=False, ids=ids)
    chunks = [
        chunk
        for part in parts
        for chunk in reader.feed({"candidates": [{"content": {"role": "model", "parts": [part]}}]})
    ]
    chunks += reader.feed({"candidates": [{"finishReason": "STOP"}]}) + reader.close()
    calls: dict[int, Message] = {}
    for chunk in chunks:
        for choice in (normalizer.normalize(chunk) or {"choices": []})["choices"]:
            for piece in choice["delta"].get("tool_calls", []):
                call = calls.setdefault(piece["index"], {"function": {"name": "", "arguments": ""}})
                call.update(
                    {name: value for name, value in piece.items() if name not in ("index", "function")}
                )
                for name, text in piece["function"].items():
                    call["function"][name] += text
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": list(calls.values()),
    }, normalizer.findings.signed


def everything(message: Message) -> Message:
    """Keep all fields, as a client that passes messages on does."""
    return message


def known_fields(message: Message) -> Message:
    """Keep the fields of OpenAI's format, and rewrite the arguments in another order, with other blanks."""
    calls = [
        {
            "function": {
                "arguments": json.dumps(
                    dict(reversed(json.loads(call["function"]["arguments"]).items())), separators=(",", ":")
                ),
                "name": call["function"]["name"],
            },
            "type": "function",
            "id": call["id"],
        }
        for call in message["tool_calls"]
    ]
    return {"tool_calls": calls, "content": "", "role": "assistant"}


ROUNDS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["call", "before", "behind"]), st.booleans()),
    min_size=1,
    max_size=5,
)
KEEPING = st.sampled_from([everything, known_fields])


def assert_real(loop: Loop, parts: list[dict[str, Any]]) -> None:
    """Assert that every signed call has its own signature, and that no other call has one."""
    assert {
        part["functionCall"]["id"]: part["thoughtSignature"] for part in parts if "thoughtSignature" in part
    } == {
        call["id"]: loop.signatures[call["id"]]
        for message in loop.history
        for call in message.get("tool_calls", [])
        if call["id"] in loop.signatures
    }


@given(ROUNDS, KEEPING)
def test_a_loop_keeps_its_signatures(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message]
) -> None:
    """The first call of every round has its real signature, from the store."""
    loop = play(rounds, keep)

    parts, counts = loop.send()

    assert_real(loop, parts)
    assert counts == {"restored": len(rounds), "replaced": 0}


@given(ROUNDS, KEEPING, st.data())
def test_results_in_another_order_keep_the_signatures(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message], data: st.DataObject
) -> None:
    """The order of parallel results does not change the signatures."""
    loop = play(rounds, keep)
    history: History = []
    results: History = []
    for message in [*loop.history, {"role": "end"}]:
        if message["role"] == "tool":
            results.append(message)
            continue
        history += data.draw(st.permutations(results))
        results = []
        history.append(message)
    loop.history = history[:-1]

    assert_real(loop, loop.send()[0])


@given(ROUNDS, KEEPING)
def test_calls_split_over_messages_keep_the_signature(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message]
) -> None:
    """The client sends one assistant message for each call, and then all results.

    The messages become one turn again, signed on the first call.
    """
    loop = play(rounds, keep)
    loop.history = [
        split
        for message in loop.history
        for split in (
            [{**message, "tool_calls": [call]} for call in message["tool_calls"]]
            if message.get("tool_calls")
            else [message]
        )
    ]

    assert_real(loop, loop.send()[0])


@given(ROUNDS, KEEPING, st.data())
def test_evicted_rounds_leave_the_other_signatures(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message], data: st.DataObject
) -> None:
    """When the oldest rounds are dropped, the other rounds keep their signatures."""
    loop = play(rounds, keep)
    starts = [at for at, message in enumerate(loop.history) if message["role"] == "assistant"]
    first = data.draw(st.sampled_from(starts))
    loop.history = [loop.history[0], *loop.history[first:]]

    assert_real(loop, loop.send()[0])


@given(ROUNDS, KEEPING)
def test_a_lost_signed_call_is_replaced_by_a_stand_in(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message]
) -> None:
    """A client's compaction drops the first of parallel calls, which was signed.

    The call that is now first gets a stand-in.
    """
    loop = play(rounds, keep)
    lost = set(loop.signatures)
    loop.history = [
        {**message, "tool_calls": message["tool_calls"][1:] or None}
        if message["role"] == "assistant"
        else message
        for message in loop.history
        if message.get("tool_call_id") not in lost
    ]

    parts, counts = loop.send()

    assert all(part["thoughtSignature"] in STAND_INS for part in parts if "thoughtSignature" in part)
    assert counts["replaced"] <= len(rounds)


@given(ROUNDS)
def test_another_endpoint_gets_stand_ins(rounds: list[tuple[int, str, bool]]) -> None:
    """Signatures of another origin are withheld, with and without the store. Stand-ins are sent instead."""
    for forget in (False, True):
        loop = play(rounds, everything, origin=THERE)
        if forget:
            loop.kept.clear()

        parts, counts = loop.send()

        signatures = [part["thoughtSignature"] for part in parts if "thoughtSignature" in part]
        assert set(signatures) <= STAND_INS
        assert counts == {"withheld": len(rounds), "replaced": len(rounds)}


@given(ROUNDS, KEEPING, st.booleans())
def test_another_provider_gets_no_signature(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message], streamed: bool
) -> None:
    """A model that signs nothing gets no signature in any field, and legal ids."""
    loop = play([(*each[:2], streamed) for each in rounds], keep)

    messages, _ = remove_signatures(loop.history)

    assert find_violations(messages, OPENAI) == ()
    written = json.dumps(messages)
    assert not any(signature in written for signature in loop.signatures.values())
    assert "extra_content" not in written
    assert remove_signatures(messages)[0] is messages


@given(ROUNDS)
def test_a_lost_store_leaves_the_client_s_signatures(rounds: list[tuple[int, str, bool]]) -> None:
    """Without the store, a client that sends back every field keeps its signatures.

    For other clients, stand-ins are sent.
    """
    loop = play(rounds, everything)
    loop.kept.clear()
    parts, counts = loop.send()
    assert_real(loop, parts)
    assert counts == {"carried": len(rounds), "replaced": 0}

    loop = play(rounds, known_fields)
    loop.kept.clear()
    parts, counts = loop.send()
    assert {part["thoughtSignature"] for part in parts if "thoughtSignature" in part} <= STAND_INS
    assert counts == {"replaced": len(rounds)}


@given(ROUNDS, KEEPING)
def test_a_changed_call_loses_its_signature(
    rounds: list[tuple[int, str, bool]], keep: Callable[[Message], Message]
) -> None:
    """A call whose arguments changed is no longer the signed call, so its signature is withheld."""
    loop = play(rounds, keep)
    for message in loop.history:
        for call in message.get("tool_calls", []):
            call["function"]["arguments"] = '{"n": 100}'

    parts, counts = loop.send()

    assert {part["thoughtSignature"] for part in parts if "thoughtSignature" in part} <= STAND_INS
    assert counts == {"withheld": len(rounds), "replaced": len(rounds)}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("keeps", [True, False])
def test_the_signature_of_a_text_returns_to_its_origin(streamed: bool, keeps: bool) -> None:
    """A text's signature is sent again only if the client returns it and its origin is known."""
    loop = Loop([{"role": "user", "content": "go"}])
    signature = sign_text(1)
    parts = [{"text": "Good day."}, {"text": "", "thoughtSignature": signature}]
    if streamed:
        reader = StreamReader(MODEL)
        normalizer = ChunkNormalizer(fallback_id="c", created=1, model="m", include_usage=False)
        event = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
        deltas = [
            choice["delta"]
            for chunk in reader.feed(event) + reader.close()
            for choice in (normalizer.normalize(chunk) or {})["choices"]
        ]
        message = {name: value for delta in deltas for name, value in delta.items()}
        signed = normalizer.findings.signed
    else:
        message, signed = whole_message(parts, CallIds("s"))
    loop.take(signed)
    assert message["extra_content"] == {"google": {"thought_signature": signature}}
    if not keeps:
        del message["extra_content"]
    loop.history += [message, {"role": "user", "content": "on"}]

    restored, _ = restore_signatures(loop.history, loop.kept, HERE)
    body = build_request(sanitize(restored, PROFILE).messages, {}, PROFILE, MODEL)

    assert judge(MODEL, body) is None
    expected = {"text": "Good day.", **({"thoughtSignature": signature} if keeps else {})}
    assert body["contents"][1]["parts"] == [expected]
    elsewhere, counts = restore_signatures(loop.history, {}, HERE)
    assert "extra_content" not in elsewhere[1]
    assert counts == ({"withheld": 1} if keeps else {})
