"""Fills in the address of an entry from the environment variable that litellm reads for its provider.

litellm reads a variable such as ``GROQ_API_BASE`` where a call has no address. The direct transport must call the same
host, since the operator's key goes there. ``openai/`` and ``gemini/`` are exempt: their addresses come from the file
alone, or from ``PROVIDERS`` where there is no file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from proxy.config.addresses import OWN_BASES
from proxy.config.faults import Location
from proxy.config.litellm_models import provider_of
from proxy.config.providers.find_provider import find_provider
from proxy.config.raw_names import given_text, text_of
from proxy.config.references import ENVIRONMENT_PREFIX


class Filled(NamedTuple):
    """A parsed file with the addresses. *origins* maps the path of each filled address to its variable."""

    raw: dict[object, object]
    origins: dict[Location, Location]


def fill_addresses(raw: Mapping[object, object], environ: Mapping[str, str]) -> Filled:
    """Return *raw* with an ``api_base`` in each entry whose address stands in a variable of *environ*.

    *raw* is not changed. Entries that have an address, or whose credential has one, stay as they are. So do entries
    with ``transport: litellm``, since litellm reads the variable itself.
    """
    listed = raw.get("model_list")
    if not isinstance(listed, list):
        return Filled(dict(raw), {})
    entries: list[object] = []
    origins: dict[Location, Location] = {}
    for position, entry in enumerate(listed):
        variable = _variable_of(entry, raw, environ)
        if variable is not None:
            params = {**entry["litellm_params"], "api_base": ENVIRONMENT_PREFIX + variable}
            entry = {**entry, "litellm_params": params}
            origins["model_list", position, "litellm_params", "api_base"] = (variable,)
        entries.append(entry)
    return Filled({**raw, "model_list": entries}, origins)


def _variable_of(entry: object, raw: Mapping[object, object], environ: Mapping[str, str]) -> str | None:
    """Return the variable that has the address of *entry*, or None where there is none, or none is needed."""
    params = entry.get("litellm_params") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or not isinstance(params, dict):
        return None
    model = text_of(params.get("model"), environ)
    if model is None or text_of(entry.get("transport"), environ) == "litellm":
        return None
    provider, slash, _ = model.partition("/")
    provider = provider if slash else provider_of(model) or ""
    row = find_provider(provider)
    bases = OWN_BASES.get(provider, ()) if row is None else row.bases
    if not bases or any(given_text(raw, params, name, environ) for name in ("api_base", "base_url")):
        return None
    return next((name for name in bases if environ.get(name, "").strip()), None)
