"""The rules that OpenAI has for the items of a request, as far as a list of items shows them.

A message or call whose reasoning is missing cannot be seen in the items. Only the provider's words tell of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sanitizers.native.protocol import Item, Items, ItemViolation
from sanitizers.native.responses.call_items import CLIENT_CALLS, OUTPUTS
from sanitizers.native.responses.envelope import is_own
from sanitizers.native.responses.item_types import CLIENT_ROLES, COMPACTIONS, ITEM_TYPES, REQUIRED
from sanitizers.work_limit import metered

RULES: Mapping[str, str] = MappingProxyType(
    {
        "call_id_illegal": "Invalid 'input[n].call_id': ''. [langchainjs#11044, of ids]",
        "call_id_too_long": "Invalid 'input[n].call_id': string too long. Expected a string with maximum length 64 "
        "[hermes-agent#73492, litellm#41534]",
        "call_unanswered": "No tool output found for function call call_…. [CLIProxyAPI#2368, Roo-Code#12248]",
        "envelope_own": "The encrypted content tr1_… could not be verified. [codex#8119, litellm#18094]",
        "field_missing": "Missing required parameter: 'input[n].content'. [chatgpt-codex-proxy#9]",
        "id_illegal": "Invalid 'input[n].id': ''. Expected an ID that contains letters, numbers, underscores, or "
        "dashes [langchainjs#11044]",
        "id_prefix": "Invalid 'input[n].id': '…'. Expected an ID that begins with 'msg'. [codex#33176, "
        "openai-agents-python#2293]",
        "id_repeated": "Duplicate item found with id rs_…. [continue#10723]",
        "id_too_long": "Invalid 'input[n].id': string too long. [hermes-agent#73492]",
        "item_repeated": "Duplicate item found with id rs_…. Remove duplicate items from your input and try again. "
        "[continue#10723, vscode#321977]",
        "output_orphaned": "No tool call found for function call output with call_id call_…. [vscode#320060, "
        "continue#10092]",
        "reasoning_alone": "Item 'rs_…' of type 'reasoning' was provided without its required following item. "
        "[codex#1227, continue#8933, openai-node#1567]",
        "reasoning_unsealed": "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false. "
        "[oh-my-pi#41, opencode#7724]",
        "reference_unknown": "Item with id '…' not found. [opencode#7724]",
        "search_action": "Invalid value: 'other'. Supported values are: 'search', 'open_page', and 'find_in_page'. "
        "[codex#7073]",
        "summary_own": "The encrypted content for item cmp_… could not be verified. [opencodex#2269]",
        "trigger_misplaced": "The 'compaction_trigger' item must be the final input item. [sub2api#6366]",
    }
)
"""The rules by their slugs, with OpenAI's words and their sources."""

LONGEST_ID = 64
"""The most characters of an item's id, and of a call's id."""

_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")

_PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "apply_patch_call": "apc",
        "compaction": "cmp",
        "custom_tool_call": "ctc",
        "function_call": "fc",
        "message": "msg",
        "reasoning": "rs",
        "shell_call": "sh",
        "web_search_call": "ws",
    }
)
"""The beginnings of ids that OpenAI demands (OpenAI's API reference, 2026-11)."""

_IDS_OF_OTHERS = frozenset({"item_reference", "local_shell_call", "local_shell_call_output"})
"""Types whose ``id`` is that of another item, or is needed by another item."""

_CHECKED_IDS = frozenset(ITEM_TYPES) - _IDS_OF_OTHERS

_SEARCH_ACTIONS = frozenset({"find_in_page", "open_page", "search"})

CLIENT_ITEMS = OUTPUTS | {
    "additional_tools",
    "compaction_trigger",
    "configuration_update",
    "mcp_approval_response",
}
"""Types of the items that only the client writes. A message may be the client's too."""


def find_item_violations(items: Items, *, is_stored: bool = False) -> tuple[ItemViolation, ...]:
    """Return the rules of :data:`RULES` that *items* break, in the order of the items.

    *items* can be read by :func:`~sanitizers.native.responses.project.project`. With *is_stored* the provider knows
    older items by their ids: thoughts need no encrypted content, and references are left to the provider.
    """
    survey = _Survey(is_stored)
    for index, item in enumerate(metered(items)):
        kind = item.get("type")
        if kind == "message" or kind is None:
            survey.note_message(index, item)
        elif kind == "reasoning":
            survey.note_reasoning(index, item)
        elif kind in CLIENT_CALLS:
            survey.note_call(index, item, kind)
        elif kind in OUTPUTS:
            survey.note_output(index, item, kind)
        else:
            survey.note_other(index, item, kind)
        if "id" in item and (kind in _CHECKED_IDS or (kind is None and "role" in item)):
            survey.note_id(index, item, kind or "message")
    return survey.finish(len(items))


def is_client_message(item: Item) -> bool:
    """Tell whether *item* is a message of the client's."""
    return item.get("type") in (None, "message") and item.get("role") in CLIENT_ROLES


