"""Tests of repairs to system messages."""

from __future__ import annotations

from proxy.planning.repairs.repair_systems import fold_counted_systems, fold_systems, system_as_user
from sanitizers import find_violations
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import CHAT_TEMPLATE
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, developer, image, system, text, user

GEMMA = refusal("System role not supported")
LLAMA = refusal("Prompting with images is incompatible with system messages.")


def test_system_messages_become_user_messages_with_the_same_words() -> None:
    """System and developer messages become user messages with the same words."""
    draft = system_as_user(draft_of([system("One."), developer("Two."), user("go")]), refusal("No."))

    assert [(message["role"], message["content"]) for message in draft.messages] == [
        ("user", "One."),
        ("user", "Two."),
        ("user", "go"),
    ]
    assert listed(draft) == [("replaced", 0, "system_as_user", ""), ("replaced", 1, "system_as_user", "")]


def test_texts_of_system_messages_stand_before_the_first_user_text() -> None:
    """System texts before the first user turn move into that turn.

    A later system message becomes a user message at its place. Each is listed as a change.
    """
    history = [system("One."), developer("Two."), user("go"), assistant("done"), system("Three."), user("on")]
    draft = fold_systems(draft_of(history), LLAMA)

    assert [(message["role"], message["content"]) for message in draft.messages] == [
        ("user", "One.\n\nTwo.\n\ngo"),
        ("assistant", "done"),
        ("user", "Three."),
        ("user", "on"),
    ]
    assert [(change.index, change.reason) for change in draft.changes] == [
        (4, "system_after_start"),
        (0, "system_unsupported"),
        (1, "system_unsupported"),
    ]


def test_only_a_template_without_the_role_gets_merged_neighbours() -> None:
    """Adjacent user turns are merged for Gemma's template, which would refuse them next, and not for Llama's."""
    history = [system("One."), user("go"), user("on")]

    assert [m["content"] for m in fold_systems(draft_of(history), GEMMA).messages] == ["One.\n\ngo\n\non"]
    assert [m["content"] for m in fold_systems(draft_of(history), LLAMA).messages] == ["One.\n\ngo", "on"]


def test_a_template_that_allows_a_system_message_keeps_it() -> None:
    """A system message is moved only for the template that counts it as a turn, and not for one that allows it."""
    counting = refusal("Conversation roles must alternate user/assistant/user/assistant/...")
    allowing = refusal(
        "After the optional system message, conversation roles must alternate user/assistant/..."
    )
    draft = draft_of([system("One."), user("go")])

    assert fold_counted_systems(draft, allowing) is draft
    assert fold_counted_systems(draft, counting).messages == [user("One.\n\ngo")]


def test_an_instruction_is_put_before_an_image() -> None:
    """The instruction becomes the first part of the user's message, before the text and the image."""
    draft = fold_systems(
        draft_of([system("One."), user([text("go"), image()])], profile=CHAT_TEMPLATE), LLAMA
    )

    assert draft.messages == [user([text("One."), text("go"), image()])]
    assert find_violations(draft.messages, draft.profile) == ()


def test_system_messages_alone_become_the_user_s() -> None:
    """A history of one system message becomes a user message that begins with the same words."""
    draft = fold_systems(draft_of([system("One.")]), GEMMA)

    assert [message["role"] for message in draft.messages] == ["user"]
    assert draft.messages[0]["content"].startswith("One.")


def test_a_history_without_system_messages_is_the_same_draft() -> None:
    """A history without system messages is returned as the same draft, without any merge."""
    draft = draft_of([user("go"), user("on")], profile=OPENAI)

    assert fold_systems(draft, GEMMA) is draft
    assert listed(fold_systems(draft, GEMMA)) == []
