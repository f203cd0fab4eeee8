"""Tests that a stream's pieces are assigned to the right tool calls where the index, id or name is ambiguous."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.normalize import ChunkNormalizer
from proxy.answers.normalize_answer import normalize_answer
from proxy.answers.partial_call import PartialCall
from proxy.core.errors import UpstreamFault
from proxy.planning.signatures.client_ids import CallIds

A = '{"city":"A"}'
B = '{"city":"B"}'


def piece(
    index: int | None = 0, call: str | None = None, name: str | None = "f", text: str | None = None
) -> dict[str, Any]:
    """Return a streamed piece of a tool call, as an entry of a delta's ``tool_calls``."""
    return {"index": index, "id": call, "function": {"name": name, "arguments": text}}


def more(text: str, index: int | None = 0, call: str | None = None) -> dict[str, Any]:
    """Return a later piece of a call, which has no name."""
    return piece(index, call, None, text)


def joined(*events: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Join the texts of each call as a client does, and return the calls' ids, names and arguments."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    calls: dict[int, list[str]] = {}
    deltas: list[dict[str, Any]] = [{"delta": {"tool_calls": event}} for event in events]
    for given in [*deltas, {"delta": {}, "finish_reason": "tool_calls"}]:
        chunk = normalizer.normalize({"choices": [{"index": 0, **given}]})
        for choice in (chunk or {"choices": []})["choices"]:
            for found in choice["delta"].get("tool_calls", ()):
                function = found["function"]
                assert found.get("type") == (None if found["index"] in calls else "function")
                assert found["index"] in calls or (found["id"] and function["name"])
                texts = calls.setdefault(found["index"], ["", "", ""])
                said = (found.get("id"), function.get("name"), function["arguments"])
                texts[:] = [text + (more or "") for text, more in zip(texts, said, strict=True)]
    assert list(calls) == list(range(len(calls)))
    return [(call_id, name, text) for call_id, name, text in calls.values()]


TWO = [("a", "f", A), ("b", "f", B)]
IDS = CallIds("f")
FIRST, SECOND, *_ = OURS = [IDS.id_for(None, 0, place) for place in range(5)]
"""The ids that the proxy makes for calls without a provider's id, by index."""


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ([[piece(0, "a", text=A)], [piece(0, "b", text=B)]], TWO),
        ([[piece(0, "a", text=A), piece(0, "b", text=B)]], TWO),
        ([[piece(0, "a")], [more(A)], [piece(0, "b")], [more(B[:3])], [more(B[3:])]], TWO),
        (
            [[piece(0, "a", text=A)], [piece(0, "b", text=B)], [piece(1, "c", text="{}")]],
            [*TWO, ("c", "f", "{}")],
        ),
        ([[piece(None, "a", text=A)], [piece(None, "b", text=B)]], TWO),
        ([[piece(0, "a", text=A[:4])], [piece(1, "b", text=B)], [more(A[4:])]], TWO),
        ([[piece(3, "a", text=A)], [piece(7, "b", text=B)]], TWO),
    ],
    ids=["chunks", "one chunk", "in pieces", "then 1", "no index", "told apart", "gaps"],
)
def test_a_new_id_is_a_new_call(events: list[Any], wanted: Any) -> None:
    """A new id begins a new call, even under index 0, which some servers send for every parallel call.

    A piece without an id belongs to the newest call.
    """
    assert joined(*events) == wanted


@pytest.mark.parametrize(
    "events",
    [
        [[piece(0, "a", text=A)], [piece(1, "b", text=B)], [piece(1, "b", text=B)]],
        [[piece(0, "a", text=A)], [piece(0, "b", text=B)], [piece(0, "b", text=B)]],
        [[piece(0, "a", text=A)], [piece(0, "b", text=B)], [piece(0, "a", text=A)]],
        [[piece(None, "a", text=A)], [piece(None, "b", text=B)], [piece(2, "b", text=B)]],
        [
            [piece(0, "a", text=A)],
            [piece(0, "b")],
            [more(B)],
            [piece(0, "b", text=B)],
            [piece(0, "b", text="")],
        ],
    ],
)
def test_a_repeated_call_is_sent_once(events: list[Any]) -> None:
    """A client gets a whole call once, even if the provider repeats it."""
    assert joined(*events) == TWO


