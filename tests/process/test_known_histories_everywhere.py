"""Tests every publicly reported broken history through the running process, with every provider.

A fallback may carry any history to any provider, so that each provider has to accept all histories. The provider that a
report is about is also asked for a stream. ``test_known_histories`` has the streams of Gemini and OpenAI.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.asking import ask, body, explain
from tests.process.known_histories import HISTORIES, TOOLLESS, invented, lost
from tests.process.providers import MODELS, WITHOUT_TOOLS, Everywhere, arrived, route_of
from tests.support.covering_cases import share_of

ROUTES = {
    "a": "anthropic",
    "m": "mistral",
    "b": "bedrock",
    "d": "deepseek",
    "v": "hosted_vllm",
    "c": "cohere_chat",
}
"""Maps the first letter of a history's id to its report's route, for routes that ``test_known_histories`` lacks."""

THINKING = {"a05": {"reasoning_effort": "low", "max_tokens": 8192}}
"""Parameters that a request to Claude needs, besides its history, to meet the reported fault."""

REFUSED_ONCE = {("gemini", "g68")}
"""Histories with another model's signature, which only the provider can detect and refuse."""

NO_IMAGES = {(model, name) for model in MODELS if route_of(model).endswith("deepseek") for name in ("g35",)}
"""Models that read no images, with the histories whose user sends one.

The proxy refuses such a request, and sends nothing.
"""

JOINING = ("deepseek", "litellm/deepseek", "litellm/ollama_chat")
"""Routes on which the texts of a message are joined without a separator."""

CASES = [
    *((model, name) for model in MODELS for name in HISTORIES if (model, name) not in NO_IMAGES),
    *((model, name) for model in WITHOUT_TOOLS for name in TOOLLESS),
]
SENT = [
    case
    for number, model in enumerate((*MODELS, *WITHOUT_TOOLS))
    for case in share_of([one for one in CASES if one[0] == model], number)
]
"""The histories that are sent to each model: a third of them, unless all are asked for."""

OWN = [(model, name) for model, name in CASES if route_of(model) == ROUTES.get(name[0])]


def request_of(model: str, name: str, *, stream: bool) -> dict[str, Any]:
    """Return the request that sends the history *name* to *model*."""
    history = HISTORIES[name]
    tools = history.get("tools", ()) if model not in WITHOUT_TOOLS else ()
    asked = body(model, history["messages"], tools=tools, stream=stream)
    return asked | (THINKING.get(name, {}) if "claude" in model else {})


@pytest.mark.parametrize(("model", "name"), SENT, ids=lambda value: value)
def test_known_history_is_taken_by_every_provider_at_the_first_try(
    http: httpx.Client, everywhere: Everywhere, model: str, name: str
) -> None:
    """The provider's emulator accepts the history at the first try, and gets all of it except for reported losses."""
    check(http, everywhere, model, name, stream=False)


@pytest.mark.parametrize(("model", "name"), OWN, ids=lambda value: value)
def test_provider_of_the_report_streams_its_answer(
    http: httpx.Client, everywhere: Everywhere, model: str, name: str
) -> None:
    """The provider that the report is about streams its answer to the same request."""
    check(http, everywhere, model, name, stream=True)


@pytest.mark.parametrize(("model", "name"), sorted(NO_IMAGES), ids=lambda value: value)
def test_image_for_a_model_without_images_is_refused_with_its_place(
    http: httpx.Client, everywhere: Everywhere, model: str, name: str
) -> None:
    """An image for a model that reads no images is a 400 with the image's path, and nothing is sent."""
    provider = everywhere.of(model)

    answer = ask(http, everywhere.served, request_of(model, name, stream=False))

    assert provider.sent() == []
    assert answer.status == 400
    assert answer.error["param"].startswith("messages[1].content")


def check(http: httpx.Client, everywhere: Everywhere, model: str, name: str, *, stream: bool) -> None:
    """Send the history, and compare it with the body that the provider got."""
    provider = everywhere.of(model)
    request = request_of(model, name, stream=stream)

    answer = ask(http, everywhere.served, request)
    sent = provider.sent()

    assert sent, f"nothing was sent: {answer.text}"
    judged = sent[-1:] if (route_of(model), name) in REFUSED_ONCE else sent
    assert [(one.status, one.refused or None) for one in judged] == [(200, None)]
    assert answer.is_whole, answer.text
    messages, arriving = HISTORIES[name]["messages"], sent[-1].body
    texts, joins = arrived(model, arriving), route_of(model) in JOINING
    if lost(messages, arriving, texts, [], joins=joins):  # otherwise no change has to tell of anything
        changes = explain(http, everywhere.served, request)["changes"]
        assert lost(messages, arriving, texts, changes, joins=joins) == []
    assert invented(arriving) == []
