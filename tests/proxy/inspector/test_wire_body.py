"""Tests that the page shows the request body as it is sent, without the operator's key and address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.core.errors import InvalidRequest
from proxy.core.hidden_text import MASK
from proxy.inspector.wire_body import describe_wire
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.wires import table
from tests.proxy.inspector.looking import look, parse, run
from tests.proxy.upstream.deployments import deployment_of
from tests.proxy.upstream.provider import KEY, STREAM, Exchange, providing, whole
from tests.support.builders import assistant, call, system, tool, user
from tests.support.proxied import MODEL, chat, proxied, settings_of

BROKEN = [
    system("Be brief."),
    user("Compare."),
    tool("nobody", "lost"),
    assistant(None, [call("c1", "f", '{"n": 1.50}')]),
    user("And?"),
]
PLAIN = [user("Hello, wörld.")]
NO_ENTRY: Mapping[str, Any] = MappingProxyType({})


async def _refuse(exchange: Exchange) -> None:
    await exchange.send(whole(b"{}", status="400 Bad Request"))


@pytest.mark.long
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("messages", [BROKEN, PLAIN], ids=["broken", "plain"])
@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("gemini/gemini-3.6-flash", NO_ENTRY),
        ("gemini/gemini-2.5-pro", {"temperature": 0.25}),
        ("openai/gpt-4.1", {"extra_body": {"provider": {"sort": "price"}}}),
        ("openai/gpt-4.1", {"stream": True}),
        ("xai/grok-4.20-multi-agent", NO_ENTRY),
        ("gemini/gemini-2.5-pro", {"stream": False}),
    ],
)
async def test_body_is_shown_as_it_is_sent(
    model: str, entry: Mapping[str, Any], messages: list[dict[str, Any]], stream: bool
) -> None:
    """The provider gets the bytes that are shown, at the path that is shown."""
    body = json.dumps({"model": MODEL, "messages": messages, "stream": stream, "seed": 2**53 + 1})
    async with providing(_refuse) as provider:
        base = f"http://127.0.0.1:{provider.port}/private-path"
        settings = settings_of({MODEL: {"model": model, "api_base": base, "api_key": KEY, **entry}})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            shown = await proxy.post(f'{{"request":{body}}}'.encode(), "/ui/api/look")
            await proxy.post(body.encode())
    sent = provider.exchanges[0]
    wire = shown.json["wire"]

    assert wire["body"] == sent.body.decode()
    path = sent.head.split(b" ")[1].decode()
    assert wire["address"] == f"…{path.removeprefix('/private-path')}"
    for secret in (KEY, "127.0.0.1", str(provider.port), "private-path"):
        assert secret not in shown.raw.decode()


async def test_usage_is_not_asked_for_where_the_provider_refused_that() -> None:
    """The inspector shows later requests without the parameter that the provider refused."""

    async def refuse_usage(exchange: Exchange) -> None:
        if b"stream_options" not in exchange.body:
            return await exchange.send(whole(STREAM, "text/event-stream"))
        error = {"error": {"message": "Unknown parameter: 'stream_options'.", "param": "stream_options"}}
        return await exchange.send(whole(json.dumps(error).encode(), status="400 Bad Request"))

    asked = {"model": MODEL, "messages": PLAIN, "stream": True}
    async with providing(refuse_usage) as provider:
        entry = {"model": "openai/gpt-4.1", "api_base": f"http://127.0.0.1:{provider.port}", "api_key": KEY}
        settings = settings_of({MODEL: entry})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            bodies = []
            for _ in range(2):
                bodies.append((await proxy.post({"request": asked}, "/ui/api/look")).json["wire"]["body"])
                await proxy.post(asked)

    assert ["stream_options" in body for body in bodies] == [True, False]
    assert bodies == [provider.exchanges[0].body.decode(), provider.exchanges[-1].body.decode()]


@pytest.mark.parametrize(
    ("model", "base", "address"),
    [
        ("groq/m", "https://h.test/own", "…/chat/completions"),
        ("groq/m", "https://h.test/own/chat/completions", "…"),
        ("mistral/m", "https://h.test/own", "…/v1/chat/completions"),
        ("ollama_chat/m", "http://h.test:1/own/api", "…/v1/chat/completions"),
        ("azure/m", "https://H.test:443/own", "…/openai/deployments/m/chat/completions?api-version=1"),
        ("azure/m", "https://h.test/own/openai/deployments/d", "…/chat/completions?api-version=1"),
    ],
)
def test_address_of_the_operator_is_not_shown(model: str, base: str, address: str) -> None:
    """The base may hold more than the provider's address, or be written in another way there."""
    deployment = deployment_of(model, api_base=base, api_version="1", api_key="k")
    wire = describe_wire(run(parse(PLAIN), "openai", deployment=deployment))

    assert wire is not None
    assert wire["address"] == address


def test_gemini_is_asked_with_contents() -> None:
    """The body has Gemini's format, not OpenAI's."""
    wire = look(PLAIN)["wire"]

    assert (wire["wire"], wire["transport"], wire["provider"]) == ("gemini", "direct", "gemini")
    assert json.loads(wire["body"])["contents"] == [{"role": "user", "parts": [{"text": "Hello, wörld."}]}]


def test_what_litellm_writes_is_not_shown() -> None:
    """The body that litellm writes is not known before it is sent."""
    wire = look(PLAIN, "bedrock-claude")["wire"]

    assert (wire["transport"], wire["provider"]) == ("litellm", "bedrock")
    assert (wire["wire"], wire["address"], wire["body"]) == (None, None, None)


def test_refused_request_has_no_wire() -> None:
    """A refused request has no body for a provider."""
    shown = look(BROKEN, "openai", sanitize={"mode": "strict"})

    assert shown["refusal"] is not None
    assert shown["wire"] is None


def test_refusal_of_the_wire_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inspector shows the refusal in place of the body."""

    def refuse(*_: Any, **__: Any) -> bytes:
        raise InvalidRequest("Too deep.", param="messages")

    monkeypatch.setattr(type(table.WIRES["gemini"].chat), "write_request", refuse)
    wire = describe_wire(run(parse(PLAIN), "gemini-2"))

    assert wire is not None
    assert (wire["body"], wire["refusal"]) == (None, "Too deep.")


async def test_a_secret_of_extra_body_is_sent_and_not_shown() -> None:
    """A value of ``extra_body`` that came from a variable is sent. The page and the dry run mask the value."""
    body = chat("Hello.")
    async with providing(_refuse) as provider:
        entry = {
            "model_name": MODEL,
            "litellm_params": {
                "model": "openai/gpt-4.1",
                "api_base": f"http://127.0.0.1:{provider.port}",
                "extra_body": {"token": "os.environ/TOKEN", "list": [{"t": "${TOKEN}"}]},
            },
        }
        text = json.dumps({"model_list": [entry]}).encode()
        settings = load_settings(text, {"TOKEN": "secret-of-the-body"}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            looked = await proxy.post({"request": body}, "/ui/api/look")
            explained = await proxy.post(body, "/v1/explain")
            await proxy.post(body)
    sent = json.loads(provider.exchanges[0].body)

    assert (sent["token"], sent["list"]) == ("secret-of-the-body", [{"t": "secret-of-the-body"}])
    assert explained.json["body"]["token"] == MASK
    assert MASK in looked.json["wire"]["body"]
    assert b"secret-of-the-body" not in looked.raw + explained.raw
