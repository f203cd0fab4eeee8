"""Runs a command of the image in a box: the restrictions of ``deploy/kubernetes``, without a container runtime.

The command sees the image's root file system and the configuration's directory, both read-only. It has the image's
environment. It runs as the image's user without capabilities, and cannot gain any. Its /tmp is empty and ends with the
process. The network is this machine's, so that a test reaches the command on loopback.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.ops.image.building import Built

MOUNT_AND_BECOME = r"""
set -eu
root=$1 configuration=$2 user=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --bind "$configuration" "$root/etc/turnright"
mount -o remount,bind,ro "$root/etc/turnright"
mount -t tmpfs -o size=64m,mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec /usr/sbin/chroot "$root" \
    /usr/bin/setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups --bounding-set=-all --no-new-privs "$@"
"""
"""A script for a shell in its own mount namespace. The mounts end with the shell."""


def boxed(
    built: Built, configuration: Path, command: Sequence[str], variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start *command* in the box, and return its process. A signal to that process reaches the command itself.

    Args:
        built: the image.
        configuration: the directory that the process has as ``/etc/turnright``.
        command: what to run, looked up in the image's ``PATH``.
        variables: more for the environment, such as keys.
    """
    (built.root / "etc" / "turnright").mkdir(exist_ok=True)  # as a runtime makes what it mounts on
    os.chmod(configuration, 0o755)
    environment = dict(entry.split("=", 1) for entry in built.config["Env"])
    return subprocess.Popen(
        [
            "/usr/bin/unshare",
            "--mount",
            "/bin/sh",
            "-c",
            MOUNT_AND_BECOME,
            "box",
            str(built.root),
            str(configuration),
            built.config["User"],
            *command,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment, **(variables or {})},
    )


def run_boxed(
    built: Built, configuration: Path, command: Sequence[str], variables: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """Run *command* in the box to its end. Return its exit status, standard output and standard error."""
    with boxed(built, configuration, command, variables) as process:
        out, errors = process.communicate(timeout=120)
    return process.returncode, out.decode(), errors.decode()
