"""Runs a case: fills the emulator's queue, runs the client, and judges what was said on both sides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from proxy.emulator.signatures import sign_text
from tests.clients.judging import (
    check_openai_request,
    check_report,
    check_request,
    check_responses_request,
)
from tests.clients.python.reporting import PROMPT
from tests.clients.responses.cases import GPT, NATIVES, UNSEALED, Case
from tests.clients.responses.gateways import Gateways
from tests.clients.responses.relay import Exchange
from tests.clients.rounds import LAST_WORDS
from tests.support.responses_grammar import find_response_faults, find_stream_faults

SECOND_PROMPT = "What else do you know?"
FIRST_WORDS = "The weather is fine in all cities."
WITHOUT_THOUGHT = "was provided without its required 'reasoning' item"
WEATHER = '{"city":"Oslo","degrees":7}'


def run_case(case: Case, gateways: Gateways) -> None:
    """Run the client of *case*, and check its requests, its answers, what went upstream, and its report."""
    texts = {"text": (FIRST_WORDS, LAST_WORDS), "structured": (WEATHER,)}.get(
        case.scenario.script, (LAST_WORDS,)
    )
    gateways.begin(case.state)
    _queue(case, gateways, texts)

    report = case.run(gateways.relay.base_url)

    requests = len(case.scenario.rounds) + len(texts)
    _check_exchanges(case, gateways.relay.responses)
    assert len(gateways.relay.responses) == requests
    bodies = _accepted_bodies(case, gateways)
    assert len(bodies) == requests
    if case.scenario.script == "tools":
        for done, body in enumerate(bodies):
            if case.model == GPT:
                check_openai_request(body, done, case.scenario.rounds)
            elif case.model in NATIVES:
                check_responses_request(body, done, case.scenario.rounds)
                if case.keeps_thoughts:
                    assert [item["encrypted_content"][:5] for item in _thoughts(body)] == ["gAAAA"] * done
            else:
                check_request(body, done, rounds=case.scenario.rounds)
        check_report(report, case.scenario.rounds)
        return
    assert report.rounds == []
    if case.scenario.script == "text":
        assert list(_turns(bodies[-1])) == [PROMPT, FIRST_WORDS, SECOND_PROMPT]
        assert report.text == LAST_WORDS
        if case.model not in (GPT, *NATIVES):
            [part] = bodies[-1]["contents"][1]["parts"]
            signed = sign_text(1) if case.keeps_text_signature else None
            assert part.get("thoughtSignature") == signed
    else:
        assert _schema(bodies[0])["properties"].keys() == {"city", "degrees"}
        assert json.loads(report.text) == json.loads(WEATHER)


def _queue(case: Case, gateways: Gateways, texts: tuple[str, ...]) -> None:
    emulator = gateways.in_a_thread(case.model)
    if emulator is None:
        for expected in case.scenario.rounds:
            gateways.gemini.answer(*expected.parts)
        for text in texts:
            gateways.gemini.say(text)
        return
    for expected in case.scenario.rounds:
        calls = [(call.name, dict(call.args)) for call in expected.calls]
        emulator.faults.append({"calls": calls})
    emulator.faults.extend({"text": text} for text in texts)


def _accepted_bodies(case: Case, gateways: Gateways) -> list[Any]:
    emulator = gateways.in_a_thread(case.model)
    if emulator is not None:
        refused = [request.refusal.message for request in emulator.requests if request.refusal]
        assert [words for words in refused if not (case.drops_thoughts and WITHOUT_THOUGHT in words)] == []
        requests = [request for request in emulator.requests if request.refusal is None]
        assert [request.status for request in requests] == [200] * len(requests)
        return [request.body for request in requests]
    journal = gateways.gemini.journal()
    assert [entry["verdict"] for entry in journal if entry["verdict"]["status"] != 200] == []
    assert {entry["stream"] for entry in journal} == {case.stream}
    return [entry["body"] for entry in journal]


def _check_exchanges(case: Case, exchanges: list[Exchange]) -> None:
    """Check that every answer is legal, and that the client asked as the case says."""
    for number, exchange in enumerate(exchanges):
        assert exchange.status == 200, exchange.answer.decode()
        assert exchange.is_stream == case.stream
        if case.stream:
            sealed = _is_sealed(case, exchange.request)
            assert find_stream_faults(bytes(exchange.answer), sealed=sealed) == []
        else:
            assert find_response_faults(json.loads(exchange.answer)) == []
        given: Mapping[str, Any] = exchange.request
        assert given.get("store") == (False if case.state.mode == "unstored" else None)
        if case.state.mode == "chained" and number:
            assert given.get("previous_response_id") or given.get("conversation")
            assert PROMPT not in json.dumps(given["input"])


def _thoughts(body: Mapping[str, Any]) -> list[Any]:
    return [item for item in body["input"] if item.get("type") == "reasoning"]


def _is_sealed(case: Case, given: Mapping[str, Any]) -> bool:
    """Tell whether thoughts are encrypted: by the proxy in any case, and by a provider that is asked for it.

    The proxy asks where the client lets the response be stored.
    """
    if case.model not in NATIVES:
        return True
    asked = given.get("store") is not False and case.model not in UNSEALED
    return asked or "reasoning.encrypted_content" in (given.get("include") or ())


def _turns(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of each turn of a request to Gemini or to OpenAI."""
    items = [item for item in body.get("input", ()) if item.get("type") != "reasoning"]
    for message in body.get("messages", items):
        content = message["content"]
        yield content if isinstance(content, str) else "".join(part["text"] for part in content)
    for turn in body.get("contents", ()):
        yield "".join(part.get("text", "") for part in turn["parts"])


def _schema(body: Mapping[str, Any]) -> Any:
    if "text" in body:
        return body["text"]["format"]["schema"]
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    config = body["generationConfig"]
    return config.get("responseJsonSchema") or config["responseSchema"]
