"""OpenAI's chat format: answers are the internal form, and go out as they are."""

from __future__ import annotations

from proxy.ingress.openai_chat.format import OPENAI_CHAT
from tests.support.scripted_upstream import answer


def test_answers_go_out_as_they_are() -> None:
    """Field for field, in their order."""
    assert OPENAI_CHAT.write_answer({"id": "x", "choices": []}) == b'{"id":"x","choices":[]}'
    assert OPENAI_CHAT.write_answer(answer("Caf\u00e9")).count("Caf\u00e9".encode()) == 1


def test_names_of_ids_and_comments() -> None:
    """Clients know OpenAI's prefix, and skip comments."""
    assert OPENAI_CHAT.id_prefix == "chatcmpl-"
    assert OPENAI_CHAT.keep_alive == b": keep-alive\n\n"
