"""Loads ``Settings`` from the file's bytes and the environment. This module is the entry point of the package.

This module opens no file and reads no process environment. So ``check``, ``serve`` and the tests run the same code. The
result is either valid settings or every fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from proxy.config.address_variables import fill_addresses
from proxy.config.environment import read_environment
from proxy.config.faults import ConfigurationError, Fault
from proxy.config.file_variables import read_variables
from proxy.config.instruction_text import ReadFile
from proxy.config.litellm_settings import fold
from proxy.config.places import Places
from proxy.config.price_fields import fold_prices, warn_of_prices
from proxy.config.references import Context, no_files
from proxy.config.remarks import remarks
from proxy.config.schema.settings import Settings
from proxy.config.sort_keys import sort_keys
from proxy.config.unresolved_texts import unresolved_texts
from proxy.config.unset_variables import TakenOut, take_out
from proxy.config.validation import validate
from proxy.config.yaml_text import read_yaml
from proxy.core.forward_proxies import ForwardProxies


@dataclass(frozen=True, slots=True)
class Loaded:
    """A valid configuration and its warnings. A warning is one line that begins with its place and holds no value.

    *places* finds the line of a path in the file.
    """

    settings: Settings
    warnings: tuple[str, ...] = ()
    places: Places = field(default_factory=Places, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Source:
    raw: Mapping[object, object] | None  # None where it could not be read, as the faults say
    places: Places
    warnings: tuple[str, ...]
    faults: tuple[Fault, ...]
    environ: Mapping[str, str]


def load_settings(
    text: bytes | None,
    environ: Mapping[str, str],
    *,
    strict: bool = False,
    read_file: ReadFile = no_files,
) -> Loaded:
    """Read a configuration.

    Args:
        text: The YAML file's bytes. None means that there is no file, and the configuration comes from *environ*.
        environ: The variables for ``os.environ/NAME``, and the provider keys where there is no file. These variables
            take precedence over the file's own ``environment_variables``.
        strict: Refuse a file with an unset variable. Otherwise the model that needs the variable is left out.
        read_file: Reads the files of texts. Each is read once.

    Returns:
        The settings and the warnings.

    Raises:
        ConfigurationError: with every fault. Neither the error nor its traceback's context holds a value of the file.
    """
    source = _from_environment(environ) if text is None else _from_file(text, environ)
    forward_proxies, environ = ForwardProxies.of(environ), source.environ
    context = Context(environ, cache(read_file))
    settings, faults, warnings, places = None, source.faults, source.warnings, source.places
    if source.raw is not None:
        taken = TakenOut(dict(source.raw)) if strict else take_out(source.raw, environ)
        warnings = (*warnings, *taken.warnings, *unresolved_texts(source.raw, environ))
        if taken.filled is not None:  # an entry that is left out may have faults of its own
            _, found = validate(taken.filled, context, places, filled=taken.unset)
            faults = (*faults, *found, *taken.faults)
        if taken.filled is None or not faults:
            places = replace(places, origins={**places.origins, **taken.origins})
            settings, found = validate(taken.raw, context, places, taken.unavailable)
            faults = (*faults, *found)
    if settings is None or faults:
        raise ConfigurationError(map(places.located, dict.fromkeys(faults)), map(places.warned, warnings))
    settings.general_settings.index_keys()
    settings = settings.with_forward_proxies(forward_proxies)
    return Loaded(settings, (*warnings, *remarks(settings, environ, places)), places)


def _from_environment(environ: Mapping[str, str]) -> _Source:
    raw, origins, faults = read_environment(environ)
    return _Source(None if faults else raw, Places(origins=origins), (), faults, environ)


def _from_file(text: bytes, environ: Mapping[str, str]) -> _Source:
    value, faults, lines = read_yaml(text)
    if value is None and not faults:
        value = {}
    if not isinstance(value, dict):
        wrong = (Fault("", "must be a mapping of sections at the top"),)
        return _Source(None, Places(), (), faults or wrong, environ)
    priced = fold_prices(value)
    keys = sort_keys(priced.raw)
    variables = read_variables(keys.raw, environ)
    folded = fold(variables.raw)
    filled = fill_addresses(folded.raw, variables.environ)
    return _Source(
        filled.raw,
        Places(
            {**lines, **_first_lines(lines, keys.firsts)},
            {**priced.origins, **folded.origins, **filled.origins},
        ),
        (*priced.warnings, *warn_of_prices(priced), *keys.warnings, *variables.warnings, *folded.warnings),
        (*faults, *keys.faults, *variables.faults, *folded.faults),
        variables.environ,
    )


def _first_lines(lines: Mapping[str, int], firsts: Mapping[str, str]) -> dict[str, int]:
    """Return the line of each path in *firsts*, which is the line where its key first occurs."""
    return {
        path: line for path, first in firsts.items() if (line := Places(lines).line_of(first)) is not None
    }
