"""Tests the bytes that a provider gets: the same as ever without instructions, and stable beginnings with them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web

from proxy.config import Settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.behaviours.instructions.configured import (
    GATEWAY,
    KEY,
    MODEL,
    bearing,
    configured,
    entry,
    general,
    joined,
)
from tests.support.builders import assistant, call, developer, system, tool, user
from tests.support.proxied import GEMINI, Proxied, proxied

MODES = ("repair", "observe", "strict", "off")
MODELS = {"openai": "openai/gpt-4.1", "gemini": GEMINI}


class Recording:
    """A provider on loopback that keeps the bytes of each request, and answers in OpenAI's or Gemini's format."""

    def __init__(self) -> None:
        self.origin = ""
        self.bodies: list[bytes] = []

    async def answer(self, request: web.Request) -> web.Response:
        """Keep a request's body, and answer it."""
        self.bodies.append(await request.read())
        if "generateContent" in request.path:
            content = {"role": "model", "parts": [{"text": "Good day."}]}
            return web.json_response({"candidates": [{"content": content, "finishReason": "STOP"}]})
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": "Good day."},
            "finish_reason": "stop",
        }
        head = {"id": "a", "object": "chat.completion", "created": 1, "model": "m"}
        return web.json_response({**head, "choices": [choice]})


@pytest.fixture
async def provider() -> AsyncIterator[Recording]:
    """Serve a recording provider."""
    recording = Recording()
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/{path:.*}", recording.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    recording.origin = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield recording
    await runner.cleanup()


def entry_at(
    provider: Recording, wire: str, name: str = "chat", transport: str = "direct", **fields: Any
) -> dict[str, Any]:
    """Return an entry for *provider*."""
    version = "v1beta" if wire == "gemini" else "v1"
    params = {"model": MODELS[wire], "api_base": f"{provider.origin}/{version}", "api_key": "emulated"}
    return entry(name, transport=transport, litellm_params=params, **fields)


@asynccontextmanager
async def gateway(settings: Settings) -> AsyncIterator[Proxied]:
    """Serve *settings* with their own transports."""
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as served:
        yield served


HISTORIES = (
    b'[{"role":  "system", "content": "Be \\u0062rief."}, {"content":"Gr\xc3\xb6\xc3\x9fe \\ud83d\\ude00"'
    b', "role":"user"}]',
    b'[ {"role":"user","content":[{"type":"text","text":"x"}],"name":"n"} , {"role":"assistant","content":"y"}\n,'
    b'{"role":"user","content":"z"}]',
    b'[{"role":"assistant","content":"before"},{"role":"tool","tool_call_id":"nobody","content":"lost"},'
    b'{"role":"user","content":""}]',
)
"""Two legal histories in unusual JSON, and a broken one."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("wire", "transport"), [("openai", "direct"), ("gemini", "direct"), ("openai", "litellm")]
)
async def test_a_request_without_instructions_is_sent_as_ever(
    provider: Recording, wire: str, transport: str, mode: str
) -> None:
    """A gateway with instructions for another model and another key sends the same bytes as one without any."""
    keys = general(None)
    bare = {**keys, "keys": [{"name": "none", "key": "sk-none-key-0000"}], "teams": []}
    one = entry_at(provider, wire, transport=transport, text=None)
    other = entry_at(provider, wire, "other", transport)
    sent: list[list[tuple[int, bytes]]] = []
    sanitize = {"mode": mode}
    async with (
        gateway(configured(one, general_settings=bare, sanitize=sanitize)) as without,
        gateway(configured(one, other, general_settings=keys, sanitize=sanitize)) as with_others,
    ):
        for proxy in (without, with_others):
            given = []
            for history in HISTORIES:
                body = b'{"model":"chat", "messages": %s ,"temperature":0.50}' % history
                reply = await proxy.post(body, headers=bearing("none"))
                assert "instructions" not in reply.headers.get("x-turnright-changes", "")
                given.append((reply.status, provider.bodies[-1] if reply.status == 200 else reply.raw))
            sent.append(given)

    assert [status for status, _ in sent[0]][:2] == [200, 200]
    assert sent[0] == sent[1]
    if (wire, transport) == ("openai", "direct"):
        assert [history in body for history, (_, body) in zip(HISTORIES[:2], sent[1], strict=False)] == [
            True
        ] * 2


def list_in(body: bytes, name: str) -> str:
    """Return the JSON text of the list *name* in *body*, without its closing bracket."""
    text = body.decode()
    start = text.index("[", text.index(f'"{name}"'))
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[start : end - 1].rstrip()


def conversation(beginning: list[dict[str, Any]], count: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the messages of each request of a conversation. Two requests out of three end with a user's question."""
    history = list(beginning)
    for n in range(count):
        if n % 3 == 2:
            made = call(f"call_{n}", "look_up", f'{{"n": {n}}}')
            history += [assistant(None, [made]), tool(f"call_{n}", f"It is {n}.")]
        else:
            history += [*([assistant(f"Answer {n}.")] if n else []), user(f"Question {n}.")]
        yield history


@pytest.mark.parametrize(
    ("wire", "profile", "beginning", "count"),
    [
        ("openai", None, [system("Be brief.")], 200),
        ("gemini", None, [system("Be brief.")], 200),
        ("openai", None, [], 30),
        ("openai", None, [developer("Be brief.")], 30),
        ("gemini", None, [], 30),
        ("openai", "chat-template", [system("Be brief.")], 30),
        ("openai", "chat-template-gemma", [system("Be brief.")], 30),
        ("openai", "chat-template-gemma", [], 30),
    ],
)
async def test_each_request_of_a_conversation_begins_with_the_bytes_of_the_one_before(
    provider: Recording, wire: str, profile: str | None, beginning: list[dict[str, Any]], count: int
) -> None:
    """The instructions stand in each request, and the list of messages only grows."""
    fields: dict[str, Any] = {} if profile is None else {"profile": profile}
    settings = configured(entry_at(provider, wire, **fields), turns={"mode": "off"})
    async with gateway(settings) as proxy:
        for history in conversation(beginning, count):
            reply = await proxy.post({"model": "chat", "messages": history}, headers=bearing("own"))
            assert reply.status == 200, reply.raw

    assert len(provider.bodies) == count
    grown = [list_in(body, "contents" if wire == "gemini" else "messages") for body in provider.bodies]
    assert all(later.startswith(before) for before, later in pairwise(grown))
    assert len(set(grown)) == count
    heads = {json.dumps(json.loads(body).get("systemInstruction")) for body in provider.bodies}
    assert len(heads) == 1
    text = json.dumps(joined(GATEWAY, MODEL, KEY), ensure_ascii=False)[1:-1]
    assert all(body.decode().count(text) == 1 for body in provider.bodies)
