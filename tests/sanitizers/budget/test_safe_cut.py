"""A cut never falls inside a grapheme cluster of up to 64 characters, in either direction."""

from __future__ import annotations

import pytest

from sanitizers.budget.safe_cut import safe_cut

CLUSTERS = {
    "an accent": "e\u0301",
    "two accents": "e\u0301\u0323",
    "an Indic vowel sign": "\u0915\u093f",
    "a family": "👩\u200d👩\u200d👧",
    "a joiner before a letter": "a\u200db",
    "a skin tone": "👍\U0001f3fd",
    "a variation selector": "❤\ufe0f",
    "a flag": "🇩🇪",
    "a flag of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e007f",
    "a line break": "\r\n",
    "an unjoined surrogate pair": "\ud83d\ude00",
}


@pytest.mark.parametrize("cluster", CLUSTERS.values(), ids=CLUSTERS)
def test_a_cluster_is_kept_or_left_out_whole(cluster: str) -> None:
    """A cut inside a cluster moves to its beginning or its end. A cut at an edge stays."""
    text = f"xx{cluster}yy"
    start, end = 2, 2 + len(cluster)

    for at in range(start + 1, end):
        assert safe_cut(text, at, forward=False) == start
        assert safe_cut(text, at, forward=True) == end
    for at in (0, 1, start, end, len(text)):
        assert safe_cut(text, at, forward=False) == safe_cut(text, at, forward=True) == at


@pytest.mark.parametrize("forward", [False, True])
def test_a_cluster_longer_than_64_characters_is_cut(forward: bool) -> None:
    """A cluster longer than 64 characters is cut, and only surrogate pairs are kept together."""
    accents = "e" + "\u0301" * 1_000
    pairs = "\u200d" + "\ud83d\ude00\u200d" * 400

    assert safe_cut(accents, 500, forward=forward) == 500
    for at in range(500, 504):
        cut = safe_cut(pairs, at, forward=forward)
        assert abs(cut - at) <= 1
        assert pairs[cut - 1 : cut + 1] != "\ud83d\ude00"


def test_the_ends_of_a_text_are_places_to_cut() -> None:
    """A cut inside a text that is a single cluster moves to the text's beginning or end."""
    assert safe_cut("", 0, forward=True) == 0
    assert safe_cut("\u0301" * 10, 5, forward=False) == 0
    assert safe_cut("\u0301" * 10, 5, forward=True) == 10
