"""Decides whether a configuration may be served on an address.

Anyone who reaches an open port can spend the operator's keys. An address that others can reach therefore needs a key,
or the setting ``allow_unauthenticated_access``. The admin listener serves only health and metrics, and is exempt.
"""

from __future__ import annotations

import ipaddress

from proxy.config.faults import Fault
from proxy.config.schema.general import GeneralSettings


def bind_fault(general: GeneralSettings, host: str) -> Fault | None:
    """Return the reason why the API must not be served on *host*, or None where it may.

    *host* is an address or a name as given to ``serve --host``. Loopback is ``127.0.0.0/8``, ``::1`` and
    ``localhost``. Any other address counts as reachable, such as ``0.0.0.0``, ``::``, the empty text, or another
    name.
    """
    if general.asks_for_keys or general.allow_unauthenticated_access or _is_loopback(host):
        return None
    return Fault(
        "general_settings.master_key",
        f"is not set, and {host if host.isprintable() and host else 'this address'} is not loopback: "
        "set it (TURNRIGHT_MASTER_KEY where there is no file), or permit open access with "
        "general_settings.allow_unauthenticated_access: true",
    )


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return address.is_loopback
