"""Tests of the id and the time that an answer gets where its provider gave none."""

from __future__ import annotations

import time

from proxy.forwarding.answer_stamp import stamp_answer
from proxy.ingress.openai_chat.format import OPENAI_CHAT
from proxy.observability.request_record import RequestRecord


def test_stamp_id_is_the_request_id_after_the_formats_prefix() -> None:
    """An answer's id contains the request's id, so that its log line can be found."""
    before = int(time.time())  # noqa: TID251 - the stamp is wall-clock time

    stamp = stamp_answer(RequestRecord("req_abc", "/v1/chat/completions", 0.0), OPENAI_CHAT)

    assert stamp.id == "chatcmpl-abc"
    assert before <= stamp.created <= before + 60
