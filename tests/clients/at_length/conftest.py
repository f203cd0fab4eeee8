"""Fixtures of the gateways and emulators, which the tests share."""

from tests.clients.gemini.conftest import gemini_alone, gemini_gateways, gemini_other
from tests.clients.limits.conftest import limited, limited_process
from tests.clients.messages.conftest import (
    anthropic_thread,
    messages_alone,
    messages_gateways,
    messages_other,
)
from tests.clients.responses.conftest import alone, gateways, relay_thread, replicas, responses_thread

__all__ = [
    "alone",
    "anthropic_thread",
    "gateways",
    "gemini_alone",
    "gemini_gateways",
    "gemini_other",
    "limited",
    "limited_process",
    "messages_alone",
    "messages_gateways",
    "messages_other",
    "relay_thread",
    "replicas",
    "responses_thread",
]
