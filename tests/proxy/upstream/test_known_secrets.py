"""Tests that the configuration's keys are masked in errors, except keys that are too short."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest

from proxy.config import Settings
from proxy.server.app import create_gateway
from proxy.server.reload.renew_gateway import plan_renewal, renew_gateway
from proxy.upstream.known_secrets import KnownSecrets
from proxy.upstream.masking import MASK
from tests.proxy.forwarding.attempting import refused
from tests.support.counted_steps import count_steps
from tests.support.proxied import MODEL, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

CALLED, OTHER, WILD = "sk-called-5d0f7c1e9a", 'sk-other/77"Zq+31b8', "sk-wildcard-c0ffee42"
HEADER, CLIENT, MASTER = "token-of-the-other-one", "client-key-of-team-a", "master-key-of-them-all"


def configured(**more: Any) -> Settings:
    """Return settings with four deployments, one client's key and a master key."""
    models = {
        MODEL: {"model": "openai/gpt-4.1", "api_key": CALLED},
        "other": {
            "model": "openai/gpt-4.1",
            "api_key": OTHER,
            "api_base": "http://other.internal.example/v1",
            "extra_headers": {"x-team-token": HEADER},
        },
        "gemini/*": {"model": "gemini/*", "api_key": WILD},
        "local": {"model": "openai/local", "api_key": "lm-studio"},
    }
    keys = [{"name": "team-a", "key": CLIENT}]
    return settings_of(models, general_settings={"master_key": MASTER, "keys": keys, **more})


SPELLINGS = {
    "as it is": str,
    "in capitals": str.upper,
    "in an address": lambda key: quote(key, safe=""),
    "in JSON": lambda key: json.dumps(key)[1:-1],
    "in base64": lambda key: b64encode(f"user:{key}".encode()).decode(),
}


@pytest.mark.parametrize("key", [CALLED, OTHER, WILD, HEADER, CLIENT, MASTER])
@pytest.mark.parametrize("spell", SPELLINGS.values(), ids=SPELLINGS)
def test_every_key_is_masked(key: str, spell: Any) -> None:
    """Keys of deployments, wildcards and clients, secret headers and the master key are all masked."""
    masked = KnownSecrets(configured()).mask(f"Refused: {spell(key)}, sorry.")

    assert masked.startswith("Refused: ")
    assert masked.endswith(", sorry.")
    assert MASK in masked
    assert spell(key)[-12:-4] not in masked


@pytest.mark.parametrize(
    "text", ["Is lm-studio running?", "See other.internal.example.", "sk-other/77", "", "No."]
)
def test_other_words_stay(text: str) -> None:
    """A short key is not masked, since it may be a name. A host is masked for its own deployment only."""
    assert KnownSecrets(configured()).mask(text) == text


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_no_client_reads_a_key(stream: bool) -> None:
    """A provider's error names the keys of another deployment and of the client, and both are masked."""
    upstream = ScriptedUpstream([refused(400, f"Neither {OTHER} nor {CLIENT} may do this.")])
    async with proxied(configured(), upstream) as proxy:
        reply = await proxy.post(chat(stream=stream), headers={"Authorization": f"Bearer {CLIENT}"})

    assert reply.status == 400
    assert reply.error["message"] == f"Neither {MASK} nor {MASK} may do this."


@pytest.mark.long
def test_more_keys_take_no_more_steps() -> None:
    """A thousand keys with the same start take as many steps as one."""
    text = "sk-proj-" * 200

    def steps_with(number: int) -> int:
        models = {
            f"m{at}": {"model": "openai/gpt-4.1", "api_key": f"sk-proj-{at:040x}"} for at in range(number)
        }
        known = KnownSecrets(settings_of(models))
        known.mask("")
        return count_steps(lambda: known.mask(text)).total()

    assert steps_with(1_000) == steps_with(1)


def test_reload_masks_the_keys_of_the_new_settings() -> None:
    """After a reload, the new gateway masks the new settings' keys. The old gateway masks only its own keys."""
    old = settings_of({MODEL: {"model": "openai/gpt-4.1"}})
    gateway = create_gateway(old, ScriptedUpstream())
    gateway.secrets.mask(OTHER)
    renewed = renew_gateway(gateway, plan_renewal(old, configured()))

    assert gateway.secrets.mask(OTHER) == OTHER
    assert renewed.secrets.mask(OTHER) == MASK
