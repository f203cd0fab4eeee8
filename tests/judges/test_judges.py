"""Tests that providers' own code accepts the bodies that turnright writes, for every history and every target."""

from __future__ import annotations

import fnmatch
from collections import Counter

import pytest

from sanitizers.profile_names import PROFILES, profile_for
from tests.judges.asking import COMMANDS, NODE, Workers
from tests.judges.exceptions import ALLOWED, Allowed, unexplained, unused
from tests.judges.inputs import histories
from tests.judges.judging import OURS, Judged, Refusal, grouped, judge_target, judges_of
from tests.judges.plain_cases import ILLEGAL, PLAIN, PLAIN_CHAT, TEMPLATES_REFUSE, form_of
from tests.judges.targets import TARGETS, Target, family_of
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

TYPES = [name for name in COMMANDS if name != "templates"]


def test_every_profile_has_a_target() -> None:
    assert {profile_for(one.model, one.profile).name for one in TARGETS} == PROFILES.keys()


@pytest.mark.parametrize("name", TYPES)
def test_judges_accept_a_plain_history_and_refuse_an_illegal_one(workers: Workers, name: str) -> None:
    """Each judge accepts a request with a call and its result, and refuses an illegal one with the expected words."""
    worker = workers[name]
    assert worker.names
    for judge in worker.names:
        body, words = ILLEGAL[form_of(name, judge)]

        assert worker.ask([judge], PLAIN[form_of(name, judge)]) == {}, judge
        assert words in worker.ask([judge], body).get(judge, ""), judge


def test_templates_accept_a_plain_history_and_refuse_illegal_ones(workers: Workers) -> None:
    """At least 95 % of the templates accept a plain question. Each known fault is refused by several templates."""
    worker = workers["templates"]
    refusing = worker.ask(worker.names, PLAIN_CHAT)

    assert len(worker.names) >= 150
    assert len(refusing) <= len(worker.names) / 20, refusing
    for fault, body, least in TEMPLATES_REFUSE:
        assert len(worker.ask(worker.names, body).keys() - refusing.keys()) >= least, fault


@pytest.mark.skipif((NODE / "unreachable").exists(), reason="npm's registry could not be reached")
def test_templates_come_from_four_packages_and_three_families(workers: Workers) -> None:
    """The templates are read out of four packages, and belong to the three families that the targets name."""
    names = workers["templates"].names

    assert {name.partition("/")[0] for name in names} == {
        "axolotl",
        "llama-cpp-python",
        "ollama-utils",
        "trl",
    }
    assert {family_of(name) for name in names} == {one.templates for one in TARGETS} - {None}


def test_histories_are_the_known_ones_and_three_hundred_damaged_ones() -> None:
    names = [one.name for one in histories()]

    assert sum(name.startswith("damaged") for name in names) == 300
    assert len(names) > 360
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
async def test_judges_accept_every_history(workers: Workers, target: Target) -> None:
    """The target's judges accept every history, plain and streamed, except for refusals that ``ALLOWED`` lists."""
    judged = await judge_target(target, workers)

    assert list(grouped(unexplained(judged.refusals))) == []
    assert unused(target.name, judged) == []
    for worker, judges in judges_of(target, workers).items():
        assert all(judged.verdicts[f"{worker}/{judge}"] > 600 for judge in judges), judged.verdicts


@pytest.mark.parametrize("row", ALLOWED, ids=lambda row: f"{row.target} {row.judge}")
def test_exception_is_for_a_target_and_has_a_reason(row: Allowed) -> None:
    """Each exception fits a target, since any other would never be found unused. Its reason has more than ten words."""
    assert fnmatch.filter([target.name for target in TARGETS], row.target)
    assert len(row.reason.split()) > 10


def test_exception_that_explains_nothing_is_found() -> None:
    """A row is unused if the target and its judges fit the row and no refusal does."""
    judged = Judged(verdicts=Counter({"sdk_types/openai": 1}))

    assert {row.judge for row in unused("openai", judged)} == {OURS, "sdk_types/openai"}
    assert unexplained([Refusal("openai", "sdk_types/openai", "g01", "No.")])
