"""The tests that sessions have to pass over every kind of store.

A test file makes a subclass whose name begins with ``Test``, with an async fixture ``pair`` that yields the sessions of
two replicas over one empty store. In memory both are the same.
"""

from __future__ import annotations

import asyncio
import random

import pytest

from proxy.core.errors import InvalidRequest
from proxy.state.sessions.conversations import Conversation
from proxy.state.sessions.read_history import Window
from proxy.state.sessions.sessions import Sessions
from tests.support.session_stores import keep_chain, record, said, texts, user

Pair = tuple[Sessions, Sessions]
PLAN = Conversation("conv_1", 1_800_000_000, {"topic": "plan"})


class SessionsContract:
    """The tests. A subclass has the fixture ``pair``."""

    async def test_response_is_readable_by_the_other_replica_at_once(self, pair: Pair) -> None:
        one, other = pair
        for number in range(20):
            assert await one.keep_response("blue", record(number))
            found = await other.find_response("blue", f"resp_{number}")

            assert found is not None
            assert found.response["output"] == [said(f"a{number}")]
            assert found.response["status"] == "completed"
            assert (found.model, found.created_at) == ("gemini", 1_800_000_000 + number)
            own = await other.find_input("blue", f"resp_{number}")
            assert own is not None
            assert [item["content"] for item in own] == [f"q{number}"]
            assert own[0]["id"].startswith("msg_")

    async def test_chain_over_two_replicas_is_the_whole_history(self, pair: Pair) -> None:
        count = 135
        for number in range(count):
            parent = None if not number else number - 1
            history = None
            if parent is not None:
                history = await pair[number % 2].history("blue", f"resp_{parent}")
                assert history is not None
                assert len(history.items) == 2 * number
            assert await pair[number % 2].keep_response("blue", record(number, parent), history)
        history = await pair[0].history("blue", f"resp_{count - 1}")

        assert history is not None
        expected = [text for number in range(count) for text in (f"q{number}", f"a{number}")]
        assert texts(history.items) == expected
        assert history.dropped_turns == 0

    async def test_two_responses_continue_the_same_one(self, pair: Pair) -> None:
        await keep_chain(pair[0], "blue", 3)
        await asyncio.gather(
            pair[0].keep_response("blue", record(10, 2)), pair[1].keep_response("blue", record(11, 2))
        )
        left, right = await pair[1].history("blue", "resp_10"), await pair[0].history("blue", "resp_11")

        assert left is not None
        assert right is not None
        assert texts(left.items)[-2:] == ["q10", "a10"]
        assert texts(right.items)[-2:] == ["q11", "a11"]
        assert left.items[:-2] == right.items[:-2]

    async def test_unknown_deleted_and_foreign_ids_are_the_same(self, pair: Pair) -> None:
        one, other = pair
        for tenant in ("blue", "red"):
            await one.keep_response(tenant, record(1))
            await one.create_conversation(tenant, PLAN, [user("hi", id="msg_hi")])
        await one.keep_response("red", record(2))
        await one.keep_response("blue", record(3))
        assert await one.delete_response("blue", "resp_3")
        await one.create_conversation("red", Conversation("conv_2", 1, {}), [user("red", id="msg_red")])
        for id_ in ("resp_2", "resp_3", "resp_999", "", "x" * 10_000, "\ud800"):
            assert await other.find_response("blue", id_) is None
            assert await other.find_input("blue", id_) is None
            assert await other.history("blue", id_) is None
            assert not await other.delete_response("blue", id_)
        for id_ in ("conv_2", "conv_999", "", "x" * 10_000, "\ud800"):
            assert await other.find_conversation("blue", id_) is None
            assert await other.update_conversation("blue", id_, {}) is None
            assert await other.conversation_history("blue", id_) is None
            assert await other.append_items("blue", id_, [user("x")]) is None
            assert await other.list_items("blue", id_) is None
            assert await other.delete_item("blue", id_, "msg_red") is None
            assert not await other.delete_conversation("blue", id_)
        assert await other.find_items("blue", ["msg_a2", "msg_a3", "msg_red", "", "x" * 999]) == {}
        assert await other.find_item("blue", "conv_1", "msg_red") is None

        assert await other.history("red", "resp_2") is not None
        assert await other.find_items("red", ["msg_a2", "msg_red"]) == {
            "msg_a2": said("a2"),
            "msg_red": user("red", id="msg_red"),
        }

    async def test_chain_with_a_deleted_response_is_unknown(self, pair: Pair) -> None:
        await keep_chain(pair[0], "blue", 5)
        assert await pair[1].delete_response("blue", "resp_2")

        assert await pair[0].history("blue", "resp_4") is None
        assert await pair[0].history("blue", "resp_1") is not None
        assert await pair[1].find_response("blue", "resp_4") is not None
        assert not await pair[0].keep_response("blue", record(9, 2))

    async def test_items_are_found_by_their_ids(self, pair: Pair) -> None:
        reasoning = {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAA=="}
        call = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
        sent = [user("hi", id="msg_sent"), {"type": "item_reference", "id": "msg_other"}, {"id": "bare"}]
        await pair[0].keep_response("blue", record(1, input=sent, output=[reasoning, call]))
        await pair[0].keep_response("blue", record(2, 1))
        found = await pair[1].find_items("blue", ["fc_1", "rs_1", "msg_sent", "msg_a2", "msg_other", "bare"])

        assert found == {"fc_1": call, "rs_1": reasoning, "msg_sent": sent[0], "msg_a2": said("a2")}
        history = await pair[1].history("blue", "resp_1")
        assert history is not None
        assert history.items == [*sent, reasoning, call]
        await pair[1].delete_response("blue", "resp_2")
        assert await pair[0].find_items("blue", ["msg_a2", "rs_1"]) == {"rs_1": reasoning}

    async def test_newest_turns_are_those_of_the_whole_list(self, pair: Pair) -> None:
        leading = {"type": "message", "role": "developer", "content": "rules"}
        for number in range(100):
            sent = [leading, user("q0")] if not number else [user(f"q{number}")]
            await pair[0].keep_response("blue", record(number, number - 1 if number else None, input=sent))
        for number in (0, 28, 29, 30, 39, 40, 41, 99):
            new = [user("new")]
            history = await pair[1].history("blue", f"resp_{number}", Window(20, new))
            assert history is not None
            total = number + 2
            dropped = 0 if total <= 30 else 11 * -(-(total - 30) // 11)
            kept = [text for each in range(dropped, number + 1) for text in (f"q{each}", f"a{each}")]

            assert history.dropped_turns == dropped
            assert texts(history.items) == ["rules", *kept]
            assert 20 <= total - dropped <= 30 or total < 20

    @pytest.mark.parametrize("size", [300_000, 2_000_000])
    async def test_large_records_come_back_in_parts(self, pair: Pair, size: int) -> None:
        image = random.Random(size).randbytes(size).hex()
        await pair[0].keep_response("blue", record(1, input=[user(image, id="msg_image")], weight=2 * size))
        await pair[0].keep_response("blue", record(2, 1))
        history = await pair[1].history("blue", "resp_2")

        assert history is not None
        assert texts(history.items) == [image, "a1", "q2", "a2"]
        assert (await pair[1].find_items("blue", ["msg_image"]))["msg_image"]["content"] == image
        assert await pair[1].delete_response("blue", "resp_1")
        assert await pair[1].history("blue", "resp_2") is None

    async def test_conversation_is_created_read_changed_and_deleted(self, pair: Pair) -> None:
        one, other = pair
        await one.create_conversation("blue", PLAN, [user("hi"), said("hello")])
        assert await other.find_conversation("blue", "conv_1") == PLAN
        added = await other.append_items("blue", "conv_1", [user("more")])
        assert added is not None
        changed = await other.update_conversation("blue", "conv_1", {"topic": "new"})
        assert changed is not None
        assert changed.metadata == {"topic": "new"}
        history = await one.conversation_history("blue", "conv_1")
        assert history is not None
        assert texts(history.items) == ["hi", "hello", "more"]
        assert await other.find_item("blue", "conv_1", added[0]["id"]) == added[0]
        assert await one.delete_conversation("blue", "conv_1")

        assert await other.find_conversation("blue", "conv_1") is None
        assert await other.find_items("blue", ["msg_hello"]) == {}

    async def test_response_of_a_conversation_is_a_part_of_it(self, pair: Pair) -> None:
        one, other = pair
        await one.create_conversation("blue", PLAN, [user("before")])
        assert await one.keep_response("blue", record(1, conversation_id="conv_1"))
        assert await other.keep_response("blue", record(2, conversation_id="conv_1"))
        for history in (
            await other.conversation_history("blue", "conv_1"),
            await one.history("blue", "resp_2"),
        ):
            assert history is not None
            assert texts(history.items) == ["before", "q1", "a1", "q2", "a2"]
        assert await one.delete_response("blue", "resp_1")
        assert await other.find_response("blue", "resp_1") is None
        assert await other.history("blue", "resp_1") is None
        kept = await other.conversation_history("blue", "conv_1")
        assert kept is not None
        assert texts(kept.items) == ["before", "q1", "a1", "q2", "a2"]
        assert not await one.keep_response("blue", record(3, conversation_id="conv_9"))

    async def test_replicas_that_append_at_once_lose_nothing(self, pair: Pair) -> None:
        await pair[0].create_conversation("blue", PLAN)
        await asyncio.gather(
            *(
                pair[number % 2].keep_response("blue", record(number, conversation_id="conv_1"))
                for number in range(6)
            )
        )
        history = await pair[0].conversation_history("blue", "conv_1")

        assert history is not None
        read = texts(history.items)
        assert sorted(read) == sorted(text for number in range(6) for text in (f"q{number}", f"a{number}"))
        for number in range(6):
            assert read.index(f"a{number}") == read.index(f"q{number}") + 1

    async def test_items_are_listed_in_pages(self, pair: Pair) -> None:
        await pair[0].create_conversation("blue", PLAN, [user(f"{number}") for number in range(45)])
        for order, expected in (("asc", range(45)), ("desc", range(44, -1, -1))):
            read, after = list[str](), None
            while True:
                page = await pair[1].list_items("blue", "conv_1", after=after, limit=20, order=order)
                assert page is not None
                read += texts(page.data)
                assert (page.first_id, page.last_id) == (page.data[0]["id"], page.data[-1]["id"])
                if not page.has_more:
                    break
                after = page.last_id
            assert read == [str(number) for number in expected]
        with pytest.raises(InvalidRequest) as caught:
            await pair[0].list_items("blue", "conv_1", after="msg_unknown")
        assert caught.value.param == "after"

    async def test_deleted_item_leaves_the_others_and_their_ids(self, pair: Pair) -> None:
        one, other = pair
        await one.create_conversation("blue", PLAN, [user("a"), user("b")])
        await one.keep_response("blue", record(1, conversation_id="conv_1"))
        page = await one.list_items("blue", "conv_1", order="asc")
        assert page is not None
        assert texts(page.data) == ["a", "b", "q1", "a1"]
        assert await other.delete_item("blue", "conv_1", page.data[1]["id"]) == PLAN
        assert await other.delete_item("blue", "conv_1", page.data[1]["id"]) is None
        left = await one.list_items("blue", "conv_1", order="asc")

        assert left is not None
        assert left.data == [page.data[0], *page.data[2:]]
        await other.append_items("blue", "conv_1", [user("c")])
        last = await one.list_items("blue", "conv_1", order="asc")
        assert last is not None
        assert texts(last.data) == ["a", "q1", "a1", "c"]
        assert len({item["id"] for item in last.data}) == 4

    async def test_purge_deletes_all_of_one_key(self, pair: Pair) -> None:
        one, other = pair
        for tenant in ("blue", "red"):
            await keep_chain(one, tenant, 30)
            await one.create_conversation(tenant, PLAN, [user("hi")])
        gone = await other.purge("blue")

        assert gone >= 30 * 4
        assert await one.history("blue", "resp_29") is None
        assert await one.find_conversation("blue", "conv_1") is None
        assert await one.find_items("blue", ["msg_a3"]) == {}
        assert await one.history("red", "resp_29") is not None
        assert await other.purge("blue") == 0
        assert await one.keep_response("blue", record(1))
