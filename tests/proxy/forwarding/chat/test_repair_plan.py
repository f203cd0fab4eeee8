"""Tests of plans that are repaired after a provider's error."""

from __future__ import annotations

import pytest

from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from tests.proxy.forwarding.attempting import refused, text_of
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import Proxied, chat
from tests.support.scripted_upstream import ScriptedUpstream, answer


async def test_repair_is_kept_for_further_attempts(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Another member of the pool gets the repaired request, and so does an attempt with a note."""
    upstream.then(refused(400, "Unsupported parameter: 'top_p' is not supported with this model."))
    upstream.then(refused(503))
    upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
    reply = await proxy.post(chat(model="pool", top_p=0.5))
    sent = [call.parameters.get("top_p") for call in upstream.calls]
    assert sent == [0.5, None, None]

    upstream.then(refused(400, "Unsupported parameter: 'top_p' is not supported with this model."))
    upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
    upstream.then(answer("fine"))
    reply = await proxy.post(chat("Again.", model="pool", top_p=0.5))
    assert text_of(reply) == "fine"
    assert [call.parameters.get("top_p") for call in upstream.calls[3:]] == [0.5, None, None]
    assert reply.headers["x-turnright-changes"] == "repair=1,note=1"


async def test_refused_parameter_is_left_out_once_and_the_change_is_reported(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A refused parameter is left out once, and a second refusal is not repaired."""
    words = "Unsupported parameter: 'temperature' is not supported with this model."
    for _ in range(2):
        upstream.then(refused(400, words))
    reply = await proxy.post(chat(model="long", temperature=1.5))

    assert [call.parameters.get("temperature") for call in upstream.calls] == [1.5, None]
    assert reply.status == 400, "refused again, it is not repaired again"
    upstream.then(refused(400, words))
    reply = await proxy.post(chat("other", model="long", temperature=1.5))
    assert text_of(reply) == "Good day."
    assert reply.headers["x-turnright-changes"] == "repair=1"


async def test_a_repaired_history_is_kept_for_further_attempts(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Another member of the pool gets the split calls. The next request is first sent as the client wrote it."""
    history = [user("go"), assistant(None, [call("a"), call("b", "g")]), tool("a"), tool("b")]
    upstream.then(refused(400, "This model only supports single tool-calls at once!"))
    upstream.then(refused(503))

    reply = await proxy.post({"model": "pool", "messages": history})
    await proxy.post({"model": "pool", "messages": history})

    assert reply.headers["x-turnright-changes"] == "repair=1"
    roles = ["".join(message["role"][0] for message in sent.messages) for sent in upstream.calls]
    assert roles == ["uatt", "uatat", "uatat", "uatt"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (424, "Unsupported parameter: 'temperature' is not supported with this model."),
        (
            500,
            "Error: Jinja Exception: Unsupported parameter: 'temperature' is not supported with this model.",
        ),
    ],
    ids=["Azure", "llama.cpp"],
)
async def test_a_refusal_under_another_status_is_repaired(
    proxy: Proxied, upstream: ScriptedUpstream, status: int, words: str
) -> None:
    """A refusal is also repaired with another status: Azure sends 424, and llama.cpp's template a server error."""
    upstream.then(refused(status, words))

    reply = await proxy.post(chat(model="long", temperature=1.5))

    assert text_of(reply) == "Good day."
    assert [call.parameters.get("temperature") for call in upstream.calls] == [1.5, None]


async def test_a_server_error_is_sent_again_unchanged(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A server error is retried without a repair, whatever its text says, since the server may recover."""
    upstream.then(refused(500, "Unsupported parameter: 'top_p' is not supported with this model."))

    reply = await proxy.post(chat(model="pool", top_p=0.5))

    assert text_of(reply) == "Good day."
    assert [call.parameters.get("top_p") for call in upstream.calls] == [0.5, 0.5]
