"""Tests of ``environment_variables``, the variables that a configuration file sets itself."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.faults import Fault
from proxy.config.file_variables import read_variables
from proxy.config.pools import resolve
from tests.proxy.config.samples import entry, faults_of, load

MASTER = "sk-master-0123456789"


@pytest.mark.parametrize("reference", ["os.environ/MASTER", "${MASTER}"])
def test_a_reference_has_the_file_s_value(reference: str) -> None:
    """A reference to a variable that the file sets is resolved with the file's value."""
    loaded = load(
        entry("a", api_key="os.environ/KEY"),
        environment_variables={"MASTER": MASTER, "KEY": "k-0123456789"},
        general_settings={"master_key": reference},
    )
    key, master = resolve(loaded.settings, "a")[0].api_key, loaded.settings.general_settings.master_key

    assert key is not None
    assert key.get_secret_value() == "k-0123456789"
    assert master is not None
    assert master.get_secret_value() == MASTER
    assert loaded.warnings == ()


def test_the_environment_goes_before_the_file() -> None:
    """A variable of the environment wins over the file's variable, even if its value is empty."""
    read = read_variables(
        {"environment_variables": {"A": "file", "B": "file", "C": "file"}}, {"A": "real", "B": ""}
    )

    assert read.environ == {"A": "real", "B": "", "C": "file"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (5, "5"),
        (1.5, "1.5"),
        (True, "True"),
        ("os.environ/REAL", "real"),
        ("${REAL}", "real"),
        ("postgresql://u:p@h/db", "postgresql://u:p@h/db"),
        ("os.environ/ABSENT", None),
        (None, None),
    ],
)
def test_a_value_is_text_or_a_variable_of_the_environment(value: object, expected: str | None) -> None:
    """A file's variable has its text, or the text of the environment's variable that it refers to, or is not set."""
    read = read_variables({"environment_variables": {"NAME": value}, "x": 1}, {"REAL": "real"})

    assert read.environ.get("NAME") == expected
    assert (read.raw, read.warnings, read.faults) == ({"x": 1}, (), ())


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("sk-${REAL}", "ignored; it looks like a reference, and within a text none is resolved"),
        ("$REAL", "ignored; it looks like a reference, and within a text none is resolved"),
        (["a"], "ignored; it is no text"),
        ({"a": "b"}, "ignored; it is no text"),
    ],
)
def test_a_value_that_is_no_text_is_ignored_with_a_warning(value: object, reason: str) -> None:
    """A value that is no text, or only looks like a reference, is ignored with a warning that tells the reason."""
    read = read_variables({"environment_variables": {"NAME": value}}, {"REAL": "real"})

    assert "NAME" not in read.environ
    assert read.warnings == (f"environment_variables.NAME: {reason}",)


@pytest.mark.parametrize(("section", "faulty"), [(None, False), ({}, False), (["A=b"], True), ("A=b", True)])
def test_the_section_is_a_mapping_or_empty(section: Any, faulty: bool) -> None:
    """A section of variables that is neither a mapping nor empty is a fault at the section's name."""
    fault = Fault("environment_variables", "must be a mapping of keys to values")

    assert read_variables({"environment_variables": section}, {}).faults == ((fault,) if faulty else ())


def test_an_unresolved_key_of_clients_is_still_a_fault() -> None:
    """A client's key is a fault if it refers to a file's variable whose value looks like an unresolved reference."""
    assert faults_of(
        environment_variables={"MASTER": "$MK"}, general_settings={"master_key": "os.environ/MASTER"}
    ) == [("general_settings.master_key", "the environment variable MASTER is not set")]


def test_a_provider_s_key_of_the_file_serves_the_wildcard_for_any_provider() -> None:
    """A deployment of the wildcard ``*`` finds the provider's key among the file's variables."""
    settings = load(entry("*", "*"), environment_variables={"OPENAI_API_KEY": "k-0123456789"}).settings
    [deployment] = resolve(settings, "openai/gpt-4o")

    assert deployment.variables == ("OPENAI_API_KEY",)
    assert deployment.api_key is not None
