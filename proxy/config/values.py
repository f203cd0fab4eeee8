"""The types of values in the sections, each with its own error text.

A text may refer to a variable (:mod:`proxy.config.references`). Secrets become ``SecretStr`` at once. An error text
never holds the given value. YAML has typed its scalars already. A few other forms are accepted, such as a number in
quotes.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.like_references import looks_like_place, looks_like_reference
from proxy.config.references import (
    ENVIRONMENT_PREFIX,
    environ_of,
    from_environment,
    resolve_reference,
)
from proxy.config.store_address import parse_store_address, usual_spelling

_REFERENCE = f"looks like a reference to a variable; write {ENVIRONMENT_PREFIX}NAME alone"

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,20}\.[0-9]{1,20}")
_KEY_TEXT = re.compile(r"[\x21-\x7e]+")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110 section 5.6.2, token
_HOST_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_ORIGIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def read_number(value: Any, info: ValidationInfo) -> Any:
    """Return the number that *value* holds where it is a text, such as ``"300"`` or a reference to a variable.

    Any other value is returned unchanged, for the field to judge.
    """
    text = from_environment(value, info)
    if not isinstance(text, str):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def read_off(value: Any) -> Any:
    """Read ``false`` as ``off``, since YAML 1.1 takes the bare word ``off`` for a boolean."""
    return "off" if value is False else value


def read_flag(value: Any) -> Any:
    """Read a boolean as its name in YAML, for a setting that takes further words."""
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


def empty_section(value: Any) -> Any:
    """Read a section without a value as one without keys."""
    return {} if value is None else value


def _secret_text(value: Any, info: ValidationInfo) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    resolved = from_environment(value, info)
    if resolved is None:
        raise refusal("is empty")
    if not isinstance(resolved, str):
        raise refusal("must be text; put it in quotes")
    if not resolved.strip():
        raise refusal("is empty")
    return resolved


def _key_secret(value: Any, info: ValidationInfo) -> SecretStr:
    return _checked_key(_secret_text(value, info))


def _checked_key(text: str) -> SecretStr:
    if not _KEY_TEXT.fullmatch(text):
        raise refusal(
            "holds white space or a character that no key has; a key read from a file often ends in a newline"
        )
    return SecretStr(text)


def _gateway_key(value: Any, info: ValidationInfo) -> SecretStr:
    secret = _key_secret(value, info)
    text = secret.get_secret_value()
    if looks_like_reference(text, environ_of(info)) or looks_like_place(text):
        raise refusal(_REFERENCE)
    return secret


def _provider_key(value: Any, info: ValidationInfo) -> SecretStr | None:
    resolved = resolve_reference(value, environ_of(info)) if isinstance(value, str) else value
    if resolved is None or (isinstance(resolved, str) and not resolved.strip()):
        return None
    return _key_secret(resolved, info) if not isinstance(resolved, str) else _checked_key(resolved)


def _document_secret(value: Any, info: ValidationInfo) -> SecretStr:
    return SecretStr(_secret_text(value, info))


def _header_secret(value: Any, info: ValidationInfo) -> SecretStr:
    text = _secret_text(value, info)
    if not text.isprintable():
        raise refusal("holds a control character, which a header cannot carry")
    return SecretStr(text)


def _not_empty(text: str) -> str:
    if not text.strip():
        raise refusal("is empty")
    return text


def _printable(text: str) -> str:
    if text != text.strip() or not text.isprintable():
        raise refusal("holds a control character, or white space at an end")
    return text


def _header_name(text: str) -> str:
    if not _HEADER_NAME.fullmatch(text):
        raise refusal("is not the name of a header")
    return text


def _base_url(text: str) -> str:
    if not text.isprintable() or " " in text:
        raise refusal("holds white space or a control character")
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018  the property raises on a port that is none
    except ValueError:
        raise refusal("is not a URL") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise refusal("must be an http or https URL with a host")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise refusal("must hold no credentials; use api_key or extra_headers")
    if "?" in text or "#" in text:
        raise refusal("must have no query and no fragment")
    return text.rstrip("/")


def _host_name(text: str) -> str:
    name = text.lower().removesuffix(".")
    if not _HOST_NAME.fullmatch(name):
        raise refusal("must be a host's name in ASCII, with no scheme, port, path or wildcard")
    return name


def _web_origin(text: str) -> str:
    parts = _ORIGIN.fullmatch(text.lower())
    if parts is None:
        raise refusal(
            "must be one origin, as https://app.example or http://localhost:3000, with no path, slash or wildcard"
        )
    scheme, host, port = parts.group("scheme", "host", "port")
    return f"{scheme}://{host}" if port in (None, _DEFAULT_PORTS.get(scheme)) else f"{scheme}://{host}:{port}"


def _store_url(text: str, info: ValidationInfo) -> str:
    if looks_like_reference(text, environ_of(info)):
        raise refusal(_REFERENCE)
    url = usual_spelling(text)
    try:
        parse_store_address(url)
    except ValueError as error:
        raise refusal(str(error)) from None
    return url


def _iso_date(value: Any) -> Any:
    is_date = isinstance(value, datetime.date) and not isinstance(value, datetime.datetime)
    return value.isoformat() if is_date else value


_EnvironmentText = Annotated[
    str, BeforeValidator(from_environment), Field(strict=True), AfterValidator(_not_empty)
]

Text = Annotated[_EnvironmentText, AfterValidator(_printable)]
"""A printable text on one line, which is not empty."""

VersionText = Annotated[Text, BeforeValidator(_iso_date)]
"""A text that YAML may have taken for a date, such as ``2024-06-01``."""

BaseUrl = Annotated[_EnvironmentText, AfterValidator(_base_url)]
"""An http or https URL without credentials, query or fragment. Trailing slashes are cut."""

StoreUrl = Annotated[_EnvironmentText, AfterValidator(_store_url)]
"""The URL of a store, with usual spellings of its scheme. It may hold a password, so it is never printed whole."""

KeySecret = Annotated[SecretStr, BeforeValidator(_key_secret)]
"""A key: printable ASCII without white space, since it is sent in a header."""

ProviderKey = Annotated[SecretStr | None, BeforeValidator(_provider_key)]
"""A provider's key. An empty key counts as none, since self-hosted servers often need no key."""

