"""A repair that lets a history end with a user turn."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import Draft, note, sanitize_draft, with_entries
from proxy.planning.repairs.separate_results import separate_from
from proxy.resilience.read_error import ProviderError
from sanitizers.messages import SYSTEM_ROLES, Entry, Message, is_part_list

_MOVED = "[The media of this result follow in the next message.]"
_FOLLOW = "[The media of the tool results above:]"


def close_tail(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a user turn behind a trailing model turn.

    Models that refuse such a turn give the same error for a last content that mixes results with media or text. Some
    transports write such a content for a result with media, or for a user turn behind a result. The parts are
    separated. Sources: LibreChat agents#323, pipecat#5821, dive#287, agentgateway#2811, Mistral (litellm#6323), GitHub
    Copilot (copilot-api#273), Gemini 1 (one-api#836).
    """
    last = next((e.message for e in reversed(draft.entries) if e.message["role"] not in SYSTEM_ROLES), None)
    if last is None:
        return draft
    if last["role"] == "assistant":
        profile = draft.profile
        if profile.model_last:
            profile = replace(profile, name=f"{profile.name}-strict", model_last=False)
        return sanitize_draft(draft, profile)
    apart = _move_media_out(draft) if last["role"] == "tool" else draft
    return separate_from(apart, len(apart.entries) - 1)


def _move_media_out(draft: Draft) -> Draft:
    entries = list(draft.entries)
    media: list[Message] = []
    changes = []
    start = len(entries)
    while start and entries[start - 1].message["role"] == "tool":
        start -= 1
    for at in range(start, len(entries)):
        message, origin = entries[at].message, entries[at].origin
        parts = message.get("content")
        if not isinstance(parts, list) or not is_part_list(parts):
            continue
        own = [part for part in parts if part["type"] != "text"]
        if own:
            kept = [part for part in parts if part["type"] == "text"]
            content = [*kept, {"type": "text", "text": _MOVED}]
            entries[at] = Entry({**message, "content": content}, origin)
            media += own
            changes.append(note("moved", origin, "result_media"))
    turn = {"role": "user", "content": [{"type": "text", "text": _FOLLOW}, *media]}
    return with_entries(draft, [*entries, Entry(turn, entries[-1].origin)], changes)
