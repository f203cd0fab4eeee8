"""A provider's cookie is never sent with another request."""

from __future__ import annotations

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.support.anthropic_emulator import ANTHROPIC
from tests.support.emulated import Fault, serving
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, chat, proxied

pytestmark = LITELLM_NOISE

SETS: Fault = {"headers": {"Set-Cookie": "session=of-one-client; Path=/"}}


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_cookie_of_openai_is_not_sent_back(real: Proxied, openai: OpenAIEmulator, stream: bool) -> None:
    """A cookie of a good answer or an error is dropped."""
    openai.faults.extend([SETS, {**SETS, "status": 400, "message": "No."}])
    for _ in range(3):
        await real.post(chat(model="openai", stream=stream))

    assert len(openai.requests) == 3
    assert [name for asked in openai.requests for name in asked.headers if name.lower() == "cookie"] == []


@pytest.mark.usefixtures("litellm")
async def test_cookie_of_anthropic_is_not_sent_back() -> None:
    """A cookie is also dropped by the client that litellm itself makes for Anthropic."""
    async with serving(ANTHROPIC) as anthropic:
        params = {"model": "anthropic/claude-sonnet-4-5", "api_base": anthropic.base_url, "api_key": OUR_KEY}
        settings = settings_on("litellm", {"claude": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            anthropic.faults.append(SETS)
            statuses = [(await proxy.post(chat(model="claude"))).status for _ in range(2)]

        assert statuses == [200, 200]
        assert [
            name for asked in anthropic.requests for name in asked.headers if name.lower() == "cookie"
        ] == []
