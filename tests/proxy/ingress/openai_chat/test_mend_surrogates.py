"""Requests whose texts were cut within a character."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.ingress.openai_chat import read_request as wire
from proxy.ingress.openai_chat.mend_surrogates import mend_surrogates
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import CHAT, MODEL, Proxied, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

SMILE = "\U0001f600"
HIGH = SMILE.encode("utf-16-be")[:2].hex()
HISTORY: list[dict[str, Any]] = [
    user(f"Look {SMILE}"),
    assistant(None, [call("a", "f", '{"x": "CUT"}')]),
    tool("a", "CUT"),
]
MENDED = "shape=2"


def body(**fields: Any) -> bytes:
    """Return a request with a history that is cut in two places."""
    request = {"model": MODEL, "messages": HISTORY, **fields}
    return json.dumps(request).encode().replace(b"CUT", f"cut \\u{HIGH}".encode())


@pytest.mark.parametrize("model", [MODEL, "gpt"])
async def test_a_history_is_not_lost_over_it(upstream: ScriptedUpstream, model: str) -> None:
    """What is sent can be read, the change is told, and whole characters stay."""
    settings = settings_of({MODEL: "gemini/gemini-3.6-flash", "gpt": "openai/gpt-4.1"})
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(body(model=model))

    [sent] = upstream.calls
    assert reply.status == 200
    assert reply.headers["x-turnright-changes"] == MENDED
    assert [message["content"] for message in sent.messages] == [f"Look {SMILE}", None, "cut \ufffd"]
    assert sent.messages[1]["tool_calls"][0]["function"]["arguments"] == '{"x": "cut \ufffd"}'
    assert sent.source is not None
    if sent.source.messages is sent.messages:
        assert orjson.loads(sent.source.body)["messages"] == list(sent.messages)


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
async def test_only_repair_changes_it(upstream: ScriptedUpstream, mode: str) -> None:
    """In the other modes it is what it was: no valid JSON."""
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post(body())

    assert (reply.status, reply.error["code"]) == (400, "invalid_request")
    assert upstream.calls == []


async def test_it_is_told_in_a_dry_run(proxy: Proxied) -> None:
    """With the places of the messages."""
    told = (await proxy.post(body(), "/v1/explain")).json

    assert (told["verdict"], told["summary"]) == ("repaired", MENDED)
    changes = [(one["index"], one["reason"]) for one in told["changes"]]
    assert changes == [(1, "half_character"), (2, "half_character")]


async def test_the_rest_is_not_looked_at(proxy: Proxied, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything looked for in a body that can be read."""
    monkeypatch.setattr(wire, "mend_surrogates", None)

    assert (await proxy.post({"model": MODEL, "messages": HISTORY}, CHAT)).status == 200


_TEXTS = st.text(st.sampled_from([*'a\\u"', "\ud83d", "\ude00", SMILE, "\ufffd", "é"]), max_size=6)


@given(st.lists(_TEXTS, min_size=1, max_size=3), st.booleans())
def test_only_halves_are_replaced(texts: list[str], escaped: bool) -> None:
    """Whatever stands beside them; what is whole is no case for it."""
    request = {"messages": [user(text) for text in texts]}
    given_body = json.dumps(request).encode()
    if not escaped:
        given_body = given_body.replace(rb"\u00e9", "é".encode())
    whole = [text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in texts]
    read = [json.loads(json.dumps(text)) for text in texts]
    found = mend_surrogates(given_body)

    if found is None:
        assert read == whole
        return
    mended, places = found
    assert [message["content"] for message in orjson.loads(mended)["messages"]] == whole
    assert places == tuple(at for at, text in enumerate(read) if text != whole[at])
