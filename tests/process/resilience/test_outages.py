"""Tests of deployments that are down, that hang, that ask for too long a wait, and that come back."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.process.emulators import Gemini
from tests.process.resilience.asking_again import LARGER, MAIN, SLACK_S, SPARE, TEXT, TOOLS, Asker
from tests.process.resilience.conftest import FIRST_BYTE_S, WHOLE_S, entry
from tests.process.running import Served, emulate, reserved_port, serve
from tests.support.builders import assistant, call, tool, user

DEADLINE_S = 4.0
COOLDOWN_S = 1.0
RETRIES_ALLOWED = 10
"""Retries that a deployment gets in ten seconds, however few requests there are."""


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[str, int]]:
    """Return a port without a listener for each deployment that is down, by its name in these tests."""
    with ExitStack() as stack:
        names = ("pool-whole", "pool-stream", "down", "down too", "elsewhere")
        yield {name: stack.enter_context(reserved_port()) for name in names}


@pytest.fixture(scope="module")
def outage(
    directory: Path, gemini_process: Gemini, transport: str, ports: dict[str, int]
) -> Iterator[Served]:
    """Run ``turnright serve`` with pools, some of whose members are down."""

    def at(name: str, model: str, port: str) -> dict[str, object]:
        return entry(name, f"gemini/{model}", transport, f"http://127.0.0.1:{ports[port]}/v1beta")

    def up(name: str, model: str) -> dict[str, object]:
        return entry(name, f"gemini/{model}", transport, gemini_process.api_base)

    config = {
        "model_list": [
            *(at(name, MAIN, name) for name in ("pool-whole", "pool-stream")),
            *(up(name, SPARE) for name in ("pool-whole", "pool-stream")),
            at("down", MAIN, "down"),
            at("down", MAIN, "down too"),
            at("down elsewhere", SPARE, "elsewhere"),
            *(up(name, model) for name in ("pair-whole", "pair-stream") for model in (MAIN, SPARE)),
            *(up(name, model) for name in ("twins-whole", "twins-stream") for model in (MAIN, LARGER)),
            *(up(name, MAIN) for name in ("lone-whole", "lone-stream", "busy-whole", "busy-stream")),
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 2},
        "router_settings": {
            "num_retries": 2,
            "fallbacks": [{"down": ["down elsewhere"]}],
            "cooldown_time": COOLDOWN_S,
            "timeout": DEADLINE_S,
            "connect_timeout": 3,
        },
    }
    with serve(directory, config) as process:
        yield process


@pytest.fixture(params=["whole", "stream"])
def shape(request: pytest.FixtureRequest) -> str:
    """Return each shape of answers in turn, whole and streamed."""
    chosen: str = request.param
    return chosen


@pytest.fixture
def caller(http: httpx.Client, outage: Served, gemini: Gemini, shape: str) -> Asker:
    """Return an asker of the process with the outages."""
    return Asker(http, outage, gemini, stream=shape == "stream")


@pytest.mark.each_value
def test_member_that_is_down_is_left_alone_until_it_is_back(
    caller: Asker, directory: Path, shape: str, ports: dict[str, int]
) -> None:
    """A pool's other member answers at once. The member that is down is skipped, and asked again after its cooldown."""
    model = f"pool-{shape}"

    outcomes = [caller.ask(model) for _ in range(6)]

    assert [outcome.text for outcome in outcomes] == [TEXT] * 6
    assert [outcome.called for outcome in outcomes] == [[SPARE]] * 6
    attempts = [outcome.attempts for outcome in outcomes]
    assert attempts[:3] == [2, 2, 2]
    assert 1 in attempts[3:]  # all of them, unless the cooldown is over before they are asked
    assert sum(outcome.seconds for outcome in outcomes) < SLACK_S

    with emulate(directory, ports[model]):
        limit = time.monotonic() + COOLDOWN_S + SLACK_S
        while (back := caller.ask(model)).called and time.monotonic() < limit:
            assert back.text == TEXT
            time.sleep(0.1)
        after = caller.ask(model)

    for outcome in (back, after):
        assert outcome.answer.is_whole, outcome.answer.text
        assert outcome.answer.headers["x-turnright-model"] == f"gemini/{MAIN}"
        assert outcome.attempts == 1
        assert outcome.called == []  # it was the other emulator's


