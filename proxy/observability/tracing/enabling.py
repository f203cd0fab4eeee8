"""Decides before the start whether spans are made, and checks that OpenTelemetry can make them."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import TYPE_CHECKING

from proxy.config import Fault
from proxy.config.schema.observability import Tracing as TracingSection

if TYPE_CHECKING:
    from proxy.observability.tracing import Tracing

_WHERE = "general_settings.tracing.enabled"
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_SPOKEN = "http/protobuf"
_NEEDED = ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http.trace_exporter")


class UnreadableVariable(ValueError):
    """One of the SDK's variables holds a value that the SDK cannot read, such as a time that is not a number."""


def is_enabled(section: TracingSection, environ: Mapping[str, str]) -> bool:
    """Return True where spans are made.

    ``OTEL_SDK_DISABLED`` comes first, as in every OpenTelemetry SDK, and then the configuration. Without a setting, a
    collector's address in the SDK's variables switches spans on, unless ``OTEL_TRACES_EXPORTER`` is ``none``.
    """
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    if section.enabled is not None:
        return section.enabled
    if environ.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
        return False
    return any(environ.get(name, "").strip() for name in _ENDPOINTS)


def tracing_fault(section: TracingSection, environ: Mapping[str, str]) -> Fault | None:
    """Return the reason why requested spans cannot be made. Returns None where they can be, or are not requested."""
    if not is_enabled(section, environ):
        return None
    asked = "is true" if section.enabled else f"follows from {_asked_by(environ)}"
    if not all(map(_is_installed, _NEEDED)):
        return Fault(
            _WHERE,
            f"{asked}, and OpenTelemetry is not installed: install turnright[otel], or set it to false",
        )
    protocol = next((environ[name].strip() for name in _PROTOCOLS if environ.get(name, "").strip()), _SPOKEN)
    if protocol != _SPOKEN:
        return Fault(
            _WHERE,
            f"{asked}, and OTEL_EXPORTER_OTLP_PROTOCOL asks for another protocol than {_SPOKEN}, the only one that is "
            "spoken: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to it, with an address that takes it, or this to false",
        )
    return None


def open_tracing(section: TracingSection, environ: Mapping[str, str]) -> Tracing | None:
    """Return the maker of spans, or None where none are made. *environ* is that of the process, which the SDK reads.

    Raises :class:`UnreadableVariable` where the SDK cannot read one of its variables.
    """
    if not is_enabled(section, environ):
        return None
    from proxy.observability.tracing.exporting import (
        open_exporting,  # imported here, since OpenTelemetry takes a third of a second
    )

    try:
        return open_exporting()
    except ValueError as error:
        raise UnreadableVariable from error


def _asked_by(environ: Mapping[str, str]) -> str:
    return next(name for name in _ENDPOINTS if environ.get(name, "").strip())


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent package is not installed
        return False
