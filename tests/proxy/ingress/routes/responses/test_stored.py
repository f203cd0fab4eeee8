"""Tests of the paths that show, list and delete stored responses."""

from __future__ import annotations

import pytest

from tests.proxy.ingress.routes.responses.asking import KEYS, PATH, ask, bearer, serving
from tests.support.responses_grammar import events_of, find_stream_faults


async def test_stored_response_is_shown_as_it_was_answered() -> None:
    async with serving() as (proxy, _):
        made = await ask(proxy, metadata={"a": "b"})
        assert (await proxy.get(f"{PATH}/{made.json['id']}")).json == made.json


async def test_events_are_sent_again_from_a_number_on() -> None:
    async with serving() as (proxy, _):
        path = f"{PATH}/{(await ask(proxy)).json['id']}?stream=true"
        all_, rest = await proxy.get(path), await proxy.get(f"{path}&starting_after=3")
        refused = await proxy.get(f"{path}&starting_after=soon")
    assert find_stream_faults(all_.raw) == []
    assert [event["sequence_number"] for event in events_of(rest.raw)][:2] == [4, 5]
    assert (refused.status, refused.error["param"]) == (400, "starting_after")


async def test_deleted_response_is_gone_and_cannot_be_continued() -> None:
    async with serving() as (proxy, _):
        id_ = (await ask(proxy)).json["id"]
        gone = await proxy.request("DELETE", f"{PATH}/{id_}")
        assert gone.json == {"id": id_, "object": "response", "deleted": True}
        assert (await proxy.request("DELETE", f"{PATH}/{id_}")).status == 404
        assert (await proxy.get(f"{PATH}/{id_}")).status == 404
        assert (await ask(proxy, previous_response_id=id_)).status == 400


async def test_complete_response_cannot_be_cancelled() -> None:
    async with serving() as (proxy, _):
        id_ = (await ask(proxy)).json["id"]
        refused = await proxy.post(b"", f"{PATH}/{id_}/cancel")
        unknown = await proxy.post(b"", f"{PATH}/resp_x/cancel")
    assert (refused.status, refused.error["message"]) == (400, "Cannot cancel a synchronous response.")
    assert unknown.status == 404


async def test_input_items_are_listed_in_pages() -> None:
    items = [{"role": "user", "content": str(number)} for number in range(3)]
    async with serving() as (proxy, _):
        path = f"{PATH}/{(await ask(proxy, items)).json['id']}/input_items"
        first = (await proxy.get(f"{path}?limit=2&order=asc")).json
        second = (await proxy.get(f"{path}?limit=2&order=asc&after={first['last_id']}")).json
        newest = (await proxy.get(path)).json
    assert [item["content"][0]["text"] for item in first["data"]] == ["0", "1"]
    assert ([item["content"][0]["text"] for item in second["data"]], second["has_more"]) == (["2"], False)
    assert [item["content"][0]["text"] for item in newest["data"]] == ["2", "1", "0"]


@pytest.mark.parametrize("path", ["", "/input_items"])
async def test_response_of_another_key_is_not_found(path: str) -> None:
    async with serving(general_settings={"keys": KEYS}) as (proxy, _):
        id_ = (await ask(proxy, client="ann")).json["id"]
        own, foreign = [await proxy.get(f"{PATH}/{id_}{path}", bearer(name)) for name in ("ann", "bob")]
    assert (own.status, foreign.status) == (200, 404)
