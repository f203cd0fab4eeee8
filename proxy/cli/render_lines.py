"""Renders texts and tables of rich as lines, which are never wrapped and have no padding at their ends."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

Part: TypeAlias = str | Text | Table | Padding

_WIDTH = 1_000_000
"""Columns of the rendering. Every line fits, also where the output is a pipe or a narrow terminal."""


def render_lines(parts: Iterable[Part], *, colours: bool = False) -> Iterator[str]:
    """Yield *parts* as lines without a newline, with ANSI colours or without.

    The caller decides about colours: rich would keep bold and dim under ``NO_COLOR``. A string is never read as rich's
    markup.
    """
    shown = io.StringIO()
    console = Console(
        file=shown,
        width=_WIDTH,
        color_system="standard" if colours else None,
        no_color=not colours,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for part in parts:
        console.print(part, soft_wrap=True)
    for line in shown.getvalue().split("\n")[:-1]:
        yield line.rstrip(" ")


def two_columns(rows: Iterable[tuple[str, str | Text]], *, width: int, indent: int = 0) -> Padding:
    """Return a table of names and values.

    The column of names has at least *width* characters, with the space after it.
    """
    table = Table.grid(padding=(0, 1))
    table.add_column(min_width=width - 1)
    table.add_column()
    for row in rows:
        table.add_row(*row)
    return Padding(table, (0, 0, 0, indent), expand=False)
