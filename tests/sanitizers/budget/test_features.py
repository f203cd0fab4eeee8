"""Tests that the counts of a text's features agree with a slow count, and that runs of base64 are found."""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from operator import add, sub
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget import features
from sanitizers.budget.features import MIN_RUN, NAMES, NONE, Counts, features_of
from tests.sanitizers.budget.read_lengths import note_lengths

CHECK = "Hello World_2 = fooBar();\n\tx = 'é я क か 漢 한 → 😀'\r\n"
BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 5
DATA = Random(1).randbytes(6_000)


def lines(data: bytes, width: int) -> str:
    """Return the base64 of *data* in lines of *width* characters."""
    text = b64encode(data).decode()
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


SHAPES = {
    "one": b64encode(DATA).decode(),
    "url": urlsafe_b64encode(DATA).decode(),
    "mime": lines(DATA, 76),
    "pem": lines(DATA, 64),
    "jwt": ".".join(
        urlsafe_b64encode(part).decode().rstrip("=")
        for part in (b'{"alg":"HS256","typ":"JWT"}', DATA[:150], DATA[:32])
    ),
    "lock": "\n".join(f'"sha512-{b64encode(DATA[at : at + 64]).decode()}",' for at in range(0, 6_000, 64)),
}
"""Texts that are base64 for the most part."""

texts = st.text(
    st.sampled_from(
        "abzAZ019_-+/=. \t\n\r\v\x00\x7féя\u03b1אक기か漢한→✅⠿\u1200\u3400\ue000\ufeff😀\ud800\udfff"
    )
    | st.sampled_from(" \t\na")
    | st.characters(),
    max_size=80,
)


def counted(text: str) -> Counts:
    """Return the counts of a text by slow regular expressions, one for each definition."""

    def number(pattern: str) -> int:
        return len(re.findall(pattern, text, re.DOTALL))

    rare = (
        "\u0f00-\u0fff\u1100-\u1dff\u2800-\u28ff\u2c00-\u2dff"
        "\u3400-\u4dff\ua000-\uabff\ue000-\ufdff"
    )  # fmt: skip
    pictures = "\u2300-\u24ff\u2600-\u27ff\u2b00-\u2bff"
    return (
        number(r"[A-Za-z]"),
        number(r"[A-Za-z]+"),
        number(r"[A-Z]") + number(r"(?<=[a-z])[A-Z]"),
        number(r"[0-9]"),
        number(r"[\x00-\x08\x0e-\x1f!-/:-@\[-`{-\x7f]"),
        number(r"[\n\r]"),
        number(r"[\n\r](?=[ \t\v\f])"),
        number("[\x80-\u02ff\u0400-\u04ff]"),
        number(f"(?![{rare}])[\u0800-\u1fff]"),
        number(f"(?![{rare}\ud800-\udfff])[\u3000-\uffff]"),
        number(f"(?![{rare}{pictures}])[\u2000-\u2fff]"),
        number(r"(?<![ \t\v\f\n\r])  ") + number(r"(?<![\t\v\f\n\r])[\t\v\f]"),
        number("[\u0300-\u03ff\u0500-\u07ff]"),
        number(f"[{pictures}]"),
        number("[\ud800-\udfff]") + 2 * number("[\U00010000-\U0010ffff]"),
        number(f"[{rare}]"),
    )


def test_a_text_with_every_class_has_the_counts_made_by_hand() -> None:
    """The two texts together hold every class of characters."""
    assert (17, 4, 4, 1, 8, 3, 1, 2, 1, 3, 1, 0, 0, 0, 2, 0) == features_of(CHECK).counts
    assert (2, 1, 1, 2, 1) == features_of("\u03b1\t1   2 ✅ 👍 \u1200\n  ").counts[11:]
    assert len(NAMES) == len(NONE) == len(features_of(CHECK).counts)


@given(texts)
def test_the_counts_agree_with_a_slow_reading(text: str) -> None:
    """The counts agree with slow regular expressions, even for lone surrogates and control characters."""
    assert counted(text) == features_of(text).counts


@given(texts, st.integers(1, 5))
def test_a_text_cut_into_pieces_has_the_counts_of_the_whole(text: str, piece: int) -> None:
    """A feature of two characters counts even where the end of a piece separates them."""
    whole = features_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "_PIECE", piece)
        assert whole == features_of(text)


