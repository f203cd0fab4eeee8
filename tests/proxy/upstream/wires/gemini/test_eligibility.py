"""Tests of the calls that go out in their client's form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import GeminiRequest, Source
from proxy.ingress.gemini_native.read_request import read_request
from proxy.upstream.wires.gemini.eligibility import are_readable, is_eligible
from tests.proxy.upstream.deployments import deployment_of

GEMINI = deployment_of("gemini/gemini-3.6-flash", api_key="ours")
CLAUDE = deployment_of("anthropic/claude-opus-4-8", api_key="ours")
BODY: dict[str, Any] = {
    "model": "m",
    "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}],
}
SEALED = {"text": "a", "thoughtSignature": "tr1/AAAA"}


def source_of(**fields: Any) -> tuple[Source, dict[str, Any]]:
    """Return the source of :data:`BODY` with *fields*, and its parameters."""
    chat = read_request(write_json({**BODY, **fields}), max_nesting=100)
    assert chat.source is not None
    return chat.source, dict(chat.parameters)


def test_unchanged_request_is_eligible_at_its_own_provider() -> None:
    """Another provider gets a chat, and so does a history that the items were not written for."""
    source, parameters = source_of()

    assert is_eligible(source, GEMINI, source.messages, parameters)
    assert not is_eligible(source, CLAUDE, source.messages, parameters)
    assert not is_eligible(source, GEMINI, [*source.messages], parameters)
    assert not is_eligible(None, GEMINI, source.messages, parameters)
    assert not is_eligible(replace(source, native=None), GEMINI, source.messages, parameters)


def test_changed_tools_make_a_chat() -> None:
    """A plain choice can be written in Gemini's form, and changed tools cannot."""
    source, parameters = source_of()

    assert is_eligible(source, GEMINI, source.messages, {**parameters, "tool_choice": "none"})
    assert not is_eligible(source, GEMINI, source.messages, {**parameters, "tools": []})


@pytest.mark.parametrize("signature", ["tr1_AAAA", "tr1/AAAA"])
def test_envelope_that_was_not_taken_out_makes_a_chat(signature: str) -> None:
    """Gemini would refuse it, and it is none of Gemini's business."""
    part = {"functionCall": {"name": "f"}, "thought_signature": signature}
    source, parameters = source_of(contents=[*BODY["contents"], {"role": "model", "parts": [part]}])
    native = source.native
    assert isinstance(native, GeminiRequest)

    assert not is_eligible(source, GEMINI, source.messages, parameters)
    mended = replace(source, native=replace(native, are_mended=True))
    assert is_eligible(mended, GEMINI, source.messages, parameters)


def test_signatures_of_gemini_are_readable() -> None:
    """Only the proxy's own texts are not."""
    assert are_readable([{"role": "model", "parts": [{"text": "a", "thoughtSignature": "c2ln"}]}, {}])
    assert not are_readable([{"parts": SEALED}])
