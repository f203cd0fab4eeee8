"""Tests that a capped content is within its limits, keeps its head and tail, and states the omission."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sanitizers.budget import Cap, cap_text
from sanitizers.budget.cap_text import cap_content, length_of
from sanitizers.budget.markers import MARKER_ROOM
from tests.sanitizers.budget.read_lengths import note_lengths
from tests.support.builders import image, text

SEEDS = Cap(6_000, bytes=10_240, lines=256)
MARKER = re.compile(
    r"\n\[… (\d+) of (\d+) characters \(~(\d+) of (\d+) lines\) omitted by the gateway; .* …\]\n"
)

ALPHABET = st.sampled_from(
    ["a", "bc ", "\n", "\r\n", "漢", "🙂", "e\u0301", "👩\u200d👧", "🇩🇪", "\ud83d\ude00", "\udc00", "\r"]
)
texts = st.one_of(
    st.lists(ALPHABET, max_size=1_500).map("".join),
    st.builds(
        lambda piece, n: piece * n,
        st.lists(ALPHABET, min_size=1, max_size=20).map("".join),
        st.integers(1, 900),
    ),
    st.builds(lambda line, n: "\n".join([line] * n), st.text(max_size=90), st.integers(1, 600)),
)
limits = st.integers(400, 3_000)
caps = st.builds(Cap, limits, st.none() | limits, st.none() | st.integers(4, 60))


def lines_of(value: str) -> int:
    """Count the lines of a text. A line break at the end begins no new line."""
    return len(value.removesuffix("\n").split("\n")) if value else 0


def within(value: str, cap: Cap) -> bool:
    """Tell whether a text is within all three limits."""
    return (
        len(value) <= cap.characters
        and (cap.bytes is None or len(value.encode("utf-8", "surrogatepass")) <= cap.bytes)
        and (cap.lines is None or lines_of(value) <= cap.lines)
    )


def pieces(value: str) -> tuple[str, str, tuple[int, ...]]:
    """Return the head and the tail of a capped text, and the marker's four numbers. There is exactly one marker."""
    (found,) = MARKER.finditer(value)
    return value[: found.start()], value[found.end() :], tuple(int(number) for number in found.groups())


@given(texts, caps)
@example("x" * 6_000, SEEDS)
@example("x" * 6_001, SEEDS)
@example("漢" * 3_413, SEEDS)
@example("漢" * 3_414, SEEDS)
@example("\n".join("ab" * 128), SEEDS)
@example("a\n" * 257, SEEDS)
def test_result_is_within_every_limit_and_is_not_cut_again(value: str, cap: Cap) -> None:
    """The limits include the marker. A text within all three limits comes back as the same object."""
    capped = cap_content(value, cap)

    assert within(capped, cap)
    assert (capped is value) == within(value, cap)
    assert cap_content(capped, cap) is capped


@given(texts, caps)
def test_marker_counts_what_is_missing(value: str, cap: Cap) -> None:
    """Head and tail come from the text and do not overlap.

    The marker's number of omitted characters and its totals are exact.
    """
    capped = cap_content(value, cap)
    if capped is value or MARKER.search(value):
        return
    head, tail, (omitted, characters, omitted_lines, lines) = pieces(capped)

    assert value.startswith(head)
    assert value.endswith(tail)
    assert characters == len(value)
    assert omitted == len(value) - len(head) - len(tail) > 0
    assert lines == lines_of(value)
    assert 0 <= omitted_lines <= lines


@given(texts, caps)
def test_no_cut_separates_what_is_one_character(value: str, cap: Cap) -> None:
    """Surrogate pairs, accented letters, joined emoji, flags and line breaks stay whole."""
    capped = cap_content(value, cap)
    if capped is value or MARKER.search(value):
        return
    head, tail, _ = pieces(capped)
    before, after = (
        value[len(head) - 1 : len(head) + 1],
        value[len(value) - len(tail) - 1 : len(value) - len(tail) + 1],
    )

    for joint in (before, after):
        if len(joint) == 2:
            assert joint != "\r\n" or head == ""
            assert not ("\ud800" <= joint[0] <= "\udbff" and "\udc00" <= joint[1] <= "\udfff")
            assert joint[1] not in "\u0301\u200d"
            assert joint[0] != "\u200d"
            assert not all("🇦" <= letter <= "🇿" for letter in joint) or value.count("🇩") > 60


