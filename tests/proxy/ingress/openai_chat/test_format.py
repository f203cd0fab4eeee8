"""OpenAI's chat format is the canonical form, so answers and chunks are sent unchanged."""

from __future__ import annotations

from proxy.ingress.openai_chat.format import OPENAI_CHAT
from tests.support.scripted_upstream import answer, say

NATIVE = {"id": "native", "object": "response"}


def test_native_answer_and_event_are_replaced_by_their_canonical_form() -> None:
    """In place of a native answer or event, OpenAI's chat format writes the canonical form."""
    writer = OPENAI_CHAT.write_stream()

    assert OPENAI_CHAT.write_native_answer(NATIVE, answer("Hi.")) == OPENAI_CHAT.write_answer(answer("Hi."))
    assert writer.write_native(NATIVE, say("Hi.")) == writer.write_chunk(say("Hi."))
    assert writer.format == OPENAI_CHAT.name
