"""Finds the deployments that answer for a client's model name, and the model's fallbacks.

An exact name hides every wildcard. Of several matching wildcards the longest counts. Both rules also hold for a model
that was left out since a variable is not set. So no other provider gets its prompts. The part of a name that a wildcard
stands for becomes part of a provider's URL, so the part must look like a model's name. Names are looked up in an index
of the model list (``settings.routes``).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

from proxy.config.addresses import speaks_to
from proxy.config.allowed_models import AllowedModels
from proxy.config.litellm_models import is_provider, likely_provider
from proxy.config.schema.router import ANY_SOURCE
from proxy.config.schema.routes import ANY_MODEL
from proxy.config.schema.settings import Settings
from proxy.core.deployment import Deployment
from proxy.core.errors import ModelNotFound, ModelUnavailable
from proxy.core.key_errors import ModelNotAllowed

_MAX_SHOWN = 20
"""The most configured names that an error lists."""

_MAX_COMPARED = 100
"""The most names that a typo is compared with. One comparison takes some 40 us of the event loop."""

_MAX_NEAR = 3
"""Names that an error suggests, at most."""

_LONGEST = 80
"""Characters of a requested model's name that are compared."""

_REST = re.compile(r"[A-Za-z0-9._:/@-]{1,200}")


def resolve(settings: Settings, requested_model: str) -> tuple[Deployment, ...]:
    """Return the deployments for *requested_model*, sorted by ``order`` and then as in the file, or none.

    *requested_model* is untrusted text of the client. The part that a wildcard stands for has 1 to 200 characters of
    ``A-Za-z0-9._:/@-``. It has no ``..``, and no segment that is empty or ``.``, since it becomes part of a URL. No
    segment ends in a colon, since litellm takes some names that begin with ``https:`` for an address.
    """
    routes = settings.routes
    if routes.aliases:
        requested_model = routes.aliases.get(requested_model, requested_model)
    pool = routes.exact.get(requested_model)
    if pool is not None:
        return pool
    for length in routes.lengths:
        pool = routes.wildcards.get(requested_model[:length])
        if pool is not None and _is_model_name(rest := requested_model[length:]):
            return routes.named(pool, requested_model) if _names_known_provider(pool, rest) else ()
    return ()


def _names_known_provider(pool: Sequence[Deployment], rest: str) -> bool:
    """Return False where *pool* takes any provider, and *rest* names a provider that no table knows."""
    if all(member.model != ANY_MODEL for member in pool):
        return True
    provider, slash, _ = rest.partition("/")
    return not slash or speaks_to(provider) or is_provider(provider)


