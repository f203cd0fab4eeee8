"""Tests that the builders return messages in OpenAI's format, on which the other tests rely."""

from tests.support.builders import (
    PNG_URL,
    assistant,
    call,
    developer,
    image,
    legacy_call,
    legacy_result,
    system,
    text,
    tool,
    user,
    without,
)


def test_each_role_has_its_builder() -> None:
    """The builder of each role writes the role and the content."""
    assert system("a") == {"role": "system", "content": "a"}
    assert developer("a") == {"role": "developer", "content": "a"}
    assert user("a") == {"role": "user", "content": "a"}
    assert assistant("a") == {"role": "assistant", "content": "a"}


def test_user_message_takes_parts() -> None:
    """A user message takes a list of parts."""
    parts = [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": PNG_URL}}]
    assert user([text("a"), image()]) == {"role": "user", "content": parts}


def test_calls_and_results() -> None:
    """A call holds its function, and a result holds the id of its call."""
    function = {"name": "grep", "arguments": '{"q":1}'}
    entry = {"id": "c1", "type": "function", "function": function}
    spoken = assistant(calls=[call("c1", "grep", '{"q":1}')])
    assert spoken == {"role": "assistant", "content": None, "tool_calls": [entry]}
    assert tool("c1", "found") == {"role": "tool", "tool_call_id": "c1", "content": "found"}


def test_extra_fields_are_added_and_overwrite() -> None:
    """Keyword arguments become fields, and overwrite fields that the builder sets."""
    assert user("a", name="bob")["name"] == "bob"
    assert call("c1", index=0)["index"] == 0
    assert assistant("a", tool_calls=[])["tool_calls"] == []


def test_legacy_forms_have_a_name_and_no_id() -> None:
    """Legacy calls and results have a name instead of an id."""
    spoken = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert legacy_call() == spoken
    assert legacy_result("f", "x") == {"role": "function", "name": "f", "content": "x"}


def test_key_is_taken_away_from_a_copy() -> None:
    """`without` returns a copy that lacks the key, and leaves the original unchanged."""
    message = user("a")
    assert without(message, "content") == {"role": "user"}
    assert message == user("a")
