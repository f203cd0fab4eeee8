"""Tests of reading a request of the Responses API with its stored conversation."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from proxy.ingress.openai_responses import read_request
from proxy.ingress.openai_responses.ids import make_response_id
from proxy.ingress.routes.responses import open_request
from tests.proxy.ingress.routes.responses.asking import PATH, ask, serving


async def test_hint_of_an_unknown_id_names_the_store_in_memory() -> None:
    """Conversations in memory end with the process, and other replicas do not have them."""
    lost = make_response_id("lost")
    async with serving() as (proxy, _):
        refused = [await ask(proxy, previous_response_id=lost), await proxy.get(f"{PATH}/{lost}")]
    assert all("store.url" in reply.error["message"] for reply in refused)


async def test_field_of_the_chat_is_named_as_in_the_request() -> None:
    """The planner knows `messages` and `max_completion_tokens`."""
    async with serving(sanitize={"mode": "strict"}) as (proxy, _):
        refused = await ask(
            proxy,
            [
                {"role": "user", "content": "a"},
                {"type": "function_call_output", "call_id": "call_1", "output": "b"},
            ],
        )
    assert refused.status == 400
    assert refused.error["param"].startswith("input")


async def test_stored_items_are_counted_as_memory_of_the_request() -> None:
    async with serving(general_settings={"max_in_flight_mib": 1}) as (proxy, _):
        first = await ask(proxy, "word " * 30_000)
        assert first.status == 200
        refused = await ask(proxy, "more " * 30_000, previous_response_id=first.json["id"])
    assert refused.status in (413, 503)


async def test_stored_items_count_with_their_density() -> None:
    """Many small items take many times the memory of their bytes, also where they were stored before."""
    dense: list[Any] = [{"role": "user", "content": "a"}] * 12_000
    async with serving(general_settings={"max_in_flight_mib": 14}) as (proxy, _):
        first = await ask(proxy, dense)
        refused = await ask(proxy, dense, previous_response_id=first.json["id"])
    assert (first.status, refused.status) == (200, 413)


@pytest.mark.parametrize(("count", "is_apart"), [(10, False), (3_000, True)])
async def test_many_items_are_read_apart_from_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, count: int, is_apart: bool
) -> None:
    """An item of a rare type takes many times the time of its bytes."""
    item = {"type": "mcp_call", "name": "f", "server_label": "s", "output": "1"}
    threads: list[threading.Thread] = []
    convert = read_request.to_chat

    def to_chat(*given: Any, **more: Any) -> Any:
        threads.append(threading.current_thread())
        return convert(*given, **more)

    monkeypatch.setattr(open_request, "to_chat", to_chat)
    async with serving() as (proxy, _):
        reply = await ask(proxy, [{"role": "user", "content": "Go."}, *[item] * count])

    assert reply.status == 200, reply.raw
    assert [thread is not threading.main_thread() for thread in threads] == [is_apart]
