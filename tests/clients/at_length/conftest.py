"""Fixtures of the gateways and emulators, which the tests share."""

from tests.clients.responses.conftest import alone, gateways, relay_thread, replicas, responses_thread

__all__ = ["alone", "gateways", "relay_thread", "replicas", "responses_thread"]
