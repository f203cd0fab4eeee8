"""Tests of learned repairs on real sockets: what requests cost, what clients get, and when a repair is unlearned."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import orjson
import pytest

from benchmarks.learned.conversations import body_of
from benchmarks.learned.gateways import config_for, serving
from benchmarks.learned.provider import Body, Reply, providing, refusing
from benchmarks.learned.rounds import LEAST_SHARE, run
from benchmarks.learned.target_faults import FAULTS, Fault
from proxy.observability.request_record import Planned, RequestRecord
from sanitizers import Change
from tests.behaviours.learned_targets import REFUSES_TEMPERATURE, SEED, TEMPERATURE, anything, no_seed, target
from tests.support.builders import system
from tests.support.sqlite_stores import SteppedClock

KEYS: dict[str, Any] = {
    "general_settings": {
        "master_key": "sk-master",
        "keys": [{"name": name, "key": f"sk-{name}-0123456789"} for name in ("alice", "bob", "carol")],
    }
}


def name_of(fault: Fault) -> str:
    """Return a name for a test of *fault*."""
    return f"{fault.route}-{fault.name}".replace(" ", "_")


@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
async def test_second_request_of_a_conversation_and_first_of_the_fifth_cost_one_call(fault: Fault) -> None:
    """Repairs that loosen the form of an answer need fifteen conversations.

    Each client gets the same answer and changes as without learning, and the provider accepts the same body.
    """
    result = await run(fault, fault.confirmations + 2, turns=2, at_once=1)

    assert result.violations == []
    assert result.opening == [2] * fault.confirmations + [1, 1]
    assert set(result.second) == {1}


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.name == "JSON with tools"], ids=name_of)
async def test_almost_all_of_a_thousand_requests_cost_one_call(fault: Fault) -> None:
    """The others are the first refusals and the probes. No fault needs more of them than one that needs 0.9."""
    result = await run(fault, 200, turns=5, every=10)

    assert result.violations == []
    assert result.share >= LEAST_SHARE
    assert result.calls - 1_000 == fault.confirmations + result.probes


@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
async def test_changes_are_those_of_the_repair_after_a_refusal(
    fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record and the explanation have them in the same order, with the same places and reasons."""
    planned: list[tuple[Change, ...]] = []
    use_plan = RequestRecord.use_plan

    def noting(record: RequestRecord, plan: Planned, answer_changes: Iterable[Change] = ()) -> None:
        planned.append(plan.changes)
        use_plan(record, plan, answer_changes)

    monkeypatch.setattr(RequestRecord, "use_plan", noting)
    async with (
        providing(refusing(fault.refuse)) as provider,
        serving(config_for(provider, fault.route)) as gateway,
    ):
        for conversation in range(fault.confirmations + 1):
            await gateway.post(body_of(fault, conversation, 0, stream=False))
        last = body_of(fault, fault.confirmations, 0, stream=False)
        said = (await gateway.post(last, "/v1/explain")).json

    *_, after_a_refusal, in_advance = planned
    assert len(planned) == 2 * fault.confirmations + 1
    assert in_advance == after_a_refusal
    assert said["changes"] == [change.as_dict() for change in in_advance]
    assert said["summary"].endswith(";learned")


async def test_mended_target_is_unlearned_after_1001_requests() -> None:
    """The interval between two probes has its maximum, and no time passes. No request needs a second call."""
    async with target(no_seed, clock=SteppedClock()) as learning:
        learning.teach(SEED, conversations=20)
        learning.confirm_probes()
        learning.provider.judge = anything
        sent = []
        for _ in range(1_002):
            answer, bodies = await learning.ask()
            assert answer.status == 200
            sent.append(["seed" in body for body in bodies])

        assert sent == [[False]] * 999 + [[True]] * 3
        assert not learning.evidence()["", "seed"].is_learned
        assert await learning.gateway.count("learned_probes_total", outcome="contradicted") == 2


