"""Repairs of the order of turns: pairing of calls and results, alternation, and the last turn.

Tool exchanges are written as plain text as the last resort, for a pairing that a provider still refuses.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from proxy.planning.repairs.draft import Draft, note, sanitize_draft, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Message, Profile
from sanitizers.merging import SEPARATOR, join_contents
from sanitizers.messages import SYSTEM_ROLES, Entry, function_of, is_part_list, tool_calls_of

PAIRED = "-paired"
"""The suffix of a profile's name after a repair paired the history anew. Pairing again would change nothing."""


def pair_for_gemini(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* under Gemini's rules for turns and pairing, in place of the draft's own rules.

    This repair is for a Gemini model whose configured name does not show that the model is Gemini. Sources:
    gemini-cli#11814, #4217, langchain#27799.
    """
    strict = replace(
        draft.profile,
        user_first=True,
        assistant_runs=False,
        system_anywhere=False,
        turn_required=True,
        empty_texts=False,
        ordered_results=True,
        object_arguments=True,
        openai_forms=False,
        custom_calls=False,
    )
    return _paired(draft, strict)


def pair_for_openai(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with all results directly after the turn of their calls, in the order of the calls.

    Sources: OpenAI (dataline#172, autogen#3178), DeepSeek, DashScope (qwen-code#606), Anthropic (claude-code#8612).
    """
    return _paired(draft, replace(draft.profile, ordered_results=True))


def _paired(draft: Draft, strict: Profile) -> Draft:
    strict = replace(strict, name=strict.name.removesuffix(PAIRED) + PAIRED)
    paired = sanitize_draft(draft, strict)
    return draft if paired.is_same_request(draft) else paired


def alternate_turns(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with neighbouring messages of one role merged, and a model turn between result and user turn.

    Chat templates do not count calls and results as turns. So for a template, a user turn after a result follows
    another user turn directly. Sources: chat templates on vLLM (autogen#1037, llama_index#11731), Bedrock
    (langchain-aws#130).
    """
    return separate_results(sanitize_draft(draft, draft.profile.merging()), error)


RECEIVED = "[The tool results were received.]"
"""The text of the inserted model turn."""


def separate_results(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a model turn between each result and a user turn directly behind it.

    Some providers require such a model turn. Some transports would merge the result and the user turn, and other
    providers refuse the merged turn. Sources: Mistral "Unexpected role 'user' after role 'tool'" (datapizza#98,
    litellm#6323), Cohere (langchain-oracle#9), Bedrock (livekit agents-js#1998).
    """
    return separate_from(draft, 0)


def separate_from(draft: Draft, start: int) -> Draft:
    """Return *draft* with a model turn between each result and the user turn after it, from position *start* on."""
    entries = list(draft.entries[:start])
    changes = []
    for entry in draft.entries[start:]:
        if entries and entries[-1].message["role"] == "tool" and entry.message["role"] == "user":
            entries.append(Entry({"role": "assistant", "content": RECEIVED}, entry.origin))
            changes.append(note("inserted", entry.origin, "turn_between"))
        entries.append(entry)
    return with_entries(draft, entries, changes)


_MOVED = "[The media of this result follow in the next message.]"
_FOLLOW = "[The media of the tool results above:]"


def close_tail(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a user turn behind a trailing model turn.

    Models that refuse a trailing model turn give the same error for a last content that mixes results with media or
    text. Some transports write such a content for a result with media, or for a user turn behind a result. So the
    results, and the media or text, are put into separate messages. A turn with ``prefix`` is closed too, since
    mistral-common's ``from_openai`` drops this field before the check. Sources: LibreChat agents#323, pipecat#5821,
    dive#287, agentgateway#2811, Mistral (litellm#6323, langchain#23703), vLLM (mistral-vibe#114), GitHub Copilot
    (copilot-api#273), Gemini 1 (one-api#836).
    """
    last = next((e.message for e in reversed(draft.entries) if e.message["role"] not in SYSTEM_ROLES), None)
    if last is None:
        return draft
    if last["role"] == "assistant":
        profile = draft.profile
        if profile.model_last or profile.takes_prefix:
            profile = replace(profile, name=f"{profile.name}-strict", model_last=False, takes_prefix=False)
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
