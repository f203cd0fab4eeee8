"""Tests that a process without a Redis store never loads the client of Redis."""

from __future__ import annotations

from collections.abc import Callable


def test_client_of_redis_is_imported_only_with_its_backend(fresh_python: Callable[..., str]) -> None:
    """The client is an extra. Without it everything else can be imported."""
    imports = "import sys, proxy.cli, proxy.server, proxy.state, proxy.config.redis_address"
    seen = "; print(sorted({'redis', 'hiredis'} & sys.modules.keys()))"

    assert fresh_python(imports + seen) == "[]\n"
    assert fresh_python(imports + ", proxy.state.redis.backend" + seen) == "['hiredis', 'redis']\n"
