"""Checks a request's types, required and unknown fields, with the words of Anthropic's validator.

A path names a block by its type (`messages.1.content.0.tool_use.id`). Sources: the pattern of ids, langchain#37756,
opencode#1279. All other texts are pydantic's, as the API is known to pass them on.
"""

import re
from collections.abc import Iterator
from typing import Any

from tests.support.anthropic_emulator.shapes import (
    BLOCK_FIELDS,
    COUNTED_FIELDS,
    MESSAGE_BLOCKS,
    RESULT_BLOCKS,
    STRINGS,
    TOP_FIELDS,
)
from tests.support.anthropic_emulator.terms import BETA_BLOCKS, BETA_FIELDS, Terms

EXTRA = "{path}: Extra inputs are not permitted"
REQUIRED = "{path}: Field required"
NO_STRING = "{path}: Input should be a valid string"
NO_DICTIONARY = "{path}: Input should be a valid dictionary"
NO_LIST = "{path}: Input should be a valid list"
OTHER_ROLE = 'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant".'
BAD_ID = "{path}: String should match pattern '^[a-zA-Z0-9_-]+$'"
BAD_NAME = "{path}: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"

ID = re.compile(r"[a-zA-Z0-9_-]+", re.ASCII)
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}", re.ASCII)


def field_faults(body: dict[str, Any], terms: Terms, *, is_counted: bool = False) -> Iterator[str]:
    """Yield every fault in the shape of a request, in the order in which the fields are checked.

    With *is_counted*, the request asks for its number of tokens alone, and so has fewer fields. Zero is a legal
    `max_tokens`: it fills the prompt cache.
    """
    required = ("model", "messages") if is_counted else ("model", "max_tokens", "messages")
    for name in required:
        if name not in body:
            yield REQUIRED.format(path=name)
    known = COUNTED_FIELDS if is_counted else TOP_FIELDS
    for name in body:
        if name not in known and not terms.has_any(BETA_FIELDS.get(name, ())):
            yield EXTRA.format(path=name)
    if not is_counted:
        if not isinstance(body["max_tokens"], int) or isinstance(body["max_tokens"], bool):
            yield "max_tokens: Input should be a valid integer"
        elif body["max_tokens"] < 0:
            yield "max_tokens: must be greater than or equal to 0"
    blocks = tuple(kind for kind in MESSAGE_BLOCKS if _is_known(kind, terms))
    yield from _system_faults(body.get("system"))
    if not isinstance(body["messages"], list):
        yield NO_LIST.format(path="messages")
    if not body["messages"]:
        yield "messages: at least one message is required"
    for index, message in enumerate(body["messages"]):
        yield from _message_faults(f"messages.{index}", message, blocks)


def _is_known(kind: str, terms: Terms) -> bool:
    return kind not in BETA_BLOCKS or terms.has_any(BETA_BLOCKS[kind])


def _system_faults(system: Any) -> Iterator[str]:
    if system is None or isinstance(system, str):
        return
    if not isinstance(system, list):
        yield NO_LIST.format(path="system")
        return
    for index, block in enumerate(system):
        if not isinstance(block, dict) or block.get("type") != "text":
            yield f"system.{index}.type: Input should be 'text'"
        else:
            yield from _block_faults(f"system.{index}", block, ("text",))


def _message_faults(path: str, message: Any, allowed: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(message, dict):
        yield NO_DICTIONARY.format(path=path)
        return
    for name in ("role", "content"):
        if name not in message:
            yield REQUIRED.format(path=f"{path}.{name}")
    role, content = message["role"], message["content"]
    if role not in ("user", "assistant", "system"):
        yield OTHER_ROLE.format(role=role)
    yield from (EXTRA.format(path=f"{path}.{name}") for name in message if name not in ("role", "content"))
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        yield NO_LIST.format(path=f"{path}.content")
        return
    for index, block in enumerate(content):
        yield from _block_faults(f"{path}.content.{index}", block, ("text",) if role == "system" else allowed)


def _block_faults(path: str, block: Any, allowed: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(block, dict):
        yield NO_DICTIONARY.format(path=path)
        return
    kind = block.get("type")
    if kind not in allowed:
        tags = ", ".join(f"'{name}'" for name in sorted(allowed))
        yield (
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
        )
        return
    within = f"{path}.{kind}"
    for name in STRINGS.get(kind, ()):
        if name not in block:
            yield REQUIRED.format(path=f"{within}.{name}")
        elif not isinstance(block[name], str):
            yield NO_STRING.format(path=f"{within}.{name}")
    known = ("type", *BLOCK_FIELDS[kind])
    yield from (EXTRA.format(path=f"{within}.{name}") for name in block if name not in known)
    if kind == "tool_use":
        yield from _call_faults(within, block)
    elif kind == "tool_result":
        yield from _result_faults(within, block)
    elif kind in ("server_tool_use", "mcp_tool_use"):
        yield from _server_call_faults(within, block)
    elif kind in ("image", "document") and not isinstance(block.get("source"), dict):
        yield REQUIRED.format(path=f"{within}.source")


def _call_faults(path: str, block: dict[str, Any]) -> Iterator[str]:
    if not ID.fullmatch(block["id"]):
        yield BAD_ID.format(path=f"{path}.id")
    if not NAME.fullmatch(block["name"]):
        yield BAD_NAME.format(path=f"{path}.name")
    if "input" not in block:
        yield REQUIRED.format(path=f"{path}.input")
    elif not isinstance(block["input"], dict):
        yield NO_DICTIONARY.format(path=f"{path}.input")


def _server_call_faults(path: str, block: dict[str, Any]) -> Iterator[str]:
    beginning = "srvtoolu_" if block["type"] == "server_tool_use" else "mcptoolu_"
    if not block["id"].startswith(beginning) or not ID.fullmatch(block["id"]):
        yield f"{path}.id: String should match pattern '^{beginning}[a-zA-Z0-9_]+$'"
    if not isinstance(block.get("input"), dict):
        yield NO_DICTIONARY.format(path=f"{path}.input")


def _result_faults(path: str, block: dict[str, Any]) -> Iterator[str]:
    if not ID.fullmatch(block["tool_use_id"]):
        yield BAD_ID.format(path=f"{path}.tool_use_id")
    content = block.get("content")
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list):
        yield NO_LIST.format(path=f"{path}.content")
        return
    for index, inner in enumerate(content):
        yield from _block_faults(f"{path}.content.{index}", inner, RESULT_BLOCKS)
