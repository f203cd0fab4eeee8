"""Tests of contents without the signatures of texts."""

from __future__ import annotations

from typing import Any

from sanitizers.native.gemini.changed_contents import ChangedContents
from sanitizers.native.gemini.mend_signatures import drop_text_signatures, has_signed_texts
from tests.sanitizers.native.gemini.building import called, model, said, user

SIGNATURE = {"thoughtSignature": "c2ln"}
PLAIN: list[dict[str, Any]] = [user(said("a")), model(called("f"))]


def test_signatures_of_texts_and_thoughts_go() -> None:
    """Those of calls stay, and a part that held nothing else goes."""
    signed = model(
        {**said("a"), **SIGNATURE}, {**said(""), **SIGNATURE}, {**said("hm"), "thought": True, **SIGNATURE}
    )
    given = [*PLAIN, signed]
    made = drop_text_signatures(ChangedContents(given))

    assert made.items == [*PLAIN, model(said("a"), {**said("hm"), "thought": True})]
    assert all(new is old for new, old in zip(made.items[:2], PLAIN, strict=True))
    assert [(change.index, change.reason) for change in made.changes] == [(2, "signature")]
    assert made.origins == (0, 1, 2)
    assert has_signed_texts(given)
    assert not has_signed_texts(made.items)


def test_change_has_the_index_of_the_clients_content() -> None:
    """An earlier change may have moved the content."""
    changed = ChangedContents([model({**said("a"), **SIGNATURE})], (4,))

    assert drop_text_signatures(changed).changes[0].index == 4


def test_contents_without_such_signatures_stay() -> None:
    """The same object comes back."""
    changed = ChangedContents(PLAIN)

    assert drop_text_signatures(changed) is changed
