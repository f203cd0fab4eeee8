"""Tests of the parameters that Gemini's wire can send."""

from __future__ import annotations

from proxy.ingress.openai_chat.parameters import PARAMETERS
from proxy.upstream.wires.gemini.requests import SUPPORTED, carried_parameters
from sanitizers import profile_for
from tests.proxy.upstream.wires.gemini.test_settings import V2_5, V3


def test_carried_parameters() -> None:
    """All parameters that the wire can send are on the allow-list. Gemini 3 does not accept the penalties."""
    assert SUPPORTED <= PARAMETERS.keys()
    assert carried_parameters(profile_for(f"gemini/{V2_5}"), V2_5) == SUPPORTED
    assert SUPPORTED - carried_parameters(profile_for(f"gemini/{V3}"), V3) == {
        "frequency_penalty",
        "presence_penalty",
    }
