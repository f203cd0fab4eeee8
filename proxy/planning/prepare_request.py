"""Makes a request legal for one target, before its budget is checked: history, parameters, tools.

Tools are renamed first, since calls and declarations share their names. Then the history is made legal. Parameters
follow, since some depend on the history. The schemas of the remaining tools are cleaned last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest, UnrepairableHistory
from proxy.core.source import ANTHROPIC_MESSAGES
from proxy.planning.clean_tools import clean_declared, refuse_tools, target_of
from proxy.planning.limit_blocks import limit_blocks
from proxy.planning.plan_parameters import Unsupported, parameters_as_given, plan_parameters
from proxy.planning.plan_target import PlanTarget
from proxy.upstream.dialects import with_instruction
from sanitizers import Change, Messages, Profile, Sanitized, Unrepairable, Violation, sanitize
from sanitizers.record import record
from sanitizers.tool_names import rename_tools

_MAX_LISTED = 100
"""The most entries of a list in an error's body. A history may break a rule in every message."""


_CONTINUE = "continue_final_message"


@record
class Prepared:
    """One request, legal for its target.

    *outcome* is the result of sanitizing the history. *fitted* holds the changes of parameters, *declared* the changes
    of tool schemas. *dropped* names the parameters that do not go upstream.
    """

    messages: Messages
    parameters: Mapping[str, Any]
    extra_body: Mapping[str, Any]
    dropped: tuple[str, ...]
    outcome: Sanitized
    client_tool_names: Mapping[str, str]
    fitted: tuple[Change, ...]
    declared: tuple[Change, ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes, in the order in which they are made."""
        return (*self.outcome.changes, *self.fitted, *self.declared)


def prepare_request(
    messages: Messages,
    request: ChatRequest,
    deployment: Deployment,
    profile: Profile,
    unsupported: Unsupported,
) -> Prepared:
    """Return *request* with the history *messages*, in the form that *deployment* accepts.

    Violations and changes carry the indexes of *messages*. Violations may remain. The caller decides whether such a
    request is sent. Raises :class:`Unrepairable` for a history that cannot be read. Raises :class:`InvalidRequest` for
    parameters and tools that can neither be sent nor left out.
    """
    profile = profile_for_request(profile, request, deployment)
    outline = request.outline
    if outline is not None and not outline.describes(messages):
        outline = None
    known = request.known_tools
    names = known.names if known is not None and request.parameters.get("tools") is known.tools else None
    renamed = rename_tools(messages, request.parameters, profile.tool_names, outline, names)
    outcome = sanitize(renamed.messages, profile, outline if renamed.messages is messages else None)
    if renamed.changes:
        found = _found_before(outcome.found, renamed.changes)
        outcome = replace(outcome, found=found, changes=(*renamed.changes, *outcome.changes))
    if renamed.parameters is not request.parameters:
        request = replace(request, parameters=renamed.parameters)
    is_as_given = profile.blocks or profile.contents
    if is_as_given:
        planned = parameters_as_given(request, deployment, "repair")
    else:
        planned = plan_parameters(request, deployment, unsupported, outcome.messages, "repair")
    parameters = planned.parameters
    declared: tuple[Change, ...] = ()
    if not is_as_given and ("tools" in parameters or "functions" in parameters):
        try:
            target = target_of(deployment, profile)
            parameters, declared = clean_declared(parameters, target, request.known_tools)
        except Unrepairable as error:
            raise InvalidRequest(error.message, param=error.param) from None
    sent = outcome.messages
    limited: tuple[Change, ...] = ()
    if profile.most_marks is not None or profile.most_media is not None:
        odd = outline.odd if outline is not None and sent is messages else None
        sent, limited = limit_blocks(sent, parameters.get("tools"), profile, outcome.origins, odd)
    return Prepared(
        sent if planned.words is None else with_instruction(sent, planned.words),
        parameters,
        planned.extra_body,
        planned.dropped,
        outcome,
        renamed.back,
        (*planned.changes, *limited),
        declared,
    )


def prepare_by_mode(messages: Messages, request: ChatRequest, target: PlanTarget) -> Prepared | None:
    """Return *request* with the history *messages*, made legal for *target* by the rules of its mode.

    Returns None where mode ``observe`` cannot prepare the request. Raises :class:`InvalidRequest` for a request that
    the mode refuses.
    """
    mode = target.sanitize.mode
    try:
        prepared = prepare_request(messages, request, target.deployment, target.profile, target.unsupported)
    except Unrepairable as error:
        if mode == "observe":
            return None
        raise UnrepairableHistory(error.message, param=error.param, rule=error.rule) from None
    except InvalidRequest:
        if mode == "observe":
            return None
        raise
    outcome = prepared.outcome
    if mode == "strict" and outcome.found:
        raise _refusal("would have to be changed (mode 'strict')", outcome.found, outcome.changes)
    if mode == "strict" and outcome.changes:
        raise UnrepairableHistory(
            "The names of the request's tools would have to be changed (mode 'strict').",
            param="tools",
            changes=[change.as_dict() for change in outcome.changes[:_MAX_LISTED]],
        )
    if mode == "strict" and prepared.declared:
        raise refuse_tools(prepared.declared)
    if mode == "repair" and outcome.violations and target.sanitize.on_violation == "refuse":
        raise _refusal("could not be made legal", outcome.violations, outcome.changes)
    return prepared


def profile_for_request(profile: Profile, request: ChatRequest, deployment: Deployment) -> Profile:
    """Return the rules for the history of *request*.

    Requests with reasoning have some rules of their own. So have requests that ask *deployment* to go on with the last
    message, where the parameter for that reaches the server. Later system messages of a client of the Messages API are
    marked as reminders where they become the user's, as Anthropic's clients write them.
    """
    source = request.source
    if source is not None and source.format == ANTHROPIC_MESSAGES and not profile.system_anywhere:
        profile = _reminding(profile)
    if profile.continues_if_asked and _asks_to_continue(request, deployment):
        profile = profile.continuing()
    return profile if request.parameters.get("reasoning_effort") in (None, "none") else profile.thinking()


@lru_cache(maxsize=64)
def _reminding(profile: Profile) -> Profile:
    return replace(profile, system_reminders=True)


def _asks_to_continue(request: ChatRequest, deployment: Deployment) -> bool:
    """Tell whether the server is asked to go on with the last message (vLLM's ``continue_final_message``)."""
    asked = deployment.extra_body.get(_CONTINUE)
    if _CONTINUE in deployment.allowed_openai_params:
        asked = request.unknown.get(_CONTINUE, asked)
    return asked is True


def _found_before(found: Iterable[Violation], renames: Iterable[Change]) -> tuple[Violation, ...]:
    """Return the violations before the *renames*: those *found* afterwards, and the illegal tool names.

    Renaming keeps different names different, so it hides no other violation. So the history is not checked twice. A
    second check would read all its media again.
    """
    names = (
        Violation("tool_name_illegal", change.index) for change in renames if change.reason == "call_name"
    )
    return tuple(sorted({*found, *names}, key=lambda violation: (violation.index, violation.rule)))


def _refusal(why: str, violations: tuple[Violation, ...], changes: tuple[Change, ...]) -> UnrepairableHistory:
    """Return the 400 that lists the violations.

    The text lists the first twenty violations with their message index and rule. The provider's error is quoted for the
    first violation.
    """
    first = violations[0]
    listed = "; ".join(f"messages[{violation.index}]: {violation.rule}" for violation in violations[:20])
    return UnrepairableHistory(
        f"The history {why}. {listed}. The provider would say: {first.words}",
        param=f"messages[{first.index}]",
        rule=first.rule,
        violations=[violation.as_dict() for violation in violations[:_MAX_LISTED]],
        changes=[change.as_dict() for change in changes[:_MAX_LISTED]],
    )
