"""The fixture of the judges' worker processes, which are shared by all tests of a session or of an xdist worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.judges.asking import Workers, working


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Yield the workers."""
    with working() as started:
        yield started