class _Survey:
    """Collects the broken rules of one list."""

    def __init__(self, is_stored: bool) -> None:
        self._is_stored = is_stored
        self._found: list[ItemViolation] = []
        self._ids: dict[str, Item] = {}
        self._thoughts: list[int] = []  # those that no item of the model follows yet
        self._calls: dict[str, str] = {}  # the types of the calls by their ids
        self._open: dict[str, int] = {}  # the indexes of the calls without an output
        self._shells: dict[str, str] = {}  # the ids of the shell's items by the ids of their calls
        self._triggers: list[int] = []

    def note_message(self, index: int, item: Item) -> None:
        role = item.get("role")
        if role is None:  # a reference has an id alone
            self.note_other(index, item, "item_reference")
            return
        if item.get("content") is None:
            self._report("field_missing", index)
        if role in CLIENT_ROLES:
            self._end_turn()
        else:
            self._thoughts.clear()

    def note_reasoning(self, index: int, item: Item) -> None:
        sealed = item.get("encrypted_content")
        content = sealed if isinstance(sealed, str) else ""
        if is_own(content):
            self._report("envelope_own", index)
        elif not content and not self._is_stored:
            self._report("reasoning_unsealed", index)
        else:
            if item.get("summary") is None:
                self._report("field_missing", index)
            self._thoughts.append(index)

    def note_call(self, index: int, item: Item, kind: str) -> None:
        self._thoughts.clear()
        if kind in REQUIRED and item.get(REQUIRED[kind][0]) is None:
            self._report("field_missing", index)
        call_id = item.get("call_id")
        if kind == "local_shell_call":
            own_id = item.get("id") or call_id
            if not isinstance(own_id, str):
                return
            if isinstance(call_id, str):
                self._shells[call_id] = own_id
            call_id = own_id
        elif call_id.__class__ is not str or not _LEGAL.fullmatch(call_id):
            self._report(f"call_id_{_fault_of_id(call_id)}", index)
            return
        if call_id:
            self._calls[call_id] = kind
            self._open[call_id] = index

    def note_output(self, index: int, item: Item, kind: str) -> None:
        if self._thoughts:
            self._end_turn()
        call_id = item.get("call_id")
        if kind == "local_shell_call_output":
            call_id = call_id or item.get("id")
        elif call_id is None and kind == "function_call_output" and item.get("name"):
            return  # a result that the client names without a call
        elif call_id and isinstance(call_id, str) and not _LEGAL.fullmatch(call_id):
            self._report(f"call_id_{_fault_of_id(call_id)}", index)
            return
        named = self._shells.get(call_id, call_id) if isinstance(call_id, str) else ""
        if named and f"{self._calls.get(named)}_output" == kind:
            self._open.pop(named, None)
        else:
            self._report("output_orphaned", index)

    def note_other(self, index: int, item: Item, kind: str) -> None:
        if kind in CLIENT_ITEMS:
            self._end_turn()
            if kind == "compaction_trigger":
                self._triggers.append(index)
            return
        self._thoughts.clear()
        if kind == "web_search_call":
            action = item.get("action")
            named = action.get("type") if isinstance(action, dict) else None
            if isinstance(named, str) and named not in _SEARCH_ACTIONS:
                self._report("search_action", index)
        elif kind in COMPACTIONS:
            sealed = item.get("encrypted_content")
            if isinstance(sealed, str) and is_own(sealed):
                self._report("summary_own", index)
        elif kind == "item_reference" and not self._is_stored:
            self._report("reference_unknown", index)

    def note_id(self, index: int, item: Item, kind: str) -> None:
        """Check the id of *item*. Null is no id."""
        item_id = item["id"]
        if item_id is None:
            return
        if (rule := _fault_of_id(item_id)) is not None:
            self._report("id_too_long" if rule == "too_long" else "id_illegal", index)
        elif kind in _PREFIXES and not item_id.startswith(_PREFIXES[kind]):
            self._report("id_prefix", index)
        elif item_id not in self._ids:
            self._ids[item_id] = item
        else:
            is_pair = kind in CLIENT_CALLS or kind in OUTPUTS
            is_same = not is_pair and self._ids[item_id] == item
            self._report("item_repeated" if is_same else "id_repeated", index)

    def finish(self, count: int) -> tuple[ItemViolation, ...]:
        """Return what was found in the *count* items."""
        self._end_turn()
        for index in self._open.values():
            self._report("call_unanswered", index)
        for index in self._triggers:
            if index < count - 1:
                self._report("trigger_misplaced", index)
        found = self._found
        return tuple(sorted(found, key=lambda each: (each.index, each.rule))) if found else ()

    def _end_turn(self) -> None:
        for index in self._thoughts:
            self._report("reasoning_alone", index)
        self._thoughts.clear()

    def _report(self, rule: str, index: int) -> None:
        self._found.append(ItemViolation(rule, index))


def _fault_of_id(item_id: Any) -> str | None:
    """Return ``illegal`` or ``too_long``, or None for a legal id."""
    if item_id.__class__ is str and _LEGAL.fullmatch(item_id):
        return None
    return "too_long" if isinstance(item_id, str) and len(item_id) > LONGEST_ID else "illegal"
