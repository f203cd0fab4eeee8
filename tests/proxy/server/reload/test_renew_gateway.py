"""The new gateway inherits learned and counted state from the old one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.config import Settings, resolve
from proxy.core.deployment import Deployment
from proxy.forwarding.gateway import Gateway
from proxy.observability.observed_upstream import ObservedUpstream
from proxy.resilience.balancer import Balancer
from proxy.resilience.circuit import State
from proxy.resilience.failure_table import Blame
from proxy.server.app import create_gateway, follow_cooldowns
from proxy.server.reload.renew_gateway import plan_renewal, renew_gateway
from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import Need
from proxy.state.limits.claims import Refusal as LimitRefusal
from proxy.state.refused_requests import Refusal
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.sharing.shared_cooldowns import SharedCooldowns
from proxy.state.sharing.shared_repairs import SharedRepairs
from proxy.state.spaces import SIGNATURES
from tests.proxy.config.samples import entry, settings_of
from tests.proxy.inspector.looking import ended_request
from tests.support.held_places import acquire
from tests.support.scripted_upstream import ScriptedUpstream
from tests.support.shared_memory import SharedMemory

REFUSAL = Refusal(400, "no")
KEY = {"api_key": "key"}
OLD = settings_of(entry("a", **KEY), entry("b", **KEY), entry("gemini/*", "gemini/*"))


def of(settings: Settings, name: str) -> Deployment:
    """Return the first deployment of *name*."""
    return resolve(settings, name)[0]


def body() -> bytes:
    """Return the digest of a body."""
    return b"bad"


def renewed(old: Gateway, settings: Settings) -> Gateway:
    """Return the gateway that replaces *old*."""
    return renew_gateway(old, plan_renewal(old.settings, settings))


@pytest.fixture
async def gateway() -> Gateway:
    """Return a gateway with state: open circuits of two deployments, a refused body and learned windows."""
    gateway = create_gateway(OLD, ScriptedUpstream())
    for name in ("b", "gemini/x"):
        with gateway.balancer.acquire(of(OLD, name), 0.0) as attempt:
            attempt.failed(Blame.LONG_COOLDOWN, None, 0.0)
    for _ in range(2):
        gateway.refused_requests.refused(of(OLD, "b").key, body, REFUSAL, 0.0)
    gateway.learned_windows.lessons_of(of(OLD, "b"), 0.0).proved = 777
    gateway.learned_windows.lessons_of(of(OLD, "gemini/x"), 0.0).proved = 888
    return gateway


async def test_new_gateway_shares_the_processes_objects_and_has_new_settings(gateway: Gateway) -> None:
    """Objects made from the settings are new."""
    settings = settings_of(entry("new"))

    after = renewed(gateway, settings)

    for name in ("metrics", "lifecycle", "admission", "store", "upstream", "started"):
        assert getattr(after, name) is getattr(gateway, name)
    assert after.settings is settings
    for name in ("balancer", "refused_requests", "learned_windows", "turns", "compaction", "instructions"):
        assert getattr(after, name) is not getattr(gateway, name)


async def test_cooldowns_of_other_replicas_reach_new_entries() -> None:
    """The new entry was never used, and the old one keeps what it has learned."""
    now = 0.0
    store = SharedMemory(lambda: now)
    shared, other = SharedCooldowns(store), SharedCooldowns(store)
    balancer = follow_cooldowns(Balancer(OLD.router_settings.cooldown_time, shared), OLD)
    gateway = replace(create_gateway(OLD, ScriptedUpstream()), balancer=balancer)
    settings = settings_of(entry("new", "gemini/new", api_key="new"), entry("a", **KEY))
    for deployment in (of(OLD, "a"), of(settings, "new")):
        other.account_of(deployment).ask(30.0, now)
    await other.write(now)
    await shared.poll(now)

    after = renewed(gateway, settings)
    learned = after.balancer.state(of(settings, "a"), now)
    await shared.poll(now)

    assert [learned, after.balancer.state(of(settings, "new"), now)] == [State.OPEN] * 2


@pytest.mark.parametrize(("learn", "followed"), [("true", 1), ("observe", 1), ("false", 0)])
async def test_repairs_that_other_replicas_learned_reach_new_entries(learn: str, followed: int) -> None:
    """They are read before the new entry has a request, unless nothing is learned."""
    shared = SharedRepairs(SharedMemory())
    gateway = replace(
        create_gateway(OLD, ScriptedUpstream()), learned_repairs=LearnedRepairs(lambda: 0.0, shared)
    )

    renewed(gateway, settings_of(entry("new"), router_settings={"learn": learn}))

    assert len(shared._shared) == followed


async def test_old_gateway_is_unchanged(gateway: Gateway) -> None:
    """Requests of the old gateway go on with the old settings and state."""
    renewed(gateway, settings_of(entry("new")))

    assert gateway.settings is OLD
    assert gateway.balancer.state(of(OLD, "b"), 1.0) is State.OPEN
    assert gateway.learned_windows.peek(of(OLD, "b"), 1.0).proved == 777


async def test_state_of_an_entry_moves_to_its_new_position(gateway: Gateway) -> None:
    """An entry's circuit, refusals and learned window follow the entry."""
    settings = settings_of(entry("new"), entry("gemini/*", "gemini/*"), entry("b", **KEY))

    after = renewed(gateway, settings)

    b, x, new = of(settings, "b"), of(settings, "gemini/x"), of(settings, "new")
    states = [after.balancer.state(each, 1.0) for each in (b, x, new)]
    assert states == [State.OPEN, State.OPEN, State.CLOSED]
    assert after.refused_requests.find_refusal(b.key, body, 1.0) == REFUSAL
    assert after.refused_requests.find_refusal(new.key, body, 1.0) is None
    assert [after.learned_windows.peek(each, 1.0).proved for each in (b, x, new)] == [777, 888, 0]


