"""Draw plots with matplotlib, which only the benchmarks use, where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def is_drawable() -> bool:
    """Tell whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_lengths(figures: Mapping[str, Mapping[int, float]], where: str, path: Path) -> None:
    """Write a PNG of CPU per request by messages, a line for each row, on linear and logarithmic axes."""
    importlib.import_module("matplotlib").use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, (plain, logarithmic) = pyplot.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    for axes in (plain, logarithmic):
        for row, values in figures.items():
            axes.plot(
                list(values), [value / 1000 for value in values.values()], marker="o", markersize=4, label=row
            )
        axes.set_xlabel("messages in the history")
        axes.set_ylabel("CPU per request, ms")
        axes.grid(alpha=0.3)
    logarithmic.set_xscale("log")
    logarithmic.set_yscale("log")
    plain.legend()
    figure.suptitle(f"CPU per request by length of history. {where}", fontsize=9)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
