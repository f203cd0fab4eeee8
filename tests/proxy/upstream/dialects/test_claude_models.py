"""Tests that Claude's generation is found by the model's name."""

import pytest

from proxy.upstream.dialects.claude_models import claude_of


@pytest.mark.parametrize(
    ("spelled", "usual"),
    [
        ("claude-3.5-sonnet", "claude-3-5-sonnet-20241022"),
        ("claude-3.7-sonnet", "claude-3-7-sonnet-20250219"),
        ("claude-4-sonnet", "claude-sonnet-4-20250514"),
        ("claude-4-opus-20250514", "claude-opus-4-20250514"),
        ("claude-opus-4.1", "claude-opus-4-1-20250805"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5-20250929"),
        ("us.anthropic.claude-opus-4-6-v1", "claude-opus-4.6"),
        ("claude-opus-4.8", "claude-opus-4-8"),
    ],
)
def test_generation_is_found_under_any_spelling_of_the_version(spelled: str, usual: str) -> None:
    """Routes write the version before or after the family, with a dot or a hyphen."""
    facts = claude_of(usual)

    assert facts is not None
    assert claude_of(spelled) is facts
    assert facts is not claude_of("claude-unheard-of")


def test_spelling_that_litellm_does_not_know_asks_for_schemas_by_a_tool() -> None:
    """A name that litellm does not know gets a thinking budget as usual, but schemas only by a tool."""
    spelled, usual = claude_of("claude-4.5-sonnet"), claude_of("claude-sonnet-4-5")

    assert spelled is not None
    assert usual is not None
    assert (spelled.budget, spelled.one_sampler, spelled.efforts) == (True, True, usual.efforts)
    assert (spelled.schemas, usual.schemas) == (False, True)
