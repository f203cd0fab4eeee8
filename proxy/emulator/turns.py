"""Rules about the order of turns, and about the pairing of calls and responses.

Each rule takes the contents and the generation, and returns a refusal or ``None``. Calls are judged before responses,
as reports show. A history with a stray response *and* a later call is refused for the call (gemini-cli#26956). The same
history without the later call is refused for the response.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from proxy.emulator.contents import TOOL_ROLES, Content, has_data
from proxy.emulator.errors import INVALID_ARGUMENT, Refusal
from proxy.emulator.models import Generation, Mixing

Contents = Sequence[Content]

CALL_ORDER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function "
    "response turn."
)
RESPONSE_ORDER = "Please ensure that function response turn comes immediately after a function call turn."
RESPONSE_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of "
    "the function call turn."
)
MODEL_ENDING = "Requests ending with a model turn are not supported."
SINGLE_MODEL = "Please ensure that single turn requests end with a user role or the role field is empty."
USER_ENDING = "Please ensure that multiturn requests ends with a user role or a function response."
ALTERNATION = "Please ensure that multiturn requests alternate between user and model."
VALID_ROLES = "Please use a valid role: user, model."
ID_MISMATCH = "functionResponse.id does not match functionCall.id"


def roles(contents: Contents, generation: Generation) -> Refusal | None:
    """Refuse roles other than user and model, and calls or responses that have the wrong one of these roles.

    Up to 3.5-flash, ``tool`` and ``function`` are accepted for contents of responses. Source: openagent#1666,
    one-api#1385, CLIProxyAPI#17 (missing role), genkit#5780 (tool roles).
    """
    for content in contents:
        if content.role in TOOL_ROLES and content.responses and not content.calls:
            if not generation.tool_roles:
                return Refusal(f"Role '{content.role}' is not supported")
        elif content.role not in ("user", "model"):
            return Refusal(VALID_ROLES)
        if content.calls and content.role != "model":
            return Refusal(INVALID_ARGUMENT)
        if content.responses and content.role == "model":
            return Refusal(INVALID_ARGUMENT)
    return None


def ending(contents: Contents, generation: Generation) -> Refusal | None:
    """Refuse a request of one model content, and a model content at the end if prefill is not supported.

    Source: semantic-kernel#13262 (single), one-api#836 (1.0), LibreChat agents#323, opencode#47034, pipecat#5821,
    livekit/agents-js#2108 (3.5-flash-lite and 3.6 onwards).
    """
    last = contents[-1]
    if last.role != "model":
        return None
    if len(contents) == 1:
        return Refusal(SINGLE_MODEL)
    if not generation.prefill:
        return Refusal(MODEL_ENDING)
    return Refusal(USER_ENDING) if generation.user_ending else None


def mixing(contents: Contents, generation: Generation) -> Refusal | None:
    """Refuse text or media after a function response, on models whose responses must stand alone.

    Source: dive#287 and google/oss-rebuild#1559 (text *before* the response is accepted), kimi-code#3274, vellum#39495,
    agentgateway#2811.

    Up to 2.5 only media together with parallel responses are refused, because each medium counts as a response
    (gemini-cli#4217, ag-ui#1334). Gemini 3 accepts text and media next to responses.
    """
    for content in contents:
        if not content.is_mixed:
            continue
        if generation.mixing is Mixing.REFUSED and _data_follows_response(content):
            return Refusal(MODEL_ENDING)
        if generation.mixing is Mixing.COUNTED and len(content.responses) > 1 and _has_media(content):
            return Refusal(RESPONSE_COUNT)
    return None


def _data_follows_response(content: Content) -> bool:
    kinds = ["functionResponse" in part for part in content.parts if has_data(part)]
    return not all(kinds[kinds.index(True) :])


def _has_media(content: Content) -> bool:
    return any("inlineData" in part or "fileData" in part for part in content.parts)


def alternation(contents: Contents, generation: Generation) -> Refusal | None:
    """Refuse two plain contents of one role in a row, on the models that require alternation.

    Source: zuisong/gemini-openai-proxy#83 and PR #87 (accepted since about November 2024), google/adk-go#1302.
    """
    if not generation.alternation:
        return None
    for before, content in pairwise(contents):
        if before.is_plain and content.is_plain and before.role == content.role:
            return Refusal(ALTERNATION)
    return None


def call_order(contents: Contents, _: Generation) -> Refusal | None:
    """Refuse a call that does not come directly after a user turn or a response turn to earlier calls.

    Source: gemini-cli#11814 (starts with a call), #26956 (two response contents in a row), #26486;
    Antigravity-Manager#3396; continue#9575; livekit/agents#1796.
    """
    for content in contents:
        if not content.calls:
            continue
        before = contents[content.index - 1] if content.index else None
        if before is None or not before.is_user_side:
            return Refusal(CALL_ORDER)
        if before.responses and not (before.index and contents[before.index - 1].calls):
            return Refusal(CALL_ORDER)
    return None


def pairing(contents: Contents, _: Generation) -> Refusal | None:
    """Refuse responses without a call before them, calls without responses after them, and pairs that do not match.

    Source: langchain#27799 and langgraph#2276 (order); epam dial#214, gemini-cli#4217, semantic-kernel#10597 (number);
    9router#4273 (wrong name, shared ids); CLIProxyAPI#5199 (ids).
    """
    for content in contents:
        before = contents[content.index - 1] if content.index else None
        if content.responses and (before is None or not before.calls):
            return Refusal(RESPONSE_ORDER)
        if content.calls:
            after = contents[content.index + 1] if content.index + 1 < len(contents) else None
            refusal = _answered(content, after)
            if refusal is not None:
                return refusal
    return None


def _answered(calling: Content, answering: Content | None) -> Refusal | None:
    responses = answering.responses if answering is not None else ()
    if len(responses) != len(calling.calls):
        return Refusal(RESPONSE_COUNT)
    call_ids = [call.get("id") or None for call in calling.calls]
    response_ids = [response.get("id") or None for response in responses]
    given = [call_id for call_id in call_ids if call_id is not None]
    if len(given) != len(set(given)):
        return Refusal(INVALID_ARGUMENT)
    if all(call_ids) and all(response_ids):
        if sorted(map(str, call_ids)) != sorted(map(str, response_ids)):
            return Refusal(ID_MISMATCH)
        named = {call.get("id"): call.get("name") for call in calling.calls}
        matches = all(named[response.get("id")] == response.get("name") for response in responses)
        return None if matches else Refusal(INVALID_ARGUMENT)
    if call_ids != response_ids:
        return Refusal(ID_MISMATCH)
    pairs = zip(calling.calls, responses, strict=True)
    matches = all(call.get("name") == response.get("name") for call, response in pairs)
    return None if matches else Refusal(INVALID_ARGUMENT)


RULES = (roles, ending, mixing, alternation, call_order, pairing)
"""The rules in their order. The first refusal is the answer."""
