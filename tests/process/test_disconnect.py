"""Tests that a client's disconnect ends the upstream call at once, at any point of the answer."""

from __future__ import annotations

import json
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from tests.process.asking import body, metric
from tests.process.emulators import Gemini
from tests.process.running import Served

LONG_S = 600.0
"""A delay that is far longer than any test, so that no call ends by itself."""

ALLOWED_S = 10.0
"""Seconds within which the provider must see the client's disconnect. The aim is 0.1 s, and a busy machine needs more.

The bound is far below every timeout that would end the call.
"""

CLIENTS = 50
MODEL = "gemini/gemini-2.5-pro"
TEXT = "a text of some words that comes in more than one piece"


@pytest.mark.parametrize("stream", [False, True], ids=["waiting", "in mid-stream"])
def test_leaving_client_closes_the_call_upstream(served: Served, gemini: Gemini, stream: bool) -> None:
    """The connection to the provider closes within :data:`ALLOWED_S` after the client has left."""
    (client,) = begin(served, gemini, 1, stream=stream)

    client.close()
    left = time.monotonic()
    ends = gemini.wait_for_ends(1)
    seconds = time.monotonic() - left

    print(f"disconnected after {seconds * 1000:.1f} ms")  # noqa: T201 - shown when the test fails, and with -rP
    assert ends == ["disconnected"]
    assert seconds < ALLOWED_S


def test_fifty_leaving_clients_leave_nothing_in_flight(
    http: httpx.Client, served: Served, gemini: Gemini
) -> None:
    """Fifty clients that leave, streaming or not, leave nothing in flight, and every call upstream is given up."""
    streaming = begin(served, gemini, CLIENTS // 2, stream=True)
    waiting = begin(served, gemini, CLIENTS // 2, stream=False)
    before = metric(http, served.origin, "turnright_in_flight")
    told = len(served.running.events("request_finished"))

    for client in (*streaming, *waiting):
        client.close()
    ends = gemini.wait_for_ends(CLIENTS)

    assert before == CLIENTS
    assert ends == ["disconnected"] * CLIENTS
    limit = time.monotonic() + 30
    while metric(http, served.origin, "turnright_in_flight") and time.monotonic() < limit:
        time.sleep(0.01)
    assert metric(http, served.origin, "turnright_in_flight") == 0
    lines = served.running.wait_for_events("request_finished", told + CLIENTS)
    outcomes = [event["outcome"] for event in lines[-CLIENTS:]]
    assert outcomes == ["client_disconnected"] * CLIENTS


def begin(served: Served, gemini: Gemini, count: int, *, stream: bool) -> list[socket.socket]:
    """Return the sockets of *count* clients that wait for an answer, or for more after a stream's first chunk."""
    known = len(gemini.journal())
    gemini.fault(times=count, **({"chunk_delay_seconds": LONG_S} if stream else {"delay_seconds": LONG_S}))
    for _ in range(count if stream else 0):
        gemini.say(TEXT)
    clients = [send(served, stream=stream) for _ in range(count)]
    limit = time.monotonic() + 30
    while len(gemini.journal()) < known + count:
        assert time.monotonic() < limit
        time.sleep(0.01)
    for client in clients if stream else ():
        received = b""
        while b"data: " not in received:
            received += client.recv(65536)
    return clients


def send(served: Served, *, stream: bool) -> socket.socket:
    """Send a chat request over a new socket, and return the socket."""
    address = urlsplit(served.origin)
    client = socket.create_connection((address.hostname or "", address.port or 80), timeout=30)
    payload = json.dumps(body(MODEL, [{"role": "user", "content": "x"}], stream=stream)).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(payload)}\r\n\r\n"
    client.sendall(head.encode() + payload)
    return client
