"""Split a turn of several calls into turns of one call, each followed by its own result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sanitizers.messages import Entry, is_blank, tool_calls_of


def one_call_each(turn: Entry, results: Sequence[Entry], *, nothing: str | None) -> Iterator[Entry]:
    """Yield a turn for each call of *turn*, each followed by the call's own results.

    The first turn keeps all other fields of *turn*. Results that belong to no call of *turn* come last. *nothing* is
    the content of the further turns where the first has a text.
    """
    by_id: dict[str | None, list[Entry]] = {}
    for result in results:
        by_id.setdefault(result.message.get("tool_call_id"), []).append(result)
    content = turn.message.get("content")
    further = {"role": "assistant", "content": content if is_blank(content) else nothing}
    for number, call in enumerate(tool_calls_of(turn.message)):
        yield Entry({**(further if number else turn.message), "tool_calls": [call]}, turn.origin)
        yield from by_id.pop(call.get("id"), ())
    for others in by_id.values():
        yield from others
