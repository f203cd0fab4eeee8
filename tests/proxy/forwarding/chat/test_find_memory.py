"""Tests that a dry run shows the memory that a sent request has, and that it begins and records nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from proxy.forwarding.chat.conversation_memory import ConversationMemory
from proxy.state.known_conversations import KnownConversations
from tests.support.proxied import Proxied, proxied
from tests.support.summarizing_upstream import SummarizingUpstream, compacting, session, summaries_done

EXPLAIN, LOOK, VERDICTS = "/v1/explain", "/ui/api/look", "/ui/api/verdicts"
GREEN = {"Authorization": "Bearer green-key"}
BLUE = {"Authorization": "Bearer blue-key"}
KEYS = {
    "master_key": "master",
    "keys": [{"name": name, "key": f"{name}-key"} for name in ("green", "blue")],
    "ui": True,
}


class Talk(NamedTuple):
    """A proxy that has written one summary of a conversation, and its upstream."""

    proxy: Proxied
    upstream: SummarizingUpstream

    async def dry(self, path: str, messages: list[dict[str, Any]], headers: Mapping[str, str] = GREEN) -> Any:
        """Return the answer of *path* for *messages*. Assert that nothing is sent upstream."""
        calls, asked = len(self.upstream.calls), len(self.upstream.asked)
        request: dict[str, Any] = {"model": "m", "messages": messages}
        body = request if path == EXPLAIN else {"request": request, "compact": False}
        reply = await self.proxy.post(body, path, headers)
        await summaries_done(self.proxy)
        assert reply.status == 200
        assert (len(self.upstream.calls), len(self.upstream.asked)) == (calls, asked)
        return reply.json


@asynccontextmanager
async def talking(**sections: Any) -> AsyncIterator[Talk]:
    """Serve a proxy, and send a history of the key green that makes the proxy write a summary."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(general_settings=KEYS, **sections), upstream) as proxy:
        await proxy.post({"model": "m", "messages": session(50)}, headers=GREEN)
        await summaries_done(proxy)
        yield Talk(proxy, upstream)


async def test_explain_and_inspector_show_what_is_sent() -> None:
    """The body is the one that the upstream gets, and the memory's description belongs to that body."""
    async with talking() as talk:
        explained = await talk.dry(EXPLAIN, session(51))
        looked = await talk.dry(LOOK, session(51))
        rows = (await talk.dry(VERDICTS, session(51)))["rows"]
        await talk.proxy.post({"model": "m", "messages": session(51)}, headers=GREEN)
    sent = list(talk.upstream.calls[-1].messages)

    assert explained["memory"] == looked["memory"]
    assert explained["body"]["messages"] == looked["body"]["messages"] == sent
    assert explained["summary"] == "compaction=1"
    assert sent[2] == {"role": "user", "content": explained["memory"]["text"]}
    first, last = explained["memory"]["replaced"]
    assert (first, explained["memory"]["model"], explained["memory"]["reflections"]) == (2, "cheap", 1)
    assert sent[3:] == session(51)[last + 1 :]
    assert explained["budget"]["memory"] == explained["memory"]["tokens"]
    assert rows[0]["changes"] == {"compaction": 1}
    assert [step["step"] for step in looked["steps"]] == ["compaction"]


async def test_another_key_sees_no_memory() -> None:
    """The memory belongs to the key whose request it was made from."""
    async with talking() as talk:
        assert "memory" not in (await talk.dry(EXPLAIN, session(51), BLUE))
        assert "memory" not in (await talk.dry(LOOK, session(51), BLUE))


async def test_dry_run_of_a_long_history_begins_no_summary() -> None:
    """The same request would begin a summary if it were sent."""
    upstream = SummarizingUpstream()
    async with proxied(compacting(general_settings=KEYS), upstream) as proxy:
        talk = Talk(proxy, upstream)
        explained = await talk.dry(EXPLAIN, session(50))
        await talk.dry(LOOK, session(50))
        await talk.dry(VERDICTS, session(50))
        assert "memory" not in explained
        assert upstream.asked == []

        await proxy.post({"model": "m", "messages": session(50)}, headers=GREEN)
        await summaries_done(proxy)
    assert len(upstream.asked) == 1


async def test_dry_run_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the store nor the process learns of a dry run, so that a look cannot change what is sent."""
    written: list[str] = []
    async with talking() as talk:
        for owner in (type(talk.proxy.server.gateway.store), KnownConversations):
            for name in ("put", "swap", "note_entries", "should_renew"):
                if hasattr(owner, name):
                    monkeypatch.setattr(owner, name, lambda *_, name=name, **__: written.append(name))
        for path in (EXPLAIN, LOOK, VERDICTS):
            await talk.dry(path, session(51))
        monkeypatch.undo()

    assert written == []


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
async def test_other_modes_show_no_memory(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only mode repair compacts, so a stored memory is not even looked up in another mode."""
    looked_up: list[object] = []
    async with talking() as talk:
        monkeypatch.setattr(ConversationMemory, "find", looked_up.append)
        current = talk.proxy.server.current
        sanitize = current.gateway.settings.sanitize.model_copy(update={"mode": mode})
        settings = current.gateway.settings.model_copy(update={"sanitize": sanitize})
        object.__setattr__(current.gateway, "settings", settings)
        explained = await talk.dry(EXPLAIN, session(51))

    assert looked_up == []
    assert "memory" not in explained
    assert explained["verdict"] == "unchanged"


async def test_the_memory_is_found_behind_notes_of_the_turn_guard() -> None:
    """Summaries are stored for the history with the guard's notes, so the dry run looks for that history."""
    turns = {"mode": "enforce", "max_rounds": 60, "warn_at": 0.5, "tell_model": True}
    async with talking(turns=turns) as talk:
        explained = await talk.dry(EXPLAIN, session(51))
        looked = await talk.dry(LOOK, session(51))
        await talk.proxy.post({"model": "m", "messages": session(51)}, headers=GREEN)

    assert explained["turns"] is not None
    assert explained["memory"] == looked["memory"] is not None
    assert explained["body"]["messages"] == list(talk.upstream.calls[-1].messages)
    assert [step["step"] for step in looked["steps"]] == ["turns", "compaction"]