@pytest.mark.parametrize("piece", range(1, 8))
def test_gaps_across_pieces_are_counted_once(piece: int) -> None:
    """A gap is counted once where a piece ends within it. An indent is no gap."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "_PIECE", piece)
        assert 5 == features_of("\n  a  b   c\td\n\t\te \tf\n   \t\tg")[0][NAMES.index("gaps")]


@given(texts, texts)
def test_appended_text_lowers_no_count(text: str, more: str) -> None:
    """Each count stays or grows."""
    longer = features_of(text + more).counts
    assert all(after >= before for before, after in zip(features_of(text).counts, longer, strict=True))


class TestBase64:
    """Runs of base64 are found wherever they stand."""

    @pytest.mark.parametrize("before", ["", "x", " ", "ab ", "é", "data:image/png;base64,", "a=1&b=\n"])
    @pytest.mark.parametrize("after", ["", "==", '"}', " and more", "\n"])
    def test_a_run_of_base64_is_found_at_every_offset(self, before: str, after: str) -> None:
        """The run includes neighbouring letters of the same alphabet."""
        found = features_of(f"{before}{BASE64}{after}").base64
        glued = re.search(r"[A-Za-z0-9+/]*$", before)
        assert glued is not None
        assert features_of(glued[0] + BASE64).counts == found

    def test_two_runs_of_base64_are_counted_together(self) -> None:
        """The counts of the two runs are added."""
        counts = features_of(BASE64).counts
        assert tuple(map(add, counts, counts)) == features_of(f"one {BASE64} two {BASE64}==").base64

    @pytest.mark.parametrize("length", [MIN_RUN - 1, MIN_RUN, MIN_RUN + 1])
    def test_a_run_counts_as_base64_from_the_length_of_a_jwt_header(self, length: int) -> None:
        """A run counts as base64 from ``MIN_RUN`` characters on, the length of a JWT's header."""
        run = SHAPES["one"][:length]
        assert (length >= MIN_RUN) == any(features_of(f"({run})").base64)

    @pytest.mark.parametrize("shape", SHAPES)
    def test_base64_is_found_in_lines_tokens_and_hashes(self, shape: str) -> None:
        """The text may use the standard or the URL-safe alphabet of base64."""
        assert sum(features_of(SHAPES[shape]).base64[:5:3]) > 0.75 * len(SHAPES[shape])

    def test_a_long_run_counts_as_base64_without_mixing(self) -> None:
        """The base64 of an image may have long stretches of one letter."""
        assert sum(features_of("iVBORw0KGgo" + "A" * 400).base64) > 400

    @pytest.mark.parametrize(
        "text",
        [
            "=" * 400,
            "/" * 400,
            "a" * 400,
            "A" * 400,
            "0123456789abcdef" * 40,
            "0123456789ABCDEF" * 10,
            "ACGT" * 100,
            "word " * 100,
            "/usr/lib/python3/site-packages/Some_Package/SubModule/Class2Test " * 9,
            "testThatTheHTTPServerAnswersWithA404WhenTheFileIsMissing " * 9,
            "Some_Long_Constant_NAME_OF_THE_YEAR_2026_and_more " * 9,
        ],
    )
    def test_rulers_paths_names_and_hex_dumps_are_no_base64(self, text: str) -> None:
        """Rulers, paths, names and hex dumps are no base64, though they consist mostly of its letters."""
        assert features_of(text).base64 == NONE

    @given(
        st.lists(
            st.sampled_from(["aZ9+-_/", "x", "Z9", " ", "=", "é", BASE64[:30], BASE64]), max_size=12
        ).map("".join)
    )
    def test_no_run_is_missed_that_a_search_of_every_byte_finds(self, text: str) -> None:
        """A slow search by regular expressions finds the same runs."""
        found = [
            features_of(run).counts
            for run in re.findall(r"[A-Za-z0-9+/_-]{36,}", text)
            if (len(run) >= 200 and all(re.search(kind, run) for kind in ("[A-Z]", "[a-z]", "[0-9]")))
            or (re.search("[a-z]", run) and len(re.findall("[A-Z][0-9]|[0-9][A-Z]", run)) >= 3)
        ]
        assert tuple(map(sum, zip(NONE, *found, strict=True))) == features_of(text).base64


@pytest.mark.parametrize(
    ("unit", "times"),
    [
        ("aZ9", 1_000_000),
        ("aab ", 750_000),
        ("a" * 199 + " ", 15_000),
        ("漢", 1_000_000),
        ("é\n ", 750_000),
    ],
    ids=["one-run", "sampled-as-a-run", "nearly-runs", "cjk", "mixed"],
)
def test_megabytes_are_read_once(unit: str, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each repetition adds the same counts, and no byte is searched for base64 twice."""
    searched = note_lengths(monkeypatch, features, "_is_base64")
    twice, thrice, found = (features_of(unit * number).counts for number in (2, 3, times))
    more = tuple(map(sub, thrice, twice))

    assert found == tuple(count + (times - 2) * each for count, each in zip(twice, more, strict=True))
    assert sum(searched) <= len(unit) * (times + 5)
