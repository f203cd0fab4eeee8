"""Judges and answers requests to OpenAI's text completions endpoint.

Sources of the texts: a model that only chats, go-openai#126; an argument that is not known, coroot#698.
"""

from collections.abc import Iterator
from typing import Any

from tests.support.emulated.answering import fragments
from tests.support.openai_emulator.answering import CREATED
from tests.support.openai_emulator.embeddings import list_inputs
from tests.support.openai_emulator.judging import Refusal

_KNOWN = """
    best_of echo frequency_penalty logit_bias logprobs max_tokens model n presence_penalty prompt seed stop stream
    stream_options suffix temperature top_p user
"""
KNOWN = frozenset(_KNOWN.split())


def judge_completion(body: Any) -> Refusal | None:
    """Return OpenAI's error for a text completion, or None if OpenAI accepts the request."""
    if not isinstance(body, dict) or not body.get("model"):
        return Refusal("you must provide a model parameter")
    for name in body:
        if name not in KNOWN:
            return Refusal(f"Unrecognized request argument supplied: {name}")
    if str(body["model"]).startswith(("gpt-4", "gpt-5")):
        words = (
            "This is a chat model and not supported in the v1/completions endpoint. "
            "Did you mean to use v1/chat/completions?"
        )
        return Refusal(words, "model", status=404)
    if body.get("stream_options") is not None and not body.get("stream"):
        words = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        return Refusal(words, "stream_options")
    if body.get("best_of", body.get("n", 1)) < body.get("n", 1):
        return Refusal(
            "You requested that the server return more choices than it will generate (HINT: best_of)"
        )
    return None


def completion(body: dict[str, Any], sequence: int, text: str) -> dict[str, Any]:
    """Return the answer to a request that does not stream. *text* continues each prompt."""
    texts = _texts(body, text)
    return {
        **_head(body, sequence),
        "choices": [_choice(body, said, at, "stop") for at, said in enumerate(texts)],
        "usage": _usage(body, texts),
    }


def chunks(body: dict[str, Any], sequence: int, text: str) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a stream, without the closing `[DONE]`."""
    head, texts = _head(body, sequence), _texts(body, text)
    with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
    if with_usage:
        head["usage"] = None
    for at, said in enumerate(texts):
        for piece in fragments(said):
            yield {**head, "choices": [_choice(body, piece, at, None)]}
    for at in range(len(texts)):
        yield {**head, "choices": [_choice({}, "", at, "stop")]}
    if with_usage:
        yield {**head, "choices": [], "usage": _usage(body, texts)}


def _texts(body: dict[str, Any], text: str) -> list[str]:
    """Return the texts of all choices. Each prompt has as many choices as the request's `n`."""
    texts = []
    for prompt in list_inputs(body["prompt"]):
        before = prompt if body.get("echo") and isinstance(prompt, str) else ""
        texts += [before + text + (body.get("suffix") or "")] * body.get("n", 1)
    return texts


def _choice(body: dict[str, Any], text: str, at: int, reason: str | None) -> dict[str, Any]:
    logprobs = None
    if body.get("logprobs") is not None:
        logprobs = {
            "tokens": [text],
            "token_logprobs": [-0.5],
            "top_logprobs": [{text: -0.5}],
            "text_offset": [0],
        }
    return {"text": text, "index": at, "logprobs": logprobs, "finish_reason": reason}


def _usage(body: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    prompt, reply = 1 + len(str(body["prompt"])) // 4, 1 + len("".join(texts)) // 4
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _head(body: dict[str, Any], sequence: int) -> dict[str, Any]:
    return {
        "id": f"cmpl-{sequence:06d}",
        "object": "text_completion",
        "created": CREATED + sequence,
        "model": body["model"],
        "system_fingerprint": "fp_emulated",
    }