async def test_edited_key_resets_the_circuit_and_keeps_the_learned_window(gateway: Gateway) -> None:
    """An edited key resets the circuit and drops refusals, and the learned window stays."""
    settings = settings_of(entry("b", api_key="another"))

    after = renewed(gateway, settings)

    b = of(settings, "b")
    assert after.balancer.state(b, 1.0) is State.CLOSED
    assert after.refused_requests.find_refusal(b.key, body, 1.0) is None
    assert after.learned_windows.peek(b, 1.0).proved == 777


@pytest.mark.parametrize(
    "section",
    [
        {"sanitize": {"mode": "strict"}},
        {"budget": {"preset": "off"}},
        {"turns": {"mode": "off"}},
        {"compaction": {"keep_messages": 4}},
    ],
    ids=str,
)
async def test_refusals_are_dropped_where_a_section_that_shapes_bodies_changes(
    gateway: Gateway, section: dict[str, Any]
) -> None:
    """A change of a section drops refusals, and an open circuit stays open."""
    settings = settings_of(entry("a", **KEY), entry("b", **KEY), **section)

    after = renewed(gateway, settings)

    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 1.0) is None
    assert after.balancer.state(of(settings, "b"), 1.0) is State.OPEN


async def test_refusals_after_a_reload_do_not_reach_the_new_gateway(gateway: Gateway) -> None:
    """A refusal after the reload belongs to a request that the old settings planned."""
    settings = settings_of(entry("b", **KEY))

    after = renewed(gateway, settings)
    gateway.refused_requests.refused(of(OLD, "b").key, body, REFUSAL, 50.0)

    assert gateway.refused_requests.find_refusal(of(OLD, "b").key, body, 70.0) == REFUSAL
    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 59.0) == REFUSAL
    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 70.0) is None


