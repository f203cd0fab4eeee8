"""Tests that LiteLLM's client waits for a limit, gives up where waiting is pointless, and raises its own exceptions."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from tests.clients.limits.gateway import MODEL, LimitedGateway, key_of

REFUSED = ("spent", "expired", "narrow", "small")


def ask(litellm: Any, limited: LimitedGateway, name: str, retries: int) -> tuple[str, int] | None:
    """Return the class and the status of the exception, or None for an answer."""
    settings: dict[str, Any] = {"api_base": limited.base_url, "api_key": key_of(name), "max_retries": retries}
    messages = [{"role": "user", "content": "Hello."}]
    try:
        litellm.completion(model=f"openai/{MODEL}", messages=messages, max_tokens=16, **settings)
    except openai.APIStatusError as error:
        return type(error).__name__, error.status_code
    return None


# LiteLLM warns of its own types, and leaves an event loop open.
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::ResourceWarning")
def test_litellm_obeys_as_openais_client_does(litellm: Any, limited: LimitedGateway) -> None:
    """LiteLLM asks by OpenAI's client, and its exceptions have that client's names.

    It goes by the code where a model is not allowed. It runs in a thread, with which its event loop ends.
    """
    slow = "slow-litellm"
    steps = [(slow, 0), (slow, 0), (slow, 1), *((name, 3) for name in REFUSED)]
    with ThreadPoolExecutor(1) as thread:
        told = [thread.submit(ask, litellm, limited, *step).result() for step in steps]
    gc.collect()

    assert told == [
        None,
        ("RateLimitError", 429),
        None,
        ("RateLimitError", 429),
        ("AuthenticationError", 401),
        ("NotFoundError", 403),
        ("BadRequestError", 400),
    ]
    assert limited.statuses() == [200, 429, 429, 200, 429, 401, 403, 400]
