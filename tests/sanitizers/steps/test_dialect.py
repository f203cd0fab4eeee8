"""Tests of the ``dialect`` step, which applies the rules of single providers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sanitizers import sanitize
from sanitizers.gemini_profiles import GEMINI_3, GEMMA
from sanitizers.messages import Entry
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import (
    ANTHROPIC,
    BEDROCK,
    CHAT_TEMPLATE,
    CHAT_TEMPLATE_GEMMA,
    COHERE,
    DATABRICKS,
    DATABRICKS_CLAUDE,
    DEEPSEEK,
    DEEPSEEK_THINKING,
    GROQ,
    KIMI,
    MISTRAL,
    XAI,
)
from sanitizers.steps.dialect import apply_provider_rules
from sanitizers.synthetic import BRIDGE, CONTINUE, NO_THOUGHT, reminder
from tests.sanitizers.steps.case import Case, check
from tests.support.builders import assistant, call, developer, image, legacy_result, system, text, tool, user

GO = user("go")
ASKS = assistant(calls=[call("a")])
SAYS_AND_ASKS = assistant("b", calls=[call("a"), call("b")])

INLINE = ANTHROPIC.over_messages(is_claude=True, takes_systems=True)
REMINDED = ANTHROPIC.over_messages(is_claude=True, takes_systems=False)
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}

PLACED = [
    Case(
        "a system message stands behind the user",
        [system("s"), GO, assistant("a"), system("t"), user("b"), assistant("c"), GO],
        [system("s"), GO, assistant("a"), user("b"), system("t"), assistant("c"), GO],
        [("moved", 3, "system_misplaced")],
        INLINE,
    ),
    Case("and behind results", [GO, ASKS, tool("a"), system("s")], None, profile=INLINE),
    Case(
        "between turns of the model it is a reminder",
        [GO, assistant("a"), system("s"), assistant("b")],
        [GO, assistant("a"), user(reminder("s")), assistant("b")],
        [("replaced", 2, "system_after_start")],
        INLINE,
    ),
    Case("not elsewhere", [GO, system("s"), GO], None, profile=OPENAI),
]

THOUGHTS = [
    Case(
        "an unsigned thought is dropped",
        [GO, assistant("a", thinking_blocks=[THOUGHT, {"type": "thinking", "thinking": "x"}])],
        [GO, assistant("a", thinking_blocks=[THOUGHT])],
        [("dropped", 1, "thought_unsigned")],
        REMINDED,
    ),
    Case(
        "and the field with the last one",
        [GO, assistant("a", thinking_blocks="x")],
        [GO, assistant("a")],
        [("dropped", 1, "thought_unsigned")],
        REMINDED,
    ),
    Case("signed ones stay", [GO, assistant("a", thinking_blocks=[THOUGHT])], None, profile=REMINDED),
    Case("none is none", [GO, assistant("a", thinking_blocks=[])], None, profile=REMINDED),
    Case("not elsewhere", [GO, assistant("a", thinking_blocks=["x"])], None, profile=ANTHROPIC),
]

BRIDGES = [
    Case(
        "the model speaks between a result and the user",
        [GO, ASKS, tool("a"), user("b")],
        [GO, ASKS, tool("a"), assistant(BRIDGE), user("b")],
        [("inserted", 3, "user_after_result")],
        MISTRAL,
    ),
    Case("not at Cohere", [GO, ASKS, tool("a"), user("b")], None, profile=COHERE),
    Case(
        "once behind several results, and each time",
        [GO, SAYS_AND_ASKS, tool("a"), tool("b"), user("b"), ASKS, tool("a"), user("c")],
        [
            *(GO, SAYS_AND_ASKS, tool("a"), tool("b"), assistant(BRIDGE), user("b")),
            *(ASKS, tool("a"), assistant(BRIDGE), user("c")),
        ],
        [("inserted", 4, "user_after_result"), ("inserted", 7, "user_after_result")],
        CHAT_TEMPLATE,
    ),
    Case(
        "behind a legacy result",
        [GO, legacy_result(), user("b")],
        [GO, legacy_result(), assistant(BRIDGE), user("b")],
        [("inserted", 2, "user_after_result")],
        replace(OPENAI, user_after_result=False),
    ),
    Case("not where the model has spoken", [GO, ASKS, tool("a"), assistant("b"), GO], None, (), MISTRAL),
    Case("not behind the last result", [GO, ASKS, tool("a")], None, (), MISTRAL),
    Case("not between results", [GO, SAYS_AND_ASKS, tool("a"), tool("b")], None, (), MISTRAL),
    Case("not where both may follow each other", [GO, ASKS, tool("a"), GO], None, (), ANTHROPIC),
    Case("not at Gemini", [GO, ASKS, tool("a"), GO], None, (), GEMINI_3),
    Case("not at OpenAI", [GO, ASKS, tool("a"), GO], None, (), OPENAI),
]

SYSTEMS = [
    Case(
        "leading system messages become one",
        [system("s"), system("t"), system("u"), GO],
        [system("s\n\nt\n\nu"), GO],
        [("merged", 1, "system_run"), ("merged", 2, "system_run")],
        CHAT_TEMPLATE,
    ),
    Case(
        "parts and texts become parts",
        [system([text("s")]), system("t"), GO],
        [system([text("s"), text("t")]), GO],
        [("merged", 1, "system_run")],
        CHAT_TEMPLATE,
    ),
    Case("one system message is left alone", [system("s"), GO], None, (), CHAT_TEMPLATE),
    Case("none is none", [GO], None, (), CHAT_TEMPLATE),
    Case("several may lead elsewhere", [system("s"), developer("t"), GO], None, (), DEEPSEEK),
    Case(
        "the system's words go before the user's",
        [system("s"), system("t"), user("a", name="n"), assistant("b"), user("c")],
        [user("s\n\nt\n\na", name="n"), assistant("b"), user("c")],
        [("merged", 0, "system_unsupported"), ("merged", 1, "system_unsupported")],
        CHAT_TEMPLATE_GEMMA,
    ),
    Case(
        "one's as well, before an image",
        [system("s"), user([image()])],
        [user([text("s"), image()])],
        [("merged", 0, "system_unsupported")],
        CHAT_TEMPLATE_GEMMA,
    ),
    Case(
        "the developer's too",
        [developer("s"), user("a")],
        [user("s\n\na")],
        [("merged", 0, "system_unsupported")],
        GEMMA,
    ),
    Case("the user's alone are left alone", [GO, assistant("b"), GO], None, (), CHAT_TEMPLATE_GEMMA),
]

TEXTS_BESIDE_CALLS = [
    Case(
        "an empty text stays beside the calls where null is refused",
        [GO, assistant("b", calls=[call("a")]), tool("a")],
        [GO, assistant("b"), user(CONTINUE), assistant("", calls=[call("a")]), tool("a")],
        [("inserted", 1, "text_beside_calls")],
        replace(CHAT_TEMPLATE, calls_with_text=False),
    ),
    Case(
        "words before calls get a turn of their own",
        [GO, SAYS_AND_ASKS, tool("a"), tool("b")],
        [
            *(GO, assistant("b"), user(CONTINUE)),
            *(assistant(calls=[call("a"), call("b")]), tool("a"), tool("b")),
        ],
        [("inserted", 1, "text_beside_calls")],
        BEDROCK,
    ),
    Case(
        "words in parts too, each time, and fields stay with the calls",
        [
            *(GO, assistant([text("b")], calls=[call("a")], x=1), tool("a")),
            *(assistant("c", calls=[call("b")]), tool("b")),
        ],
        [
            *(GO, assistant([text("b")]), user(CONTINUE), assistant(calls=[call("a")], x=1), tool("a")),
            *(assistant("c"), user(CONTINUE), assistant(calls=[call("b")]), tool("b")),
        ],
        [("inserted", 1, "text_beside_calls"), ("inserted", 3, "text_beside_calls")],
        BEDROCK,
    ),
    Case("calls alone are left alone", [GO, ASKS, tool("a")], None, (), BEDROCK),
    Case("words alone are left alone", [GO, assistant("b"), GO], None, (), BEDROCK),
    Case("nothing said is no word", [GO, assistant("", calls=[call("a")]), tool("a")], None, (), BEDROCK),
    Case("both may stand together elsewhere", [GO, SAYS_AND_ASKS, tool("a"), tool("b")], None, (), ANTHROPIC),
]

NAMES = [
    Case(
        "names of other roles than the user's are dropped",
        [system("s", name="sy"), user("a", name="ann"), assistant("b", name="bo"), tool("a", name="f")],
        [system("s"), user("a", name="ann"), assistant("b"), tool("a")],
        [("dropped", 0, "refused_field"), ("dropped", 2, "refused_field"), ("dropped", 3, "refused_field")],
        XAI,
    ),
    Case(
        "a function's result alone keeps its name",
        [user("a", name="ann"), legacy_result()],
        [user("a"), legacy_result()],
        [("dropped", 0, "refused_field")],
        GROQ,
    ),
    Case("a name that is null says nothing", [GO, assistant("b", name=None), GO], None, (), GROQ),
    Case("all roles have names elsewhere", [assistant("b", name="bo"), GO], None, (), OPENAI),
]

PARALLEL_CALLS = [
    Case(
        "each call gets a turn of its own, with its result",
        [GO, SAYS_AND_ASKS, tool("b", "2"), tool("a", "1"), GO],
        [
            *(GO, assistant("b", calls=[call("a")]), tool("a", "1")),
            *(assistant(calls=[call("b")]), tool("b", "2"), GO),
        ],
        [("replaced", 1, "parallel_calls")],
        DATABRICKS,
    ),
    Case(
        "an empty text stands where null is refused",
        [GO, SAYS_AND_ASKS, tool("a"), tool("b")],
        [
            *(GO, assistant("b", calls=[call("a")]), tool("a")),
            *(assistant("", calls=[call("b")]), tool("b")),
        ],
        [("replaced", 1, "parallel_calls")],
        replace(CHAT_TEMPLATE, parallel_calls=False),
    ),
    Case("a call alone is left alone", [GO, ASKS, tool("a"), assistant("b"), GO], None, (), DATABRICKS),
    Case("Claude takes several", [GO, SAYS_AND_ASKS, tool("a"), tool("b")], None, (), DATABRICKS_CLAUDE),
]

REASONING = [
    Case(
        "lost thoughts beside calls are a blank, and so are empty ones",
        [
            *(GO, ASKS, tool("a"), {**ASKS, "reasoning_content": ""}, tool("a")),
            *({**ASKS, "reasoning_content": "hm"}, tool("a"), assistant("b"), GO),
        ],
        [
            *(GO, {**ASKS, "reasoning_content": " "}, tool("a")),
            *({**ASKS, "reasoning_content": " "}, tool("a")),
            *({**ASKS, "reasoning_content": "hm"}, tool("a"), assistant("b"), GO),
        ],
        [("inserted", 1, "reasoning_content"), ("inserted", 3, "reasoning_content")],
        KIMI,
    ),
    Case(
        "what was said without calls needs no more than an empty text",
        [GO, ASKS, tool("a"), assistant("b"), GO],
        [
            *(GO, {**ASKS, "reasoning_content": " "}, tool("a")),
            *(assistant("b", reasoning_content=""), GO),
        ],
        [("inserted", 1, "reasoning_content"), ("inserted", 3, "reasoning_content")],
        replace(KIMI, echoes_reasoning=True),
    ),
    Case(
        "what the client did not keep is empty",
        [GO, ASKS, tool("a"), assistant("b", reasoning_content=None), GO],
        [
            *(GO, {**ASKS, "reasoning_content": ""}, tool("a")),
            *(assistant("b", reasoning_content=""), GO),
        ],
        [("inserted", 1, "reasoning_content"), ("inserted", 3, "reasoning_content")],
        DEEPSEEK_THINKING,
    ),
    Case(
        "what it kept is left alone",
        [GO, assistant("a", reasoning_content="hm"), GO, assistant("b", reasoning_content="")],
        None,
        (),
        DEEPSEEK_THINKING,
    ),
    Case("a model that does not think needs none", [GO, ASKS, tool("a")], None, (), DEEPSEEK),
]

TOGETHER = [
    Case(
        "the words that are put in the model's mouth were not thought about either",
        [GO, {**ASKS, "reasoning_content": "hm"}, tool("a"), GO],
        [
            *(GO, {**ASKS, "reasoning_content": "hm"}, tool("a")),
            *(assistant(BRIDGE, reasoning_content=""), GO),
        ],
        [("inserted", 3, "user_after_result"), ("inserted", 3, "reasoning_content")],
        replace(MISTRAL, echoes_reasoning=True),
    ),
    Case(
        "nor those that got a turn of their own",
        [GO, {**SAYS_AND_ASKS, "reasoning_content": "hm"}, tool("a"), tool("b")],
        [
            *(GO, assistant("b", reasoning_content=""), user(CONTINUE)),
            *(assistant(calls=[call("a"), call("b")], reasoning_content="hm"), tool("a"), tool("b")),
        ],
        [("inserted", 1, "text_beside_calls"), ("inserted", 1, "reasoning_content")],
        replace(BEDROCK, echoes_reasoning=True),
    ),
    Case(
        "the words before several calls, the calls and the bridge are turns of their own, with thoughts",
        [GO, {**SAYS_AND_ASKS, "reasoning_content": "hm"}, tool("a"), tool("b"), GO],
        [
            *(GO, assistant("b"), user(CONTINUE)),
            *(assistant(calls=[call("a")], reasoning_content="hm"), tool("a")),
            *(assistant(calls=[call("b")], reasoning_content=" "), tool("b"), assistant(BRIDGE), GO),
        ],
        [
            ("inserted", 1, "text_beside_calls"),
            ("replaced", 1, "parallel_calls"),
            ("inserted", 4, "user_after_result"),
            ("inserted", 1, "reasoning_content"),
        ],
        replace(BEDROCK, parallel_calls=False, thinks_before_calls=True),
    ),
    Case("nothing at all stays nothing", [], None, (), CHAT_TEMPLATE),
]

CASES = [
    *PLACED,
    *THOUGHTS,
    *BRIDGES,
    *SYSTEMS,
    *NAMES,
    *TEXTS_BESIDE_CALLS,
    *PARALLEL_CALLS,
    *REASONING,
    *TOGETHER,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_rule_applies_exactly_where_the_profile_has_it(case: Case) -> None:
    """Each application of a rule is reported as a change of the ``dialect`` step."""
    check(apply_provider_rules, case)


@pytest.mark.parametrize("case", [case for case in CASES if case.expected], ids=lambda case: case.id)
def test_a_second_pass_changes_nothing(case: Case) -> None:
    """The first pass reports all changes under the name of the step."""
    once, made = apply_provider_rules(tuple(Entry(m, at) for at, m in enumerate(case.given)), case.profile)

    again, changes = apply_provider_rules(once, case.profile)

    assert {change.step for change in made} == {"dialect"}
    assert again is once
    assert changes == ()


def test_inserted_messages_have_the_origin_of_the_message_they_belong_to() -> None:
    """The origin is the index in the client's messages."""
    history = [GO, SAYS_AND_ASKS, tool("a"), tool("b"), user("c")]
    after, _ = apply_provider_rules(tuple(Entry(m, at) for at, m in enumerate(history)), BEDROCK)

    assert [0, 1, 1, 1, 2, 3, 4, 4] == [entry.origin for entry in after]


