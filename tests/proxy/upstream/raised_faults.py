"""A helper that returns the fault of one call, for tests of what a fault keeps."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from proxy.config import resolve
from proxy.core.errors import UpstreamFault
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, settings_on
from tests.support.builders import user


async def fault_from(model: dict[str, Any], transport: str, *, stream: bool) -> UpstreamFault:
    """Return the fault that one call of a deployment raises. *model* holds its ``litellm_params`` without the key."""
    settings = settings_on(transport, {"model": {**model, "api_key": OUR_KEY}})
    call = UpstreamCall(resolve(settings, "model")[0], [user("Hi.")], {}, Timeouts(60, 60, 60, 60))
    upstream = SelectingUpstream.for_settings(settings)
    await upstream.start()
    try:
        with pytest.raises(UpstreamFault) as caught:
            await _run(upstream, call, stream=stream)
    finally:
        await upstream.close()
    return caught.value


async def _run(upstream: SelectingUpstream, call: UpstreamCall, *, stream: bool) -> None:
    if not stream:
        await upstream.complete(call)
        return
    async with aclosing(upstream.stream(call)) as chunks:
        async for _ in chunks:
            pass
