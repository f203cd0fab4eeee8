"""Run a command of the image as Kubernetes would with ``deploy/kubernetes``, as far as a kernel alone can.

The image's root, read-only; its own environment and nothing of ours; the user of the image, no capability, no way to
get one; a /tmp that is empty and ends with the process; the configuration as a directory, read-only. The network is
this machine's, so that a test on loopback gets there.
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
"""For a shell in a mount namespace of its own: when it ends, so do the mounts."""


def boxed(
    built: Built, configuration: Path, command: Sequence[str], variables: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start *command* in the box and return its process; a signal to it reaches the command itself.

    Args:
        built: the image.
        configuration: the directory that the process has as ``/etc/turnright``.
        command: what to run, found by the image's own path.
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
    """Run *command* in the box to its end; return its exit status, what it printed, and what it complained of."""
    with boxed(built, configuration, command, variables) as process:
        out, errors = process.communicate(timeout=120)
    return process.returncode, out.decode(), errors.decode()
