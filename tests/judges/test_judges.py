"""Tests that providers' own code accepts the bodies that turnright writes, for every history and every target."""

from __future__ import annotations

import fnmatch
from collections import Counter
from typing import Any

import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from proxy.upstream.transports import transport_of
from proxy.upstream.wires.openai.azure import azure_url
from sanitizers.profile_names import PROFILES, profile_for
from tests.judges.asking import COMMANDS, NODE, Workers
from tests.judges.exceptions import ALLOWED, Allowed, unexplained, unused
from tests.judges.inputs import histories
from tests.judges.judging import OURS, Judged, Refusal, grouped, judge_target, judges_of, written_bodies
from tests.judges.plain_cases import ILLEGAL, PLAIN, PLAIN_CHAT, TEMPLATES_REFUSE, form_of
from tests.judges.row_targets import JOINED, ROW_TARGETS
from tests.judges.targets import TARGETS, Target, family_of
from tests.judges.writing import writing
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

ALL = (*TARGETS[:1], *ROW_TARGETS, *TARGETS[1:])
"""All targets. Those of one kind stand together, since a worker judges equal bodies once."""

HERE = "http://127.0.0.1:1"
TYPES = [name for name in COMMANDS if name != "templates"]


def test_every_profile_has_a_target() -> None:
    assert {profile_for(one.model, one.profile).name for one in ALL} == PROFILES.keys()


def test_every_row_has_a_target_on_the_direct_transport() -> None:
    """No row of the providers is left out, and Azure has both forms of its addresses.

    Anthropic and Gemini have wires of their own, and no row.
    """
    direct = [one for one in ALL if transport_of(one.deployment(HERE)) == "direct"]

    own = {"anthropic", "gemini"}
    assert {one.model.partition("/")[0] for one in direct} - own == {*ROWS, *listed_providers()}
    assert [one.name for one in ROW_TARGETS if one not in direct] == []
    assert {azure_url(one.deployment(HERE), "") for one in ROW_TARGETS if one.model == "azure/gpt-4o"} == {
        f"{HERE}/openai/deployments/gpt-4o/?api-version=2024-10-21",
        f"{HERE}/openai/v1/",
    }


async def test_bodies_with_joined_texts_are_otherwise_those_of_other_servers() -> None:
    """Templates judge the bodies of ``hosted_vllm``, so those of ``JOINED`` may differ in joined texts alone."""
    joined, others = [await messages_of(name) for name in (JOINED, "hosted_vllm/some-model")]

    assert joined != others
    assert joined == [[with_joined_text(message) for message in messages] for messages in others]


async def messages_of(name: str) -> list[list[dict[str, Any]]]:
    """Return the messages of all bodies for the target of a row with this name."""
    [target] = [one for one in ROW_TARGETS if one.name == name]
    async with writing(target) as writer:
        return [one.body["messages"] async for one in written_bodies(writer, target, Judged())]


def with_joined_text(message: dict[str, Any]) -> dict[str, Any]:
    """Return *message* with one text in the place of a list of texts."""
    parts = message.get("content")
    if not isinstance(parts, list) or any(part["type"] != "text" for part in parts):
        return message
    return {**message, "content": "".join(part["text"] for part in parts)}


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
    assert {family_of(name) for name in names} == {one.templates for one in ALL} - {None}


def test_histories_are_the_known_ones_and_three_hundred_damaged_ones() -> None:
    names = [one.name for one in histories()]

    assert sum(name.startswith("damaged") for name in names) == 300
    assert len(names) > 360
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("target", ALL, ids=lambda target: target.name)
async def test_judges_accept_every_history(workers: Workers, target: Target) -> None:
    """The target's judges accept every history, plain and streamed, except for refusals that ``ALLOWED`` lists."""
    judged = await judge_target(target, workers)

    assert list(grouped(unexplained(judged.refusals))) == []
    assert unused(target.name, judged) == []
    for worker, judges in judges_of(target, workers).items():
        assert all(judged.verdicts[f"{worker}/{judge}"] > 600 for judge in judges), judged.verdicts


@pytest.mark.parametrize("row", ALLOWED, ids=lambda row: f"{row.targets[0]} {row.judge} {row.words[:20]}")
def test_exception_is_for_a_target_and_has_a_reason(row: Allowed) -> None:
    """Each pattern fits a target, since any other would never be found unused. The reason has more than ten words."""
    names = [target.name for target in ALL]
    assert [pattern for pattern in row.targets if not fnmatch.filter(names, pattern)] == []
    assert len(row.reason.split()) > 10


def test_exception_that_explains_nothing_is_found() -> None:
    """A row is unused if the target and its judges fit the row and no refusal does."""
    judged = Judged(verdicts=Counter({"sdk_types/openai": 1}))

    assert {row.judge for row in unused("openai", judged)} == {OURS, "sdk_types/openai"}
    assert unexplained([Refusal("openai", "sdk_types/openai", "g01", "No.")])