@pytest.mark.parametrize(
    "events",
    [
        [[piece(0, "a")], [piece(0, "b")], [more(A, call="a")], [more(B, call="b")]],
        [[piece(0, "a", text=A[:4])], [piece(0, "a", text=A[4:])], [piece(0, "b", text=B)]],
        [[piece(0, "a", text=A[:4])], [more(A[4:], call="x")], [piece(0, "b", text=B)]],
    ],
    ids=["its place", "with its name", "made up for each piece"],
)
def test_a_repeated_id_continues_its_call(events: list[Any]) -> None:
    """A piece with a known id continues that call.

    Its id and name are not sent again, since clients join texts.
    """
    assert joined(*events) == TWO


@pytest.mark.parametrize(
    ("events", "ids"),
    [
        ([[piece(0, "a", text=A)], [piece(1, "a", text=B)]], ["a", SECOND]),
        ([[piece(0, "a", text=A)], [piece(0, "a", text=B)]], ["a", SECOND]),
        ([[piece(None, "a", text=A)], [piece(None, "a", text=B)]], ["a", SECOND]),
        ([[piece(0, text=A)], [piece(0, text=B)]], [FIRST, SECOND]),
        ([[piece(0, "", text=A)], [piece(0, "", text=B)]], [FIRST, SECOND]),
    ],
)
def test_calls_that_share_an_id_or_have_none(events: list[Any], ids: list[str]) -> None:
    """A new JSON object after a call's complete arguments is another call, which gets an id from the proxy."""
    assert joined(*events) == [(ids[0], "f", A), (ids[1], "f", B)]


def test_name_after_arguments_begins_another_call() -> None:
    """A piece with another name begins another call if arguments have begun before it, or if its index is new."""
    assert joined([piece(0, "a", "f", "")], [piece(1, "a", "g", "")]) == [
        ("a", "f", "{}"),
        (SECOND, "g", "{}"),
    ]
    assert joined([piece(0, None, "f", "{")], [piece(0, None, "g", "{")]) == [
        (FIRST, "f", "{"),
        (SECOND, "g", "{"),
    ]


def test_a_late_id_changes_nothing() -> None:
    """A call that began without an id keeps the proxy's id, even if the provider sends an id later.

    A late name becomes the call's name.
    """
    assert joined([piece(0, None, None, "")], [piece(0, None, "f", A)]) == [(FIRST, "f", A)]
    assert joined([piece(0, None, "f", A[:3])], [more(A[3:], 0, "late")]) == [(FIRST, "f", A)]


def test_calls_with_a_shared_id_are_told_apart_by_index() -> None:
    """Pieces of parallel calls with one id but different names are assigned to their calls by the index."""
    events = [
        [piece(0, "x", "f", A[:3]), piece(1, "x", "g", B[:3])],
        [more(A[3:], 0, "x")],
        [more(B[3:], 1, "x")],
    ]

    assert [(name, text) for _, name, text in joined(*events)] == [("f", A), ("g", B)]


def test_an_empty_object_may_be_a_placeholder() -> None:
    """An empty object counts as a call's arguments only if nothing follows.

    Servers that translate Anthropic's events begin a call with an empty object.
    """
    assert [text for *_, text in joined([piece(0, "a", "f", "{}")], [more(A[:3], 0)], [more(A[3:], 0)])] == [
        A
    ]
    assert [text for *_, text in joined([piece(0, "a", "f", "{}")])] == ["{}"]


