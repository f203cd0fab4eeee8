"""The counts: against a reading of the same definitions one byte at a time, and within bounded time."""

from __future__ import annotations

import re
import time
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget import features
from sanitizers.budget.features import MIN_RUN, NAMES, NONE, Counts, features_of

CHECK = "Hello World_2 = fooBar();\n\tx = 'é я क か 漢 한 → 😀'\r\n"
BASE64 = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 5

texts = st.text(
    st.sampled_from("abzAZ019_-+/=. \t\n\r\v\x00\x7féяक기か漢한→\ufeff😀\ud800\udfff") | st.characters(),
    max_size=80,
)


def counted(text: str) -> Counts:
    """Count by regular expressions over the bytes, each after the definition of its name."""
    data = text.encode("utf-8", "surrogatepass")

    def number(pattern: bytes) -> int:
        return len(re.findall(pattern, data, re.DOTALL))

    return (
        number(rb"[A-Za-z]"),
        number(rb"[A-Za-z]+"),
        number(rb"[A-Z]") + number(rb"(?<=[a-z])[A-Z]"),
        number(rb"[0-9]"),
        number(rb"[\x00-\x08\x0e-\x1f!-/:-@\[-`{-\x7f]"),
        number(rb"[\n\r]"),
        number(rb"[\n\r](?=[ \t\v\f])"),
        number(rb"[\xc0-\xdf]"),
        number(rb"[\xe0\xe1]"),
        number(rb"[\xe3-\xef]"),
        number(rb"[\xe2\xf0-\xff]"),
    )


def test_of_the_definition() -> None:
    """One text that holds every class, counted by hand."""
    assert (17, 4, 4, 1, 8, 3, 1, 2, 1, 3, 2) == features_of(CHECK).counts
    assert len(NAMES) == len(NONE) == len(features_of(CHECK).counts)


@given(texts)
def test_agrees_with_a_slow_reading(text: str) -> None:
    """Any text, lone surrogates and control characters among it."""
    assert counted(text) == features_of(text).counts


@given(texts, st.integers(1, 5))
def test_pieces_do_not_show(text: str, piece: int) -> None:
    """Where a long text is cut into pieces, a pair that the cut parts is counted all the same."""
    whole = features_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "_PIECE", piece)
        assert whole == features_of(text)


@pytest.mark.parametrize("text", ["fooBar(1)\n\tx é", "A", "a", "\n ", " \n"])
def test_long_text_is_counted_to_its_end(text: str) -> None:
    """A text of several pieces has the counts of the slow reading."""
    long = text * (100_000 // len(text))
    assert counted(long) == features_of(long).counts


@given(texts, texts)
def test_appended_text_lowers_no_count(text: str, more: str) -> None:
    """What is there stays there."""
    longer = features_of(text + more).counts
    assert all(after >= before for before, after in zip(features_of(text).counts, longer, strict=True))


class TestRuns:
    """Long runs of base64 are found wherever they stand."""

    @pytest.mark.parametrize("before", ["", "x", " ", "ab ", "é", "data:image/png;base64,", "a=1&b=\n"])
    @pytest.mark.parametrize("after", ["", "==", '"}', " and more", "\n"])
    def test_found(self, before: str, after: str) -> None:
        """At every offset, with what it is glued to where that is of the same letters."""
        found = features_of(f"{before}{BASE64}{after}").runs
        glued = re.search(r"[A-Za-z0-9+/]*$", before)
        assert glued is not None
        assert (features_of(glued[0] + BASE64).counts,) == found

    def test_each(self) -> None:
        """Two runs are two."""
        assert 2 == len(features_of(f"one {BASE64} two {BASE64}==").runs)

    @pytest.mark.parametrize("length", [MIN_RUN - 1, MIN_RUN, MIN_RUN + 1])
    def test_length(self, length: int) -> None:
        """From 200 bytes on."""
        run = (BASE64 * 2)[:length]
        assert (length >= MIN_RUN) == bool(features_of(f"({run})").runs)

    @pytest.mark.parametrize(
        "text",
        ["=" * 400, "/" * 400, "a" * 400, "A" * 400, "0123456789abcdef" * 40, "ACGT" * 100, "word " * 100],
    )
    def test_others_are_none(self, text: str) -> None:
        """Rulers, hex dumps and sequences of other kinds are no base64."""
        assert () == features_of(text).runs

    @given(
        st.lists(st.sampled_from(["aZ9+/", "x", " ", "=", "é", BASE64[:190], BASE64]), max_size=12).map(
            "".join
        )
    )
    def test_agrees_with_a_search(self, text: str) -> None:
        """The samples miss no run that a search of every byte finds."""
        runs = re.findall(r"[A-Za-z0-9+/]{200,}", text)
        assert [features_of(run).counts for run in runs] == list(features_of(text).runs)


@pytest.mark.parametrize(
    "line",
    [
        "aZ9" * 10_000_000,
        "aab " * 7_500_000,
        ("a" * 199 + " ") * 150_000,
        "漢" * 10_000_000,
        "é\n " * 7_500_000,
    ],
    ids=["one-run", "sampled-as-a-run", "nearly-runs", "cjk", "mixed"],
)
def test_thirty_megabytes_take_bounded_time(line: str) -> None:
    """Time in proportion to the length, whatever the text: a second or two, not minutes."""
    start = time.process_time()
    counts = features_of(line).counts
    assert time.process_time() - start < 20
    assert counts == tuple(map(add, counts, NONE))
    assert sum(counts) > 0
