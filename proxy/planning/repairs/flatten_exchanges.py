"""A repair that writes old tool exchanges as plain text.

It is the last resort for a pairing that a provider refuses.
"""

from __future__ import annotations

import json
from typing import Any

from proxy.planning.repairs.change_profile import PAIRED
from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Message
from sanitizers.merging import SEPARATOR, join_contents
from sanitizers.messages import Entry, function_of, is_part_list, tool_calls_of


def flatten_exchanges(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with the tool exchanges before the newest user turn written as text.

    The text holds the tool, its arguments and its result. A result is written as JSON, so nothing in it looks like the
    end of the quotation. Exchanges of the current turn stay calls, since the model continues from them. A history that
    a repair has just paired is left as it is. Source: histories that are legal by every known rule and still refused
    (gemini-cli#23068, vscode#299295).
    """
    if draft.profile.name.endswith(PAIRED):
        return draft
    entries = draft.entries
    newest = max((at for at, entry in enumerate(entries) if entry.message["role"] == "user"), default=0)
    flattened: list[Entry] = []
    changes: list[Change] = []
    names: dict[str, str] = {}
    results: list[Entry] = []
    for at, entry in enumerate(entries):
        message = entry.message
        if results and message["role"] != "tool":
            flattened.append(_results_as_text(results, names))
            results = []
        calls = tool_calls_of(message) if message["role"] == "assistant" else []
        if at >= newest:
            flattened.append(entry)
        elif calls:
            names |= {call.get("id") or "": _name_of(call) for call in calls}
            flattened.append(Entry(_calls_as_text(message), entry.origin))
            changes.append(note("replaced", entry.origin, "calls_in_words"))
        elif message["role"] == "tool":
            results.append(entry)
            changes.append(note("replaced", entry.origin, "result_in_words"))
        else:
            flattened.append(entry)
    return with_entries(draft, flattened, changes)


def _name_of(call: Message) -> str:
    return function_of(call).get("name") or (call.get("custom") or {}).get("name") or "unknown"


def _calls_as_text(message: Message) -> Message:
    texts = []
    for call in tool_calls_of(message):
        arguments = function_of(call).get("arguments", (call.get("custom") or {}).get("input"))
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        texts.append(f"[Called the tool {_name_of(call)} with: {text}]")
    rest = {name: value for name, value in message.items() if name != "tool_calls"}
    return {**rest, "content": join_contents([message.get("content"), SEPARATOR.join(texts)])}


def _results_as_text(results: list[Entry], names: dict[str, str]) -> Entry:
    """Return one user message with the results of the tools as text, and with their media."""
    texts: list[str] = []
    media: list[Message] = []
    for message, *_ in results:
        content: Any = message.get("content")
        if isinstance(content, list) and is_part_list(content):
            media += [part for part in content if part["type"] != "text"]
            content = "".join(part.get("text") or "" for part in content if part["type"] == "text")
        name = names.get(message.get("tool_call_id") or "", "unknown")
        texts.append(f"[The tool {name} returned: {json.dumps(content, ensure_ascii=False)}]")
    text = SEPARATOR.join(texts)
    joined: Any = [{"type": "text", "text": text}, *media] if media else text
    return Entry({"role": "user", "content": joined}, results[0].origin)