def test_late_system_message_behind_a_result_is_bridged() -> None:
    """The ``shape`` step makes a user message of the system message.

    At Mistral no user message may follow a result directly, so an assistant message is inserted between them.
    """
    history = [GO, assistant(calls=[call("abcdefgh1")]), tool("abcdefgh1"), system("s")]

    done = sanitize(history, MISTRAL)

    assert [*history[:3], assistant(BRIDGE), user("s")] == done.messages
    assert ["system_after_start", "user_after_result"] == [change.reason for change in done.changes]


def test_result_is_found_by_a_name_that_is_dropped_later() -> None:
    """Names of results tell the calls apart where ids are missing."""
    asked = assistant(calls=[call("", "f"), call("", "g")])
    given = [GO, asked, tool("", "of g", name="g"), tool("", "of f", name="f")]

    done = sanitize(given, GROQ)

    named = [(made["id"], made["function"]["name"]) for made in done.messages[1]["tool_calls"]]
    answers = {message["tool_call_id"]: message["content"] for message in done.messages[2:]}
    assert [(name, answers[call_id]) for call_id, name in named] == [("f", "of f"), ("g", "of g")]
    assert not any("name" in message for message in done.messages)


def test_appended_user_turn_needs_no_bridge() -> None:
    """A trailing model turn already stands between the result and the appended user turn."""
    history = [GO, assistant(calls=[call("abcdefgh1")]), tool("abcdefgh1"), assistant("b")]

    assert [*history, user(CONTINUE)] == sanitize(history, MISTRAL).messages


def test_inserted_texts_are_pinned() -> None:
    """Another text would invalidate every provider's cached prefix."""
    assert (BRIDGE, NO_THOUGHT) == ("Understood.", " ")
