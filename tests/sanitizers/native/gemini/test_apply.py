"""Tests of Gemini contents after sanitizing and cuts. The emulator judges each repair."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from proxy.emulator import judge
from sanitizers import sanitize
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3_STRICT
from sanitizers.native import GEMINI_CONTENTS
from sanitizers.native.gemini.apply import apply_contents, apply_messages
from sanitizers.native.gemini.project import project_contents
from sanitizers.native.protocol import HELD_PLACEHOLDER
from sanitizers.profiles import Profile
from sanitizers.synthetic import CONTINUE, HISTORY_START, MISSING_RESULT
from sanitizers.work_limit import WorkLimit, limited_by
from tests.sanitizers.native.gemini.building import answered, called, model, said, user
from tests.support.strategies.contents import PNG

Contents = list[dict[str, Any]]
ASKED, MORE = user(said("question")), user(said("more"))
THOUGHT = {"text": "hm", "thought": True}
CALLED = model(THOUGHT, said("look"), called("f", "a", path="x"))
ANSWERED = user(answered("f", "a"))
UNNAMED, UNNAMED_ANSWER = model(called("f"), called("g")), user(answered("f"), answered("g"))
MISSING = {"error": "No result was recorded for this tool call."}
FILE = user({"fileData": {"mimeType": "application/pdf", "fileUri": "files/a"}}, said("read"))


def repaired(native: Contents, profile: Profile = GEMINI_3_STRICT) -> Contents:
    """Return *native* after sanitizing. The emulator must accept the result, and the input must not be mutated."""
    before = copy.deepcopy(native)
    projected = GEMINI_CONTENTS.project(native)
    done = sanitize(projected.messages, profile)
    written = GEMINI_CONTENTS.apply(native, projected, done.messages, profile)

    assert native == before
    assert GEMINI_CONTENTS.find_violations(written, profile) == ()
    name = "gemini-3.6-flash" if profile is GEMINI_3_STRICT else "gemini-2.5-flash"
    assert judge(name, {"contents": list(written)}) is None
    return list(written)


@pytest.mark.parametrize(
    "native",
    [
        [ASKED],
        [ASKED, CALLED, ANSWERED],
        [ASKED, UNNAMED, UNNAMED_ANSWER, MORE],
        [ASKED, model(said("a")), FILE, MORE],
        [{"parts": [said()]}],
        [user({"newKind": {"a": 1}}), model(said("a"), {"newKind": {"a": 1}}), MORE],
    ],
)
def test_legal_list_comes_back_as_the_same_object(native: Contents) -> None:
    """The list keeps what chat messages cannot hold, such as thoughts and files."""
    projected = project_contents(native)
    done = sanitize(projected.messages, GEMINI_3_STRICT)

    assert apply_messages(native, projected, done.messages, GEMINI_3_STRICT) is native


@pytest.mark.parametrize(
    ("native", "written"),
    [
        pytest.param([ASKED, ANSWERED, MORE], [ASKED, MORE], id="orphaned response"),
        pytest.param(
            [ASKED, CALLED, MORE],
            [ASKED, CALLED, user({"functionResponse": {"id": "a", "name": "f", "response": MISSING}}), MORE],
            id="missing response",
        ),
        pytest.param(
            [ASKED, UNNAMED, user(answered("g")), MORE],
            [
                ASKED,
                UNNAMED,
                user({"functionResponse": {"name": "f", "response": MISSING}}, answered("g")),
                MORE,
            ],
            id="one of two responses missing, without ids",
        ),
        pytest.param(
            [CALLED, ANSWERED], [user(said(HISTORY_START)), CALLED, ANSWERED], id="the model speaks first"
        ),
        pytest.param(
            [ASKED, model(said("a"))], [ASKED, model(said("a")), user(said(CONTINUE))], id="the model is last"
        ),
        pytest.param(
            [ASKED, UNNAMED, user(answered("f")), user(answered("g"))],
            [ASKED, UNNAMED, UNNAMED_ANSWER],
            id="responses in several contents",
        ),
        pytest.param(
            [ASKED, UNNAMED, MORE, UNNAMED_ANSWER],
            [ASKED, UNNAMED, UNNAMED_ANSWER, MORE],
            id="late responses",
        ),
        pytest.param(
            [
                ASKED,
                model(called("f", "a")),
                model(called("g", "b")),
                user(answered("f", "a"), answered("g", "b")),
            ],
            [ASKED, model(called("f", "a"), called("g", "b")), user(answered("f", "a"), answered("g", "b"))],
            id="calls in several contents keep their signatures",
        ),
        pytest.param(
            [ASKED, CALLED, user(said("more"), answered("f", "a"))],
            [ASKED, CALLED, ANSWERED, MORE],
            id="response beside a text",
        ),
        pytest.param(
            [ASKED, CALLED, user(answered("f"))], [ASKED, CALLED, ANSWERED], id="id on the call alone"
        ),
        pytest.param(
            [ASKED, CALLED, user(answered("other", "a"))], [ASKED, CALLED, ANSWERED], id="wrong name"
        ),
        pytest.param(
            [ASKED, CALLED, user({"functionResponse": {"id": "a", "name": "f"}})],
            [ASKED, CALLED, user(answered("f", "a", output=""))],
            id="response without its object",
        ),
        pytest.param(
            [ASKED, CALLED, {"role": "function", "parts": ANSWERED["parts"]}],
            [ASKED, CALLED, ANSWERED],
            id="role of responses",
        ),
        pytest.param(
            [ASKED, model(said(""), THOUGHT, said("a")), MORE],
            [ASKED, model(THOUGHT, said("a")), MORE],
            id="empty part",
        ),
        pytest.param([ASKED, model(THOUGHT), MORE], [ASKED, MORE], id="thoughts alone"),
        pytest.param([ASKED, model(), MORE], [ASKED, MORE], id="no parts"),
        pytest.param(
            [ASKED, user(called("f", "a")), ANSWERED],
            [ASKED, model(called("f", "a")), ANSWERED],
            id="call of the user",
        ),
    ],
)
def test_damaged_list_is_repaired(native: Contents, written: Contents) -> None:
    """A written content that equals an item of the client's list is the same object as that item."""
    made = repaired(native)

    assert made == written
    for item in native:
        assert item not in written or any(content is item for content in made)


