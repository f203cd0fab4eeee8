"""Tests that every step and every reason has a text."""

from __future__ import annotations

from proxy.inspector.rule_texts import PROVIDERS, REASONS, STEPS, provider_words, rule_of, why
from proxy.inspector.steps import SIGNATURES
from proxy.planning.plan import _STEPS
from sanitizers import Change
from sanitizers.invariants import RULES
from sanitizers.native.gemini.project import project_contents
from sanitizers.native.gemini.violations import RULES as CONTENT_RULES
from sanitizers.native.messages.changed_messages import ChangedMessages
from sanitizers.native.messages.mend import mend_messages
from sanitizers.native.messages.open_thinking import drop_thinking
from sanitizers.native.messages.project import project
from sanitizers.native.responses.changed_items import ChangedItems
from sanitizers.native.responses.mend import mend_items
from sanitizers.schemas.notes import REASONS as SCHEMA_REASONS
from tests.sanitizers.native.messages import building as messages
from tests.sanitizers.native.messages.building import MARK, answered, assistant, thought, used, user
from tests.sanitizers.native.messages.building import inline as system
from tests.sanitizers.native.responses.building import said
from tests.sanitizers.native.responses.test_violations import BROKEN


def test_every_step_has_a_text() -> None:
    """The steps are those that change a request before it is sent."""
    assert STEPS.keys() == set(_STEPS) - {"note", "answer_repair"} | {SIGNATURES}


def test_every_reason_has_a_sentence() -> None:
    """Each rule that a reason names exists. No reason has the name of a schema's rewrite."""
    assert {reason.rule for reason in REASONS.values() if reason.rule} <= RULES.keys()
    assert not REASONS.keys() & SCHEMA_REASONS.keys()
    assert all(reason.why[0].isupper() and reason.why.endswith(".") for reason in REASONS.values())


def test_every_change_of_items_has_a_text() -> None:
    broken = [[*items, *more] for items, _ in BROKEN.values() for more in ([], [said("Hi.")])]
    changes = [change for items in broken for change in mend_items(ChangedItems(items)).changes]

    assert {change.reason for change in changes} - REASONS.keys() == set()


def test_every_change_of_contents_has_a_text() -> None:
    """The rules are reasons where an item breaks them by itself, or its order of responses."""
    in_messages = {"first_not_user", "model_last", "model_run", "no_contents", "response_orphaned"}
    parts = [
        {"text": "hm", "thought": True},
        {"text": "a", "partMetadata": {}, "thoughtSignature": "tr1_x"},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"fileData": {"fileUri": "http://a"}},
    ]
    changes = project_contents([{"role": "model", "parts": parts}]).changes

    assert CONTENT_RULES.keys() - in_messages - REASONS.keys() == set()
    assert {"thought", "part_field", "envelope_damaged", "media_of_model", "file_address"} == {
        change.reason for change in changes
    }
    assert {change.reason for change in changes} <= REASONS.keys()


def test_every_change_of_messages_has_a_text() -> None:
    """Both what a chat cannot have, and what Anthropic would refuse."""
    image = {"type": "image", "source": {"type": "url", "url": "https://a"}}
    search = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    broken = [
        system("x"),
        user(messages.said("x", **MARK), messages.said(""), answered("a")),
        assistant(thought("tr1_x"), thought(""), {**thought(), **MARK}, used("a", given="x"), search, image),
        assistant(messages.said("y", citations=[{}])),
        user(answered("a"), *[image] * 101, *[messages.said("x", **MARK)] * 5),
        system("x"),
        system("y"),
        user(" "),
    ]
    before = ChangedMessages(broken)
    changes = [
        *project(broken, [messages.said("x-anthropic-billing-header: a")]).changes,
        *project([user("x"), assistant(thought()), user("y")]).changes,
        *mend_messages(before).changes,
        *mend_messages(before, takes_systems=False).changes,
        *drop_thinking(before).changes,
    ]

    assert len({change.reason for change in changes}) > 12
    assert {change.reason for change in changes} - REASONS.keys() == set()


def test_unknown_reason_is_shown_without_a_text() -> None:
    """The explanation is empty, and the rule and the provider's words are None."""
    change = Change("brand_new", "replaced", 3, "never_heard_of")

    assert (why(change), rule_of(change), provider_words(change)) == ("", None, None)


def test_rewrites_of_schemas_have_texts() -> None:
    """The inspector takes the text from the schema step's own notes."""
    assert why(Change("tools", "replaced", 0, "one_of_as_any_of")) == "OneOf becomes anyOf."


def test_part_that_is_left_out_names_its_own_rule() -> None:
    """A part without a rule in its detail has the rule ``media_type``."""
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]:remote_media")) == "remote_media"
    assert rule_of(Change("media", "replaced", 0, "left_out", "content[0]")) == "media_type"


def test_every_quoted_error_names_its_provider() -> None:
    """Rules that turnright describes in its own words name no provider."""
    own = {"custom_call", "legacy_function", "refused_part", "remote_media", "result_order"}

    assert RULES.keys() - PROVIDERS.keys() == own
    assert PROVIDERS.keys() <= RULES.keys()
