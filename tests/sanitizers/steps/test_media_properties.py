"""Tests properties of every history with media: each loss is named, and every judge accepts the output."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from sanitizers import (
    Messages,
    Profile,
    Sanitized,
    Unrepairable,
    find_violations,
    profile_for,
    run_steps,
    sanitize,
)
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.messages import RESULT_ROLES
from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import PROVIDER_PROFILES
from tests.sanitizers.test_pipeline_agreement import gemini_body
from tests.support.builders import assistant, user
from tests.support.gemini_body import as_sent, direct_body
from tests.support.openai_emulator import judge_openai
from tests.support.strategies import mark_of, media_histories

History = list[dict[str, Any]]

profiles = st.sampled_from(
    [OPENAI, GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, OPENAI.merging(), *PROVIDER_PROFILES]
)
MODELS = ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]
MEDIA = ("file", "image_url", "input_audio")


def numbers_in(history: History) -> dict[int, int]:
    """Return the message index of each medium, by its number. Media are numbered in order."""
    places = [
        at
        for at, message in enumerate(history)
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if part["type"] in MEDIA
    ]
    return dict(enumerate(places))


def blocks_of(history: Messages) -> list[list[str]]:
    """Return each run of results: the role of the message before it, then the results' ids."""
    blocks: list[list[str]] = []
    before = ""
    for message in history:
        if message["role"] in RESULT_ROLES:
            if before not in RESULT_ROLES:
                blocks.append([before])
            blocks[-1].append(message["tool_call_id"])
        before = message["role"]
    return blocks


def sanitized(history: History, profile: Profile) -> Sanitized | Unrepairable:
    """Return the outcome of sanitizing, or the refusal."""
    try:
        return sanitize(history, profile)
    except Unrepairable as error:
        return error


@given(media_histories(), profiles)
def test_every_output_is_legal_or_the_newest_turn_is_refused(history: History, profile: Profile) -> None:
    """Every output is legal, or media of the newest user turn is refused with its index."""
    done = sanitized(history, profile)
    if isinstance(done, Unrepairable):
        assert done.rule in ("remote_media", "media_type", "media_unreadable")
        assert done.index == max(at for at, message in enumerate(history) if message["role"] == "user")
        return

    assert done.violations == ()
    again = sanitize(done.messages, profile)
    assert again.messages is done.messages
    assert run_steps(done.messages, profile) == (done.messages, ())


@given(media_histories(asked=False), profiles)
def test_every_medium_is_sent_or_named_in_a_change(history: History, profile: Profile) -> None:
    """Every medium is sent, or a change names it and a note replaces it.

    Media is recognised by its bytes, so media that has only an address is not checked.
    """
    before = copy.deepcopy(history)
    done = sanitize(history, profile)
    kept = json.dumps(list(done.messages))
    left_out = [change for change in done.changes if change.reason == "left_out"]

    assert history == before
    missing = [at for number, at in numbers_in(history).items() if mark_of(number) not in kept]
    remote = [at for at in missing if at not in {change.index for change in left_out}]
    assert all("example.com" in json.dumps(history[at]) for at in remote)
    assert kept.count("[Left out: ") == len(left_out)


@given(media_histories(asked=False), profiles.filter(lambda profile: profile.parallel_calls))
def test_blocks_of_results_stay_whole(history: History, profile: Profile) -> None:
    """A turn and its results stay together: no message is inserted between them.

    A provider that takes one call in a turn gets several turns.
    """
    done = sanitize(history, profile)

    assert blocks_of(history) == blocks_of(done.messages)


@given(media_histories(asked=False), media_histories(asked=False), profiles)
def test_a_repair_of_older_media_never_changes_as_the_history_grows(
    history: History, more: History, profile: Profile
) -> None:
    """A repair of older media does not change when later media is appended."""
    others = json.loads(json.dumps(more).replace('"c0', '"d0'))  # no id of the first part is used again
    start = [*history, assistant("closed"), user("go on")]
    before = list(sanitize(start, profile).messages)
    after = list(sanitize([*start, assistant("ok"), *others, assistant("ok"), user("on")], profile).messages)

    assert after[: len(before)] == before


@pytest.mark.usefixtures("litellm")
@pytest.mark.filterwarnings("ignore")
@given(media_histories(), st.sampled_from(MODELS), st.booleans())
def test_the_gemini_judge_accepts_what_comes_out_on_both_wires(
    history: History, model: str, direct: bool
) -> None:
    """Gemini's judge accepts the output on both transports, and each body holds exactly the media of the output."""
    profile = profile_for(f"gemini/{model}")
    try:
        done = sanitize(history, profile)
    except Unrepairable:
        return
    if direct:
        body = direct_body(done.messages, profile, model)
    else:
        body = gemini_body(list(as_sent(done.messages, profile)), model)

    assert judge(model, body) is None
    arrived = json.dumps(body)
    kept = json.dumps(list(done.messages))
    for number in numbers_in(history):
        assert (mark_of(number) in kept) is (mark_of(number) in arrived), number


@given(media_histories())
def test_the_openai_judge_accepts_what_comes_out(history: History) -> None:
    """The judge of OpenAI's rules accepts each sanitized history with media."""
    try:
        done = sanitize(history, OPENAI)
    except Unrepairable:
        return

    assert judge_openai(list(done.messages)) is None


@given(media_histories(), profiles)
def test_the_checker_finds_what_the_steps_change(history: History, profile: Profile) -> None:
    """The checker finds a violation exactly if a step changes or refuses the history."""
    try:
        after, changes = run_steps(history, profile)
    except Unrepairable:
        assert find_violations(history, profile)
        return

    assert bool(changes) is bool(find_violations(history, profile))
    assert (after is history) is (not changes)
