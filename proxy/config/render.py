"""Writes settings and faults as text, for ``turnright check``.

A secret is written as ``"********"``, so that not even its length is shown. The value of a header is a secret. The
credentials and the query of a URL are masked. The operator's instructions are written as their length and digest.
The keys are those of the file. Keys with a default are written even where the file leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

import yaml
from pydantic import BaseModel, SecretStr

from proxy.config.faults import ConfigurationError
from proxy.config.instruction_text import InstructionText
from proxy.config.loading import Loaded
from proxy.core.hidden_text import MASK, HiddenText

COMMAND = "turnright"

_USERINFO = re.compile(r"(?<=://).*@", re.DOTALL)
_SECRET_NAME = re.compile(r"api_?key|secret|password|credential", re.IGNORECASE)
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


def render_faults(error: ConfigurationError, file: str | None = None) -> str:
    """Return the faults and the warnings of *error*, one line each, in the file's order.

    *file* is the file's name as the operator gave it, or None without one. A fault without a line begins with the
    file's name alone. Without a file, a fault begins with the command's name.
    """
    lines = [(fault.line, True, str(fault)) for fault in error.faults]
    lines += [(line, False, warning) for warning, line in error.warnings]
    lines.sort(key=lambda each: each[0] or 0)
    return "".join(
        f"{at_line(file, line) or f'{file or COMMAND}: '}{text}\n"
        if is_fault
        else f"{render_warning(text, line, file)}\n"
        for line, is_fault, text in lines
    )


def render_warning(warning: str, line: int | None, file: str | None = None) -> str:
    """Return the line that an operator reads for *warning*."""
    return f"{COMMAND}: warning: {at_line(file, line)}{warning}"


def at_line(file: str | None, line: int | None) -> str:
    """Return ``FILE:LINE: `` for the beginning of a message, or nothing where the file or the line is not known."""
    return f"{file}:{line}: " if file is not None and line is not None else ""


def masked_url(url: str) -> str:
    """Return *url* with its credentials and its query masked."""
    return _QUERY.sub(f"?{MASK}", _USERINFO.sub(f"{MASK}@", url))


def _plain_fact(name: str, fact: object) -> object:
    """Return a fact of ``model_info``, where any key is allowed, as a plain value.

    A fact whose name looks like a secret's is masked.
    """
    if _SECRET_NAME.search(name):
        return MASK
    if isinstance(fact, Mapping):
        return {key: _plain_fact(key, item) for key, item in fact.items()}
    return [_plain_fact("", item) for item in fact] if isinstance(fact, list) else _plain(fact)


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        shown = {name: _plain(field) for name, field in fields.items() if field is not None}
        return shown | {name: _plain_fact(name, fact) for name, fact in (value.model_extra or {}).items()}
    if isinstance(value, SecretStr | HiddenText):
        return MASK
    if isinstance(value, InstructionText):
        return {"bytes": value.bytes, "digest": value.digest}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, str) and "://" in value:
        return masked_url(value)
    return value
