"""Tests of the plans of a chat's attempts: notes after malformed calls, and signatures of other providers."""

from __future__ import annotations

import json

import pytest

from proxy.config.allowed_models import AllowedModels
from proxy.core.errors import AnswerUnusable
from proxy.core.failures import Cause
from proxy.core.key_errors import ModelNotAllowed
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.observability.request_record import RequestRecord
from proxy.resilience.request_words import RequestWords
from tests.proxy.forwarding.attempting import BOTH, good, refused, text_of
from tests.proxy.planning.repairs.test_unseal_items import plan_of
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@BOTH
async def test_retries_after_a_malformed_call_have_one_note(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """Retries after a malformed call have one note to the model, which the client does not see.

    The source of the request keeps the client's messages without the note.
    """
    for _ in range(2):
        upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
    upstream.then(*good(stream))
    reply = await proxy.post(chat("Do it.", stream=stream))

    histories = [[m["content"] for m in call.messages] for call in upstream.calls]
    assert histories[0] == ["Do it."]
    assert histories[1][0] == "Do it."
    assert "could not be read" in histories[1][1]
    assert histories[2] == histories[1], "one note is enough"
    assert "note=1" in reply.headers["x-turnright-changes"]
    source = upstream.calls[2].source
    assert source is not None
    assert source.messages is upstream.calls[0].messages
    assert source.messages is not upstream.calls[2].messages, "the client's bytes do not hold the note"
    assert "could not be read" not in reply.raw.decode()


def test_words_of_items_are_words_of_the_client() -> None:
    """A provider repeats ids of items in its errors, and no message has them."""
    plan = plan_of([{"role": "user", "content": "Hi."}, {"type": "made_up", "name": "insufficient_quota"}])
    words = RequestWords(*ChatAttemptPlanner.values_of(plan))

    assert words.contains("insufficient_quota")
    assert not RequestWords(plan.messages, plan.parameters).contains("insufficient_quota")


async def test_retry_in_mode_observe_has_no_note(upstream: ScriptedUpstream) -> None:
    """Mode ``observe`` sends the history as it is."""
    upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
    settings = settings_of(router_settings={"num_retries": 1}, sanitize={"mode": "observe"})
    async with proxied(settings, upstream) as proxy:
        await proxy.post(chat("Do it."))

    assert [len(call.messages) for call in upstream.calls] == [1, 1]


SIGNATURE = "c2lnbmF0dXJlLW9mLWFub3RoZXItcHJvdmlkZXI="


async def test_fallback_to_openai_is_planned_without_geminis_signatures(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A fallback to OpenAI is planned from the client's messages, without Gemini's signatures."""
    call = {
        "id": f"call_1__thought__{SIGNATURE}",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": SIGNATURE}},
    }
    history = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": "done"},
    ]
    upstream.then(refused(401))
    reply = await proxy.post({"model": MODEL, "messages": history})

    assert text_of(reply) == "Good day."
    first, second = (json.dumps(list(call.messages)) for call in upstream.calls)
    assert SIGNATURE in first
    assert SIGNATURE not in second
    calls, result = upstream.calls[1].messages[1:]
    assert calls["tool_calls"][0]["id"] == result["tool_call_id"]


@BOTH
async def test_fallback_model_gets_no_note_about_another_models_call(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """A fallback model gets the client's own history, without the note about another model's call."""
    for _ in range(3):
        upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
    upstream.then(*good(stream))
    reply = await proxy.post(chat("Do it.", stream=stream))

    assert text_of(reply) == "fine"
    assert [len(call.messages) for call in upstream.calls] == [1, 2, 2, 1]
    assert "note" not in reply.headers.get("x-turnright-changes", "")


async def test_a_chat_of_the_proxy_itself_may_use_every_model(upstream: ScriptedUpstream) -> None:
    """The operator chooses the model of summaries, so the list of the client's key holds for its own chats alone."""
    request = parse_chat_request(json.dumps(chat("Hello.")).encode(), max_nesting=100)
    record = RequestRecord("req_1", "/v1/chat/completions", 0.0, allowed=AllowedModels.of(["other"]))
    async with proxied(settings_of(), upstream) as proxy:
        with pytest.raises(ModelNotAllowed):
            ChatAttemptPlanner(request, record, proxy.server.gateway)
        planner = ChatAttemptPlanner(request, record, proxy.server.gateway, is_own=True)

    assert [deployment.name for deployment in planner.chain.pool] == [MODEL]
