"""Tests of OpenTelemetry's metrics: each call to a provider counts once, with labels from closed sets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.config import Settings
from proxy.core.errors import UpstreamFault
from proxy.observability.gen_ai_names import OTHER
from proxy.observability.observed_upstream import ObservedUpstream
from tests.support.proxied import CHAT, GEMINI, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scraped import Labels
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, say

DURATION = "gen_ai_client_operation_duration_seconds"
TOKENS = "gen_ai_client_token_usage"
FIRST = "gen_ai_client_operation_time_to_first_chunk_seconds"
NEXT = "gen_ai_client_operation_time_per_output_chunk_seconds"
CALLED = {
    "gen_ai_operation_name": "chat",
    "gen_ai_provider_name": "gcp.gemini",
    "gen_ai_request_model": MODEL,
    "gen_ai_response_model": "gemini-3.6-flash",
}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20}


def observed(models: dict[str, Any] | None = None, **sections: Any) -> Settings:
    """Return settings with OpenTelemetry's metrics turned on."""
    return settings_of(models, general_settings={"gen_ai_metrics": True}, **sections)


@pytest.fixture
def settings() -> Settings:
    """Return settings with one Gemini model."""
    return observed()


async def counts(proxy: Proxied, name: str, end: str = "count") -> dict[Labels, float]:
    """Return the counts of a histogram, or its sums, by labels."""
    return {
        labels: value
        for (found, labels), value in (await proxy.metrics()).items()
        if found == f"{name}_{end}"
    }


def labels(**more: str) -> Labels:
    """Return the labels of a call, sorted."""
    return tuple(sorted({**CALLED, **more}.items()))


async def test_gen_ai_metrics_are_absent_without_their_setting() -> None:
    """Without the setting, the upstream is not wrapped in an :class:`ObservedUpstream` either."""
    upstream = ScriptedUpstream()
    async with proxied(settings_of(), upstream) as proxy:
        await proxy.post(chat())

        assert proxy.server.gateway.upstream is upstream
        assert b"gen_ai" not in (await proxy.get("/metrics")).raw


