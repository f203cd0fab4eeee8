"""Tests of the first configuration file, which ``turnright init`` writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.cli.init import first_file
from proxy.cli.main import main
from proxy.config import load_settings
from proxy.config.environment import PROVIDERS, Provider, find_variables

SECRET = "sk-value-of-a-variable"
ENVIRON = {
    "GOOGLE_API_KEY": SECRET,
    "OPENAI_API_KEY": SECRET,
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "MISTRAL_API_KEY": "",
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for provider in PROVIDERS:
        for name in (*provider.keys, *provider.bases):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def test_written_file_loads_and_serves_every_provider_with_a_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The written file loads, serves each provider with a key, and contains no key."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)

    assert main(["init"]) == 0

    text = (tmp_path / "turnright.yaml").read_bytes()
    loaded = load_settings(text, ENVIRON, strict=True)
    assert SECRET.encode() not in text
    assert [entry.model_name for entry in loaded.settings.model_list] == ["gemini/*", "openai/*"]
    assert loaded.settings.model_list[1].litellm_params.api_base == "http://127.0.0.1:9/v1"
    assert loaded.warnings == ()


def test_master_key_of_the_environment_protects_the_file_too() -> None:
    """The written file requires the environment's master key, as a start without a file does.

    A file without the master key would open the API.
    """
    environ = {"GEMINI_API_KEY": SECRET, "TURNRIGHT_MASTER_KEY": "sk-master-0123456789"}

    protected, open_ = (
        load_settings(first_file("x.yaml", find_variables(environ), given).encode(), given).settings
        for given in (environ, {"GEMINI_API_KEY": SECRET})
    )

    assert protected.general_settings.asks_for_keys
    assert not open_.general_settings.asks_for_keys


def test_comments_of_the_file_are_settings_that_load() -> None:
    """The settings that are commented out in the file load once they are uncommented."""
    environ = {"GEMINI_API_KEY": SECRET, "TURNRIGHT_MASTER_KEY": "sk-master-01", "TEAM_A_KEY": "sk-team-a-01"}
    text = first_file("x.yaml", find_variables(environ), {"GEMINI_API_KEY": SECRET})
    offered = re.sub(
        r"^( *)# (- \{|fallbacks:|master_key:|keys:|compaction:)", r"\1\2", text, flags=re.MULTILINE
    )
    offered = offered.replace("fast: [spare]", '"gemini/*": [fast]').replace("/MODEL", "/gemini-3.6-flash")

    settings = load_settings(offered.encode(), environ, strict=True).settings

    assert offered.count("# ") == text.count("# ") - 5
    assert [entry.model_name for entry in settings.model_list] == ["gemini/*", "fast"]
    assert [key.name for key in settings.general_settings.keys] == ["team-a"]
    assert settings.router_settings.fallbacks
    assert settings.compaction.enabled


def test_next_commands_can_be_copied(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands that ``init`` suggests use the name that was started, and quote a file name with a space."""
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    monkeypatch.setattr("proxy.cli.init.command_name", lambda: "CMD")

    assert main(["init", "--output", "my own.yaml"]) == 0
    assert (
        "Next: CMD check --config 'my own.yaml'\n      CMD serve --config 'my own.yaml'\n"
        in capsys.readouterr().out
    )


def test_existing_file_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An existing file is left unchanged, and the command ends with status 2."""
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    (tmp_path / "mine.yaml").write_text("mine")

    assert main(["init", "--output", "mine.yaml"]) == 2

    assert (tmp_path / "mine.yaml").read_text() == "mine"
    assert "is left as it is" in capsys.readouterr().err


def test_environment_without_a_key_writes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a key no file is written; the status is 2, and the variables that ``init`` reads are listed."""
    assert main(["init"]) == 2

    assert list(tmp_path.iterdir()) == []
    assert "GEMINI_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.prefix)
def test_first_file_serves_the_provider(provider: Provider) -> None:
    """For every known provider, the written file has one entry that loads."""
    environ = {provider.keys[0]: SECRET}

    text = first_file("x.yaml", find_variables(environ), environ)

    (entry,) = load_settings(text.encode(), environ).settings.model_list
    assert entry.model_name == f"{provider.prefix}/*"


def test_dash_writes_to_standard_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With ``--output -`` standard output has only the configuration file, so that it can be redirected."""
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)

    assert main(["init", "--output", "-"]) == 0

    written = capsys.readouterr().out
    assert load_settings(written.encode(), {"GEMINI_API_KEY": SECRET}).settings.routes.names == ("gemini/*",)
    assert "serve --config turnright.yaml" in written
    assert list(tmp_path.iterdir()) == []