@given(texts, caps, limits)
def test_a_smaller_cap_counts_from_the_original(value: str, cap: Cap, smaller: int) -> None:
    """A content that is capped twice has one marker, with the total of the original."""
    once = cap_content(value, cap)
    if once is value or MARKER.search(value) or smaller > cap.characters * 0.7:
        return
    twice = cap_content(once, Cap(smaller))
    if twice is once:
        return
    head, tail, (omitted, characters, _, lines) = pieces(twice)

    assert (omitted, characters, lines) == (len(value) - len(head) - len(tail), len(value), lines_of(value))


def test_a_new_marker_takes_over_the_numbers_of_the_earlier_one() -> None:
    """The new marker has the original's numbers, unless other text was added to the capped text."""
    value = "x" * 50_000
    once = cap_content(value, Cap(6_000))

    _, _, numbers = pieces(cap_content(once, Cap(1_000)))
    assert numbers == (49_200, 50_000, 0, 1)
    kept = cap_content(value, Cap(6_000))
    other = kept + "y" * (MARKER_ROOM * 20)
    assert "of 50000 characters" not in cap_content(other, Cap(1_000))
    wide = cap_content(once, Cap(5_500), is_error=True)
    _, _, (omitted, characters, _, _) = pieces(wide)
    assert (omitted, characters) == (50_000 - wide.count("x"), 50_000)


def test_a_quoted_marker_is_text() -> None:
    """A marker whose numbers do not fit the text around it is cut like other text."""
    quoted = "\n[… 5 of 10 characters (~1 of 2 lines) omitted by the gateway; head and tail kept. …]\n"
    value = "x" * 5_000 + quoted + "y" * 5_000

    _, _, (omitted, characters, _, _) = pieces(cap_content(value, Cap(1_000)))

    assert characters == len(value)
    assert omitted > 9_000


def test_a_mark_of_another_program_is_text() -> None:
    """The omission marks of other programs, such as codex, are cut like other text. Their numbers are ignored."""
    value = "a line\n" * 200 + "[... omitted 9744 of 10000 lines ...]\n" + "b line\n" * 200

    _, _, (_, characters, _, lines) = pieces(cap_content(value, SEEDS))

    assert (characters, lines) == (len(value), 401)


def test_tail_gets_more_than_the_head_and_most_of_an_error() -> None:
    """A result keeps 40 % head and 60 % tail. An error keeps 20 % head and 80 % tail."""
    head, tail, _ = pieces(cap_content("x" * 20_000, Cap(5_200)))
    error_head, error_tail, _ = pieces(cap_content("Error: " + "x" * 20_000, Cap(5_200)))
    told_head, told_tail, _ = pieces(cap_content("x" * 20_000, Cap(5_200), is_error=True))

    assert (len(head), len(tail)) == (2_000, 3_000)
    assert (len(error_head), len(error_tail)) == (len(told_head), len(told_tail)) == (1_000, 4_000)


@pytest.mark.parametrize(
    ("said", "is_error"),
    [
        ("Error: no such file\n{}", True),
        ('{{"is_error": true, "output": "{}"}}', True),
        ("{}\nTraceback (most recent call last):\n  File x\nKeyError: 'x'", True),
        ("{}\nsome.module.ValueError: bad\n", True),
        ("{}\nProcess exited with code 1", True),
        ("[ERROR] {}", True),
        ("fatal: not a git repository {}", True),
        ("{}\nexit code 0", False),
        ("no error here: {}", False),
        ("errors() {{ {} }}", False),
        ("{} terrors", False),
    ],
)
def test_errors_are_known_by_their_beginning_or_end(said: str, is_error: bool) -> None:
    """More of an error's tail is kept. The word "error" alone makes no error."""
    head, tail, _ = pieces(cap_content(said.format("x" * 9_000), Cap(2_200)))

    assert (len(tail) > 3 * len(head)) == is_error
    assert (len(tail) < 2 * len(head)) != is_error


