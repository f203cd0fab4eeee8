"""Tests of the texts in place of a lost signature."""

from __future__ import annotations

import base64

from sanitizers.stand_ins import STAND_IN, STAND_INS


def test_each_text_is_there_raw_and_in_base64() -> None:
    """The field is ``bytes``, and clients write the text into it as it is too."""
    raw = {text for text in STAND_INS if "_" in text}
    encoded = {base64.b64encode(text.encode()).decode() for text in raw}

    assert raw | encoded == STAND_INS
    assert STAND_IN in encoded
