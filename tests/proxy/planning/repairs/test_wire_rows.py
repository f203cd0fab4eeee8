"""Tests of the repair table's row for models without chats."""

from __future__ import annotations

import pytest

from proxy.planning.repairs.wire_rows import WIRE_ROWS
from tests.proxy.planning.repairs.asking import repaired
from tests.support.builders import user


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("This model is only supported in v1/responses and not in v1/chat/completions.", True),
        ("This is not a chat model and thus not supported in the v1/chat/completions endpoint.", False),
        ("The model `x` does not exist or you do not have access to it.", False),
    ],
)
def test_only_openai_s_words_lead_to_the_other_api(words: str, found: bool) -> None:
    done = repaired(words, [user("hi")])

    assert (done is not None) is found
    assert not found or [made.row for made in done.made] == [*WIRE_ROWS]  # type: ignore[union-attr]
