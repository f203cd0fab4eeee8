"""Takes out the models whose entries name an environment variable that is not set.

A missing key of one model must not stop the models whose keys are set. A model that is taken out answers 503 until the
variable is set and the configuration is read again. With ``--strict`` every unset variable is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from proxy.config.faults import Fault, Location, path_of
from proxy.config.values import resolve_reference, variable_of

Variables = tuple[str, ...]
"""Names of environment variables."""


class TakenOut(NamedTuple):
    """A file without the entries that name unset variables.

    *unavailable* maps the names that no entry serves any more to the variables that they need. *origins* maps the
    places of the remaining entries to their places in the file.
    """

    raw: dict[object, object]
    origins: dict[Location, Location]
    warnings: tuple[str, ...]
    faults: tuple[Fault, ...]
    unavailable: dict[str, Variables]


def take_out(raw: Mapping[object, object], environ: Mapping[str, str]) -> TakenOut:
    """Return *raw* without the entries of ``model_list`` that *environ* has no value for. *raw* is not changed.

    The variables of an entry are those in its ``litellm_params`` and in the credentials that it names. A file whose
    entries all miss a variable is a fault.
    """
    entries = raw.get("model_list")
    if not isinstance(entries, list):
        return TakenOut(dict(raw), {}, (), (), {})
    credentials = _unset_credentials(raw.get("credential_list"), environ)
    kept: list[object] = []
    origins: dict[Location, Location] = {}
    warnings: list[str] = []
    missing: dict[str, Variables] = {}
    for position, entry in enumerate(entries):
        unset = _unset_of(entry, environ, credentials)
        if not unset:
            if len(kept) != position:
                origins["model_list", len(kept)] = ("model_list", position)
            kept.append(entry)
            continue
        name = _name_of(entry, environ)
        missing.setdefault(name, unset)
        warnings.append(
            f"{path_of(('model_list', position))}: left out, since {_are_not_set(unset)}; {name} answers 503 "
            "where no other entry serves it"
        )
    served = {_name_of(entry, environ) for entry in kept}
    unavailable = {name: unset for name, unset in missing.items() if name not in served}
    if entries and not kept:
        variables = tuple(dict.fromkeys(name for unset in missing.values() for name in unset))
        return TakenOut(
            dict(raw), {}, (), (Fault("model_list", f"no model is left: {_are_not_set(variables)}"),), {}
        )
    rest = {**raw, "model_list": kept}
    if credentials:
        rest["credential_list"] = _without(raw["credential_list"], credentials)
    return TakenOut(rest, origins, tuple(warnings), (), unavailable)


def _unset_of(entry: object, environ: Mapping[str, str], credentials: Mapping[str, Variables]) -> Variables:
    params = entry.get("litellm_params") if isinstance(entry, dict) else None
    if not isinstance(params, dict):
        return ()
    named = credentials.get(str(params.get("litellm_credential_name")), ())
    return tuple(dict.fromkeys((*_unset_in(params, environ), *named)))


def _unset_in(value: object, environ: Mapping[str, str]) -> Iterator[str]:
    if isinstance(value, str):
        try:
            name = variable_of(value)
        except PydanticCustomError:
            return
        if name is not None and name not in environ:
            yield name
    elif isinstance(value, dict):
        for item in value.values():
            yield from _unset_in(item, environ)
    elif isinstance(value, list):
        for item in value:
            yield from _unset_in(item, environ)


def _unset_credentials(listed: object, environ: Mapping[str, str]) -> dict[str, Variables]:
    return {
        str(entry.get("credential_name")): unset
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict) and (unset := tuple(_unset_in(entry.get("credential_values"), environ)))
    }


def _without(listed: object, names: Mapping[str, Variables]) -> list[object]:
    return [
        entry
        for entry in (listed if isinstance(listed, list) else ())
        if not (isinstance(entry, dict) and str(entry.get("credential_name")) in names)
    ]


def _name_of(entry: object, environ: Mapping[str, str]) -> str:
    name = entry.get("model_name") if isinstance(entry, dict) else None
    with suppress(PydanticCustomError):
        return resolve_reference(name, environ) if isinstance(name, str) else "the model"
    return "the model"


def _are_not_set(variables: Variables) -> str:
    if len(variables) == 1:
        return f"the environment variable {variables[0]} is not set"
    return f"the environment variables {', '.join(variables)} are not set"
