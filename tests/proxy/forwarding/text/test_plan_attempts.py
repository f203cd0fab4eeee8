"""Tests that embeddings and text completions are routed, retried, counted and limited as chats are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.errors import UpstreamFault, UpstreamUnreachable
from proxy.core.upstream_call import TextCall, Timeouts
from tests.proxy.conftest import LogLines
from tests.proxy.forwarding.attempting import refused
from tests.proxy.forwarding.text.asking import (
    COMPLETIONS,
    EMBEDDINGS,
    NAME,
    PATHS,
    body_for,
    embedded,
    good,
    models,
    plain_settings,
    written,
)
from tests.support.proxied import Proxied, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, HANG, ScriptedUpstream, Step

paths = pytest.mark.parametrize("path", PATHS)

FAULTS: dict[str, Step] = {
    "503": refused(503),
    "429": refused(429, body={"error": {"details": [{"retryDelay": "0.1s"}]}}),
    "unreachable": UpstreamUnreachable("Gone."),
    "garbage": UpstreamFault("What?"),
}


@paths
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_one_failure_of_a_text_shows_in_the_number_of_attempts_alone(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, fault: Step
) -> None:
    """The client sees one failure only in the attempts header."""
    upstream.then(fault)
    upstream.then(good(path))
    reply = await proxy.post(body_for(path), path)

    assert reply.status == 200
    assert reply.headers["x-turnright-attempts"] == "2"
    assert reply.headers["x-turnright-model"] == "openai/first"
    assert models(upstream) == ["first", "first"]


WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "too few": (EMBEDDINGS, {**embedded(), "data": []}),
    "too many": (EMBEDDINGS, embedded([0.1], [0.2])),
    "none": (EMBEDDINGS, embedded(None)),
    "no numbers": (EMBEDDINGS, embedded(["a"])),
    "no choice": (COMPLETIONS, {**written(), "choices": []}),
}


@pytest.mark.parametrize(("path", "answer"), WRONG.values(), ids=WRONG)
async def test_unusable_answer_is_tried_again_and_falls_back(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, answer: dict[str, Any]
) -> None:
    """An unusable answer is tried again, then leads to the fallback, and never reaches the client."""
    for _ in range(2):
        upstream.then(answer)
    upstream.then(good(path))
    assert (await proxy.post(body_for(path), path)).status == 200
    assert models(upstream) == ["first", "first", "second"]
    for _ in range(4):
        upstream.then(answer)
    reply = await proxy.post(body_for(path), path)

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")


@pytest.mark.long
@paths
async def test_fallback_is_counted_under_the_path(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, log_lines: LogLines
) -> None:
    """A request that a fallback answers is counted and logged under its path, with its attempts."""
    for _ in range(2):
        upstream.then(refused(503))
    upstream.then(good(path))
    reply = await proxy.post(body_for(path), path, {"x-request-id": "mine"})
    await proxy.idle()

    assert reply.headers["x-turnright-model"] == "openai/second"
    assert reply.headers["x-turnright-attempts"] == "3"
    assert reply.headers["x-request-id"] == "mine"
    assert float(reply.headers["x-turnright-overhead-ms"]) >= 0
    assert "x-turnright-budget" not in reply.headers
    assert await proxy.count("requests_total", route=path, model=NAME, outcome="ok") == 1
    assert await proxy.count("retries_total", model=NAME, reason="unavailable") == 1
    assert await proxy.count("fallbacks_total", model=NAME, reason="unavailable") == 1
    assert await proxy.count("upstream_attempts_total", model="spare", outcome="ok") == 1
    assert await proxy.count("tokens_total", model=NAME, type="input") == 3
    assert await proxy.count("request_duration_seconds_count", route=path) == 1
    [line] = [line for line in log_lines() if line["event"] == "request_finished"]
    assert (line["route"], line["deployment"], line["attempts"]) == (path, "openai/second", 3)
    assert (line["input_tokens"], line["messages"], line["budget"]) == (3, None, None)


async def test_series_of_each_path_begin_at_zero(proxy: Proxied) -> None:
    """The metric series of each path begin at zero, since PromQL's ``rate`` misses a first count of 1."""
    samples = await proxy.metrics()
    counted = [dict(labels) for (name, labels) in samples if name == "turnright_requests_total"]

    chats = {"/v1/chat/completions", "/v1/messages", "/v1/responses"}
    methods = ("batchEmbedContents", "embedContent", "generateContent", "streamGenerateContent")
    geminis = {f"/v1/models/{{model}}:{method}" for method in methods}
    assert {one["route"] for one in counted if one["outcome"] == "ok"} == {*chats, *geminis, *PATHS}


@paths
async def test_rate_limited_member_of_a_text_pool_is_replaced_without_delay(
    proxy: Proxied, upstream: ScriptedUpstream, path: str
) -> None:
    """A rate-limited deployment of a pool is replaced by another deployment without a delay."""
    upstream.then(refused(429, "Slow down, retry in 45s."))
    upstream.then(good(path))

    assert (await proxy.post(body_for(path, model="pool"), path)).status == 200
    assert sorted(models(upstream)) == ["pool-0", "pool-1"]


@paths
@pytest.mark.parametrize("status", [403, 404])
async def test_path_that_a_model_does_not_serve_opens_no_circuit(
    proxy: Proxied, upstream: ScriptedUpstream, path: str, status: int
) -> None:
    """A refusal of the path opens no circuit, so that chats still reach the model."""
    for _ in range(2):
        upstream.then(refused(status))
    reply = await proxy.post(body_for(path, model="pool"), path)

    assert reply.status == status
    states = [
        value for (name, _), value in (await proxy.metrics()).items() if name == "turnright_circuit_state"
    ]
    assert set(states) == {0}


