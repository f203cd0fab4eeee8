"""What goes from one configuration to the next, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import Settings, resolve
from proxy.core.deployment import Deployment
from proxy.forwarding.gateway import Gateway
from proxy.observability.observed_upstream import ObservedUpstream
from proxy.resilience.circuit import State
from proxy.resilience.failure_table import Blame
from proxy.server.app import create_gateway
from proxy.server.reload.renew_gateway import plan_renewal, renew_gateway
from proxy.state.refused_requests import Refusal
from tests.proxy.config.samples import entry, settings_of
from tests.proxy.inspector.looking import ended_request
from tests.support.held_places import acquire
from tests.support.scripted_upstream import ScriptedUpstream

REFUSAL = Refusal(400, "no")
KEY = {"api_key": "key"}
OLD = settings_of(entry("a", **KEY), entry("b", **KEY), entry("gemini/*", "gemini/*"))


def of(settings: Settings, name: str) -> Deployment:
    """Return the first deployment of a name."""
    return resolve(settings, name)[0]


def body() -> bytes:
    """Return the digest of a body."""
    return b"bad"


def renewed(old: Gateway, settings: Settings) -> Gateway:
    """Return the gateway that takes the place of *old*."""
    return renew_gateway(old, plan_renewal(old.settings, settings))


@pytest.fixture
async def gateway() -> Gateway:
    """Return a gateway that has seen everything: `b` is parked, and so is what a wildcard stands for."""
    gateway = create_gateway(OLD, ScriptedUpstream())
    for name in ("b", "gemini/x"):
        with gateway.balancer.acquire(of(OLD, name), 0.0) as attempt:
            attempt.failed(Blame.LONG_COOLDOWN, None, 0.0)
    for _ in range(2):
        gateway.refused_requests.refused(of(OLD, "b").key, body, REFUSAL, 0.0)
    gateway.learned_windows.lessons_of(of(OLD, "b"), 0.0).proved = 777
    gateway.learned_windows.lessons_of(of(OLD, "gemini/x"), 0.0).proved = 888
    return gateway


async def test_what_is_one_of_a_process(gateway: Gateway) -> None:
    """The same objects go on; the settings, and what is made from them, are new."""
    settings = settings_of(entry("new"))

    after = renewed(gateway, settings)

    for name in ("metrics", "lifecycle", "admission", "store", "upstream", "started"):
        assert getattr(after, name) is getattr(gateway, name)
    assert after.settings is settings
    for name in ("balancer", "refused_requests", "learned_windows", "turns"):
        assert getattr(after, name) is not getattr(gateway, name)


async def test_the_old_gateway_stays_what_it_was(gateway: Gateway) -> None:
    """Requests that have it go on with its settings, circuits and all."""
    renewed(gateway, settings_of(entry("new")))

    assert gateway.settings is OLD
    assert gateway.balancer.state(of(OLD, "b"), 1.0) is State.OPEN
    assert gateway.learned_windows.peek(of(OLD, "b"), 1.0).proved == 777


async def test_memory_moves_with_the_entry(gateway: Gateway) -> None:
    """An entry is still known when others were put before it: its circuit, its refusals, what it taught."""
    settings = settings_of(entry("new"), entry("gemini/*", "gemini/*"), entry("b", **KEY))

    after = renewed(gateway, settings)

    b, x, new = of(settings, "b"), of(settings, "gemini/x"), of(settings, "new")
    states = [after.balancer.state(each, 1.0) for each in (b, x, new)]
    assert states == [State.OPEN, State.OPEN, State.CLOSED]
    assert after.refused_requests.find_refusal(b.key, body, 1.0) == REFUSAL
    assert after.refused_requests.find_refusal(new.key, body, 1.0) is None
    assert [after.learned_windows.peek(each, 1.0).proved for each in (b, x, new)] == [777, 888, 0]


async def test_a_new_key_is_a_clean_record(gateway: Gateway) -> None:
    """What the old key was refused for is over at once; the model's tokens are what they were."""
    settings = settings_of(entry("b", api_key="another"))

    after = renewed(gateway, settings)

    b = of(settings, "b")
    assert after.balancer.state(b, 1.0) is State.CLOSED
    assert after.refused_requests.find_refusal(b.key, body, 1.0) is None
    assert after.learned_windows.peek(b, 1.0).proved == 777


@pytest.mark.parametrize(
    "section",
    [{"sanitize": {"mode": "strict"}}, {"budget": {"preset": "off"}}, {"turns": {"mode": "off"}}],
    ids=str,
)
async def test_refusals_are_forgotten_where_bodies_change(gateway: Gateway, section: dict[str, Any]) -> None:
    """With other rules the same body goes out as another one."""
    settings = settings_of(entry("a", **KEY), entry("b", **KEY), **section)

    after = renewed(gateway, settings)

    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 1.0) is None
    assert after.balancer.state(of(settings, "b"), 1.0) is State.OPEN


