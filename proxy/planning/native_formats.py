"""The client formats that providers may be asked in, and what each does with a plan.

A further format is a row of :data:`NATIVE_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import methodcaller
from types import MappingProxyType
from typing import Any, NamedTuple

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_RESPONSES, Source
from proxy.planning.native_contents import write_contents
from proxy.planning.native_items import write_items
from proxy.planning.native_messages import write_messages
from proxy.upstream.dialects.gemini_models import has_contents
from proxy.upstream.dialects.messages_models import has_messages
from proxy.upstream.dialects.responses_models import speaks_responses
from proxy.upstream.transports import transport_of
from proxy.upstream.wires.anthropic.eligibility import is_eligible as is_eligible_as_messages
from proxy.upstream.wires.gemini.eligibility import is_eligible as is_eligible_as_contents
from proxy.upstream.wires.openai_responses.eligibility import is_eligible as is_eligible_as_items
from sanitizers import Messages, Profile
from sanitizers.native.protocol import Written


class NativeFormat(NamedTuple):
    """One format: whether a deployment's provider speaks it, and how a plan is sent in it.

    *profile_of* returns the rules for histories that go out in the format. *write* returns a plan's history in the
    format, or None where it must go out as a chat. *is_eligible* tells whether a plan is sent in the format.
    """

    field: str
    """The field of a body that has the history."""

    is_spoken_by: Callable[[Deployment], bool]
    profile_of: Callable[[Profile], Profile]
    write: Callable[[Any, Deployment, Messages, Mapping[str, Any], str], Written | None]
    is_eligible: Callable[[Source | None, Deployment, Messages, Mapping[str, Any]], bool]


NATIVE_FORMATS: Mapping[str, NativeFormat] = MappingProxyType(
    {
        ANTHROPIC_MESSAGES: NativeFormat(
            "messages", has_messages, methodcaller("as_blocks"), write_messages, is_eligible_as_messages
        ),
        GEMINI_NATIVE: NativeFormat(
            "contents", has_contents, methodcaller("as_contents"), write_contents, is_eligible_as_contents
        ),
        OPENAI_RESPONSES: NativeFormat(
            "input", speaks_responses, methodcaller("as_items"), write_items, is_eligible_as_items
        ),
    }
)
"""The formats, by their names."""


def spoken_format(request: ChatRequest, deployment: Deployment) -> NativeFormat | None:
    """Return the client's format of *request* where *deployment* can be asked in it. A chat has no such format."""
    row = None if request.source is None else NATIVE_FORMATS.get(request.source.format)
    is_spoken = row is not None and transport_of(deployment) == "direct" and row.is_spoken_by(deployment)
    return row if is_spoken else None


def rules_in_format(request: ChatRequest, deployment: Deployment, profile: Profile) -> Profile:
    """Return *profile*, that of *deployment*, as it is for a history in the client's own format, where that is spoken.

    So nothing is fetched that the provider fetches itself there.
    """
    source = request.source
    if source is None or source.native is None or profile.items or profile.blocks or profile.contents:
        return profile
    row = spoken_format(request, deployment)
    return profile if row is None else row.profile_of(profile)


def speaks_a_format(deployment: Deployment) -> bool:
    """Tell whether *deployment* can be asked in any of the formats, so that it can serve needs at all."""
    is_direct = transport_of(deployment) == "direct"
    return is_direct and any(row.is_spoken_by(deployment) for row in NATIVE_FORMATS.values())
