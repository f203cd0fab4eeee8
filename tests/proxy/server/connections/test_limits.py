"""Tests of the number of connections that the process's file descriptors allow."""

from __future__ import annotations

import resource

import pytest

from proxy.server.connections.limits import (
    accepted_at_once,
    max_connections,
    raise_descriptor_limit,
    reachable_limit,
)


@pytest.mark.parametrize("descriptors", [64, 256, 1_024, 4_096, 65_536, 1_048_576])
@pytest.mark.parametrize("in_flight", [1, 64, 512, 20_000])
def test_descriptors_suffice_for_connections_and_their_upstreams(descriptors: int, in_flight: int) -> None:
    """At least eight clients may connect under any limit."""
    clients = max_connections(descriptors, in_flight)
    upstream = min(in_flight, clients)

    assert clients >= 8
    if descriptors >= 256:
        assert clients + upstream + 4 * accepted_at_once(descriptors) <= descriptors
        assert clients // 4 >= 5 * accepted_at_once(descriptors)


@pytest.mark.parametrize(
    ("descriptors", "in_flight", "connections"),
    [(256, 512, 92), (256, 64, 120), (4_096, 512, 3_392), (65_536, 512, 8_192), (65_536, 10_000, 20_000)],
)
def test_connections_for_a_number_of_descriptors(descriptors: int, in_flight: int, connections: int) -> None:
    """Clients get at least half of the free descriptors.

    Where there are many descriptors, a maximum for the sake of memory holds.
    """
    assert max_connections(descriptors, in_flight) == connections


@pytest.mark.parametrize(
    ("soft", "hard", "reached"),
    [
        (256, 256, 256),
        (1_024, 4_096, 4_096),
        (1_024, 1_048_576, 65_536),
        (100_000, 1_048_576, 100_000),
        (1_024, resource.RLIM_INFINITY, 65_536),
    ],
)
def test_soft_limit_is_raised_and_never_lowered(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, reached: int
) -> None:
    """The soft limit is raised to the hard limit, but at most to 65,536."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: asked.append(both))
    raise_descriptor_limit()

    assert reachable_limit() == reached
    assert asked == [(reached, hard)]


def test_failure_to_raise_the_limit_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox may forbid raising the limit, and this raises no error."""

    def refuse(*_: object) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    raise_descriptor_limit()
