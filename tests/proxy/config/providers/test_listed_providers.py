"""Tests of the rows that are read from litellm's data file: their facts are those of litellm's own calls."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_row import ProviderRow
from proxy.config.providers.provider_rows import ROWS
from tests.proxy.config.providers.asked_litellm import address_and_key, request_of
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE

PARTS = [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}]

RENAMED_IN_CODE = {"abliteration", "aihubmix", "gmi", "veniceai"}
"""Providers that litellm knows from the file alone. It renames their limit as for any server, without a mapping."""

each = pytest.mark.parametrize("row", listed_providers().values(), ids=listed_providers())


def test_providers_of_the_file_are_listed() -> None:
    """The file of litellm 1.105.3 has some thirty providers. None of them has a row of our own."""
    assert {"scaleway", "publicai", "veniceai", "xiaomi_mimo"} <= listed_providers().keys()
    assert not listed_providers().keys() & ROWS.keys()


@each
def test_address_and_variable_are_litellm_s(
    litellm: Any, row: ProviderRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row's variables give litellm's key and address."""
    [name] = row.keys
    monkeypatch.setenv(name, "k-of-the-variable")

    assert address_and_key(litellm, row.prefix) == (row.base, "k-of-the-variable")
    for variable in row.bases:
        monkeypatch.setenv(variable, "https://h.test/v1")
        assert address_and_key(litellm, row.prefix)[0] == "https://h.test/v1"


@each
def test_limit_and_texts_are_written_as_litellm_writes_them(
    litellm: Any, row: ProviderRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row has what the file says: ``max_tokens`` for the limit, and one text for a list of texts."""
    request = request_of(
        litellm, monkeypatch, f"{row.prefix}/m", api_key="k", messages=PARTS, max_completion_tokens=7
    )
    body = json.loads(request.content)

    renamed = row.limit_as_max_tokens or row.prefix in RENAMED_IN_CODE
    assert ("max_tokens" in body, "max_completion_tokens" in body) == (renamed, not renamed)
    assert body["messages"][0]["content"] == (PARTS[0]["content"] if row.text_lists else "ab")


def from_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, listed: Any) -> dict[str, ProviderRow]:
    """Return the rows of a package litellm that has *listed* in its file."""
    folder = tmp_path / "llms" / "openai_like"
    folder.mkdir(parents=True)
    (folder / "providers.json").write_text(json.dumps(listed), encoding="utf-8")
    spec = ModuleSpec("litellm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    return dict(listed_providers.__wrapped__())


TOY = {"base_url": "https://api.toy.test/v1/", "api_key_env": "TOY_API_KEY"}


@pytest.mark.parametrize(
    ("further", "changed"),
    [
        ({}, {}),
        ({"api_base_env": "TOY_API_BASE"}, {"bases": ("TOY_API_BASE",)}),
        ({"headers": {"x": "y"}, "supported_endpoints": ["/v1/responses"]}, {}),
        ({"param_mappings": {"max_completion_tokens": "max_tokens"}}, {"limit_as_max_tokens": True}),
        ({"param_mappings": {"max_completion_tokens": "max_output"}}, {}),
        ({"constraints": {"temperature_max": 1.5, "temperature_min": 0.5}}, {"hottest": 1.5}),
        ({"special_handling": {"convert_content_list_to_string": True}}, {"text_lists": False}),
        ({"special_handling": {"convert_content_list_to_string": False}}, {}),
    ],
)
def test_each_fact_of_an_entry_is_read(
    further: dict[str, Any], changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The address loses its slash. Facts that the direct transport does not know are ignored."""
    rows = from_file(monkeypatch, tmp_path, {"toy": {**TOY, **further}})

    assert rows == {"toy": ProviderRow("toy", "https://api.toy.test/v1", ("TOY_API_KEY",), **changed)}


@pytest.mark.parametrize("missing", TOY)
def test_entry_without_an_address_or_a_variable_has_no_row(
    missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Litellm calls such a provider."""
    entry = {name: value for name, value in TOY.items() if name != missing}

    assert from_file(monkeypatch, tmp_path, {"toy": entry, "whole": TOY}).keys() == {"whole"}


def test_nothing_is_listed_without_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The direct transport does not need litellm for the rows of our own."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert listed_providers.__wrapped__() == {}


def test_file_is_read_without_an_import_of_litellm(fresh_python: Callable[..., str]) -> None:
    """The import takes seconds and 165 MB."""
    program = (
        "import sys\n"
        "from proxy.config.providers.find_provider import find_provider\n"
        "print(find_provider('scaleway').keys, 'litellm' in sys.modules)"
    )

    assert fresh_python(program).split() == ["('SCW_SECRET_KEY',)", "False"]
