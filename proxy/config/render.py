"""Writes settings and faults as text, for ``turnright check``.

A secret is written as ``"********"``, so that not even its length is shown. The value of a header is a secret. A URL
is written without its credentials and its query. The keys are those of the file, defaults included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml
from pydantic import BaseModel, SecretStr

from proxy.config.faults import ConfigurationError
from proxy.config.loading import Loaded

MASK = "********"

_USERINFO = re.compile(r"(?<=://).*@", re.DOTALL)
_QUERY = re.compile(r"\?.*", re.DOTALL)


def plain_settings(loaded: Loaded) -> object:
    """Return the effective settings of *loaded* as plain values, with secrets masked.

    Keys without a value are left out.
    """
    return _plain(loaded.settings)


def render_settings(loaded: Loaded) -> str:
    """Return the effective settings of *loaded* as YAML, with secrets masked."""
    return yaml.safe_dump(
        plain_settings(loaded), sort_keys=False, allow_unicode=True, default_flow_style=False, width=100
    )


def render_faults(error: ConfigurationError) -> str:
    """Return the faults of *error*, one line each."""
    return "".join(f"{fault}\n" for fault in error.faults)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        return {name: _plain(field) for name, field in fields.items() if field is not None}
    if isinstance(value, SecretStr):
        return MASK
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and "://" in value:
        return _QUERY.sub(f"?{MASK}", _USERINFO.sub(f"{MASK}@", value))
    return value
