"""Tests that a plan's history becomes the items of the Responses API, with the items that came."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import ResponsesRequest
from proxy.ingress.openai_responses.read_request import read_request
from proxy.planning.native_items import write_items
from tests.proxy.upstream.deployments import deployment_of
from tests.support.native_responses import CALL, THOUGHT

OPENAI = deployment_of("openai/gpt-4.1", api_key="sk-ours")
USER, LATER = {"role": "user", "content": "Hi."}, {"role": "user", "content": "And?"}
TOOL = {"type": "function", "name": "f", "parameters": {}}


def native_of(*items: Any) -> ResponsesRequest:
    """Return the native form of a request with *items* and one tool."""
    chat = read_request(write_json({"model": "m", "input": items, "tools": [TOOL]}), max_nesting=50)
    assert chat.source is not None
    assert isinstance(chat.source.native, ResponsesRequest)
    return chat.source.native


def test_changed_tools_have_no_items() -> None:
    """The plan's tools are those of a chat, which this API has in another form."""
    native = native_of(USER)

    assert write_items(native, OPENAI, native.projection.messages, {"tools": []}, "repair") is None


@pytest.mark.parametrize(
    ("mode", "is_sent", "is_listed"),
    [("repair", True, True), ("strict", False, True), ("observe", False, True), ("off", False, False)],
)
def test_mode_decides_what_is_mended_and_what_is_told(mode: str, is_sent: bool, is_listed: bool) -> None:
    """OpenAI refuses a thought without an item behind it."""
    native = native_of(USER, THOUGHT, LATER)
    written = write_items(native, OPENAI, native.projection.messages, native.parameters, mode)

    assert written is not None
    assert (written.items == [USER, LATER]) is is_sent
    assert bool(written.changes) is is_listed
    assert (written.items is native.items) is not is_sent


def test_a_changed_history_keeps_the_items_of_its_other_messages() -> None:
    """A message that the plan has added is one more item, with the index of its neighbour."""
    native = native_of(USER, CALL)
    messages = [*native.projection.messages, LATER]
    written = write_items(native, OPENAI, messages, native.parameters, "off")

    assert written is not None
    assert written.items[:2] == [USER, CALL]
    assert written.items[2] == {"type": "message", **LATER}
    assert written.origins == (0, 1, 1)
