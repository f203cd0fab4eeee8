"""Checks ``transport: direct``: the wire, the address, and what Azure needs besides.

Values of a credential count like those of the entry that names it. A value of the wrong shape counts as missing here,
since validation reports it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proxy.config.addresses import has_address, speaks_to
from proxy.config.faults import Fault, path_of
from proxy.config.providers.why_litellm import is_azure_v1
from proxy.config.raw_names import given_text, text_of

_FETCHED = ("client_secret", "azure_password")
"""Secrets for which litellm fetches a token of Entra ID."""

_NAMES = ("api_base", "base_url", "api_key", "api_version", "azure_ad_token", *_FETCHED)
_KEY_HEADERS = frozenset({"api-key", "authorization"})

_Place = tuple[str | int, ...]


def check_transports(raw: Mapping[object, object], environ: Mapping[str, str]) -> Iterator[Fault]:
    """Yield a fault for each entry of *raw* with ``transport: direct`` that the direct transport cannot call."""
    listed = raw.get("model_list")
    for position, entry in enumerate(listed if isinstance(listed, list) else ()):
        params = entry.get("litellm_params") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(params, dict):
            continue
        model = text_of(params.get("model"), environ)
        if text_of(entry.get("transport"), environ) != "direct" or model is None or "/" not in model:
            continue  # a name without a provider is OpenAI's
        provider, place = model.partition("/")[0], ("model_list", position)
        given = {name: given_text(raw, params, name, environ) for name in _NAMES}
        base = given["api_base"] or given["base_url"]
        if not speaks_to(provider):
            yield Fault(
                path_of((*place, "transport")),
                "direct speaks OpenAI's format, Anthropic's and Gemini's, not this provider's: use auto; a server "
                "that does speak OpenAI's is openai/NAME with litellm_params.api_base",
            )
        elif not has_address(provider, base):
            yield Fault(
                path_of((*place, "litellm_params", "api_base")),
                "is not set, and transport: direct does not know where this provider is: set it, or use auto",
            )
        elif provider == "azure":
            yield from _azure_version(base or "", given["api_version"] or "", place)
            yield from _azure_token(params, given, place)


def _azure_version(base: str, version: str, place: _Place) -> Iterator[Fault]:
    if not version and not is_azure_v1(base.rstrip("/"), version):
        yield Fault(
            path_of((*place, "litellm_params", "api_version")),
            "is not set, and transport: direct needs it: set it, use auto, or end api_base with /openai/v1",
        )


def _azure_token(
    params: Mapping[object, object], given: Mapping[str, str | None], place: _Place
) -> Iterator[Fault]:
    """Yield a fault where the only credential is one that litellm exchanges for a token. A token goes before a key."""
    token = given["azure_ad_token"]
    fetched = next((name for name in _FETCHED if given[name] is not None), None)
    if token is not None:
        fetched = "azure_ad_token" if token.startswith("oidc/") else None
    elif given["api_key"] is not None or _has_key_header(params):
        fetched = None
    if fetched is not None:
        yield Fault(
            path_of((*place, "litellm_params", fetched)),
            "is exchanged for a token of Entra ID by litellm alone: use transport: auto, or give api_key or a token "
            "in azure_ad_token",
        )


def _has_key_header(params: Mapping[object, object]) -> bool:
    sections = (params.get(name) for name in ("headers", "extra_headers"))
    names = (str(name).lower() for section in sections if isinstance(section, dict) for name in section)
    return not _KEY_HEADERS.isdisjoint(names)