async def test_mended_target_is_unlearned_after_24_hours_and_two_requests() -> None:
    """The interval between two probes has its maximum, and nearly no request is sent."""
    clock = SteppedClock()
    async with target(no_seed, clock=clock) as learning:
        learning.teach(SEED, conversations=20)
        learning.confirm_probes()
        learning.provider.judge = anything
        clock.now += 86_399
        _, early = await learning.ask()
        clock.now += 1
        probes = [await learning.ask() for _ in range(2)]

        assert "seed" not in early[0]
        assert ["seed" in bodies[0] for _, bodies in probes] == [True, True]
        assert not learning.evidence()["", "seed"].is_learned


async def test_target_that_is_broken_again_is_learned_again() -> None:
    """After the repair was unlearned, a client needs four conversations of its own."""
    async with target(no_seed) as learning:
        learning.teach(SEED, conversations=20)
        learning.provider.judge = anything
        for _ in range(2):
            learning.make_due()
            assert await learning.cost() == 1
        learning.provider.judge = no_seed

        assert [await learning.cost() for _ in range(6)] == [2, 2, 2, 2, 1, 1]


async def test_one_client_alone_teaches_no_other_client() -> None:
    """For others, all that alice teaches counts for three conversations. With one of bob's it is enough for carol."""
    async with target(no_seed, **KEYS) as served:
        alice, bob, carol = (served.as_client(f"sk-{name}-0123456789") for name in ("alice", "bob", "carol"))

        assert [await alice.cost() for _ in range(8)] == [2, 2, 2, 2, 1, 1, 1, 1]
        assert [await bob.cost() for _ in range(3)] == [2, 1, 1]
        assert [await carol.cost() for _ in range(2)] == [1, 1]


async def test_each_client_probes_and_unlearns_for_itself() -> None:
    """Alice's probes contradict a repair. Bob still gets it, since his own evidence is enough, until he probes."""
    async with target(no_seed, **KEYS) as served:
        alice, bob = (served.as_client(f"sk-{name}-0123456789") for name in ("alice", "bob"))
        for name in ("alice", "bob"):
            served.teach(SEED, tenant=name, conversations=20)
        served.provider.judge = anything
        served.make_due(tenant="alice")
        sent = {
            client: ["seed" in (await one.ask())[1][0] for _ in range(3)]
            for client, one in (("bob", bob), ("alice", alice), ("bob later", bob))
        }

        assert sent == {"bob": [False] * 3, "alice": [True] * 3, "bob later": [False] * 3}
        learned = {client: one.is_learned for (client, _), one in served.evidence(("alice", "bob")).items()}
        assert learned == {"alice": False, "bob": True}


async def test_neither_log_nor_metrics_nor_list_hold_a_text_of_a_client() -> None:
    """The provider quotes the whole request in its error. Schemas and values stand under digests."""
    text = "zebra"
    log = io.StringIO()
    tool = {
        "type": "function",
        "function": {
            "name": f"{text}_tool",
            "description": text,
            "parameters": {"type": "object", "properties": {text: {"type": "array", "description": text}}},
        },
    }
    words = "Invalid schema for function: invalid_function_parameters. Unsupported value: 'stop' does not support "

    def judge(body: Body) -> Reply | None:
        return Reply(words=words + orjson.dumps(body).decode()) if "stop" in body else None

    async with target(judge, log=log) as served:
        fields = {"tools": [tool], "stop": text, "user": text}
        costs = [await served.cost(messages=[system(f"{text} {at}")], **fields) for at in range(6)]
        listed = (await served.gateway.get("/v1/learned")).raw.decode()
        metrics = (await served.gateway.get("/metrics")).raw.decode()
        faults = {one.key.fault for one in served.evidence().values()}

    assert costs == [2, 2, 2, 2, 1, 1]
    assert faults == {"schema", "parameter"}
    assert text not in listed + metrics + log.getvalue()
    assert "repair_learned" in log.getvalue()


async def test_request_with_two_faults_that_were_learned_alone_costs_one_call() -> None:
    """Without learning it fails: a provider names one parameter at a time, and a request is repaired once."""

    def judge(body: Body) -> Reply | None:
        return no_seed(body) or (REFUSES_TEMPERATURE if "temperature" in body else None)

    async with target(judge) as learning:
        before, _ = await learning.ask(temperature=0.5)
        learning.teach(SEED)
        assert await learning.cost(temperature=0.5) == 2
        learning.teach(TEMPERATURE)
        assert await learning.cost(temperature=0.5) == 1

    assert before.status == 400
