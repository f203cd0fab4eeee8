"""Roles and fields that some providers refuse or require."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.change_roles import add_reasoning, system_as_user
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, developer, system, user


def test_system_messages_become_user_messages_with_the_same_words() -> None:
    """Developer messages are system messages too."""
    draft = system_as_user(draft_of([system("One."), developer("Two."), user("go")]), refusal("No."))

    assert [(message["role"], message["content"]) for message in draft.messages] == [
        ("user", "One."),
        ("user", "Two."),
        ("user", "go"),
    ]
    assert listed(draft) == [("replaced", 0, "system_as_user", ""), ("replaced", 1, "system_as_user", "")]


def test_every_model_turn_without_reasoning_gets_an_empty_one() -> None:
    """Existing reasoning stays."""
    history = [user("a"), assistant("b"), user("c"), assistant("d", reasoning_content="Hm."), user("e")]
    draft = add_reasoning(draft_of(history), refusal("No."))

    assert [message.get("reasoning_content") for message in draft.messages] == [None, "", None, "Hm.", None]
    assert listed(draft) == [("inserted", 1, "reasoning_content", "")]


def test_no_reasoning_is_added_where_the_provider_refuses_the_field() -> None:
    """The repair would break another rule."""
    profile = replace(OPENAI, refused_fields=frozenset({"reasoning_content"}))
    draft = draft_of([user("a"), assistant("b"), user("c")], profile=profile)

    assert add_reasoning(draft, refusal("No.")) is draft
