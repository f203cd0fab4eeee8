"""Repairs of calls and their results: missing names and types, and ids and fields that a provider refuses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from proxy.planning.repairs.draft import Draft, note, with_entries, with_messages
from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Message
from sanitizers.messages import Entries, Entry, base_id, function_of, tool_calls_of
from sanitizers.synthetic import DerivedIds

_UNKNOWN = "unknown_tool"


def fill_names(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a name on every function call and result, copied from the matching result or call.

    Results and calls are matched by id. Without a match the name is ``unknown_tool``. A provider cannot match a result
    to its call where the wire format has no ids. Declared tools always have names, since a request with a nameless tool
    is refused earlier. Sources: langflow#9437, CLIProxyAPI#1903.
    """
    given = {
        base_id(message.get("tool_call_id") or ""): message["name"]
        for message in draft.messages
        if message["role"] == "tool" and message.get("name")
    }
    called: dict[str, str] = {}

    def with_names(message: Message) -> Message:
        if message["role"] == "assistant":
            message = _name_calls(message, given)
            for call in tool_calls_of(message):
                called[base_id(call.get("id") or "")] = function_of(call).get("name") or _UNKNOWN
        elif message["role"] == "tool" and not message.get("name"):
            return {**message, "name": called.get(base_id(message.get("tool_call_id") or ""), _UNKNOWN)}
        return message

    return with_messages(draft, with_names, "replaced", "name")


def _name_calls(message: Message, given: dict[str, str]) -> Message:
    def with_name(call: Message) -> Message:
        function = call.get("function")
        if not isinstance(function, dict) or function.get("name"):
            return call
        return {**call, "function": {**function, "name": given.get(base_id(call.get("id") or ""), _UNKNOWN)}}

    return _each_call(message, with_name)


_TYPE_MISSING = re.compile(r"missing required parameter: 'messages\[\d+\]\.tool_calls\[\d+\]\.type'")


