"""Repairs of model turns with tool calls, for servers that refuse several calls, or text with calls, in one turn."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import Draft, note, sanitize_draft, with_entries
from proxy.planning.repairs.repair_contents import without_blank_texts
from proxy.resilience.read_error import ProviderError
from sanitizers.messages import Entry, is_blank, tool_calls_of
from sanitizers.splitting import one_call_each


def split_parallel_calls(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with each turn of several calls split into rounds of one call and its results.

    The first round keeps the turn's text and its other fields. The templates count the calls of every turn that has
    ``tool_calls``, so a field with an empty list or null is dropped. A draft for a model that signs its calls is
    returned as it is. Such models never give this error, and a split would leave the later rounds unsigned. Source: the
    templates of Llama 3.1, 3.2 and 3.3, "This model only supports single tool-calls at once!" (vllm#25108, vllm#12938,
    and vllm#13978 for an empty list).
    """
    if draft.profile.signs_calls:
        return draft
    entries: list[Entry] = []
    changes = []
    at = 0
    while at < len(draft.entries):
        entry = draft.entries[at]
        at += 1
        message = entry.message
        if message["role"] != "assistant" or len(tool_calls_of(message)) < 2:
            if "tool_calls" in message and not message["tool_calls"]:
                changes.append(note("dropped", entry.origin, "empty_tool_calls"))
                entry = Entry(
                    {name: value for name, value in message.items() if name != "tool_calls"}, entry.origin
                )
            entries.append(entry)
            continue
        start = at
        while at < len(draft.entries) and draft.entries[at].message["role"] == "tool":
            at += 1
        nothing = None if draft.profile.null_content else ""
        entries += one_call_each(entry, draft.entries[start:at], nothing=nothing)
        changes.append(note("replaced", entry.origin, "parallel_calls"))
    return with_entries(draft, entries, changes)


def separate_texts_from_calls(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with each text of a turn with calls in a model turn of its own, and a user turn between them.

    mistral-common gives the same error for a model turn with neither text nor calls, so such a turn is dropped. A blank
    text beside calls counts as a text, so a blank text is dropped too. mistral-common checks the form of the calls' ids
    next, and a request is repaired only once. So ids of another form are replaced. A draft for a model that signs its
    calls is returned as it is. Such models never give this error, and their calls after the inserted user turn would
    need a new signature. Sources: langchain#21196; the validator of mistral-common for tokenizers before version 13,
    "Assistant message must have either content or tool_calls, but not both." (1.5.6, 1.8.8 and 1.13.1, seen in
    2026-11).
    """
    profile = draft.profile
    if profile.signs_calls:
        return draft
    if profile.calls_with_text:
        profile = replace(
            profile,
            name=f"{profile.name}-apart",
            calls_with_text=False,
            call_id_form="nine",
        )
    return sanitize_draft(_without_blanks(draft), profile)


def _without_blanks(draft: Draft) -> Draft:
    """Return *draft* without the blank texts of turns with calls, and without model turns that hold nothing."""
    entries: list[Entry] = []
    changes = []
    for entry in draft.entries:
        message = entry.message
        if message["role"] != "assistant":
            entries.append(entry)
            continue
        content = message.get("content")
        if tool_calls_of(message):
            kept = without_blank_texts(content)
            if kept is not content and not is_blank(content):
                changes.append(note("replaced", entry.origin, "empty_content"))
                entry = Entry({**message, "content": None if is_blank(kept) else kept}, entry.origin)
        elif is_blank(content) and not any(
            message.get(name) for name in ("audio", "function_call", "refusal")
        ):
            changes.append(note("dropped", entry.origin, "empty_message", "assistant"))
            continue
        entries.append(entry)
    return with_entries(draft, entries, changes)
