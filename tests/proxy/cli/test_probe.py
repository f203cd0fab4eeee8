"""Tests of ``turnright probe``: its question, its output, its report and its exit status."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from proxy.cli import main
from proxy.planning.probe.choose_cases import choose_cases
from sanitizers.profiles import OPENAI as OPENAI_PROFILE
from tests.process.emulators import in_a_thread
from tests.proxy.config.samples import text_of
from tests.support.emulated import Emulator
from tests.support.emulated.changed import Change, changed
from tests.support.openai_emulator import OPENAI

KEY = "sk-the-key-of-the-operator"
Run = Callable[..., int]

CASES = choose_cases(OPENAI_PROFILE, "direct/openai")
REQUESTS = len(CASES.sent) + len(CASES.baselines)
"""The number of requests of a probe of OpenAI's profile, if the provider agrees."""


@pytest.fixture
def provider() -> Iterator[Emulator]:
    """Serve OpenAI's emulator, which also refuses a history that ends with the model's turn."""
    change = Change(also=lambda body: body["messages"][-1].get("content") == "It is")
    with in_a_thread({"openai": changed(OPENAI, change)}) as served:
        yield served["openai"]


@pytest.fixture
def run(tmp_path: Path, provider: Emulator) -> Run:
    """Return a function that runs the command against the emulator, with further arguments."""
    path = tmp_path / "c.yaml"
    params = {"model": "openai/gpt-4.1", "api_base": provider.base_url, "api_key": KEY}
    path.write_bytes(text_of(model_list=[{"model_name": "m", "litellm_params": params}]))
    return lambda *arguments: main(["probe", "--config", str(path), "--pause", "0", *arguments])


def test_a_difference_is_in_the_table_and_gives_status_1(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--yes") == 1

    shown = capsys.readouterr()
    [row] = [line for line in shown.out.splitlines() if "DIFFERS" in line]
    assert row.startswith("trailing_model_turn ")
    assert "This is not supported." in row
    assert f"{REQUESTS} requests to openai/gpt-4.1, at most " in shown.err
    assert KEY not in shown.out + shown.err


def test_the_json_has_the_same(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--yes", "--json") == 1

    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "differs"
    assert [one["history"] for one in told["findings"] if one["verdict"] == "differs"] == [
        "trailing_model_turn"
    ]


def test_the_report_holds_the_differences(run: Run, tmp_path: Path) -> None:
    """The report holds the one difference.

    Since the provider's words match no row of the repair table, the report has no words.
    """
    report = tmp_path / "report.json"

    assert run("--yes", "--report", str(report)) == 1

    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["differences"] == [
        {
            "rule": "trailing_model_turn",
            "history": "trailing_model_turn",
            "expected": "accepted",
            "said": "refused",
            "status": 400,
            "row": None,
            "words": None,
        }
    ]


def test_a_provider_that_agrees_gives_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with in_a_thread({"openai": OPENAI}) as served:
        path = tmp_path / "own.yaml"
        params = {"model": "openai/gpt-4.1", "api_base": served["openai"].base_url, "api_key": KEY}
        path.write_bytes(text_of(model_list=[{"model_name": "m", "litellm_params": params}]))

        assert main(["probe", "--config", str(path), "--yes", "--pause", "0"]) == 0

    assert "DIFFERS" not in capsys.readouterr().out


def test_a_provider_that_cannot_be_asked_gives_status_3(
    run: Run, provider: Emulator, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.faults.append({"status": 429})

    assert run("--yes") == 3

    shown = capsys.readouterr().out
    assert "the provider takes no more requests (429, rate_limited)" in shown
    assert len(provider.requests) == 1


def test_nothing_is_sent_without_a_terminal_to_ask_at(
    run: Run, provider: Emulator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))

    assert run() == 2

    assert "--yes" in capsys.readouterr().err
    assert not provider.requests


class Terminal(io.StringIO):
    """A standard input that is a terminal, with the text that a user types."""

    @override
    def isatty(self) -> bool:
        """Return True."""
        return True


@pytest.mark.parametrize(("typed", "status", "asked"), [("y\n", 1, REQUESTS + 1), ("n\n", 3, 0), ("", 3, 0)])
def test_the_user_is_asked_at_a_terminal(
    run: Run, provider: Emulator, monkeypatch: pytest.MonkeyPatch, typed: str, status: int, asked: int
) -> None:
    """A probe at a terminal starts only if the user agrees.

    One history is refused against the profile, so the plain history is sent again.
    """
    monkeypatch.setattr("sys.stdin", Terminal(typed))

    assert run() == status

    assert len(provider.requests) == asked


def test_a_report_in_no_directory_is_refused_before_anything_is_sent(
    run: Run, provider: Emulator, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--yes", "--report", str(tmp_path / "none" / "r.json")) == 2

    assert "its directory does not exist" in capsys.readouterr().err
    assert not provider.requests


def test_a_report_that_cannot_be_written_gives_status_2(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A report that cannot be written gives status 2, and the table is printed nevertheless."""
    assert run("--yes", "--report", str(tmp_path)) == 2

    shown = capsys.readouterr()
    assert "Is a directory" in shown.err
    assert "DIFFERS" in shown.out


@pytest.mark.parametrize("pause", ["-1", "nan", "soon"])
def test_a_pause_that_is_no_time_is_refused(run: Run, pause: str) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--pause", pause)

    assert ended.value.code == 2


def test_the_model_must_be_named_where_there_are_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "several.yaml"
    entries: list[dict[str, Any]] = [
        {"model_name": name, "litellm_params": {"model": "openai/gpt-4.1", "api_key": KEY}}
        for name in ("one", "two")
    ]
    path.write_bytes(text_of(model_list=entries))

    assert main(["probe", "--config", str(path), "--yes"]) == 2
    assert "one, two" in capsys.readouterr().err
    assert main(["probe", "--config", str(path), "--yes", "--model", "three"]) == 2
    assert "'three' is not configured" in capsys.readouterr().err


def test_a_configuration_with_a_fault_gives_status_2(tmp_path: Path) -> None:
    assert main(["probe", "--config", str(tmp_path / "none.yaml"), "--yes"]) == 2


def test_a_deployment_that_asks_the_model_to_think_has_the_rules_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A deployment with ``reasoning_effort`` has the profile's rules for thinking.

    DeepSeek then requires reasoning. No server answers here.
    """
    path = tmp_path / "thinking.yaml"
    expected = []
    for effort in ({}, {"reasoning_effort": "high"}):
        params = {
            "model": "deepseek/deepseek-chat",
            "api_base": "http://127.0.0.1:9",
            "api_key": KEY,
            **effort,
        }
        entry = {"model_name": "m", "litellm_params": params, "transport": "direct"}
        path.write_bytes(text_of(model_list=[entry]))

        assert main(["probe", "--config", str(path), "--yes", "--json"]) == 3

        told = json.loads(capsys.readouterr().out)
        expected += [one["expected"] for one in told["findings"] if one["rule"] == "reasoning_missing"]

    assert expected == ["accepted", "either"]
