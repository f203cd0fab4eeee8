"""Apply rules that few providers have: about names, system messages, turns with calls, users after results, reasoning.

The step runs after all others except ``tail``, since those would merge or move the messages that this step inserts. The
functions stand in the order in which they run. A function does nothing where the profile does not have its rule.
"""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.inline_systems import with_systems_last
from sanitizers.merging import join_contents, join_messages
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Entries, Entry, is_blank, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.signed_thoughts import is_readable_thought
from sanitizers.splitting import one_call_each
from sanitizers.synthetic import BRIDGE, CONTINUE, NO_THOUGHT
from sanitizers.work_limit import metered

NAME = "dialect"

_BLOCKS = "thinking_blocks"


def apply_provider_rules(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Apply the rules of *profile*'s provider to a paired history.

    Returns *entries* itself when nothing was changed.
    """
    changes: list[Change] = []
    for part in _PARTS:
        entries, made = part(entries, profile)
        changes += made
    return entries, tuple(changes)


def _drop_names(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Drop the ``name`` of each message whose role may have none.

    Invariant: only messages of the profile's roles have a name.

    Source: xAI "Only messages of role 'user' can have a name." (litellm#9720). The steps before this one read the names
    of results, so no name is dropped earlier.
    """
    roles = profile.named_roles
    if roles is None:
        return entries, ()
    nameless = list(entries)
    changes: list[Change] = []
    for at, entry in enumerate(entries):
        message = entry.message
        if message.get("name") is None or message["role"] in roles:
            continue
        kept = {field: value for field, value in message.items() if field != "name"}
        nameless[at] = Entry(kept, entry.origin)
        changes.append(Change(NAME, "dropped", entry.origin, "refused_field", "name"))
    return (tuple(nameless), tuple(changes)) if changes else (entries, ())


def _gather_systems(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Join the leading system messages to one, or put their texts at the beginning of the first user message.

    Invariant: at most one system message leads where the profile says so, and none where the provider has no such role.

    Source: "After the optional system message, conversation roles must alternate …" (llama_index#11731). "System role
    not supported" [from memory], "Developer instruction is not enabled" (deprecated-generative-ai-python#278).
    """
    if profile.many_systems and profile.system_role:
        return entries, ()
    lead = next(
        (at for at, entry in enumerate(entries) if entry.message["role"] not in SYSTEM_ROLES), len(entries)
    )
    if not profile.system_role:
        return _fold(entries, lead)
    if lead < 2:
        return entries, ()
    joined, lost = join_messages([entry.message for entry in entries[:lead]])
    changes = tuple(
        Change(NAME, "merged", entry.origin, "system_run", ",".join(names))
        for entry, names in zip(entries[1:lead], lost, strict=True)
    )
    return (Entry(joined, entries[0].origin), *entries[lead:]), changes


def _fold(entries: Entries, lead: int) -> tuple[Entries, tuple[Change, ...]]:
    if not lead:
        return entries, ()
    first = entries[lead]  # a user message, since user_prepend ran before
    contents = [entry.message.get("content") for entry in entries[: lead + 1]]
    folded = Entry({**first.message, "content": join_contents(contents)}, first.origin)
    changes = tuple(
        Change(NAME, "merged", entry.origin, "system_unsupported", ",".join(_others(entry)))
        for entry in entries[:lead]
    )
    return (folded, *entries[lead + 1 :]), changes


def _others(entry: Entry) -> list[str]:
    """Return the fields of a system message that are lost when its text is folded."""
    return sorted(name for name, value in entry.message.items() if name not in ("content", "role") and value)


def _separate_texts_from_calls(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move a text before calls to its own turn, and insert a user turn that asks the model to go on.

    Invariant: where the profile refuses a text together with calls, an assistant message holds only one of them.

    Source: "Conversation blocks and tool use blocks cannot be provided in the same turn." (quarkus-langchain4j#1983).
    """
    if profile.calls_with_text:
        return entries, ()
    parted: list[Entry] = []
    changes: list[Change] = []
    for entry in entries:
        message, origin = entry.message, entry.origin
        if not tool_calls_of(message) or is_blank(message.get("content")):
            parted.append(entry)
            continue
        words = {"role": "assistant", "content": message["content"]}
        parted += [
            Entry(words, origin),
            Entry({"role": "user", "content": CONTINUE}, origin),
            Entry({**message, "content": None if profile.null_content else ""}, origin),
        ]
        changes.append(Change(NAME, "inserted", origin, "text_beside_calls"))
    return (tuple(parted), tuple(changes)) if changes else (entries, ())


def _split_parallel_calls(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Split each turn of several calls into turns of one call and its result, where the profile takes one call.

    Invariant: an assistant message holds at most one call where the profile says so.

    Source: Databricks "Multiple tool calls are not supported." (litellm#31633). The first turn keeps the text.
    """
    if profile.parallel_calls:
        return entries, ()
    split: list[Entry] = []
    changes: list[Change] = []
    at = 0
    while at < len(entries):
        entry = entries[at]
        at += 1
        if entry.message["role"] != "assistant" or len(tool_calls_of(entry.message)) < 2:
            split.append(entry)
            continue
        start = at
        while at < len(entries) and entries[at].message["role"] == "tool":
            at += 1
        split += one_call_each(entry, entries[start:at], nothing=None if profile.null_content else "")
        changes.append(Change(NAME, "replaced", entry.origin, "parallel_calls"))
    return (tuple(split), tuple(changes)) if changes else (entries, ())


def _bridge_results(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Insert an assistant message between a tool result and a user message, where the profile refuses them together.

    Invariant: no user message directly follows a tool result.

    Source: Mistral "Unexpected role 'user' after role 'tool'" (datapizza#98, litellm#6323). Bedrock's user turn holds
    either results or text (livekit agents-js#1998). Some chat templates ignore results (llama.cpp#19851).

    The user interrupted the model at this point, so the model never said the inserted text. The text is therefore as
    short as possible.
    """
    if profile.user_after_result:
        return entries, ()
    bridged: list[Entry] = []
    changes: list[Change] = []
    for entry in entries:
        if bridged and entry.message["role"] == "user" and bridged[-1].message["role"] in RESULT_ROLES:
            bridged.append(Entry({"role": "assistant", "content": BRIDGE}, entry.origin))
            changes.append(Change(NAME, "inserted", entry.origin, "user_after_result"))
        bridged.append(entry)
    return (tuple(bridged), tuple(changes)) if changes else (entries, ())


def _place_systems(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move later system messages to the end of the user's turn that they stand in, and join them there.

    Invariant: where the profile says so, a system message after the first turn directly follows a user message or
    results, and an assistant message or nothing follows it.

    Source: Claude Opus 4.8 and later take system messages in this place alone (Anthropic's documents, 2026-11). A
    message between two turns of the model has no such place, and becomes the user's.
    """
    if not profile.systems_behind_users:
        return entries, ()
    placed: list[Entry] = []
    changes: list[Change] = []
    at = 0
    while at < len(entries) and entries[at].message["role"] in SYSTEM_ROLES:
        at += 1
    placed += entries[:at]
    while at < len(entries):
        start = at
        while at < len(entries) and entries[at].message["role"] != "assistant":
            at += 1
        placed += with_systems_last(entries[start:at], changes, NAME)
        placed += entries[at : at + 1]
        at += 1
    return (tuple(placed), tuple(changes)) if changes else (entries, ())


def _drop_unsigned_thoughts(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Drop each block of thinking without its signature or its hidden data, where the profile says so.

    Invariant: each block of ``thinking_blocks`` can be read by the model that wrote it.

    Source: "messages.1.content.0: Invalid `signature` in `thinking` block" [from memory]. Clients make such blocks of
    reasoning texts, and of another provider's thoughts (litellm#38153).
    """
    if not profile.signed_thoughts:
        return entries, ()
    signed = list(entries)
    changes: list[Change] = []
    for at, entry in enumerate(entries):
        blocks = entry.message.get(_BLOCKS)
        if blocks is None:
            continue
        kept = [
            block
            for block in metered(blocks if isinstance(blocks, list) else ())
            if is_readable_thought(block)
        ]
        if kept == blocks:
            continue
        message = {name: value for name, value in entry.message.items() if name != _BLOCKS}
        signed[at] = Entry({**message, _BLOCKS: kept} if kept else message, entry.origin)
        changes.append(Change(NAME, "dropped", entry.origin, "thought_unsigned", _BLOCKS))
    return (tuple(signed), tuple(changes)) if changes else (entries, ())


def _echo_reasoning(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Give assistant messages without ``reasoning_content`` an empty or blank one, where the profile requires it.

    Invariant: every assistant message has ``reasoning_content``, a text, where the profile says so. Where it says so of
    messages with calls, they have a text that is not empty.

    Sources: DeepSeek "The `reasoning_content` in the thinking mode must be passed back to the API." An empty text is
    accepted (hermes#15353). Kimi "thinking is enabled but reasoning_content is missing in assistant tool call message"
    (continue#11806). Kimi K2.6 takes an empty text for a missing one, so the text is a blank (pi#4178). Reasoning that
    the client did not keep stays lost, and the step invents none.
    """
    if not (profile.echoes_reasoning or profile.thinks_before_calls):
        return entries, ()
    echoed = list(entries)
    changes: list[Change] = []
    for at, entry in enumerate(entries):
        message = entry.message
        if message["role"] != "assistant":
            continue
        thought = message.get("reasoning_content")
        known = isinstance(thought, str)
        if profile.thinks_before_calls and tool_calls_of(message) and not (known and thought):
            added = NO_THOUGHT
        elif profile.echoes_reasoning and not known:
            added = ""
        else:
            continue
        echoed[at] = Entry({**message, "reasoning_content": added}, entry.origin)
        changes.append(Change(NAME, "inserted", entry.origin, "reasoning_content"))
    return (tuple(echoed), tuple(changes)) if changes else (entries, ())


_PARTS = (
    _drop_names,
    _gather_systems,
    _separate_texts_from_calls,
    _split_parallel_calls,
    _bridge_results,
    _place_systems,
    _drop_unsigned_thoughts,
    _echo_reasoning,
)