async def test_refusals_are_copied(gateway: Gateway) -> None:
    """What a request from before is refused for was planned by the old settings: the new guard's minute goes on."""
    settings = settings_of(entry("b", **KEY))

    after = renewed(gateway, settings)
    gateway.refused_requests.refused(of(OLD, "b").key, body, REFUSAL, 50.0)

    assert gateway.refused_requests.find_refusal(of(OLD, "b").key, body, 70.0) == REFUSAL
    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 59.0) == REFUSAL
    assert after.refused_requests.find_refusal(of(settings, "b").key, body, 70.0) is None


async def test_calls_under_way_count_in_both(gateway: Gateway) -> None:
    """A call from before is in flight for the new balancer, and what becomes of it is heard."""
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


async def test_retry_budgets_move_too(gateway: Gateway) -> None:
    """An outage is not multiplied by a reload in its middle."""
    pool = resolve(OLD, "a")
    gateway.balancer.acquire(pool[0], 0.0).release()
    for _ in range(10):
        gateway.balancer.count_retry(pool, 0.0)
    settings = settings_of(entry("new"), entry("a", **KEY))

    after = renewed(gateway, settings)

    assert not after.balancer.budget_left(resolve(settings, "a"), 1.0)
    assert after.balancer.budget_left(resolve(settings, "new"), 1.0)


async def test_cooldown_changes_for_those_that_are_carried(gateway: Gateway) -> None:
    """Switched off, circuits close at once; with another time, they go by it from their next opening on."""
    off = renewed(gateway, settings_of(entry("b", **KEY), router_settings={"cooldown_time": 0}))
    assert off.balancer.state(of(off.settings, "b"), 1.0) is State.CLOSED

    longer = renewed(off, settings_of(entry("b", **KEY), router_settings={"cooldown_time": 50}))
    b = of(longer.settings, "b")
    for _ in range(3):
        with longer.balancer.acquire(b, 1.0) as attempt:
            attempt.failed(Blame.COUNTED, None, 1.0)
    assert [longer.balancer.state(b, now) for now in (50.9, 51.0)] == [State.OPEN, State.HALF_OPEN]


async def test_places_in_flight_stay_counted(gateway: Gateway) -> None:
    """With fewer places nobody is thrown out, and nobody is let in until there is room."""
    slots = [acquire(gateway.admission, "client", 0.0) for _ in range(3)]

    after = renewed(gateway, settings_of(general_settings={"max_in_flight": 3}))

    assert after.admission.in_flight == 3
    assert acquire(after.admission, "other", 0.0) is None
    assert slots[0] is not None
    slots[0].release()
    assert acquire(after.admission, "other", 0.0) is not None


async def test_store_keeps_what_fits(gateway: Gateway) -> None:
    """Signatures outlast a reload; with less room the oldest go, at once."""
    half_mib = bytes(2**19)
    await gateway.store.put("space", {"old": half_mib, "new": half_mib}, tenant="t")

    same = renewed(gateway, settings_of(entry("a")))
    assert set(await same.store.get("space", ["old", "new"], tenant="t")) == {"old", "new"}

    smaller = renewed(same, settings_of(entry("a"), store={"memory_mib": 1}))
    assert set(await smaller.store.get("space", ["old", "new"], tenant="t")) == {"new"}


async def test_fetcher_goes_by_its_section(gateway: Gateway) -> None:
    """It is made when it is asked for, kept while its section stays, made anew where it changes, and gone with it."""
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


async def test_circuit_series_are_begun_anew(gateway: Gateway) -> None:
    """A gauge of a deployment that is gone, or stands elsewhere, would say for ever that it is down."""
    gateway.metrics.circuits.labels("b", "1").set(2)

    after = renewed(gateway, settings_of(entry("a"), entry("c")))

    found = [sample for family in after.metrics.registry.collect() for sample in family.samples]
    states = [(each.labels, each.value) for each in found if each.name == "turnright_circuit_state"]
    assert states == [({"model": "a", "deployment": "0"}, 0), ({"model": "c", "deployment": "1"}, 0)]


async def test_gen_ai_metrics_come_and_go(gateway: Gateway) -> None:
    """They are switched on and off while the process runs, around the same upstream; what was counted stays."""
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


async def test_recent_requests_are_kept(gateway: Gateway) -> None:
    """They go along, as far as the new configuration has room; taken away, the inspector forgets them."""
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