def model_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the model list, each once, in the file's order.

    Every deployment's metric label is one of these names.
    """
    return settings.routes.names


def shown_names(settings: Settings, allowed: AllowedModels | None = None) -> tuple[str, ...]:
    """Return the names that clients may read: those of the model list, then the aliases that are not hidden.

    Wildcards are not expanded. An alias of a model that was left out is not returned. A key with the models *allowed*
    may read these alone. They are found once, since any client can cause errors that list them.
    """
    if allowed is None:
        return _shown_names(settings)
    known = settings.routes.shown
    if allowed not in known:
        known[allowed] = allowed_names(settings, _shown_names(settings), allowed)
    return known[allowed]


def _shown_names(settings: Settings) -> tuple[str, ...]:
    routes = settings.routes
    return (
        *routes.names,
        *(name for name in routes.shown_aliases if name not in routes.names and resolve(settings, name)),
    )


def choose_pool(
    model: str, settings: Settings, allowed: AllowedModels | None = None
) -> tuple[Deployment, ...]:
    """Return the deployments that answer for *model*. *allowed* are the models of the client's key, None for all.

    Raises :class:`ModelNotAllowed` for a model that the key may not use, configured or not. Raises
    :class:`ModelNotFound`, which names the nearest models and some of those that the key may use. Raises
    :class:`ModelUnavailable` for a model that was left out, since a variable is not set.
    """
    pool = resolve(settings, model)
    if allowed is not None and not is_allowed(model, settings, allowed, pool):
        raise ModelNotAllowed(model, hint=_hint(settings, model, allowed))
    if pool:
        return pool
    if (name := _left_out(settings, settings.routes.canonical(model))) is not None:
        raise ModelUnavailable(model, settings.unavailable[name], label=name)
    raise ModelNotFound(_not_found_text(settings, model, allowed), param="model")


def is_allowed(
    model: str, settings: Settings, allowed: AllowedModels | None, pool: Sequence[Deployment] | None = None
) -> bool:
    """Return True where a key with the models *allowed* may ask for *model*. None allows every model.

    The key must allow *model* itself, or the model that it is a second name of, or the entry that answers for it.
    *pool* are the deployments of *model*, where the caller knows them.
    """
    if allowed is None:
        return True
    pool = resolve(settings, model) if pool is None else pool
    canonical = settings.routes.canonical(model)
    entry = pool[0].name if pool else _left_out(settings, canonical)
    return allowed.allows(model, canonical, *(() if entry is None else (entry,)))


def allowed_names(settings: Settings, names: Iterable[str], allowed: AllowedModels | None) -> tuple[str, ...]:
    """Return those of *names* that a key with the models *allowed* may ask for. None allows every model."""
    return tuple(name for name in names if is_allowed(name, settings, allowed))


def _not_found_text(settings: Settings, model: str, allowed: AllowedModels | None) -> str:
    names = shown_names(settings)
    if model.endswith("*") and model in names:
        return f"'{model}' stands for the names of many models: name one of them. GET /v1/models lists them."
    return f"The model '{model[:200]}' is not configured.{_hint(settings, model, allowed)}"


def _hint(settings: Settings, model: str, allowed: AllowedModels | None) -> str:
    """Return the names that the client may have meant, and some names that it may use, as sentences."""
    names = shown_names(settings, allowed)
    shown = ", ".join(names[:_MAX_SHOWN]) + (
        f" and {len(names) - _MAX_SHOWN} more" if len(names) > _MAX_SHOWN else ""
    )
    near = near_names(settings, model, allowed)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    if not shown:
        return hint
    return f"{hint} {'Configured models' if allowed is None else 'Models of this key'}: {shown}."


def near_names(settings: Settings, asked: str, allowed: AllowedModels | None = None) -> tuple[str, ...]:
    """Return the names that the client may have meant by *asked*, the most similar first, or none.

    A key with the models *allowed* learns no other names.
    """
    given, asked = asked[:_LONGEST], asked[:_LONGEST].lower()
    provider = None if "/" in asked else likely_provider(asked)
    full = f"{provider}/{asked}"
    if provider is not None and resolve(settings, full) and is_allowed(full, settings, allowed):
        return (full,)
    names = {name.lower(): name for name in shown_names(settings, allowed)[:_MAX_COMPARED]}
    plain = [name for name in names if not name.endswith("*")]
    found = {name: names[name] for name in difflib.get_close_matches(asked, plain, n=_MAX_NEAR)}
    start, slash, rest = given.partition("/")
    if slash:  # gemni/gemini-2.5-pro, where gemini/* is served
        starts = {name.removesuffix("/*"): names[name] for name in names if name.endswith("/*")}
        starts |= {provider: "" for provider in _any_providers(settings) if provider not in starts}
        for near in difflib.get_close_matches(start.lower(), starts, n=1):
            full = f"{starts[near].removesuffix('/*') or near}/{rest}"
            if full != given and resolve(settings, full) and is_allowed(full, settings, allowed):
                found[full.lower()] = full
    compare = difflib.SequenceMatcher(b=asked)

    def similarity(name: str) -> float:
        compare.set_seq1(name)
        return compare.ratio()

    return tuple(found[name] for name in sorted(found, key=similarity, reverse=True)[:_MAX_NEAR])


def _any_providers(settings: Settings) -> tuple[str, ...]:
    """Return the providers with a key in the environment, or none unless the wildcard ``*`` takes any provider."""
    pool = settings.routes.wildcards.get("", ())
    return settings.routes.keyed_providers if any(member.model == ANY_MODEL for member in pool) else ()


def chain_of(
    chains: Iterable[Mapping[str, Sequence[str]]],
    model: str,
    pool: Sequence[Deployment],
    alias_of: str = "",
) -> tuple[str, ...]:
    """Return the fallbacks to ask after *model*: its own chain, or its wildcard's, or the chain of ``*``.

    *alias_of* is the model that *model* is a second name of. The chain of *alias_of* is used where the second name has
    no chain.
    """
    for name in (model, alias_of, *(member.name for member in pool[:1]), ANY_SOURCE):
        for chain in chains:
            if name in chain:
                return tuple(chain[name])
    return ()


def _left_out(settings: Settings, model: str) -> str | None:
    """Return the name or the wildcard by which *model* was left out, or None where it was not left out."""
    if model in settings.unavailable:
        return model
    matching = [
        name
        for name in settings.unavailable
        if name.endswith("*") and model.startswith(name[:-1]) and _is_model_name(model[len(name) - 1 :])
    ]
    return max(matching, key=len, default=None)


def _is_model_name(rest: str) -> bool:
    if len(rest) > 200 or not _REST.fullmatch(rest) or ".." in rest:
        return False
    return all(segment not in ("", ".") and segment[-1] != ":" for segment in rest.split("/"))
