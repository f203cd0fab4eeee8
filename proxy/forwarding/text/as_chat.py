"""Sends a text completion as a chat, for models that only chat: the prompt is the user's message.

The answer's text is the completion. litellm translates text completions the same way. A parameter that chats do not
have is refused if it asks for a different text. Otherwise the parameter is dropped, and the metrics count it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import separate_inputs
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from sanitizers import Messages

_TEXT_ONLY = frozenset({"best_of", "echo", "logprobs", "prompt", "suffix"})
"""Parameters that chats do not have. In a chat ``logprobs`` is true or false. In a text completion it is a count."""

_NEVER_DROPPED = ("echo", "suffix")
"""Parameters that ask for a different text, and so cannot be left out."""

_REASONS = {"tool_calls": "stop", "function_call": "stop"}


def chat_parameters(parameters: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the *parameters* of a text completion that chats have too, and the names of the dropped parameters.

    Raises :class:`InvalidRequest`, with the name in ``param``, for a parameter that cannot be dropped.
    """
    for name in _NEVER_DROPPED:
        if parameters.get(name):
            raise InvalidRequest(f"'{name}' cannot be sent to this model: it only chats.", param=name)
    kept = {name: value for name, value in parameters.items() if name not in _TEXT_ONLY}
    dropped = tuple(sorted(parameters.keys() & _TEXT_ONLY - {"prompt"}))
    return MappingProxyType(kept), dropped


def prompt_as_messages(prompt: Any) -> Messages:
    """Return the history for *prompt*. Raises :class:`InvalidRequest` for several prompts, and for token ids."""
    inputs = separate_inputs(prompt)
    if len(inputs) > 1:
        raise InvalidRequest("This model only chats, and takes one prompt at a time.", param="prompt")
    if not isinstance(inputs[0], str):
        raise InvalidRequest(
            "This model only chats, and takes texts and no tokens: 'prompt' must be a string.", param="prompt"
        )
    return [{"role": "user", "content": inputs[0]}]


def as_chat(call: TextCall) -> UpstreamCall:
    """Return the chat call for *call*.

    Apart from ``prompt``, the parameters of *call* must already be chat parameters.
    """
    parameters = {name: value for name, value in call.parameters.items() if name != "prompt"}
    return UpstreamCall(
        deployment=call.deployment,
        messages=prompt_as_messages(call.parameters["prompt"]),
        parameters=parameters,
        timeouts=call.timeouts,
        ask_usage=call.ask_usage,
        extra_body=call.extra_body,
        reports=call.reports,
    )


def text_of_answer(answer: Answer) -> Answer:
    """Return the text completion made of a chat completion."""
    choices = answer.get("choices") or []
    return {**answer, "choices": [_text(at, choice, "message") for at, choice in enumerate(choices)]}


def text_of_chunk(chunk: Chunk) -> Chunk:
    """Return the chunk of a text completion made of a chat's chunk."""
    choices = chunk.get("choices") or []
    return {**chunk, "choices": [_text(at, choice, "delta") for at, choice in enumerate(choices)]}


def _text(at: int, choice: Mapping[str, Any], said: str) -> dict[str, Any]:
    reason, index = choice.get("finish_reason"), choice.get("index")
    text = (choice.get(said) or {}).get("content")
    return {
        "index": at if index is None else index,
        "text": text if isinstance(text, str) else "",
        "finish_reason": _REASONS.get(reason, reason) if reason else "stop" if said == "message" else None,
    }
