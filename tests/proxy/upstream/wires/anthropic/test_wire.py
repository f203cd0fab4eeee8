"""Tests of the wire for chats on Anthropic's API. ``test_protocol`` has what every wire must do."""

from __future__ import annotations

import pytest

from proxy.upstream.wires.anthropic.wire import ANTHROPIC
from tests.proxy.upstream.wires.anthropic.calling import call_to

WIRE = ANTHROPIC.chat


@pytest.mark.parametrize(
    ("model", "lost"),
    [
        ("claude-3-5-sonnet-20241022", {"seed", "reasoning_effort"}),
        ("claude-sonnet-4-5", {"seed"}),
        ("claude-opus-4-8", {"seed", "temperature", "top_k", "top_p"}),
        ("glm-5", {"seed"}),
    ],
)
def test_unsupported_parameters_depend_on_the_model(model: str, lost: set[str]) -> None:
    """Newer models take no sampling parameters, and older ones do not think."""
    names = ("max_tokens", "reasoning_effort", "seed", "temperature", "tools", "top_k", "top_p")
    parameters = dict.fromkeys(names, 1)
    assert WIRE.unsupported(call_to(model).deployment, parameters) == lost
    allowing = call_to(model, allowed_openai_params=["seed", "temperature"]).deployment
    assert WIRE.unsupported(allowing, parameters) == lost - {"seed", "temperature"}


def test_no_headers_of_clients_go_out_with_a_chat() -> None:
    """The version is that of the body that is written."""
    assert WIRE.client_headers is None


def test_provider_has_chats_alone() -> None:
    """Anthropic has neither embeddings nor text completions."""
    assert (ANTHROPIC.embeddings, ANTHROPIC.texts) == (None, None)
