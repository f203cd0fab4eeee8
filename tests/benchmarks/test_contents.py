"""Tests that the compared requests of chat and of Gemini's API ask for the same."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.contents import as_contents
from proxy.emulator import judge
from sanitizers.native.gemini.project import project_contents
from tests.benchmarks.test_messages import calls_read


def without_signatures(messages: Any) -> Any:
    """Return messages without what only Gemini's calls have."""
    return [{name: value for name, value in one.items() if name != "extra_content"} for one in messages]


@pytest.mark.parametrize("size", ["small", "10k", "100k"])
def test_both_formats_ask_the_same(size: str) -> None:
    """The contents are read as the chat's own messages, so that the comparison is a fair one."""
    body = bodies()[size]
    asked = as_contents(body)
    wanted = [message for message in body["messages"] if message["role"] != "system"]

    assert calls_read(without_signatures(project_contents(asked["contents"]).messages)) == calls_read(wanted)
    declared = [one["name"] for tool in asked.get("tools", ()) for one in tool["functionDeclarations"]]
    assert declared == [tool["function"]["name"] for tool in body.get("tools", ())]


@pytest.mark.parametrize("size", ["small", "10k", "100k"])
def test_nothing_is_wrong_with_the_contents(size: str) -> None:
    """Otherwise the work of repairs would be measured."""
    assert judge("gemini-3.6-flash", as_contents(bodies()[size])) is None
