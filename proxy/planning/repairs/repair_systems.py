"""Repairs of system messages, which some models and chat templates refuse."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import Draft, sanitize_draft, with_messages
from proxy.resilience.read_error import ProviderError
from sanitizers import Message
from sanitizers.messages import SYSTEM_ROLES


def system_as_user(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with each system or developer message turned into a user message with the same words.

    Source: "'messages[0].role' does not support 'system' with this model" (litellm#5671). o1-mini takes no developer
    message either (agent-framework#1077).
    """

    def as_user(message: Message) -> Message:
        return {**message, "role": "user"} if message["role"] in SYSTEM_ROLES else message

    return with_messages(draft, as_user, "replaced", "system_as_user")


def fold_systems(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with the texts of its system messages at the head of the first user turn.

    Where no user turn comes first, one is inserted. A template without a system role refuses two user turns in a row
    too, and a request is repaired once. So adjacent turns of one role are merged for such a template. Sources: Gemma
    "System role not supported" (chat-ui#1386, vllm#2964, sglang#1342), Llama 3.2 "Prompting with images is incompatible
    with system messages." (vllm#8854, litellm#6569).
    """
    if not any(entry.message["role"] in SYSTEM_ROLES for entry in draft.entries):
        return draft
    alternates = error.says("system role not supported")
    profile = draft.profile.merging() if alternates else draft.profile
    without = replace(
        profile,
        name=f"{profile.name}-no-system",
        system_role=False,
        system_anywhere=False,
        user_first=True,
        turn_required=True,
    )
    return sanitize_draft(draft, without)


def fold_counted_systems(draft: Draft, error: ProviderError) -> Draft:
    """Move the system texts as :func:`fold_systems` does, for a template that counts a system message as a turn.

    Later templates of Mistral say in the same error that they allow an "optional system message". Then *draft* is
    returned as it is. Sources: vllm#2080, mistral.rs#45, autogen#1037.
    """
    return draft if error.says("optional system message") else fold_systems(draft, error)
