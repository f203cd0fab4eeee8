"""Chooses a provider's native event or its canonical chunk (OpenAI's form), for a client of the provider's format.

The native event also holds what a chat message has no field for. The canonical chunk is written where a repair changed
the chunk. Chunks without a source (a native event), such as those of OpenAI's own wire, skip :func:`find_native`. Its
callers check ``SOURCE in chunk`` first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import orjson

from proxy.answers.repaired import is_repaired
from proxy.core.json_text import write_json
from proxy.core.source import SOURCE, AnswerSource
from proxy.core.upstream_call import Answer, Chunk
from proxy.forwarding.answer_format import ClientFormat, StreamWriter
from sanitizers.record import record

_PLAIN = frozenset({"content", "extra_content", "role"})
"""Fields of a message of nothing but text. A signature is not compared."""


def find_native(format_name: str, projected: Chunk, normalized: Chunk | None) -> AnswerSource | None:
    """Return the native source of *projected* for writing, or None where *normalized* must be written.

    *format_name* is the name of the client's format. *projected* is the canonical chunk as read from the provider.
    *normalized* is the same chunk after the normalizer and the turn guard. *normalized* is None where the chunk is held
    back, or holds nothing for the client.
    """
    source = projected.get(SOURCE)  # a provider may send a field of this name
    if not isinstance(source, AnswerSource) or source.format != format_name:
        return None
    if normalized is not None and _is_same_text(projected.get("choices"), normalized["choices"]):
        return source  # as most events are
    return None if is_repaired(projected, normalized) else source


def _is_same_text(before: Any, after: list[dict[str, Any]]) -> bool:
    """Tell whether both are one choice with the same piece of text, and nothing else."""
    if len(after) != 1 or before.__class__ is not list or len(before) != 1:
        return False
    one, other = before[0], after[0]
    delta = other["delta"]
    return (
        len(delta) == 1
        and "content" in delta
        and one.get("delta") == delta
        and one.get("finish_reason") is None
        and other["finish_reason"] is None
        and one.get("index") == other["index"]
    )


@record
class HeldEvent:
    """A native event that is held back, and its canonical chunk, both as JSON."""

    event: bytes
    chunk: bytes


Held: TypeAlias = bytes | HeldEvent
"""A held chunk: its JSON, or its native event and its JSON."""


def hold_event(written: bytes, source: AnswerSource | None) -> Held:
    """Return the held form of a chunk whose JSON is *written*. *source* is the result of :func:`find_native`."""
    return written if source is None else HeldEvent(write_json(source.event), written)


def write_held(writer: StreamWriter, held: Iterable[Held]) -> bytes:
    """Return the events of chunks that were held back."""
    return b"".join(
        writer.write_native(orjson.loads(chunk.event), orjson.loads(chunk.chunk))
        if isinstance(chunk, HeldEvent)
        else writer.write_encoded(chunk)
        for chunk in held
    )


def keep_source(projected: Answer, answer: Answer) -> Answer:
    """Return the whole *answer* with the source of *projected*, or without a source after a repair.

    Called after each step that may change an answer with a source.
    """
    source = projected.get(SOURCE)
    if isinstance(source, AnswerSource) and (
        _says_same_text(projected, answer) or not is_repaired(projected, answer)
    ):
        return {**answer, SOURCE: source}
    return {name: value for name, value in answer.items() if name != SOURCE}


def _says_same_text(before: Answer, after: Answer) -> bool:
    """Tell whether both answers are one choice with the same text, and nothing else. Most answers without calls are."""
    choices, others = before.get("choices"), after["choices"]
    if choices.__class__ is not list or len(choices) != 1 or len(others) != 1:
        return False
    one, other = choices[0], others[0]
    message, said = one.get("message"), other["message"]
    return (
        message.__class__ is dict
        and message.keys() <= _PLAIN
        and said.keys() <= _PLAIN
        and message.get("content") == said["content"]
        and one.get("finish_reason") == other["finish_reason"]
        and (one.get("index") or 0) == other["index"]
    )


def write_answer(answer_format: ClientFormat[Any], answer: Answer) -> bytes:
    """Return the body of a whole answer in the client's format: the native answer where its source was kept."""
    if SOURCE not in answer:
        return answer_format.write_answer(answer)
    canonical = dict(answer)
    source: AnswerSource = canonical.pop(SOURCE)
    if source.format != answer_format.name:
        return answer_format.write_answer(canonical)
    return answer_format.write_native_answer(source.event, canonical)
