"""Writes a whole answer as a ``GenerateContentResponse``, with a candidate for each choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.core.upstream_call import Answer
from proxy.ingress.gemini_native.answer_context import AnswerContext
from proxy.ingress.gemini_native.finish_reasons import FILTERED, FINISH_REASONS
from proxy.ingress.gemini_native.logprobs import write_logprobs
from proxy.ingress.gemini_native.usage import write_usage
from proxy.ingress.gemini_native.write_parts import Part, signature_of, write_calls, write_thought


def make_answer(context: AnswerContext, answer: Answer) -> dict[str, Any]:
    """Return *answer*, a canonical chat completion, in Gemini's form.

    A content filter that let nothing through has blocked the prompt: there is no candidate then.
    """
    candidates = [_write_candidate(context, choice) for choice in answer["choices"]]
    said = sum(len(choice["message"].get("content") or "") for choice in answer["choices"])
    made: dict[str, Any] = {"candidates": candidates}
    if len(candidates) == 1 and candidates[0]["finishReason"] == FILTERED and "content" not in candidates[0]:
        made = {"promptFeedback": {"blockReason": FILTERED}}
    return {
        **made,
        "usageMetadata": write_usage(answer.get("usage"), context.numbers().requested, said),
        "modelVersion": answer["model"],
        "responseId": answer["id"],
    }


def write_content(parts: list[Part]) -> dict[str, Any]:
    """Return the content of a candidate with *parts*."""
    return {"parts": parts, "role": "model"}


def _write_candidate(context: AnswerContext, choice: Mapping[str, Any]) -> dict[str, Any]:
    message, reason = choice["message"], choice["finish_reason"]
    parts = _write_parts(context, message, choice["index"], is_cut=reason in CUT_OFF)
    finish = FINISH_REASONS[reason]
    if not parts and finish == "STOP":
        parts = [{"text": " "}]  # gemini-cli asks four times for an answer without parts
    candidate: dict[str, Any] = {} if not parts else {"content": write_content(parts)}
    candidate |= {"finishReason": finish, "index": choice["index"]}
    if (logprobs := choice.get("logprobs")) and (written := write_logprobs(logprobs)):
        candidate["logprobsResult"] = written
    return candidate


def _write_parts(
    context: AnswerContext, message: Mapping[str, Any], index: int, *, is_cut: bool
) -> list[Part]:
    parts: list[Part] = []
    if context.shows_thoughts and (thoughts := message.get("reasoning_content")):
        parts.append(write_thought(thoughts))
    text = (message.get("content") or "") + (message.get("refusal") or "")
    signature = signature_of(message)
    if text or signature is not None:
        parts.append({"text": text} if signature is None else {"text": text, "thoughtSignature": signature})
    calls = message.get("tool_calls") or ()
    if legacy := message.get("function_call"):
        function = {name: legacy.get(name) or "" for name in ("name", "arguments")}
        calls = [*calls, {"id": context.legacy_call_id(index), "function": function}]
    if calls:
        parts += write_calls(context, calls, message.get("thinking_blocks") or (), is_cut=is_cut)
    return parts
