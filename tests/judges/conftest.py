"""Fixtures of the judges, started once per session and xdist worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.judges.asking import Workers, working


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Yield the workers."""
    with working() as started:
        yield started