def test_chunks_of_an_answer_become_one_content_without_another_text() -> None:
    """Gemini wants the calls of a turn in one content. The chunks' texts stay as they are, with nothing in between."""
    chunks = [model(said("Let")), model(said(" me.")), model(called("f", "a")), model(said(""))]
    native = [user(said()), *chunks, user(answered("f", "a"))]
    projected = project_contents(native)

    changed = apply_contents(native, projected, projected.messages, GEMINI_3_STRICT)

    assert changed.items == [native[0], model(said("Let"), said(" me."), called("f", "a")), native[5]]
    assert changed.origins == (0, 1, 5)
    assert [(change.index, change.reason) for change in changed.changes] == [
        (1, "model_run"),
        (1, "empty_text"),
    ]


@pytest.mark.parametrize(
    "chunks",
    [
        [model(said("Let")), model(said(" me."))],
        [model(THOUGHT), model(said("so"))],
    ],
)
def test_chunks_of_an_answer_stay_without_calls(chunks: Contents) -> None:
    """google-genai sends them so, and the bytes of a legal request stay."""
    native = [ASKED, *chunks, MORE]
    projected = project_contents(native)

    assert apply_messages(native, projected, projected.messages, GEMINI_3_STRICT) is native
    assert judge("gemini-3.6-flash", {"contents": native}) is None


def test_chunk_behind_a_call_joins_it() -> None:
    """The responses must follow the calls directly."""
    signed = {"text": "", "thoughtSignature": CALLED["parts"][2]["thoughtSignature"]}

    assert repaired([ASKED, model(called("f", "a")), model(signed), ANSWERED]) == [
        ASKED,
        model(called("f", "a"), signed),
        ANSWERED,
    ]


