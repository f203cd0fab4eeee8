"""The ``turnright`` command."""

from proxy.cli.main import main

__all__ = ["main"]