def test_a_repetition_sends_nothing() -> None:
    """A repeated call sends nothing: no empty list of calls, and no empty delta."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    event = {"choices": [{"index": 0, "delta": {"tool_calls": [piece(0, "a", text=A)]}}]}
    normalizer.normalize(event)

    assert normalizer.normalize(event) is None


def test_calls_of_a_whole_answer_ignore_the_index() -> None:
    """The index of a call is ignored in an answer that is not streamed.

    Calls that share an id are separated, and a repeated call is kept once.
    """
    calls = [piece(0, "a", text=A), piece(0, "a", text=B), piece(0, "a", text=A), piece(0, "b", text=B)]
    calls += [piece(0, None, text=B), piece(0, None, text=B)]
    answer = {"choices": [{"message": {"tool_calls": calls}}]}
    found, _ = normalize_answer(answer, fallback_id="f", created=1, model="m")
    [choice] = found["choices"]

    assert [(call["id"], call["function"]["arguments"]) for call in choice["message"]["tool_calls"]] == [
        ("a", A),
        (SECOND, B),
        ("b", B),
        (OURS[3], B),
        (OURS[4], B),
    ]


def test_calls_of_a_whole_answer_are_never_joined() -> None:
    """Each call of an answer that is not streamed stays a call, even with broken arguments or equal ids."""
    for ids in ((None, None), ("", ""), ("x", "x")):
        for texts in (("{'a': 1}", "{'b': 2}"), ('{"a": 1,}', '{"b": 2,}'), ("null", '{"b": 2}'), ("", A)):
            calls = [piece(0, call, text=text) for call, text in zip(ids, texts, strict=True)]
            answer = {"choices": [{"message": {"tool_calls": calls}}]}
            [choice] = normalize_answer(answer, fallback_id="f", created=1, model="m").answer["choices"]

            assert len(choice["message"]["tool_calls"]) == 2


@pytest.mark.parametrize("where", ["call", "details"])
def test_a_signature_behind_the_end_is_kept(where: str) -> None:
    """A thought signature that comes after the arguments or the finish reason is recorded with its call's id.

    It may be too late to send the signature to the client, but the client knows the call's id
    (open-webui/computer#224).
    """
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    details = [{"type": "reasoning.encrypted", "id": "a", "data": "c2ln", "format": "google-gemini-v1"}]
    signed = {"index": 0, "extra_content": {"google": {"thought_signature": "c2ln"}}}
    events: list[dict[str, Any]] = [
        {"delta": {"tool_calls": [piece(0, "a", text=A)]}},
        *([{"delta": {"reasoning_details": details}}] if where == "details" else []),
        {"delta": {}, "finish_reason": "stop"},
        *([{"delta": {"tool_calls": [signed]}}] if where == "call" else []),
    ]
    for event in events:
        normalizer.normalize({"choices": [{"index": 0, **event}]})

    assert [(one.id, one.signature) for one in normalizer.findings.signed] == [("a", "c2ln")]


def test_a_model_in_a_loop_is_a_fault() -> None:
    """Hundreds of JSON objects in one call are a provider's fault, since the model is in a loop."""
    answer = {"choices": [{"message": {"tool_calls": [piece(0, "a", text=A * 500)]}}]}
    with pytest.raises(UpstreamFault, match="over and over"):
        normalize_answer(answer, fallback_id="f", created=1, model="m")


def test_a_whole_signed_call_is_reported_at_once() -> None:
    """A complete signed call is reported at once, since a client may run the call before the stream ends."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    signed = {**piece(0, "a", text=A), "extra_content": {"google": {"thought_signature": "c2ln"}}}

    normalizer.normalize({"choices": [{"index": 0, "delta": {"tool_calls": [signed]}}]})

    assert [(one.id, one.signature) for one in normalizer.findings.signed] == [("a", "c2ln")]


def test_each_call_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call is checked for its end at most twice, so that its cost does not grow with the number of calls."""
    looks = 0
    is_complete = PartialCall.is_complete

    def counted(call: PartialCall, *, another_has_arguments: bool) -> bool:
        nonlocal looks
        looks += 1
        return is_complete(call, another_has_arguments=another_has_arguments)

    monkeypatch.setattr(PartialCall, "is_complete", counted)
    calls = [(f"c{at}", "f", A) for at in range(100)]

    assert joined(*([piece(at, name, text=A)] for at, (name, *_) in enumerate(calls))) == calls
    assert looks <= 2 * len(calls)


def test_a_call_without_a_name_is_never_begun() -> None:
    """A call without a name is never sent, even if a second object follows.

    The end of such a stream is a provider's fault.
    """
    nameless = {"index": 0, "id": "a", "function": {"arguments": A}}
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)

    for _ in range(2):
        chunk = normalizer.normalize({"choices": [{"index": 0, "delta": {"tool_calls": [nameless]}}]})
        assert chunk is None or "tool_calls" not in chunk["choices"][0]["delta"]
    with pytest.raises(UpstreamFault):
        normalizer.normalize({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
