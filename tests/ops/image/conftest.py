"""Fixtures of the image's tests. The image is built once per session."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ops.image.building import Built, build_image, remove_images


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Build and yield the image. Where it cannot be built, the tests are skipped with the reason."""
    missing = [name for name in ("buildah", "mmdebstrap", "setpriv", "unshare") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"the image cannot be built here without {', '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("the image can be built and run by root only: there is no daemon to do it")
    directory = tmp_path_factory.mktemp("image")
    try:
        yield build_image(directory)
    finally:
        remove_images(directory)


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """Return a directory for the configuration, which every user may read."""
    directory = tmp_path / "configuration"
    directory.mkdir()
    for path in (directory, *list(directory.parents)[:2]):
        path.chmod(0o755)
    return directory
