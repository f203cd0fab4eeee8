"""Tests when tracing is enabled, and which fault is reported if tracing cannot be enabled."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from proxy.config.schema.observability import Tracing
from proxy.observability.tracing.enabling import UnreadableVariable, is_enabled, open_tracing, tracing_fault
from tests.support.proxied import settings_of

ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
ON: dict[str, Any] = {"enabled": True}
OFF: dict[str, Any] = {"enabled": False}


def tracing(**given: Any) -> Tracing:
    """Return the section ``tracing`` of settings with these values."""
    return settings_of(general_settings={"tracing": given}).general_settings.tracing


@pytest.mark.parametrize(
    ("given", "environ", "enabled"),
    [
        ({}, {}, False),
        ({}, ENDPOINT, True),
        ({}, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, True),
        ({}, {"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, False),
        ({}, {"OTEL_SERVICE_NAME": "x", "OTEL_TRACES_SAMPLER": "always_on"}, False),
        ({}, {**ENDPOINT, "OTEL_TRACES_EXPORTER": "none"}, False),
        ({}, {**ENDPOINT, "OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({}, {**ENDPOINT, "OTEL_SDK_DISABLED": "TRUE"}, False),
        ({}, {**ENDPOINT, "OTEL_SDK_DISABLED": "false"}, True),
        (ON, {}, True),
        (ON, {"OTEL_SDK_DISABLED": "true"}, False),
        (OFF, ENDPOINT, False),
    ],
)
def test_sdks_switch_goes_before_configuration_and_collector(
    given: dict[str, Any], environ: dict[str, str], enabled: bool
) -> None:
    """The SDK's switch overrides the configuration, and the configuration overrides a collector's address."""
    assert is_enabled(tracing(**given), environ) == enabled


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make OpenTelemetry's packages impossible to import."""
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> ModuleSpec | None:
        if name.startswith("opentelemetry"):
            raise ModuleNotFoundError(name)
        return find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize(
    ("given", "environ", "says"),
    [(ON, {}, "is true, and"), ({}, ENDPOINT, "follows from OTEL_EXPORTER_OTLP_ENDPOINT, and")],
)
def test_missing_library_is_a_fault_that_names_the_remedy(
    given: dict[str, Any], environ: dict[str, str], says: str
) -> None:
    """A missing library is a fault that names the setting and the package, and no variable's value."""
    fault = tracing_fault(tracing(**given), environ)

    assert fault is not None
    assert fault.path == "general_settings.tracing.enabled"
    assert fault.text.startswith(says)
    assert "turnright[otel]" in fault.text
    assert "127.0.0.1" not in fault.text


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize(("given", "environ"), [({}, {}), (OFF, ENDPOINT)])
def test_missing_library_is_no_fault_without_tracing(given: dict[str, Any], environ: dict[str, str]) -> None:
    """With tracing off, OpenTelemetry is not imported."""
    assert tracing_fault(tracing(**given), environ) is None
    assert open_tracing(tracing(**given), environ) is None


@pytest.mark.parametrize(
    ("environ", "is_fault"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, False),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": ""}, False),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"}, True),
        (
            {
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
            },
            False,
        ),
    ],
)
def test_protocol_other_than_http_is_a_fault(environ: dict[str, str], is_fault: bool) -> None:
    """A protocol other than HTTP with protobuf is refused, since every span would be lost."""
    fault = tracing_fault(tracing(**ON), environ)

    assert (fault is not None) == is_fault
    assert tracing_fault(tracing(**OFF), environ) is None


def test_unusable_variable_of_the_sdk_is_a_fault_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that the SDK refuses is a fault of the configuration, without a traceback."""
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")

    with pytest.raises(UnreadableVariable):
        open_tracing(tracing(**ON), {})