async def test_whole_answer_has_duration_and_tokens(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A whole answer has no chunks."""
    upstream.then(Pause(0.2), {**answer(), "usage": USAGE})
    await proxy.post(chat())

    assert await counts(proxy, DURATION) == {labels(error_type=""): 1}
    assert 0.2 <= (await counts(proxy, DURATION, "sum"))[labels(error_type="")] < 5
    assert await counts(proxy, TOKENS, "sum") == {
        labels(gen_ai_token_type="input"): 100,
        labels(gen_ai_token_type="output"): 20,
    }
    assert await counts(proxy, FIRST) == await counts(proxy, NEXT) == {}


async def test_stream_has_times_of_its_chunks_and_tokens_once(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The tokens of a stream are counted once, from the usage in its last chunk."""
    last = {"choices": [], "usage": USAGE}
    upstream.then(Pause(0.2), say("a"), Pause(1.0), say("b"), STOP, last)
    await proxy.post(chat(stream=True))

    assert await counts(proxy, FIRST) == {labels(): 1}
    assert 0.2 <= (await counts(proxy, FIRST, "sum"))[labels()] < 1
    assert await counts(proxy, NEXT) == {labels(): 3}
    assert (await counts(proxy, NEXT, "sum"))[labels()] >= 1
    assert await counts(proxy, DURATION) == {labels(error_type=""): 1}
    assert (await counts(proxy, DURATION, "sum"))[labels(error_type="")] >= 1.2
    assert (await counts(proxy, TOKENS))[labels(gen_ai_token_type="output")] == 1


@pytest.mark.parametrize("stream", [False, True])
async def test_each_attempt_is_an_operation_of_its_model(stream: bool) -> None:
    """A fallback counts for the fallback's model."""
    failure = UpstreamFault("x", upstream_status=503)
    upstream = ScriptedUpstream([failure], [failure], [say("a"), STOP] if stream else [answer()])
    models = {MODEL: GEMINI, "spare": "openai/gpt-4.1"}
    settings = observed(models, router_settings={"num_retries": 1, "fallbacks": [{MODEL: ["spare"]}]})
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(chat(stream=stream))

        assert reply.status == 200
        spare = {
            "gen_ai_provider_name": "openai",
            "gen_ai_request_model": "spare",
            "gen_ai_response_model": "gpt-4.1",
        }
        assert await counts(proxy, DURATION) == {
            labels(error_type="503"): 2,
            labels(error_type="", **spare): 1,
        }


@pytest.mark.parametrize("stream", [False, True])
async def test_call_whose_client_left_counts_as_failed(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """The error type of the call is ``cancelled``."""
    upstream.then(*([say("a")] if stream else []), HANG)
    asking = asyncio.ensure_future(proxy.post(chat(stream=stream)))
    await upstream.called()
    await asyncio.sleep(0.1)
    asking.cancel()
    await asyncio.wait([asking])
    await asyncio.sleep(0.1)
    await proxy.idle()

    assert await counts(proxy, DURATION) == {labels(error_type="cancelled"): 1}


async def test_embeddings_and_texts_are_operations_of_their_own(upstream: ScriptedUpstream) -> None:
    """The operation names are ``embeddings`` and ``text_completion``."""
    upstream.then({"data": [{"index": 0, "embedding": [0.5]}], "usage": {"prompt_tokens": 3}})
    upstream.then({"choices": [{"text": "a", "finish_reason": "stop", "index": 0}], "usage": USAGE})
    upstream.then({"choices": [{"text": "a", "finish_reason": "stop", "index": 0}]})
    async with proxied(observed({MODEL: "openai/gpt-3.5-turbo-instruct"}), upstream) as proxy:
        await proxy.post({"model": MODEL, "input": "x"}, "/v1/embeddings")
        await proxy.post({"model": MODEL, "prompt": "x"}, "/v1/completions")
        await proxy.post({"model": MODEL, "prompt": "x", "stream": True}, "/v1/completions")

        asked = [dict(found)["gen_ai_operation_name"] for found in await counts(proxy, DURATION)]
        assert asked == ["embeddings", "text_completion"]
        assert sum((await counts(proxy, DURATION)).values()) == 3
        assert sum((await counts(proxy, FIRST)).values()) == 1


async def test_model_label_of_a_wildcard_is_the_wildcard(upstream: ScriptedUpstream) -> None:
    """A name that a client makes up becomes no label."""
    async with proxied(observed({"gemini/*": "gemini/*"}), upstream) as proxy:
        await proxy.post(chat(model="gemini/zzmadeup"))

        (found,) = await counts(proxy, DURATION)
        assert dict(found)["gen_ai_request_model"] == dict(found)["gen_ai_response_model"] == "gemini/*"
        assert b"zzmadeup" not in (await proxy.get("/metrics")).raw


async def test_model_name_in_an_answer_is_not_a_label(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A provider may send any text as the model's name."""
    upstream.then({**answer(), "model": "zzmadeup", "usage": {"prompt_tokens": "zzmadeup"}})
    reply = await proxy.post(chat())

    assert reply.status == 200
    assert b"zzmadeup" not in (await proxy.get("/metrics")).raw


async def test_unknown_provider_is_named_other(upstream: ScriptedUpstream) -> None:
    """An unknown provider has the label value ``_OTHER``."""
    async with proxied(observed({MODEL: "nobody/knows"}), upstream) as proxy:
        await proxy.post(chat())

        (found,) = await counts(proxy, DURATION)
        assert dict(found)["gen_ai_provider_name"] == OTHER


async def test_observed_upstream_passes_all_calls_on_and_closes_its_streams() -> None:
    """The wrapper still drops unsupported parameters, and ends the stream of a client that left."""
    upstream = ScriptedUpstream(unsupported=["seed"])
    async with proxied(observed(), upstream) as proxy:
        between = proxy.server.gateway.upstream
        assert isinstance(between, ObservedUpstream)
        upstream.then(say("a"), HANG)
        async with proxy.session.post(proxy.origin + CHAT, json=chat(stream=True, seed=1)) as response:
            await response.content.readuntil(b"\n\n")
        exchange = await upstream.called()

        assert await exchange.ended() in ("cancelled", "closed")
        assert "seed" not in upstream.calls[0].parameters
    assert upstream.closed
