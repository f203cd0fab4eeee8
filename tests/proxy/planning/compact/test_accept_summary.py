"""Tests of the checks of a summarizing model's answer: its end, its form, its length, and what is taken out of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.compact.accept_summary import (
    MOST_BYTES,
    Accepted,
    Reason,
    Rejected,
    SummaryLimits,
    accept_summary,
)
from proxy.planning.compact.summary_call import HEADINGS
from sanitizers import Message

GOOD = "## Language\nEnglish\n## Goal\nMend the tests of a.py.\n## Next step\nRun pytest."


def by_words(message: Message) -> int:
    """Count a message as its words, and four more."""
    return 4 + len(message["content"].split())


LIMITS = SummaryLimits(750, 10_000, by_words)


def answer_of(content: Any, reason: Any = "stop", **fields: Any) -> dict[str, Any]:
    """Return a whole answer with one choice."""
    message = {"role": "assistant", "content": content, **fields}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }


def text_of(content: str, limits: SummaryLimits = LIMITS, fence: str = "") -> str:
    """Return the accepted text of an answer."""
    accepted = accept_summary(answer_of(content), limits, fence=fence)
    assert isinstance(accepted, Accepted), accepted
    assert accepted.tokens == limits.size({"role": "user", "content": accepted.text})
    return accepted.text


def test_a_summary_under_the_headings_is_accepted_as_it_is() -> None:
    assert accept_summary(answer_of(GOOD), LIMITS) == Accepted(GOOD, 4 + len(GOOD.split()))


def test_the_texts_of_an_answer_in_parts_are_joined() -> None:
    parts = [
        {"type": "thinking", "thinking": "## Done", "text": "## Done"},
        {"type": "text", "text": GOOD[:20]},
        {"type": "text", "text": GOOD[20:]},
        {"type": "text", "text": None},
    ]

    assert accept_summary(answer_of(parts), LIMITS) == Accepted(GOOD, 4 + len(GOOD.split()))


CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
REJECTED: dict[str, tuple[dict[str, Any], Reason]] = {
    "no choice": ({"choices": []}, "empty"),
    "an error": ({"error": {"message": "overloaded"}}, "empty"),
    "no text": (answer_of(None), "empty"),
    "a blank text": (answer_of(" \n\t"), "empty"),
    "thinking alone": (answer_of("<think>## Goal\n## Done\n"), "empty"),
    "an empty code fence": (answer_of("```\n```"), "empty"),
    "the limit": (answer_of(GOOD, "length"), "cut_off"),
    "the filter": (answer_of(GOOD, "content_filter"), "filtered"),
    "no reason": (answer_of(GOOD, None), "not_finished"),
    "another reason": (answer_of(GOOD, "error"), "not_finished"),
    "a call": (answer_of(GOOD, "tool_calls", tool_calls=[CALL]), "has_call"),
    "a call that stopped": (answer_of(GOOD, tool_calls=[CALL]), "has_call"),
    "a cut call": (answer_of(None, "length", tool_calls=[CALL]), "has_call"),
    "a legacy call": (answer_of(GOOD, function_call={"name": "f"}), "has_call"),
    "a field of refusal": (answer_of(GOOD, refusal="No."), "refused"),
    "a text of refusal": (answer_of("I'm sorry, I can't help with that."), "no_headings"),
    "an answer to the user": (answer_of("Done: I have deleted the file, as you asked."), "no_headings"),
    "one heading twice": (answer_of("## Goal\nx\n## Goal\ny"), "no_headings"),
    "headings within lines": (answer_of("The Goal: x. Open the Files now.\nDone well."), "no_headings"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_an_answer_that_is_no_summary_is_rejected(case: str) -> None:
    answer, reason = REJECTED[case]

    assert accept_summary(answer, LIMITS) == Rejected(reason)


def uncounted(_: Message) -> int:
    """Fail the test, since nothing is to be counted."""
    raise AssertionError("counted")


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\U0001f600"])
def test_an_answer_above_64_kib_is_rejected_without_being_counted(letter: str) -> None:
    room = (MOST_BYTES - len(GOOD)) // len(letter.encode())

    largest = answer_of(GOOD + letter * room)
    assert isinstance(accept_summary(largest, LIMITS), Accepted)
    too_large = answer_of(GOOD + letter * (room + 1))
    assert accept_summary(too_large, SummaryLimits(750, 10_000, uncounted)) == Rejected("too_large")


def test_a_summary_has_less_than_half_of_the_tokens_of_its_segment() -> None:
    tokens = by_words({"role": "user", "content": GOOD})

    assert accept_summary(answer_of(GOOD), SummaryLimits(750, 2 * tokens, by_words)) == Rejected(
        "not_smaller"
    )
    assert accept_summary(answer_of(GOOD), SummaryLimits(750, 2 * tokens + 1, by_words)) == Accepted(
        GOOD, tokens
    )


def section(heading: str, words: int) -> str:
    """Return a heading with lines of ten words."""
    return f"## {heading}\n" + "".join(f"{'word ' * 9}end{at}.\n" for at in range(words // 10))


def test_a_long_summary_is_cut_at_its_last_heading_that_fits() -> None:
    parts = [section("Goal", 300), section("Done", 300), section("Files", 300)]

    assert text_of("".join(parts)) == "".join(parts[:2]).rstrip()


def test_a_summary_that_fits_exactly_is_not_cut() -> None:
    text = section("Goal", 300) + section("Done", 300)
    tokens = by_words({"role": "user", "content": text})

    assert text_of(text, SummaryLimits(tokens, 10_000, by_words)) == text.rstrip()
    assert text_of(text, SummaryLimits(tokens - 1, 10_000, by_words)) == section("Goal", 300).rstrip()


def test_a_summary_with_one_long_section_is_cut_at_a_line() -> None:
    text = text_of(section("Goal", 20) + section("Done", 2_000))

    assert text.endswith(".")
    assert by_words({"role": "user", "content": text}) in range(740, 751)


def test_a_summary_with_one_long_line_is_cut_within_it() -> None:
    text = text_of("## Goal: " + "word " * 2_000 + "\n## Done: all")

    assert by_words({"role": "user", "content": text}) == 750


def test_a_limit_below_any_text_rejects_the_summary() -> None:
    assert accept_summary(answer_of(GOOD), SummaryLimits(4, 10_000, by_words)) == Rejected("not_smaller")


WRAPPED: dict[str, str] = {
    "code fence": f"```markdown\n{GOOD}\n```",
    "code fence of tildes": f"~~~\n{GOOD}\n~~~",
    "longer code fence": f"````md\n{GOOD}\n````\n",
    "thinking": f"<think>\n## Goal\nHm. ## Done\n</think>\n\n{GOOD}",
    "thinking twice": f"<thinking>a</thinking>\n <think>b</think>{GOOD}",
    "end of thinking": f"The user wants a summary.\n</think>\n{GOOD}",
    "thinking and code fence": f"<think>a</think>\n```\n{GOOD}\n```",
    "introduction": f"Here is the record:\n\n{GOOD}",
    "title": f"# Summary\n\n{GOOD}",
    "white space": f"\n\n  {GOOD}\n\n",
}


@pytest.mark.parametrize("case", WRAPPED)
def test_what_models_write_around_a_summary_is_taken_off(case: str) -> None:
    assert text_of(WRAPPED[case]) == GOOD


def test_a_code_fence_within_a_summary_stays() -> None:
    text = f"{GOOD}\n```\npytest -q\n```"

    assert text_of(text) == text


def test_the_end_of_thinking_that_a_summary_quotes_stays() -> None:
    text = f"{GOOD}\n## Open\nThe model writes </think> twice."

    assert text_of(text) == text


HEADING_FORMS = (
    "# {}",
    "### {}:",
    "**{}**",
    "**{}:** x",
    "__{}__",
    "{}:",
    "{}: text",
    "1. {}",
    "2) **{}**",
    "{}\r",
)


@pytest.mark.parametrize("form", HEADING_FORMS)
def test_a_heading_is_recognized_as_models_write_headings(form: str) -> None:
    text = "\n".join(f"{form.format(heading)}\nnone" for heading in HEADINGS)

    assert text_of(text) == text
    assert text_of(text.upper()) == text.upper()


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("</conversation_memory>", "&lt;/conversation_memory>"),
        ("<conversation_memory>", "&lt;conversation_memory>"),
        ("< / Conversation_Memory >", "&lt; / Conversation_Memory >"),
        ("the file conversation_memory.py", "the file conversation_memory.py"),
        ("a fence-77 b", "a [mark] b"),
    ],
)
def test_the_frame_and_the_fence_are_defused(given_text: str, expected: str) -> None:
    assert text_of(f"{GOOD}\n{given_text}", fence="fence-77") == f"{GOOD}\n{expected}"


def test_a_lone_half_of_a_character_is_replaced() -> None:
    assert text_of(f"{GOOD}\n\ud83d") == f"{GOOD}\n\ufffd"


pieces = st.lists(
    st.sampled_from(
        [
            *(f"## {heading}\n" for heading in HEADINGS),
            "<think>",
            "</think>",
            "```\n",
            "word ",
            "\n",
            "\ud83d",
        ]
    )
    | st.text(max_size=20),
    max_size=40,
).map("".join)


@given(text=pieces, most=st.integers(0, 60), segment=st.integers(0, 200))
def test_every_accepted_text_is_within_both_limits(text: str, most: int, segment: int) -> None:
    result = accept_summary(answer_of(text), SummaryLimits(most, segment, by_words))

    if isinstance(result, Accepted):
        assert result.tokens == by_words({"role": "user", "content": result.text})
        assert result.tokens <= most
        assert 2 * result.tokens < segment
        assert result.text.encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.just(GOOD),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "message", "content", "finish_reason", "tool_calls"]),
            inner,
            max_size=4,
        )
    ),
)


@given(content=json_values, reason=json_values, calls=json_values, choices=json_values)
def test_no_json_value_makes_it_raise(content: Any, reason: Any, calls: Any, choices: Any) -> None:
    for answer in (
        answer_of(content, reason, tool_calls=calls),
        {"choices": choices},
        {"choices": [choices]},
    ):
        assert isinstance(accept_summary(answer, LIMITS), Accepted | Rejected)
