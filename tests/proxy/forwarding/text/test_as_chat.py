"""Tests of text completions by chat models: the chat request, refused fields, and the converted answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.proxy.forwarding.text.asking import COMPLETIONS, body_for
from tests.support.proxied import Proxied
from tests.support.scripted_upstream import STOP, ScriptedUpstream, answer, say

CHATTING = body_for(COMPLETIONS, model="chatting")


async def test_prompt_becomes_a_users_message(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A prompt becomes a user's message.

    Parameters that a chat request has as well are kept. Other parameters are dropped and counted.
    """
    upstream.then(answer("fine"))
    fields = {"max_tokens": 5, "temperature": 0.5, "best_of": 2, "logprobs": 1, "echo": False, "foo": 1}
    reply = await proxy.post({**CHATTING, **fields}, COMPLETIONS)
    [call] = upstream.calls

    assert list(call.messages) == [{"role": "user", "content": "a"}]
    assert dict(call.parameters) == {"max_tokens": 5, "temperature": 0.5}
    assert reply.json["object"] == "text_completion"
    assert reply.json["choices"] == [{"text": "fine", "index": 0, "logprobs": None, "finish_reason": "stop"}]
    assert reply.json["usage"]["completion_tokens"] == 3
    assert await proxy.count("dropped_parameters_total", model="chatting") == 4


async def test_text_stream_has_the_texts_of_the_chat_and_its_end(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Each chat chunk becomes a text chunk."""
    upstream.then(say("Good "), say("day."), STOP)
    *chunks, done = (await proxy.post({**CHATTING, "stream": True}, COMPLETIONS)).events

    assert done == "[DONE]"
    assert "".join(chunk["choices"][0]["text"] for chunk in chunks) == "Good day."
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert "delta" not in str(chunks)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"prompt": ["a", "b"]}, "prompt"),
        ({"prompt": [1, 2]}, "prompt"),
        ({"prompt": [[1, 2]]}, "prompt"),
        ({"suffix": "b"}, "suffix"),
        ({"echo": True}, "echo"),
    ],
)
async def test_completion_that_a_chat_cannot_answer_is_status_400(
    proxy: Proxied, upstream: ScriptedUpstream, fields: dict[str, Any], param: str
) -> None:
    """A text completion that a chat cannot answer is refused with status 400, before any call."""
    reply = await proxy.post({**CHATTING, **fields}, COMPLETIONS)

    assert (reply.status, reply.error["param"]) == (400, param)
    assert "only chats" in reply.error["message"]
    assert upstream.calls == []


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_empty_completion_of_gemini_is_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """An empty completion is tried again, since Gemini sends empty answers by mistake (python-genai#1289)."""
    upstream.then(STOP if stream else answer(""))
    upstream.then(*([say("fine"), STOP] if stream else [answer("fine")]))
    reply = await proxy.post({**CHATTING, "stream": stream}, COMPLETIONS)

    assert reply.status == 200
    assert b"fine" in reply.raw
    assert reply.headers["x-turnright-attempts"] == "2"
