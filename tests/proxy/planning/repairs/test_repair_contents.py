"""Tests of repairs to the fields and media of messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.planning.repairs import repair_request
from proxy.planning.repairs.repair_contents import add_reasoning
from sanitizers.gemini_profiles import GEMINI_3
from sanitizers.profiles import OPENAI
from tests.proxy.planning.repairs.asking import draft_of, listed, refusal
from tests.support.builders import assistant, call, image, system, text, tool, user


def test_every_model_turn_without_reasoning_gets_an_empty_one() -> None:
    """Existing reasoning stays."""
    history = [user("a"), assistant("b"), user("c"), assistant("d", reasoning_content="Hm."), user("e")]
    draft = add_reasoning(draft_of(history), refusal("No."))

    assert [message.get("reasoning_content") for message in draft.messages] == [None, "", None, "Hm.", None]
    assert listed(draft) == [("inserted", 1, "reasoning_content", "")]


def test_no_reasoning_is_added_where_the_provider_refuses_the_field() -> None:
    """An added field would break another rule of the provider."""
    profile = replace(OPENAI, refused_fields=frozenset({"reasoning_content"}))
    draft = draft_of([user("a"), assistant("b"), user("c")], profile=profile)

    assert add_reasoning(draft, refusal("No.")) is draft


def test_media_of_the_newest_user_message_stay() -> None:
    """The user asks about the newest media. The client gets the provider's error about the media."""
    history = [user("t1§"), assistant("t2§"), user([image()])]

    assert repair_request(history, {}, GEMINI_3, refusal("Provided image is not valid")) is None
    assert repair_request(history, {}, GEMINI_3, refusal("Unsupported MIME type: png")) is None


PIXEL = image()
FROM_TOOL = [text("[Image from the result of f (call c1):]"), image()]
OLD = [user([text("t0§"), image()]), assistant("t1§")]
ASKED = [user([text("t2§"), image()])]
CALLED = [assistant(None, [call("c1")]), tool("c1")]


@pytest.mark.parametrize(
    ("turn", "kept"),
    [
        ([*ASKED, user("t3§")], [2]),
        ([*ASKED, system("t3§"), user("t4§")], [2]),
        ([*ASKED, *CALLED], [2]),
        ([*ASKED, *CALLED, user(FROM_TOOL)], [2]),
        ([*ASKED, *CALLED, user(FROM_TOOL), assistant("t3§"), user("Please continue.")], [2]),
        ([*ASKED, *CALLED, user(FROM_TOOL), user("t3§")], []),
        ([*ASKED, *CALLED, user(FROM_TOOL), *ASKED], [6]),
        ([*ASKED, *CALLED, user([*FROM_TOOL, *ASKED[0]["content"]])], [5]),
    ],
    ids=[
        "two messages",
        "words of the system",
        "results",
        "moved",
        "continued",
        "moved, asked",
        "behind",
        "joined",
    ],
)
def test_media_that_the_user_asks_about_now_stay(turn: list[dict[str, Any]], kept: list[int]) -> None:
    """Media stay in all messages of the user's newest turn. Media of a tool's result are not part of that turn."""
    done = repair_request([*OLD, *turn], {}, OPENAI, refusal("Provided image is not valid"))

    assert done is not None
    assert [at for at, message in enumerate(done.messages) if str(PIXEL) in str(message)] == kept
    assert str(done.messages).count(str(PIXEL)) == len(kept)
