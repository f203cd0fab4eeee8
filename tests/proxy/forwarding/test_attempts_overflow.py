"""Tests of requests over the context window: cut, refused, or sent to a model with a larger window."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import Settings, resolve
from sanitizers.budget.calibration import Calibration
from sanitizers.budget.estimate import Estimator
from tests.proxy.forwarding.attempting import (
    BOTH,
    PRIMARY,
    good,
    models,
    refused,
    text_of,
)
from tests.support.builders import assistant, system, user
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer


async def test_overflow_falls_back_to_a_larger_window(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A context overflow leads to the fallback with a larger window, and not to the general fallback.

    If the larger window overflows too, the client gets OpenAI's error code.
    """
    words = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
    upstream.then(refused(400, words))
    upstream.then(refused(400, words))
    reply = await proxy.post(chat())

    assert models(upstream) == [PRIMARY, "gpt-long"]
    assert (reply.status, reply.error["code"]) == (400, "context_length_exceeded")
    assert reply.headers["x-should-retry"] == "false"


LONG = [user("Mend it."), *(m for n in range(40) for m in (assistant(f"Step {n}."), user("word " * 400)))]
"""A conversation of some 20,000 tokens."""

OVERFLOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."
)


@BOTH
async def test_overflow_is_cut_by_the_numbers_in_its_error(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """The proxy cuts the request, and sends it to the same deployment again.

    A second request with this history is cut before its first call.
    """
    upstream.then(refused(400, OVERFLOW))
    upstream.then(*good(stream))
    reply = await proxy.post({"model": "long", "messages": LONG, "stream": stream})

    assert text_of(reply) == "fine"
    assert models(upstream) == ["gpt-long", "gpt-long"]
    whole, cut = (len(json.dumps(call.messages)) for call in upstream.calls)
    assert cut < whole / 2
    assert reply.headers["x-turnright-attempts"] == "2"
    assert "budget=" in reply.headers["x-turnright-changes"]
    assert await proxy.count("retries_total", model="long", reason="context_overflow") == 1
    assert await proxy.count("budget_requests_total", model="long", outcome="cut") == 1

    upstream.then(*good(stream))
    reply = await proxy.post({"model": "long", "messages": LONG, "stream": stream})

    assert text_of(reply) == "fine"
    assert len(upstream.calls) == 3
    assert len(json.dumps(upstream.calls[2].messages)) < whole / 2


async def test_second_overflow_falls_back_with_the_clients_history(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The history is cut at most once for each deployment."""
    for _ in range(2):
        upstream.then(refused(400, OVERFLOW))
    upstream.then(answer("fine"))
    reply = await proxy.post({"model": MODEL, "messages": LONG})

    assert text_of(reply) == "fine"
    assert models(upstream) == [PRIMARY, PRIMARY, "gpt-long"]
    assert len(json.dumps(upstream.calls[1].messages)) < len(json.dumps(LONG)) / 2
    assert len(upstream.calls[2].messages) == len(LONG)


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
async def test_overflow_in_a_mode_without_cuts_is_the_clients_error(
    upstream: ScriptedUpstream, mode: str
) -> None:
    """In a mode without cuts, the client gets the provider's message about the overflow after one call."""
    settings = settings_of({MODEL: "openai/gpt-unheard-of"}, sanitize={"mode": mode})
    upstream.then(refused(400, OVERFLOW))
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": LONG})

    assert (reply.status, reply.error["code"], reply.error["message"]) == (
        400,
        "context_length_exceeded",
        OVERFLOW,
    )
    assert len(upstream.calls) == 1


TOO_MUCH = (
    "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length"
)


@BOTH
async def test_prompt_that_fits_is_sent_again_with_a_lower_limit(
    upstream: ScriptedUpstream, stream: bool
) -> None:
    """The history stays whole, and the next request is sent as its client means it."""
    upstream.then(refused(400, TOO_MUCH))
    async with proxied(settings_of({MODEL: "anthropic/claude-opus-4-1"}), upstream) as proxy:
        upstream.then(*good(stream))
        body = {"model": MODEL, "messages": LONG, "max_tokens": 31_000, "stream": stream}
        reply = await proxy.post({**body, "max_tokens": 64_000})
        upstream.then(*good(stream))
        await proxy.post(body)

    assert text_of(reply) == "fine"
    assert [call.parameters.get("max_tokens") for call in upstream.calls] == [64_000, 50_000, 31_000]
    assert upstream.calls[0].messages == upstream.calls[1].messages
    assert upstream.calls[1].messages == upstream.calls[2].messages
    assert reply.headers["x-turnright-changes"] == "repair=1"


async def test_prompt_that_leaves_no_room_is_cut(upstream: ScriptedUpstream) -> None:
    """An answer of a few tokens helps nobody. A lower limit that does not help leaves the cut."""
    for words in (TOO_MUCH, TOO_MUCH.replace("150000", "199990")):
        upstream.then(refused(400, words))
    upstream.then(answer("fine"))
    async with proxied(settings_of({MODEL: "anthropic/claude-opus-4-1"}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": LONG, "max_tokens": 64_000})

    assert text_of(reply) == "fine"
    whole, _, cut = (len(json.dumps(call.messages)) for call in upstream.calls)
    assert cut < whole


def small(**sections: Any) -> Settings:
    """Return settings with a model of 8,192 tokens and a model with a larger window."""
    entries: list[dict[str, Any]] = [
        {
            "model_name": name,
            "litellm_params": {"model": f"openai/{name}"},
            "model_info": {"max_input_tokens": size},
        }
        for name, size in ((MODEL, 8_192), ("larger", 500_000))
    ]
    return settings_of(model_list=entries, **sections)


async def test_overflow_goes_to_a_pool_member_with_a_larger_window(upstream: ScriptedUpstream) -> None:
    """A request too long for one deployment of a pool goes to a deployment with a larger window."""
    entries = [
        {
            "model_name": MODEL,
            "litellm_params": {"model": f"openai/{name}"},
            "model_info": {"max_input_tokens": size},
        }
        for name, size in (("small", 8_192), ("large", 200_000))
    ]
    async with proxied(settings_of(model_list=entries), upstream) as proxy:
        for _ in range(3):
            upstream.then(answer("fine"))
            reply = await proxy.post({"model": MODEL, "messages": HOPELESS})
            assert text_of(reply) == "fine"

    assert models(upstream) == ["large"] * 3


async def test_server_without_stream_options_is_asked_without_them(upstream: ScriptedUpstream) -> None:
    """A server that refuses ``stream_options`` is asked without it, and later requests leave it out at once."""
    async with proxied(settings_of({MODEL: "openai/old-server"}), upstream) as proxy:
        upstream.then(refused(400, "Unrecognized request argument supplied: stream_options"))
        for _ in range(2):
            upstream.then(*good(True))
            assert text_of(await proxy.post(chat(stream=True))) == "fine"

    assert [call.ask_usage for call in upstream.calls] == [True, False, False]


async def test_plan_that_raised_the_factor_keeps_it(upstream: ScriptedUpstream) -> None:
    """A plan that raised the calibration factor keeps it, since otherwise cut messages would return."""
    async with proxied(small(), upstream) as proxy:
        learned_windows = proxy.server.gateway.learned_windows
        [deployment] = resolve(proxy.server.gateway.settings, MODEL)
        lessons = learned_windows.lessons_of(deployment, 0.0)
        lessons.calibration = Calibration(1.095, 1.0, 3)
        size = Estimator(lessons.family).message_tokens
        history = [user("Mend it.")]
        while sum(map(size, history)) * 1.095 < 0.952 * 8_192:
            history.append(user("word " * 20))
        upstream.then(answer("fine"))
        await proxy.post({"model": MODEL, "messages": history})

        assert lessons.calibration.sticky == 1.095


HOPELESS = [system("word " * 40_000), user("Go on.")]


async def test_request_that_cannot_fit_goes_to_the_larger_window_without_a_call(
    upstream: ScriptedUpstream,
) -> None:
    """A request that cannot fit goes to the larger window without a call to the first model."""
    settings = small(router_settings={"context_window_fallbacks": [{MODEL: ["larger"]}]})
    upstream.then(answer("fine"))
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HOPELESS})

        assert await proxy.count("upstream_attempts_total", model=MODEL) == 0
        assert await proxy.count("fallbacks_total", model=MODEL, reason="context_overflow") == 1
    assert text_of(reply) == "fine"
    assert models(upstream) == ["larger"]
    assert upstream.calls[0].messages == HOPELESS


@pytest.mark.parametrize(
    ("mode", "status"), [("repair", 400), ("strict", 400), ("observe", 200), ("off", 200)]
)
async def test_request_that_cannot_fit_is_refused_or_sent_by_mode(
    upstream: ScriptedUpstream, mode: str, status: int
) -> None:
    """The modes ``repair`` and ``strict`` refuse a request that cannot fit. Other modes send it."""
    async with proxied(small(sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": HOPELESS})

    assert reply.status == status
    assert len(upstream.calls) == (status == 200)
    if status == 400:
        assert reply.error["code"] == "context_length_exceeded"
        assert "system messages" in reply.error["message"]


@pytest.mark.parametrize(
    ("mode", "status", "cut"),
    [("repair", 200, True), ("strict", 400, False), ("observe", 200, False), ("off", 200, False)],
)
async def test_request_over_the_budget_is_cut_refused_or_reported_by_mode(
    upstream: ScriptedUpstream, mode: str, status: int, cut: bool
) -> None:
    """A request over the budget is cut in mode ``repair``, refused in ``strict``, and sent unchanged in others."""
    async with proxied(small(sanitize={"mode": mode}), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": LONG})
        removed = await proxy.count("budget_removed_tokens_total", model=MODEL)

    assert reply.status == status
    assert (removed > 0) == cut
    assert ("x-turnright-budget" in reply.headers) == (mode in ("repair", "observe"))
    told = reply.headers.get("x-turnright-changes", "")
    assert ("budget=" in told) == (mode in ("repair", "observe"))
    assert told.endswith(";observed") == (mode == "observe")
    if status == 400:
        assert reply.error["code"] == "context_length_exceeded"
    else:
        assert (upstream.calls[0].messages != LONG) == cut
