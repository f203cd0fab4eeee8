"""Tests that each emulator has its own state, and that a refusal has Google's content type."""

from __future__ import annotations

from proxy.emulator import Refusal, create_emulator
from proxy.emulator.faults import NO_FAULT
from proxy.emulator.state import STATE, refusal_response


def test_emulators_share_no_queue() -> None:
    """A fault of one emulator does not reach the requests of another."""
    one, other = (create_emulator()[STATE] for _ in range(2))
    one.faults.extend((NO_FAULT,))

    assert (len(one.faults.items), len(other.faults.items)) == (1, 0)


def test_refusal_is_json_with_its_own_status() -> None:
    """The HTTP response of a refusal and its JSON body have the same status."""
    response = refusal_response(Refusal("Gone.", 404, "NOT_FOUND"))

    assert (response.status, response.headers["Content-Type"]) == (404, "application/json; charset=UTF-8")
    assert response.body == b'{"error":{"code":404,"message":"Gone.","status":"NOT_FOUND"}}'
