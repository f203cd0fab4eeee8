"""The deployment that a request is planned for, with the rules that hold for the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from proxy.config.schema.policies import Sanitize
from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.planning.apply_defaults import with_defaults
from proxy.planning.plan_parameters import Unsupported
from proxy.state.kept_thoughts import StoredThoughts
from proxy.upstream.dialects import asks_responses, asks_with_tools
from proxy.upstream.dialects.claude_models import claude_of
from proxy.upstream.dialects.messages_models import PROVIDER
from proxy.upstream.transports import speaks_messages, transport_of
from sanitizers import Profile, profile_for
from sanitizers.record import record


@record
class PlanTarget:
    """A deployment, and the rules for planning a request for it.

    *profile* holds the rules for histories. *sanitize* holds the operator's settings of the sanitizers, such as the
    mode. *unsupported* returns the parameters that the deployment's provider does not take.
    """

    deployment: Deployment
    profile: Profile
    sanitize: Sanitize
    unsupported: Unsupported
    thoughts: Mapping[int, StoredThoughts] | None = None
    """The stored thoughts of the history, by the ``id`` of the message object that had them.

    None for a model or a client that has no use for them.
    """


def plan_target(deployment: Deployment, sanitize: Sanitize, unsupported: Unsupported) -> PlanTarget:
    """Return *deployment* as a target, with its profile under the operator's section *sanitize*."""
    return PlanTarget(deployment, profile_of(deployment, sanitize), sanitize, unsupported)


def target_for_request(target: PlanTarget, request: ChatRequest) -> PlanTarget:
    """Return *target* for *request*, whose tools may need the Responses API."""
    deployment = target.deployment
    parameters = with_defaults(request, deployment).parameters
    if not asks_with_tools(deployment, parameters) or transport_of(deployment) != "direct":
        return target
    return replace(target, profile=target.profile.as_items())


def profile_of(deployment: Deployment, sanitize: Sanitize) -> Profile:
    """Return the deployment's profile under the operator's section *sanitize*."""
    profile = profile_for(deployment.model, deployment.profile)
    if asks_responses(deployment) and transport_of(deployment) == "direct":
        profile = profile.as_items()
    if deployment.provider == PROVIDER and speaks_messages(deployment):  # no call for all others
        claude = claude_of(deployment.model_id)
        profile = profile.over_messages(
            is_claude=claude is not None, takes_systems=claude is not None and claude.takes_systems
        )
    return profile.merging() if sanitize.merge_same_role else profile
