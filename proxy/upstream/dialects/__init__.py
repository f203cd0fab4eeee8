"""Request parameters in each provider's way: mapped, dropped with a count, or refused; nothing is lost unseen. Pure.

    table            a row for each provider                    dialect         what a row holds
    openai_models    the models of one provider each: what      choose_dialect  a deployment's row
    gemini_models    is refused, which efforts are known        fitting         parameters on their way, with what is
    claude_models                                                               said of them

The rules read the row, and know no provider: ``tools`` and their choice, ``formats`` of the answer, ``reasoning`` (and
``thinking_blocks``), ``sampling`` with limits and stops.
"""

from proxy.upstream.dialects.choose_dialect import Transport, dialect_for, withheld_names
from proxy.upstream.dialects.dialect import Dialect
from proxy.upstream.dialects.fit_parameters import FittedParameters, fit_parameters
from proxy.upstream.dialects.fitting import STEP
from proxy.upstream.dialects.formats import with_words
from proxy.upstream.dialects.thinking_blocks import lacks_thinking_blocks

__all__ = [
    "STEP",
    "Dialect",
    "FittedParameters",
    "Transport",
    "dialect_for",
    "fit_parameters",
    "lacks_thinking_blocks",
    "with_words",
    "withheld_names",
]
