"""The histories that each provider is known to refuse, by the transport that carries the request and the provider.

A profile also forbids what the transport would lose or change on the way, and what only some servers of a family
refuse. A provider that accepts such a history does not contradict the profile. So only the histories in this table
are expected to be refused. The tests ask the emulators, which are built from the same reports.

Servers with a chat template have no row here, since a server does not tell which template it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from proxy.core.deployment import Deployment
from proxy.upstream.transports import transport_of
from sanitizers import Profile

UpstreamName: TypeAlias = str
"""The transport and the provider of a deployment, such as ``litellm/anthropic``."""


@dataclass(frozen=True, slots=True)
class Row:
    """The ids of histories that are refused over *upstreams*, under profiles whose names begin with *profile*."""

    upstreams: frozenset[UpstreamName]
    profile: str
    histories: frozenset[str]
    source: str


def _row(upstreams: str, profile: str, histories: str, *, source: str) -> Row:
    return Row(frozenset(upstreams.split()), profile, frozenset(histories.split()), source)


TABLE: tuple[Row, ...] = (
    _row(
        "direct/openai litellm/openai",
        "openai",
        "arguments_not_a_string call_id_missing call_id_too_long call_unreadable duplicate_result empty_content "
        "empty_tool_calls media_type media_unreadable missing_result orphaned_result result_name_missing "
        "tool_name_illegal",
        source="dataline#172, autogen#3178, agno#5116, vercel/ai#5171, openai-node#1341, langchainjs#4153; the chat "
        "completions reference",
    ),
    _row("direct/openai", "openai", "media_in_result", source="OpenAI API, 2026-08; litellm moves the image"),
    # The wire itself writes the order of turns, names and ids (proxy/upstream/wires/gemini).
    _row(
        "direct/gemini",
        "gemini",
        "duplicate_result media_type missing_result no_turn",
        source="ag-ui#1334, crush#995, langchain-google#1393",
    ),
    _row(
        "litellm/gemini",
        "gemini",
        "arguments_not_an_object duplicate_result empty_text media_type media_unreadable missing_result",
        source="AstrBot#7134, ag-ui#1334, zuisong/gemini-openai-proxy#83, crush#995, pollinations#4157",
    ),
    _row(
        "direct/gemini litellm/gemini",
        "gemini-3-strict",
        "trailing_model_turn",
        source="LibreChat agents#323, pipecat#5821",
    ),
    _row(
        "litellm/gemini", "gemini-2", "identical_call media_in_result", source="gemini-cli#4217, ag-ui#1334"
    ),
    # The wire itself writes arguments that are no object into one (sanitizers/native/messages/write_turn.py).
    _row(
        "direct/anthropic",
        "anthropic",
        "call_id_repeated call_unreadable custom_call duplicate_result media_mistyped media_type missing_result "
        "orphaned_result tool_name_illegal",
        source="claude-code#8612, #18947 and #28515, opencode#1279; Anthropic API, 2026-08",
    ),
    _row(
        "litellm/anthropic",
        "anthropic",
        "arguments_not_an_object call_id_repeated call_unreadable custom_call duplicate_result media_mistyped "
        "media_type media_unreadable missing_result orphaned_result tool_name_illegal",
        source="claude-code#8612, #18947 and #28515, opencode#1279; Anthropic API, 2026-08",
    ),
    _row(
        "direct/anthropic litellm/anthropic",
        "anthropic-strict",
        "trailing_model_turn",
        source="pipecat's Anthropic adapter",
    ),
    _row(
        "litellm/bedrock",
        "bedrock",
        "call_id_illegal call_unreadable missing_result orphaned_result",
        source="langchain-aws#192, harness-sdk#1435; botocore's model of Converse",
    ),
    _row(
        "direct/mistral litellm/mistral",
        "mistral",
        "call_id_illegal call_id_missing duplicate_result missing_result orphaned_result system_after_start "
        "tool_name_illegal trailing_model_turn unknown_field user_after_result",
        source="gptel#1203, crush#279, SurfSense#287, litellm#4931, eca#231, datapizza-ai#98; mistral-common, "
        "instruct/validator.py",
    ),
    _row(
        "litellm/deepseek direct/deepseek",
        "deepseek",
        "call_id_missing custom_call empty_content misplaced_calls missing_result orphaned_result refused_part",
        source="vscode-unify-chat-provider#248, deepx-code#94, DeepSeek-Reasonix#7859",
    ),
    _row(
        "litellm/deepseek direct/deepseek",
        "deepseek-reasoner",
        "call_after_model_turn same_role_neighbours same_role_neighbours-2",
        source="DeepSeek-R1#21, aider#2974",
    ),
    _row(
        "litellm/cohere_chat litellm/cohere",
        "cohere",
        "call_id_missing duplicate_result empty_content empty_text missing_result orphaned_result unknown_field",
        source="openrouter-examples#71, garak#1202, Risuai#504, langchain-cohere#15, agentdojo#200",
    ),
)
"""The known refusals.

All rows that fit the upstream and the profile apply together. A refusal without a report to cite has no entry.
"""


def upstream_of(deployment: Deployment) -> UpstreamName:
    """Return the transport and the provider of the deployment's requests, such as ``litellm/anthropic``."""
    return f"{transport_of(deployment)}/{deployment.provider}"


def is_known_refused(upstream: UpstreamName, profile: Profile, history: str) -> bool:
    """Return True where the provider at the end of *upstream* is known to refuse the history with this id."""
    return any(
        upstream in row.upstreams and profile.name.startswith(row.profile) and history in row.histories
        for row in TABLE
    )
