"""Tests that Gemini's judge accepts legal ``contents``, and refuses each kind of damage at times."""

from __future__ import annotations

import copy

import pytest
from hypothesis import Phase, find, given, settings

from proxy.emulator import judge
from tests.support.strategies.contents import DAMAGES, Contents, any_contents, legal_contents

STRICT = "gemini-3.6-flash"
UNSHRUNK = settings(phases=[Phase.generate], database=None, max_examples=1_000)


@given(legal_contents())
def test_legal_contents_are_taken_by_the_strictest_model(contents: Contents) -> None:
    """The strictest model accepts legal contents with and without ids, and with and without thoughts."""
    assert judge(STRICT, {"contents": contents}) is None


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_of_contents_is_refused_at_times(name: str) -> None:
    """Each damage makes some legal contents illegal. A damage that is never refused would test nothing."""

    def is_refused(contents: Contents) -> bool:
        damaged = (DAMAGES[name](copy.deepcopy(contents), at, at) for at in range(4))
        return any(judge(STRICT, {"contents": each}) is not None for each in damaged if each)

    find(legal_contents(), is_refused, settings=UNSHRUNK)


@pytest.mark.parametrize("taken", [True, False])
def test_arbitrary_contents_are_both(taken: bool) -> None:
    """Some arbitrary contents are accepted, and others are refused."""

    def fits(contents: Contents) -> bool:
        return (judge(STRICT, {"contents": contents}) is None) is taken

    find(any_contents(), fits, settings=UNSHRUNK)
