"""Judges an answer by the openai SDK's strict types, and a stream by its accumulator.

Strict clients refuse fields that the SDK's types do not know. Such a field is a violation, called clutter. A few fields
in common use are excepted (`_BESIDE`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pydantic
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall
from openai.types.chat.chat_completion_message import ChatCompletionMessage
from openai.types.chat.chat_completion_message_function_tool_call import ChatCompletionMessageFunctionToolCall

from tests.support.contract.said import Said

_BESIDE: dict[type[pydantic.BaseModel], frozenset[str]] = {
    # audio and annotations are OpenAI's own; the SDK's type of a delta lacks them
    ChoiceDelta: frozenset({"annotations", "audio", "extra_content", "reasoning_content"}),
    ChatCompletionMessage: frozenset({"extra_content", "reasoning_content"}),
    ChoiceDeltaToolCall: frozenset({"extra_content"}),
    ChatCompletionMessageFunctionToolCall: frozenset({"extra_content"}),
}


def validated(value: dict[str, Any], notes: list[str], *, whole: bool) -> bool:
    """Return whether *value* fits the SDK's type. Type errors and unknown fields go to *notes*."""
    kind: type[pydantic.BaseModel] = ChatCompletion if whole else ChatCompletionChunk
    try:
        model = kind.model_validate(value, strict=True)
    except pydantic.ValidationError as error:
        notes += [f"type: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return False
    notes += [f"clutter: {path}" for path in _unknown(model, "")]
    return True


def _unknown(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, pydantic.BaseModel):
        beside = _BESIDE.get(type(value), frozenset())
        for name in value.model_extra or ():
            if name not in beside:
                yield f"{path}.{name}"
        for name in type(value).model_fields:
            yield from _unknown(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list):
        for one in value:
            yield from _unknown(one, f"{path}[]")


def judge_accumulated(chunks: list[dict[str, Any]], said: Said, notes: list[str]) -> None:
    """Note where the SDK's accumulator fails, or reads another answer than *said*."""
    state: ChatCompletionStreamState[None] = ChatCompletionStreamState()
    try:
        for chunk in chunks:
            for _ in state.handle_chunk(ChatCompletionChunk.model_validate(chunk)):
                pass
        # The SDK raises for these two ends, which are ends all the same.
        ends = {choice.finish for choice in said.choices.values()}
        final: Any = state.current_completion_snapshot
        if ends.isdisjoint({"length", "content_filter", None}):
            final = state.get_final_completion()
    except Exception as error:  # noqa: BLE001 - whatever it raises, a user of the SDK would get
        notes.append(f"sdk: {type(error).__name__}: {error}")
        return
    for choice in final.choices:
        ours, message = said.choices[choice.index], choice.message
        theirs = (message.content or "", choice.finish_reason, _calls(message))
        if theirs != (ours.text, ours.finish, [(call.id, call.name, call.arguments) for call in ours.calls]):
            notes.append(f"sdk: choice {choice.index} is read as {theirs}")


def _calls(message: Any) -> list[tuple[str, str, str]]:
    return [
        (call.id or "", call.function.name or "", call.function.arguments or "")
        for call in message.tool_calls or ()
    ]
