"""Judges the items of ``input`` together: pairs, thoughts and their items, ids that are stored nowhere, seals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.support.openai_emulator.judging import Refusal
from tests.support.responses_emulator import words
from tests.support.responses_emulator.ids import required_thought
from tests.support.responses_emulator.items import Item, type_of
from tests.support.responses_emulator.sealing import unseal

CALLS = {
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "function_call": "function_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
}
"""The types of calls that the client answers, and of their outputs."""

OUTPUTS = {output: call for call, output in CALLS.items()}

OF_CLIENT = {
    *OUTPUTS,
    "additional_tools",
    "compaction_trigger",
    "configuration_update",
    "mcp_approval_response",
}
"""The types of items that no model writes."""


def list_faults(items: Sequence[Item], owner: str) -> Iterator[Refusal]:
    """Yield the faults of *items*, each of which is legal by itself."""
    yield from _faults_of_place(items)
    yield from _unknown_items(items)
    yield from _broken_seals(items, owner)
    yield from _repeated_ids(items)
    yield from _thought_faults(items, owner)
    yield from _pairing_faults(items)


def _faults_of_place(items: Sequence[Item]) -> Iterator[Refusal]:
    if any(type_of(item) == "compaction_trigger" for item in items[:-1]):
        yield words.of_input(words.TRIGGER_NOT_LAST)


def _unknown_items(items: Sequence[Item]) -> Iterator[Refusal]:
    for item in items:
        kind, id_ = type_of(item), item.get("id")
        is_unknown = kind == "reasoning" and id_ and not item.get("encrypted_content")
        if kind == "item_reference" or is_unknown:
            yield words.of_input(words.NOT_STORED.format(id=id_), status=404)


def _broken_seals(items: Sequence[Item], owner: str) -> Iterator[Refusal]:
    for item in items:
        content = item.get("encrypted_content")
        if content is None or unseal(content, owner) is not None:
            continue
        if type_of(item) == "compaction":
            text = words.UNREADABLE_COMPACTION.format(id=item.get("id"))
            yield words.of_input(text)
        elif type_of(item) == "reasoning":
            shown = content if len(content) < 10 else f"{content[:4]}...{content[-2:]}"
            text = words.UNREADABLE.format(content=shown)
            yield words.of_input(text, "invalid_encrypted_content")


def _repeated_ids(items: Sequence[Item]) -> Iterator[Refusal]:
    seen = set[str]()
    for item in items:
        id_ = item.get("id")
        if id_ is None or type_of(item) == "local_shell_call_output":  # its id is that of the call
            continue
        if id_ in seen:
            yield words.of_input(words.DUPLICATE.format(id=id_))
        seen.add(id_)


def _thought_faults(items: Sequence[Item], owner: str) -> Iterator[Refusal]:
    seen = set[str | None]()
    for index, item in enumerate(items):
        if type_of(item) == "reasoning":
            sealed = (unseal(item.get("encrypted_content"), owner) or {}).get("id")
            seen |= {item.get("id"), sealed}
            behind = next((later for later in items[index + 1 :] if type_of(later) != "reasoning"), None)
            if behind is None or not _is_of_model(behind):
                yield words.of_input(words.LONELY_THOUGHT.format(id=item.get("id") or sealed or ""))
            continue
        thought = required_thought(item.get("id") or "")
        if thought is not None and thought not in seen and type_of(item) not in OUTPUTS:
            yield words.of_input(words.WITHOUT_THOUGHT.format(id=item["id"], thought=thought))


def _is_of_model(item: Item) -> bool:
    kind = type_of(item)
    return item.get("role") == "assistant" if kind == "message" else kind not in OF_CLIENT


def _pairing_faults(items: Sequence[Item]) -> Iterator[Refusal]:
    answered = {_pair(item) for item in items if type_of(item) in OUTPUTS}
    called = set[tuple[str, str | None]]()
    for item in items:
        kind = type_of(item)
        if kind in CALLS:
            called.add(_pair(item))
            if _pair(item) not in answered:
                said = kind.replace("_", " ")
                yield words.of_input(words.UNANSWERED.format(kind=said, call_id=item["call_id"]))
        elif kind in OUTPUTS and _pair(item)[1] is not None and _pair(item) not in called:
            said = kind.replace("_", " ")
            yield words.of_input(words.ORPHAN.format(kind=said, call_id=_pair(item)[1]))


def _pair(item: Item) -> tuple[str, str | None]:
    """Return the type of the call, and the id by which a call and its output find each other."""
    kind = type_of(item)
    call = OUTPUTS.get(kind, kind)
    return call, item.get("id" if call == "local_shell_call" else "call_id")
