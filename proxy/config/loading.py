"""From the file's bytes and the environment to ``Settings``: the one way in.

Pure: no file is opened and no process environment read here, so that ``check``, ``serve`` and the tests take the same
path. Either everything is good, or every fault is reported together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from proxy.config.environment import read_environment
from proxy.config.faults import ConfigurationError, Fault, Location
from proxy.config.ignored_keys import strip_ignored
from proxy.config.litellm_settings import fold
from proxy.config.remarks import remarks
from proxy.config.schema.settings import Settings
from proxy.config.validation import validate
from proxy.config.yaml_text import read_yaml


@dataclass(frozen=True, slots=True)
class Loaded:
    """A good configuration, and what the operator should hear about it: one line each, no values."""

    settings: Settings
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    raw: Mapping[object, object] | None  # None: unread, and the faults say why
    origins: Mapping[Location, Location]
    warnings: tuple[str, ...]
    faults: tuple[Fault, ...]


def load_settings(text: bytes | None, environ: Mapping[str, str]) -> Loaded:
    """Read a configuration.

    Args:
        text: the YAML file's bytes; None when there is no file, and then the environment decides.
        environ: the environment: what ``os.environ/NAME`` resolves to, and the provider keys where there is no file.

    Returns:
        The settings and the warnings.

    Raises:
        ConfigurationError: with every fault. Neither it nor its traceback's context holds a value of the file.
    """
    source = _from_environment(environ) if text is None else _from_file(text)
    settings, faults = None, source.faults
    if source.raw is not None:
        settings, found = validate(source.raw, environ, source.origins)
        faults = (*faults, *found)
    if settings is None or faults:
        raise ConfigurationError(dict.fromkeys(faults))
    return Loaded(settings, (*source.warnings, *remarks(settings, environ, source.origins)))


def _from_environment(environ: Mapping[str, str]) -> _Source:
    raw, origins, faults = read_environment(environ)
    return _Source(None if faults else raw, origins, (), faults)


def _from_file(text: bytes) -> _Source:
    value, faults = read_yaml(text)
    if value is None and not faults:
        value = {}
    if not isinstance(value, dict):
        return _Source(None, {}, (), faults or (Fault("", "must be a mapping of sections at the top"),))
    kept, ignored = strip_ignored(value)
    folded = fold(kept)
    return _Source(folded.raw, folded.origins, (*ignored, *folded.warnings), (*faults, *folded.faults))
