"""Repairs that apply stricter rules to the whole history."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import Draft, has_calls, note, sanitize_draft
from proxy.planning.repairs.replace_signatures import without_signatures
from proxy.planning.repairs.separate_results import separate_results
from proxy.resilience.read_error import ProviderError
from sanitizers import Profile

PAIRED = "-paired"
"""The suffix of a profile's name after a repair paired the history anew. Pairing again would change nothing."""


def pair_for_gemini(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* under Gemini's rules for turns and pairing, in place of its own.

    It serves a Gemini behind a name that does not say so. Sources: gemini-cli#11814, #4217, langchain#27799.
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
    """Return *draft* with each call answered directly behind its turn, in call order.

    Sources: OpenAI (dataline#172, autogen#3178), DeepSeek, DashScope (qwen-code#606), Anthropic (claude-code#8612).
    """
    return _paired(draft, replace(draft.profile, ordered_results=True))


def _paired(draft: Draft, strict: Profile) -> Draft:
    strict = replace(strict, name=strict.name.removesuffix(PAIRED) + PAIRED)
    paired = sanitize_draft(draft, strict)
    return draft if paired.is_same_request(draft) else paired


def alternate_turns(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with neighbouring messages of one role merged, but results and the user's next words separate.

    Chat templates do not count calls and results as turns. So a user turn behind a result follows another user turn
    for them. Sources: chat templates on vLLM (autogen#1037, llama_index#11731), Bedrock (langchain-aws#130).
    """
    return separate_results(sanitize_draft(draft, draft.profile.merging()), error)


def leave_out_call_ids(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* for a Gemini surface whose calls have no ids. There, results match calls by position.

    Such a surface has no signatures either. Only Gemini's wire can leave ids out. Sources: kimi-cli#1582,
    AstrBot#7386, CLIProxyAPI#5199.
    """
    profile = draft.profile
    if not profile.call_ids or not profile.signs_calls or not has_calls(draft):
        return draft
    bare = sanitize_draft(draft, replace(profile, name=f"{profile.name}-no-ids", call_ids=False))
    bare = replace(bare, entries=without_signatures(bare.entries)) if bare is not draft else bare
    if bare is draft:
        return draft
    return replace(bare, changes=(*bare.changes, note("dropped", 0, "call_ids")))
