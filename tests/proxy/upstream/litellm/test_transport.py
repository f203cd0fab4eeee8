"""Tests of calls through litellm: large calls and calls that look up credentials run on a second event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.upstream.litellm.transport import LiteLLMUpstream, _on_second_loop
from tests.proxy.conftest import OUR_KEY, settings_on
from tests.proxy.upstream.provider import BOTH, GOOD, STREAM, head, piece, providing, sending, whole
from tests.support.builders import user
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE


@pytest.mark.usefixtures("litellm")
@pytest.mark.parametrize(("weight", "apart"), [(1_000, False), (10**6, True)])
@BOTH
async def test_large_calls_run_on_the_second_event_loop(
    monkeypatch: pytest.MonkeyPatch, stream: bool, weight: int, apart: bool
) -> None:
    """The answer is the same on both loops."""
    script = sending(head(), piece(STREAM), piece(b"")) if stream else sending(whole(GOOD))
    upstream = LiteLLMUpstream()
    await upstream.start()
    litellm: Any = upstream._litellm
    ask, threads = litellm.acompletion, set[int]()

    async def acompletion(**arguments: Any) -> Any:
        threads.add(threading.get_ident())
        return await ask(**arguments)

    monkeypatch.setattr(litellm, "acompletion", acompletion)
    async with providing(script) as provider:
        base = f"http://127.0.0.1:{provider.port}/v1"
        entry = {"model": "openai/gpt-4.1", "api_base": base, "api_key": OUR_KEY}
        [deployment] = resolve(settings_on("litellm", {"model": entry}), "model")
        call = UpstreamCall(deployment, [user("Hi.")], {}, Timeouts(60, 60, 60, 60), weight=weight)
        if stream:
            parts = [
                chunk["choices"][0]["delta"].get("content") or "" async for chunk in upstream.stream(call)
            ]
        else:
            parts = [(await upstream.complete(call))["choices"][0]["message"]["content"]]
        await upstream.close()

    assert "".join(parts) == "Good day."
    assert (threading.get_ident() not in threads) is apart


@pytest.mark.parametrize(
    ("model", "apart"), [("bedrock/m", True), ("vertex_ai/m", True), ("openai/m", False), ("azure/m", False)]
)
def test_a_call_whose_sdk_looks_for_credentials_runs_on_the_second_event_loop(
    model: str, apart: bool
) -> None:
    """A look-up of credentials blocks, and no other request may wait for it."""
    [deployment] = resolve(
        settings_on("litellm", {"model": {"model": model, "api_base": "http://h"}}), "model"
    )
    call = UpstreamCall(deployment, [user("Hi.")], {}, Timeouts(60, 60, 60, 60), weight=1)

    assert _on_second_loop(call) is apart


@pytest.mark.usefixtures("litellm")
@BOTH
async def test_client_that_leaves_while_litellm_reports_a_failed_call(
    monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    """The call ends as cancelled, and not as the provider's failure, after which the proxy would call again.

    litellm's report of a failed call to its hooks swallows the cancellation.
    """

    async def leave(**_: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    upstream = LiteLLMUpstream()
    await upstream.start()
    monkeypatch.setattr("litellm.utils.async_post_call_failure_deployment_hook", leave)
    async with providing(sending(whole(b"{}", status="429 Too Many Requests"))) as provider:
        base = f"http://127.0.0.1:{provider.port}/v1"
        entry = {"model": "openai/gpt-4.1", "api_base": base, "api_key": OUR_KEY}
        [deployment] = resolve(settings_on("litellm", {"model": entry}), "model")
        call = UpstreamCall(deployment, [user("Hi.")], {}, Timeouts(60, 60, 60, 60), weight=1)

        async def ask() -> None:
            if stream:
                async for _ in upstream.stream(call):
                    pass
            else:
                await upstream.complete(call)

        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            asking = group.create_task(ask())
        await upstream.close()

    assert asking.cancelled()