def test_cuts_fall_on_line_ends_where_they_are_near() -> None:
    """Whole lines are kept on both sides, and no empty line appears around the marker."""
    value = "".join(f"line {number:05d} of the output\n" for number in range(2_000))
    head, tail, _ = pieces(cap_content(value, Cap(3_000)))

    assert head.endswith("of the output")
    assert tail.startswith("line ")
    assert tail.endswith("\n")


def test_a_byte_limit_cuts_head_and_tail_alike() -> None:
    """The byte limit of 10 KiB is reached at about 128 lines, before the line limit. No line is kept twice."""
    value = "\n".join(f"{number:04d} " + "x" * 75 for number in range(200))
    capped = cap_content(value, Cap(20_000, bytes=10_240, lines=256))

    assert capped.startswith("0000 ")
    assert value.endswith(capped[-81:])
    assert len({line for line in capped.split("\n") if line[:4].isdigit()}) == sum(
        line[:4].isdigit() for line in capped.split("\n")
    )


def test_room_that_one_side_leaves_goes_to_the_other() -> None:
    """A side that reaches the line limit with short lines leaves its characters to the other side."""
    short, wide = "\n".join("abc" * 300), "x" * 20_000
    head, tail, _ = pieces(cap_content(short + wide, Cap(6_000, lines=256)))
    assert len(head) + len(tail) > 5_700
    head, tail, _ = pieces(cap_content(wide + short, Cap(6_000, lines=256)))
    assert len(head) + len(tail) > 5_700


def test_parts_are_capped_together_and_media_stay() -> None:
    """The texts share one cap. Parts without a text stay unchanged."""
    picture = image()
    parts: list[Any] = [text("a" * 900), picture, text("b" * 900, extra=1), text("c" * 900)]
    capped = cap_content(parts, Cap(1_200))

    assert length_of(capped) <= 1_200
    assert picture in capped
    assert capped[0]["text"].startswith("a" * 300)
    assert capped[-1] == {"type": "text", "text": "c" * 600}
    assert sum("omitted by the gateway" in part.get("text", "") for part in capped) == 1
    assert parts[2] == text("b" * 900, extra=1)


@given(st.lists(texts.map(text) | st.builds(image), max_size=6), caps)
def test_parts_keep_the_same_text_as_one_text_would(parts: list[dict[str, Any]], cap: Cap) -> None:
    """A capped part is empty only where the client sent an empty part."""
    capped = cap_content(parts, cap)
    whole = "".join(part["text"] for part in parts if part["type"] == "text")

    assert "".join(part["text"] for part in capped if part["type"] == "text") == cap_content(whole, cap)
    assert [part for part in capped if part["type"] != "text"] == [
        part for part in parts if part["type"] != "text"
    ]
    assert cap_content(capped, cap) is capped
    if capped is not parts:
        assert [p for p in capped if p.get("text") == ""] == [] or any(p.get("text") == "" for p in parts)


@pytest.mark.parametrize("content", [None, 3, {"a": 1}, [], [image()]])
def test_contents_without_text_are_the_same_object(content: Any) -> None:
    """A content without a text is returned as the same object."""
    assert cap_content(content, Cap(400)) is content


@pytest.mark.parametrize("fill", ["x", "漢", "\n", "\n[… ", "🇩🇪", "e\u0301", "\r\n", "\ud800", "\u200d"])
def test_a_text_of_megabytes_is_encoded_near_the_cuts_alone(
    fill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes are counted only near the cuts, even in one huge line or in line breaks, markers or joiners alone."""
    value = fill * (3_000_000 // len(fill))
    encoded = note_lengths(monkeypatch, cap_text, "_bytes_of")
    capped = cap_content(value, SEEDS)

    assert within(capped, SEEDS)
    assert sum(encoded) < 30 * SEEDS.characters


@pytest.mark.parametrize("wrong", [(399, None, None), (400, 399, None), (400, 400, 3), (0, None, None)])
def test_limits_without_room_are_refused(wrong: tuple[int, int | None, int | None]) -> None:
    """A cap has to leave room beside its marker."""
    with pytest.raises(ValueError, match="at least 400"):
        Cap(*wrong)
