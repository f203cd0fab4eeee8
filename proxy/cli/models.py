"""``turnright models``: prints the names that clients may send, and the deployments of each name."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import orjson
from rich.table import Table
from rich.text import Text

from proxy.cli.configuration import UNUSABLE, print_warnings, read_configuration
from proxy.cli.key_sources import NOT_SET, key_source
from proxy.cli.print_result import print_result, takes_colours
from proxy.cli.render_lines import Part, render_lines
from proxy.cli.show_messages import printable
from proxy.config import Settings
from proxy.config.list_models import listed_names
from proxy.config.schema.routes import ANY_MODEL
from proxy.planning.preview import pools_of, preview_of

_EXAMPLES = 3
"""The most known models of a wildcard that are named below the table."""


_SPECIAL = re.compile(
    r"preview|exp|latest|research|computer-use|audio|live|tts|image|embed|search|realtime|transcribe|moderation"
    r"|\d{3,}"
)
"""Matches parts of the names of models that are previews, have a date, or are for other tasks than chat."""

_VERSION = re.compile(r"(?<![a-z0-9])\d{1,2}([.-]\d{1,2})?(?![a-z0-9])")


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One deployment behind a name that clients may send. A value is None where only the requested model decides it."""

    name: str
    model: str
    provider: str | None
    host: str | None
    """The host that requests go to. None where litellm knows it, or where the requested model decides."""

    window: int | None
    """The model's context window in tokens. None where it is not known before a request."""

    key: str
    """The variable of the key, or where else it is (:func:`proxy.cli.key_sources.key_source`)."""


def run_models(options: argparse.Namespace) -> int:
    """Print the models of the configuration. Returns 2 where the configuration cannot be used."""
    loaded = read_configuration(options.config)
    if loaded is None:
        return UNUSABLE
    settings = loaded.settings
    rows = model_rows(settings, os.environ)
    known = known_models(settings)
    if options.json:
        result = {
            "models": [asdict(row) for row in rows],
            "known": known,
            "aliases": dict(settings.routes.aliases),
            "left_out": settings.unavailable,
        }
        return print_result(orjson.dumps(result, option=orjson.OPT_INDENT_2).decode(), 0)
    print_warnings(loaded, options.config)
    lines = render_lines(_parts(settings, rows, known), colours=takes_colours())
    return print_result("\n".join(lines), 0)


def model_rows(settings: Settings, environ: Mapping[str, str]) -> tuple[ModelRow, ...]:
    """Return a row for each deployment of *settings*, by name in the file's order."""
    pools = pools_of(settings)
    return tuple(
        ModelRow(
            name=model.name,
            model=deployment.model,
            provider=None if deployment.model == ANY_MODEL else deployment.provider,
            host=shown.host,
            window=None if shown.budget is None else shown.budget.window,
            key=key_source(deployment, environ),
        )
        for model in preview_of(settings)
        for deployment, shown in zip(pools[model.name], model.deployments, strict=True)
    )


def known_models(settings: Settings) -> dict[str, list[str]]:
    """Return the models of litellm's table that each wildcard of *settings* serves.

    The list is empty for an unknown provider, and for ``*``, which takes the models of all providers.
    """
    listed = [name for name in listed_names(settings) if name not in settings.routes.names]
    return {
        wildcard: [name for name in listed if len(wildcard) > 1 and name.startswith(wildcard[:-1])]
        for wildcard in settings.routes.names
        if wildcard.endswith("*")
    }


def _parts(settings: Settings, rows: tuple[ModelRow, ...], known: Mapping[str, list[str]]) -> Iterator[Part]:
    yield _table(rows, settings.unavailable)
    for wildcard, names in known.items():
        if names:
            examples = ", ".join(map(printable, _examples(names)))
            yield f"{printable(wildcard)} takes {len(names)} known names and new ones, such as {examples}."
    for alias, model in settings.routes.aliases.items():
        hidden = alias not in settings.routes.shown_aliases
        unlisted = " GET /v1/models does not list it." if hidden else ""
        yield f"{printable(alias)} is another name of {printable(model)}.{unlisted}"
    if settings.unavailable:
        yield "A model that is left out answers 503 until its variable is set."


def _examples(names: Sequence[str]) -> list[str]:
    """Return some of a wildcard's *names*, preferably of new models that are no previews and have no date."""
    plain = [name for name in names if not _SPECIAL.search(name)]
    return sorted(plain or names, key=_newest_first)[:_EXAMPLES]


def _newest_first(name: str) -> tuple[float, int, str]:
    version = _VERSION.search(name)
    return -float(version[0].replace("-", ".")) if version else 0.0, len(name), name


def _table(rows: tuple[ModelRow, ...], left_out: Mapping[str, tuple[str, ...]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for title in ("name", "provider", "host", "window", "key"):
        table.add_column(title, justify="right" if title == "window" else "left")
    for row in rows:
        table.add_row(
            printable(row.name),
            printable(row.provider or "by the name"),
            printable(row.host or "the provider's"),
            f"{row.window:,}" if row.window else "by the name" if row.model.endswith("*") else "unknown",
            Text.assemble((printable(row.key), "yellow" if row.key == NOT_SET else "green")),
        )
    for name, variables in left_out.items():
        why = Text.assemble((f"left out: {', '.join(map(printable, variables))} not set", "red"))
        table.add_row(printable(name), "-", "-", "-", why)
    return table
