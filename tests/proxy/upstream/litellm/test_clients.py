"""litellm's HTTP clients are shared between calls."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import Proxied

pytestmark = LITELLM_NOISE


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_calls_share_their_clients(real: Proxied, model: str, stream: bool) -> None:
    """A call with another remaining time or trace makes no further client."""
    litellm: Any = importlib.import_module("litellm")
    request = {"model": model, "messages": [{"role": "user", "content": "Hello."}], "stream": stream}
    assert (await real.post(request)).status == 200
    known = set(litellm.in_memory_llm_clients_cache.cache_dict)

    for at in range(1, 4):
        trace = {"traceparent": f"00-{at:032x}-{at:016x}-01", "tracestate": f"vendor={at}"}
        assert (await real.post(request, headers=trace)).status == 200

    assert set(litellm.in_memory_llm_clients_cache.cache_dict) == known
