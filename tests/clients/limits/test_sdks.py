"""Tests that official SDKs wait for a limit, give up where waiting is pointless, and raise their own exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.clients.limits.gateway import EMBEDDER, MODEL, LimitedGateway, key_of
from tests.clients.messages.cases import VERSIONS
from tests.clients.running_clients import run_script
from tests.support.openai_emulator import OpenAIEmulator

REFUSED = ("spent", "expired", "narrow", "small")
"""Keys whose requests no wait would help. Each client may repeat a request three times."""


@dataclass(frozen=True)
class Sdk:
    """One SDK: its script with the arguments before the steps, and the exceptions that its users handle."""

    name: str
    script: str
    first: tuple[str, ...]
    limited: tuple[Any, ...]
    refusals: tuple[tuple[Any, ...], ...]
    """The facts of the exceptions for the keys of :data:`REFUSED`."""

    def run(self, gateway: LimitedGateway, steps: Sequence[tuple[str, int]]) -> list[Any]:
        """Ask with the key of each step, and return None or the facts of an exception for each."""
        places = {"BASE": gateway.base_url, "ORIGIN": gateway.origin}
        first = [places.get(argument, argument) for argument in self.first]
        told = run_script(self.script, *first, *(f"{key_of(name)}:{retries}" for name, retries in steps))
        found: list[Any] = told["told"]
        return found


def openai(name: str, script: str, api: str) -> Sdk:
    """Return an SDK of OpenAI, which asks by *api*."""
    return Sdk(
        name,
        script,
        (api, "BASE", MODEL),
        ("RateLimitError", 429, "requests", "rate_limit_exceeded"),
        (
            ("RateLimitError", 429, "insufficient_quota", "insufficient_quota"),
            ("AuthenticationError", 401, "authentication_error", "invalid_api_key"),
            ("PermissionDeniedError", 403, "invalid_request_error", "model_not_found"),
            ("BadRequestError", 400, "invalid_request_error", "request_exceeds_limit"),
        ),
    )


def anthropic(name: str, script: str) -> Sdk:
    """Return an SDK of Anthropic."""
    return Sdk(
        name,
        script,
        ("limits", "ORIGIN", MODEL, "whole", VERSIONS[1]),
        ("RateLimitError", 429, "rate_limit_error", "rate_limit_exceeded"),
        (
            ("RateLimitError", 429, "rate_limit_error", "insufficient_quota"),
            ("AuthenticationError", 401, "authentication_error", "invalid_api_key"),
            ("PermissionDeniedError", 403, "permission_error", "model_not_found"),
            ("BadRequestError", 400, "invalid_request_error", "request_exceeds_limit"),
        ),
    )


def genai(name: str, script: str, error: str) -> Sdk:
    """Return an SDK of Google, whose exceptions have the class *error*."""
    return Sdk(
        name,
        script,
        ("limits", "ORIGIN", MODEL, "whole"),
        (error, 429, "RESOURCE_EXHAUSTED", "rate_limit_exceeded"),
        (
            (error, 429, "RESOURCE_EXHAUSTED", "insufficient_quota"),
            (error, 401, "UNAUTHENTICATED", "invalid_api_key"),
            (error, 403, "PERMISSION_DENIED", "model_not_found"),
            (error, 400, "INVALID_ARGUMENT", "request_exceeds_limit"),
        ),
    )


OBEDIENT = (
    openai("openai", "limits.openai_limits", "chat"),
    openai("responses", "limits.openai_limits", "responses"),
    openai("openai-node", "limits/openai_limits.mjs", "chat"),
    anthropic("anthropic", "messages.client"),
    anthropic("anthropic-node", "messages/client.mjs"),
)
"""SDKs that obey ``retry-after-ms`` and ``x-should-retry``."""

OTHERS = (
    genai("genai", "gemini.client", "ClientError"),
    genai("genai-node", "gemini/client.mjs", "ApiError"),
)
"""SDKs that repeat a request only where they are told to, after waits of their own."""


@pytest.mark.parametrize("sdk", OBEDIENT, ids=lambda sdk: sdk.name)
def test_sdk_that_obeys_waits_as_long_as_it_is_told(
    limited: LimitedGateway, sdk: Sdk, openai_emulator: OpenAIEmulator
) -> None:
    """A client without retries raises its own exception. With one, it is served by its second request.

    No other refusal reaches the provider, and none is repeated.
    """
    slow = f"slow-{sdk.name}"
    told = sdk.run(limited, [(slow, 0), (slow, 0), (slow, 1), *((name, 3) for name in REFUSED)])

    assert told == [None, [*sdk.limited], None, *([*facts] for facts in sdk.refusals)]
    assert limited.statuses() == [200, 429, 429, 200, 429, 401, 403, 400]
    assert len(openai_emulator.requests) == 2


@pytest.mark.parametrize("sdk", OTHERS, ids=lambda sdk: sdk.name)
def test_sdk_with_waits_of_its_own_is_served_in_the_end(
    limited: LimitedGateway, sdk: Sdk, openai_emulator: OpenAIEmulator
) -> None:
    """google-genai does not read the wait. A request that comes too early takes nothing, and is refused again."""
    slow = f"slow-{sdk.name}"
    told = sdk.run(limited, [*((name, 0) for name in REFUSED), (slow, 0), (slow, 0), (slow, 3)])

    assert told == [*([*facts] for facts in sdk.refusals), None, [*sdk.limited], None]
    *refusals, first, refused, last = limited.statuses_in_turn()
    assert (refusals, first, refused, last) == ([429, 401, 403, 400], 200, 429, 200)
    assert len(openai_emulator.requests) == 2


def test_embeddings_are_limited_as_chats_are(limited: LimitedGateway) -> None:
    """The exceptions of both paths are the same."""
    sdk = OBEDIENT[0]
    embedding = Sdk(sdk.name, sdk.script, ("embeddings", "BASE", EMBEDDER), sdk.limited, sdk.refusals)
    told = embedding.run(limited, [(name, 3) for name in REFUSED[:3]])

    assert told == [[*facts] for facts in sdk.refusals[:3]]
    assert limited.statuses() == [429, 401, 403]