GatewayKey = Annotated[SecretStr, BeforeValidator(_gateway_key)]
"""A key of clients. It must not look like a reference: every client could guess such a key."""

OptionalGatewayKey = Annotated[SecretStr | None, BeforeValidator(_gateway_key)]
"""A key of clients that may be left out. An empty value is refused, since it would open the API unnoticed."""

DocumentSecret = Annotated[SecretStr, BeforeValidator(_document_secret)]
"""A secret of any shape, such as a service account's JSON or the path of its file."""

HeaderSecret = Annotated[SecretStr, BeforeValidator(_header_secret)]
"""The value of a header that the proxy sends. It is treated as a secret, since many are."""

HeaderName = Annotated[str, Field(strict=True), AfterValidator(_header_name)]
"""The name of a header."""

HostName = Annotated[_EnvironmentText, AfterValidator(_host_name)]
"""A host's name or IPv4 address, in lower case, without a dot at its end."""

WebOrigin = Annotated[_EnvironmentText, AfterValidator(_web_origin)]
"""A web page's origin as a browser sends it: in lower case, without a default port."""

_Numeric = BeforeValidator(read_number)

Flag = Annotated[bool, Field(strict=True)]
"""True or false. No other value is accepted."""

Seconds = Annotated[float, Field(strict=True, gt=0, le=86_400 * 365, allow_inf_nan=False), _Numeric]
"""A time in seconds, above 0 and at most a year. A longer time is probably given in another unit."""

SecondsOrZero = Annotated[float, Field(strict=True, ge=0, le=86_400 * 365, allow_inf_nan=False), _Numeric]
"""A time in seconds. The field says what 0 means."""

Count = Annotated[int, Field(strict=True, ge=1, le=2**53), _Numeric]
"""A whole number of things, at least 1."""

CountOrZero = Annotated[int, Field(strict=True, ge=0, le=2**53), _Numeric]
"""A whole number of things. 0 means none or no limit, as the field says."""

Ratio = Annotated[float, Field(strict=True, gt=0, le=1, allow_inf_nan=False), _Numeric]
"""A share, above 0 and at most 1."""

Port = Annotated[int, Field(strict=True, ge=0, le=65_535), _Numeric]
"""A TCP port. With 0 the kernel picks one."""