def test_every_member_and_fallback_is_tried_before_the_client_gets_an_error(caller: Asker) -> None:
    """After every deployment of the model and of its fallback has failed, the client gets a 502.

    The back-off takes at most 3 seconds.
    """
    outcome = caller.ask("down")

    assert outcome.answer.status == 502
    assert outcome.error["code"] == "upstream_unreachable"
    assert "127.0.0.1" not in outcome.answer.text
    assert outcome.attempts == 6
    assert outcome.seconds < 3.0 + SLACK_S


def test_one_of_two_asks_for_a_pause(caller: Asker, gemini: Gemini, shape: str) -> None:
    """If one of a model's two deployments asks for a pause, the other is asked at once.

    During the pause, the next request goes only to the other deployment.
    """
    gemini.fault(status=429, retry_delay_seconds=25, model=MAIN)

    outcomes = [caller.ask(f"pair-{shape}") for _ in range(2)]

    assert [outcome.text for outcome in outcomes] == [TEXT] * 2
    assert [outcome.called for outcome in outcomes] == [[MAIN, SPARE], [SPARE]]
    assert [outcome.attempts for outcome in outcomes] == [2, 1]
    assert all(outcome.seconds < SLACK_S for outcome in outcomes)


def test_repaired_request_goes_to_the_member_that_refused_it(caller: Asker, shape: str) -> None:
    """A request that was repaired after a member's refusal goes to the same member again."""
    signed = f"c1__thought__{b64encode(shape.encode()).decode()}"  # one that was not refused before
    history = [user("go"), assistant(calls=[call(signed, "read", '{"path": "/a"}')]), tool(signed, "found")]

    outcome = caller.ask(f"twins-{shape}", history, tools=TOOLS)

    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.called == [MAIN, MAIN]


def test_wait_beyond_the_deadline_is_returned_to_the_client_at_once(
    caller: Asker, gemini: Gemini, shape: str
) -> None:
    """If the provider asks for a wait beyond the request's deadline, the proxy does not wait.

    The client gets the 429 at once, with the length of the wait in ``retry-after``.
    """
    gemini.fault(status=429, retry_delay_seconds=DEADLINE_S + 1, times=9)

    outcome = caller.ask(f"lone-{shape}")

    assert outcome.answer.status == 429
    assert outcome.error["code"] == "rate_limit_exceeded"
    assert outcome.answer.headers["retry-after"] == f"{DEADLINE_S + 1:.0f}"
    assert outcome.answer.headers.get("x-should-retry", "true") == "true"
    assert outcome.called == [MAIN]
    assert outcome.seconds < DEADLINE_S


@pytest.mark.each_value
def test_silent_provider_costs_no_more_than_the_deadline(caller: Asker, gemini: Gemini, shape: str) -> None:
    gemini.fault(delay_seconds=60, times=9)

    outcome = caller.ask(f"lone-{shape}")

    assert outcome.answer.status == 504
    assert outcome.error["code"] == "upstream_timeout"
    assert outcome.called == [MAIN]
    assert outcome.attempts == 1
    assert DEADLINE_S <= outcome.seconds < DEADLINE_S + SLACK_S


@pytest.mark.each_value
def test_provider_without_a_first_byte_is_retried_once_then_falls_back(
    asker: Asker, gemini: Gemini, number: int
) -> None:
    """A provider that does not begin to answer in time is asked once more. Then the fallback answers."""
    gemini.fault(delay_seconds=60, times=9, model=MAIN)

    outcome = asker.ask(f"{'backed' if asker.stream else 'slow'}-{number}")

    limit = FIRST_BYTE_S if asker.stream else WHOLE_S
    assert outcome.answer.is_whole, outcome.answer.text
    assert outcome.text == TEXT
    assert outcome.called == [MAIN, MAIN, SPARE]
    assert outcome.attempts == 3
    assert 2 * limit <= outcome.seconds < 2 * limit + 0.5 + SLACK_S
    ends = gemini.wait_for_ends(3)
    assert sorted(ends) == ["complete", "disconnected", "disconnected"]


def test_outage_is_not_multiplied(caller: Asker, gemini: Gemini, shape: str) -> None:
    """If 30 requests fail at a time, their deployment gets no more retries than its retry budget allows."""
    clients = 30
    gemini.fault(status=503, times=1000)
    gemini.clear("requests")

    with ThreadPoolExecutor(clients) as pool:
        outcomes = list(pool.map(lambda _: caller.ask_only(f"busy-{shape}"), range(clients)))

    assert {outcome.status for outcome in outcomes} == {503}
    calls = len(gemini.journal())
    assert sum(int(outcome.headers["x-turnright-attempts"]) for outcome in outcomes) == calls
    assert clients < calls <= clients + RETRIES_ALLOWED
