"""Tests of the names in overrides, and of the models that write the summaries of compaction."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.override_checks import check_overrides
from tests.proxy.config.samples import entry, faults_of

SERVED = {"a", "second", "gemini/*", "cheap"}
KEYS = {"keys": [{"name": "k", "key": "sk-k"}, {"name": "l", "key": "sk-l"}]}

NO_MODEL = "names no model of model_list"
NO_KEY = "names no key of general_settings.keys"
REQUIRED = "is required where compaction is enabled: name a model of model_list that writes the summaries"
REQUIRED_HERE = "is required where compaction is enabled and compaction.model is not set"


def faults(**sections: Any) -> dict[str, str]:
    """Return the faults of *sections*, beside models and keys, by their paths."""
    raw: dict[object, object] = {"general_settings": KEYS}
    raw.update(sections)
    return {fault.path: fault.text for fault in check_overrides(raw, SERVED, {"NAME": "a", "KEY": "k"})}


@pytest.mark.parametrize("section", ["turns", "compaction"])
@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"per_model": [{"model": name} for name in ("a", "second", "gemini/*", "gemini/x")]}, {}),
        ({"per_model": [{"model": "os.environ/NAME"}], "per_key": [{"key": "os.environ/KEY"}]}, {}),
        ({"per_model": [{"model": "a"}, {"model": "b"}]}, {"per_model[1].model": NO_MODEL}),
        ({"per_model": [{"model": "gemini/"}]}, {"per_model[0].model": NO_MODEL}),
        ({"per_model": [{"model": "a"}, {"model": "a"}]}, {"per_model[1].model": "is there twice"}),
        (
            {"per_model": [{"model": "a"}, {"model": "os.environ/NAME"}]},
            {"per_model[1].model": "is there twice"},
        ),
        ({"per_key": [{"key": "k"}, {"key": "l"}]}, {}),
        ({"per_key": [{"key": "a"}]}, {"per_key[0].key": NO_KEY}),
        ({"per_key": [{"key": "k"}, {"key": "k"}]}, {"per_key[1].key": "is there twice"}),
        ({"per_model": [3, {"model": 3}, {}], "per_key": "k"}, {}),
        (["per_model"], {}),
        (None, {}),
    ],
)
def test_overrides_name_configured_models_and_keys_once(
    section: str, values: Any, found: dict[str, str]
) -> None:
    """Each override names a model or a key, and none is named twice. Validation reports wrong shapes."""
    assert faults(**{section: values}) == {f"{section}.{path}": text for path, text in found.items()}


@pytest.mark.parametrize(
    ("compaction", "found"),
    [
        pytest.param({"enabled": True, "model": "cheap"}, {}, id="model"),
        pytest.param({"enabled": True, "model": "second"}, {}, id="alias"),
        pytest.param({"enabled": True, "model": "gemini/x"}, {}, id="through a wildcard"),
        pytest.param({"enabled": True, "model": "os.environ/NAME"}, {}, id="by a variable"),
        pytest.param({"enabled": True, "model": "nope"}, {"model": NO_MODEL}, id="unknown"),
        pytest.param(
            {"enabled": True, "model": "gemini/*"},
            {"model": "must be a model, not a wildcard"},
            id="wildcard",
        ),
        pytest.param(
            {"enabled": True, "model": "*"}, {"model": "must be a model, not a wildcard"}, id="any model"
        ),
        pytest.param({"enabled": True}, {"model": REQUIRED}, id="missing"),
        pytest.param({"enabled": True, "model": None}, {"model": REQUIRED}, id="empty"),
        pytest.param({"enabled": True, "model": 3}, {}, id="wrong shapes are validation's"),
        pytest.param({"enabled": "true"}, {}, id="wrong switches are validation's"),
        pytest.param({"enabled": False, "model": "nope"}, {}, id="off"),
        pytest.param({"model": "nope", "per_key": [{"key": "k", "enabled": False}]}, {}, id="off for a key"),
        pytest.param(
            {"model": "nope", "per_key": [{"key": "k", "enabled": True}]},
            {"model": NO_MODEL},
            id="on for a key",
        ),
        pytest.param(
            {"model": "nope", "per_model": [{"model": "a", "enabled": True}]},
            {"model": NO_MODEL},
            id="on for a model",
        ),
    ],
)
def test_enabled_compaction_has_a_served_summarizing_model(
    compaction: dict[str, Any], found: dict[str, str]
) -> None:
    """A served model must write the summaries as soon as compaction is enabled for anyone."""
    assert faults(compaction=compaction) == {f"compaction.{path}": text for path, text in found.items()}


@pytest.mark.parametrize(("where", "named"), [("per_model", {"model": "a"}), ("per_key", {"key": "k"})])
@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"enabled": True, "summary_model": "cheap"}, None),
        ({"enabled": True, "summary_model": "nope"}, NO_MODEL),
        ({"enabled": True, "summary_model": "gemini/*"}, "must be a model, not a wildcard"),
        ({"enabled": True}, REQUIRED_HERE),
        ({"enabled": False}, None),
        ({}, None),
        ({"summary_model": "nope"}, None),
    ],
)
def test_override_that_enables_compaction_has_a_served_summarizing_model(
    where: str, named: dict[str, str], values: dict[str, Any], found: str | None
) -> None:
    """An override without a summarizing model of its own needs that of the section."""
    path = f"compaction.{where}[0].summary_model"
    assert faults(compaction={where: [{**named, **values}]}) == ({} if found is None else {path: found})

    with_model = faults(compaction={"model": "cheap", where: [{**named, **values}]})
    assert with_model == ({} if found in (None, REQUIRED_HERE) else {path: found})


def test_missing_model_is_one_fault_of_the_whole_configuration() -> None:
    """A configuration that enables compaction without naming a model is refused, with one fault."""
    compaction = {"enabled": True, "per_model": [{"model": "m", "enabled": True}]}

    assert faults_of(entry("m"), compaction=compaction) == [("compaction.model", REQUIRED)]
