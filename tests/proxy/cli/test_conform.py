"""Tests of the options and the exit status of ``turnright conform``."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from proxy.cli import conform, main
from proxy.cli.measure_gateway import CannotAsk, Gateway
from proxy.conformance.case import Case
from proxy.conformance.judge import Outcome, Verdict
from proxy.emulator.journal import Entry
from tests.proxy.cli.test_show_conformance import HELD, LOST

BASE = ("conform", "--base-url", "http://127.0.0.1:1/v1/", "--model", "m", "--emulator-port", "0", "--yes")
Asked = list[tuple[Gateway, Sequence[Case]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Replace the measurement by one that sends nothing and finds that a case holds. Return the list of its calls."""
    monkeypatch.setattr(conform, "configure_logs", lambda stream: None)
    return answer_with(monkeypatch, HELD)


def answer_with(monkeypatch: pytest.MonkeyPatch, *outcomes: Outcome, fault: str = "") -> Asked:
    """Replace the measurement by one that returns *outcomes*, or raises CannotAsk with *fault*.

    Return a list of its calls.
    """
    calls: Asked = []

    async def wait(gateway: Gateway, seconds: float) -> None:
        assert seconds == 60.0

    async def run(
        gateway: Gateway, cases: Sequence[Case], journal: Callable[[], Sequence[Entry]], run: str
    ) -> tuple[Outcome, ...]:
        calls.append((gateway, cases))
        assert (len(run), journal()) == (8, ())
        if fault:
            raise CannotAsk(fault)
        return outcomes

    monkeypatch.setattr(conform, "wait_for_gateway", wait)
    monkeypatch.setattr(conform, "measure", run)
    return calls


def test_key_is_read_from_the_variable_that_is_named(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is the value of the variable that ``--key-env`` names. Without that variable there is no key."""
    monkeypatch.setenv("TURNRIGHT_CONFORM_KEY", "sk-usual")
    monkeypatch.setenv("MY_KEY", "sk-mine")

    assert main(BASE) == main([*BASE, "--key-env", "MY_KEY"]) == 0
    assert main([*BASE, "--key-env", "NOT_THERE"]) == 0
    assert [gateway.key for gateway, _ in asked] == ["sk-usual", "sk-mine", ""]
    assert asked[0][0].base_url == "http://127.0.0.1:1/v1"


def test_standard_error_has_the_lines_for_the_gateway(
    asked: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard error has the gateway's configuration and the number of requests.

    Standard output has only the outcome.
    """
    assert main([*BASE, "--timeout", "7"]) == 0

    shown = capsys.readouterr()
    assert shown.out == "1 of 1 histories hold.\n"
    assert "api_base: http://127.0.0.1:" in shown.err
    assert f"{len(asked[0][1])} requests go to http://127.0.0.1:1/v1" in shown.err
    assert "with 7 s for each" in shown.err
    assert "Enter" not in shown.err


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [((HELD, HELD), 0), ((HELD, LOST), 1), ((replace(HELD, verdict=Verdict.NOT_SENT),), 1)],
)
def test_exit_status_says_whether_all_hold(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, outcomes: tuple[Outcome, ...], status: int
) -> None:
    answer_with(monkeypatch, *outcomes)

    assert main(BASE) == status


def test_json_has_the_figures_and_every_case(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, HELD, LOST)

    assert main([*BASE, "--json"]) == 1

    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (found["total"], found["holds"], found["lost"]) == (2, 1, 1)
    assert [case["id"] for case in found["cases"]] == ["g01", "g02"]
    assert found["cases"][1]["detail"] == LOST.detail


def test_gateway_that_cannot_be_asked_is_3_with_the_reason(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, fault="it is asleep")

    assert main(BASE) == 3

    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.endswith("turnright: it is asleep\n")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:4000",
        "ftp://a/v1",
        "http://",
        "http:///v1",
        "",
        "http://[a/v1",
        "http://a:b/v1",
        "http://a/v1?key=sk-secret",
        "http://a/v1#x",
        "http://me:sk-secret@a/v1",
    ],
)
def test_address_that_cannot_be_used_is_2(
    asked: Asked, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unusable address gives status 2, and no request.

    The error does not repeat the address, which may hold a secret.
    """
    assert main([*BASE, "--base-url", address]) == 2

    shown = capsys.readouterr().err
    assert shown.startswith("turnright: --base-url must be an http:// or https:// address")
    assert "secret" not in shown
    assert asked == []


@pytest.mark.parametrize("key", ["sk-a\nb", "sk-\x7f", "sk-é"])
def test_key_that_no_header_may_have_is_2(
    asked: Asked, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error for an unusable key names the variable, and not the key. A line break at a key's end is ignored."""
    monkeypatch.setenv("MY_KEY", key)
    monkeypatch.setenv("GOOD_KEY", "sk-good\n")

    assert main([*BASE, "--key-env", "MY_KEY"]) == 2
    shown = capsys.readouterr().err
    assert main([*BASE, "--key-env", "GOOD_KEY"]) == 0

    assert (shown.startswith("turnright: the key in MY_KEY"), "sk-" in shown) == (True, False)
    assert [gateway.key for gateway, _ in asked] == ["sk-good"]


def test_port_in_use_is_2(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        assert main([*BASE, "--emulator-port", port]) == 2

    assert f"cannot listen on port {port}" in capsys.readouterr().err
    assert asked == []
