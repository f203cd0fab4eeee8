"""Tests the real Claude Code: real commands on each provider, parallel calls, and its look at the context."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from proxy.emulator.signatures import sign_call
from tests.clients.at_length.claude_code import ClaudeCode
from tests.clients.at_length.claude_code_cases import (
    APPEND,
    PROMPT,
    THOUGHT,
    WRITE,
    call,
    check_answers,
    signatures_in,
)
from tests.clients.messages.cases import (
    CLAUDE,
    CLAUDES,
    GEMINI,
    GEMINI_AS_CLAUDE,
    GPT,
    GPT_AS_CLAUDE,
    OLD_CLAUDE,
)
from tests.clients.messages.gateways import Gateways
from tests.clients.rounds import LAST_WORDS
from tests.clients.test_documented_messages_clients import ORIGIN, block_of
from tests.support.builders import PNG_URL

MODELS = (GEMINI, GEMINI_AS_CLAUDE, GPT, GPT_AS_CLAUDE, CLAUDE, OLD_CLAUDE)
GEMINIS = (GEMINI, GEMINI_AS_CLAUDE)


def test_the_documented_variables(messages_gateways: Gateways, tmp_path: Path) -> None:
    """The variables of the page are enough, unchanged except for the address."""
    gateways = messages_gateways
    variables = dict(re.findall(r"^export (\w+)=(\S+)", block_of("Claude Code", "sh"), re.MULTILINE))
    assert variables["ANTHROPIC_BASE_URL"] == ORIGIN
    gateways.queue(GEMINI, LAST_WORDS)
    gateways.begin()
    claude = ClaudeCode(tmp_path, gateways.origin, "", {**variables, "ANTHROPIC_BASE_URL": gateways.origin})

    ended = claude.run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert len(gateways.accepted(GEMINI)) == 1


@pytest.mark.parametrize("state", ["stored", "lost", "stripped"])
@pytest.mark.parametrize("model", MODELS)
def test_a_loop_of_real_commands(messages_gateways: Gateways, tmp_path: Path, model: str, state: str) -> None:
    """Claude Code runs each command once, the model gets what it wrote, and Gemini its signatures.

    The answers are in the store and in the envelopes, in the envelopes alone, or in the store alone.
    """
    gateways = messages_gateways
    write, append = call("Bash", WRITE), call("Bash", APPEND)
    text = {"type": "text", "text": "Let me write."}
    gateways.queue(model, [THOUGHT, text, THOUGHT, write], [THOUGHT, append], LAST_WORDS, "Still there.")
    gateways.begin(is_lost=state == "lost", strips=state == "stripped")
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    ended = claude.run(PROMPT)
    again = claude.run("Is the note still there?")

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (again.status, again.result) == (0, "Still there."), again
    assert (claude.work / "note.txt").read_text() == "real-42\nmore-53\n"
    check_answers(gateways, model, 200, 200, 200, 200)
    bodies = gateways.accepted(model)
    assert len(bodies) == 4
    assert "real-42" in json.dumps(bodies[1])
    assert "more-53" in json.dumps(bodies[2])
    assert LAST_WORDS in json.dumps(bodies[3])
    if model in GEMINIS:
        issued = [sign_call("Bash", WRITE, 0), sign_call("Bash", APPEND, 1)]
        assert [signatures_in(body) for body in bodies] == [[], issued[:1], issued, issued]
    if model in CLAUDES and (model, state) != (OLD_CLAUDE, "stripped"):  # its thinking is off then
        for exchange, body in zip(gateways.exchanges, bodies, strict=True):
            assert {**body, "model": None} == {**exchange.request, "model": None}


@pytest.mark.parametrize("model", MODELS)
def test_parallel_calls_and_an_image(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Results that come back in another order than their calls reach the model with their own calls."""
    gateways = messages_gateways
    picture = tmp_path / "dot.png"
    picture.write_bytes(b64decode(PNG_URL.partition(",")[2]))
    calls = [
        call("Bash", {"command": "sleep 1; echo first-$((1 + 1))", "description": "Slow"}),
        call("Read", {"file_path": str(picture)}),
        call("Bash", {"command": "echo third-$((3 + 3))", "description": "Fast"}),
        call("Write", {"file_path": str(tmp_path / "work" / "new.txt"), "content": "fresh\n"}),
    ]
    gateways.queue(model, [THOUGHT, *calls], LAST_WORDS)
    gateways.begin(is_lost=True)
    claude = ClaudeCode(tmp_path, gateways.origin, model)

    ended = claude.run(PROMPT)

    assert (ended.status, ended.result) == (0, LAST_WORDS), ended
    assert (claude.work / "new.txt").read_text() == "fresh\n"
    assert len(ended.results) == 4
    check_answers(gateways, model, 200, 200)
    last = gateways.accepted(model)[-1]
    assert PNG_URL.partition(",")[2] in json.dumps(last)
    results = results_by_call(last)
    assert ["first-2" in results[0], "third-6" in results[2], "new.txt" in results[3]] == [True] * 3
    assert len(results) == 4


def results_by_call(body: Mapping[str, Any]) -> list[str]:
    """Return the results in a request as JSON, in the order of their calls. Gemini knows them by this order alone."""
    if "contents" in body:
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        return [json.dumps(part) for part in parts if "functionResponse" in part]
    if any("tool_calls" in message for message in body["messages"]):
        [calls] = [message["tool_calls"] for message in body["messages"] if "tool_calls" in message]
        results = {m["tool_call_id"]: m for m in body["messages"] if m["role"] == "tool"}
        return [json.dumps(results[made["id"]]) for made in calls]
    blocks = [
        block for message in body["messages"] for block in message["content"] if isinstance(block, dict)
    ]
    answers = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    return [json.dumps(answers[block["id"]]) for block in blocks if block["type"] == "tool_use"]


@pytest.mark.parametrize("model", [GEMINI, GPT, CLAUDE])
def test_a_look_at_the_context_costs_nothing(messages_gateways: Gateways, tmp_path: Path, model: str) -> None:
    """Claude Code counts the tokens of each part. It would ask a model for each count that fails."""
    gateways = messages_gateways
    gateways.begin()

    ended = ClaudeCode(tmp_path, gateways.origin, model).run("/context")

    assert ended.status == 0, ended
    assert "Context Usage" in ended.result
    asked = {(exchange.path, exchange.status) for exchange in gateways.relay.exchanges}
    assert asked == {("/v1/messages/count_tokens", 200)}
    assert gateways.accepted(model) == []
