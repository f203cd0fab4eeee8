"""The first configuration file that ``turnright init`` writes."""

from __future__ import annotations

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
    """The file names the variables of the keys and holds none of their values."""
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)

    assert main(["init"]) == 0

    text = (tmp_path / "turnright.yaml").read_bytes()
    loaded = load_settings(text, ENVIRON, strict=True)
    assert SECRET.encode() not in text
    assert [entry.model_name for entry in loaded.settings.model_list] == ["gemini/*", "openai/*"]
    assert loaded.settings.model_list[1].litellm_params.api_base == "http://127.0.0.1:9/v1"
    assert loaded.warnings == ()


def test_existing_file_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ends with 2 and says so."""
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    (tmp_path / "mine.yaml").write_text("mine")

    assert main(["init", "--output", "mine.yaml"]) == 2

    assert (tmp_path / "mine.yaml").read_text() == "mine"
    assert "is left as it is" in capsys.readouterr().err


def test_environment_without_a_key_writes_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 2 and lists the variables that it looks for."""
    assert main(["init"]) == 2

    assert list(tmp_path.iterdir()) == []
    assert "GEMINI_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.prefix)
def test_first_file_serves_the_provider(provider: Provider) -> None:
    """Every provider that is known by its variable has an entry that loads."""
    environ = {provider.keys[0]: SECRET}

    text = first_file("x.yaml", find_variables(environ), environ)

    (entry,) = load_settings(text.encode(), environ).settings.model_list
    assert entry.model_name == f"{provider.prefix}/*"
