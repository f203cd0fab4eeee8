"""Tests of text completions in OpenAI's form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.answers.texts import Defaults, TextChunks, check_text, opens
from proxy.core.errors import AnswerUnusable

DEFAULTS = Defaults("cmpl-1", 5, "m")
HEAD = {"id": "cmpl-1", "object": "text_completion", "created": 5, "model": "m"}
LOGPROBS = {"tokens": ["a"]}


def choice(text: str = "a", finish: str | None = "stop", **fields: Any) -> dict[str, Any]:
    """Return a provider's choice."""
    return {"index": 0, "text": text, "finish_reason": finish, **fields}


def test_whole_completion_has_openais_fields_alone() -> None:
    """A completion has only OpenAI's fields, and missing values are filled in.

    Values of a wrong type are replaced or left out.
    """
    given = {"id": 1, "created": -1, "choices": [choice(stop_reason=7, logprobs=[])], "usage": {"cost": 1}}

    assert check_text(given, DEFAULTS, may_be_empty=False) == {**HEAD, "choices": [choice(logprobs=None)]}


def test_values_of_the_provider_are_kept() -> None:
    """The provider's values are kept, and the usage gets its total."""
    head = {**HEAD, "id": "own", "created": 9, "model": "x", "system_fingerprint": "fp"}
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    given = {**head, "choices": [choice(logprobs=LOGPROBS)], "usage": usage}

    assert check_text(given, DEFAULTS, may_be_empty=False) == {**given, "usage": {**usage, "total_tokens": 3}}


@pytest.mark.parametrize(
    ("choices", "may_be_empty", "is_usable"),
    [
        ([choice(" \n")], False, False),
        ([choice(" \n"), choice("a")], False, True),
        ([choice("", "length")], False, True),
        ([choice("")], True, True),
        ([], True, False),
    ],
)
def test_empty_completion_is_unusable(choices: list[Any], may_be_empty: bool, is_usable: bool) -> None:
    """An empty completion is unusable, unless it was cut off or may be empty."""
    if is_usable:
        check_text({"choices": choices}, DEFAULTS, may_be_empty=may_be_empty)
    else:
        with pytest.raises(AnswerUnusable):
            check_text({"choices": choices}, DEFAULTS, may_be_empty=may_be_empty)


def test_chunks_have_one_head_whole_characters_and_the_usage_at_the_end() -> None:
    """All chunks have the first chunk's id, surrogate pairs are joined, and the usage comes last."""
    chunks = TextChunks(DEFAULTS, include_usage=True)
    texts = [("a\ud83d", None), ("\ude00", None), ("\ud83d", "stop")]
    made = [
        chunks.normalize({"id": f"own-{at}", "choices": [choice(*text)]}) for at, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}

    assert chunks.normalize({"choices": [], "usage": usage}) is None
    assert [one and (one["id"], one["choices"][0]["text"]) for one in made] == [
        ("own-0", "a"),
        ("own-0", "😀"),
        ("own-0", "\ufffd"),
    ]
    assert chunks.finished
    assert chunks.last_chunk() == {**HEAD, "id": "own-0", "choices": [], "usage": usage}


@pytest.mark.parametrize(
    ("text", "finish", "may_be_empty", "expected"),
    [
        ("a", None, False, True),
        (" ", None, True, False),
        ("", "stop", False, False),
        ("", "stop", True, True),
    ],
)
def test_answer_opens_with_text_or_with_an_allowed_empty_end(
    text: str, finish: str | None, may_be_empty: bool, expected: bool
) -> None:
    """An answer begins with text that is not blank, or with an end where empty answers are allowed."""
    assert bool(opens({"choices": [choice(text, finish)]}, may_be_empty=may_be_empty)) is expected
