"""The lines that ``turnright serve`` prints at a terminal once it is ready: addresses, models, keys, what to do next.

The lines hold addresses and names, and never the value of a key.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rich.text import Text

from proxy import __version__
from proxy.cli.key_sources import found_keys
from proxy.cli.render_lines import Part, render_lines, two_columns
from proxy.cli.show_messages import printable
from proxy.config import Settings
from proxy.state.sessions.describe_sessions import describe_sessions

_SHOWN = 6
"""The most names that a line lists."""

_INDENT, _NAMES = 2, 15
"""The indent before the names, and the width of the names' column with its spaces, in characters."""

_NARROWEST = 20
"""The least width of the values' column, in characters, however narrow the terminal is."""

_EVERYWHERE = {"http://0.0.0.0:": "http://127.0.0.1:", "http://[::]:": "http://[::1]:"}
"""Addresses that mean every interface, each with the loopback address that a client can use."""


@dataclass(frozen=True, slots=True)
class Started:
    """The command as the user started it, and the path of its configuration, or None for the environment."""

    command: str
    config: str | None
    columns: int
    """The width of the terminal, in characters."""


def banner(
    settings: Settings, environ: Mapping[str, str], started: Started, base_url: str, *, colours: bool
) -> str:
    """Return the banner, which ends with a newline. *base_url* is the address of the API that listens."""
    return "\n".join(render_lines(_parts(settings, environ, started, base_url), colours=colours)) + "\n"


def _parts(settings: Settings, environ: Mapping[str, str], started: Started, base_url: str) -> Iterator[Part]:
    yield ""
    yield Text.assemble(("turnright", "bold"), f" {__version__} is ready.")
    width = max(_NARROWEST, started.columns - _INDENT - _NAMES)
    rows = [
        (name if first else "", line)
        for name, value in _rows(settings, environ, started, base_url)
        for first, line in _lines(value, width)
    ]
    yield two_columns(rows, width=_NAMES, indent=_INDENT)
    yield ""


def _rows(
    settings: Settings, environ: Mapping[str, str], started: Started, base_url: str
) -> Iterator[tuple[str, str | Text]]:
    for everywhere, here in _EVERYWHERE.items():
        base_url = base_url.replace(everywhere, here)
    yield "for clients", Text.assemble((base_url, "bold cyan"))
    if settings.general_settings.ui:
        yield "page", Text.assemble((f"{base_url.removesuffix('/v1')}/ui", "bold cyan"))
    yield "clients' key", _access(settings)
    yield "models", _names(settings.routes.names)
    keys = found_keys(settings, environ)
    yield "keys found", _names(f"{provider} ({source})" for provider, source in keys) if keys else "none"
    if settings.unavailable:
        left_out = (f"{name} ({', '.join(names)} not set)" for name, names in settings.unavailable.items())
        yield "left out", Text.assemble((_names(left_out), "yellow"))
    kept = describe_sessions(settings.sessions, settings.store)
    yield "kept", kept if settings.store.address.survives_restart else f"{kept}; a restart loses them"
    where = "" if started.config is None else f" --config {started.config}"
    yield "next", "Give a client the first address and the name of a model."
    yield "", f"{started.command} models{where} lists the models. Ctrl-C ends the process."


def _lines(value: str | Text, width: int) -> Iterator[tuple[bool, str | Text]]:
    """Yield *value* in lines of *width* characters, each with True for the first one. Words are never split."""
    text = value if isinstance(value, str) else value.plain
    wrapped = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    if len(wrapped) < 2:
        yield True, value
        return
    style = "" if isinstance(value, str) else value.spans[0].style
    for number, line in enumerate(wrapped):
        yield not number, Text(line, style)


def _access(settings: Settings) -> str:
    general = settings.general_settings
    keys = ["the master key"] * (general.master_key is not None)
    keys += [key.name for key in general.keys]
    if keys:
        return f"required: {_names(keys)}"
    return "none is asked for; a client that wants one takes any text"


def _names(names: Iterable[str]) -> str:
    shown = [printable(name) for name in names]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more
