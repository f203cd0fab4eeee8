"""Tests that the wheel holds both packages and their data, and that the example configuration is valid."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest
from hatchling import build

from proxy import __version__
from proxy.config import load_settings

ROOT = Path(__file__).parents[1]


def test_wheel_holds_code_and_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel holds code, data and the license, and no tests, benchmarks or documents."""
    monkeypatch.chdir(ROOT)
    name = build.build_wheel(os.fspath(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        held = wheel.namelist()

    assert name.startswith(f"turnright-{__version__}-")
    for path in (
        "proxy/cli/comparison/histories.json",
        "proxy/conformance/known.json",
        "proxy/conformance/rules.json",
        "proxy/py.typed",
        "proxy/inspector/static/app.js",
        "proxy/inspector/static/index.html",
        "sanitizers/py.typed",
        "sanitizers/pipeline.py",
    ):
        assert path in held
    assert any(path.endswith("LICENSE") for path in held)
    assert not any(path.startswith(("tests/", "benchmarks/", "docs/")) for path in held)


def test_example_configuration_is_valid() -> None:
    """The example configuration loads without a warning, also with its commented models enabled."""
    text = (ROOT / "deploy" / "turnright.yaml").read_text("utf-8")
    offered = re.sub(r"^#(  )", r"\1", text, flags=re.MULTILINE)
    keys = {"GEMINI_API_KEY": "a"}
    more = {**keys, "OPENAI_API_KEY": "b", "TURNRIGHT_MASTER_KEY": "c", "NIGHT_SHIFT_KEY": "d"}

    assert load_settings(text.encode(), keys).warnings == ()
    assert load_settings(offered.encode(), more).warnings == ()
    assert len(load_settings(offered.encode(), more).settings.model_list) == 2
