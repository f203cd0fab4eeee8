"""The inspector shows the messages, parameters and refusals that a provider and a client get."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.core.json_text import find_value, write_json
from proxy.core.upstream_call import UpstreamCall
from proxy.inspector.read_query import with_model
from tests.proxy.forwarding.chat.test_request_repairs import StrictUpstream, first_of, no_temperature
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import CHAT, MODEL, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream
from tests.support.strategies import damaged_histories
from tests.support.strategies.hostile import hostile_requests

KNOWN: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "proxy" / "conformance" / "known.json").read_text("utf-8")
)
MODELS = {
    "openai": "openai/gpt-4o",
    "gemini": "gemini/gemini-3.6-flash",
    "anthropic": "anthropic/claude-opus-4-6",
    "mistral": "mistral/mistral-large-latest",
    "cohere": "cohere/command-a-03-2025",
}
MODES = ["repair", "observe", "strict", "off"]
BESIDE = ("model", "messages", "stream")


async def compare(proxy: Proxied, upstream: ScriptedUpstream, raw: bytes, headers: Mapping[str, str]) -> str:
    """Assert that a request is sent as the inspector shows it. Return the verdict, or the code of the refusal."""
    asked = b'{"compact":false,"request":' + raw + b"}"
    looked = await proxy.post(asked, "/ui/api/look", headers)
    assert upstream.exchanges == [], "a look sends nothing"
    sent = await proxy.post(raw, CHAT, headers)
    calls = upstream.calls
    upstream.exchanges.clear()
    if looked.status != 200:
        assert (sent.status, sent.error["code"]) == (looked.status, looked.error["code"])
        return str(looked.error["code"])
    result = looked.json
    if sent.status != 200:
        assert calls == []
        assert (result["verdict"], result["body"]) == ("refused", None), sent.error
        assert result["refusal"]["code"] == sent.error["code"]
        assert result["refusal"]["message"] == sent.error["message"]
        return str(result["refusal"]["code"])
    [call] = calls
    body = result["body"]
    plain = {name: value for name, value in body.items() if name not in BESIDE}
    assert orjson.loads(write_json(list(call.messages))) == body["messages"]
    assert orjson.loads(write_json({**call.parameters, **call.extra_body})) == plain
    assert [entry["message"] for entry in result["after"]] == body["messages"]
    if result["mode"] == "repair":
        assert result["summary"] == sent.headers.get("x-turnright-changes", "")
    return str(result["verdict"])


@pytest.mark.long
@pytest.mark.parametrize("instructions", [None, "Answer in French."], ids=["plain", "instructed"])
@pytest.mark.parametrize("mode", MODES)
async def test_inspector_shows_of_each_known_history_what_is_sent(
    upstream: ScriptedUpstream, mode: str, instructions: str | None
) -> None:
    """The histories are those that users reported. Each history goes to a different model in each mode."""
    found, shift = set(), MODES.index(mode)
    general = {} if instructions is None else {"instructions": instructions}
    settings = settings_of(MODELS, sanitize={"mode": mode}, general_settings=general)
    async with proxied(settings, upstream) as proxy:
        for model, entry in zip(islice(cycle(MODELS), shift, None), KNOWN, strict=False):
            body = {"model": model, "messages": entry["messages"], "temperature": 3}
            if "tools" in entry:
                body["tools"] = entry["tools"]
            found.add(await compare(proxy, upstream, json.dumps(body).encode(), {}))

    assert found >= ({"repaired"} if mode == "repair" else {"illegal_history"} if mode == "strict" else set())


async def test_inspector_shows_the_notes_of_the_turn_guard_and_the_cuts_of_the_budget(
    upstream: ScriptedUpstream,
) -> None:
    """The request is sent as shown."""
    rounds = [
        message
        for number in range(30)
        for message in (
            assistant(None, [call(f"c{number}", "f", "{}")]),
            tool(f"c{number}", "line\n" * 3_000),
        )
    ]
    body = {
        "model": "openai",
        "messages": [user("go"), *rounds],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    }
    settings = settings_of(MODELS, turns={"mode": "enforce"}, budget={"preset": "lango"})
    async with proxied(settings, upstream) as proxy:
        assert await compare(proxy, upstream, json.dumps(body).encode(), {}) == "repaired"


def no_system(call: UpstreamCall) -> str:
    """Refuse system messages."""
    return "System role not supported" if any(each["role"] == "system" for each in call.messages) else ""


@pytest.mark.parametrize("instructions", [None, "Answer in French."], ids=["plain", "instructed"])
async def test_inspector_shows_learned_repairs_as_they_are_made(instructions: str | None) -> None:
    """One repair folds the system messages into the user's first one, and another drops a parameter."""
    strict = StrictUpstream(first_of(no_system, no_temperature))
    general = {} if instructions is None else {"instructions": instructions}
    async with proxied(settings_of({MODEL: "hosted_vllm/m"}, general_settings=general), strict) as proxy:

        def body(number: int, **fields: Any) -> dict[str, Any]:
            return {"model": MODEL, "messages": [system("Be kind."), user(f"number {number}")], **fields}

        for number in range(8):
            fields = {"temperature": 0.5} if number >= 4 else {}
            assert (await proxy.post(body(number, **fields))).status == 200
        strict.exchanges.clear()
        shown = (await proxy.post({"request": body(8, temperature=0.5)}, "/ui/api/look")).json

        assert await compare(proxy, strict, json.dumps(body(8, temperature=0.5)).encode(), {}) == "repaired"
    first = [] if instructions is None else ["instructions"]
    assert [step["step"] for step in shown["steps"]] == [*first, "repair"]
    assert [repair["fault"] for repair in shown["learned"]] == ["system_role", "parameter"]
    assert "Learned for this model: parameter temperature, since 20" in shown["steps"][-1]["what"]
    assert [entry["origin"] for entry in shown["after"]] == [1]


def asking_for(model: str, body: bytes) -> bytes:
    """Return *body* for *model*. A body with escaped surrogates is parsed, and written again with the model."""
    if b"\\ud" in body:
        with contextlib.suppress(ValueError, RecursionError):
            return json.dumps({**json.loads(body), "model": model}).encode()
    return with_model(body, model)


@example(b'{"model": NaN, "messages": [{"role": "user", "content": "\\u0041"}]}', min(MODELS))
@given(
    st.one_of(
        hostile_requests(), damaged_histories().map(lambda history: orjson.dumps({"messages": history}))
    ),
    st.sampled_from(sorted(MODELS)),
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_inspector_shows_of_any_request_what_is_sent(
    served: Proxied, upstream: ScriptedUpstream, body: bytes, model: str
) -> None:
    """The request may be hostile or damaged. Bodies with a field ``stream`` are left out."""
    if body[:1] == b"{" and body[-1:] == b"}" and find_value(body, "stream") is None:
        await compare(served, upstream, asking_for(model, body), {})


@pytest.fixture
async def served(upstream: ScriptedUpstream) -> AsyncIterator[Proxied]:
    """Serve a proxy with all of `MODELS`, for all examples of a test."""
    async with proxied(settings_of(MODELS), upstream) as proxy:
        yield proxy