def test_fault_in_a_changed_turn_is_named() -> None:
    """No chat message shows an empty part."""
    native = [ASKED, model({}, called("f", "a")), ANSWERED]
    projected = project_contents(native)
    bare = [
        {key: value for key, value in call.items() if key != "extra_content"}
        for call in projected.messages[1]["tool_calls"]
    ]
    turn = {**projected.messages[1], "tool_calls": bare}
    changed = apply_contents(
        native, projected, [projected.messages[0], turn, projected.messages[2]], GEMINI_3_STRICT
    )

    assert changed.items[1] == model(called("f", "a"))
    assert [(change.index, change.reason) for change in changed.changes] == [(1, "data_missing")]


def test_chunks_that_say_nothing_at_all_are_named() -> None:
    """A chat message without thoughts says nothing."""
    native = [ASKED, model(THOUGHT), model(THOUGHT), MORE]

    assert repaired(native) == [ASKED, MORE]


def test_chunks_stay_where_the_model_accepts_them() -> None:
    """Without a rule against them the list is the client's own, beside a change elsewhere too."""
    native = [user(said()), model(said("Let")), model(said(" me.")), user(said("next")), user(said(""))]
    projected = project_contents(native)
    lenient = replace(GEMINI_3_STRICT, assistant_runs=True)

    changed = apply_contents(native, projected, projected.messages, lenient)

    assert [*map(id, changed.items)] == [*map(id, native[:4])]
    assert changed.origins == (0, 1, 2, 3)


def test_two_user_turns_become_one_content_for_gemini_1() -> None:
    """Later models accept two user turns in a row."""
    native = [ASKED, FILE]
    [joined] = repaired(native, GEMINI_1)

    assert joined == user(said("question"), *FILE["parts"])
    assert joined["parts"][1] is FILE["parts"][0]
    assert repaired(native)[1] is FILE


