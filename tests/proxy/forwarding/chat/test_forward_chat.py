"""Tests of which chats are compacted: by mode, by model and by key."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.proxied import proxied
from tests.support.summarizing_upstream import SummarizingUpstream, compacting, session, summaries_done


async def asked_for_summaries(messages: list[dict[str, Any]], *, key: str = "", **sections: Any) -> int:
    """Send *messages* to a proxy with *sections*, and return the number of calls to the summarizing model."""
    upstream = SummarizingUpstream()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with proxied(compacting(**sections), upstream) as one:
        await one.post({"model": "m", "messages": messages}, headers=headers)
        await summaries_done(one)
    return len(upstream.asked)


@pytest.mark.parametrize(("mode", "expected"), [("repair", 1), ("observe", 0), ("strict", 0), ("off", 0)])
async def test_only_repair_compacts(mode: str, expected: int) -> None:
    """The other modes change no history."""
    assert await asked_for_summaries(session(50), sanitize={"mode": mode}) == expected


@pytest.mark.parametrize(
    ("compaction", "expected"),
    [
        ({"enabled": False}, 0),
        ({"per_model": [{"model": "m", "enabled": False}]}, 0),
        ({"enabled": False, "per_model": [{"model": "m", "enabled": True}]}, 1),
        ({"trigger": 0.9}, 0),
    ],
)
async def test_settings_decide_for_each_model(compaction: dict[str, Any], expected: int) -> None:
    """The history has some 78 % of the window."""
    assert await asked_for_summaries(session(50), compaction=compaction) == expected


@pytest.mark.parametrize(("key", "expected"), [("blue-key", 1), ("red-key", 0)])
async def test_key_may_switch_compaction_off(key: str, expected: int) -> None:
    """The clients of a key may compact themselves."""
    keys = [{"name": name, "key": f"{name}-key"} for name in ("blue", "red")]
    general = {"master_key": "master", "keys": keys}
    compaction = {"per_key": [{"key": "red", "enabled": False}]}
    found = await asked_for_summaries(session(50), key=key, general_settings=general, compaction=compaction)
    assert found == expected


async def test_streamed_chat_is_compacted_like_a_whole_one() -> None:
    """The memory does not depend on the form of the answer."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(), upstream) as one:
        await one.post({"model": "m", "messages": session(50), "stream": True})
        await summaries_done(one)
        reply = await one.post({"model": "m", "messages": session(51), "stream": True})
    assert reply.headers["x-turnright-changes"] == "compaction=1"
    assert len(upstream.calls[1].messages) < 30
