"""Tests of the histories with images."""

from __future__ import annotations

import base64

from proxy.planning.probe.history_values import BMP, PNG
from proxy.planning.probe.media_histories import MEDIA_HISTORIES
from tests.proxy.planning.probe.proofs import forbidding, unproven


def test_every_history_breaks_its_rule_alone_under_some_profile() -> None:
    assert unproven(MEDIA_HISTORIES) == []


def test_images_are_of_their_types() -> None:
    assert base64.b64decode(PNG.partition(",")[2]).startswith(b"\x89PNG\r\n\x1a\n")
    assert base64.b64decode(BMP.partition(",")[2]).startswith(b"BM")


def test_bitmaps_are_legal_where_a_server_reads_them_by_its_own_library() -> None:
    [bitmap] = [one for one in MEDIA_HISTORIES if one.rule == "media_type"]

    assert "chat-template" not in forbidding(bitmap)
    assert "openai" in forbidding(bitmap)