def add_call_types(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a type on each call that lacks one.

    Source: "Missing required parameter: 'messages[2].tool_calls[0].type'." (langchain-azure#35).
    """
    if not _TYPE_MISSING.search(error.words):
        return draft

    def with_type(call: Message) -> Message:
        if call.get("type"):
            return call
        is_custom = call.get("custom") and not call.get("function")
        return {**call, "type": "custom" if is_custom else "function"}

    return with_messages(draft, lambda message: _each_call(message, with_type), "replaced", "call_type")


_REFUSED_FIELD = (
    # Cohere (litellm#24031), OpenAI (one-api#1319), mistral-common (mistral-vibe#70)
    re.compile(r"unknown field: parameter '(?P<name>\w+)' is not a valid field"),
    re.compile(r"unknown parameter: 'messages\[\d+\]\.tool_calls\[\d+\]\.(?:function\.)?(?P<name>\w+)'"),
    re.compile(r"tool_calls\.\d+\.(?:function\.)?(?P<name>\w+)\s+extra inputs are not permitted"),
)
_CALL_FIELDS = frozenset({"arguments", "custom", "function", "id", "name", "type"})
"""Fields that are never dropped. A call without them would mean something else."""


def drop_call_fields(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with the fields that *error* names dropped from all calls and their functions.

    A client that keeps a stream's calls as they came sends their ``index`` back. Sources: Cohere (litellm#24031,
    litellm#41290), OpenAI (one-api#1319), mistral-common before 1.8 on vLLM (mistral-vibe#70, mistral-common#165).
    """
    named = {found["name"] for says in _REFUSED_FIELD for found in says.finditer(error.words)} - _CALL_FIELDS

    def without(holder: Message) -> Message:
        kept = {name: value for name, value in holder.items() if name.lower() not in named}
        return holder if len(kept) == len(holder) else kept

    def bare(call: Message) -> Message:
        kept, function = without(call), call.get("function")
        if not isinstance(function, dict) or (inner := without(function)) is function:
            return kept
        return {**kept, "function": inner}

    if not named:
        return draft
    detail = ",".join(sorted(named))
    return with_messages(draft, lambda message: _each_call(message, bare), "dropped", "refused_field", detail)


def _each_call(message: Message, make: Callable[[Message], Message]) -> Message:
    """Return a message with each of its calls as *make* returns it, or *message* itself where none changed."""
    calls = tool_calls_of(message) if message["role"] == "assistant" else []
    made = [make(call) for call in calls]
    same = all(new is old for new, old in zip(made, calls, strict=True))
    return message if same else {**message, "tool_calls": made}


Rename: TypeAlias = Callable[[str], str]
"""Returns the new id for an id, or the same id where it may stay."""

_SHORT = re.compile(r"[a-zA-Z0-9]{9}")
_PLAIN = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def make_call_ids_fit(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with new ids for the calls whose ids break the provider's rule.

    Nine letters or digits are legal everywhere. Sources: OpenAI "Expected a string with maximum length 40"
    (vercel/ai#5171), Anthropic ``^[a-zA-Z0-9_-]+$`` (langchain#37756), Mistral "a-z, A-Z, 0-9, with a length of 9"
    (gptel#1203).
    """
    if error.says("with a length of 9"):
        entries, changes = rename_call_ids(draft.entries, lambda given: _fit(given, _SHORT))
    elif error.says("should match pattern"):
        entries, changes = rename_call_ids(draft.entries, lambda given: _fit(given, _PLAIN))
    else:
        entries, changes = rename_call_ids(
            draft.entries, lambda given: given if len(given) <= 40 else _short(given)
        )
    return with_entries(draft, entries, changes)


def _fit(given: str, rule: re.Pattern[str]) -> str:
    return given if rule.fullmatch(given) else _short(given)


def _short(given: str) -> str:
    return hashlib.sha256(given.encode("utf-8", "surrogatepass")).hexdigest()[:9]


@dataclass(slots=True)
class _Turn:
    """The ids of one turn.

    *new_ids* maps each id to its new one. *bases* holds the ids without a signature suffix. *used* holds all ids in
    use.
    """

    new_ids: dict[str, str] = field(default_factory=dict)
    bases: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    derived: DerivedIds = field(init=False)

    def __post_init__(self) -> None:
        self.derived = DerivedIds(self.used)


def rename_call_ids(entries: Entries, rename: Rename) -> tuple[Entries, list[Change]]:
    """Return *entries* with each call id replaced by *rename*, on the call and on its results.

    A derived id is used where *rename* returns an empty id, or an id that another call of the turn has. A result
    matches its call by the full id. Otherwise it matches by the part before the ``__thought__`` suffix, which clients
    strip on one side only.
    """
    renamed: list[Entry] = []
    changes: list[Change] = []
    known: dict[str, str] = {}  # each id that a result may carry, and its new id
    turn = _Turn()
    for entry in entries:
        message, at = entry.message, entry.origin
        new = message
        if message["role"] == "assistant":
            new = _rename_calls(message, at, rename, turn, known)
        else:
            turn = _Turn()
            if message["role"] == "tool":
                new = _rename_result(message, rename, known)
        if new is not message:
            changes.append(note("replaced", at, "call_id"))
        renamed.append(entry if new is message else Entry(new, at))
    return tuple(renamed), changes


def _rename_calls(message: Message, at: int, rename: Rename, turn: _Turn, known: dict[str, str]) -> Message:
    """Return *message* with its calls renamed. Their ids are added to *turn* and *known*.

    Calls of one turn may share the part of the id before the signature. Results with only that part belong to the
    first call.
    """
    calls = []
    added: list[str] = []
    for number, call in enumerate(tool_calls_of(message)):
        given = call.get("id")
        if given and given not in turn.new_ids:
            wanted = rename(given)
            if not wanted or wanted in turn.used:
                wanted = turn.derived.derive(at, number, given)
            turn.new_ids[given] = wanted
            turn.used.add(wanted)
            added.append(given)
        calls.append({**call, "id": turn.new_ids[given]} if given and turn.new_ids[given] != given else call)
    for given in added:
        base = base_id(given)
        if base not in turn.bases:
            turn.bases.add(base)
            known[base] = turn.new_ids.get(base) or turn.new_ids[given]
    known |= {given: turn.new_ids[given] for given in added}
    changed = any(new is not old for new, old in zip(calls, tool_calls_of(message), strict=True))
    return {**message, "tool_calls": calls} if changed else message


def _rename_result(message: Message, rename: Rename, known: dict[str, str]) -> Message:
    given = message.get("tool_call_id")
    if not given:
        return message
    wanted = known.get(given) or known.get(base_id(given)) or rename(given) or given
    return message if wanted == given else {**message, "tool_call_id": wanted}