def test_media_that_moves_out_of_a_response_stays_native() -> None:
    """Before Gemini 3, the media part leaves the response, and stays the same object."""
    medium = {"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "plot"}}
    response = {"name": "f", "id": "a", "response": {"output": "see"}, "parts": [medium]}
    made = repaired([ASKED, CALLED, user({"functionResponse": response}), MORE], GEMINI_2)

    assert any(part is medium for content in made for part in content["parts"])
    assert "parts" not in made[2]["parts"][0]["functionResponse"]


def test_file_within_a_response_becomes_text_before_gemini_3() -> None:
    """Before Gemini 3 no response has parts."""
    nested = [{"fileData": {"mimeType": "application/pdf", "fileUri": "files/a"}}]
    response = {"name": "f", "id": "a", "response": {"output": "see "}, "parts": nested}

    made = repaired([ASKED, CALLED, user({"functionResponse": response})], GEMINI_2)

    assert made == [ASKED, CALLED, user(answered("f", "a", output=f"see {HELD_PLACEHOLDER}"))]


def test_nested_file_stays_native_beside_a_shortened_text() -> None:
    """Gemini 3 accepts parts in a response."""
    nested = {"fileData": {"mimeType": "application/pdf", "fileUri": "files/a"}}
    response = {"name": "f", "id": "a", "response": {"output": "long"}, "parts": [nested]}
    native = [ASKED, CALLED, user({"functionResponse": response})]
    projected = project_contents(native)
    *before, result = projected.messages
    shorter = {**result, "content": [{"type": "text", "text": "l…"}, *result["content"][1:]]}

    *_, written = apply_messages(native, projected, [*before, shorter], GEMINI_3_STRICT)

    assert written == user({"functionResponse": {**response, "response": {"output": "l…"}}})


def test_single_content_without_a_role_gets_one_when_another_follows() -> None:
    """Gemini reads a missing role as the user's only in a list of one content."""
    native = [{"parts": [said()]}]
    projected = project_contents(native)
    more = [*projected.messages, {"role": "user", "content": "stop"}]

    assert apply_messages(native, projected, more, GEMINI_3_STRICT) == [user(said()), user(said("stop"))]


def test_data_of_an_unknown_kind_stays_beside_what_is_repaired() -> None:
    """A later version of the API may have it."""
    new = {"newKind": {"a": 1}}
    native = [ASKED, model(said(""), new, said("a")), MORE]
    projected = project_contents(native)

    _, written, _ = apply_messages(native, projected, projected.messages, GEMINI_3_STRICT)

    assert written == model(new, said("a"))


def test_unknown_fields_of_parts_and_contents_stay() -> None:
    """The repair changes the role alone."""
    odd: dict[str, Any] = {
        "role": "function",
        "later": 1,
        "parts": [{**answered("f", "a"), "newer": {"x": 1}}],
    }
    projected = project_contents([ASKED, CALLED, odd])

    *_, written = apply_messages([ASKED, CALLED, odd], projected, projected.messages, GEMINI_3_STRICT)

    assert written == {**odd, "role": "user"}
    assert written["parts"][0] is odd["parts"][0]


def test_dropped_rounds_drop_their_items() -> None:
    """All items of the remaining rounds are the same objects."""
    native = [ASKED, CALLED, ANSWERED, MORE, UNNAMED, UNNAMED_ANSWER]
    projected = project_contents(native)
    cut = [projected.messages[0], *projected.messages[3:]]

    written = apply_messages(native, projected, cut, GEMINI_3_STRICT)

    assert [id(item) for item in written] == [id(native[at]) for at in (0, 3, 4, 5)]


def test_shortened_result_is_written_anew_beside_unchanged_ones() -> None:
    """The part of the unchanged result is the same object."""
    native = [ASKED, UNNAMED, UNNAMED_ANSWER]
    projected = project_contents(native)
    shorter = [*projected.messages[:2], {**projected.messages[2], "content": "do…"}, projected.messages[3]]

    written = apply_messages(native, projected, shorter, GEMINI_3_STRICT)

    assert written[1] is UNNAMED
    assert written[2] == user(answered("f", output="do…"), answered("g"))
    assert written[2]["parts"][1] is UNNAMED_ANSWER["parts"][1]


def test_inserted_user_message_is_a_content_and_system_message_is_none() -> None:
    """A system message is left out of the contents, since it belongs to ``systemInstruction``."""
    native = [ASKED, CALLED, ANSWERED]
    projected = project_contents(native)
    more = [{"role": "system", "content": "rules"}, *projected.messages, {"role": "user", "content": "stop"}]

    written = apply_messages(native, projected, more, GEMINI_3_STRICT)

    assert written == [*native, user(said("stop"))]
    assert [id(item) for item in written[:3]] == [*map(id, native)]


def test_renamed_call_renames_its_response() -> None:
    """The message of a result has no name, so the written response gets its name from the renamed call."""
    native = [ASKED, model(called("my tool", "a")), user(answered("my tool", "a"))]
    made = repaired(native)

    name = made[1]["parts"][0]["functionCall"]["name"]
    assert made[2]["parts"][0]["functionResponse"]["name"] == name != "my tool"


def test_missing_result_is_the_pipelines_text() -> None:
    """``MISSING`` in this file has the text of :data:`MISSING_RESULT`."""
    assert MISSING == {"error": MISSING_RESULT.split('"')[3]}


def test_work_is_linear_and_counted() -> None:
    """Twice the contents take twice the steps."""

    def steps(rounds: int) -> int:
        native = [ASKED, *[CALLED, ANSWERED] * rounds]
        projected = project_contents(native)
        limit = WorkLimit(10**9)
        with limited_by(limit):
            apply_messages(native, projected, projected.messages, GEMINI_3_STRICT)
        return 10**9 - limit.left

    assert steps(400) <= 2 * steps(200) + 10
    assert steps(400) >= 800
