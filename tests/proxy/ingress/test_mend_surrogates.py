"""Tests that lone surrogates in the texts of a request are replaced."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.ingress import load_body
from proxy.ingress.mend_surrogates import mend_surrogates
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
    """Return a request whose history holds a lone surrogate in two messages."""
    request = {"model": MODEL, "messages": HISTORY, **fields}
    return json.dumps(request).encode().replace(b"CUT", f"cut \\u{HIGH}".encode())


@pytest.mark.parametrize("model", [MODEL, "gpt"])
async def test_lone_surrogates_are_replaced_and_whole_characters_kept(
    upstream: ScriptedUpstream, model: str
) -> None:
    """Lone surrogates are replaced, and the header ``x-turnright-changes`` counts the changed messages."""
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
async def test_other_modes_than_repair_refuse_a_lone_surrogate(upstream: ScriptedUpstream, mode: str) -> None:
    """In other modes than ``repair``, a body with a lone surrogate is refused as an invalid request."""
    async with proxied(settings_of(sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post(body())

    assert (reply.status, reply.error["code"]) == (400, "invalid_request")
    assert upstream.calls == []


async def test_dry_run_lists_the_mended_messages(proxy: Proxied) -> None:
    """A dry run lists each message with a replaced surrogate by the message's index."""
    shown = (await proxy.post(body(), "/v1/explain")).json

    assert (shown["verdict"], shown["summary"]) == ("repaired", MENDED)
    changes = [(one["index"], one["reason"]) for one in shown["changes"]]
    assert changes == [(1, "half_character"), (2, "half_character")]


async def test_readable_body_is_not_searched_for_surrogates(
    proxy: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body that can be parsed is not searched for surrogates, since the search costs time."""
    monkeypatch.setattr(load_body, "mend_surrogates", None)

    assert (await proxy.post({"model": MODEL, "messages": HISTORY}, CHAT)).status == 200


_TEXTS = st.text(st.sampled_from([*'a\\u"', "\ud83d", "\ude00", SMILE, "\ufffd", "é"]), max_size=6)


@given(st.lists(_TEXTS, min_size=1, max_size=3), st.booleans())
def test_nothing_but_lone_surrogates_is_replaced(texts: list[str], escaped: bool) -> None:
    """Only lone surrogates are replaced, and a body without a lone surrogate gives None."""
    request = {"messages": [user(text) for text in texts]}
    given_body = json.dumps(request).encode()
    if not escaped:
        given_body = given_body.replace(rb"\u00e9", "é".encode())
    whole = [text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") for text in texts]
    read = [json.loads(json.dumps(text)) for text in texts]
    found = mend_surrogates(given_body, "messages")

    if found is None:
        assert read == whole
        return
    mended, places = found
    assert [message["content"] for message in orjson.loads(mended)["messages"]] == whole
    assert places == tuple(at for at, text in enumerate(read) if text != whole[at])
