"""Tests of conversations: their bounds, changes at the same time, and deletions."""

from __future__ import annotations

import pytest

from proxy.core.errors import InvalidRequest
from proxy.state.sessions import conversations as module
from proxy.state.sessions.conversations import Conversation
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.record_store import Change
from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.sessions.values import write_values
from tests.support.session_stores import memory_sessions, record, texts, user
from tests.support.sessions_contract import PLAN


async def test_deleted_conversation_leaves_nothing_of_its_own_items() -> None:
    """The head, the items and the places are gone or lead nowhere."""
    sessions = memory_sessions()
    assert isinstance(sessions.store, MemoryRecords)
    await sessions.create_conversation("blue", PLAN, [user("secret", id="msg_s")])
    await sessions.append_items("blue", "conv_1", [user("more")])
    assert await sessions.delete_conversation("blue", "conv_1")
    left = sessions.store._accounts["blue"].values

    assert all(key.startswith("i:") for key in left)
    assert await sessions.find_items("blue", ["msg_s"]) == {}


async def test_deleted_item_is_nowhere_in_the_conversation() -> None:
    """No value holds its text afterwards."""
    sessions = memory_sessions()
    assert isinstance(sessions.store, MemoryRecords)
    await sessions.create_conversation("blue", PLAN, [user("secret", id="msg_s"), user("other")])
    assert await sessions.delete_item("blue", "conv_1", "msg_s") == PLAN

    assert not any(b"secret" in each.value for each in sessions.store._accounts["blue"].values.values())
    assert await sessions.find_items("blue", ["msg_s"]) == {}
    history = await sessions.conversation_history("blue", "conv_1")
    assert history is not None
    assert texts(history.items) == ["other"]


async def test_every_item_can_be_deleted() -> None:
    """An empty conversation goes on."""
    sessions = memory_sessions()
    await sessions.create_conversation("blue", PLAN, [user("a"), user("b")])
    page = await sessions.list_items("blue", "conv_1")
    assert page is not None
    for item in page.data:
        assert await sessions.delete_item("blue", "conv_1", item["id"]) == PLAN
    assert await sessions.append_items("blue", "conv_1", [user("c")]) is not None
    history = await sessions.conversation_history("blue", "conv_1")

    assert history is not None
    assert texts(history.items) == ["c"]
    assert history.position.counted.turns == 1


async def test_metadata_beyond_its_bound_is_refused() -> None:
    """Metadata within OpenAI's bounds is kept."""
    sessions = memory_sessions()
    most = {f"{number:064}": "é" * 512 for number in range(16)}
    await sessions.create_conversation("blue", Conversation("conv_1", 1, most))
    assert (await sessions.find_conversation("blue", "conv_1")) == Conversation("conv_1", 1, most)
    with pytest.raises(InvalidRequest) as caught:
        await sessions.update_conversation("blue", "conv_1", {"a": "x" * 70_000})

    assert caught.value.param == "metadata"


async def test_conversation_that_others_change_all_the_time_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attempts end, with an error that says to try again."""
    sessions = memory_sessions()
    await sessions.create_conversation("blue", PLAN, [user("a")])
    attempts = []

    async def lose(*arguments: object) -> bool:
        attempts.append(arguments)
        return False

    monkeypatch.setattr(module, "write_values", lose)
    with pytest.raises(SessionsUnavailable):
        await sessions.append_items("blue", "conv_1", [user("b")])
    with pytest.raises(SessionsUnavailable):
        await sessions.delete_item("blue", "conv_1", (await sessions.list_items("blue", "conv_1")).first_id)  # type: ignore[union-attr, arg-type]

    assert len(attempts) == 32


async def test_conversation_deleted_meanwhile_takes_no_response(monkeypatch: pytest.MonkeyPatch) -> None:
    """A response is not kept where its conversation has gone."""
    sessions = memory_sessions()
    await sessions.create_conversation("blue", PLAN)
    write = write_values

    async def delete_first(*arguments: object) -> bool:
        await sessions.delete_conversation("blue", "conv_1")
        return await write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "write_values", delete_first)

    assert not await sessions.keep_response("blue", record(1, conversation_id="conv_1"))
    assert await sessions.find_response("blue", "resp_1") is None


async def test_damaged_head_is_unknown_and_counted() -> None:
    """A value of another version is no conversation."""
    sessions = memory_sessions()
    assert isinstance(sessions.store, MemoryRecords)
    await sessions.create_conversation("blue", PLAN)
    stands = (await sessions.store.get("blue", ["c:conv_1"]))["c:conv_1"]
    for damaged in (
        b"",
        b"x" * 50,
        stands[:-1],
        stands[:8] + b"[]",
        stands.replace(b"metadata", b"metadatb"),
    ):
        await sessions.store.change("blue", Change({"c:conv_1": damaged}))
        assert await sessions.find_conversation("blue", "conv_1") is None

    assert sessions.store.corrupt == 5
