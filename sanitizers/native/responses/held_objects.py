"""Finds the ids of objects in a provider's account: files, containers, vector stores, connectors and skills.

Sources: the tools and items of openai-python 3.54 (2026-11). OpenAI's code interpreter goes on in the container that an
earlier call names, and an image call without its result names a stored image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sanitizers.native.protocol import Need
from sanitizers.work_limit import metered

RULE = "provider_object"

_ENDS = ("_id", "_ids")
_ITEM_FIELDS = frozenset(
    {"connector_id", "container_id", "file_id", "file_ids", "skill_id", "vector_store_ids"}
)
"""The fields of items that name objects. Other ids in items are those of the items and calls themselves."""

NAMES_NOTHING = frozenset(
    {
        "additional_tools",
        "apply_patch_call_output",
        "compaction",
        "compaction_summary",
        "compaction_trigger",
        "computer_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "function_call",
        "function_call_output",
        "item_reference",
        "local_shell_call_output",
        "message",
        "reasoning",
        "shell_call_output",
        "tool_search_output",
    }
)
"""Types of the items whose contents and tools are read on their own, or that name no object."""


def tool_needs(tool: Mapping[str, Any], place: str) -> Iterator[Need]:
    """Yield a need for each field of *tool*, which stands at *place*, that names an object at the provider.

    *tool* is none of the client's own functions. A skill of a local shell is the client's own.
    """
    for name, value in tool.items():
        if _names_object(name) or (name == "container" and isinstance(value, str)):
            yield _need(f"{place}.{name}")
        elif isinstance(value, dict):
            is_local = value.get("type") == "local"
            for inner in value:
                if _names_object(inner) or (inner == "skills" and not is_local):
                    yield _need(f"{place}.{name}.{inner}")


def item_needs(item: Mapping[str, Any], kind: str, place: str) -> Iterator[Need]:
    """Yield a need for each field of *item* that names an object at the provider.

    *kind* is its type. Items of :data:`NAMES_NOTHING` are read on their own, unless a later summary stands for them.
    """
    for name, value in item.items():
        if name in _ITEM_FIELDS:
            if value is not None:
                yield _need(f"{place}.{name}")
        elif isinstance(value, dict):
            for inner in _ITEM_FIELDS.intersection(value):
                yield _need(f"{place}.{name}.{inner}")
        elif isinstance(value, list):
            for number, held in enumerate(metered(value)):
                if isinstance(held, dict) and kind == "configuration_update" and name == "tools":
                    yield from tool_needs(held, f"{place}.{name}[{number}]")
                elif isinstance(held, dict):
                    for inner in _ITEM_FIELDS.intersection(held):
                        yield _need(f"{place}.{name}[{number}].{inner}")
    if kind == "image_generation_call" and item.get("id") is not None and not item.get("result"):
        yield _need(f"{place}.id")


def file_need(place: str, *, can_be_left_out: bool) -> Need:
    """Return the need for the file that a part names in its field ``file_id``, at *place*."""
    return Need(
        f"'{place}' names a file that is stored at a provider, which this model cannot be given. Send the bytes as a "
        "data: URL.",
        RULE,
        place,
        names_object=True,
        can_be_left_out=can_be_left_out,
    )


def _names_object(name: str) -> bool:
    return name.endswith(_ENDS)


def _need(place: str) -> Need:
    return Need(
        f"'{place}' names an object that is stored at a provider, which this model cannot be given.",
        RULE,
        place,
        names_object=True,
        can_be_left_out=True,
    )
