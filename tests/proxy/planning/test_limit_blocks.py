"""Tests of the numbers of cache marks and of media in one request."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.schema.policies import Sanitize
from proxy.core.deployment import Deployment
from proxy.core.json_text import write_json
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.limit_blocks import limit_blocks, limit_marks, limit_media
from proxy.planning.plan import plan_request
from proxy.planning.plan_target import plan_target
from sanitizers.profiles import OPENAI
from sanitizers.synthetic import left_out
from tests.proxy.upstream.deployments import deployment_of
from tests.support.builders import assistant, call, image, system, text, tool, user

MARK = {"cache_control": {"type": "ephemeral"}}
CLAUDE = deployment_of("anthropic/claude-opus-4-8")
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


def marked(count: int) -> list[dict[str, Any]]:
    """Return a history with so many marks in user messages."""
    turns = ([user([text(f"u{at}", **MARK)]), assistant(f"a{at}")] for at in range(count))
    return [message for pair in turns for message in pair] + [user("end")]


def test_oldest_marks_of_the_turns_go_first() -> None:
    """Instructions and tools, with which every prefix begins, keep theirs."""
    history = [system([text("s", **MARK)]), *marked(4)]
    limited, changes = limit_marks(history, [{**TOOL, **MARK}], 4)
    assert limited == [history[0], user([text("u0")]), history[2], user([text("u1")]), *history[4:]]
    assert [(one.kind, one.index, one.reason, one.detail) for one in changes] == [
        ("dropped", 1, "too_many", "cache_control"),
        ("dropped", 3, "too_many", "cache_control"),
    ]
    assert history[1] == user([text("u0", **MARK)])


def test_marks_of_parts_calls_and_messages_count_alike() -> None:
    """A message may have several, and only the surplus goes."""
    said = assistant([text("a", **MARK), text("b", **MARK)], calls=[call("c", **MARK)], **MARK)
    history = [user("go"), said, tool("c", **MARK)]
    limited, changes = limit_marks(history, None, 2)
    assert limited[1] == assistant([text("a"), text("b")], calls=[call("c")], **MARK)
    assert limited[2] is history[2]
    assert len(changes) == 1
    assert limit_marks(history, None, 1)[0][1] == assistant([text("a"), text("b")], calls=[call("c")])


@pytest.mark.parametrize("most", [5, 6])
def test_as_many_marks_as_allowed_are_left_alone(most: int) -> None:
    """The same object comes back."""
    history = marked(5)
    assert limit_marks(history, None, most) == (history, ())
    assert limit_marks(history, None, most)[0] is history


def test_oldest_media_become_notes() -> None:
    """Results have media too, and the newest are what the model is asked about."""
    history = [
        user([image(), text("a"), image()]),
        assistant(calls=[call("c")]),
        tool("c", [image()]),
        user([image()]),
    ]
    limited, changes = limit_media(history, 2, [5, 6, 7, 8])
    note = text(left_out("image_url"))
    assert limited == [user([note, text("a"), note]), *history[1:]]
    assert [(one.kind, one.index, one.reason, one.detail) for one in changes] == [
        ("replaced", 5, "too_many", "content[0]"),
        ("replaced", 5, "too_many", "content[2]"),
    ]
    assert limit_media(history, 4)[0] is history


def test_profile_without_numbers_changes_nothing() -> None:
    """OpenAI has no such limits."""
    history = marked(9)
    assert limit_blocks(history, None, OPENAI, None) == (history, ())


def planned(deployment: Deployment, messages: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """Return the number of marks that are sent, and the reasons of the changes."""
    body = write_json({"model": "m", "messages": messages})
    target = plan_target(deployment, Sanitize(), lambda *_: frozenset())
    plan = plan_request(parse_chat_request(body, max_nesting=50), target)
    return write_json(plan.messages).count(b"cache_control"), [change.reason for change in plan.changes]


def test_request_to_claude_has_four_marks() -> None:
    """The changes are reported. An operator's own server with OpenAI's API gets all marks."""
    assert planned(CLAUDE, marked(6)) == (4, ["too_many", "too_many"])
    assert planned(CLAUDE, marked(4)) == (4, [])
    assert planned(deployment_of("openai/my-model", api_base="http://h/v1"), marked(6)) == (6, [])
