"""Apply rules that few providers have: about system messages, texts with calls, users after results, and reasoning.

The step runs after all others except ``tail``, since those would merge or move the messages that this step inserts. The
functions stand in the order in which they run. A function does nothing where the profile does not have its rule.
"""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.merging import join_contents, join_messages
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Entries, Entry, is_blank, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.synthetic import BRIDGE, CONTINUE

NAME = "dialect"


def apply_provider_rules(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Apply the rules of *profile*'s provider to a paired history.

    Returns *entries* itself when nothing was changed.
    """
    changes: list[Change] = []
    for part in (_gather_systems, _separate_texts_from_calls, _bridge_results, _echo_reasoning):
        entries, made = part(entries, profile)
        changes += made
    return entries, tuple(changes)


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


def _echo_reasoning(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Give each assistant message without ``reasoning_content`` an empty one, where the profile requires it.

    Invariant: every assistant message has ``reasoning_content``, a text.

    Source: DeepSeek "The `reasoning_content` in the thinking mode must be passed back to the API." An empty text is
    accepted (hermes#15353). Reasoning that the client did not keep stays lost, and the step invents none.
    """
    if not profile.echoes_reasoning:
        return entries, ()
    echoed = list(entries)
    changes: list[Change] = []
    for at, entry in enumerate(entries):
        message = entry.message
        if message["role"] == "assistant" and not isinstance(message.get("reasoning_content"), str):
            echoed[at] = Entry({**message, "reasoning_content": ""}, entry.origin)
            changes.append(Change(NAME, "inserted", entry.origin, "reasoning_content"))
    return (tuple(echoed), tuple(changes)) if changes else (entries, ())
