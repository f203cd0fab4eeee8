"""Tests of attempts without a text: empty answers are retried, and early stream events are held back."""

from __future__ import annotations

import pytest

from proxy.core.errors import UpstreamUnreachable
from tests.proxy.forwarding.attempting import PRIMARY, models, settings_with_fallbacks, text_of
from tests.support.proxied import Proxied, chat, proxied
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, Step, answer, chunk, say

EMPTY = answer("", reasoning_content="")
THOUGHTS = answer(None, reasoning_content="Hm.")


@pytest.mark.parametrize(
    "empty", [answer(""), answer(" \n"), answer(None), THOUGHTS, {"choices": []}], ids=repr
)
async def test_empty_answer_of_gemini_is_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream, empty: Step
) -> None:
    """An empty answer of Gemini is tried again, since Gemini sends such answers by mistake."""
    upstream.then(empty)
    upstream.then(answer("fine"))

    assert text_of(await proxy.post(chat())) == "fine"
    assert len(upstream.calls) == 2


async def test_gemini_that_stays_empty_falls_back(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """After three empty answers of Gemini the fallback is asked, and its empty answer is delivered."""
    for _ in range(6):
        upstream.then(answer(""))
    reply = await proxy.post(chat())

    assert models(upstream) == [PRIMARY] * 3 + ["gpt-4.1"]
    assert text_of(reply) == "", "another family may have nothing to add"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_empty_answer_that_was_cut_or_filtered_is_delivered(
    proxy: Proxied, upstream: ScriptedUpstream, reason: str
) -> None:
    """An empty answer that was cut or filtered is delivered, since another attempt would end in the same way."""
    cut = answer("")
    cut["choices"][0]["finish_reason"] = reason
    upstream.then(cut)
    upstream.then(chunk({"content": ""}), chunk(finish=reason))
    whole, streamed = await proxy.post(chat()), await proxy.post(chat(stream=True))

    assert whole.json["choices"][0]["finish_reason"] == reason
    assert streamed.events[-2]["choices"][0]["finish_reason"] == reason
    assert len(upstream.calls) == 2


HELD: dict[str, list[Step]] = {
    "nothing": [],
    "role": [chunk({"role": "assistant", "content": ""}), STOP],
    "blank": [say(" "), STOP],
    "thoughts": [chunk({"reasoning_content": "Hm."}), STOP],
    "thoughts, broken": [chunk({"reasoning_content": "Hm."}), UpstreamUnreachable("Broke.")],
    "silence": [HANG],
}


@pytest.mark.parametrize("steps", HELD.values(), ids=HELD)
async def test_stream_is_held_back_until_its_answer_begins(
    upstream: ScriptedUpstream, steps: list[Step]
) -> None:
    """A stream is held back until its answer begins, so that events of a failed attempt are not sent."""
    upstream.then(*steps)
    upstream.then(chunk({"reasoning_content": "Well."}), say("fine"), STOP)
    limits = {"first_byte_timeout": 0.3} if HANG in steps else {}
    async with proxied(settings_with_fallbacks(**limits), upstream) as proxy:
        reply = await proxy.post(chat(stream=True))

    assert text_of(reply) == "fine"
    thoughts = [c["delta"].get("reasoning_content") for e in reply.events[:-1] for c in e["choices"]]
    assert [thought for thought in thoughts if thought] == ["Well."]
    assert reply.headers["x-turnright-attempts"] == "2"
