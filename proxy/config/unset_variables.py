"""Takes out the models whose entries name an environment variable that is not set, or is empty.

A missing key of one model must not stop the models whose keys are set. A model whose entries are all taken out answers
503 until the variable is set and the configuration is read again. With ``--strict`` every such variable is a fault. An
empty variable of an ``api_key`` takes out no model: it means that there is no key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic_core import PydanticCustomError

from proxy.config.faults import Fault, Location, path_of
from proxy.config.references import resolve_reference, variable_of

Variables = tuple[str, ...]
"""Names of environment variables."""

FILLER = "https://filler.invalid/filler"
"""The text that stands for an unset variable where the rest of an entry is validated.

Nearly every field's type accepts this text.
"""

_FILLER_MODEL = "openai/filler"
_KEY = "api_key"
_INSTRUCTIONS = "instructions"


class TakenOut(NamedTuple):
    """A file without the entries that name unset variables.

    *unavailable* maps the names that no entry serves any more to the variables that they need. *origins* maps the
    places of the remaining entries to their places in the file. *filled* is the whole file with a filler in place of
    each of these variables, so that left-out entries are validated too. *unset* has the paths of the fillers. *filled*
    is None where nothing was taken out.
    """

    raw: dict[object, object]
    origins: Mapping[Location, Location] = MappingProxyType({})
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    unavailable: Mapping[str, Variables] = MappingProxyType({})
    filled: dict[object, object] | None = None
    unset: frozenset[str] = frozenset()


def take_out(raw: Mapping[object, object], environ: Mapping[str, str]) -> TakenOut:
    """Return *raw* without the entries that need a variable without a value in *environ*. *raw* is not changed.

    The variables of an entry are those in its ``litellm_params`` and ``instructions``, and in the credentials that it
    names. A file whose entries all miss a variable is a fault.
    """
    entries = raw.get("model_list")
    if not isinstance(entries, list):
        return TakenOut(dict(raw))
    credentials = _unset_credentials(raw.get("credential_list"), environ)
    unset_of = [_unset_of(entry, environ, credentials) for entry in entries]
    if not any(unset_of):
        return TakenOut(dict(raw))
    names = [_name_of(entry, environ) for entry in entries]
    served = {name for name, unset in zip(names, unset_of, strict=True) if not unset}
    missing: dict[str, Variables] = {}
    warnings: list[str] = []
    for position, (name, unset) in enumerate(zip(names, unset_of, strict=True)):
        if unset:
            missing.setdefault(name, unset)
            warnings.append(
                f"{path_of(('model_list', position))}: left out, since {_are_missing(unset, environ)}; {name} answers "
                "503 where no other entry serves it"
            )
    faults: tuple[Fault, ...] = ()
    if all(unset_of):
        variables = tuple(dict.fromkeys(name for unset in unset_of for name in unset))
        faults = (Fault("model_list", f"no model is left: {_are_missing(variables, environ)}"),)
    kept, origins = _without("model_list", entries, lambda position, _: not unset_of[position])
    rest: dict[object, object] = {**raw, "model_list": kept}
    if credentials:
        rest["credential_list"], moved = _without(
            "credential_list",
            raw["credential_list"],
            lambda _, entry: _credential_of(entry) not in credentials,
        )
        origins |= moved
    filled, places = _fill(raw, environ)
    unavailable = {name: unset for name, unset in missing.items() if name not in served}
    return TakenOut(rest, origins, tuple(warnings), faults, unavailable, filled, places)


def _unset_of(entry: object, environ: Mapping[str, str], credentials: Mapping[str, Variables]) -> Variables:
    params = entry.get("litellm_params") if isinstance(entry, dict) else None
    if not isinstance(params, dict):
        return ()
    assert isinstance(entry, dict)
    named = credentials.get(str(params.get("litellm_credential_name")), ())
    texts = (params, entry.get(_INSTRUCTIONS))
    return tuple(dict.fromkeys((*(name for each in texts for _, name in _unset_in(each, environ)), *named)))


def _unset_in(
    value: object, environ: Mapping[str, str], place: Location = ()
) -> Iterator[tuple[Location, str]]:
    """Yield the place and the name of each variable in *value* that is not set, or is empty."""
    if isinstance(value, str):
        try:
            name = variable_of(value)
        except PydanticCustomError:
            return
        if name is not None and (name not in environ or (not environ[name].strip() and place != (_KEY,))):
            yield place, name
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unset_in(item, environ, (*place, str(key)))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _unset_in(item, environ, (*place, position))


def _fill(
    raw: Mapping[object, object], environ: Mapping[str, str]
) -> tuple[dict[object, object], frozenset[str]]:
    """Return *raw* with a text for each unset variable of its entries and credentials, and the paths of these texts."""
    filled: dict[Any, Any] = dict(raw)
    paths = set[str]()
    for listed, section in (("model_list", "litellm_params"), ("credential_list", "credential_values")):
        entries = raw.get(listed)
        if not isinstance(entries, list):
            continue
        filled[listed] = list(entries)
        for position, entry in enumerate(entries):
            if not isinstance(entry, dict):
                continue
            unset = frozenset(place for place, _ in _unset_in(entry.get(section), environ))
            filled[listed][position] = {**entry, section: _with_filler(entry.get(section), (), unset)}
            paths |= {path_of((listed, position, section, *place)) for place in unset}
            if any(_unset_in(entry.get(_INSTRUCTIONS), environ)):
                filled[listed][position][_INSTRUCTIONS] = FILLER
                paths.add(path_of((listed, position, _INSTRUCTIONS)))
    return filled, frozenset(paths)


def _with_filler(value: object, place: Location, unset: frozenset[Location]) -> object:
    if place in unset:
        return _FILLER_MODEL if place[-1:] == ("model",) else FILLER
    if isinstance(value, dict):
        return {key: _with_filler(item, (*place, str(key)), unset) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_filler(item, (*place, position), unset) for position, item in enumerate(value)]
    return value


def _unset_credentials(listed: object, environ: Mapping[str, str]) -> dict[str, Variables]:
    return {
        _credential_of(entry): unset
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict)
        and (unset := tuple(name for _, name in _unset_in(entry.get("credential_values"), environ)))
    }


def _credential_of(entry: object) -> str:
    return str(entry.get("credential_name")) if isinstance(entry, dict) else ""


def _without(
    name: str, listed: object, keeps: Callable[[int, object], bool]
) -> tuple[list[object], dict[Location, Location]]:
    """Return the entries of the list *name* that *keeps* wants, and the places in the file of those that moved."""
    kept: list[object] = []
    origins: dict[Location, Location] = {}
    for position, entry in enumerate(listed if isinstance(listed, list) else ()):
        if keeps(position, entry):
            if len(kept) != position:
                origins[name, len(kept)] = (name, position)
            kept.append(entry)
    return kept, origins


def _name_of(entry: object, environ: Mapping[str, str]) -> str:
    name = entry.get("model_name") if isinstance(entry, dict) else None
    if not isinstance(name, str):
        return "the model"
    try:
        return resolve_reference(name, environ)
    except PydanticCustomError:
        return name


def _are_missing(variables: Variables, environ: Mapping[str, str]) -> str:
    """Return the words that say that *variables* are not set or empty."""
    unset = [name for name in variables if name not in environ]
    empty = [name for name in variables if name in environ]
    return " and ".join(
        f"the environment variable{'s' * (len(names) > 1)} {', '.join(names)} "
        f"{'are' if len(names) > 1 else 'is'} {state}"
        for names, state in ((unset, "not set"), (empty, "empty"))
        if names
    )
