"""OpenAI's chat format is the internal form, so answers are sent unchanged."""

from __future__ import annotations

from proxy.ingress.openai_chat.format import OPENAI_CHAT
from tests.support.scripted_upstream import answer


def test_answer_is_written_unchanged() -> None:
    """The fields keep their order."""
    assert OPENAI_CHAT.write_answer({"id": "x", "choices": []}) == b'{"id":"x","choices":[]}'
    assert OPENAI_CHAT.write_answer(answer("Caf\u00e9")).count("Caf\u00e9".encode()) == 1


def test_ids_have_openais_prefix_and_keep_alives_are_comments() -> None:
    """Clients expect the prefix, and skip comments."""
    assert OPENAI_CHAT.id_prefix == "chatcmpl-"
    assert OPENAI_CHAT.keep_alive == b": keep-alive\n\n"
