"""Sends broken histories to an emulator, directly and through turnright. Needs no key and no network."""

from proxy.cli.comparison.run import run_comparison

__all__ = ["run_comparison"]
