"""Steps and reasons have texts."""

from __future__ import annotations

from proxy.inspector.rule_texts import PROVIDERS, REASONS, STEPS, provider_words, rule_of, why
from proxy.inspector.steps import SIGNATURES
from proxy.planning.plan import _STEPS
from sanitizers import Change
from sanitizers.invariants import RULES
from sanitizers.schemas.notes import REASONS as SCHEMA_REASONS


def test_every_step_has_a_text() -> None:
    """The steps are those before the request is sent."""
    assert STEPS.keys() == set(_STEPS) - {"repair", "note", "answer_repair"} | {SIGNATURES}


def test_every_reason_has_a_sentence() -> None:
    """Each rule named exists, and no reason is also one of a schema's."""
    assert {reason.rule for reason in REASONS.values() if reason.rule} <= RULES.keys()
    assert not REASONS.keys() & SCHEMA_REASONS.keys()
    assert all(reason.why[0].isupper() and reason.why.endswith(".") for reason in REASONS.values())


def test_unknown_reason_is_shown_without_a_text() -> None:
    """The texts are empty."""
    change = Change("brand_new", "replaced", 3, "never_heard_of")

    assert (why(change), rule_of(change), provider_words(change)) == ("", None, None)


def test_rewrites_of_schemas_have_texts() -> None:
    """A schema's rewrites have the words that they have anyway."""
    assert why(Change("tools", "replaced", 0, "one_of_as_any_of")) == "OneOf becomes anyOf."


def test_part_that_is_left_out_names_its_own_rule() -> None:
    """Otherwise the rule is that of the type."""
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]:remote_media")) == "remote_media"
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]")) == "media_type"


def test_every_quoted_error_names_its_provider() -> None:
    """Rules that are told in turnright's own words have none."""
    own = {"custom_call", "legacy_function", "refused_part", "remote_media", "result_order"}

    assert RULES.keys() - PROVIDERS.keys() == own
    assert PROVIDERS.keys() <= RULES.keys()
