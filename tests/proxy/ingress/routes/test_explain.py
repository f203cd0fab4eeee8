"""A dry run applies the limit of rounds that holds for its sender."""

from __future__ import annotations

import pytest

from proxy.ingress.routes.paths import EXPLAIN
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import MODEL, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEYS = [{"name": name, "key": f"tr-{name}-0123456789"} for name in ("bob", "eve")]
ROUNDS = [
    user("go"),
    *(
        message
        for number in range(3)
        for message in (assistant(None, [call(f"c{number}", "f")]), tool(f"c{number}"))
    ),
]


@pytest.mark.parametrize(
    ("sender", "asked", "limit"), [("bob", None, 5), ("eve", None, 9), ("eve", "2", 2), ("bob", "7", 5)]
)
async def test_limit_of_rounds_is_the_senders_own_or_the_lower_one_it_asks_for(
    upstream: ScriptedUpstream, sender: str, asked: str | None, limit: int
) -> None:
    """A dry run applies the lower of the sender's own limit of rounds and the limit in the request's header."""
    turns = {"mode": "enforce", "max_rounds": 9, "per_key": [{"key": "bob", "max_rounds": 5}]}
    headers = {"Authorization": f"Bearer tr-{sender}-0123456789"}
    if asked is not None:
        headers["x-turnright-max-rounds"] = asked
    async with proxied(settings_of(general_settings={"keys": KEYS}, turns=turns), upstream) as proxy:
        reply = await proxy.post({"model": MODEL, "messages": ROUNDS}, EXPLAIN, headers)

    assert (reply.status, reply.json["turns"]["limit"]) == (200, limit)
    assert upstream.calls == []
