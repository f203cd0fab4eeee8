"""Brings whole answers into one canonical form.

A run with 13 real clients showed the faults that break them. These are a first delta without a role, tool calls
without an index, a missing id, object or model, and no finish reason. Vendors' extra fields (``vertex_ai_*``, a cost
that litellm adds to ``usage``) are removed, since strict clients refuse unknown fields. The form is the same for every
provider, streamed or not. ``docs/canonical-chat.md`` describes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proxy.answers.answer_thoughts import read_thoughts, shown_thoughts
from proxy.answers.assemble_calls import CallAssembler
from proxy.answers.find_empty import CUT_OFF
from proxy.answers.restore_tool_names import UNCHANGED, ToolNameMap
from proxy.answers.usage import normalize_logprobs, normalize_usage
from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.upstream_call import Answer
from proxy.planning.signatures.client_ids import CallIds
from proxy.state.kept_signatures import Signed
from proxy.state.kept_thoughts import Thoughts
from proxy.upstream.signature_carriers import (
    SIGNATURE_FIELD,
    encrypted_details,
    is_signature,
    text_signatures,
    with_signature,
)
from sanitizers import Change

MESSAGE_FIELDS = frozenset(
    {"annotations", "audio", "content", "function_call", "reasoning_content", "refusal", "role", "tool_calls"}
)
TEXTS = ("content", "reasoning_content", "refusal")
_SERVICE_TIERS = ("auto", "default", "flex", "priority", "scale")


@dataclass(slots=True)
class AnswerFindings:
    """Facts about an answer that the client does not get."""

    signed: list[Signed] = field(default_factory=list)
    """The signed calls and texts."""

    thoughts: list[Thoughts] = field(default_factory=list)
    """The thoughts with their places."""

    changes: list[Change] = field(default_factory=list)
    """Repairs of the model's answer, without the changes that bring it into OpenAI's form."""

    def add(self, index: int, assembler: CallAssembler) -> None:
        """Add the facts about the calls of the choice *index*, which has ended."""
        self.signed += assembler.signed(ended=True)
        self.changes += [
            Change("answer_repair", "replaced", index, "tool_arguments", call_id)
            for call_id in assembler.rewritten()
        ]


class Normalized(NamedTuple):
    """A whole answer in canonical form."""

    answer: Answer
    findings: AnswerFindings


def normalize_answer(
    answer: Answer,
    *,
    fallback_id: str,
    created: int,
    model: str,
    ids: CallIds | None = None,
    names: ToolNameMap = UNCHANGED,
    with_places: bool = False,
) -> Normalized:
    """Return *answer* as a ``chat.completion``, with the facts that the client does not get.

    *fallback_id*, *created* (unix seconds) and *model* replace values that are missing or of another type. *ids* gives
    the calls their ids. *names* gives them the client's names of their tools. *with_places* keeps the places of texts
    and calls between thoughts. A dataclass in place of the seven parameters would cost one more call for each request.
    """
    given_id, time, given_model = answer.get("id"), answer.get("created"), answer.get("model")
    findings = AnswerFindings()
    ids = ids or CallIds(fallback_id)
    normalized: Answer = {
        "id": given_id if given_id and given_id.__class__ is str else fallback_id,
        "object": "chat.completion",
        "created": time if type(time) is int and 0 < time < 2**53 else created,
        "model": given_model if given_model and given_model.__class__ is str else model,
        "choices": [
            _normalize_choice(choice, at, ids, names, findings, with_places)
            for at, choice in enumerate(answer.get("choices") or [])
        ],
    }
    fingerprint, tier = answer.get("system_fingerprint"), answer.get("service_tier")
    if fingerprint and isinstance(fingerprint, str):
        normalized["system_fingerprint"] = fingerprint
    if tier in _SERVICE_TIERS:
        normalized["service_tier"] = tier
    usage = answer.get("usage")
    if usage.__class__ is dict and (counts := normalize_usage(usage)):
        normalized["usage"] = counts
    return Normalized(normalized, findings)


def _normalize_choice(
    choice: dict[str, Any],
    at: int,
    ids: CallIds,
    names: ToolNameMap,
    findings: AnswerFindings,
    with_places: bool,
) -> dict[str, Any]:
    """Return a choice in canonical form.

    A choice without a finish reason gets ``stop``, since litellm loses the reason for some providers. On the direct
    transport such an answer was already refused (:mod:`proxy.upstream.wires`).
    """
    given = choice.get("message") or {}
    if given.keys() <= MESSAGE_FIELDS:
        message, signature = dict(given), None
    else:
        message = {name: v for name, v in given.items() if name in MESSAGE_FIELDS}
        signature = text_signature(given)
    message["role"] = "assistant"
    message.setdefault("content", None)
    index = choice.get("index")
    index = at if index is None else index
    reason = choice.get("finish_reason") or "stop"
    calls = message.pop("tool_calls", None)
    assembler: CallAssembler | None = None
    if calls:
        assembler = CallAssembler(ids, index, names)
        for call in calls:
            assembler.read_whole(call)
        assembler.close(cut_off=reason in CUT_OFF)
        assembler.sign(encrypted_details(given))
        if signature is not None:
            assembler.sign_first(signature)
            signature = None
        message["tool_calls"] = assembler.whole_calls()
        findings.add(index, assembler)
        for name in TEXTS:
            if message.get(name) == "":
                message[name] = None
        message = {name: v for name, v in message.items() if v is not None or name == "content"}
    elif signature is not None:
        message = with_signature(message, signature, (SIGNATURE_FIELD,))
        findings.signed.append(Signed("", "", "", signature))
    if (
        THINKING_LAYOUT in given
        and (thoughts := read_thoughts(given[THINKING_LAYOUT], assembler)) is not None
    ):
        findings.thoughts.append(thoughts)
        if shown := shown_thoughts(thoughts, with_places):
            message["thinking_blocks"] = shown
    if names is not UNCHANGED and (legacy := message.get("function_call")) and legacy.get("name"):
        message["function_call"] = {**legacy, "name": names.restore(legacy["name"])}
    normalized = {
        "index": index,
        "message": message,
        "finish_reason": finish_reason_of(reason, bool(calls), bool(message.get("function_call"))),
    }
    logprobs = choice.get("logprobs")
    if logprobs is not None and (logprobs := normalize_logprobs(logprobs)) is not None:
        normalized["logprobs"] = logprobs
    return normalized


def finish_reason_of(reason: str, called: bool, legacy: bool) -> str:
    """Return the finish reason that agrees with the calls. Gemini also sends STOP for an answer with calls.

    With ``tool_calls`` as the reason and no calls, an agent would wait for calls that never come.
    """
    if called:
        return "tool_calls" if reason in ("stop", "function_call") else reason
    if reason == "tool_calls" or (reason == "function_call" and not legacy):
        return "function_call" if legacy else "stop"
    return reason


def text_signature(said: dict[str, Any]) -> str | None:
    """Return the thought signature that a message or a delta has outside its calls, or None."""
    return next((text for text in text_signatures(said) if is_signature(text)), None)