@paths
async def test_refused_body_is_remembered_for_its_path_only(
    proxy: Proxied, upstream: ScriptedUpstream, path: str
) -> None:
    """A body that was refused twice is refused on its path only, and is still sent on another path."""
    body = {"model": "spare", "input": "a", "prompt": "a", "messages": [{"role": "user", "content": "a"}]}
    for _ in range(2):
        upstream.then(refused(400, "No."))
        assert (await proxy.post(body, path)).status == 400
    told = await proxy.post(body, path)

    assert (told.status, told.error["message"]) == (400, "No.")
    assert len(upstream.plain_calls) == 2
    upstream.then(*GOOD_ANSWER)
    assert (await proxy.post(body)).status == 200


@paths
async def test_silent_provider_takes_at_most_the_requests_deadline(
    upstream: ScriptedUpstream, path: str
) -> None:
    """A silent provider takes at most the request's deadline."""
    upstream.then(HANG)
    async with proxied(plain_settings(router_settings={"timeout": 0.2}), upstream) as proxy:
        reply = await proxy.post(body_for(path), path)

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")


@paths
async def test_unknown_parameters_of_a_text_are_dropped_and_counted(
    proxy: Proxied, upstream: ScriptedUpstream, path: str
) -> None:
    """Unknown parameters of a text request are dropped, and a metric counts the dropped parameters."""
    upstream.then(good(path))
    await proxy.post(body_for(path, foo=1, api_base="http://x.test", user="u", messages=[], seed=None), path)
    [call] = upstream.plain_calls

    asked = "input" if path == EMBEDDINGS else "prompt"
    assert dict(call.parameters) == {asked: "a", "user": "u"}
    assert dict(call.extra_body) == {}
    assert await proxy.count("dropped_parameters_total", model=NAME) == 3


async def test_parameter_that_a_provider_does_not_take_is_withheld() -> None:
    """A parameter that the provider would refuse is withheld. The withheld parameter is counted as dropped."""
    upstream = ScriptedUpstream([good(EMBEDDINGS)], unsupported=["user"])
    async with proxied(plain_settings(), upstream) as proxy:
        await proxy.post(body_for(EMBEDDINGS, user="u", dimensions=4), EMBEDDINGS)
        assert await proxy.count("dropped_parameters_total", model=NAME) == 1

    assert dict(upstream.plain_calls[0].parameters) == {"input": "a", "dimensions": 4}


@pytest.mark.parametrize(
    ("prompt", "n", "choices"),
    [
        ("a", None, 1),
        ("a", 3, 3),
        (["a", "b"], None, 2),
        (["a", "b"], 3, 6),
        ([1, 2], 2, 2),
        ([[1], [2]], 2, 4),
    ],
)
def test_text_has_prompts_times_answers_choices(prompt: Any, n: int | None, choices: int) -> None:
    """A text request has ``n`` choices for each of its prompts."""
    [deployment] = resolve(plain_settings(), "spare")
    parameters = {"prompt": prompt} if n is None else {"prompt": prompt, "n": n}

    assert TextCall(deployment, parameters, Timeouts(1, 1, 1, 1)).choices == choices


@paths
async def test_parameter_that_a_deployment_allows_is_sent(upstream: ScriptedUpstream, path: str) -> None:
    """A parameter that the deployment names in ``allowed_openai_params`` is sent to the provider."""
    upstream.then(good(path))
    entry = {"model": "openai/x", "allowed_openai_params": ["input_type"]}
    async with proxied(settings_of({NAME: entry}), upstream) as proxy:
        await proxy.post(body_for(path, input_type="query", other=1), path)

    assert dict(upstream.plain_calls[0].extra_body) == {"input_type": "query"}


@paths
async def test_both_spellings_of_the_path_have_key_and_limits(upstream: ScriptedUpstream, path: str) -> None:
    """Both spellings of a path require the key. ``max_body_mib`` and ``max_in_flight`` hold for text requests too."""
    general = {"master_key": "sk-master-0", "max_body_mib": 1, "max_in_flight": 1}
    key = {"Authorization": "Bearer sk-master-0"}
    async with proxied(plain_settings(general_settings=general), upstream) as proxy:
        for spelling in (path, path.removeprefix("/v1")):
            assert (await proxy.post(body_for(path), spelling)).status == 401
            assert (await proxy.post(body_for(path), spelling, {"Authorization": "Bearer x"})).status == 401
            upstream.then(good(path))
            assert (await proxy.post(body_for(path), spelling, key)).status == 200
        large = await proxy.post(body_for(path, user="x" * 2**20), path, key)
        assert (large.status, large.error["code"]) == (413, "body_too_large")
        upstream.then(HANG)
        waiting = asyncio.ensure_future(proxy.post(body_for(path), path, key))
        while len(upstream.plain_calls) < 3:  # noqa: ASYNC110 - a test waits, and nothing is gained by an event
            await asyncio.sleep(0.01)
        crowded = await proxy.post(body_for(path), path, key)
        waiting.cancel()

    assert (crowded.status, crowded.error["code"]) == (503, "overloaded")
    assert crowded.headers["Retry-After"] == "1"


@paths
async def test_other_methods_and_unknown_models_are_refused(proxy: Proxied, path: str) -> None:
    """The path takes only POST requests for configured models."""
    assert (await proxy.get(path)).status == 405
    reply = await proxy.post(body_for(path, model="nobody"), path)
    assert (reply.status, reply.error["code"], reply.error["param"]) == (404, "model_not_found", "model")
