"""Tests of ``turnright check`` in a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.process.commands import SECRET, config, run, run_in_shell, write


def test_check_prints_masked_settings(tmp_path: Path) -> None:
    """A good configuration is printed whole, defaults included and secrets masked, and can be read again."""
    path = write(tmp_path / "good.yaml", config(master_key="os.environ/THE_KEY"))

    shown = run("check", "--config", path, THE_KEY=SECRET + "-master")
    again = run("check", "--config", write(tmp_path / "again.yaml", shown.stdout))

    assert (shown.returncode, shown.stderr) == (0, "")
    assert SECRET not in shown.stdout
    settings = yaml.safe_load(shown.stdout)
    assert settings["general_settings"]["master_key"] == "********"
    assert settings["model_list"][0]["litellm_params"]["api_key"] == "********"
    assert settings["sanitize"]["mode"] == "repair"
    assert (again.returncode, again.stdout) == (0, shown.stdout)


def test_check_tells_what_happens(tmp_path: Path) -> None:
    """Comments after the settings show what happens to each model's requests, such as fallback and transport.

    Warnings of likely mistakes are on standard error, and the exit status is 0.
    """
    broken = config(drain_grace=0)
    broken["router_settings"] = {"context_window_fallbacks": [{"mine": ["small"]}]}
    small = {
        "model": "openai/gpt-4o",
        "api_key": f"{SECRET}-small",
        "extra_headers": {"x-team": f"{SECRET}-team"},
    }
    broken["model_list"].append({"model_name": "small", "litellm_params": small})

    shown = run("check", "--config", write(tmp_path / "c.yaml", broken))

    assert shown.returncode == 0
    assert SECRET not in shown.stdout + shown.stderr
    settings, _, told = shown.stdout.partition("\n\n")
    assert yaml.safe_load(settings) == yaml.safe_load(shown.stdout)
    assert all(line.startswith("#") for line in told.splitlines())
    assert "\n# mine\n#     if too long small\n" in told
    assert (
        "\n#   gemini/gemini-3.6-flash\n#     transport   direct (auto: gemini is spoken directly), to 127.0.0.1:9"
        in told
    )
    assert [line.split(": ")[3] for line in shown.stderr.splitlines()] == [
        "router_settings.context_window_fallbacks",
        "general_settings.drain_grace",
    ]


def test_check_prints_one_json_object_with_warnings(tmp_path: Path) -> None:
    """``--json`` prints settings, models, the store, faults and warnings as one JSON object."""
    path = write(tmp_path / "c.yaml", config(drain_grace=0, ui=False))

    shown = run("check", "--json", "--config", path)

    told = json.loads(shown.stdout)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert SECRET not in shown.stdout
    assert list(told) == ["settings", "models", "store", "faults", "warnings"]
    assert told["settings"]["model_list"][0]["litellm_params"]["api_key"] == "********"
    [model] = told["models"]
    [deployment] = model["deployments"]
    assert (model["name"], model["fallbacks"], model["turns"]["max_rounds"]) == ("mine", [], 25)
    assert (deployment["host"], deployment["key"]) == ("127.0.0.1:9", "set")
    assert deployment["budget"]["window"] == 1_048_576
    assert [warning["text"].partition(":")[0] for warning in told["warnings"]] == [
        "general_settings.drain_grace"
    ]


def test_check_lists_every_fault(tmp_path: Path) -> None:
    """A bad configuration ends the command with 2. Each fault has a line with its path, and no secret is shown."""
    bad = config(max_in_flight=SECRET, drain_delay=-1) | {
        "sanitize": {"mode": "perhaps"},
        "compaction": {"enabled": True, "model": "nobody"},
        "colour": SECRET,
    }

    shown = run("check", "--config", write(tmp_path / "bad.yaml", bad))

    assert (shown.returncode, shown.stdout) == (2, "")
    assert SECRET not in shown.stderr
    lines = shown.stderr.splitlines()
    for place in (
        "general_settings.max_in_flight",
        "general_settings.drain_delay",
        "sanitize.mode",
        "compaction.model",
        "colour",
    ):
        assert [line for line in lines if f": {place}: " in line] != [], place
    assert len(lines) == 5


def test_check_warns_of_likely_mistakes_on_standard_error(tmp_path: Path) -> None:
    """A likely mistake is a warning on standard error, not a fault."""
    path = write(tmp_path / "c.yaml", config() | {"general_settings": {"drain_grace": 0}})

    shown = run("check", "--config", path)

    assert shown.returncode == 0
    assert ": general_settings.drain_grace: " in shown.stderr
    assert shown.stderr.startswith(f"turnright: warning: {path}:")


@pytest.mark.each_value
@pytest.mark.parametrize("further", [(), ("--json",)])
@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ('"$@" >/dev/full', 2, "turnright: standard output: No space left on device\n"),
        ('"$@" >&-', 2, "turnright: standard output: it is closed\n"),
        ('"$@" | true', 0, ""),
    ],
)
def test_check_whose_output_cannot_be_written_ends_with_2(
    line: str, status: int, words: str, further: tuple[str, ...], tmp_path: Path
) -> None:
    """If standard output cannot be written, the command ends with 2 and a reason.

    If the reader of a pipe leaves, the exit status stays 0.
    """
    path = write(tmp_path / "good.yaml", config())

    done = run_in_shell(line, "check", "--config", path, *further)

    assert (done.returncode, done.stdout, done.stderr) == (status, "", words)
