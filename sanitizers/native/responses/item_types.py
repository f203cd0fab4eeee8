"""The table of item types: each type that OpenAI's Responses API has, and what becomes of its items in a chat history.

Source: ``ResponseInputItemParam`` of openai-python 3.54 (2026-11), and the items that codex 0.169 sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from sanitizers.native.responses.parts import item_place, refuse, refuse_missing

Outcome = Literal["read", "carried", "dropped", "refused"]


class ItemType(NamedTuple):
    """The treatment of one type of items.

    *outcome* is ``read`` where an item becomes messages or a part of a turn. ``carried`` items become no message, but
    their content is used elsewhere: tools, signatures, or the wish for a summary. ``dropped`` items are left out and
    reported. ``refused`` items end the request.

    *required* are the fields without which an item is refused. The sanitizing steps mend all other missing fields, such
    as the id of a call. *texts* are the fields that must hold a text or null.
    """

    outcome: Outcome
    required: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


_CALL = ("call_id", "name", "namespace")

ITEM_TYPES = MappingProxyType(
    {
        # The conversation.
        "message": ItemType("read", ("role",), ("role",)),
        "function_call": ItemType("read", (), _CALL),
        "function_call_output": ItemType("read", (), ("call_id", "name", "namespace")),
        "custom_tool_call": ItemType("read", (), _CALL),
        "custom_tool_call_output": ItemType("read", (), ("call_id",)),
        "reasoning": ItemType("carried", (), ("encrypted_content",)),
        # Tools that the client runs.
        "local_shell_call": ItemType("read", (), ("call_id", "id")),
        "local_shell_call_output": ItemType("read", (), ("call_id", "id")),
        "shell_call": ItemType("read", (), ("call_id",)),
        "shell_call_output": ItemType("read", (), ("call_id",)),
        "apply_patch_call": ItemType("read", (), ("call_id",)),
        "apply_patch_call_output": ItemType("read", (), ("call_id",)),
        "computer_call": ItemType("read", (), ("call_id",)),
        "computer_call_output": ItemType("read", (), ("call_id",)),
        # Tools that the server runs: call and result are one item. Both are read, or neither.
        "code_interpreter_call": ItemType("read", (), ("id",)),
        "mcp_call": ItemType("read", (), ("id", "name", "server_label")),
        "file_search_call": ItemType("dropped"),
        "image_generation_call": ItemType("dropped"),
        "mcp_approval_request": ItemType("dropped"),
        "mcp_approval_response": ItemType("dropped"),
        "mcp_list_tools": ItemType("dropped"),
        "program": ItemType("dropped"),
        "program_output": ItemType("dropped"),
        "tool_search_call": ItemType("dropped"),
        "web_search_call": ItemType("dropped"),
        # Items about the request.
        "additional_tools": ItemType("carried", ("tools",)),
        "tool_search_output": ItemType("carried"),
        "compaction": ItemType("read", ("encrypted_content",), ("encrypted_content",)),
        "compaction_summary": ItemType("read", ("encrypted_content",), ("encrypted_content",)),
        "compaction_trigger": ItemType("carried"),
        "configuration_update": ItemType("dropped"),
        "item_reference": ItemType("refused", ("id",), ("id",)),
    }
)
"""The item types. ``compaction_summary`` is codex's older name of ``compaction``.

An item of another type is dropped and reported. Every ``item_reference`` is replaced by the stored item before items
come here, so that one that is left names an unknown item.
"""

REQUIRED: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "custom_tool_call": ("input", ""),
        "function_call": ("arguments", "{}"),
        "message": ("content", ""),
        "reasoning": ("summary", []),
    }
)
"""The field that each of these types requires, and its empty value. A chat does without."""

TOOL_CARRIERS = frozenset({"additional_tools", "tool_search_output"})
"""Types of the items that declare tools."""

CLIENT_ROLES = ("developer", "system", "user")  # a tuple, since a role may be any JSON
"""Roles of the messages that only the client writes."""

COMPACTIONS = frozenset({"compaction", "compaction_summary"})
"""Types of the items that stand for the model's items before them."""


def type_of(item: Any, index: int) -> str:
    """Return the type of *item*, which stands at *index* of the input.

    An item without a type is a message where it has a role, and a reference where it has an id alone. Raises
    :class:`~sanitizers.errors.Unrepairable` for anything else without a type, and for what is no object.
    """
    if not isinstance(item, dict):
        refuse(item_place(index), "must be an object")
    kind = item.get("type")
    if isinstance(kind, str):
        return kind
    if kind is not None:
        refuse(f"{item_place(index)}.type", "must be a string")
    if item.get("role") is not None:
        return "message"
    if item.keys() <= {"id", "type"} and item.get("id") is not None:
        return "item_reference"
    return refuse_missing(f"{item_place(index)}.type")


def check_fields(item: dict[str, Any], row: ItemType, index: int) -> None:
    """Raise :class:`~sanitizers.errors.Unrepairable` where *item* lacks a required field, or has another type in it."""
    for name in row.required:
        if item.get(name) is None:
            refuse_missing(f"{item_place(index)}.{name}")
    for name in row.texts:
        value = item.get(name)
        if value.__class__ is not str and value is not None:
            refuse(f"{item_place(index)}.{name}", "must be a string")
