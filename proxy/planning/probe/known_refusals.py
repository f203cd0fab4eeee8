"""The histories that a provider is known to refuse, by the way that a request takes to the provider.

A profile also forbids what the transport would lose or change on the way, and what only some servers of a family
refuse. A provider that accepts such a history does not contradict the profile. So only the histories in this table
are expected to be refused. The reports are named beside each rule (:data:`sanitizers.invariants.RULES`) and beside each
fact of a profile. The tests ask the emulators, which are built from the same reports.

Servers with a chat template have no row: a server does not tell which template it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from proxy.core.deployment import Deployment
from proxy.upstream.transports import transport_of
from sanitizers import Profile

Way: TypeAlias = str
"""The transport and the provider of a deployment, such as ``litellm/anthropic``."""


@dataclass(frozen=True, slots=True)
class Row:
    """The histories that are refused on some ways, by their ids, under profiles whose names begin with *profile*."""

    ways: frozenset[Way]
    profile: str
    histories: frozenset[str]


def _row(ways: str, profile: str, histories: str) -> Row:
    return Row(frozenset(ways.split()), profile, frozenset(histories.split()))


_CALLS_OF_OPENAI = "call_id_missing missing_result orphaned_result"

TABLE: tuple[Row, ...] = (
    _row(
        "direct/openai litellm/openai",
        "openai",
        f"{_CALLS_OF_OPENAI} arguments_not_a_string call_id_too_long call_unreadable duplicate_result empty_content "
        "empty_tool_calls media_type media_unreadable result_name_missing tool_name_illegal",
    ),
    _row("direct/openai", "openai", "media_in_result"),
    # The wire itself writes the order of turns, names and ids (proxy/upstream/wires/gemini).
    _row("direct/gemini", "gemini", "duplicate_result media_type missing_result no_turn"),
    _row(
        "litellm/gemini",
        "gemini",
        "arguments_not_an_object duplicate_result empty_text media_type media_unreadable missing_result",
    ),
    _row("direct/gemini litellm/gemini", "gemini-3-strict", "trailing_model_turn"),
    _row("litellm/gemini", "gemini-2", "identical_call media_in_result"),
    _row(
        "litellm/anthropic",
        "anthropic",
        "arguments_not_an_object call_id_repeated call_unreadable custom_call duplicate_result first_turn_not_user "
        "media_mistyped media_type media_unreadable missing_result orphaned_result tool_name_illegal",
    ),
    _row("litellm/anthropic", "anthropic-strict", "trailing_model_turn"),
    _row(
        "litellm/bedrock",
        "bedrock",
        "blank_result call_id_illegal call_unreadable first_turn_not_user missing_result orphaned_result",
    ),
    _row("litellm/bedrock", "bedrock-claude", "trailing_space"),
    _row(
        "litellm/mistral",
        "mistral",
        "call_id_illegal call_id_missing duplicate_result missing_result orphaned_result system_after_start "
        "tool_name_illegal trailing_model_turn unknown_field user_after_result",
    ),
    _row(
        "litellm/deepseek direct/deepseek",
        "deepseek",
        f"{_CALLS_OF_OPENAI} custom_call empty_content misplaced_calls refused_part",
    ),
    _row(
        "litellm/deepseek direct/deepseek",
        "deepseek-reasoner",
        "call_after_model_turn same_role_neighbours same_role_neighbours-2 trailing_model_turn",
    ),
    _row(
        "litellm/cohere_chat litellm/cohere",
        "cohere",
        f"{_CALLS_OF_OPENAI} duplicate_result empty_content empty_text unknown_field",
    ),
)
"""Every row whose way and profile fit counts."""


def way_of(deployment: Deployment) -> Way:
    """Return the way of the deployment's requests."""
    return f"{transport_of(deployment)}/{deployment.provider}"


def is_known_refused(way: Way, profile: Profile, history: str) -> bool:
    """Return True where the provider at the end of *way* is known to refuse the history with this id."""
    return any(
        way in row.ways and profile.name.startswith(row.profile) and history in row.histories for row in TABLE
    )
