"""Reads the corpus from the package's data."""

from __future__ import annotations

import importlib.resources

import orjson

from proxy.conformance.case import Case, read_case

FILES = ("known.json", "rules.json")
"""The files of the corpus, in the order in which their cases are sent."""

BASELINE = "legal-text"
"""The id of the legal case that is sent first, to see whether the gateway's requests reach the emulator."""


def load_corpus() -> tuple[Case, ...]:
    """Return every case, the baseline first."""
    cases = [case for name in FILES for case in load_file(name)]
    return tuple(sorted(cases, key=lambda case: case.id != BASELINE))


def load_file(name: str) -> tuple[Case, ...]:
    """Return the cases of one file, in its order."""
    data = importlib.resources.files("proxy.conformance").joinpath(name).read_bytes()
    return tuple(map(read_case, orjson.loads(data)))
