"""The main job, shown with no key and no network: the same broken histories, straight and through turnright."""

from proxy.cli.comparison.run import run_comparison

__all__ = ["run_comparison"]
