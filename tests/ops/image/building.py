"""Build the image of ``deploy/Dockerfile`` with no daemon and no registry of images.

mmdebstrap makes the base from Debian's packages. Debian and Python are those of the official image that the
Dockerfile names. buildah then runs the Dockerfile unchanged. This machine's pip settings go in as the secret
that the Dockerfile knows. A certificate that pip trusts is mounted during the build.
"""

from __future__ import annotations

import configparser
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
BASE_ARCHIVE = ROOT / ".venv" / "image-base.tar"
"""The archive of the base image. It is kept, since building the base takes longer than the rest of the image."""

BASE, IMAGE = "localhost/turnright-base", "localhost/turnright"
PACKAGES = "ca-certificates,python3,python3-venv"
SECONDS = 900
PASSED_ON = frozenset(
    {"index-url", "extra-index-url", "trusted-host", "proxy", "cert", "default-timeout", "timeout"}
)
"""The settings of pip that concern its connection to an index."""


@dataclass(frozen=True)
class Builder:
    """Runs buildah with its own storage below a directory."""

    directory: Path

    def run(self, *arguments: str | Path) -> str:
        """Run a command of buildah and return its output. Fails with the command's output and errors."""
        where = [
            "--root",
            self.directory / "root",
            "--runroot",
            self.directory / "run",
            "--storage-driver",
            "vfs",
        ]
        done = subprocess.run(
            [str(word) for word in ("buildah", *where, *arguments)],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


@dataclass(frozen=True)
class Built:
    """A built image: its configuration, and the directory with its root."""

    config: dict[str, Any]
    root: Path


def build_image(directory: Path) -> Built:
    """Build the image below *directory*, and return it with its root mounted (see :func:`remove_images`)."""
    builder = Builder(directory)
    _import_base(builder)
    settings = pip_settings()
    (directory / "pip.conf").write_text(_pip_conf(settings))
    trusted = [f"--volume={settings['cert']}:{settings['cert']}:ro"] if "cert" in settings else []
    builder.run(
        "build",
        "--isolation=chroot",
        "--pull-never",
        f"--build-arg=BASE={BASE}",
        f"--secret=id=pip.conf,src={directory / 'pip.conf'}",
        *trusted,
        f"--ignorefile={ROOT / '.dockerignore'}",
        f"--file={ROOT / 'deploy' / 'Dockerfile'}",
        f"--tag={IMAGE}",
        ROOT,
    )
    container = builder.run("from", "--pull-never", IMAGE)
    inspected = json.loads(builder.run("inspect", "--type=image", IMAGE))
    return Built(inspected["OCIv1"]["config"], Path(builder.run("mount", container)))


def remove_images(directory: Path) -> None:
    """Unmount and remove everything that :func:`build_image` has made below *directory*."""
    builder = Builder(directory)
    builder.run("rm", "--all")
    builder.run("rmi", "--all", "--force")
    shutil.rmtree(directory, ignore_errors=True)


def pip_settings() -> dict[str, str]:
    """Return this machine's pip settings for its index, by pip's own names.

    Environment variables win over configuration files.
    """
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    lines = [line.partition("=") for line in listed.stdout.splitlines()]
    lines.sort(key=lambda line: line[0].startswith(":env:"))
    found = {key.rpartition(".")[2]: value.strip("'\"") for key, _, value in lines}
    # A directory of this machine does not exist in the build.
    return {key: value for key, value in found.items() if key in PASSED_ON and not value.startswith("file:")}


def _pip_conf(settings: dict[str, str]) -> str:
    parser = configparser.RawConfigParser()
    parser["global"] = {key: value.replace("\\n", "\n  ") for key, value in settings.items()}
    lines = [f"{key} = {value}" for key, value in parser["global"].items()]
    return "\n".join(["[global]", *lines, ""])


def _import_base(builder: Builder) -> None:
    if not BASE_ARCHIVE.exists():
        BASE_ARCHIVE.parent.mkdir(exist_ok=True)
        unfinished = BASE_ARCHIVE.with_suffix(".unfinished.tar")
        subprocess.run(
            [
                "mmdebstrap",
                "--quiet",
                "--variant=minbase",
                f"--include={PACKAGES}",
                "bookworm",
                str(unfinished),
            ],
            check=True,
            timeout=SECONDS,
        )
        unfinished.rename(BASE_ARCHIVE)
    container = builder.run("from", "scratch")
    builder.run("add", "--quiet", container, BASE_ARCHIVE, "/")
    builder.run("commit", "--quiet", "--rm", container, BASE)