async def test_running_calls_count_in_both_balancers(gateway: Gateway) -> None:
    """The results of running calls reach the new balancer."""
    settings = settings_of(entry("new"), entry("a", **KEY))
    attempts = [gateway.balancer.acquire(of(OLD, "a"), 0.0) for _ in range(3)]

    after = renewed(gateway, settings)
    a = of(settings, "a")
    counted = after.balancer.in_flight(a)
    for attempt in attempts:
        attempt.failed(Blame.COUNTED, None, 1.0)
        attempt.release()

    assert (counted, after.balancer.in_flight(a)) == (3, 0)
    assert after.balancer.state(a, 1.0) is State.OPEN


async def test_used_retry_budget_is_inherited(gateway: Gateway) -> None:
    """A retry budget that is used up stays so after a reload, so a reload in an outage allows no more retries."""
    pool = resolve(OLD, "a")
    gateway.balancer.acquire(pool[0], 0.0).release()
    for _ in range(10):
        gateway.balancer.count_retry(pool, 0.0)
    settings = settings_of(entry("new"), entry("a", **KEY))

    after = renewed(gateway, settings)

    assert not after.balancer.budget_left(resolve(settings, "a"), 1.0)
    assert after.balancer.budget_left(resolve(settings, "new"), 1.0)


async def test_new_cooldown_holds_for_inherited_circuits(gateway: Gateway) -> None:
    """A cooldown of 0 closes inherited circuits at once."""
    off = renewed(gateway, settings_of(entry("b", **KEY), router_settings={"cooldown_time": 0}))
    assert off.balancer.state(of(off.settings, "b"), 1.0) is State.CLOSED

    longer = renewed(off, settings_of(entry("b", **KEY), router_settings={"cooldown_time": 50}))
    b = of(longer.settings, "b")
    for _ in range(3):
        with longer.balancer.acquire(b, 1.0) as attempt:
            attempt.failed(Blame.COUNTED, None, 1.0)
    assert [longer.balancer.state(b, now) for now in (50.9, 51.0)] == [State.OPEN, State.HALF_OPEN]


async def test_fewer_places_refuse_new_requests_and_end_no_running_one(gateway: Gateway) -> None:
    """The places of running requests stay counted in the new gateway."""
    slots = [acquire(gateway.admission, "client", 0.0) for _ in range(3)]

    after = renewed(gateway, settings_of(general_settings={"max_in_flight": 3}))

    assert after.admission.in_flight == 3
    assert acquire(after.admission, "other", 0.0) is None
    assert slots[0] is not None
    slots[0].release()
    assert acquire(after.admission, "other", 0.0) is not None


async def test_store_keeps_the_newest_signatures_that_fit(gateway: Gateway) -> None:
    """The oldest signatures are dropped at once if a reload makes the store smaller."""
    half_mib = bytes(2**19)
    await gateway.store.put(SIGNATURES, {"old": half_mib, "new": half_mib}, tenant="t")

    same = renewed(gateway, settings_of(entry("a")))
    assert set(await same.store.get(SIGNATURES, ["old", "new"], tenant="t")) == {"old", "new"}

    smaller = renewed(same, settings_of(entry("a"), store={"memory_mib": 1}))
    assert set(await smaller.store.get(SIGNATURES, ["old", "new"], tenant="t")) == {"new"}


async def test_fetcher_is_replaced_only_where_its_section_changes(gateway: Gateway) -> None:
    """The fetcher is None where images are not fetched."""
    asked = {"general_settings": {"media": {"fetch": True}}}
    more = {"general_settings": {"media": {"fetch": True, "max_mib": 1}}}

    first = renewed(gateway, settings_of(**asked))
    same = renewed(first, settings_of(entry("other"), **asked))
    other = renewed(same, settings_of(**more))

    assert gateway.media is None
    assert first.media is not None
    assert same.media is first.media
    assert other.media is not first.media
    assert renewed(other, settings_of()).media is None


