"""Checks the requests that reached Gemini's emulator, and a client's report of its rounds.

The emulator refuses missing and misplaced signatures by itself, but accepts Google's stand-ins for any signature. These
checks fail on stand-ins: a signature must come back as it was issued.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from proxy.emulator.judge import read_request
from proxy.emulator.signatures import DUMMIES, verify
from tests.clients.rounds import LAST_WORDS, ROUNDS, Call, Round, issued_signature
from tests.clients.running_clients import Report

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""A call id that every provider accepts:

at most 40 characters for OpenAI, and only these characters for Anthropic.
"""

ADDED_FIELDS = {"index"}
"""Fields that a client adds to a call.

openai-python's stream helper leaves ``index`` there, and OpenAI accepts it.
"""


def check_report(report: Report, rounds: Sequence[Round] = ROUNDS) -> None:
    """Check that the client saw each round's calls once and in order, with portable ids, and then the last text."""
    seen = [[(call.name, call.arguments) for call in calls] for calls in report.rounds]
    assert seen == [[(call.name, call.args) for call in expected.calls] for expected in rounds]
    assert report.text == LAST_WORDS
    ids = [call.id for calls in report.rounds for call in calls]
    assert len(set(ids)) == len(ids)
    assert [call_id for call_id in ids if not CALL_ID.fullmatch(call_id)] == []


def check_request(
    body: Mapping[str, Any],
    rounds_done: int,
    foreign: Collection[int] = (),
    rounds: Sequence[Round] = ROUNDS,
) -> None:
    """Check that Gemini was sent the prompt and *rounds_done* of *rounds*: calls, signatures, and then results.

    The rounds whose numbers are *foreign* came from another provider. The first call of each such round must have a
    stand-in, the only possible signature.
    """
    request, refusal = read_request(dict(body))  # accepts both spellings of the fields' names
    assert refusal is None
    prompt, *turns = request["contents"]
    assert prompt["role"] == "user"
    assert all("functionResponse" not in part for part in prompt["parts"])
    assert [turn["role"] for turn in turns] == ["model", "user"] * rounds_done
    for number in range(rounds_done):
        calling, answering = turns[2 * number : 2 * number + 2]
        parts = [part for part in calling["parts"] if "functionCall" in part]
        _check_calls(rounds[number].calls, parts, answering["parts"])
        issued = issued_signature(number, rounds)
        _check_signatures(number, parts, None if number in foreign else issued)


def check_openai_request(body: Any, rounds_done: int, rounds: Sequence[Round] = ROUNDS) -> None:
    """Check that OpenAI was sent *rounds_done* of *rounds* in its own fields only, each result after its call."""
    text = json.dumps(body)
    signatures = [issued_signature(number, rounds) for number in range(rounds_done)]
    for word in ("extra_content", "thought", "signature", *signatures):
        assert word not in text
    prompt, *messages = body["messages"]
    assert prompt["role"] == "user"
    for expected in rounds[:rounds_done]:
        calling, *results = messages[: 1 + len(expected.calls)]
        messages = messages[1 + len(expected.calls) :]
        calls = calling["tool_calls"]
        assert {field for call in calls for field in call} - ADDED_FIELDS == {"id", "type", "function"}
        assert [call["id"] for call in calls if not CALL_ID.fullmatch(call["id"])] == []
        assert [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls] == [
            (call.name, call.args) for call in expected.calls
        ]
        assert [(result["tool_call_id"], result["content"]) for result in results] == [
            (call["id"], wanted.result) for call, wanted in zip(calls, expected.calls, strict=True)
        ]
    assert messages == []


def check_responses_request(body: Any, rounds_done: int, rounds: Sequence[Round] = ROUNDS) -> None:
    """Check that a provider of responses was sent *rounds_done* of *rounds* as items, each result behind its calls."""
    prompt, *items = [item for item in body["input"] if item.get("type") != "reasoning"]
    assert prompt["role"] == "user"
    for expected in rounds[:rounds_done]:
        calls, items = items[: len(expected.calls)], items[len(expected.calls) :]
        results, items = items[: len(expected.calls)], items[len(expected.calls) :]
        assert [(call["type"], call["name"], json.loads(call["arguments"])) for call in calls] == [
            ("function_call", call.name, call.args) for call in expected.calls
        ]
        assert [(result["call_id"], _text_of(result["output"])) for result in results] == [
            (call["call_id"], wanted.result) for call, wanted in zip(calls, expected.calls, strict=True)
        ]
    assert items == []


def _text_of(output: Any) -> Any:
    return output if isinstance(output, str) else "".join(part["text"] for part in output)


def _check_calls(
    expected: Sequence[Call], parts: Sequence[Mapping[str, Any]], answers: Sequence[Mapping[str, Any]]
) -> None:
    calls = [part["functionCall"] for part in parts]
    results = [part["functionResponse"] for part in answers]  # a part of another kind raises KeyError
    assert [(call["name"], call["args"]) for call in calls] == [(call.name, call.args) for call in expected]
    assert [(result["name"], *result["response"].values()) for result in results] == [
        (call.name, call.result) for call in expected
    ]
    ids = [call.get("id") for call in calls]
    assert [result.get("id") for result in results] == ids
    assert ids == [None] * len(ids) or len(set(ids) - {None}) == len(ids)


def _check_signatures(number: int, parts: Sequence[Mapping[str, Any]], issued: str | None) -> None:
    """Check the signature of a round: the one that was *issued*, or a stand-in where that is None."""
    first, *others = parts
    signature = first.get("thoughtSignature")
    assert signature, f"round {number + 1} came back without a signature"
    assert [part for part in others if "thoughtSignature" in part] == []
    if issued is None:
        assert signature in DUMMIES
        return
    assert signature not in DUMMIES, f"round {number + 1} came back with a stand-in"
    assert verify(signature, first) is None
    assert signature == issued
