"""litellm's table of models, read as a data file: windows and prices by the name of a model.

litellm itself is not imported: an import costs seconds and 165 MB. The texts of the rows are kept as they are in
the file, 3.5 MB in all. A row is decoded when somebody asks for it. Decoding all rows would take more memory and
time.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

_TABLE = "model_prices_and_context_window_backup.json"


@cache
def litellm_rows() -> Mapping[str, msgspec.Raw]:
    """Return the rows of litellm's table by the name of the model. Empty where there is no table to read."""
    spec = importlib.util.find_spec("litellm")  # of a top-level package this imports nothing
    if spec is None or not spec.submodule_search_locations:
        return {}
    try:
        table = (Path(spec.submodule_search_locations[0]) / _TABLE).read_bytes()
        return msgspec.json.decode(table, type=dict[str, msgspec.Raw])
    except (OSError, msgspec.DecodeError):
        return {}
