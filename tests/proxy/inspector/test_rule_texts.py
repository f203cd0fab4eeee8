"""Steps, reasons and rules have their words."""

from __future__ import annotations

from proxy.inspector.rule_texts import REASONS, STEPS, provider_words, rule_of, why
from proxy.inspector.steps import SIGNATURES
from proxy.planning.plan import _STEPS
from sanitizers import Change
from sanitizers.invariants import RULES
from sanitizers.schemas.notes import REASONS as SCHEMA_REASONS


def test_every_step_has_a_text() -> None:
    """All that a request meets before it is sent are told."""
    assert STEPS.keys() == set(_STEPS) - {"repair", "note", "answer_repair"} | {SIGNATURES}


def test_every_reason_has_a_sentence() -> None:
    """A rule that a reason names is one; no reason is also one of a schema's; each is a sentence."""
    assert {reason.rule for reason in REASONS.values() if reason.rule} <= RULES.keys()
    assert not REASONS.keys() & SCHEMA_REASONS.keys()
    assert all(reason.why[0].isupper() and reason.why.endswith(".") for reason in REASONS.values())


def test_unknown_reason_is_shown_without_a_text() -> None:
    """What nobody has said anything of is shown without words."""
    change = Change("brand_new", "replaced", 3, "never_heard_of")

    assert (why(change), rule_of(change), provider_words(change)) == ("", None, None)


def test_rewrites_of_schemas_have_texts() -> None:
    """A schema's rewrites have the words that they have anyway."""
    assert why(Change("tools", "replaced", 0, "one_of_as_any_of")) == "OneOf is anyOf."


def test_what_is_left_out() -> None:
    """A part that is left out names its own rule."""
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]:remote_media")) == "remote_media"
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]")) == "media_type"
