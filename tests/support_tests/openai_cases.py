"""Histories for OpenAI's judge: one for each broken rule, with OpenAI's error, and similar legal histories."""

from typing import Any

from tests.support.builders import (
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
from tests.support.openai_emulator.judging import NO_CALL_ID, NO_NAME, NULL_CONTENT, ORPHAN, UNANSWERED

U = user("Hello.")
PAIR = [assistant(calls=[call("c1")]), tool("c1")]
BOTH = assistant(calls=[call("c1"), call("c2")])
ID40, ID41 = "x" * 40, "x" * 41
ROLES = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
EMPTY = "empty array. Expected an array with minimum length 1, but got an empty array instead."
STRING_OR_PARTS = "expected one of a string or array of objects"
ARGUMENTS = "messages[1].tool_calls[0].function.arguments"
CALL = "messages[1].tool_calls[0]"


def with_call(entry: Any) -> list[Any]:
    """Return a history with the call *entry* and a result for the call id `c1`."""
    return [U, assistant(calls=[entry]), tool("c1")]


REFUSED: dict[str, tuple[Any, str, str | None, str | None]] = {
    "not a list": (
        "hello",
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
        "messages",
        "invalid_type",
    ),
    "no messages": ([], f"Invalid 'messages': {EMPTY}", "messages", "empty_array"),
    "message is text": (
        ["hello"],
        "Invalid type for 'messages[0]': expected an object, but got a string instead.",
        "messages[0]",
        "invalid_type",
    ),
    "no role": (
        [without(U, "role")],
        "Missing required parameter: 'messages[0].role'.",
        "messages[0].role",
        "missing_required_parameter",
    ),
    "unknown role": (
        [U, {"role": "x", "content": "a"}],
        f"Invalid value: 'x'. Supported values are: {ROLES}.",
        "messages[1].role",
        "invalid_value",
    ),
    "user content null": ([user(None)], NULL_CONTENT, "messages.[0].content", None),
    "user content absent": ([without(U, "content")], NULL_CONTENT, "messages.[0].content", None),
    "system content null": ([system(None), U], NULL_CONTENT, "messages.[0].content", None),
    "developer content null": (
        [developer(None), U],
        f"Invalid type for 'messages[0].content': {STRING_OR_PARTS}, but got null instead.",
        "messages[0].content",
        "invalid_type",
    ),
    "assistant with nothing": ([U, assistant()], NULL_CONTENT, "messages.[1].content", None),
    "assistant with null calls": (
        [U, assistant(tool_calls=None)],
        NULL_CONTENT,
        "messages.[1].content",
        None,
    ),
    "tool content null": ([U, PAIR[0], tool("c1", None)], NULL_CONTENT, "messages.[2].content", None),
    "content is an object": (
        [user({"a": 1})],
        f"Invalid type for 'messages[0].content': {STRING_OR_PARTS}, but got an object instead.",
        "messages[0].content",
        "invalid_type",
    ),
    "content is a number": (
        [user(7)],
        f"Invalid type for 'messages[0].content': {STRING_OR_PARTS}, but got an integer instead.",
        "messages[0].content",
        "invalid_type",
    ),
    "part of an unknown type": (
        [user([{"type": "video"}])],
        "Invalid value: 'video'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', "
        "'audio', and 'file'.",
        "messages[0].content[0].type",
        "invalid_value",
    ),
    "refusal in a result": (
        [U, assistant(calls=[call("c1")]), tool("c1", [{"type": "refusal", "refusal": "no"}])],
        "Invalid value: 'refusal'. Supported values are: 'text', 'image_url', 'input_audio', 'audio', and 'file'.",
        "messages[2].content[0].type",
        "invalid_value",
    ),
    "part without a type": (
        [user([{"text": "a"}])],
        "Missing required parameter: 'messages[0].content[0].type'.",
        "messages[0].content[0].type",
        "missing_required_parameter",
    ),
    "image in a result": (
        [U, PAIR[0], tool("c1", [image()])],
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', "
        "but this message with role 'tool' contains an image URL.",
        "messages[2]",
        "invalid_value",
    ),
    "empty tool_calls": (
        [U, assistant("a", tool_calls=[])],
        f"Invalid 'messages[1].tool_calls': {EMPTY}",
        "messages[1].tool_calls",
        "empty_array",
    ),
    "orphan first": ([tool("c1"), U], ORPHAN, "messages.[0].role", None),
    "orphan after user": ([U, *PAIR, assistant("a"), U, tool("c1")], ORPHAN, "messages.[5].role", None),
    "unknown id in a block": ([U, *PAIR, tool("c9")], ORPHAN, "messages.[3].role", None),
    "call unanswered before text": (
        [U, BOTH, tool("c1"), U],
        UNANSWERED.format(ids="c2"),
        "messages.[3].role",
        None,
    ),
    "calls unanswered at the end": ([U, BOTH], UNANSWERED.format(ids="c1, c2"), "messages", None),
    "system between call and result": (
        [U, PAIR[0], system("a"), PAIR[1]],
        UNANSWERED.format(ids="c1"),
        "messages.[2].role",
        None,
    ),
    "calls split over two messages": (
        [U, PAIR[0], assistant(calls=[call("c2")]), tool("c1"), tool("c2")],
        UNANSWERED.format(ids="c1"),
        "messages.[2].role",
        None,
    ),
    "two results for one call": (
        [U, *PAIR, tool("c1", "again")],
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3].",
        "messages.[3].tool_call_id",
        None,
    ),
    "one id twice in a message": (
        [U, assistant(calls=[call("c1"), call("c1")]), tool("c1")],
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'c1' in messages[1].",
        "messages.[1].tool_calls",
        None,
    ),
    "result without an id": (
        [U, PAIR[0], without(PAIR[1], "tool_call_id")],
        NO_CALL_ID,
        "messages.[2].tool_call_id",
        None,
    ),
    "result with an empty id": ([U, PAIR[0], tool("")], NO_CALL_ID, "messages.[2].tool_call_id", None),
    "call id too long": (
        [U, assistant(calls=[call(ID41)]), tool(ID41)],
        f"Invalid '{CALL}.id': string too long. Expected a string with maximum length 40, "
        "but got a string with length 41 instead.",
        f"{CALL}.id",
        "string_above_max_length",
    ),
    "result id too long": (
        [U, PAIR[0], tool(ID41)],
        "Invalid 'messages[2].tool_call_id': string too long. Expected a string with maximum length 40, "
        "but got a string with length 41 instead.",
        "messages[2].tool_call_id",
        "string_above_max_length",
    ),
    "call id empty": (
        with_call(call("")),
        f"Invalid '{CALL}.id': empty string. Expected a string with minimum length 1, "
        "but got an empty string instead.",
        f"{CALL}.id",
        "empty_string",
    ),
    "call id null": (
        with_call(call(None)),
        f"Invalid type for '{CALL}.id': expected a string, but got null instead.",
        f"{CALL}.id",
        "invalid_type",
    ),
    "call id absent": (
        with_call(without(call("c1"), "id")),
        f"Missing required parameter: '{CALL}.id'.",
        f"{CALL}.id",
        "missing_required_parameter",
    ),
    "call without a type": (
        with_call(without(call("c1"), "type")),
        f"Missing required parameter: '{CALL}.type'.",
        f"{CALL}.type",
        "missing_required_parameter",
    ),
    "call of an unknown type": (
        with_call(call("c1", type="tool")),
        "Invalid value: 'tool'. Supported values are: 'function' and 'custom'.",
        f"{CALL}.type",
        "invalid_value",
    ),
    "call without a function": (
        with_call(without(call("c1"), "function")),
        f"Missing required parameter: '{CALL}.function'.",
        f"{CALL}.function",
        "missing_required_parameter",
    ),
    "name empty": (
        with_call(call("c1", "")),
        f"Invalid '{CALL}.function.name': empty string. Expected a string with minimum length 1, "
        "but got an empty string instead.",
        f"{CALL}.function.name",
        "empty_string",
    ),
    "name with a slash": (
        with_call(call("c1", "a/b")),
        f"Invalid '{CALL}.function.name': string does not match pattern. "
        "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        f"{CALL}.function.name",
        "invalid_value",
    ),
    "arguments are an object": (
        with_call(call("c1", "f", {"a": 1})),
        f"Invalid type for '{ARGUMENTS}': expected a string, but got an object instead.",
        ARGUMENTS,
        "invalid_type",
    ),
    "arguments are null": (
        with_call(call("c1", "f", None)),
        f"Invalid type for '{ARGUMENTS}': expected a string, but got null instead.",
        ARGUMENTS,
        "invalid_type",
    ),
    "function without a name": (
        [U, legacy_call(), without(legacy_result(), "name")],
        NO_NAME,
        "messages.[2].name",
        None,
    ),
    "a late bad role wins over missing content": (
        [user(None), {"role": "x", "content": "a"}],
        f"Invalid value: 'x'. Supported values are: {ROLES}.",
        "messages[1].role",
        "invalid_value",
    ),
}

