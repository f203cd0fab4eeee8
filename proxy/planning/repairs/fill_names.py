"""A repair that gives calls and results the names that they lack."""

from __future__ import annotations

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers import Message
from sanitizers.messages import Entry, base_id, function_of, tool_calls_of

_UNKNOWN = "unknown_tool"


def fill_names(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a name on every function call and result, copied from the matching result or call.

    Results and calls match by id. A provider cannot match them on a wire without ids. Declared tools always have
    names, since requests without them are refused. Sources: langflow#9437, CLIProxyAPI#1903.
    """
    given = {
        base_id(message.get("tool_call_id") or ""): message["name"]
        for message in draft.messages
        if message["role"] == "tool" and message.get("name")
    }
    filled: list[Entry] = []
    changes = []
    called: dict[str, str] = {}
    for message, at, *_ in draft.entries:
        new = message
        if message["role"] == "assistant":
            new = _name_calls(message, given)
            called |= {
                base_id(call.get("id") or ""): function_of(call).get("name") or _UNKNOWN
                for call in tool_calls_of(new)
            }
        elif message["role"] == "tool" and not message.get("name"):
            new = {**message, "name": called.get(base_id(message.get("tool_call_id") or ""), _UNKNOWN)}
        if new is not message:
            changes.append(note("replaced", at, "name"))
        filled.append(Entry(new, at))
    return with_entries(draft, filled, changes)


def _name_calls(message: Message, given: dict[str, str]) -> Message:
    calls = []
    for call in tool_calls_of(message):
        function = call.get("function")
        if isinstance(function, dict) and not function.get("name"):
            name = given.get(base_id(call.get("id") or ""), _UNKNOWN)
            call = {**call, "function": {**function, "name": name}}
        calls.append(call)
    same = all(new is old for new, old in zip(calls, tool_calls_of(message), strict=True))
    return message if same else {**message, "tool_calls": calls}
