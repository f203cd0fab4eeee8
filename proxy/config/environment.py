"""Makes a configuration without a file: a wildcard for each provider whose key is in the environment.

Only the mapping that the caller passes in is read. An empty variable of a provider counts as not set. An empty variable
of turnright's own is a fault: the API would be open by mistake, or the state would silently be kept in memory. Faults
name the variable, since there is no file to name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import SecretStr

from proxy.config.addresses import OWN_BASES
from proxy.config.faults import Fault, Location
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from proxy.config.references import ENVIRONMENT_PREFIX
from proxy.config.schema.routes import ProviderAccess

MASTER_KEY_VARIABLE = "TURNRIGHT_MASTER_KEY"
STORE_URL_VARIABLE = "TURNRIGHT_STORE_URL"
STORE_SECRET_VARIABLE = "TURNRIGHT_STORE_SECRET"

OWN_VARIABLES: tuple[tuple[str, str, str], ...] = (
    (MASTER_KEY_VARIABLE, "general_settings", "master_key"),
    (STORE_URL_VARIABLE, "store", "url"),
    (STORE_SECRET_VARIABLE, "store", "secret"),
)
"""The variables of turnright's own settings, where there is no file, each with the section and the key that it sets."""


class Provider(NamedTuple):
    """A provider by litellm's prefix, and the variables of its key and its address.

    Of several variables, the first that is set counts.
    """

    prefix: str
    keys: tuple[str, ...]
    bases: tuple[str, ...] = ()


def _direct(prefix: str) -> Provider:
    """Return the provider of a row, with the row's variables."""
    return Provider(prefix, ROWS[prefix].keys, ROWS[prefix].bases)


PROVIDERS: tuple[Provider, ...] = (
    Provider("gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    Provider("openai", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
    Provider("anthropic", ("ANTHROPIC_API_KEY",), OWN_BASES["anthropic"]),
    _direct("mistral"),
    _direct("deepseek"),
    Provider("cohere", ("COHERE_API_KEY", "CO_API_KEY")),
    _direct("groq"),
    _direct("xai"),
    _direct("openrouter"),
    _direct("together_ai"),
    _direct("fireworks_ai"),
    _direct("perplexity"),
    _direct("cerebras"),
)
"""The providers that are looked for. Prefixes and variables are litellm's (1.105.3)."""


class FromEnvironment(NamedTuple):
    """A configuration in the shape of a file. *origins* maps the path of a value to the variable that it comes from."""

    raw: dict[object, object]
    origins: dict[Location, Location]
    faults: tuple[Fault, ...]


def find_variables(environ: Mapping[str, str]) -> tuple[tuple[Provider, str], ...]:
    """Return the providers whose key is in *environ*, each with the key's variable, in the order of ``PROVIDERS``."""
    found = ((provider, _first_set(provider.keys, environ)) for provider in PROVIDERS)
    return tuple((provider, key) for provider, key in found if key is not None)


def provider_access(environ: Mapping[str, str]) -> dict[str, ProviderAccess]:
    """Return the key and the address of each provider that has one of them in *environ*, those with a key first."""
    access = {
        provider.prefix: ProviderAccess(SecretStr(environ[key]), _address(provider.bases, environ), key)
        for provider, key in find_variables(environ)
    }
    for row in (*ROWS.values(), *listed_providers().values()):
        base = _address(row.bases, environ)
        if base is not None:
            access.setdefault(row.prefix, ProviderAccess(None, base, None))
    return access


def _address(variables: tuple[str, ...], environ: Mapping[str, str]) -> str | None:
    name = _first_set(variables, environ)
    return None if name is None else environ[name].strip().rstrip("/")


def read_environment(environ: Mapping[str, str]) -> FromEnvironment:
    """Return a configuration with a wildcard entry for each provider's key in *environ*, and with ``OWN_VARIABLES``."""
    entries: list[dict[str, object]] = []
    origins: dict[Location, Location] = {}
    for provider, key in find_variables(environ):
        place: Location = ("model_list", len(entries), "litellm_params")
        wildcard = f"{provider.prefix}/*"
        params: dict[str, object] = {"model": wildcard, "api_key": ENVIRONMENT_PREFIX + key}
        origins[(*place, "api_key")] = (key,)
        base = _first_set(provider.bases, environ)
        if base is not None:
            params["api_base"] = ENVIRONMENT_PREFIX + base
            origins[(*place, "api_base")] = (base,)
        entries.append({"model_name": wildcard, "litellm_params": params})
    sections: dict[str, dict[str, str]] = {}
    for variable, section, key in OWN_VARIABLES:
        if variable in environ:
            sections.setdefault(section, {})[key] = ENVIRONMENT_PREFIX + variable
            origins[section, key] = (variable,)
    raw: dict[object, object] = {"model_list": entries}
    raw.update(sections)
    return FromEnvironment(raw, origins, () if entries else (_no_provider(),))


def _first_set(names: tuple[str, ...], environ: Mapping[str, str]) -> str | None:
    return next((name for name in names if environ.get(name, "").strip()), None)


_HINT = "`turnright init` writes a first file, and `turnright demo` needs no key"


def _no_provider() -> Fault:
    names = ", ".join(name for provider in PROVIDERS for name in provider.keys)
    return Fault("", f"there is no configuration: name a file with --config, or set one of {names}; {_HINT}")
