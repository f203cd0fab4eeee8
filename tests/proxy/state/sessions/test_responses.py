"""Tests of stored responses: the sizes that positions name, what is indexed, and what a deletion removes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.responses import INDEXED, pack_step
from proxy.state.sessions.turn_entry import Position
from tests.support.session_stores import MIB, memory_sessions, record, said, user


async def test_position_names_the_bytes_that_are_read() -> None:
    """The sizes of a response that was just kept are those that a later reader finds."""
    sessions = memory_sessions()
    await sessions.keep_response("blue", record(1))
    made = await pack_step(record(1), Position(), MIB)
    history = await sessions.history("blue", "resp_1")

    assert history is not None
    assert history.position == made.position
    [link] = history.position.links
    stands = await sessions.store.get("blue", ["t:resp_1", "n:resp_1"])
    assert link.stored_bytes == sum(map(len, stands.values()))


async def test_newest_items_with_ids_are_indexed() -> None:
    """Of an output 512, of an input 32: a client that sends its history again sends known items."""
    sessions = memory_sessions()
    output = [said(f"o{number}") for number in range(INDEXED + 5)]
    sent = [user("u", id=f"msg_i{number}") for number in range(100)]
    await sessions.keep_response("blue", record(1, input=sent, output=output))
    asked = [item["id"] for item in (*sent, *output)]
    found = await sessions.find_items("blue", asked)

    assert set(found) == {f"msg_i{number}" for number in range(68, 100)} | {
        f"msg_o{number}" for number in range(5, INDEXED + 5)
    }


async def test_newest_place_of_an_item_counts() -> None:
    """The older response may expire before the newer one."""
    sessions = memory_sessions()
    await sessions.keep_response("blue", record(1))
    await sessions.keep_response("blue", record(2, input=[said("a1", phase="again")]))
    assert (await sessions.find_items("blue", ["msg_a1"]))["msg_a1"]["phase"] == "again"
    await sessions.delete_response("blue", "resp_1")

    assert set(await sessions.find_items("blue", ["msg_a1"])) == {"msg_a1"}


async def test_deletion_leaves_nothing() -> None:
    """No value of a deleted response is left, parts and places of items included."""
    sessions = memory_sessions()
    assert isinstance(sessions.store, MemoryRecords)
    text = "".join(chr(0x4E00 + number * number % 20_000) for number in range(300_000))
    assert await sessions.keep_response("blue", record(1, input=[user(text, id="msg_u")]))
    assert await sessions.delete_response("blue", "resp_1")

    assert sessions.store.size_bytes == 0


async def test_response_object_is_kept_whole_but_for_its_output() -> None:
    """A later look-up gives the response that the client got. The output is stored once."""
    sessions = memory_sessions()
    response = {
        "id": "resp_1",
        "output": [said("other")],
        "instructions": "Be brief.",
        "usage": {"total_tokens": 3},
    }
    await sessions.keep_response("blue", record(1, response=response))
    found = await sessions.find_response("blue", "resp_1")
    history = await sessions.history("blue", "resp_1")

    assert found is not None
    assert found.response == {**response, "output": [said("a1")]}
    assert history is not None
    assert all("instructions" not in item for item in history.items)


@pytest.mark.parametrize("field", ["input", "output", "response"])
async def test_record_that_json_cannot_hold_is_not_kept(field: str) -> None:
    """Nothing is raised: the answer says that it was not stored."""
    sessions = memory_sessions()
    wrong = {"x": object()}
    fields: dict[str, Any] = {field: wrong if field == "response" else [wrong]}
    made = record(1, **fields)

    assert not await sessions.keep_response("blue", made)
    assert not await sessions.keep_response("blue", record(2, id="with space"))
    assert await sessions.find_response("blue", "resp_1") is None


async def test_item_is_found_beside_ids_of_any_type() -> None:
    """Items are stored as they were sent, so that an id may be any JSON."""
    sessions = memory_sessions()
    sent = [user("a", id="msg_a"), {**user("b"), "id": []}, {**user("c"), "id": {}}]
    assert await sessions.keep_response("blue", record(1, input=sent))

    assert set(await sessions.find_items("blue", ["msg_a"])) == {"msg_a"}
