"""Tests that a surrogate pair that is split between two chunks of a stream is joined."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from tests.support.scripted_upstream import chunk

SMILE = "\U0001f600"
HIGH, LOW = "\ud83d", "\ude00"
NONE = "\ufffd"


def told(*chunks: Any) -> list[Any]:
    """Return the choices that a client gets from *chunks*. Every choice must be free of single surrogates."""
    normalizer = ChunkNormalizer(fallback_id="f", created=1, model="m", include_usage=False)
    found = [
        choice for given in chunks for choice in (normalizer.normalize(given) or {"choices": []})["choices"]
    ]
    assert ascii(found).count("\\ud") == 0
    return found


def text_of(choices: list[Any], name: str = "content", index: int = 0) -> str:
    """Return one text of a choice, joined from the deltas in *choices*."""
    return "".join(choice["delta"].get(name) or "" for choice in choices if choice["index"] == index)


def arguments_of(choices: list[Any], place: int) -> str:
    """Return the arguments of the call with the index *place*, joined from *choices*."""
    calls = [call for choice in choices for call in choice["delta"].get("tool_calls", ())]
    return "".join(call.get("function", {}).get("arguments", "") for call in calls if call["index"] == place)


@pytest.mark.parametrize("name", ["content", "reasoning_content", "refusal"])
@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (["a" + HIGH, LOW + "b"], f"a{SMILE}b"),
        ([HIGH, "", LOW], SMILE),
        ([HIGH, "b"], NONE + "b"),
        ([LOW, "é"], NONE + "é"),
        ([HIGH, HIGH, LOW, LOW], NONE + SMILE + NONE),
        (["a" + HIGH], "a" + NONE),
        ([SMILE, SMILE + HIGH + "é"], SMILE + SMILE + NONE + "é"),
    ],
)
def test_adjacent_surrogates_are_joined(name: str, pieces: list[str], wanted: str) -> None:
    """A high surrogate is joined with the low surrogate that comes next. A single surrogate becomes U+FFFD."""
    events = [chunk({name: piece}) for piece in pieces]

    assert text_of(told(*events, chunk(finish="stop")), name) == wanted


def test_surrogates_of_different_texts_are_not_joined() -> None:
    """Each text of each choice waits for its own low surrogate."""
    found = told(
        chunk({"content": HIGH, "reasoning_content": "r" + HIGH}),
        chunk({"content": HIGH}, index=1),
        chunk({"reasoning_content": LOW}),
        chunk(finish="stop"),
        chunk({"content": LOW}, index=1, finish="stop"),
    )

    assert (text_of(found), text_of(found, "reasoning_content"), text_of(found, index=1)) == (
        NONE,
        f"r{SMILE}",
        SMILE,
    )


def test_surrogates_in_arguments_are_joined() -> None:
    """The arguments of each call wait for their own low surrogate."""
    events = [(0, '{"a":"' + HIGH), (1, '{"b":"' + HIGH), (0, LOW + '"}'), (1, '"')]
    pieces: list[dict[str, Any]] = [
        {"index": at, "id": f"c{at}", "function": {"name": "f", "arguments": text}} for at, text in events
    ]
    pieces.append({"index": 1, "function": {"arguments": HIGH}})
    found = told(*(chunk({"tool_calls": [piece]}) for piece in pieces), chunk(finish="tool_calls"))

    assert [arguments_of(found, place) for place in (0, 1)] == [f'{{"a":"{SMILE}"}}', f'{{"b":"{NONE}"{NONE}']


@given(pieces=st.lists(st.text(st.sampled_from(["a", "é", SMILE, HIGH, LOW]), max_size=4), max_size=6))
def test_any_split_gives_the_provider_s_text(pieces: list[str]) -> None:
    """For any split, the client's joined text is the provider's text, with U+FFFD for single surrogates."""
    whole = "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    assert text_of(told(*(chunk({"content": piece}) for piece in pieces), chunk(finish="stop"))) == whole
