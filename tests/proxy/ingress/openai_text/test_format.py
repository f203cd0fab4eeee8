"""Text completions and embeddings each have a field of their own for the input."""

from __future__ import annotations

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_text.format import OPENAI_COMPLETIONS, OPENAI_EMBEDDINGS, OpenAICompletions


@pytest.mark.parametrize(
    ("form", "field", "other"),
    [(OPENAI_COMPLETIONS, b"prompt", b"input"), (OPENAI_EMBEDDINGS, b"input", b"prompt")],
    ids=["completions", "embeddings"],
)
def test_each_format_requires_its_own_field(form: OpenAICompletions, field: bytes, other: bytes) -> None:
    """Each format requires its own field for the input, and ignores the other format's field."""
    body = b'{"model":"m","%s":"Hi."}'
    found = form.read_request(body % field, max_nesting=5, mends=True, weight=9)

    assert (found.parameters, found.weight) == ({field.decode(): "Hi."}, 9)
    with pytest.raises(InvalidRequest, match=f"'{field.decode()}' is required"):
        form.read_request(body % other, max_nesting=5, mends=True, weight=9)