async def test_series_of_circuits_are_those_of_the_new_configuration(gateway: Gateway) -> None:
    """The series of a removed deployment are dropped, since its gauge would stay forever."""
    gateway.metrics.circuits.labels("b", "1").set(2)

    after = renewed(gateway, settings_of(entry("a"), entry("c")))

    found = [sample for family in after.metrics.registry.collect() for sample in family.samples]
    states = [(each.labels, each.value) for each in found if each.name == "turnright_circuit_state"]
    assert states == [({"model": "a", "deployment": "0"}, 0), ({"model": "c", "deployment": "1"}, 0)]


async def test_gen_ai_metrics_are_switched_without_losing_counts(gateway: Gateway) -> None:
    """The observed upstream stays the same object when the metrics are switched on and off."""
    on = settings_of(general_settings={"gen_ai_metrics": True})

    first = renewed(gateway, on)
    still = renewed(first, on)
    off = renewed(still, settings_of())
    again = renewed(off, on)

    assert isinstance(first.upstream, ObservedUpstream)
    assert still.upstream is first.upstream
    assert off.upstream is gateway.upstream
    assert isinstance(again.upstream, ObservedUpstream)
    assert again.upstream.observed is gateway.upstream
    assert again.metrics.gen_ai() is first.metrics.gen_ai()


async def test_recent_requests_are_kept_until_the_inspector_is_switched_off(gateway: Gateway) -> None:
    """While the inspector is on, the store of recent requests gets the new limits."""
    assert gateway.recent_requests is not None
    gateway.recent_requests.note(ended_request("r1"), "")

    smaller = renewed(gateway, settings_of(entry("a"), general_settings={"inspector": {"requests": 7}}))
    off = renewed(gateway, settings_of(entry("a"), general_settings={"ui": False}))
    again = renewed(off, settings_of(entry("a")))

    assert smaller.recent_requests is gateway.recent_requests
    assert smaller.recent_requests.bounds == (7, 0)
    assert off.recent_requests is None
    assert again.recent_requests is not None
    assert list(again.recent_requests.newest_first()) == []


@pytest.mark.parametrize("level", ["gateway", "model"])
async def test_other_instructions_keep_circuits_and_drop_refusals(gateway: Gateway, level: str) -> None:
    """A provider may accept the body with other instructions. They say nothing about its failures."""
    text = {"instructions": "Be brief."}
    general, own = ({"general_settings": text}, {}) if level == "gateway" else ({}, text)
    settings = settings_of(entry("a", **KEY), {**entry("b", **KEY), **own}, **general)

    after = renewed(gateway, settings)

    assert after.balancer.state(of(settings, "b"), 1.0) is State.OPEN
    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 1.0) is None
    found = after.instructions.find(of(settings, "b"), "")
    assert found is not None
    assert found.text == "Be brief."
    assert gateway.instructions.is_off


async def test_limits_of_keys_are_renewed_and_what_was_used_stays_used() -> None:
    """A reload neither refills a bucket nor forgets the spend, and the new limits hold at once."""

    def with_key(**limits: Any) -> Settings:
        keys = [{"name": "ci", "key": "sk-one-of-the-keys", **limits}]
        return settings_of(entry("a", **KEY), general_settings={"keys": keys})

    need = Need(0, 0, 60.0)
    old = create_gateway(with_key(rpm_limit=2), ScriptedUpstream())
    admission = await old.limiter.admit("ci", "r1", need)
    assert isinstance(admission, Admission)
    admission.settle(nano_usd=5, estimated_nano=0, tokens=1)
    new = renewed(old, with_key(rpm_limit=2, max_budget=1))

    assert isinstance(await new.limiter.admit("ci", "r2", need), Admission)
    assert isinstance(await new.limiter.admit("ci", "r3", need), LimitRefusal)
    without = renewed(new, with_key())
    assert without.limiter is old.limiter
    assert isinstance(await without.limiter.admit("ci", "r4", need), Admission)
    assert without.limiter.own_totals("ci").spent_nano == 5
    assert without.output_lengths is old.output_lengths
