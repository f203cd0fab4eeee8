"""Checks between fields: wildcards, transports, credentials, prices, fallbacks, client keys, and names in overrides.

The checks read the parsed file and not the finished ``Settings``. So their faults are reported together with
pydantic's. Values of the wrong shape are skipped, since validation reports them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from proxy.config.faults import Fault, path_of
from proxy.config.key_checks import check_keys
from proxy.config.override_checks import check_overrides
from proxy.config.price_fields import check_prices
from proxy.config.raw_names import NOT_SERVED, is_served, named_entries, text_of
from proxy.config.schema.credentials import SECRETS
from proxy.config.transport_checks import check_transports

_FALLBACK_KEYS = ("fallbacks", "context_window_fallbacks", "content_policy_fallbacks")
_ANY_MODEL = "*"

_SENT_ANYWHERE = frozenset({"litellm_credential_name", "headers", "extra_headers", *SECRETS})
"""Parameters that may hold a secret. A client that names the provider would decide where they go."""


def cross_check(
    raw: Mapping[object, object], environ: Mapping[str, str], unavailable: Iterable[str] = ()
) -> tuple[Fault, ...]:
    """Return the faults between the fields of *raw*, a parsed file with ``litellm_settings`` folded in.

    *unavailable* are the names of models that were left out of *raw*. Other sections may still name them.
    """
    listed = raw.get("model_list")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    names = {name for entry in entries if (name := text_of(entry.get("model_name"), environ)) is not None}
    names.update(unavailable)
    router = raw.get("router_settings")
    aliases = _aliases(router, environ)
    served = names | {alias for _, alias, _ in aliases}
    return (
        *(_wildcards(listed, environ) if isinstance(listed, list) else ()),
        *check_transports(raw, environ),
        *_named_credentials(raw, environ),
        *_provider_states(raw, environ),
        *check_prices(raw),
        *_alias_targets(aliases, names),
        *(_fallbacks(router, served, environ) if isinstance(router, dict) else ()),
        *check_keys(raw.get("general_settings"), served, environ),
        *check_overrides(raw, served, environ),
    )


def _wildcards(entries: list[object], environ: Mapping[str, str]) -> Iterator[Fault]:
    for position, entry in enumerate(entries):
        params = entry.get("litellm_params") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(params, dict):
            continue
        name, model = text_of(entry.get("model_name"), environ), text_of(params.get("model"), environ)
        if name is None or model is None:
            continue
        place = ("model_list", position, "litellm_params")
        if "*" in model and "*" not in name:
            yield Fault(path_of((*place, "model")), "has a *, and its model_name has none to fill it in with")
        if "*" in model.partition("/")[0] and "/" in model:
            yield Fault(
                path_of((*place, "model")),
                "lets a client name the provider of a model: write provider/*, or * alone for any provider",
            )
        if model == _ANY_MODEL and not (params.get("api_base") or params.get("base_url")):
            yield from _sent_anywhere(params, place, environ)


def _sent_anywhere(
    params: Mapping[object, object], place: tuple[str | int, ...], environ: Mapping[str, str]
) -> Iterator[Fault]:
    for key, value in params.items():
        if key in _SENT_ANYWHERE and (text_of(value, environ) if isinstance(value, str) else value):
            yield Fault(
                path_of((*place, key)),
                "would go to any provider that a client names: write provider/* as the model, or set api_base",
            )


def _named_credentials(raw: Mapping[object, object], environ: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each entry that names an unlisted credential.

    Its requests would be sent without the credential.
    """
    known = {name for _, name in named_entries(raw, "credential_list", "credential_name", environ)}
    listed = raw.get("model_list")
    for position, entry in enumerate(listed if isinstance(listed, list) else ()):
        params = entry.get("litellm_params") if isinstance(entry, dict) else None
        given = params.get("litellm_credential_name") if isinstance(params, dict) else None
        name = text_of(given, environ)
        if name and name not in known:
            near = difflib.get_close_matches(name[:80], sorted(known), n=1)
            hint = f"; did you mean {near[0][:80]}?" if near else ""
            place = ("model_list", position, "litellm_params", "litellm_credential_name")
            yield Fault(path_of(place), f"names no credential of credential_list{hint}")


def _provider_states(raw: Mapping[object, object], environ: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each entry whose ``provider_state`` differs from that of the first entry with its name.

    A request's conversation is looked up before a deployment is chosen.
    """
    listed = raw.get("model_list")
    first: dict[str, bool] = {}
    for position, name in named_entries(raw, "model_list", "model_name", environ):
        entry = listed[position] if isinstance(listed, list) else {}
        is_kept_upstream = entry.get("provider_state") is True
        if first.setdefault(name, is_kept_upstream) is not is_kept_upstream:
            yield Fault(
                path_of(("model_list", position, "provider_state")),
                "differs from that of another entry with the same model_name: a conversation is in one place",
            )


def _aliases(router: object, environ: Mapping[str, str]) -> list[tuple[object, str, str]]:
    """Return the aliases of models, each as its key in the file, its resolved name, and its model."""
    listed = router.get("model_group_alias") if isinstance(router, dict) else None
    return [
        (key, alias, target)
        for key, item in (listed.items() if isinstance(listed, dict) else ())
        if (alias := text_of(key, environ)) is not None
        and (target := text_of(item.get("model") if isinstance(item, dict) else item, environ)) is not None
    ]


def _alias_targets(aliases: Iterable[tuple[object, str, str]], names: set[str]) -> Iterator[Fault]:
    for key, _, target in aliases:
        path = path_of(("router_settings", "model_group_alias", key))
        if target.endswith("*"):
            yield Fault(path, "must be a model, not a wildcard")
        elif not is_served(target, names):
            yield Fault(path, NOT_SERVED)


def _fallbacks(router: dict[object, object], names: set[str], environ: Mapping[str, str]) -> Iterator[Fault]:
    for section in _FALLBACK_KEYS:
        chains = router.get(section)
        for position, chain in enumerate(chains if isinstance(chains, list) else ()):
            for key, targets in chain.items() if isinstance(chain, dict) else ():
                source = text_of(key, environ)
                place = ("router_settings", section, position, key)
                if source is not None and source != _ANY_MODEL and not is_served(source, names):
                    yield Fault(path_of(place), NOT_SERVED)
                yield from _targets(targets, place, source, names, environ)
    default = ("router_settings", "default_fallbacks")
    yield from _targets(router.get("default_fallbacks"), default, None, names, environ)


def _targets(
    targets: object,
    place: tuple[object, ...],
    source: str | None,
    names: set[str],
    environ: Mapping[str, str],
) -> Iterator[Fault]:
    for index, target in enumerate(targets if isinstance(targets, list) else ()):
        name = text_of(target, environ)
        if name is not None and name.endswith("*"):
            yield Fault(path_of((*place, index)), "must be a model, not a wildcard")
        elif name is not None and not is_served(name, names):
            yield Fault(path_of((*place, index)), NOT_SERVED)
        elif name is not None and name == source:
            yield Fault(path_of((*place, index)), "falls back to itself")
