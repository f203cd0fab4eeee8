"""Reads the tables of a Markdown document by the heading above each table."""

from __future__ import annotations

import re


def rows_under(document: str, heading: str) -> list[list[str]]:
    """Return the cells of the first table under *heading*, row by row, without the table's head.

    Raises :class:`ValueError` where there is no such heading.
    """
    found = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", document, flags=re.MULTILINE | re.DOTALL)
    if found is None:
        raise ValueError(heading)
    table = found[1].split("\n\n|", 1)[-1].split("\n\n", 1)[0]
    lines = [line for line in table.splitlines() if line.endswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def key_in(cell: str) -> str:
    """Return the text between the backticks of *cell*, which holds nothing else."""
    return cell.removeprefix("`").removesuffix("`")