ACCEPTED: dict[str, Any] = {
    "one user": [U],
    "every leading role": [system("a"), developer("a"), U],
    "assistant alone": [assistant("a")],
    "system alone": [system("a")],
    "neighbours of one role": [U, U, assistant("a"), assistant("b"), system("c"), U],
    "pair": [U, *PAIR],
    "results in another order": [U, BOTH, tool("c2"), tool("c1"), U],
    "id used again once answered": [U, *PAIR, *PAIR, assistant("a")],
    "forty characters": [U, assistant(calls=[call(ID40)]), tool(ID40)],
    "long name": with_call(call("c1", "n" * 64)),
    "arguments that are no JSON": with_call(call("c1", "f", '{"a":')),
    "empty texts": [user(""), assistant(""), *PAIR[:1], tool("c1", "")],
    "empty list of parts": [user([])],
    "parts": [user([text("a"), image()]), *PAIR[:1], tool("c1", [text("b")])],
    "image alone": [user([image()])],
    "call without a content key": [U, without(PAIR[0], "content"), PAIR[1]],
    "refusal stands in for content": [U, assistant(refusal="no"), U],
    "null tool_calls beside text": [U, assistant("a", tool_calls=None)],
    "legacy forms": [U, legacy_call(), legacy_result(), assistant("a")],
    "custom call": with_call({"id": "c1", "type": "custom", "custom": {"name": "f", "input": "a"}}),
    "unknown fields": [user("a", x_unknown={"b": 1})],
}
